"""The software that a job asks for: `environment` in muster's job files."""

import copy
import json
import os
from typing import Any, Dict, List, Optional, Union

from .binary import BadCall
from .checked import Checked, Settings, checked, given, lacks, settings_of
from .kinds import shortened

PathLike = Union[str, "os.PathLike[str]"]

class CondaDependencies(Checked):
    """A list of packages: a conda file, or what a program has added."""

    def __init__(self, conda_dependencies_file_path: Optional[PathLike] = None) -> None:
        self.file = _absolute(conda_dependencies_file_path)
        self.conda: List[str] = []
        self.pip: List[str] = []
        self.channels: List[str] = []

    @classmethod
    @checked(lacks(accepted="pin_sdk_version"))
    def create(cls, pip_indexurl: Optional[str] = None, pip_packages: Optional[List[str]] = None,
               conda_packages: Optional[List[str]] = None,
               python_version: Optional[str] = None) -> "CondaDependencies":
        made = cls()
        if pip_indexurl:
            made.set_pip_index_url(pip_indexurl)
        made.pip += pip_packages or []
        made.conda += conda_packages or []
        if python_version is not None:
            made.set_python_version(python_version)
        return made

    @property
    def conda_packages(self) -> List[str]:
        return self.conda

    @property
    def pip_packages(self) -> List[str]:
        return self.pip

    @property
    def conda_channels(self) -> List[str]:
        return self.channels

    def add_conda_package(self, conda_package: str) -> None:
        self.conda.append(conda_package)

    def add_pip_package(self, pip_package: str) -> None:
        self.pip.append(pip_package)

    def add_channel(self, channel: str) -> None:
        self.channels.append(channel)

    def set_python_version(self, version: str) -> None:
        self.conda[:] = [one for one in self.conda if not one.startswith("python=")]
        self.conda.append(f"python={version}")

    def set_pip_option(self, pip_option: str) -> None:
        """A line of a requirements file: --extra-index-url URL."""
        self.pip.append(pip_option)

    def set_pip_index_url(self, index_url: str) -> None:
        self.set_pip_option(index_url if index_url.startswith("-") else f"--index-url {index_url}")

    def serialize_to_string(self) -> str:
        """What would stand in a conda file, as JSON, which is YAML, too."""
        return json.dumps(self.conda_file(), indent=1)

    def is_empty(self) -> bool:
        return not (self.file or self.conda or self.pip or self.channels)

    def conda_file(self) -> Union[str, Dict[str, Any]]:
        """A file's path, or what would stand in it."""
        if self.file is not None:
            if self.conda or self.pip or self.channels:
                raise BadCall(f"packages cannot be added to {self.file}", "write them into it")
            return self.file
        wanted: List[object] = list(self.conda)
        if self.pip:
            wanted += ["pip", {"pip": list(self.pip)}]
        return {"channels": list(self.channels), "dependencies": wanted}


class ContainerRegistry(Checked):
    """Where an image is, if its name does not say so."""

    LACKS = lacks(no_effect="username password", refused={
        "registry_identity": "log in with docker or podman on the hosts"})

    address: Optional[str]

    def __init__(self) -> None:
        self.address = None

    def image(self, name: Any) -> str:
        """With the registry in front."""
        text = str(name)
        return text if not self.address or text.startswith(self.address) else (
            f"{self.address}/{text}")


class DockerSection(Checked):
    """environment.docker: the image."""

    IN_SDK = "Environment.docker"
    LACKS = lacks(
        accepted="enabled shared_volumes gpu_support platform",
        refused={"build_context": "use Environment.from_dockerfile, or SDK v2's BuildContext"})

    base_image: Optional[str]
    base_image_registry: ContainerRegistry
    base_dockerfile: Optional[PathLike]
    arguments: List[str]
    shm_size: Optional[str]

    def __init__(self) -> None:
        self.base_image = None
        self.base_image_registry = ContainerRegistry()
        self.base_dockerfile = None
        self.arguments = []
        self.shm_size = None

    def resources(self) -> Dict[str, Any]:
        """Those of a job that runs in it."""
        return given({"docker_args": " ".join(map(str, self.arguments)) or None,
                      "shm_size": self.shm_size})


class PythonSection(Checked):
    """environment.python: packages, and the interpreter."""

    IN_SDK = "Environment.python"
    LACKS = lacks(refused={
        "base_conda_environment": "list the packages in conda_dependencies",
        "conda_dependencies_file": "use conda_dependencies = CondaDependencies(FILE)"})

    interpreter_path: str
    conda_dependencies: Optional[CondaDependencies]
    user_managed_dependencies: bool

    def __init__(self) -> None:
        self.interpreter_path = "python3"
        self.conda_dependencies = CondaDependencies()
        self.user_managed_dependencies = False


class Environment(Checked):
    """A name, an image, packages, variables, and the interpreter that runs the job's script."""

    LACKS = lacks(refused={
        "r": "list R's packages in conda_dependencies",
        "databricks": "muster does not start Databricks"})

    version: Optional[str]
    environment_variables: Dict[str, str]
    python: PythonSection
    docker: DockerSection

    def __init__(self, name: str, interpreter: str = "python3") -> None:
        self.name = name
        self.version = None
        self.environment_variables = {}
        self.python = PythonSection()
        self.python.interpreter_path = interpreter
        self.docker = DockerSection()
        # What older programs switch off.
        self.spark = Settings("Environment.spark", lacks(accepted="precache_packages",
                                                         no_effect="packages repositories"))

    @property
    def interpreter(self) -> str:
        return str(self.python.interpreter_path)

    @interpreter.setter
    def interpreter(self, path: str) -> None:
        self.python.interpreter_path = path

    def job_key(self) -> Union[None, str, Dict[str, Any]]:
        """What a job file says of it; None where the hosts hold the software already."""
        if self.docker.resources():
            raise BadCall(f"{next(iter(self.docker.resources()))} of the environment "
                          f"{self.name!r} is a part of the job here",
                          "the job has docker_args and shm_size")
        return self.software()

    def software(self) -> Union[None, str, Dict[str, Any]]:
        """The same without what is said of the container."""
        keys: Dict[str, Any] = {}
        if self.docker.base_dockerfile is not None:
            keys["build"] = _build(self.docker.base_dockerfile)
        elif self.docker.base_image is not None:
            keys["image"] = self.docker.base_image_registry.image(self.docker.base_image)
        ready = bool(self.python.user_managed_dependencies)
        packages = self.python.conda_dependencies
        if packages is not None and not packages.is_empty() and not ready:
            keys["conda_file"] = packages.conda_file()
        if keys:
            return {"name": self.name, **keys}
        return None if ready else self.name or None

    def clone(self, new_name: str) -> "Environment":
        """The same under another name, to be changed."""
        made = Environment(new_name, self.interpreter)
        made.environment_variables.update(self.environment_variables)
        vars(made.python).update(copy.deepcopy(settings_of(self.python)))
        vars(made.docker).update(copy.deepcopy(settings_of(self.docker)))
        return made

    @classmethod
    @checked(lacks(accepted="workspace label"))
    def get(cls, workspace: Any = None, name: str = "", version: Optional[str] = None,
            label: Optional[str] = None) -> "Environment":
        """An environment of that name; nothing is asked of anybody."""
        return cls(f"{name}:{version}" if version else name)

    @classmethod
    def list(cls, workspace: Any) -> "Dict[str, Environment]":
        """None are registered."""
        del workspace
        return {}

    @classmethod
    def from_conda_specification(cls, name: str, file_path: PathLike) -> "Environment":
        made = cls(name)
        made.python.conda_dependencies = CondaDependencies(file_path)
        return made

    @classmethod
    @checked(lacks(no_effect="pip_version"))
    def from_pip_requirements(cls, name: str, file_path: PathLike,
                              pip_version: Optional[str] = None) -> "Environment":
        made = cls(name)
        listed = [f"-r {_absolute(file_path)}"]
        made.python.conda_dependencies = CondaDependencies.create(pip_packages=listed)
        return made

    @classmethod
    def _with_packages(cls, name: str, conda: Optional[PathLike],
                       pip: Optional[PathLike]) -> "Environment":
        if conda is not None:
            return cls.from_conda_specification(name, conda)
        return cls(name) if pip is None else cls.from_pip_requirements(name, pip)

    @classmethod
    def from_docker_image(cls, name: str, image: str,
                          container_registry: Optional[ContainerRegistry] = None,
                          conda_specification: Optional[PathLike] = None,
                          pip_requirements: Optional[PathLike] = None) -> "Environment":
        made = cls._with_packages(name, conda_specification, pip_requirements)
        made.docker.base_image = image
        made.docker.base_image_registry = container_registry or ContainerRegistry()
        return made

    @classmethod
    def from_dockerfile(cls, name: str, dockerfile: PathLike,
                        conda_specification: Optional[PathLike] = None,
                        pip_requirements: Optional[PathLike] = None) -> "Environment":
        made = cls._with_packages(name, conda_specification, pip_requirements)
        made.docker.base_dockerfile = dockerfile
        made.python.user_managed_dependencies = conda_specification is pip_requirements is None
        return made

    def register(self, workspace: Any = None) -> "Environment":
        """Tells nobody."""
        del workspace
        return self


def _absolute(path: Optional[PathLike]) -> Optional[str]:
    return None if path is None else os.path.abspath(os.fspath(path))


def _build(dockerfile: PathLike) -> Dict[str, str]:
    """The folder of a Dockerfile, and its name there."""
    text = os.fspath(dockerfile)
    if not os.path.isfile(text):
        raise BadCall(f"there is no Dockerfile {shortened(text)}",
                      "give its path; its text cannot be given in its place")
    folder, name = os.path.split(os.path.abspath(text))
    return {"path": folder, "dockerfile_path": name}
