"""Inputs of a job or a step: by name, as attributes or with brackets."""

import os
from typing import Any, Dict, List, Mapping, Optional

from .checked import Missing, given, nearest
from .outputs import Output
from .registers import path_of_asset


class WiredInput(Output):
    """The output of a step as an input of another, which may say more about it."""

    def __init__(self, output: Output) -> None:
        super().__init__(output.step, output.name)
        self._is_of = output

    @property
    def source(self) -> Output:
        return self._is_of


class Inputs(Dict[str, Any]):
    """step.inputs.NAME, which may be given another value, a mode or a type."""

    def __init__(self, of: str, values: Mapping[str, Any],
                 names: Optional[List[str]] = None) -> None:
        super().__init__(values)
        vars(self).update(_of=of, _names=list(values) if names is None else names)

    def __missing__(self, name: str) -> Any:
        raise Missing(f"{vars(self)['_of']} has no input {name!r}",
                      nearest(name, vars(self)["_names"]))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self and name in vars(self)["_names"]:
            return None
        value = self[name]
        if isinstance(value, Output) and not isinstance(value, WiredInput):
            value = self[name] = WiredInput(value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in vars(self)["_names"]:
            self.__missing__(name)
        self[name] = value


def absolute(path: object) -> Optional[str]:
    """A file of this machine as seen from anywhere; addresses stay, but for what is here."""
    if path is None:
        return None
    text = path_of_asset(str(path))
    return text if ":" in text.split("/", maxsplit=1)[0] else os.path.abspath(text)


def plain(value: Any) -> Any:
    """A truth value as Azure ML's jobs pass it: JSON has another word for it."""
    return str(value) if isinstance(value, bool) else value


def step_input(value: object) -> object:
    """As a pipeline's file has it; outputs of other steps stay what they are."""
    if isinstance(value, Output):
        return value
    path = getattr(value, "path", None)
    if path is None:
        default = getattr(value, "default", None)
        value = value if default is None else default
        return str(value) if isinstance(value, os.PathLike) else plain(value)
    return given({"type": getattr(value, "type", "uri_folder"),
                  "mode": getattr(value, "mode", None), "path": absolute(path)})
