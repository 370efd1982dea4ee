"""SDK v2's Environment, and client.environments."""

import os
from typing import Any, Dict, Iterator, Optional

from .binary import BadCall
from .checked import Checked, checked, given, lacks, note
from .environment import CondaDependencies, Environment
from .known_names import environment_of, name_of
from .registers import Register
from .yaml_text import yaml_of


class BuildContext(Checked):
    """SDK v2's: a folder with a Dockerfile."""

    def __init__(self, path: str, dockerfile_path: str = "Dockerfile") -> None:
        self.path = path
        self.dockerfile_path = dockerfile_path


class EnvironmentEntity(Environment):
    """SDK v2's Environment: without image, build or conda_file only its name counts."""

    IN_SDK = "Environment"
    LACKS = lacks(accepted="description tags properties os_type", refused={
        "datastore": "muster has no datastores: name a folder of this machine",
        "inference_config": "muster runs jobs, not endpoints"})

    def __init__(self, name: str = "", *, version: Optional[str] = None,
                 image: Optional[str] = None, build: Optional[BuildContext] = None,
                 conda_file: object = None) -> None:
        super().__init__(name or image or "")
        self.version = version
        self.image = image
        self.build = build
        self.conda_file = conda_file

    def __str__(self) -> str:
        key = self.job_key()
        said = key if isinstance(key, dict) else {"name": key}
        return yaml_of(given({**said, "version": self.version}))

    @property
    def image(self) -> Optional[str]:
        """The name of an image; another one may be set later, like the next two."""
        name: Optional[str] = self.docker.base_image
        return name

    @image.setter
    def image(self, name: Optional[str]) -> None:
        self.docker.base_image = name

    @property
    def build(self) -> Optional[BuildContext]:
        """Where the image is built from."""
        return self._build

    @build.setter
    def build(self, context: Optional[BuildContext]) -> None:
        self._build = context
        self.docker.base_dockerfile = (None if context is None else
                                       os.path.join(context.path, context.dockerfile_path))

    @property
    def conda_file(self) -> object:
        """Packages: a file, or what would stand in it."""
        return self._conda_file

    @conda_file.setter
    def conda_file(self, said: object) -> None:
        self._conda_file = said
        self.python.conda_dependencies = (
            None if said is None else _Listed(said) if isinstance(said, dict)
            else CondaDependencies(str(said)))


class _Listed(CondaDependencies):
    """What would stand in a conda file."""

    def __init__(self, keys: Dict[str, Any]) -> None:
        super().__init__()
        self._keys = keys

    def is_empty(self) -> bool:
        return False

    def conda_file(self) -> Dict[str, Any]:
        return self._keys


class Environments(Checked):
    """client.environments: what programs of this machine have registered, and any other name."""

    IN_SDK = "client.environments"

    def __init__(self) -> None:
        self._register = Register("environments")

    def create_or_update(self, environment: EnvironmentEntity) -> EnvironmentEntity:
        """Keeps it; jobs may then name it as NAME:VERSION."""
        if not isinstance(environment, Environment) or not environment.name:
            raise BadCall(f"{environment!r} is not an environment with a name",
                          "give Environment(name=..., image=...)")
        key = environment.job_key()
        said = key if isinstance(key, dict) else {}
        environment.version = self._register.put(environment.name, environment.version, said)
        return environment

    def get(self, name: str, version: Optional[str] = None, label: Optional[str] = None
            ) -> EnvironmentEntity:
        """One that was registered here, else a name, with the image that muster.yml or --set has
        for it."""
        found = self._register.find(name, version)
        if found is None:
            known = environment_of(name_of(name, version, label or "latest"))
            is_file = known is None or os.path.exists(known)
            return EnvironmentEntity(name, version=version, image=None if is_file else known)
        said = dict(found[1])
        build = said.get("build")
        return EnvironmentEntity(
            name, version=found[0], image=said.get("image"), conda_file=said.get("conda_file"),
            build=BuildContext(**build) if build else None)

    @checked(lacks(accepted="list_view_type"))
    def list(self, name: Optional[str] = None) -> Iterator[EnvironmentEntity]:
        return (self.get(one, version) for one, version, _ in self._register.all(name))

    @checked(lacks(accepted="version label"))
    def archive(self, name: str, version: Optional[str] = None) -> None:
        """Hides nothing."""
        note(f"client.environments.archive({name!r}) has no effect here")

    restore = archive


def registered_environment(text: str) -> Optional[Dict[str, Any]]:
    """What a job file says of NAME:VERSION, if a program has registered that here."""
    found = Register("environments").named_by(text)
    return found[1] or None if found is not None else None
