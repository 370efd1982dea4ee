"""Run configurations as files: what RunConfiguration.save() of SDK v1 writes, and load() reads.

`run` is a RunConfiguration.
"""

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from .binary import BadCall, MusterError, complaint_of, completed
from .environment import CondaDependencies, Environment
from .named_files import open_named
from .own_files import make_folders
from .where import target_name
from .yaml_text import yaml_of

PathLike = Union[str, "os.PathLike[str]"]
_FOLDERS = (".azureml", "aml_config")  # below that of the program; the second is the older name
_ENDING = ".runconfig"
_SECTIONS = {
    "mpi": {"process_count_per_node": "processCountPerNode", "node_count": "nodeCount"},
    "pytorch": {"process_count": "processCount", "node_count": "nodeCount"},
    "tensorflow": {"worker_count": "workerCount", "parameter_server_count": "parameterServerCount"}}
# Of data in Azure; the settings of these names say what to do instead.
_DATA = {"data": "data", "dataReferences": "data_references", "datacaches": "datacaches",
         "outputData": "output_data"}


def _own_folder(path: str) -> str:
    found = [name for name in _FOLDERS if os.path.isdir(os.path.join(path, name))]
    return os.path.join(path, found[0] if found else _FOLDERS[0])


def file_of(path: Optional[PathLike], name: Optional[str]) -> str:
    """One that is there: `path` itself, or one of that name in the folder of such files below."""
    place = os.path.normpath(os.fspath(path or os.getcwd()))
    names = [place]
    if name and not os.path.isfile(place):
        names = [os.path.join(folder, name) for folder in (_own_folder(place), place)]
    for one in (ending for each in names for ending in (each, f"{each}{_ENDING}")):
        if os.path.isfile(one):
            return one
    raise BadCall(f"there is no run configuration {names[0]}",
                  "load(path, name) takes the folder above .azureml, and the file's name there")


def place_for(path: Optional[PathLike], name: Optional[str]) -> Tuple[str, str]:
    """Where one is to be written, and what paths in it are relative to."""
    place = os.path.normpath(os.fspath(path or os.getcwd()))
    if not os.path.isdir(place):
        above = os.path.dirname(place) or "."
        if not os.path.isdir(above):
            raise BadCall(f"there is no folder {above!r} here",
                          "save(path) takes a folder or a file")
        return place, above
    if not name:
        raise BadCall("a run configuration is saved under a name", 'save(name="train")')
    return os.path.join(_own_folder(place), name), place


def packages_beside(file: str) -> str:
    """The list of its packages, where save() has written one."""
    return (file[:-len(_ENDING)] if file.endswith(_ENDING) else file) + ".conda.yml"


def write(run: Any, file: str, above: str) -> None:
    """`run` as such a file, and beside it the list of its packages."""
    make_folders(os.path.dirname(file))
    text = text_of(run, file, above)
    with open_named(file, "w") as there:
        there.write(text)


def remove(path: Optional[PathLike], name: str) -> None:
    """What save(path, name) has written, and nothing else."""
    place, _ = place_for(path, name)
    found = [one for one in (place, f"{place}{_ENDING}") if os.path.isfile(one)]
    if not found:
        raise BadCall(f"there is no run configuration {place}",
                      "delete(path, name) takes what save(path, name) was given")
    keys_of(found[0])
    os.remove(found[0])
    if os.path.isfile(packages_beside(found[0])):
        os.remove(packages_beside(found[0]))


def keys_of(file: str) -> Dict[str, Any]:
    """What it says, as muster reads its YAML."""
    told = completed("validate", file, "--json")
    try:
        keys = json.loads(told.stdout).get("run_configuration")
    except ValueError:
        raise MusterError(told.returncode, complaint_of(told.stderr)) from None
    if keys is None:
        raise BadCall(f"{file} is not a run configuration that RunConfiguration.save() has written",
                      f"muster submit {file} starts job files")
    assert isinstance(keys, dict)
    return keys


# ---- from a file ---------------------------------------------------------------------------------

def _map(keys: Mapping[str, Any], name: str) -> Dict[str, Any]:
    value = keys.get(name)
    return value if isinstance(value, dict) else {}


def _environment(keys: Mapping[str, Any], folder: str, contained: bool) -> Environment:
    said = _map(keys, "environment")
    python, docker = _map(said, "python"), _map(said, "docker")
    made = Environment("")
    interpreter = python.get("interpreterPath") or "python"
    made.interpreter = "python3" if interpreter == "python" else interpreter
    made.python.user_managed_dependencies = bool(python.get("userManagedDependencies"))
    packages = python.get("condaDependenciesFile")
    if packages:
        made.python.conda_dependencies = CondaDependencies(os.path.join(folder, packages))
    if contained or docker.get("enabled"):
        made.docker.base_image = docker.get("baseImage")
        made.docker.base_dockerfile = docker.get("baseDockerfile")
    made.environment_variables = {name: str(value) for name, value
                                  in _map(said, "environmentVariables").items()}
    if made.software() is not None:
        made.name = said.get("name") or ""
    return made


def _spread(run: Any, keys: Mapping[str, Any]) -> None:
    for section, names in _SECTIONS.items():
        said = _map(keys, section)
        for setting, name in names.items():
            if said.get(name) is not None:
                setattr(getattr(run, section), setting, said[name])
    word = _map(keys, "pytorch").get("communicationBackend")
    if word and word.lower() != run.pytorch.communication_backend.lower():
        run.pytorch.communication_backend = word


def restore(run: Any, keys: Mapping[str, Any], file: str) -> None:
    """Sets what the file says; its paths begin above the folder of such files."""
    folder = os.path.dirname(os.path.abspath(file))
    if os.path.basename(folder) in _FOLDERS:
        folder = os.path.dirname(folder)
    for name, setting in _DATA.items():
        setattr(run, setting, keys.get(name) or None)
    run.script = keys.get("script") or None
    run.command = keys.get("command") or None
    run.arguments = keys.get("arguments") or None
    run.framework = keys.get("framework") or "Python"
    run.communicator = keys.get("communicator") or "None"
    target = keys.get("target")
    run.target = None if target in (None, "", "local") else target
    run.node_count = keys.get("nodeCount") or 1
    run.max_run_duration_seconds = keys.get("maxRunDurationSeconds")
    docker = _map(keys, "docker")
    run.docker.use_docker = bool(docker.get("useDocker"))
    run.docker.arguments = docker.get("arguments") or []
    contained = run.target is not None or run.docker.use_docker
    run.docker.shm_size = docker.get("shmSize") if contained else None
    run.environment = _environment(keys, folder, contained)
    run.environment_variables = {name: str(value) for name, value
                                 in _map(keys, "environmentVariables").items()}
    _spread(run, keys)
    nodes = _map(keys, "amlcompute").get("clusterMaxNodeCount")
    if nodes:
        run.amlcompute.cluster_max_node_count = nodes


# ---- to a file -----------------------------------------------------------------------------------

def _words(arguments: Optional[List[object]]) -> List[object]:
    words = list(arguments or [])
    for word in words:
        if not isinstance(word, (str, int, float)):
            raise BadCall(f"the argument {word!r} cannot be saved", "save words and numbers alone")
    return words


def _packages(environment: Environment, file: str) -> Optional[str]:
    """The file that lists them, which is written beside the other one, with its name."""
    packages = environment.python.conda_dependencies
    if packages is None or packages.is_empty():
        return None
    listed = packages.conda_file()
    if isinstance(listed, str):
        return listed
    path = packages_beside(os.path.abspath(file))
    with open_named(path, "w") as there:
        there.write(yaml_of(listed))
    return path


def _environment_keys(environment: Environment, file: str, above: str) -> Dict[str, Any]:
    packages = _packages(environment, file)
    if packages is not None and not os.path.relpath(packages, above).startswith(".."):
        packages = os.path.relpath(packages, above)
    image, source = environment.docker.base_image, environment.docker.base_dockerfile
    if source is not None:
        raise BadCall("a Dockerfile is not saved with a run configuration",
                      "build the image, and name it in environment.docker.base_image")
    return {"name": environment.name or "environment",
            "environmentVariables": dict(environment.environment_variables),
            "python": {"userManagedDependencies": environment.python.user_managed_dependencies,
                       "interpreterPath": environment.interpreter,
                       "condaDependenciesFile": packages},
            "docker": {"enabled": image is not None,
                       "baseImage": image and environment.docker.base_image_registry.image(image),
                       "baseDockerfile": None}}


def text_of(run: Any, file: str, above: str) -> str:
    """What stands in the file."""
    keys: Dict[str, Any] = {
        "script": run.script, "arguments": _words(run.arguments),
        "target": "local" if run.target is None else target_name(run.target),
        "framework": run.framework, "communicator": run.communicator,
        "maxRunDurationSeconds": run.max_run_duration_seconds, "nodeCount": run.node_count,
        "environment": _environment_keys(run.environment, file, above),
        "docker": {"useDocker": run.docker.use_docker, "arguments": list(run.docker.arguments),
                   "shmSize": run.docker.shm_size}}
    for section, names in _SECTIONS.items():
        said = getattr(run, section)
        keys[section] = {name: getattr(said, setting) for setting, name in names.items()}
    keys["pytorch"]["communicationBackend"] = run.pytorch.communication_backend
    keys["command"] = run.command
    keys["environmentVariables"] = dict(run.environment_variables)
    return yaml_of(keys)
