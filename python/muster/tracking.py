"""Metrics of the program that runs here, as MLflow's file store keeps them; MLflow is not needed.

MLFLOW_TRACKING_URI names the folder, as it does for MLflow; muster sets it for the trials of a
sweep. Without it, or if it names a server, metrics are printed.
"""

import errno
import json
import os
import re
import threading
import time
import uuid
from types import SimpleNamespace
from typing import IO, Any, Dict, List, Mapping, Optional
from urllib.parse import quote, unquote_to_bytes, urlparse

from .binary import BadCall
from .checked import checked, lacks, nearest, note
from .kinds import shortened

_EXPERIMENT = "0"  # MLflow's default one
_RUNNING, _FINISHED, _FAILED, _KILLED = 1, 3, 4, 5  # as its files have them
_STATES = {"FINISHED": _FINISHED, "FAILED": _FAILED, "KILLED": _KILLED}
# A name is a file, a folder or a link already.
_TAKEN = (errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ELOOP)
_NAME = re.compile(r"[\w\-. /:]{1,250}")
_RUN = re.compile(r"[a-zA-Z0-9][\w\-]{0,255}", re.ASCII)


def tracking_folder() -> Optional[str]:
    """That which MLFLOW_TRACKING_URI names."""
    uri = os.environ.get("MLFLOW_TRACKING_URI", "")
    parts = urlparse(uri)
    if not uri or parts.scheme not in ("", "file"):
        return None
    return os.fsdecode(unquote_to_bytes(parts.path)) if parts.scheme else uri


def checked_name(name: object) -> str:
    """MLflow's rule for names, which become paths."""
    if (not isinstance(name, str) or not _NAME.fullmatch(name)
            or any(part in ("", ".", "..") for part in name.split("/"))):
        raise BadCall(f"{name!r} is not a name for a metric or a parameter",
                      "it has letters, digits, blanks and _ - . : only, and / between such parts")
    return name


def _uri(path: str) -> str:
    """As a text of YAML."""
    return json.dumps("file://" + quote(os.fsencode(path)))


def _run_name() -> str:
    """MLflow's rule, too: it becomes a folder."""
    name = os.environ.get("MLFLOW_RUN_ID") or uuid.uuid4().hex
    if not _RUN.fullmatch(name):
        raise BadCall(f"MLFLOW_RUN_ID is {name!r}, which is not the name of a run",
                      "it has letters, digits, _ and - only")
    return name


def _context() -> Dict[str, str]:
    """Tags that MLflow gives each run from the environment; muster says there which rank it is."""
    try:
        told = json.loads(os.environ.get("MLFLOW_RUN_CONTEXT", "{}"))
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in told.items()} if isinstance(told, dict) else {}


def _open_for(path: str, mode: str) -> IO[bytes]:
    """With the folders above it. A name may not be a file and a folder at once, nor a link."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        flags |= os.O_APPEND if mode == "ab" else os.O_TRUNC
        return os.fdopen(os.open(path, flags, 0o666), mode, buffering=0)
    except OSError as error:
        hint = ("a name that is part of another one, as a of a/b, cannot be used"
                if error.errno in _TAKEN else "MLFLOW_TRACKING_URI names its folder")
        raise BadCall(f"cannot write to {path}: {error.strerror}", hint) from error


def _write_new(path: str, text: str) -> None:
    """Nothing happens if it is there."""
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        pass


class Store:
    """The folder of one run: MLflow reads it like one of its own."""

    def __init__(self, folder: str, run: Optional[str] = None) -> None:
        self._run = run or _run_name()
        experiment = os.path.join(os.path.abspath(folder), _EXPERIMENT)
        self._folder = os.path.join(experiment, self._run)
        self._began = int(time.time() * 1000)
        self._name = self._run[:8]
        for below in ("metrics", "params", "tags", "artifacts"):
            os.makedirs(os.path.join(self._folder, below), exist_ok=True)
        now = self._began
        _write_new(os.path.join(experiment, "meta.yaml"),
                   f"artifact_location: {_uri(experiment)}\ncreation_time: {now}\n"
                   f"experiment_id: '{_EXPERIMENT}'\nlast_update_time: {now}\n"
                   "lifecycle_stage: active\nname: Default\n")
        _write_new(os.path.join(self._folder, "meta.yaml"), self._meta(_RUNNING))
        for key, value in _context().items():
            self.write("tags", checked_name(key), value)

    def _meta(self, status: int) -> str:
        end = "null" if status == _RUNNING else str(int(time.time() * 1000))
        return (f"artifact_uri: {_uri(self._folder + '/artifacts')}\nend_time: {end}\n"
                f"entry_point_name: ''\nexperiment_id: '{_EXPERIMENT}'\n"
                f"lifecycle_stage: active\nrun_id: {self._run}\n"
                f"run_name: {json.dumps(self._name)}\n"
                f"run_uuid: {self._run}\nsource_name: ''\nsource_type: 4\nsource_version: ''\n"
                f"start_time: {self._began}\nstatus: {status}\ntags: []\nuser_id: ''\n")

    def _rewrite(self, status: int) -> None:
        """Readers see the old text or the new one."""
        path = os.path.join(self._folder, "meta.yaml")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(self._meta(status))
        os.replace(path + ".new", path)

    def call(self, name: str) -> None:
        """What people call it."""
        self._name = name
        self.write("tags", "mlflow.runName", name)
        self._rewrite(_RUNNING)

    def finish(self, status: int) -> None:
        """It has ended; more may be logged nevertheless."""
        self._rewrite(status)

    @property
    def run(self) -> str:
        """Its name."""
        return self._run

    def append(self, name: str, line: str) -> None:
        """One more line of a metric, written at once."""
        with _open_for(os.path.join(self._folder, "metrics", name), "ab") as file:
            file.write(line.encode())

    @property
    def folder(self) -> str:
        """That which the experiment is in."""
        return os.path.dirname(os.path.dirname(self._folder))

    @property
    def run_folder(self) -> str:
        """Its own."""
        return self._folder

    def end(self, status: str) -> None:
        """FINISHED, FAILED or KILLED."""
        self.finish(_STATES[status])

    def artifact(self, name: str) -> str:
        """Where a file of this name is to be; the folders above it are there."""
        path = os.path.join(self._folder, "artifacts", checked_name(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, kind: str, name: str, text: str) -> None:
        """A parameter or a tag."""
        with _open_for(os.path.join(self._folder, kind, name), "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))


_lock = threading.Lock()
_stores: Dict[str, Store] = {}  # by folders


def current_store() -> Optional[Store]:
    folder = tracking_folder()
    if folder is None:
        return None
    with _lock:
        if folder not in _stores:
            _stores[folder] = Store(folder)
        return _stores[folder]


def _number(name: str, value: Any) -> float:
    """Arrays of one number are numbers, too."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadCall(f"the metric {name!r} is {shortened(value)}, which is not a number",
                      "a metric has numbers; set_tag() and log_param() keep text") from None


def log_to(store: Optional[Store], name: str, value: Any, step: int) -> None:
    """One value of a metric; printed where it is not kept."""
    number = _number(name, value)
    fine = checked_name(name)
    if store is None:
        print(f"Attempted to log scalar metric {fine}:\n{number}", flush=True)
        return
    store.append(fine, f"{int(time.time() * 1000)} {number} {step}\n")


# ---- MLflow's names ----

_ONE_RUN = "here a program has one run; MLflow itself can be used in a job, too"
_OF_A_RUN = lacks(no_effect="timestamp synchronous dataset model_id",
                  refused={"run_id": _ONE_RUN})


class ActiveRun:
    """What start_run() gives: a block in which metrics are logged."""

    @property
    def info(self) -> Any:
        """Its run_id, if it is kept anywhere."""
        store = current_store()
        return SimpleNamespace(run_id=store.run if store else "")

    def __enter__(self) -> "ActiveRun":
        return self

    def __exit__(self, error: Optional[type], *_: object) -> None:
        end_run("FINISHED" if error is None else "FAILED")


@checked(lacks(accepted="log_system_metrics", no_effect="experiment_id",
               refused={"run_id": _ONE_RUN, "nested": _ONE_RUN, "parent_run_id": _ONE_RUN}))
def start_run(*, run_name: Optional[str] = None, tags: Optional[Mapping[str, Any]] = None,
              description: Optional[str] = None) -> ActiveRun:
    """The program has one run, which begins with the first metric."""
    set_tags(tags or {})
    store = current_store()
    if run_name is not None and store is not None:
        store.call(run_name)
    if description is not None:
        set_tag("mlflow.note.content", description)
    return ActiveRun()


@checked()
def end_run(status: str = "FINISHED") -> None:
    """The files say so."""
    if status not in _STATES:
        raise BadCall(f"status is {status!r}", nearest(status, list(_STATES)))
    store = current_store()
    if store is not None:
        store.finish(_STATES[status])


@checked(_OF_A_RUN)
def log_metric(key: str, value: Any, step: Optional[int] = None) -> None:
    """One value of a metric."""
    log_to(current_store(), key, value, 0 if step is None else int(step))


@checked(_OF_A_RUN)
def log_metrics(metrics: Mapping[str, Any], step: Optional[int] = None) -> None:
    """One value of each."""
    for key, value in metrics.items():
        log_metric(key, value, step)


@checked(_OF_A_RUN)
def log_param(key: str, value: Any) -> Any:
    """A value that does not change."""
    store = current_store()
    if store is not None:
        store.write("params", checked_name(key), str(value))
    return value


@checked(_OF_A_RUN)
def log_params(params: Mapping[str, Any]) -> None:
    """Several of them."""
    for key, value in params.items():
        log_param(key, value)


@checked(_OF_A_RUN)
def set_tag(key: str, value: Any) -> None:
    """A word about the run."""
    store = current_store()
    if store is not None:
        store.write("tags", checked_name(key), str(value))


@checked(_OF_A_RUN)
def set_tags(tags: Mapping[str, Any]) -> None:
    """Several of them."""
    for key, value in tags.items():
        set_tag(key, value)


def autolog(**_: Any) -> None:
    """Only MLflow itself can do this."""
    note("mlflow.autolog() has no effect here: it needs MLflow itself")
