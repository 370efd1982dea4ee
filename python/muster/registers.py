"""What Azure ML keeps by name and version, kept beside the records of this machine's runs."""

import json
import os
import re
from typing import Any, Dict, Iterator, List, Optional, Tuple, Type

from .sdk_errors import ResourceNotFoundError

_NAMED = re.compile(r"(?:azureml:)?(?!//)([^:@/]+)(?::([^:@/]+)|@latest)?")


def records_folder() -> str:
    """Where records lie: see docs/RECORD.md."""
    said = os.environ.get("MUSTER_RECORDS")
    if said:
        return os.path.abspath(said)
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(state, "muster", "runs")


class Register:
    """Things of one kind; of each version, a file with what a program said of it."""

    def __init__(self, kind: str,
                 error: Type[ResourceNotFoundError] = ResourceNotFoundError) -> None:
        self.kind = kind
        self._error = error  # about a name that is not there
        # No record has a name that begins with a dot.
        self._folder = os.path.join(records_folder(), ".registered", kind)

    def _versions(self, name: str) -> List[str]:
        try:
            found = [one[:-5] for one in os.listdir(os.path.join(self._folder, _safe(name)))
                     if one.endswith(".json")]
        except OSError:
            return []
        return sorted(found, key=_order)

    def names(self) -> List[str]:
        try:
            return sorted(os.listdir(self._folder))
        except OSError:
            return []

    def put(self, name: str, version: Optional[str], said: Dict[str, Any]) -> str:
        """The version under which it is kept: without one, the next number."""
        versions = self._versions(name)
        numbers = [int(one) for one in versions if one.isdigit()]
        version = str(version) if version else str(max(numbers, default=0) + 1)
        folder = os.path.join(self._folder, _safe(name))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, _safe(version) + ".json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(said, file)
        os.replace(path + ".new", path)
        return version

    def find(self, name: str, version: Optional[str] = None
             ) -> Optional[Tuple[str, Dict[str, Any]]]:
        """Its version, the latest unless one is asked for, and what was said."""
        versions = self._versions(name)
        wanted = str(version) if version else versions[-1] if versions else None
        if wanted not in versions:
            return None
        path = os.path.join(self._folder, _safe(name), _safe(str(wanted)) + ".json")
        with open(path, encoding="utf-8") as file:
            return str(wanted), json.load(file)

    def get(self, name: str, version: Optional[str] = None) -> Tuple[str, Dict[str, Any]]:
        found = self.find(name, version)
        if found is None:
            raise self.unknown(name, version)
        return found

    def unknown(self, name: str, version: Optional[str]) -> ResourceNotFoundError:
        known = ", ".join(self.names()) or "none"
        key = "data" if self.kind == "models" else self.kind  # of muster.yml
        return self._error(
            f"no {self.kind.rstrip('s')} {name!r}{f' of version {version!r}' if version else ''} "
            "is known here",
            f"muster.yml and --set {key}.{name}=... can say what it is; this machine's "
            f"programs have registered: {known}")

    def all(self, name: Optional[str] = None) -> Iterator[Tuple[str, str, Dict[str, Any]]]:
        """Name, version and what was said."""
        for one in self.names() if name is None else [name]:
            for version in reversed(self._versions(one)):
                yield (one, *self.get(one, version))

    def remove(self, name: str, version: Optional[str] = None) -> None:
        """One version, or all."""
        versions = self._versions(name)
        if not versions or version not in (None, *versions):
            raise self.unknown(name, version)
        for one in versions if version is None else [version]:
            os.remove(os.path.join(self._folder, _safe(name), _safe(one) + ".json"))
        if not self._versions(name):
            os.rmdir(os.path.join(self._folder, _safe(name)))

    def named_by(self, text: str) -> Optional[Tuple[str, Dict[str, Any]]]:
        """What azureml:NAME:VERSION, NAME:VERSION or NAME@latest stands for, if it is here."""
        told = _NAMED.fullmatch(text)
        return None if told is None else self.find(told[1], told[2])


def _safe(name: str) -> str:
    """As the name of a file."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "_"


def _order(version: str) -> Tuple[int, str]:
    return (int(version) if version.isdigit() else -1, version)


def path_of_asset(path: str) -> str:
    """A file or folder here, for an address of Azure ML that names one; others stay as they are."""
    told = re.fullmatch(r"(?:azureml://jobs/|runs:/)([^/]+(?:/trial_\d+)?)"
                        r"(?:/outputs/([^/]+)(?:/paths)?)?/?(.*)", path)
    if told is not None:
        return _of_run(told[1], told[2], told[3].rstrip("/"))
    for kind in ("data", "models"):
        found = Register(kind).named_by(path) if path.startswith("azureml:") else None
        if found is not None:
            return str(found[1]["path"])
    return path


def _of_run(run: str, output: Optional[str], below: str) -> str:
    """Where a run has put it: an output of that name, else what lies below its code."""
    pipeline, _, step = run.partition("/")
    record = os.path.join(records_folder(), pipeline, *(["steps", step] if step else []))
    bases = [record, os.path.join(record, "code")]
    if output is not None:
        bases.insert(0, os.path.join(record, "outputs", output))
    found = [os.path.join(base, below) for base in bases]
    return next((one for one in found if os.path.exists(one)), found[0])
