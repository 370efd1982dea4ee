"""Workspace and Experiment: where a run belongs, and how it is submitted."""

from typing import Any, Dict, Optional, Sequence, Union

from .binary import BadCall
from .checked import Checked, checked, lacks
from .compute import ComputeTargets
from .run import Run
from .script_run_config import ScriptRunConfig
from .submission import submit_keys
from .where import Where

# Keys of muster's job files that ScriptRunConfig calls otherwise.
_RENAMED = {"timeout": "max_run_duration_seconds", "code": "source_directory"}
_ACCOUNT = "auth sku tags cloud id location _location _logger _file_name _cloud _workspace_id " \
           "_disable_service_check subscription_id resource_group"


class Workspace(Checked):
    """Stands where Azure ML's SDK wants one: muster needs no account."""

    LACKS = lacks(accepted=_ACCOUNT)

    def __init__(self, subscription_id: str = "", resource_group: str = "",
                 workspace_name: str = "muster", auth: object = None) -> None:
        self.subscription_id = subscription_id
        self.resource_group = resource_group
        self.name = workspace_name
        self.location = "here"
        self.compute_targets = ComputeTargets()

    @classmethod
    @checked(lacks(accepted="path " + _ACCOUNT))
    def from_config(cls, path: Optional[str] = None, auth: object = None) -> "Workspace":
        """Reads nothing."""
        return cls()

    @classmethod
    @checked(lacks(accepted=_ACCOUNT))
    def get(cls, name: str, auth: object = None, subscription_id: Optional[str] = None,
            resource_group: Optional[str] = None) -> "Workspace":
        """Asks nobody."""
        return cls(subscription_id or "", resource_group or "", name)

    def get_run(self, run_id: str) -> Run:
        """The run of that name."""
        return Run(run_id)

    def get_default_datastore(self) -> Any:
        """There is none."""
        raise BadCall("muster has no datastores", "it runs jobs whose code and data lie on their "
                      "hosts: name folders")


class Experiment(Checked):
    """Runs that belong together, under a name."""

    LACKS = lacks(accepted="_skip_name_validation _id _archived_time _create_in_cloud "
                           "_experiment_dto")

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
        if not isinstance(config, ScriptRunConfig):
            raise BadCall(f"{config!r} is not a job that muster can run",
                          "give a ScriptRunConfig or an Estimator")
        words = [f"--set=tags.{name}={value}" for name, value in (tags or {}).items()]
        words += Where(environment, gpus, fake_nodes, hosts, hostfile).words()
        return submit_keys(config.job(self.name), words, config.said_at, _RENAMED)
