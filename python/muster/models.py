"""SDK v1's Model: files of this machine under names, which SDK v2's client.models has, too."""

import os
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union

from .binary import BadCall
from .checked import Checked, checked, given, lacks
from .known_names import found_data
from .named_files import copy_named, copy_tree
from .own_files import copy_new, make_folders
from .registers import Register
from .sdk_errors import ModelNotFoundException

_REGISTER = Register("models", ModelNotFoundException)
_NO_SERVICE = "muster runs jobs, not services: a script can load the file"
Wanted = Union[List[Any], Dict[str, str], None]


def _fits(said: Mapping[str, Any], wanted: Wanted) -> bool:
    """Names that are there, or names with their values."""
    pairs = wanted.items() if isinstance(wanted, dict) else [
        (one, None) if isinstance(one, str) else (one[0], one[1]) for one in wanted or []]
    return all(name in said and value in (None, said[name]) for name, value in pairs)


class Model(Checked):
    """One that was registered: the newest of its name, unless a version is asked for."""

    LACKS = lacks(
        accepted="model_framework expand created_by created_time experiment_name run "
                 "model_framework_version mime_type unpack parent_id",
        refused={**{name: _NO_SERVICE for name in (
            "deploy", "package", "profile", "print_configuration", "get_sas_urls")},
                 "run_id": "give its name and version"})

    def __init__(self, workspace: Any, name: Optional[str] = None, id: Optional[str] = None,
                 tags: Wanted = None, properties: Wanted = None,
                 version: Optional[int] = None) -> None:
        wanted, _, number = (id or name or "").partition(":")
        told = str(version) if version is not None else number or None
        kept, said = found_data(_REGISTER, wanted, told)
        if not _fits(said.get("tags", {}), tags) or not _fits(said.get("properties", {}),
                                                              properties):
            raise BadCall(f"the model {wanted!r} has other tags or properties",
                          "Model.list(workspace, tags=...) gives those that fit")
        self.workspace = workspace
        self.name = wanted
        self.version = int(kept) if kept.isdigit() else kept
        self.description: Optional[str] = said.get("description")
        self.tags: Dict[str, str] = dict(said.get("tags", {}))
        self.properties: Dict[str, str] = dict(said.get("properties", {}))
        self._path = str(said["path"])

    def __repr__(self) -> str:
        return f"Model({self.id})"

    @property
    def id(self) -> str:
        return f"{self.name}:{self.version}"

    @property
    def url(self) -> str:
        """Where it lies."""
        return self._path

    @staticmethod
    @checked(lacks(accepted="workspace datasets model_framework model_framework_version "
                            "sample_input_dataset sample_output_dataset resource_configuration",
                   refused={"child_paths": "give the folder, or its one file"}))
    def register(workspace: Any, model_path: Union[str, "os.PathLike[str]"], model_name: str,
                 tags: Optional[Dict[str, Any]] = None, properties: Optional[Dict[str, Any]] = None,
                 description: Optional[str] = None) -> "Model":
        """Keeps a file or folder under a name; it stays where it is."""
        path = os.path.abspath(model_path)
        if not os.path.exists(path):
            raise BadCall(f"there is no {path} to register as {model_name!r}",
                          "it is kept by its path: it must be there")
        version = _REGISTER.put(model_name, None, given({
            "path": path, "type": "custom_model", "description": description,
            "tags": {name: str(one) for name, one in (tags or {}).items()},
            "properties": {name: str(one) for name, one in (properties or {}).items()}}))
        return Model(workspace, model_name, version=int(version))

    @staticmethod
    @checked(lacks(accepted="expand page_count model_framework", refused={
        "run_id": "filter what it gives", "dataset_id": "filter what it gives"}))
    def list(workspace: Any, name: Optional[str] = None, tags: Wanted = None,
             properties: Wanted = None, run_id: Optional[str] = None, latest: bool = False
             ) -> "List[Model]":
        """All versions of all, the newest first, or the newest of each name."""
        def found() -> Iterator[Model]:
            for one in _REGISTER.names() if name is None else [name]:
                known = list(_REGISTER.all(one))
                for _, version, said in known[:1] if latest else known:
                    if _fits(said.get("tags", {}), tags) and _fits(said.get("properties", {}),
                                                                   properties):
                        yield Model(workspace, f"{one}:{version}")
        return list(found())

    @staticmethod
    @checked(lacks(accepted="_workspace"))
    def get_model_path(model_name: str, version: Optional[int] = None) -> str:
        """Where it lies."""
        return Model(None, model_name, version=version).url

    @checked()
    def download(self, target_dir: str = ".", exist_ok: bool = False,
                 exists_ok: Optional[bool] = None) -> str:
        """Copies it into a folder; where the copy is."""
        target = os.path.abspath(os.path.join(target_dir, os.path.basename(self._path)))
        merges = bool(exist_ok or exists_ok)
        make_folders(target_dir)
        try:
            if os.path.isdir(self._path):
                copy_tree(self._path, target, merges)
            elif merges:
                copy_named(self._path, target)
            elif not copy_new(self._path, target):
                raise FileExistsError(target)
        except FileExistsError:
            raise BadCall(f"{target} is there already", "use exist_ok=True, or another folder"
                          ) from None
        return target

    @checked()
    def delete(self) -> None:
        """Forgets this version; its files stay."""
        _REGISTER.remove(self.name, str(self.version))
