"""dsl.pipeline: a function that makes one step of a component becomes something to submit."""

import functools
from typing import Any, Callable, List, Optional, TYPE_CHECKING

from .run import Run
from .script_run_config import target_name

if TYPE_CHECKING:
    from .component import Step

_made: List[List["Step"]] = []  # of the pipelines that are being made


def add(step: "Step") -> None:
    """A component has been called."""
    if _made:
        _made[-1].append(step)


class Pipeline:
    """The steps that a decorated function has made."""

    def __init__(self, name: Optional[str], target: object, steps: List["Step"]) -> None:
        if len(steps) != 1:
            raise ValueError(f"muster runs single jobs: a pipeline has one step, not {len(steps)}")
        self.name = name
        self.default_compute_target = target
        self.steps = steps

    def submit(self, experiment_name: str = "") -> Run:
        """Starts its step."""
        target = self.default_compute_target
        return self.steps[0].submit(experiment_name or self.name or "",
                                    None if target is None else target_name(target))


def pipeline(name: Optional[str] = None, description: Optional[str] = None,
             default_compute_target: object = None, **_: Any
             ) -> Callable[[Callable[..., Any]], Callable[..., Pipeline]]:
    """The decorator."""
    del description

    def decorate(function: Callable[..., Any]) -> Callable[..., Pipeline]:
        @functools.wraps(function)
        def make(*args: Any, **kwargs: Any) -> Pipeline:
            _made.append([])
            try:
                function(*args, **kwargs)
                return Pipeline(name, default_compute_target, _made[-1])
            finally:
                _made.pop()
        return make
    return decorate
