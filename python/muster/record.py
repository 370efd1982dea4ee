"""What a run's record holds: the metrics and the files of its processes, and what was noted later.
"""

import json
import os
from typing import Any, Dict, Iterator, List, Mapping, Tuple

from .own_files import locked, replace

# Of a run that its program has logged to; MLflow reads it, too.
METRICS = "mlruns"
# Tags of such a run, which MLflow's file store has no better place for.
TEXTS, TABLE = "muster.texts.", "muster.table."
PARENT = "mlflow.parentRunId"  # MLflow's own, of a run within another one
_NOTES = "notes.json"


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _below(folder: str) -> Iterator[Tuple[str, str]]:
    """Files by their names there, in order."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            yield os.path.relpath(path, folder), path


def _rank_of(run: str) -> int:
    try:
        return int(_text(os.path.join(run, "tags", "muster.rank")))
    except (OSError, ValueError):
        return 0


def logged_runs(record: str) -> List[str]:
    """Folders of what its processes have logged, those of the first ranks first; not those of
    runs within them."""
    experiments = os.path.join(record, METRICS)
    found = [os.path.dirname(path) for name, path in _below(experiments)
             if os.path.basename(name) == "meta.yaml" and name.count(os.sep) == 2]
    found = [run for run in found if not os.path.exists(os.path.join(run, "tags", PARENT))]
    return sorted(found, key=lambda run: (_rank_of(run), run))


def _number(text: str) -> Any:
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2 ** 53 else number


def _values(path: str) -> List[Any]:
    """Lines are TIME VALUE STEP; the last one may be half written."""
    lines = [line.split() for line in _text(path).splitlines()]
    return [_number(line[1]) for line in lines if len(line) >= 2]


def metrics_in(record: str) -> Dict[str, Any]:
    """Those of all its processes."""
    return metrics_of(logged_runs(record))


def metrics_of(runs: List[str]) -> Dict[str, Any]:
    """As the SDK has them: one value, or a list; tables are dictionaries of their columns."""
    found: Dict[str, List[Any]] = {}
    tables: Dict[str, List[str]] = {}
    for run in runs:
        for name, path in _below(os.path.join(run, "metrics")):
            found.setdefault(name, []).extend(_values(path))
        for name, path in _below(os.path.join(run, "tags")):
            if name.startswith(TEXTS):
                found.setdefault(name[len(TEXTS):], []).extend(json.loads(_text(path)))
            if name.startswith(TABLE):
                tables[name[len(TABLE):]] = json.loads(_text(path))
    metrics = {name: values[0] if len(values) == 1 else values
               for name, values in found.items() if values}
    for name, columns in tables.items():
        metrics[name] = {column: metrics.pop(f"{name}/{column}") for column in columns
                         if f"{name}/{column}" in metrics}
    return metrics


def params_of(run: str) -> Dict[str, str]:
    """Values by names."""
    return {name: _text(path) for name, path in _below(os.path.join(run, "params"))}


def tags_of(run: str) -> Dict[str, str]:
    """But for those that only muster reads."""
    return {name: _text(path) for name, path in _below(os.path.join(run, "tags"))
            if not name.startswith((TEXTS, TABLE))}


def uploads_of(runs: List[str]) -> Dict[str, str]:
    """Where files are that were uploaded, by their names."""
    return {name: path for run in runs for name, path in _below(os.path.join(run, "artifacts"))}


def files_in(record: str, code: str) -> Dict[str, str]:
    """Where files are, by the names that the SDK has for them: outputs/, logs/, and uploads."""
    files: Dict[str, str] = {}
    for kind in ("outputs", "logs"):
        for folder in (os.path.join(record, kind), os.path.join(code, kind) if code else ""):
            files.update((f"{kind}/{name}", path) for name, path in _below(folder))
    files.update(uploads_of(logged_runs(record)))
    streams = os.path.join(record, "streams")
    files.update((f"streams/{name}", path) for name, path in _below(streams))
    return dict(sorted(files.items()))


def job_text_of(record: str) -> str:
    """The job file that the run was asked for with; one that a program described is JSON."""
    try:
        asked = json.loads(_text(os.path.join(record, "spec.json"))).get("asked") or {}
        return str(asked["files"][0]["text"])
    except (OSError, ValueError, LookupError):
        return ""


def notes_of(record: str) -> Dict[str, Dict[str, str]]:
    """Tags and properties that a program has given to the run after its start."""
    try:
        notes = json.loads(_text(os.path.join(record, _NOTES)))
    except (OSError, ValueError):
        notes = {}
    return {"tags": notes.get("tags", {}), "properties": notes.get("properties", {})}


def add_notes(record: str, kind: str, said: Mapping[str, str]) -> None:
    """More tags, or properties; of several programs that add some, each adds its own."""
    with locked(os.path.join(record, "notes.lock")):
        notes = notes_of(record)
        notes[kind].update(said)
        replace(os.path.join(record, _NOTES), json.dumps(notes))
