"""Run.get_context() and Experiment.start_logging(): the run that this program is, and its metrics.
"""

import json
import os
import shutil
import threading
import uuid
from types import SimpleNamespace
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .binary import BadCall
from .checked import Checked, checked, lacks, note
from .datasets import datasets_here
from .models import Model
from .named_files import copy_each, copy_named, open_named
from .own_files import usable
from .record import PARENT, TABLE, TEXTS, metrics_of, tags_of, uploads_of
from .run_files import file_called, whole_of
from .tracking import Store, checked_name, current_store, experiment_called, log_to, runs_in

_ENDED = {"Completed": "FINISHED", "Failed": "FAILED", "Canceled": "KILLED"}
_STATUS = {state: word for word, state in _ENDED.items()}
_CLOCK = 0.1  # seconds by which times of files may lag behind the clock
_NAMED = 5  # files that cannot be kept
_lock = threading.Lock()
_Source = Union[str, "os.PathLike[str]", IO[Any]]


class ContextRun(Checked):
    """What the SDK's Run is for the program that logs: metrics, files, tags."""

    IN_SDK = "Run"
    LACKS = lacks(accepted="parent", refused={
        "submit_child": "submit the job with an Experiment",
        "output_datasets": "muster has no datasets of outputs: give the script the path",
        "get_secret": "name the variable in secrets: of the job file, and read os.environ",
        "get_secrets": "name the variables in secrets: of the job file, and read os.environ"})

    def __init__(self, store: Optional[Store] = None, experiment: Any = None,
                 outputs: Optional[str] = None) -> None:
        self._store = store
        self._outputs = outputs  # a folder of which files are kept when the run ends
        self._steps: Dict[str, int] = {}  # of metrics that are logged without one
        self._texts: Dict[str, List[str]] = {}
        self._tables: Dict[str, List[str]] = {}
        self._tags: Dict[str, Any] = {}
        self._children: List["ContextRun"] = []
        self._status = _STATUS.get(store.state, "Running") if store else "Running"
        self.id = store.run if store else "OfflineRun"
        self.name = self.id
        self.number = 1
        self.experiment = experiment or SimpleNamespace(
            name=os.environ.get("AZUREML_EXPERIMENT_NAME", "experiment"), workspace=None)

    def __repr__(self) -> str:
        return f"Run({self.id!r})"

    # ---- metrics ----

    def _log(self, name: str, value: Any, step: Optional[int] = None) -> None:
        if isinstance(value, (str, bytes)):
            self._log_text(name, str(value))
            return
        if step is None:
            with _lock:
                step = self._steps.get(name, 0)
                self._steps[name] = step + 1
        log_to(self._store, name, value, int(step))

    def _log_text(self, name: str, text: str) -> None:
        with _lock:
            texts = self._texts.setdefault(checked_name(name), [])
            texts.append(text)
        if self._store is None:
            print(f"Attempted to log metric {name}:\n{text}", flush=True)
            return
        self._store.write("tags", TEXTS + name, json.dumps(texts))

    @checked(lacks(accepted="description"))
    def log(self, name: str, value: Any, description: str = "",
            step: Optional[int] = None) -> None:
        """One value of a metric; without a step, they are counted."""
        self._log(name, value, step)

    @checked(lacks(accepted="description"))
    def log_list(self, name: str, value: Sequence[Any], description: str = "") -> None:
        """Several values of a metric."""
        for one in value:
            self._log(name, one)

    def log_row(self, name: str, description: str = "", **kwargs: Any) -> None:
        """Values of metrics that belong together."""
        del description
        self._log_table(name, {column: [value] for column, value in kwargs.items()})

    @checked(lacks(accepted="description"))
    def log_table(self, name: str, value: Mapping[str, Any], description: str = "") -> None:
        """Columns of values, or of one value each."""
        self._log_table(name, {column: values if isinstance(values, (list, tuple)) else [values]
                               for column, values in value.items()})

    def _log_table(self, name: str, columns: Mapping[str, Sequence[Any]]) -> None:
        with _lock:
            known = self._tables.setdefault(checked_name(name), [])
            fresh = [column for column in columns if column not in known]
            known += fresh
        if fresh and self._store is not None:
            self._store.write("tags", TABLE + name, json.dumps(known))
        for column, values in columns.items():
            for value in values:
                self._log(f"{name}/{column}", value)

    @checked(lacks(accepted="description"))
    def log_image(self, name: str, path: Optional[str] = None, plot: Any = None,
                  description: str = "") -> None:
        """A picture's file, or a plot of matplotlib, which becomes one."""
        if (path is None) == (plot is None):
            raise BadCall("log_image() takes either path or plot", 'for example path="loss.png"')
        if self._store is None:
            return
        if plot is not None:
            picture = self._store.artifact(name + ".png")
            plot.savefig(picture)
            usable(picture)
            return
        self.upload_file(name + os.path.splitext(str(path))[1], str(path))

    def _log_as_file(self, name: str, value: Any) -> None:
        """What the SDK draws: kept as JSON."""
        if self._store is None:
            return
        with open_named(self._store.artifact(name + ".json"), "w") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))

    @checked(lacks(accepted="description"))
    def log_accuracy_table(self, name: str, value: Any, description: str = "") -> None:
        self._log_as_file(name, value)

    @checked(lacks(accepted="description"))
    def log_confusion_matrix(self, name: str, value: Any, description: str = "") -> None:
        self._log_as_file(name, value)

    @checked(lacks(accepted="description"))
    def log_predictions(self, name: str, value: Any, description: str = "") -> None:
        self._log_as_file(name, value)

    @checked(lacks(accepted="description"))
    def log_residuals(self, name: str, value: Any, description: str = "") -> None:
        self._log_as_file(name, value)

    @checked(lacks(accepted="recursive run_type populate"))
    def get_metrics(self, name: Optional[str] = None) -> Dict[str, Any]:
        """What this run has logged."""
        found = metrics_of([self._store.run_folder]) if self._store else {}
        return found if name is None else {one: found[one] for one in found if one == name}

    # ---- files ----

    @checked(lacks(accepted="datastore_name"))
    def upload_file(self, name: str, path_or_stream: _Source) -> Any:
        """Keeps a copy of it with the metrics."""
        if self._store is not None:
            path = self._store.artifact(name)
            if isinstance(path_or_stream, (str, os.PathLike)):
                copy_named(path_or_stream, path)
            else:
                data = path_or_stream.read()
                with open_named(path, "wb") as file:
                    file.write(data.encode() if isinstance(data, str) else data)
        return SimpleNamespace(serialize=lambda: {"name": name})

    @checked(lacks(accepted="return_artifacts timeout_seconds datastore_name"))
    def upload_files(self, names: Sequence[str], paths: Sequence[str]) -> None:
        """Several of them."""
        for name, path in zip(names, paths):
            self.upload_file(name, path)

    @checked(lacks(accepted="datastore_name"))
    def upload_folder(self, name: str, path: str) -> None:
        """All that is in it."""
        copy_each(path, lambda one, below: self.upload_file(f"{name}/{below}", one))

    def _files(self) -> Dict[str, str]:
        return uploads_of([self._store.run_folder]) if self._store else {}

    def _get_outputs_datapath(self) -> str:
        """The folder of the files that it keeps."""
        return os.path.abspath("outputs")

    def get_file_names(self) -> List[str]:
        """Those that it has uploaded."""
        return sorted(self._files())

    @checked(lacks(accepted="_validate_checksum"))
    def download_file(self, name: str, output_file_path: Optional[str] = None) -> None:
        """Copies it, by default to its own name in this folder."""
        copy_named(file_called(name, self._files(), "the run"),
                   output_file_path or os.path.basename(name))

    @checked(lacks(accepted="datasets sample_input_dataset sample_output_dataset "
                            "resource_configuration model_framework model_framework_version"))
    def register_model(self, model_name: str, model_path: Optional[str] = None,
                       tags: Optional[Dict[str, Any]] = None,
                       properties: Optional[Dict[str, Any]] = None,
                       description: Optional[str] = None) -> Model:
        """Keeps a file or folder that it has uploaded under a name."""
        whole = whole_of(model_path or "outputs", self._files(), "the run")
        return Model.register(None, whole, model_name, tags, properties, description)

    def take_snapshot(self, file_or_folder_path: str) -> None:
        """Nothing is kept of it."""
        note(f"Run.take_snapshot({file_or_folder_path!r}) has no effect here: upload_folder() "
             "keeps a copy")

    # ---- what it is ----

    @property
    def input_datasets(self) -> Dict[str, Any]:
        """Of the job: paths of files, and tables."""
        return datasets_here()

    def tag(self, key: str, value: Any = None) -> None:
        """A word about the run."""
        self._tags[key] = value
        if self._store is not None:
            self._store.write("tags", checked_name(key), "" if value is None else str(value))

    def set_tags(self, tags: Mapping[str, Any]) -> None:
        """Several of them."""
        for key, value in tags.items():
            self.tag(key, value)

    def get_tags(self) -> Dict[str, Any]:
        kept = tags_of(self._store.run_folder) if self._store else {}
        return {**{name: one for name, one in kept.items() if not name.startswith("mlflow.")},
                **self._tags}

    tags = property(get_tags)

    def add_properties(self, properties: Mapping[str, Any]) -> None:
        """Words that do not change."""
        self.set_tags(properties)

    def get_properties(self) -> Dict[str, Any]:
        """They are tags."""
        return self.get_tags()

    properties = property(get_properties)

    def get_status(self) -> str:
        """Running, Completed, Failed or Canceled."""
        return self._status

    status = property(get_status)

    def get_details(self) -> Dict[str, Any]:
        """What is known of it."""
        return {"runId": self.id, "status": self._status, "properties": self.get_properties(),
                "tags": self.get_tags()}

    def get_portal_url(self) -> str:
        """The folder of its metrics, as an address."""
        return "file://" + self._store.run_folder if self._store else ""

    @checked(lacks(accepted="timeout_seconds"))
    def flush(self, timeout_seconds: float = 300) -> None:
        """Everything has been written."""

    def _end(self, status: str) -> None:
        self._status = status
        if self._store is not None:
            self._keep_outputs(self._store)
            self._store.end(_ENDED[status])

    def _keep_outputs(self, store: Store) -> None:
        """What was written there since the run has begun."""
        folder, self._outputs = self._outputs, None

        def keep(path: str, name: str) -> None:
            if os.path.getmtime(path) + _CLOCK >= store.began / 1000:
                self.upload_file(f"outputs/{name}", path)

        try:
            if folder is not None and os.path.isdir(folder):
                copy_each(folder, keep)
        except shutil.Error as error:
            whys = [why for _, _, why in error.args[0]]
            more = f" and {len(whys) - _NAMED} more" if len(whys) > _NAMED else ""
            note(f"not kept from {folder}: {'; '.join(whys[:_NAMED])}{more}")

    @checked(lacks(accepted="_set_status"))
    def complete(self) -> None:
        """The files say so; the run ends with its program."""
        self._end("Completed")

    @checked(lacks(accepted="error_code _set_status"))
    def fail(self, error_details: Any = None) -> None:
        """The same of one that went wrong."""
        self._end("Failed")

    def cancel(self) -> None:
        """The same of one that is not wanted any more."""
        self._end("Canceled")

    def __enter__(self) -> "ContextRun":
        return self

    def __exit__(self, error: Optional[type], *_: object) -> None:
        if self._status == "Running":
            self._end("Completed" if error is None else "Failed")

    # ---- runs within it ----

    @checked(lacks(accepted="outputs"))
    def child_run(self, name: Optional[str] = None, run_id: Optional[str] = None) -> "ContextRun":
        """One that logs beside it."""
        store = None
        if self._store is not None:
            store = Store(self._store.folder, run_id or uuid.uuid4().hex, self._store.experiment)
            store.write("tags", PARENT, self._store.run)
        child = ContextRun(store, self.experiment)
        child.name = name or child.id
        self._children.append(child)
        return child

    @checked(lacks(accepted="tag_key tag_values"))
    def create_children(self, count: int = 1) -> List["ContextRun"]:
        """Several of them."""
        return [self.child_run() for _ in range(count)]

    @checked(lacks(accepted="recursive _rehydrate_runs"))
    def get_children(self) -> Iterator["ContextRun"]:
        """Those that this program has begun."""
        return iter(self._children)


def started_runs(folder: str, experiment: Any) -> List[Tuple[int, ContextRun]]:
    """Runs of programs themselves, with when they began (ms since 1970), the newest first."""
    stores = runs_in(folder, experiment_called(experiment.name))
    return [(one.began, ContextRun(one, experiment)) for one in stores
            if PARENT not in tags_of(one.run_folder)]


_contexts: Dict[str, ContextRun] = {}  # by runs


def this_run() -> ContextRun:
    """The one that this program is; asked for again, the same."""
    store = current_store()
    key = store.run_folder if store else ""
    with _lock:
        if key not in _contexts:
            _contexts[key] = ContextRun(store)
            _contexts[key].id = os.environ.get("AZUREML_RUN_ID") or _contexts[key].id
        return _contexts[key]
