"""dsl.pipeline: a function that calls components becomes a pipeline of their steps."""

import functools
import sys
from types import FrameType
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from .checked import checked, lacks
from .pipeline import Pipeline, Submittable, named_steps, outputs_of

# Of the pipelines that are being made: steps, and the names that they had in one within.
_made: List[List[Tuple[Submittable, str]]] = []


def add_step(step: Submittable, name: str = "") -> None:
    """A component has been called."""
    if _made:
        _made[-1].append((step, name))


def forget_step(step: object) -> None:
    """It has become a part of another one."""
    if _made:
        _made[-1][:] = [one for one in _made[-1] if one[0] is not step]


@checked(lacks(
    accepted="version get_component", no_effect="default_datastore identity on_init on_finalize "
    "continue_on_failed_optional_input", refused={
        "non_pipeline_parameters": "call the function with their values"}))
def pipeline(name: Union[str, Callable[..., Any], None] = None, version: Optional[str] = None,
             display_name: Optional[str] = None, description: Optional[str] = None,
             default_compute: object = None, default_datastore: object = None,
             tags: Optional[Dict[str, str]] = None, *, default_compute_target: object = None,
             compute: object = None, experiment_name: Optional[str] = None,
             continue_on_step_failure: Optional[bool] = None, force_rerun: Optional[bool] = None,
             is_deterministic: Optional[bool] = None) -> Any:
    """The decorator, with parentheses or without."""
    said = {"name": display_name or name, "description": description,
            "target": default_compute_target or default_compute or compute,
            "experiment_name": experiment_name, "tags": tags,
            "goes_on": continue_on_step_failure, "force_rerun": force_rerun,
            "is_deterministic": is_deterministic}
    if callable(name):
        return _pipeline_maker(name, {**said, "name": name.__name__})
    return functools.partial(_pipeline_maker, said=said)


def _pipeline_maker(function: Callable[..., Any], said: Dict[str, Any]
                    ) -> Callable[..., Pipeline]:
    @functools.wraps(function)
    def make(*args: Any, **kwargs: Any) -> Pipeline:
        _made.append([])
        try:
            returned, variables = _called(function, args, kwargs)
            steps = named_steps(_made[-1], variables)
        finally:
            _made.pop()
        for name, step in steps.items():  # those of a pipeline within another are its steps, too
            add_step(step, name)
        named = {**said, "name": said["name"] or function.__name__}
        return Pipeline(named, steps, outputs_of(returned))
    return make


def _called(function: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]
            ) -> Tuple[object, Dict[str, object]]:
    """What the function returns, and the variables that it had then: they name its steps."""
    variables: Dict[str, object] = {}

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code is getattr(function, "__code__", None):
            variables.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        returned = function(*args, **kwargs)
    finally:
        sys.setprofile(before)
    return returned, variables


__all__ = ["Pipeline", "add_step", "forget_step", "pipeline"]
