"""Outputs of a step: names that the component's file declares."""

from typing import Any, List, Protocol

from .binary import BadCall


class Named(Protocol):
    """A step."""

    name: str


class Output:
    """One of them; it has a folder once its step has run: see Run.details()."""

    def __init__(self, step: Named, name: str) -> None:
        self.step = step
        self.name = name
        self.mode: Any = None  # how Azure ML would take it over, as the next two
        self.type: Any = None
        self.path: Any = None

    def configure(self, **_: object) -> None:
        """Says how Azure ML would store it."""


class Outputs:
    """step.outputs.NAME, or step.outputs["NAME"]."""

    def __init__(self, step: Named, names: List[str]) -> None:
        self._step = step
        self._names = names

    @property
    def names(self) -> List[str]:
        """Those that were declared; an output of this name is had with brackets."""
        return self._names

    def __getattr__(self, name: str) -> Output:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._names:
            have = f"it has {', '.join(self._names)}" if self._names else "it has none"
            raise BadCall(f"{self._step.name} has no output {name!r}", have)
        return Output(self._step, name)

    __getitem__ = __getattr__
