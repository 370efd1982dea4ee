"""What MLflow's client gives: runs, their parts, and what their files say."""

import os
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .record import params_of, tags_of
from .tracking import STATES, Experiment, said_in_meta


class Metric(NamedTuple):
    """One value of a metric."""

    key: str
    value: float
    timestamp: int
    step: int = 0


class Param(NamedTuple):
    """A value that does not change."""

    key: str
    value: str


class RunTag(NamedTuple):
    """A word about a run."""

    key: str
    value: str


class FileInfo(NamedTuple):
    """An artifact, or a folder of them."""

    path: str
    is_dir: bool
    file_size: Optional[int]


class ViewType:
    """Which runs a search is for."""

    ACTIVE_ONLY, DELETED_ONLY, ALL = 1, 2, 3


class RunStatus:
    """States of a run."""

    RUNNING, SCHEDULED, FINISHED, FAILED, KILLED = 1, 2, 3, 4, 5


@dataclass
class RunInfo:
    """What a run is called, and where it is kept."""

    run_id: str
    run_name: str
    experiment_id: str
    status: str
    artifact_uri: str
    start_time: Optional[int] = None
    end_time: Optional[int] = None
    lifecycle_stage: str = "active"
    user_id: str = ""


@dataclass
class RunData:
    """What it has logged: of each metric, the last value."""

    metrics: Dict[str, float]
    params: Dict[str, str]
    tags: Dict[str, str]

    def to_dictionary(self) -> Dict[str, Any]:
        return asdict(self)


@dataclass
class Run:
    """A run as its files have it."""

    info: RunInfo
    data: RunData

    def to_dictionary(self) -> Dict[str, Any]:
        return asdict(self)


class PagedList(List[Any]):
    """What a search has found, and where the next page begins."""

    token: Optional[str] = None


@dataclass
class ExperimentInfo:
    """Runs that belong together."""

    experiment_id: str
    name: str
    artifact_location: str
    lifecycle_stage: str
    tags: Dict[str, str]


_NAMES = {number: name for name, number in (*STATES.items(), ("RUNNING", 1), ("SCHEDULED", 2))}


def _files(folder: str) -> Iterator[Tuple[str, str]]:
    """By names, which may have a / in them."""
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(place, name)
            yield os.path.relpath(path, folder), path


def history_of(folder: str, name: str) -> List[Metric]:
    """All values of a metric, in the order in which they were logged."""
    try:
        with open(os.path.join(folder, "metrics", name), encoding="utf-8") as file:
            lines = [line.split() for line in file]
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return []
    return [Metric(name, float(line[1]), int(line[0]), int(line[2]) if len(line) > 2 else 0)
            for line in lines if len(line) > 1]  # the last one may be half written


def metrics_of_run(folder: str) -> Dict[str, float]:
    """Last values: those of the greatest step, and of those the latest."""
    last = {}
    for name, _ in _files(os.path.join(folder, "metrics")):
        found = history_of(folder, name)
        if found:
            last[name] = max(found, key=lambda one: (one.step, one.timestamp, one.value)).value
    return last


def _time(text: Optional[str]) -> Optional[int]:
    return int(text) if text and text.isdigit() else None


def run_in(folder: str, name: str = "") -> Run:
    """That which the folder is of; `name`: what it is asked by, where that is another word."""
    said = said_in_meta(folder)
    info = RunInfo(run_id=name or said.get("run_id") or os.path.basename(folder),
                   run_name=said.get("run_name", ""),
                   experiment_id=said.get("experiment_id", "0"),
                   status=_NAMES.get(int(said.get("status") or 1), "RUNNING"),
                   artifact_uri="file://" + os.path.join(folder, "artifacts"),
                   start_time=_time(said.get("start_time")), end_time=_time(said.get("end_time")),
                   lifecycle_stage=said.get("lifecycle_stage", "active"),
                   user_id=said.get("user_id", ""))
    return Run(info, RunData(metrics_of_run(folder), params_of(folder), tags_of(folder)))


def experiment_in(folder: str, found: Experiment) -> ExperimentInfo:
    """That which is kept in the folder of all."""
    place = os.path.join(folder, found.id)
    said = said_in_meta(place)
    return ExperimentInfo(found.id, found.name, "file://" + os.path.abspath(place),
                          said.get("lifecycle_stage", "active"), tags_of(place))
