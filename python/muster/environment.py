"""The software that a job asks for: `environment` in muster's job files."""

import os
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Union

PathLike = Union[str, "os.PathLike[str]"]


class CondaDependencies:
    """A list of packages: a conda file, or what a program has added."""

    def __init__(self, conda_dependencies_file_path: Optional[PathLike] = None) -> None:
        self.file = _absolute(conda_dependencies_file_path)
        self.conda: List[str] = []
        self.pip: List[str] = []
        self.channels: List[str] = []

    @classmethod
    def create(cls, pip_packages: Optional[List[str]] = None,
               conda_packages: Optional[List[str]] = None, python_version: Optional[str] = None,
               **_: object) -> "CondaDependencies":
        made = cls()
        made.pip += pip_packages or []
        made.conda += conda_packages or []
        if python_version is not None:
            made.conda.append(f"python={python_version}")
        return made

    def add_conda_package(self, conda_package: str) -> None:
        self.conda.append(conda_package)

    def add_pip_package(self, pip_package: str) -> None:
        self.pip.append(pip_package)

    def add_channel(self, channel: str) -> None:
        self.channels.append(channel)

    def conda_file(self) -> Union[str, Dict[str, Any]]:
        """A file's path, or what would stand in it."""
        added = bool(self.conda or self.pip or self.channels)
        if self.file is not None:
            if added:
                raise ValueError(f"packages cannot be added to {self.file}: write them into it")
            return self.file
        wanted: List[object] = list(self.conda)
        if self.pip:
            wanted += ["pip", {"pip": list(self.pip)}]
        return {"channels": list(self.channels), "dependencies": wanted}


class Environment:
    """A name, an image, packages, variables, and the interpreter that runs the job's script."""

    def __init__(self, name: str, interpreter: str = "python3") -> None:
        self.name = name
        self.environment_variables: Dict[str, str] = {}
        self.python = SimpleNamespace(interpreter_path=interpreter, conda_dependencies=None,
                                      user_managed_dependencies=False)
        self.docker = SimpleNamespace(enabled=False, base_image=None, base_dockerfile=None)

    @property
    def interpreter(self) -> str:
        return str(self.python.interpreter_path)

    @interpreter.setter
    def interpreter(self, path: str) -> None:
        self.python.interpreter_path = path

    def job_key(self) -> Union[None, str, Dict[str, Any]]:
        """What a job file says of it; None where the hosts hold the software already."""
        keys: Dict[str, Any] = {}
        if self.docker.base_dockerfile is not None:
            keys["build"] = _build(self.docker.base_dockerfile)
        elif self.docker.base_image is not None:
            keys["image"] = str(self.docker.base_image)
        ready = bool(self.python.user_managed_dependencies)
        if self.python.conda_dependencies is not None and not ready:
            keys["conda_file"] = self.python.conda_dependencies.conda_file()
        if keys:
            return {"name": self.name, **keys}
        return None if ready else self.name

    @classmethod
    def get(cls, workspace: Any = None, name: str = "", version: Optional[str] = None,
            label: Optional[str] = None) -> "Environment":
        """An environment of that name; nothing is asked of anybody."""
        del workspace, label
        return cls(f"{name}:{version}" if version else name)

    @classmethod
    def from_conda_specification(cls, name: str, file_path: PathLike) -> "Environment":
        made = cls(name)
        made.python.conda_dependencies = CondaDependencies(file_path)
        return made

    @classmethod
    def from_pip_requirements(cls, name: str, file_path: PathLike,
                              pip_version: Optional[str] = None) -> "Environment":
        del pip_version
        made = cls(name)
        listed = [f"-r {_absolute(file_path)}"]
        made.python.conda_dependencies = CondaDependencies.create(pip_packages=listed)
        return made

    @classmethod
    def from_docker_image(cls, name: str, image: str, *_: object,
                          conda_specification: Optional[PathLike] = None,
                          pip_requirements: Optional[PathLike] = None,
                          **__: object) -> "Environment":
        made = cls(name)
        if conda_specification is not None:
            made = cls.from_conda_specification(name, conda_specification)
        elif pip_requirements is not None:
            made = cls.from_pip_requirements(name, pip_requirements)
        made.docker.base_image = image
        return made

    @classmethod
    def from_dockerfile(cls, name: str, dockerfile: PathLike, **_: object) -> "Environment":
        made = cls(name)
        made.docker.base_dockerfile = dockerfile
        made.python.user_managed_dependencies = True
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
        raise ValueError(f"there is no Dockerfile {text!r}; its text cannot be given in its place")
    folder, name = os.path.split(os.path.abspath(text))
    return {"path": folder, "dockerfile_path": name}
