"""Metrics of the program that runs here, as MLflow's file store keeps them; MLflow is not needed.

MLFLOW_TRACKING_URI names the folder, as it does for MLflow; muster sets it for the ranks of a job.
Without it, or if it names a server or the record of a run that was removed, metrics are printed.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import sys
import threading
import time
import uuid
from typing import IO, Any, Dict, Iterator, List, NamedTuple, Optional, Set
from urllib.parse import quote, unquote_to_bytes, urlparse

from .binary import BadCall
from .kinds import shortened
from .own_files import locked, make_folders, opener, replace, write_new
from .record import METRICS, logged_runs
from .registers import records_folder

_RUNNING, _FINISHED, _FAILED, _KILLED = 1, 3, 4, 5  # as its files have them
STATES = {"FINISHED": _FINISHED, "FAILED": _FAILED, "KILLED": _KILLED}
# A name is a file, a folder or a link already.
_TAKEN = (errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ELOOP)
# A run's name, of which no word that people begin with a date is taken for one.
_OF_RECORD = re.compile(r"(.*/\d{8}-\d{6}\.\d{3}-[a-z]{6})(?:/steps/[^/]+)*/" + METRICS, re.ASCII)
_NAME = re.compile(r"[\w\-. /:]{1,250}")
_RUN = re.compile(r"[a-zA-Z0-9][\w\-]{0,255}", re.ASCII)


class Experiment(NamedTuple):
    """Runs that belong together; its number is the name of its folder."""

    id: str
    name: str


DEFAULT = Experiment("0", "Default")


def experiment_called(name: str) -> Experiment:
    """All ranks, on any host, give it the same number."""
    if name == DEFAULT.name:
        return DEFAULT
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    return Experiment(str(int(digest, 16) % 10 ** 18).zfill(18), name)


class MlflowException(BadCall):
    """What MLflow itself would not have done."""


def tracking_uri() -> str:
    """As the environment has it."""
    return os.environ.get("MLFLOW_TRACKING_URI") or "file://" + os.path.abspath(METRICS)


def tracking_folder() -> Optional[str]:
    """That which MLFLOW_TRACKING_URI names."""
    uri = os.environ.get("MLFLOW_TRACKING_URI", "")
    parts = urlparse(uri)
    if not uri or parts.scheme not in ("", "file"):
        return None
    folder = os.fsdecode(unquote_to_bytes(parts.path)) if parts.scheme else uri
    if _has_gone(folder):
        _tell_gone(folder)
        return None
    return folder


_told_gone: Set[str] = set()


def _tell_gone(folder: str) -> None:
    """Once: somebody may have named it on purpose."""
    if folder in _told_gone:
        return
    _told_gone.add(folder)
    print(f"muster: MLFLOW_TRACKING_URI names {folder}, in the record of a run that was removed: "
          "metrics are printed and not kept; name another folder, or unset it",
          file=sys.stderr, flush=True)


def _has_gone(folder: str) -> bool:
    """Whether it lay in the record of a run that was removed; the variable has outlived it."""
    said = _OF_RECORD.fullmatch(os.path.abspath(folder))
    return said is not None and not os.path.isdir(said[1]) and not _is_under_way()


def _is_under_way() -> bool:
    """Whether this is a rank of a run: its host may not see the record."""
    report, _, inode = os.environ.get("MUSTER_REPORT_FILE", "").rpartition(":")
    try:
        return (os.path.exists(os.environ.get("MUSTER_HEAD", ""))
                or str(os.stat(report).st_ino) == inode)
    except OSError:
        return False


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


def _not_written(path: str, error: OSError) -> BadCall:
    hint = ("a name that is part of another one, as a of a/b, cannot be used"
            if error.errno in _TAKEN else "MLFLOW_TRACKING_URI names its folder")
    return BadCall(f"cannot write to {path}: {error.strerror}", hint)


def _open_for(path: str, mode: str) -> IO[bytes]:
    """With the folders above it. A name may not be a file and a folder at once, nor a link."""
    try:
        make_folders(os.path.dirname(path))
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        flags |= os.O_APPEND if mode == "ab" else os.O_TRUNC
        return os.fdopen(opener(path, flags), mode, buffering=0)
    except OSError as error:
        raise _not_written(path, error) from error


def said_in_meta(folder: str) -> Dict[str, str]:
    """Keys of its meta.yaml, which are texts and numbers; none, if there is no such file."""
    try:
        with open(os.path.join(folder, "meta.yaml"), encoding="utf-8") as file:
            pairs = [line.rstrip("\n").partition(": ") for line in file]
    except OSError:
        return {}
    return {key: _unquoted(value.strip()) for key, _, value in pairs}


def _unquoted(text: str) -> str:
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text.strip('"')
    return text[1:-1].replace("''", "'") if text.startswith("'") else text


def run_folder(run: str) -> str:
    """That of a run, or of what the first rank of a job has logged."""
    folder = tracking_folder()
    found = find_run(folder, run) if folder is not None else None
    if folder is not None and found is not None:
        return os.path.join(os.path.abspath(folder), found.id, run)
    job, _, step = run.partition("/")
    record = os.path.join(records_folder(), job, *(["steps", step] if step else []))
    logged = logged_runs(record) if job else []
    if logged:
        return logged[0]
    where = folder if folder is not None else "MLFLOW_TRACKING_URI, which names no folder"
    raise MlflowException(f"there is no run {run!r} in {where}",
                          "runs are called as start_run() has named them, or by their job's name")


def find_run(folder: str, run: str) -> Optional[Experiment]:
    """That which has the run."""
    for place, folders, _ in os.walk(folder):
        folders[:] = sorted(folders) if place == folder else []
        if place != folder and os.path.isfile(os.path.join(place, run, "meta.yaml")):
            return experiment_of(folder, os.path.basename(place))
    return None


def experiment_of(folder: str, number: str) -> Optional[Experiment]:
    """The experiment of that number, if it is there."""
    said = said_in_meta(os.path.join(folder, number))
    return Experiment(number, said.get("name") or number) if said else None


def experiments_in(folder: str) -> List[Experiment]:
    """Those that are kept there."""
    try:
        numbers = sorted(os.listdir(folder))
    except OSError:
        return []
    return [found for found in (experiment_of(folder, number) for number in numbers) if found]


def runs_in(folder: str, experiment: Experiment) -> List["Store"]:
    """Those of an experiment, the newest first."""
    above = os.path.join(os.path.abspath(folder), experiment.id)
    try:
        names = [name for name in os.listdir(above)
                 if os.path.isfile(os.path.join(above, name, "meta.yaml"))]
    except OSError:
        names = []
    return sorted((Store(folder, name, experiment) for name in names),
                  key=lambda one: (one.began, one.run), reverse=True)


class Store:
    """The folder of one run: MLflow reads it like one of its own."""

    def __init__(self, folder: str, run: Optional[str] = None,
                 experiment: Experiment = DEFAULT) -> None:
        self._run = run or _run_name()
        self.experiment = experiment
        above = os.path.join(os.path.abspath(folder), experiment.id)
        self.describe(folder, experiment)
        self._folder = os.path.join(above, self._run)
        self._began = int(time.time() * 1000)
        self._name = self._run[:8]
        self._status, self._ended, self._stage = _RUNNING, "null", "active"
        for below in ("metrics", "params", "tags", "artifacts"):
            make_folders(os.path.join(self._folder, below))
        self._go_on(said_in_meta(self._folder))
        write_new(os.path.join(self._folder, "meta.yaml"), self._meta())
        for key, value in _context().items():
            self.write("tags", checked_name(key), value)

    @staticmethod
    def describe(folder: str, experiment: Experiment) -> bool:
        """Makes the folder of an experiment, with what MLflow wants to know of it; False: it is
        there."""
        above = os.path.join(os.path.abspath(folder), experiment.id)
        make_folders(above)
        now = int(time.time() * 1000)
        return write_new(os.path.join(above, "meta.yaml"),
                         f"artifact_location: {_uri(above)}\ncreation_time: {now}\n"
                         f"experiment_id: '{experiment.id}'\nlast_update_time: {now}\n"
                         f"lifecycle_stage: active\nname: {json.dumps(experiment.name)}\n")

    def _go_on(self, said: Dict[str, str]) -> None:
        """With a run that has begun before."""
        self._name = said.get("run_name") or self._name
        self._began = int(said.get("start_time") or self._began)
        self._status = int(said.get("status") or self._status)
        self._ended = said.get("end_time") or self._ended
        self._stage = said.get("lifecycle_stage") or self._stage

    def _meta(self) -> str:
        return (f"artifact_uri: {_uri(self._folder + '/artifacts')}\nend_time: {self._ended}\n"
                f"entry_point_name: ''\nexperiment_id: '{self.experiment.id}'\n"
                f"lifecycle_stage: {self._stage}\nrun_id: {self._run}\n"
                f"run_name: {json.dumps(self._name)}\n"
                f"run_uuid: {self._run}\nsource_name: ''\nsource_type: 4\nsource_version: ''\n"
                f"start_time: {self._began}\nstatus: {self._status}\ntags: []\nuser_id: ''\n")

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """For what is changed of meta.yaml: what other processes have changed since stays."""
        path = os.path.join(self._folder, "meta.yaml")
        with locked(path + ".lock"):
            self._go_on(said_in_meta(self._folder))
            yield
            replace(path, self._meta())

    def call(self, name: str) -> None:
        """What people call it."""
        self.write("tags", "mlflow.runName", name)
        with self._changing():
            self._name = name

    def resume(self) -> None:
        """It goes on."""
        with self._changing():
            self._status, self._ended = _RUNNING, "null"

    def delete(self, is_gone: bool = True) -> None:
        """Searches do not find it any more, or find it again; its files stay."""
        with self._changing():
            self._stage = "deleted" if is_gone else "active"

    @property
    def name(self) -> str:
        """What people call it."""
        return self._name

    @property
    def run(self) -> str:
        """Its name."""
        return self._run

    @property
    def began(self) -> int:
        """In milliseconds since 1970."""
        return self._began

    @property
    def state(self) -> str:
        """One of STATES, or RUNNING."""
        return next((name for name, one in STATES.items() if one == self._status), "RUNNING")

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
        """FINISHED, FAILED or KILLED; more may be logged nevertheless."""
        with self._changing():
            self._status, self._ended = STATES[status], str(int(time.time() * 1000))

    def artifact(self, name: str) -> str:
        """Where a file of this name is to be; the folders above it are there."""
        path = os.path.join(self._folder, "artifacts", checked_name(name))
        make_folders(os.path.dirname(path))
        return path

    def param(self, name: str, text: str) -> None:
        """A parameter has one value."""
        path = os.path.join(self._folder, "params", checked_name(name))
        try:
            make_folders(os.path.dirname(path))
            if write_new(path, text, self._folder):
                return
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                known = file.read()
        except OSError as error:
            raise _not_written(path, error) from error
        if known != text:
            raise MlflowException(
                f"the parameter {name!r} is {known!r} already, and cannot become {text!r}",
                "a parameter has one value in a run: log what changes with log_metric(), or "
                "begin a run within the run: start_run(nested=True)")

    def forget_tag(self, name: str) -> None:
        try:
            os.remove(os.path.join(self._folder, "tags", checked_name(name)))
        except FileNotFoundError:
            raise MlflowException(f"the run has no tag {name!r}",
                                  "delete_tag() removes one that was set") from None

    def write(self, kind: str, name: str, text: str) -> None:
        """A parameter or a tag."""
        with _open_for(os.path.join(self._folder, kind, name), "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))


_lock = threading.Lock()
_stores: Dict[str, Store] = {}  # by folders


def chosen_experiment() -> Experiment:
    """That of set_experiment(), which is handed on to other processes in this way, too."""
    folder, number = tracking_folder(), os.environ.get("MLFLOW_EXPERIMENT_ID")
    if folder is not None and number:
        return experiment_of(folder, number) or DEFAULT
    name = os.environ.get("MLFLOW_EXPERIMENT_NAME")
    return experiment_called(name) if name else DEFAULT


def current_store() -> Optional[Store]:
    """Of the run that this program is."""
    folder = tracking_folder()
    if folder is None:
        return None
    with _lock:
        if folder not in _stores:
            _stores[folder] = Store(folder, experiment=chosen_experiment())
        return _stores[folder]


def _number(name: str, value: Any) -> float:
    """Arrays of one number are numbers, too."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadCall(f"the metric {name!r} is {shortened(value)}, which is not a number",
                      "a metric has numbers; set_tag() and log_param() keep text") from None


def log_to(store: Optional[Store], name: str, value: Any, step: int,
           timestamp: Optional[int] = None) -> None:
    """One value of a metric; printed where it is not kept."""
    number = _number(name, value)
    fine = checked_name(name)
    if store is None:
        print(f"Attempted to log scalar metric {fine}:\n{number}", flush=True)
        return
    when = int(time.time() * 1000) if timestamp is None else timestamp
    store.append(fine, f"{when} {number} {step}\n")
