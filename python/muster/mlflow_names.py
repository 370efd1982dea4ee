"""MLflow's functions for programs that log, where MLflow is not installed."""

import atexit
import os
import uuid
from typing import Any, Dict, List, Mapping, Optional, Union

from .binary import BadCall
from .checked import checked, lacks, nearest, note
from .mlflow_artifacts import Path, put_dict, put_figure, put_file, put_folder, put_text
from .mlflow_entities import ExperimentInfo, RunData, RunInfo, experiment_in, run_in
from .record import PARENT
from .tracking import (STATES, Experiment, MlflowException, Store, checked_name, chosen_experiment,
                       current_store, experiment_called, experiment_of, log_to, run_folder,
                       tracking_folder, tracking_uri)

__version__ = "2.22.5+muster"  # whose words these are
_OF_A_RUN = lacks(accepted="synchronous", no_effect="dataset model_id")


class ActiveRun:
    """What start_run() gives: a block in which metrics are logged."""

    def __init__(self, store: Optional[Store]) -> None:
        self.store = store
        self.status = "RUNNING"

    @property
    def info(self) -> RunInfo:
        """What it is called, and where it is kept, if it is kept anywhere."""
        if self.store is None:
            return RunInfo("", "", "0", self.status, "")
        return run_in(self.store.run_folder).info

    @property
    def data(self) -> RunData:
        """What it has logged so far."""
        return RunData({}, {}, {}) if self.store is None else run_in(self.store.run_folder).data

    def __enter__(self) -> "ActiveRun":
        return self

    def __exit__(self, error: Optional[type], *_: object) -> None:
        if self in _active:
            end_run("FINISHED" if error is None else "FAILED")


_active: List[ActiveRun] = []  # a run, and those within it
_ended: List[ActiveRun] = []


def _uri_of(store: Store) -> str:
    return "file://" + os.path.join(store.run_folder, "artifacts")


def store_now(run_id: Optional[str] = None) -> Optional[Store]:
    """Of the run that is active, if none is named; if none is, one begins, as in MLflow."""
    if run_id is not None and not (_active and _active[-1].info.run_id == run_id):
        return store_of(run_id)
    if not _active:
        _begin(_own_store())
    return _active[-1].store


def _begin(store: Optional[Store]) -> ActiveRun:
    run = ActiveRun(store)
    _active.append(run)
    return run


def _own_store(experiment: Optional[Experiment] = None) -> Optional[Store]:
    """The first run is the program's own, which Run.get_context() gives, too."""
    folder = tracking_folder()
    if folder is None:
        return None
    wanted = experiment or chosen_experiment()
    store = current_store()
    is_taken = any(one.store is store for one in (*_active, *_ended))
    if store is not None and not is_taken and store.experiment == wanted:
        return store
    return Store(folder, uuid.uuid4().hex, wanted)


def store_of(run_id: str) -> Store:
    """Of a run that has begun before."""
    place = run_folder(run_id)
    experiments, number = os.path.split(os.path.dirname(place))
    return Store(experiments, os.path.basename(place),
                 experiment_of(experiments, number) or Experiment(number, number))


def _experiment_of(number: str) -> Experiment:
    found = experiment_of(tracking_folder() or "", number)
    if found is None:
        raise MlflowException(f"there is no experiment {number!r}",
                              "set_experiment(NAME) makes one")
    return found


@checked(lacks(accepted="log_system_metrics"))
def start_run(run_id: Optional[str] = None, experiment_id: Optional[str] = None,
              run_name: Optional[str] = None, nested: bool = False,
              parent_run_id: Optional[str] = None, tags: Optional[Mapping[str, Any]] = None,
              description: Optional[str] = None) -> ActiveRun:
    """A run, or one within the run that is active."""
    if _active and not nested:
        raise MlflowException(f"the run {_active[0].info.run_id} is active already",
                              "end it with end_run(), or write start_run(nested=True)")
    if run_id is not None and tracking_folder() is not None:
        store: Optional[Store] = store_of(run_id)
        if store is not None:
            store.resume()
    else:
        store = _own_store(_experiment_of(experiment_id)
                           if experiment_id is not None and tracking_folder() else None)
        parent = parent_run_id or (_active[-1].info.run_id if _active else None)
        if parent and store is not None:
            store.write("tags", PARENT, parent)
    run = _begin(store)
    if run_name is not None and store is not None:
        store.call(run_name)
    set_tags({**(tags or {}), **({"mlflow.note.content": description} if description else {})})
    return run


@checked()
def end_run(status: str = "FINISHED") -> None:
    """The files say so."""
    if status not in STATES:
        raise BadCall(f"status is {status!r}", nearest(status, list(STATES)))
    if not _active:
        return
    run = _active.pop()
    _ended.append(run)
    run.status = status
    if run.store is not None:
        run.store.end(status)


@atexit.register
def _end_all() -> None:
    """At the end of the program, as MLflow does."""
    while _active:
        end_run()


@checked()
def active_run() -> Optional[ActiveRun]:
    """The innermost one."""
    return _active[-1] if _active else None


@checked()
def last_active_run() -> Optional[ActiveRun]:
    """That which is active, else the one that ended last."""
    return _active[-1] if _active else _ended[-1] if _ended else None


@checked()
def set_experiment(experiment_name: Optional[str] = None, experiment_id: Optional[str] = None
                   ) -> Any:
    """Where runs that begin later are kept."""
    if (experiment_name is None) == (experiment_id is None):
        raise MlflowException("set_experiment() takes either a name or experiment_id",
                              "for example set_experiment('mine')")
    found = (_experiment_of(experiment_id) if experiment_id is not None
             else experiment_called(str(experiment_name)))
    if tracking_folder() is not None:
        Store.describe(str(tracking_folder()), found)
        os.environ["MLFLOW_EXPERIMENT_ID"] = found.id
    return _told(found)


def _told(found: Optional[Experiment]) -> Optional[ExperimentInfo]:
    return None if found is None else experiment_in(tracking_folder() or "", found)


@checked()
def get_experiment(experiment_id: str) -> Any:
    """That of this number."""
    return _told(_experiment_of(experiment_id))


@checked()
def get_experiment_by_name(name: str) -> Any:
    """None, if there is none of that name."""
    wanted = experiment_called(name)
    return _told(experiment_of(tracking_folder() or "", wanted.id))


@checked()
def set_tracking_uri(uri: Path) -> None:
    """A folder; a server is not asked."""
    text = os.fspath(uri)
    if text.split(":", 1)[0] in ("http", "https", "databricks", "azureml", "sqlite", "postgresql"):
        note(f"mlflow.set_tracking_uri({text!r}) has no effect here: it needs MLflow itself")
    elif text:
        os.environ["MLFLOW_TRACKING_URI"] = text


@checked()
def get_tracking_uri() -> str:
    """As the environment has it."""
    return tracking_uri()


@checked()
def get_artifact_uri(artifact_path: Optional[str] = None) -> str:
    """Where a file of this name would be."""
    store = store_now()
    if store is None:
        raise BadCall("artifacts are kept nowhere: MLFLOW_TRACKING_URI names no folder",
                      "export MLFLOW_TRACKING_URI=mlruns")
    return _uri_of(store) + (f"/{artifact_path}" if artifact_path else "")


# ---- what is logged ----


@checked(_OF_A_RUN)
def log_metric(key: Any, value: Any, step: Optional[int] = None, timestamp: Optional[int] = None,
               run_id: Optional[str] = None) -> None:
    """One value of a metric; a name that is not text is refused, as by MLflow."""
    log_to(store_now(run_id), key, value, 0 if step is None else step, timestamp)


@checked(_OF_A_RUN)
def log_metrics(metrics: Mapping[str, Any], step: Optional[int] = None,
                run_id: Optional[str] = None, timestamp: Optional[int] = None) -> None:
    """One value of each."""
    for key, value in metrics.items():
        log_metric(key, value, step, timestamp, run_id)


def log_param_to(store: Optional[Store], key: Any, value: Any) -> None:
    """Printed where it is not kept."""
    if store is not None:
        store.param(key, str(value))
    else:
        print(f"Attempted to log parameter {checked_name(key)}:\n{value}", flush=True)


@checked(_OF_A_RUN)
def log_param(key: Any, value: Any) -> Any:
    """A value that does not change."""
    log_param_to(store_now(), key, value)
    return value


@checked(_OF_A_RUN)
def log_params(params: Mapping[str, Any], run_id: Optional[str] = None) -> None:
    """Several of them."""
    for key, value in params.items():
        log_param_to(store_now(run_id), key, value)


def set_tag_of(store: Optional[Store], key: Any, value: Any) -> None:
    """Printed where it is not kept."""
    if store is None:
        print(f"Attempted to set tag {checked_name(key)}:\n{value}", flush=True)
    elif key == "mlflow.runName":
        store.call(str(value))
    else:
        store.write("tags", checked_name(key), str(value))


@checked(_OF_A_RUN)
def set_tag(key: Any, value: Any) -> None:
    """A word about the run."""
    set_tag_of(store_now(), key, value)


@checked(_OF_A_RUN)
def set_tags(tags: Mapping[str, Any], run_id: Optional[str] = None) -> None:
    """Several of them."""
    for key, value in tags.items():
        set_tag_of(store_now(run_id), key, value)


@checked()
def delete_tag(key: str) -> None:
    """One that was set."""
    store = store_now()
    if store is not None:
        store.forget_tag(key)


@checked(_OF_A_RUN)
def log_artifact(local_path: Path, artifact_path: Optional[str] = None,
                 run_id: Optional[str] = None) -> None:
    """A copy of a file, or of a folder under its name."""
    put_file(store_now(run_id), local_path, artifact_path)


@checked(_OF_A_RUN)
def log_artifacts(local_dir: Path, artifact_path: Optional[str] = None,
                  run_id: Optional[str] = None) -> None:
    """Copies of all that is in a folder."""
    put_folder(store_now(run_id), local_dir, artifact_path)


@checked(_OF_A_RUN)
def log_text(text: str, artifact_file: str, run_id: Optional[str] = None) -> None:
    """A file with this text."""
    put_text(store_now(run_id), text, artifact_file)


@checked(_OF_A_RUN)
def log_dict(dictionary: Union[Dict[str, Any], List[Any]], artifact_file: str,
             run_id: Optional[str] = None) -> None:
    """As YAML, if the file is called so, else as JSON."""
    put_dict(store_now(run_id), dictionary, artifact_file)


@checked(lacks(no_effect="save_kwargs"))
def log_figure(figure: Any, artifact_file: str) -> None:
    """A figure of matplotlib or plotly."""
    put_figure(store_now(), figure, artifact_file)


@checked(lacks(no_effect="context tags"))
def log_input(dataset: Any) -> None:
    """Only MLflow itself knows data sets."""
    del dataset
    note("mlflow.log_input() has no effect here: it needs MLflow itself")


def autolog(*_: Any, **__: Any) -> None:
    """Only MLflow itself can do this."""
    note("mlflow.autolog() has no effect here: it needs MLflow itself")
