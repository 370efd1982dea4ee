"""Outputs of a step: names that the component's file declares."""

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Protocol

from .binary import BadCall
from .checked import Checked, checked, given, lacks, nearest
from .kinds import DataType


class Named(Protocol):
    """A step."""

    name: str

    @property
    def has_code(self) -> bool:
        """Whether it is a command that runs in a copy of its code."""


class Output(Checked):
    """One of them; it has a folder once its step has run: see job.outputs."""

    type: Optional[DataType]
    LACKS = lacks(no_effect="datastore description version early_available path_on_compute")

    def __init__(self, step: Named, name: str) -> None:
        self.step = step
        self.name = name
        self.mode: Any = None
        self.type = None
        self.path: Any = None

    def keys(self) -> Dict[str, Any]:
        """What a job file says of it."""
        path = None if self.path is None else str(self.path)
        return given({"type": self.type, "mode": self.mode, "path": path})

    @checked(lacks(no_effect="mode output_mode datastore output_datastore path_on_compute "
                             "path_on_datastore output_name overwrite type"))
    def configure(self) -> None:
        """Says how Azure ML would store it."""


# Every command with code has it, declared or not: the folder in which it ran, with ./outputs and
# ./logs.
_RUN_FOLDER = "artifacts"


class Outputs:
    """step.outputs.NAME, or step.outputs["NAME"]; either may be given an Output with a path."""

    def __init__(self, step: Named, names: List[str]) -> None:
        vars(self).update(_step=step, _names=names, _used={})

    _step: Named
    _names: List[str]
    _used: Dict[str, Output]

    @property
    def names(self) -> List[str]:
        """Those that were declared; an output of this name is had with brackets."""
        return self._names

    def said(self) -> Dict[str, Any]:
        """Of those that were changed, what a job file says of them."""
        return {name: one.keys() for name, one in self._used.items() if one.keys()}

    def __getitem__(self, name: str) -> Output:
        is_run_folder = name == _RUN_FOLDER and self._step.has_code
        if name not in self._names and not is_run_folder:
            hint = nearest(name, self._names)
            if name == _RUN_FOLDER:
                hint += "; undeclared, only a command with code has this one"
            raise BadCall(f"{getattr(self._step, 'shown', self._step.name)} has no output {name!r}",
                          hint)
        return self._used.setdefault(name, Output(self._step, name))

    def __setitem__(self, name: str, value: Any) -> None:
        output = self[name]
        if name not in self._names:
            raise BadCall(f"the output {name!r} of {self._step.name} is the folder in which it "
                          "runs, and not declared", f"declare it: outputs={{{name!r}: Output(...)}}")
        if not hasattr(value, "path"):
            raise BadCall(f"the output {name!r} of {self._step.name} cannot be {value!r}",
                          "give it an Output(path=...)")
        output.path, output.type, output.mode = value.path, value.type, value.mode

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Output:
            if name.startswith("__"):
                raise AttributeError(name)
            return self[name]

        def __setattr__(self, name: str, value: Any) -> None:
            self[name] = value
    else:
        def __getattr__(self, name: str) -> Output:
            return self[name]
