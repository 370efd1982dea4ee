"""MLClient: where programs of Azure ML's SDK v2 submit jobs and ask for them."""

import os
import sys
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from .assets import Data, DataAssets, JobSchedule, Model, Models, Schedules
from .binary import BadCall
from .checked import Checked, checked, lacks
from .command_component import CommandComponent
from .component import Component, Step
from .environment import Environment
from .environment_v2 import Environments
from .jobs import Jobs, ValidationResult
from .known_names import component_file, name_of
from .registers import Register
from .services import UNSUPPORTED, Compute, Described, Unsupported, Workspace, Workspaces

class Components(Checked):
    """client.components: those that muster.yml names, or programs of this machine have kept."""

    IN_SDK = "client.components"

    def __init__(self) -> None:
        self._register = Register("components")
        self._of_this_program: Dict[str, Any] = {}  # those made of functions

    @checked(lacks(accepted="skip_validation"))
    def create_or_update(self, component: Any, version: Optional[str] = None) -> Any:
        """Keeps it under its name; one that a function makes, as long as this program runs."""
        if callable(component) and hasattr(component, "__wrapped__"):
            self._of_this_program[component.__name__] = component
            return component
        if not isinstance(component, Component):
            raise BadCall(f"{component!r} is not a component",
                          "load_component(...) and @command_component make one")
        said = component.keys()
        kept: Dict[str, Any] = {"keys" if isinstance(said, dict) else "file": said}
        component.version = self._register.put(component.name, version or component.version, kept)
        return component

    def get(self, name: str, version: Optional[str] = None, label: Optional[str] = None) -> Any:
        """One of this program, else one that muster.yml, --set or a file names, or a program."""
        if name in self._of_this_program:
            return self._of_this_program[name]
        file = component_file(name_of(name, version, label))
        if file is not None:
            return Component.from_yaml(None, file)
        found, said = self._register.get(name, version)
        made = (CommandComponent.of_keys(said["keys"]) if "keys" in said
                else Component.from_yaml(None, said["file"]))
        made.version = found
        return made

    @checked(lacks(accepted="list_view_type"))
    def list(self, name: Optional[str] = None) -> Iterator[Any]:
        return (self.get(one, version) for one, version, _ in self._register.all(name))

    def validate(self, component: Any, raise_on_failure: bool = False) -> ValidationResult:
        """Its file was checked when it was loaded."""
        del component, raise_on_failure
        return ValidationResult({})


_ACCOUNT = lacks(accepted="path file_name registry_name cloud show_progress enable_telemetry "
                          "logging_enable base_url credential_scopes")


class MLClient(Checked):
    """Stands where SDK v2 wants one: muster needs no account."""

    LACKS = _ACCOUNT

    def __init__(self, credential: object = None, subscription_id: Optional[str] = None,
                 resource_group_name: Optional[str] = None, workspace_name: Optional[str] = None,
                 ) -> None:
        del credential
        self.subscription_id = subscription_id
        self.resource_group_name = resource_group_name
        self.workspace_name = workspace_name
        self.jobs = Jobs()
        self.compute = Compute()
        self.environments = Environments()
        self.workspaces = Workspaces(subscription_id, resource_group_name, workspace_name)
        self.components = Components()
        self.data = DataAssets("data", Data)
        self.models = Models("models", Model)
        self.schedules = Schedules()
        vars(self).update({name: Unsupported(name, hint) for name, hint in UNSUPPORTED.items()})

    def __repr__(self) -> str:
        return (f"MLClient(subscription_id={self.subscription_id!r}, "
                f"resource_group_name={self.resource_group_name!r}, "
                f"workspace_name={self.workspace_name!r})")

    @classmethod
    @checked(_ACCOUNT)
    def from_config(cls, credential: object = None) -> "MLClient":
        """Reads nothing."""
        return cls(credential)

    def create_or_update(self, entity: Any, **words: Any) -> Any:
        """A job is started; anything else is kept under its name."""
        keepers: List[Tuple[type, Any]] = [
            (Data, self.data), (Model, self.models), (Environment, self.environments),
            (Component, self.components)]
        for kind, keeper in keepers:
            if isinstance(entity, kind):
                return keeper.create_or_update(entity, **words)
        return self.jobs.create_or_update(entity, **words)

    def begin_create_or_update(self, entity: Any, **words: Any) -> Any:
        """Of schedules and computes, which are kept; muster has no other services."""
        if isinstance(entity, JobSchedule):
            return self.schedules.begin_create_or_update(entity, **words)
        if isinstance(entity, Workspace):
            return self.workspaces.begin_create(entity, **words)
        if isinstance(entity, Described):
            raise BadCall(f"muster makes no {type(entity).__name__}", "it runs jobs, and has none "
                          "of Azure ML's other services")
        return self.compute.begin_create_or_update(entity, **words)


class Credential:
    """Stands where azure.identity has one: nobody is asked."""

    def __init__(self, **_: Any) -> None:
        pass

    def get_token(self, *_: str) -> Any:
        return SimpleNamespace(token="", expires_on=sys.maxsize)


class Inert:
    """A part of a job that has no effect here; the word it is given for says so."""

    def __init__(self, **_: Any) -> None:
        pass


_OVERRIDES = lacks(refused={
    "params_override": "call the component with inputs, and set what else differs on the step",
    "relative_origin": "give the path of the file"})


_File = Union[str, "os.PathLike[str]", None]


def _loaded(source: _File, path: _File) -> Component:
    if source is None and path is None:
        raise BadCall("load_...(source=...) needs a file", "give the path of the job's file")
    return Component.from_yaml(None, source if source is not None else path or "")


@checked(_OVERRIDES)
def load_component(source: _File = None, *, path: _File = None) -> Component:
    """A component's file, checked; `path` is what older programs call it."""
    return _loaded(source, path)


@checked(_OVERRIDES)
def load_job(source: _File = None, *, path: _File = None) -> Step:
    """A job's file, checked."""
    return Step(_loaded(source, path), {})
