"""Workspace and Experiment: where a run belongs, and how it is submitted."""

from typing import Any, Dict, Optional, Sequence, Union

from .binary import BadCall
from .compute import ComputeTargets
from .run import Run
from .script_run_config import ScriptRunConfig
from .submission import submit_keys
from .where import Where

# Keys of muster's job files that ScriptRunConfig calls otherwise.
_RENAMED = {"timeout": "max_run_duration_seconds", "code": "source_directory"}


class Workspace:
    """Stands where Azure ML's SDK wants one: muster needs no account."""

    def __init__(self, subscription_id: str = "", resource_group: str = "",
                 workspace_name: str = "muster", **_: Any) -> None:
        self.subscription_id = subscription_id
        self.resource_group = resource_group
        self.name = workspace_name
        self.location = "here"
        self.compute_targets = ComputeTargets()

    @classmethod
    def from_config(cls, path: Optional[str] = None, **_: Any) -> "Workspace":
        """Reads nothing."""
        del path
        return cls()

    @classmethod
    def get(cls, name: str, **_: Any) -> "Workspace":
        """Asks nobody."""
        return cls(workspace_name=name)

    def get_default_datastore(self) -> Any:
        """There is none."""
        raise BadCall("muster has no datastores", "it runs jobs whose code and data lie on their "
                      "hosts: name folders")


class Experiment:
    """Runs that belong together, under a name."""

    def __init__(self, workspace: object, name: str) -> None:
        self.workspace = workspace
        self.name = name

    def submit(self, config: ScriptRunConfig, tags: Optional[Dict[str, str]] = None, *,
               environment: bool = True, gpus: bool = True, fake_nodes: Optional[int] = None,
               hosts: Union[str, Sequence[str], None] = None,
               hostfile: Optional[str] = None) -> Run:
        """Starts the job and returns once all its processes run; muster ps --tag finds its tags.

        environment=False and gpus=False: the hosts hold what the job asks for. fake_nodes=N, hosts
        ("node1:4,node2:4", or a list) and hostfile say where to run, in place of compute_target.
        """
        words = [f"--set=tags.{name}={value}" for name, value in (tags or {}).items()]
        words += Where(environment, gpus, fake_nodes, hosts, hostfile).words()
        return submit_keys(config.job(self.name), words, config.said_at, _RENAMED)
