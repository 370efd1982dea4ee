"""dsl.pipeline: a function that makes one step of a component becomes something to submit."""

import functools
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Optional, Protocol, Union

from .binary import BadCall
from .run import Run


class Submittable(Protocol):
    """A step of any kind."""

    name: str
    made_at: str

    def submit(self, experiment_name: str = "", default_target: object = None,
               tags: Optional[Dict[str, str]] = None, **where: Any) -> Run: ...


_made: List[List[Submittable]] = []  # of the pipelines that are being made


def add_step(step: Submittable) -> None:
    """A component has been called."""
    if _made:
        _made[-1].append(step)


class Pipeline:
    """The step that a decorated function has made."""

    def __init__(self, name: Optional[str], target: object, steps: List[Submittable]) -> None:
        if not steps:
            raise BadCall("the pipeline has no step", "call a component in its function")
        if len(steps) > 1:
            raise BadCall(f"the pipeline has {len(steps)} steps, and pipelines of more than one "
                          "are not there yet", f"submit {steps[0].name} and what follows one "
                          "by one: component(...).submit()", steps[1].made_at)
        self.name = name
        self.settings = SimpleNamespace(default_compute=target)
        self.steps = steps

    @property
    def default_compute_target(self) -> object:
        return self.settings.default_compute

    def submit(self, experiment_name: str = "", tags: Optional[Dict[str, str]] = None,
               regenerate_outputs: Optional[bool] = None, **where: Any) -> Run:
        """Starts its step; `where` as of Experiment.submit."""
        del regenerate_outputs  # results are never reused
        return self.steps[0].submit(experiment_name or self.name or "",
                                    self.default_compute_target, tags, **where)

    def validate(self) -> None:
        """Files have been checked when they were read."""


def pipeline(name: Union[str, Callable[..., Any], None] = None, description: Optional[str] = None,
             default_compute_target: object = None, default_compute: object = None,
             compute: object = None, **_: Any) -> Any:
    """The decorator, with parentheses or without."""
    del description
    target = default_compute_target or default_compute or compute
    if callable(name):
        return _pipeline_maker(name, name.__name__, target)
    return functools.partial(_pipeline_maker, name=name, target=target)


def _pipeline_maker(function: Callable[..., Any], name: Optional[str], target: object
                    ) -> Callable[..., Pipeline]:
    @functools.wraps(function)
    def make(*args: Any, **kwargs: Any) -> Pipeline:
        _made.append([])
        try:
            function(*args, **kwargs)
            return Pipeline(name, target, _made[-1])
        finally:
            _made.pop()
    return make
