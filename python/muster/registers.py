"""What Azure ML keeps by name and version, kept beside the records of this machine's runs."""

import contextlib
import json
import os
import re
import sys
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Type

from .own_files import close_to_own_group, is_own_folder, locked, make_folders, replace, write_new
from .sdk_errors import ResourceNotFoundError

_NAMED = re.compile(r"(?:azureml:)?(?!//)([^:@/]+)(?::([^:@/]+)|@latest)?")

_told: Set[str] = set()


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
        self._above = os.path.join(records_folder(), ".registered")
        self._folder = os.path.join(self._above, kind)

    def _not_own(self) -> str:
        """Where another user may have put something beside the records, as muster says it."""
        close_to_own_group(self._above)
        is_own = (is_own_folder(records_folder()) or is_own_folder(self._above)
                  or not os.path.lexists(self._above))
        return "" if is_own else f"{self._above} is not a folder of yours alone"

    def _is_read(self) -> bool:
        wrong = self._not_own()
        if wrong and wrong not in _told:
            _told.add(wrong)
            print(f"muster: {wrong}, so its names are not used", file=sys.stderr,
                  flush=True)
        return not wrong

    def _must_be_own(self) -> None:
        wrong = self._not_own()
        if wrong:
            raise self._error(f"nothing can be registered here: {wrong}",
                              "set MUSTER_RECORDS to a folder of your own")

    def _versions(self, name: str) -> List[str]:
        if not self._is_read():
            return []
        try:
            found = [one[:-5] for one in os.listdir(os.path.join(self._folder, _safe(name)))
                     if one.endswith(".json")]
        except OSError:
            return []
        return sorted(found, key=_order)

    def names(self) -> List[str]:
        if not self._is_read():
            return []
        try:
            found = sorted(os.listdir(self._folder))
        except OSError:
            return []
        return [one for one in found if self._versions(one)]  # others are being made, or removed

    def put(self, name: str, version: Optional[str], said: Dict[str, Any]) -> str:
        """The version under which it is kept: without one, the next number."""
        if version:
            with self._alone():
                self._replace(name, str(version), said)
            return str(version)
        while True:
            versions = self._versions(name)
            found = self.add(name, versions[-1] if versions else None, said)
            if found is not None:
                return found

    def add(self, name: str, latest: Optional[str], said: Dict[str, Any]) -> Optional[str]:
        """The version that follows `latest`, under which it is kept; None: that is there already,
        since another program was faster."""
        version = str(int(latest) + 1) if latest is not None and latest.isdigit() else "1"
        text = json.dumps(said)
        return version if self._write(name, lambda: write_new(
            self._file(name, version), text, self._above)) else None

    def change(self, name: str, version: str, changed: Callable[[Dict[str, Any]], Dict[str, Any]]
               ) -> None:
        """Keeps what `changed` makes of what was said of that version."""
        with self._alone():
            self._replace(name, version, changed(self.get(name, version)[1]))

    def _replace(self, name: str, version: str, said: Dict[str, Any]) -> None:
        text = json.dumps(said)

        def write() -> bool:
            replace(self._file(name, version), text, self._above)
            return True
        self._write(name, write)

    def _write(self, name: str, write: Callable[[], bool]) -> bool:
        """With the folder of the name, which remove() may take away meanwhile."""
        self._must_be_own()
        while True:
            make_folders(self._folder, 0o700)
            make_folders(os.path.join(self._folder, _safe(name)), 0o700)
            try:
                return write()
            except FileNotFoundError:
                continue

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """For whoever replaces a version, which others may have read to change it."""
        self._must_be_own()
        make_folders(self._above, 0o700)
        with locked(self._folder + ".lock"):
            yield

    def _file(self, name: str, version: str) -> str:
        return os.path.join(self._folder, _safe(name), _safe(version) + ".json")

    def find(self, name: str, version: Optional[str] = None
             ) -> Optional[Tuple[str, Dict[str, Any]]]:
        """Its version, the latest unless one is asked for, and what was said."""
        for one in reversed(self._versions(name)):
            if version and one != str(version):
                continue
            with contextlib.suppress(FileNotFoundError):  # another program has just removed it
                with open(self._file(name, one), encoding="utf-8") as file:
                    return one, json.load(file)
        return None

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
                found = self.find(one, version)
                if found is not None:
                    yield (one, *found)

    def newest(self) -> Iterator[Tuple[str, str, Dict[str, Any]]]:
        """The same of the latest of each name; one that goes meanwhile is left out."""
        for one in self.names():
            found = self.find(one)
            if found is not None:
                yield (one, *found)

    def remove(self, name: str, version: Optional[str] = None) -> None:
        """One version, or all."""
        versions = self._versions(name)
        if not versions or version not in (None, *versions):
            raise self.unknown(name, version)
        for one in versions if version is None else [version]:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self._file(name, one))
        with contextlib.suppress(OSError):  # it has other versions
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
