"""The software that a job asks for: muster starts no containers, so its target must hold it."""

from types import SimpleNamespace
from typing import Any, Dict, Optional


class Environment:
    """A name, variables for the job's processes, and the interpreter that runs its script."""

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

    @property
    def is_there_already(self) -> bool:
        """Whether the program says so itself: its hosts hold the software."""
        return bool(self.python.user_managed_dependencies)

    @classmethod
    def get(cls, workspace: Any = None, name: str = "", version: Optional[str] = None,
            label: Optional[str] = None) -> "Environment":
        """An environment of that name; nothing is asked of anybody."""
        del workspace, label
        return cls(f"{name}:{version}" if version else name)

    @classmethod
    def from_conda_specification(cls, name: str, file_path: str) -> "Environment":
        """Reads nothing."""
        del file_path
        return cls(name)

    from_pip_requirements = from_conda_specification

    @classmethod
    def from_docker_image(cls, name: str, image: str, **_: object) -> "Environment":
        """Fetches nothing."""
        made = cls(name)
        made.docker.base_image = image
        return made

    def register(self, workspace: Any = None) -> "Environment":
        """Tells nobody."""
        del workspace
        return self


class CondaDependencies:
    """A list of packages, which muster does not install."""

    def __init__(self, conda_dependencies_file_path: Optional[str] = None) -> None:
        del conda_dependencies_file_path

    @classmethod
    def create(cls, **_: object) -> "CondaDependencies":
        return cls()

    def add_conda_package(self, conda_package: str) -> None:
        """Installs nothing."""

    def add_pip_package(self, pip_package: str) -> None:
        """Installs nothing."""

    def add_channel(self, channel: str) -> None:
        """Asks nobody."""
