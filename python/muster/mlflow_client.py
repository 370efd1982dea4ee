"""MlflowClient: what programs ask of runs, and log to them by their names, in MLflow's folder."""

import importlib
import os
import uuid
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .binary import BadCall
from .checked import Checked, checked, lacks, nearest
from .mlflow_artifacts import (Path, artifact_folder, copied, files_of, put_dict, put_figure,
                               put_file, put_folder, put_text)
from .mlflow_entities import (ExperimentInfo, FileInfo, Metric, PagedList, Run, ViewType,
                              experiment_in, history_of, run_in)
from .mlflow_names import log_param_to, set_tag_of, store_of
from .mlflow_search import filter_of, in_order
from .own_files import make_folders, replace
from .record import PARENT
from .tracking import (STATES, MlflowException, Store, experiment_called, experiment_of,
                       experiments_in, log_to, run_folder, tracking_folder)

_Texts = Optional[Mapping[str, Any]]


def _folder() -> str:
    folder = tracking_folder()
    if folder is None:
        raise MlflowException("runs are kept nowhere: MLFLOW_TRACKING_URI names no folder",
                              "export MLFLOW_TRACKING_URI=mlruns")
    return os.path.abspath(folder)


@checked()
def create_experiment(name: str, artifact_location: Optional[str] = None, tags: _Texts = None
                      ) -> str:
    """Its number; artifacts lie beside what else is known of a run."""
    del artifact_location
    folder, made = _folder(), experiment_called(name)
    if not Store.describe(folder, made):
        raise MlflowException(f"there is an experiment {name!r} already",
                              "set_experiment() takes one that is there, too")
    for key, value in (tags or {}).items():
        _write_tag(os.path.join(folder, made.id), key, value)
    return made.id


def _write_tag(experiment: str, key: str, value: object) -> None:
    path = os.path.join(experiment, "tags", key)
    make_folders(os.path.dirname(path))
    replace(path, str(value), experiment)


@checked(lacks(accepted="page_token view_type max_results"))
def search_experiments(filter_string: Optional[str] = None, order_by: Optional[List[str]] = None
                       ) -> List[ExperimentInfo]:
    """All of them."""
    if filter_string or order_by:
        raise BadCall("search_experiments() finds all experiments, in the order of their names",
                      "choose among what it gives")
    folder = _folder()
    found = [experiment_in(folder, one) for one in experiments_in(folder)]
    found.sort(key=lambda one: str(one.name))
    return PagedList(found)


@checked()
def get_run(run_id: str) -> Run:
    """A run of MLflow's folder, or what the first rank of a job has logged."""
    return run_in(run_folder(run_id), run_id)


@checked()
def get_parent_run(run_id: str) -> Optional[Run]:
    """The run that it is within."""
    parent = get_run(run_id).data.tags.get(PARENT)
    return None if parent is None else get_run(parent)


def _runs_of(experiments: Sequence[str], view: int) -> List[Run]:
    stages = {ViewType.ACTIVE_ONLY: ("active",), ViewType.DELETED_ONLY: ("deleted",)}
    found = []
    for number in experiments:
        place = os.path.join(_folder(), str(number))
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
            if os.path.isfile(os.path.join(place, name, "meta.yaml")):
                found.append(run_in(os.path.join(place, name)))
    return [run for run in found if run.info.lifecycle_stage in stages.get(
        view, ("active", "deleted"))]


class MlflowClient(Checked):
    """Of the folder that MLFLOW_TRACKING_URI names."""

    def __init__(self, tracking_uri: Optional[str] = None, registry_uri: Optional[str] = None
                 ) -> None:
        del registry_uri
        if tracking_uri is not None and os.environ.get("MLFLOW_TRACKING_URI") != tracking_uri:
            os.environ["MLFLOW_TRACKING_URI"] = tracking_uri

    # ---- experiments ----

    def create_experiment(self, name: str, artifact_location: Optional[str] = None,
                          tags: _Texts = None) -> str:
        return create_experiment(name, artifact_location=artifact_location, tags=tags)

    def get_experiment(self, experiment_id: str) -> ExperimentInfo:
        folder, found = _folder(), experiment_of(_folder(), experiment_id)
        if found is None:
            known = [one.id for one in experiments_in(folder)]
            raise MlflowException(f"there is no experiment {experiment_id!r} in {folder}",
                                  nearest(experiment_id, known))
        return experiment_in(folder, found)

    def get_experiment_by_name(self, name: str) -> Optional[ExperimentInfo]:
        found = next((one for one in experiments_in(_folder()) if one.name == name), None)
        return None if found is None else experiment_in(_folder(), found)

    @checked(lacks(accepted="view_type max_results page_token"))
    def search_experiments(self, filter_string: Optional[str] = None,
                           order_by: Optional[List[str]] = None) -> List[ExperimentInfo]:
        return search_experiments(filter_string=filter_string, order_by=order_by)

    def set_experiment_tag(self, experiment_id: str, key: str, value: Any) -> None:
        self.get_experiment(experiment_id)
        _write_tag(os.path.join(_folder(), experiment_id), key, value)

    # ---- runs ----

    @checked(lacks(no_effect="start_time"))
    def create_run(self, experiment_id: str, tags: _Texts = None,
                   run_name: Optional[str] = None) -> Run:
        """A run that is not the active one; set_terminated() ends it."""
        found = experiment_of(_folder(), experiment_id)
        if found is None:
            self.get_experiment(experiment_id)
            raise AssertionError
        store = Store(_folder(), uuid.uuid4().hex, found)
        store.call(run_name or store.name)
        for key, value in (tags or {}).items():
            set_tag_of(store, key, value)
        return run_in(store.run_folder)

    def get_run(self, run_id: str) -> Run:
        return get_run(run_id)

    def get_parent_run(self, run_id: str) -> Optional[Run]:
        return get_parent_run(run_id)

    def search_runs(self, experiment_ids: Sequence[str], filter_string: str = "",
                    run_view_type: int = ViewType.ACTIVE_ONLY, max_results: int = 1000,
                    order_by: Optional[List[str]] = None, page_token: Optional[str] = None
                    ) -> List[Run]:
        """Those that fit, the youngest first, unless another order is asked for."""
        if page_token and not page_token.isdigit():
            raise BadCall(f"page_token is {page_token!r}, which no search has given",
                          "it is the token of the page before")
        fits = filter_of(filter_string or "")
        found = in_order([run for run in _runs_of(experiment_ids, run_view_type) if fits(run)],
                         order_by)
        start = int(page_token or 0)
        page = PagedList(found[start:start + max_results])
        page.token = str(start + max_results) if start + max_results < len(found) else None
        return page

    @checked(lacks(no_effect="end_time"))
    def set_terminated(self, run_id: str, status: Optional[str] = None) -> None:
        status = status or "FINISHED"
        if status not in STATES:
            raise BadCall(f"status is {status!r}", nearest(status, list(STATES)))
        store_of(run_id).end(status)

    def update_run(self, run_id: str, status: Optional[str] = None, name: Optional[str] = None
                   ) -> None:
        if name is not None:
            store_of(run_id).call(name)
        if status == "RUNNING":
            store_of(run_id).resume()
        elif status is not None:
            self.set_terminated(run_id, status)

    def delete_run(self, run_id: str) -> None:
        """Searches do not find it any more; its files stay."""
        store_of(run_id).delete()

    def restore_run(self, run_id: str) -> None:
        store_of(run_id).delete(False)

    # ---- what they log ----

    @checked(lacks(accepted="synchronous", no_effect="dataset_name dataset_digest model_id"))
    def log_metric(self, run_id: str, key: Any, value: Any, timestamp: Optional[int] = None,
                   step: Optional[int] = None) -> None:
        log_to(store_of(run_id), key, value, step or 0, timestamp)

    @checked(lacks(accepted="synchronous"))
    def log_param(self, run_id: str, key: Any, value: Any) -> Any:
        log_param_to(store_of(run_id), key, value)
        return value

    @checked(lacks(accepted="synchronous"))
    def log_batch(self, run_id: str, metrics: Sequence[Any] = (), params: Sequence[Any] = (),
                  tags: Sequence[Any] = ()) -> None:
        """Lists of Metric, Param and RunTag."""
        store = store_of(run_id)
        for one in metrics:
            log_to(store, one.key, one.value, one.step, one.timestamp)
        for param in params:
            log_param_to(store, param.key, param.value)
        for tag in tags:
            set_tag_of(store, tag.key, tag.value)

    @checked(lacks(accepted="synchronous"))
    def set_tag(self, run_id: str, key: Any, value: Any) -> None:
        set_tag_of(store_of(run_id), key, value)

    def delete_tag(self, run_id: str, key: str) -> None:
        store_of(run_id).forget_tag(key)

    def get_metric_history(self, run_id: str, key: str) -> List[Metric]:
        """All its values; none, if it was never logged."""
        return PagedList(history_of(run_folder(run_id), key))

    # ---- artifacts ----

    def log_artifact(self, run_id: str, local_path: Path, artifact_path: Optional[str] = None
                     ) -> None:
        put_file(store_of(run_id), local_path, artifact_path)

    def log_artifacts(self, run_id: str, local_dir: Path, artifact_path: Optional[str] = None
                      ) -> None:
        put_folder(store_of(run_id), local_dir, artifact_path)

    def log_text(self, run_id: str, text: str, artifact_file: str) -> None:
        put_text(store_of(run_id), text, artifact_file)

    def log_dict(self, run_id: str, dictionary: Union[Dict[str, Any], List[Any]],
                 artifact_file: str) -> None:
        put_dict(store_of(run_id), dictionary, artifact_file)

    @checked(lacks(no_effect="save_kwargs"))
    def log_figure(self, run_id: str, figure: Any, artifact_file: str) -> None:
        put_figure(store_of(run_id), figure, artifact_file)

    def list_artifacts(self, run_id: str, path: Optional[str] = None) -> List[FileInfo]:
        return files_of(artifact_folder(run_id), path)

    def download_artifacts(self, run_id: str, path: str, dst_path: Optional[Path] = None) -> str:
        """Where a copy of a file or folder is."""
        return copied(os.path.join(artifact_folder(run_id), path), dst_path)


# ---- of the module mlflow ----


@checked()
def search_runs(experiment_ids: Optional[Sequence[str]] = None, filter_string: str = "",
                run_view_type: int = ViewType.ACTIVE_ONLY, max_results: int = 100000,
                order_by: Optional[List[str]] = None, output_format: str = "pandas",
                search_all_experiments: bool = False,
                experiment_names: Optional[Sequence[str]] = None) -> Any:
    """A table of pandas, or a list."""
    if output_format not in ("pandas", "list"):
        raise BadCall(f"output_format is {output_format!r}", nearest(output_format,
                                                                   ["pandas", "list"]))
    there = experiments_in(_folder())
    numbers = [str(one) for one in experiment_ids or ()]
    numbers += [one.id for one in there
                if one.name in (experiment_names or ()) or search_all_experiments]
    if not numbers and experiment_names is None:
        numbers = [os.environ.get("MLFLOW_EXPERIMENT_ID") or "0"]
    found = MlflowClient().search_runs(numbers, filter_string, run_view_type, max_results, order_by)
    return found if output_format == "list" else _table(found)


def _table(runs: List[Run]) -> Any:
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise BadCall("search_runs() gives a table of pandas, which is not installed",
                      'search_runs(..., output_format="list") gives a list') from None
    names = ("run_id", "experiment_id", "status", "artifact_uri", "start_time", "end_time")
    columns: Dict[str, Any] = {name: [getattr(run.info, name) for run in runs] for name in names}
    for name in ("start_time", "end_time"):
        columns[name] = pandas.to_datetime(columns[name], unit="ms", utc=True)
    for kind, missing in (("metrics", float("nan")), ("params", None), ("tags", None)):
        for key in dict.fromkeys(key for run in runs for key in getattr(run.data, kind)):
            columns[f"{kind}.{key}"] = [getattr(run.data, kind).get(key, missing) for run in runs]
    return pandas.DataFrame(columns)
