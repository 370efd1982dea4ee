"""SDK v1's datastores: folders of this machine, each with a name, and what jobs read from them."""

import fnmatch
import hashlib
import json
import os
import re
import shutil
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .binary import BadCall
from .checked import Checked, checked, lacks
from .shell_words import Expression

_DEFAULT = "workspaceblobstore"
_Path = Union[str, "os.PathLike[str]"]


def datastores_folder() -> str:
    """Where the folders of all datastores lie: data outlives the records of runs."""
    said = os.environ.get("MUSTER_DATASTORES")
    if said:
        return os.path.abspath(said)
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(data, "muster", "datastores")


def files_below(folder: str) -> Iterator[str]:
    """Their paths in it, in order."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield os.path.relpath(os.path.join(place, name), folder)


def _same(one: str, other: str) -> bool:
    if os.path.getsize(one) != os.path.getsize(other):
        return False
    with open(one, "rb") as left, open(other, "rb") as right:
        while True:
            block = left.read(1 << 20)
            if block != right.read(1 << 20):
                return False
            if not block:
                return True


def copy_all(pairs: Sequence[Tuple[str, str]], overwrite: bool) -> int:
    """Copies files to paths; what is there already stays, unless it may be replaced."""
    for source, target in pairs:
        if not os.path.isfile(source):
            raise BadCall(f"there is no file {source!r}", "it is copied from this machine")
        is_other = os.path.exists(target) and not (os.path.isfile(target) and _same(source, target))
        if is_other and not overwrite:
            raise BadCall(f"{target} is there already, with something else in it",
                          "use overwrite=True, or another target path")
    for source, target in pairs:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not (os.path.exists(target) and os.path.samefile(source, target)):
            shutil.copyfile(source, target)
    return len(pairs)


class DataInput(Checked):
    """Files that a job reads: an input of it, with a name, and an argument of its script."""

    IN_SDK = "DatasetConsumptionConfig"
    LACKS = lacks(accepted="path_on_compute")

    def __init__(self, name: str, dataset: Any, mode: str = "direct") -> None:
        self.name = re.sub(r"\W+", "_", name)
        self.dataset = dataset
        self.mode = mode

    @checked(lacks(accepted="path_on_compute"))
    def as_mount(self) -> "DataInput":
        return DataInput(self.name, self.dataset, "mount")

    @checked(lacks(accepted="path_on_compute overwrite"))
    def as_download(self) -> "DataInput":
        """A copy, on hosts that do not see this machine's files."""
        return DataInput(self.name, self.dataset, "download")

    @property
    def parameter(self) -> Optional[str]:
        """Of a pipeline, which may be given another dataset."""
        return self.dataset.name if hasattr(self.dataset, "default_value") else None

    def source(self) -> str:
        """The parameter, or the path, that it comes from."""
        return self.parameter or str(self.dataset.whole_path())

    def given(self, values: Mapping[str, Any]) -> "DataInput":
        """With the dataset that the pipeline was given."""
        if self.parameter is None:
            return self
        found = values.get(self.parameter, self.dataset.default_value)
        if not hasattr(found, "whole_path"):
            raise BadCall(f"the parameter {self.parameter!r} is {found!r}, which is not a dataset",
                          "for example Dataset.File.from_files(...)")
        return DataInput(self.name, found, self.mode)

    def input_keys(self) -> Dict[str, Any]:
        """What a job file says of it."""
        path = self.dataset.whole_path()
        keys = {"type": "uri_file" if os.path.isfile(path) else "uri_folder", "path": path}
        return {**keys, "mode": "download"} if self.mode == "download" else keys

    def word(self) -> Expression:
        return Expression(f"${{{{inputs.{self.name}}}}}")


def unnamed(keys: Any) -> str:
    """A name for what a program gives none: others get another one."""
    return f"input_{hashlib.sha256(json.dumps(keys).encode()).hexdigest()[:8]}"


def by_names(inputs: Iterable[DataInput]) -> Dict[str, DataInput]:
    """Those of a job: of one name, there is one."""
    found: Dict[str, DataInput] = {}
    for one in inputs:
        other = found.setdefault(one.name, one)
        if other is not one and other.source() != one.source():
            raise BadCall(f"two datasets of the job are called {one.name!r}",
                          "give each a name of its own: dataset.as_named_input(NAME)")
    return found


def data_input_of(thing: Any) -> Optional[DataInput]:
    """A dataset may be given by itself, too."""
    if isinstance(thing, DataInput):
        return thing
    return thing.as_input() if hasattr(thing, "whole_path") else None


class DataReference(Checked):
    """A path of a datastore."""

    LACKS = lacks(accepted="mode path_on_compute overwrite")

    def __init__(self, datastore: "Datastore", data_reference_name: Optional[str] = None,
                 path_on_datastore: Optional[str] = None) -> None:
        self.datastore = datastore
        self.data_reference_name = data_reference_name or (
            re.sub(r"\W+", "_", datastore.name) if path_on_datastore is None
            else unnamed([datastore.name, path_on_datastore]))
        self.path_on_datastore = path_on_datastore

    def whole_path(self) -> str:
        return self.datastore.place(self.path_on_datastore)

    def as_input(self) -> DataInput:
        return DataInput(self.data_reference_name, self)

    @checked()
    def path(self, path: Optional[str] = None, data_reference_name: Optional[str] = None
             ) -> "DataReference":
        """What lies below it."""
        parts = [part for part in (self.path_on_datastore, path) if part]
        return DataReference(self.datastore, data_reference_name, "/".join(parts) or None)

    @checked()
    def as_mount(self) -> DataInput:
        return self.as_input().as_mount()

    @checked(lacks(accepted="path_on_compute overwrite"))
    def as_download(self) -> DataInput:
        return self.as_input().as_download()


class DataPath(Checked):
    """The same without a name."""

    def __init__(self, datastore: Optional["Datastore"] = None,
                 path_on_datastore: Optional[str] = None, name: Optional[str] = None) -> None:
        self.datastore = datastore or Datastore()
        self.path_on_datastore = path_on_datastore
        self.name = name

    def whole_path(self) -> str:
        return self.datastore.place(self.path_on_datastore)


class Datastore(Checked):
    """A folder of this machine, which is made when something is put there."""

    LACKS = lacks(accepted="datastore_type account_name container_name", refused={
        name: "a datastore is a folder of this machine: use Datastore.get(workspace, NAME)"
        for name in ("blob_service", "register_azure_blob_container", "register_azure_file_share",
                     "register_azure_data_lake", "register_azure_data_lake_gen2")})

    def __init__(self, workspace: Any = None, name: str = _DEFAULT) -> None:
        self.workspace = workspace
        self.name = name

    @classmethod
    def get(cls, workspace: Any, datastore_name: str) -> "Datastore":
        """There is one of every name."""
        return cls(workspace, datastore_name)

    @classmethod
    def get_default(cls, workspace: Any) -> "Datastore":
        return cls(workspace)

    def place(self, path: Optional[str] = None) -> str:
        """A path of it on this machine."""
        folder = os.path.join(datastores_folder(), re.sub(r"[^\w.-]", "_", self.name))
        found = os.path.normpath(os.path.join(folder, (path or "").lstrip("/")))
        if not (found + os.sep).startswith(folder + os.sep):
            raise BadCall(f"{path!r} leads out of the datastore {self.name}",
                          f"name a path in {folder}")
        return found

    @checked()
    def path(self, path: Optional[str] = None, data_reference_name: Optional[str] = None
             ) -> DataReference:
        return DataReference(self, data_reference_name, path)

    @checked()
    def as_mount(self) -> DataInput:
        return DataReference(self).as_mount()

    @checked(lacks(accepted="path_on_compute"))
    def as_download(self) -> DataInput:
        return DataReference(self).as_download()

    @checked(lacks(accepted="show_progress"))
    def upload(self, src_dir: _Path, target_path: Optional[str] = None, overwrite: bool = False
               ) -> DataReference:
        """Copies a folder into it."""
        return self._put(src_dir, list(files_below(_folder(src_dir))), target_path, overwrite)

    @checked(lacks(accepted="show_progress"))
    def upload_files(self, files: List[str], relative_root: Optional[str] = None,
                     target_path: Optional[str] = None, overwrite: bool = False) -> DataReference:
        """Copies files into it: below relative_root, they keep their folders."""
        paths = [os.path.abspath(str(one)) for one in files]
        root = os.path.abspath(relative_root or os.path.commonpath(
            [os.path.dirname(one) for one in paths] or ["/"]))
        names = [os.path.relpath(one, root) for one in paths]
        return self._put(root, names, target_path, overwrite)

    def _put(self, folder: _Path, names: List[str], target_path: Optional[str], overwrite: bool
             ) -> DataReference:
        target = self.place(target_path)
        copy_all([(os.path.join(folder, one), os.path.normpath(os.path.join(target, one)))
                  for one in names], overwrite)
        return DataReference(self, None, target_path)

    @checked(lacks(accepted="show_progress"))
    def download(self, target_path: _Path, prefix: Optional[str] = None,
                 overwrite: bool = False) -> int:
        """Copies what lies in it, or below a path of it; how many files there are."""
        folder = self.place()
        names = [one for one in files_below(folder) if one.startswith((prefix or "").lstrip("/"))]
        return copy_all([(os.path.join(folder, one), os.path.join(target_path, one))
                         for one in names], overwrite)


def _folder(path: _Path) -> str:
    if not os.path.isdir(path):
        raise BadCall(f"there is no folder {os.fspath(path)!r}", "it is copied from this machine")
    return os.fspath(path)


def upload_directory(src_dir: _Path, to: str, pattern: Optional[str], overwrite: bool) -> None:
    """Files of a folder that fit the pattern."""
    names = [one for one in files_below(_folder(src_dir)) if fnmatch.fnmatch(one, pattern or "*")]
    copy_all([(os.path.join(src_dir, one), os.path.join(to, one)) for one in names], overwrite)
