"""SDK v1's datastores: folders of this machine, each with a name, and what jobs read from them."""

import fnmatch
import functools
import hashlib
import json
import os
import re
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .binary import BadCall
from .checked import Checked, checked, lacks, note
from .known_names import data_path
from .named_files import copy_named
from .own_files import copy_new, make_folders
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


@functools.lru_cache(maxsize=None)
def _folder_of(name: str, seen_from: str) -> str:
    """What muster.yml says of a datastore, seen from that folder, or --set; else one of its own."""
    del seen_from
    said = data_path(f"azureml://datastores/{name}/paths/")
    own = os.path.join(datastores_folder(), re.sub(r"[^\w.-]", "_", name))
    return own if said is None else os.path.normpath(said)


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
    def check_free(source: str, target: str) -> None:
        if os.path.exists(target) and not (os.path.isfile(target) and _same(source, target)):
            raise BadCall(f"{target} is there already, with something else in it",
                          "use overwrite=True, or another target path")

    for source, target in pairs:
        if not os.path.isfile(source):
            raise BadCall(f"there is no file {source!r}", "it is copied from this machine")
        if not overwrite:
            check_free(source, target)
    for source, target in pairs:
        make_folders(os.path.dirname(target))
        if not os.path.lexists(target) and copy_new(source, target):
            continue
        if not overwrite and os.path.exists(target):  # perhaps only since it was looked at
            check_free(source, target)
        elif not (os.path.exists(target) and os.path.samefile(source, target)):
            copy_named(source, target)
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


class DataPathComputeBinding(Checked):
    """How a job gets the files of a path: beside it in a pair."""

    BINDS_PATH = True
    LACKS = lacks(accepted="path_on_compute overwrite")

    def __init__(self, mode: str = "mount", path_on_compute: Optional[str] = None,
                 overwrite: bool = False) -> None:
        self.mode = mode


def _bound(path: Any, mode: str) -> DataInput:
    if not (hasattr(path, "whole_path") or hasattr(path, "default_value")):
        raise BadCall(f"{path!r} beside a DataPathComputeBinding is not a path",
                      "for example DataPath(datastore, 'folder'), or a PipelineParameter of one")
    return DataInput(path.name or unnamed(path.whole_path()), path, mode)


def data_input_of(thing: Any) -> Optional[DataInput]:
    """A dataset may be given by itself, too."""
    if isinstance(thing, DataInput):
        return thing
    if isinstance(thing, tuple) and len(thing) == 2 and isinstance(
            thing[1], DataPathComputeBinding):
        return _bound(thing[0], thing[1].mode)
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

    @property
    def datastore_name(self) -> str:
        return self.datastore.name

    def whole_path(self) -> str:
        return self.datastore.place(self.path_on_datastore)

    def as_input(self) -> DataInput:
        return DataInput(self.name or unnamed(self.whole_path()), self)

    @checked(lacks(accepted="datapath_compute_binding"))
    def create_data_reference(self, data_reference_name: Optional[str] = None,
                              datapath_compute_binding: Any = None) -> DataReference:
        """The same with a name."""
        return DataReference(self.datastore, data_reference_name, self.path_on_datastore)


def resumed_from(path: Optional[DataPath]) -> List[Any]:
    """Arguments of a script, as the SDK makes them of resume_from."""
    return [] if path is None else ["--resume-from", path.create_data_reference("MODEL_LOCATION")]


_ACCOUNT = ("workspace sas_token account_key protocol endpoint overwrite create_if_not_exists "
            "skip_validation blob_cache_timeout grant_workspace_access subscription_id "
            "resource_group tenant_id client_id client_secret resource_url authority_url")


class Datastore(Checked):
    """A folder of this machine, which is made when something is put there."""

    LACKS = lacks(accepted="datastore_type account_name container_name", refused={
        name: "a datastore is a folder of this machine: use Datastore.get(workspace, NAME)"
        for name in ("blob_service", "register_azure_sql_database", "register_azure_my_sql",
                     "register_azure_postgre_sql", "register_dbfs", "register_hdfs")})

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

    @classmethod
    def _registered(cls, workspace: Any, name: str) -> "Datastore":
        """Nothing is read from Azure: its folder is that of the name."""
        made = cls(workspace, name)
        note(f"the datastore {name} is the folder {made.place()}; nothing comes from Azure, but "
             f'data: {{"azureml://datastores/{name}/paths/": PATH}} in muster.yml names another '
             "folder")
        return made

    @classmethod
    @checked(lacks(accepted=_ACCOUNT))
    def register_azure_blob_container(cls, workspace: Any, datastore_name: str,
                                      container_name: str, account_name: str) -> "Datastore":
        return cls._registered(workspace, datastore_name)

    @classmethod
    @checked(lacks(accepted=_ACCOUNT))
    def register_azure_file_share(cls, workspace: Any, datastore_name: str, file_share_name: str,
                                  account_name: str) -> "Datastore":
        return cls._registered(workspace, datastore_name)

    @classmethod
    @checked(lacks(accepted=_ACCOUNT))
    def register_azure_data_lake(cls, workspace: Any, datastore_name: str, store_name: str
                                 ) -> "Datastore":
        return cls._registered(workspace, datastore_name)

    @classmethod
    @checked(lacks(accepted=_ACCOUNT))
    def register_azure_data_lake_gen2(cls, workspace: Any, datastore_name: str, filesystem: str,
                                      account_name: str) -> "Datastore":
        return cls._registered(workspace, datastore_name)

    def set_as_default(self) -> None:
        """Of its workspace."""
        if self.workspace is not None:
            self.workspace.set_default_datastore(self.name)

    def unregister(self) -> None:
        """Nothing was registered; its folder stays."""

    def place(self, path: Optional[str] = None) -> str:
        """A path of it on this machine."""
        folder = _folder_of(self.name, os.getcwd())
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
