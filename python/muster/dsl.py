"""dsl.pipeline: a function that calls components becomes a pipeline of their steps."""

import functools
import inspect
import sys
from types import FrameType
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from .binary import BadCall, Complaint
from .checked import checked, lacks, nearest
from .kinds import Misfit, fitted, kinds_of, told_misfit
from .pipeline import Pipeline, Submittable, named_steps, outputs_of

_made: List[List[Submittable]] = []  # steps of the pipelines that are being made


def add_step(step: Submittable) -> None:
    """A component has been called."""
    if _made:
        _made[-1].append(step)


def forget_step(step: object) -> None:
    """It has become a part of another one."""
    if _made:
        _made[-1][:] = [one for one in _made[-1] if one is not step]


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
        inputs = _arguments(function, args, kwargs)
        _made.append([])
        try:
            returned, variables = _called(function, args, kwargs)
            steps = named_steps(_made[-1], variables)
        finally:
            _made.pop()
        named = {**said, "name": said["name"] or function.__name__,
                 "description": said["description"] or inspect.getdoc(function)}
        made = Pipeline(named, steps, outputs_of(returned), inputs)
        add_step(made)  # of the pipeline around it
        return made
    setattr(make, "IS_PIPELINE", True)
    return make


def _arguments(function: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]
               ) -> Dict[str, Any]:
    """By the names of its parameters; a word that it lacks is told with those that it has."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        names = list(signature.parameters)
        wrong = [(f"{function.__name__}() has no parameter {name!r}", nearest(name, names))
                 for name in kwargs if name not in names]
        hint = f"its inputs are {', '.join(names)}" if names else "it takes none"
        first, *more = wrong or [(f"{function.__name__}(): {error}", hint)]
        raise BadCall(*first, more=more) from None
    bound.apply_defaults()
    _refuse_misfits(function, bound.arguments)
    return dict(bound.arguments)


def _refuse_misfits(function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    """Texts for parameters whose annotations say that they are numbers or truth values."""
    kinds = kinds_of(function)
    wrong: List[Complaint] = []
    for name, value in arguments.items():
        kind = kinds.get(name)
        is_truth = kind is bool and str(value).lower() in ("true", "false")
        if kind not in (int, float, bool) or not isinstance(value, str) or is_truth:
            continue
        try:
            fitted(kind, value, name)
        except Misfit as misfit:
            wrong.append(told_misfit(f"{{}} of {function.__name__}()", name, value, misfit))
    if wrong:
        raise BadCall(*wrong[0], more=wrong[1:])


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
