"""Workspace and Experiment: where a run belongs, and how it is submitted."""

import json
import uuid
from datetime import datetime
from typing import Any, Dict, Iterator, List, Optional, Protocol, Sequence, Tuple, Union

from .binary import BadCall, text_of
from .checked import Checked, checked, given, lacks
from .compute import ComputeTarget, ComputeTargets
from .context_run import ContextRun, started_runs
from .datasets import Dataset
from .datastores import Datastore
from .environment import Environment
from .hyperdrive import HyperDriveRun
from .models import Model
from .record import METRICS
from .run import Run
from .step_pipeline import Pipeline, PipelineRun
from .tracking import (Store, experiment_called, experiments_in, runs_in, tracking_folder,
                       tracking_uri)
from .where import Where


class Submittable(Protocol):
    """A ScriptRunConfig, a HyperDriveConfig, a Pipeline."""

    def begin(self, experiment: str, words: List[str], **more: Any) -> Run: ...


Run._KINDS = {"sweep": HyperDriveRun, "pipeline": PipelineRun}
_ACCOUNT = "auth sku tags cloud id location _location _logger _file_name _cloud _workspace_id " \
           "_disable_service_check subscription_id resource_group"


class Datastores(Dict[str, Datastore]):
    """Of a workspace."""

    def __missing__(self, name: str) -> Datastore:
        return Datastore(None, name)


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
        self._default_datastore = "workspaceblobstore"

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
        return Run.get(self, run_id)

    @checked(lacks(accepted="_with_auth"))
    def get_mlflow_tracking_uri(self) -> str:
        """Where this program's metrics are: a folder of this machine."""
        return tracking_uri()

    def get_default_datastore(self) -> Datastore:
        """A folder of this machine; outputs of steps lie in their records."""
        return Datastore(self, self._default_datastore)

    @property
    def datastores(self) -> Dict[str, Datastore]:
        """There is one of every name."""
        return Datastores()

    def set_default_datastore(self, name: str) -> None:
        """That of every name is a folder of its own."""
        self._default_datastore = name

    @property
    def models(self) -> Dict[str, Model]:
        """The newest of each name that programs of this machine have registered."""
        return {one.name: one for one in Model.list(self, latest=True)}

    @property
    def datasets(self) -> Dict[str, Any]:
        """Those that programs of this machine have registered."""
        return Dataset.get_all(self)

    @property
    def experiments(self) -> Dict[str, "Experiment"]:
        """Those that have runs: on record, or of programs that log for themselves."""
        names = {run["experiment"] for run in _recorded() if run["experiment"]}
        folder = _metrics_folder()
        names |= {one.name for one in experiments_in(folder) if runs_in(folder, one)}
        return {name: Experiment(self, name) for name in sorted(names)}

    def get_default_compute_target(self, type: str) -> ComputeTarget:
        """An entry of muster.yml: cpu-cluster or gpu-cluster, as the SDK calls them."""
        return self.compute_targets[f"{type.lower()}-cluster"]

    @property
    def environments(self) -> Dict[str, Environment]:
        """None are registered."""
        return Environment.list(self)

    def get_details(self) -> Dict[str, Any]:
        """What it was made with."""
        return {"name": self.name, "location": self.location,
                "subscriptionId": self.subscription_id, "resourceGroup": self.resource_group}

    @checked(lacks(no_effect="file_name"))
    def write_config(self, path: Optional[str] = None) -> None:
        """Writes nothing: muster needs no account."""


class Experiment(Checked):
    """Runs that belong together, under a name."""

    LACKS = lacks(accepted="_skip_name_validation _id _archived_time _create_in_cloud "
                           "_experiment_dto")

    def __init__(self, workspace: object, name: str) -> None:
        self.workspace = workspace
        self.name = name

    def submit(self, config: Submittable, tags: Optional[Dict[str, str]] = None, *,
               environment: bool = True, gpus: bool = True, fake_nodes: Optional[int] = None,
               hosts: Union[str, Sequence[str], None] = None,
               hostfile: Optional[str] = None,
               pipeline_parameters: Optional[Dict[str, Any]] = None,
               pipeline_params: Optional[Dict[str, Any]] = None,
               continue_on_step_failure: Optional[bool] = None,
               regenerate_outputs: Optional[bool] = None) -> Run:
        """Starts the job and returns once all its processes run; muster ps --tag finds its tags.

        environment=False and gpus=False: the hosts hold what the job asks for. fake_nodes=N, hosts
        ("node1:4,node2:4", or a list) and hostfile say where to run, in place of compute_target.
        pipeline_params is the older name of pipeline_parameters.
        """
        if not hasattr(config, "begin"):
            raise BadCall(f"{config!r} is not a job that muster can run",
                          "give a ScriptRunConfig, an Estimator, a HyperDriveConfig or a Pipeline")
        of_a_pipeline = given({"pipeline_parameters": pipeline_parameters or pipeline_params,
                               "continue_on_step_failure": continue_on_step_failure,
                               "regenerate_outputs": regenerate_outputs})
        if of_a_pipeline and not isinstance(config, Pipeline):
            raise BadCall(f"submit({next(iter(of_a_pipeline))}=...) is for pipelines",
                          "leave it out")
        words = [f"--set=tags.{name}={value}" for name, value in (tags or {}).items()]
        words += Where(environment, gpus, fake_nodes, hosts, hostfile).words()
        run = config.begin(self.name, words, **of_a_pipeline)
        run.belongs_to(self, config)
        return run

    @checked(lacks(accepted="include_children"))
    def get_runs(self, type: Optional[str] = None, tags: Union[str, Dict[str, Any], None] = None,
                 properties: Union[str, Dict[str, Any], None] = None) -> Iterator[Run]:
        """Those on record, and those that start_logging() has begun, the newest first."""
        found: List[Tuple[float, Any]] = [
            (_time_of(known), Run.known_as(self, known))
            for known in reversed(_recorded("--experiment", self.name))]
        found += [(when / 1000, run) for when, run in started_runs(_metrics_folder(), self)]
        for _, run in sorted(found, key=lambda one: one[0], reverse=True):
            if type is not None and run.type != type:
                continue
            if _has(tags, run.tags) and _has(properties, run.get_properties()):
                yield run

    @classmethod
    @checked(lacks(accepted="view_type", refused={"tags": "filter what it gives"}))
    def list(cls, workspace: Workspace, experiment_name: Optional[str] = None
             ) -> "List[Experiment]":
        """Those that have runs."""
        return [one for name, one in workspace.experiments.items()
                if experiment_name in (None, name)]

    @checked(lacks(accepted="snapshot_directory display_name"))
    def start_logging(self, outputs: Union[str, bool, None] = None) -> ContextRun:
        """A run of this program, which logs to MLflow's folder: mlruns, unless the environment
        names another one. What it writes to ./outputs, or to another folder, is kept with it;
        False: nothing."""
        store = Store(_metrics_folder(), uuid.uuid4().hex, experiment_called(self.name))
        folder = outputs if isinstance(outputs, str) else None if outputs is False else "outputs"
        return ContextRun(store, self, folder)


def _metrics_folder() -> str:
    return tracking_folder() or METRICS


def _time_of(known: Dict[str, Any]) -> float:
    """When a run was made, in seconds since 1970."""
    return datetime.fromisoformat(str(known["created"]).replace("Z", "+00:00")).timestamp()


def _recorded(*words: str) -> "List[Dict[str, Any]]":
    found = json.loads(text_of("ps", "--all", "--json", *words))
    assert isinstance(found, list)
    return found


def _has(wanted: Union[str, Dict[str, Any], None], said: Dict[str, Any]) -> bool:
    """Whether a name is among them, or all these with their values."""
    if wanted is None or isinstance(wanted, str):
        return wanted is None or wanted in said
    return all(name in said and said[name] == value for name, value in wanted.items())
