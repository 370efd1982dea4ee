"""azureml.pipeline.core's Module: scripts of SDK v1 that steps share, under names and versions."""

import os
import uuid
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from .binary import BadCall
from .checked import Checked, checked, lacks, nearest
from .registers import Register
from .sdk_errors import ResourceNotFoundError
from .step_data import PipelineParameter

_REGISTER = Register("modules")
_KEPT = "1"  # a module is kept whole, with all its versions, as one entry
_DISABLED = "Disabled"


class Port(Checked):
    """What versions of modules read or make, by its name."""

    def __init__(self, name: str, label: Optional[str] = None) -> None:
        self.name = name
        self.label = label


class InputPortDef(Port):
    """What a version of a module reads."""

    LACKS = lacks(accepted="data_types default_datastore_mode default_path_on_compute "
                           "default_overwrite default_data_reference_name",
                  refused={"is_resource": "let the script read the input's path",
                           "additional_transformations": "transform it in the script"})

    def __init__(self, name: str, data_types: Optional[List[str]] = None,
                 default_datastore_mode: Optional[str] = None,
                 default_path_on_compute: Optional[str] = None, is_optional: bool = False,
                 default_overwrite: Optional[bool] = None,
                 default_data_reference_name: Optional[str] = None, is_resource: bool = False,
                 label: Optional[str] = None, additional_transformations: Any = None) -> None:
        super().__init__(name, label)
        self.is_optional = is_optional


class OutputPortDef(Port):
    """What it makes; whether that is a file or a folder, the step's own output says."""

    LACKS = lacks(accepted="default_datastore_name default_datastore_mode data_type "
                           "default_path_on_compute default_overwrite",
                  refused={"training_output": "muster has no automated machine learning"})

    def __init__(self, name: str, default_datastore_name: Optional[str] = None,
                 default_datastore_mode: Optional[str] = None,
                 default_path_on_compute: Optional[str] = None, is_directory: bool = False,
                 data_type: Optional[str] = None, default_overwrite: Optional[bool] = None,
                 training_output: Any = None, label: Optional[str] = None) -> None:
        super().__init__(name, label)
        self.is_directory = is_directory


class ParamDef(Checked):
    """A variable of the script's environment, with its value."""

    LACKS = lacks(accepted="is_metadata_param is_optional set_env_var calculate_hash", refused={
        "env_var_override": "the variable is called AML_PARAMETER_NAME"})

    def __init__(self, name: str, default_value: Any = None) -> None:
        self.name = name
        self.default_value = default_value


class ModuleVersionDescriptor(Checked):
    """Of one in a list."""

    def __init__(self, version: str, module_version_id: str) -> None:
        self.version = version
        self.module_version_id = module_version_id


class _Kept(Checked):
    """What a program has said of a module, or of one of its versions."""

    def _said(self) -> Dict[str, Any]:
        raise NotImplementedError

    def _say(self, key: str, value: Any) -> None:
        raise NotImplementedError

    @property
    def description(self) -> str:
        return str(self._said()["description"])

    @property
    def status(self) -> str:
        """Active, Deprecated or Disabled: then resolve() passes over it."""
        return str(self._said()["status"])

    def set_description(self, description: str) -> None:
        self._say("description", description)

    def enable(self) -> None:
        self._say("status", "Active")

    def disable(self) -> None:
        self._say("status", _DISABLED)

    def deprecate(self) -> None:
        self._say("status", "Deprecated")


class ModuleVersion(_Kept):
    """A script, and the names of what it reads and makes."""

    LACKS = lacks(refused={one: "muster show tells what a step runs" for one in (
        "interface", "runconfig")})

    def __init__(self, workspace: Any, module_entity: "Module", version: str) -> None:
        self._workspace = workspace
        self._module = module_entity
        self.version = version

    @staticmethod
    @checked(lacks(accepted="_workflow_provider"))
    def get(workspace: Any, module_version_id: Optional[str] = None) -> "ModuleVersion":
        """By the id that it has told."""
        for module in _all(workspace):
            for one in module.module_version_list():
                if one.module_version_id == module_version_id:
                    return ModuleVersion(workspace, module, one.version)
        raise ResourceNotFoundError(f"no version of a module has the id {module_version_id!r}",
                                    "Module.get_versions(workspace, name) tells those of a module")

    @checked(lacks(accepted="_workflow_provider"))
    def module(self) -> "Module":
        return self._module

    @property
    def module_id(self) -> str:
        return self._module.id

    @property
    def module_version_id(self) -> str:
        return str(self._said()["id"])

    @property
    def category(self) -> Optional[str]:
        found = self._said().get("category")
        return None if found is None else str(found)

    def _said(self) -> Dict[str, Any]:
        return self._module._version(self.version)

    def _say(self, key: str, value: Any) -> None:
        self._module._change(
            lambda said: _in(self._module.name, said, self.version).update({key: value}))


class Module(_Kept):
    """Versions of a script, under a name; the script stays where it is."""

    LACKS = lacks(refused={
        "publish": "publish_python_script is for scripts",
        "publish_adla_script": "muster has no Data Lake Analytics",
        "publish_azure_batch": "muster has no Azure Batch"})

    def __init__(self, workspace: Any, module_id: str, name: str) -> None:
        self._workspace = workspace
        self.id = module_id
        self.name = name

    @staticmethod
    @checked(lacks(accepted="_workflow_provider"))
    def create(workspace: Any, name: str, description: str) -> "Module":
        """Of a name that no other one has."""
        made = str(uuid.uuid4())
        if _REGISTER.add(name, None, {"id": made, "name": name, "description": description,
                                      "status": "Active", "default": None,
                                      "versions": []}) is None:
            raise BadCall(f"there is a module {name!r} already",
                          f"Module.get(workspace, name={name!r}) gives it, and its "
                          "set_name(OTHER) makes the name free")
        return Module(workspace, made, name)

    @staticmethod
    @checked(lacks(accepted="_workflow_provider"))
    def get(workspace: Any, module_id: Optional[str] = None,
            name: Optional[str] = None) -> "Module":
        """The one of that name, or id."""
        if name is None:
            found = [one for one in _all(workspace) if one.id == module_id]
        else:
            kept = _REGISTER.find(name, _KEPT)
            found = [] if kept is None else [_module(workspace, kept[1])]
        if not found:
            raise ResourceNotFoundError(
                f"there is no module {name or module_id!r} here",
                "Module.create(workspace, name, description) makes one; "
                + nearest(name or "", _REGISTER.names()))
        return found[0]

    @staticmethod
    @checked(lacks(accepted="_workflow_provider"))
    def get_versions(workspace: Any, name: str) -> List[ModuleVersionDescriptor]:
        return Module.get(workspace, name=name).module_version_list()

    @property
    def default_version(self) -> Optional[str]:
        found = self._said()["default"]
        return None if found is None else str(found)

    def get_default_version(self) -> Optional[str]:
        return self.default_version

    def set_default_version(self, version_id: str) -> None:
        """That which steps use that name none."""
        self._version(version_id)
        self._say("default", version_id)

    def get_default(self) -> Optional[ModuleVersion]:
        """The same as an object."""
        found = self.default_version
        return None if found is None else ModuleVersion(self._workspace, self, found)

    def module_version_list(self) -> List[ModuleVersionDescriptor]:
        return [ModuleVersionDescriptor(one["version"], one["id"])
                for one in self._said()["versions"]]

    @checked(lacks(accepted="create_sequencing_ports hash_paths", refused={
        "runconfig": "give it to the ModuleStep"}))
    def publish_python_script(
            self, script_name: str, description: str, inputs: Sequence[InputPortDef],
            outputs: Sequence[OutputPortDef], params: Optional[Mapping[str, Any]] = None,
            create_sequencing_ports: bool = True, version: Optional[str] = None,
            is_default: bool = False, source_directory: Optional[str] = None,
            hash_paths: Optional[List[str]] = None, category: Optional[str] = None,
            arguments: Optional[Sequence[Any]] = None, runconfig: Any = None) -> ModuleVersion:
        """One more version."""
        folder = os.path.abspath(source_directory or ".")
        if not os.path.isfile(os.path.join(folder, script_name)):
            raise BadCall(f"there is no script {script_name!r} in {folder!r}",
                          "script_name is a file's path below source_directory")
        values = {name: one.default_value if isinstance(one, ParamDef) else one
                  for name, one in (params or {}).items()}
        said = {"id": str(uuid.uuid4()), "description": description,
                "status": "Active", "category": category, "script": script_name, "folder": folder,
                "inputs": {one.name: one.is_optional for one in inputs},
                "outputs": [one.name for one in outputs],
                "params": {name: str(one) for name, one in values.items()},
                "arguments": None if arguments is None else [_kept_word(one) for one in arguments]}
        self._change(lambda whole: _add(whole, said, version, is_default))
        return ModuleVersion(self._workspace, self, str(said["version"]))

    def resolve(self, version: Optional[str] = None) -> ModuleVersion:
        """Which one a step uses: that version, the default, or the highest, else the last."""
        if version is not None:
            self._version(version)
        named = version or self.default_version
        usable = [one["version"] for one in self._said()["versions"] if one["status"] != _DISABLED]
        if named is None and not usable:
            raise BadCall(f"the module {self.name!r} has no version that can be used",
                          "publish_python_script(...) adds one")
        return ModuleVersion(self._workspace, self, named or _highest(usable))

    def set_name(self, name: str) -> None:
        """It must be free, too."""
        if _REGISTER.add(name, None, {**self._said(), "name": name}) is None:
            raise BadCall(f"there is a module {name!r} already", "give it another name")
        _REGISTER.remove(self.name)
        self.name = name

    # ---- what is kept ----

    def _said(self) -> Dict[str, Any]:
        return _REGISTER.get(self.name, _KEPT)[1]

    def _change(self, change: Callable[[Dict[str, Any]], Any]) -> None:
        def changed(said: Dict[str, Any]) -> Dict[str, Any]:
            change(said)
            return said
        _REGISTER.change(self.name, _KEPT, changed)

    def _say(self, key: str, value: Any) -> None:
        self._change(lambda said: said.update({key: value}))

    def _version(self, version: str) -> Dict[str, Any]:
        return _in(self.name, self._said(), version)


def said_of(version: ModuleVersion) -> Dict[str, Any]:
    """What a step needs to know of it."""
    return version._said()


def words_of(version: ModuleVersion, wired: Mapping[str, Any]) -> Optional[List[Any]]:
    """Its own arguments, with what a step has in the places of its ports."""
    said = version._said()["arguments"]
    if said is None:
        return None
    params = version._said()["params"]
    return [wired.get(one["port"]) if "port" in one else
            PipelineParameter(one["parameter"], params.get(one["parameter"], one["default"]))
            if "parameter" in one else one["text"] for one in said]


def _kept_word(word: Any) -> Dict[str, Any]:
    if isinstance(word, Port):
        return {"port": word.name}
    if isinstance(word, PipelineParameter):
        return {"parameter": word.name, "default": word.default_value}
    return {"text": str(word)}


def _all(workspace: Any) -> Iterator[Module]:
    for _, _, said in _REGISTER.all():
        yield _module(workspace, said)


def _module(workspace: Any, said: Mapping[str, Any]) -> Module:
    """By the name that it was given: in the register's own, some characters are others."""
    return Module(workspace, str(said["id"]), str(said["name"]))


def _add(whole: Dict[str, Any], said: Dict[str, Any], version: Optional[str],
         is_default: bool) -> None:
    """One more version; without a name, the first number that is free."""
    known = [one["version"] for one in whole["versions"]]
    free = (str(number) for number in range(len(known) + 1, 2 * len(known) + 2))
    said["version"] = version or next(one for one in free if one not in known)
    if said["version"] in known:
        raise BadCall(f"the module {whole['name']!r} has a version {version!r} already",
                      f"it has {', '.join(known)}: give another version")
    whole["versions"].append(said)
    if is_default:
        whole["default"] = said["version"]


def _in(name: str, said: Dict[str, Any], version: str) -> Dict[str, Any]:
    found: Dict[str, Dict[str, Any]] = {one["version"]: one for one in said["versions"]}
    if version not in found:
        raise BadCall(f"the module {name!r} has no version {version!r}",
                      nearest(version, list(found)))
    return found[version]


def _highest(versions: List[str]) -> str:
    """As numbers between dots, if all of them are such; else the last that was published."""
    if all(part.isdigit() for one in versions for part in one.split(".")):
        return max(versions, key=lambda one: [int(part) for part in one.split(".")])
    return versions[-1]
