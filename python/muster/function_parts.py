"""What a function's annotations say of a component: its inputs, its outputs, their types."""

import inspect
from typing import Any, Callable, Dict, Optional

from .checked import Checked, lacks
from .command_component import TYPES
from .job_parts import Input, Output
from .kinds import DataType

_NUMBERS = {"integer": int, "number": float}


class Meta(Checked):
    """What Annotated[TYPE, Meta(...)] says of an input or an output beside its type."""

    LACKS = lacks(accepted="description")

    def __init__(self, type: Optional[DataType] = None, description: Optional[str] = None,
                 min: Optional[float] = None, max: Optional[float] = None) -> None:
        self.type = type
        self.min = min
        self.max = max

    def of(self, kind: Any) -> Any:
        """That type with what this says of it."""
        if kind is Output:
            return Output(type=self.type or "uri_folder")
        if (self.type, self.min, self.max) == (None, None, None):
            return kind
        return Input(type=self.type or type_of(kind), min=self.min, max=self.max)


def _evaluated(function: Callable[..., Any], annotation: Any) -> Any:
    """`from __future__ import annotations` leaves text; of Annotated[...], the first counts, and
    Meta."""
    if isinstance(annotation, str):
        annotation = eval(annotation, getattr(function, "__globals__", {}))
    if not hasattr(annotation, "__metadata__"):
        return annotation
    kind = annotation.__origin__
    meta = next((one for one in annotation.__metadata__ if isinstance(one, Meta)), None)
    return kind if meta is None else meta.of(kind)


def annotations_of(function: Callable[..., Any]) -> Dict[str, Any]:
    """By parameter; those without one are what their defaults are."""
    found = {}
    for name, one in inspect.signature(function).parameters.items():
        bare = one.annotation is one.empty
        default = None if one.default is one.empty else one.default
        found[name] = TYPES.get(type(default), "string") if bare else _evaluated(
            function, one.annotation)
    return found


def is_output(annotation: Any) -> bool:
    return isinstance(annotation, Output) or annotation is Output


def type_of(annotation: Any) -> str:
    """As a job file calls it."""
    if annotation is Input or annotation is Output:
        return "uri_folder"
    if isinstance(annotation, str):
        return annotation
    return str(TYPES.get(annotation) or getattr(annotation, "type", None) or "string")


def returned_by(function: Callable[..., Any]) -> Dict[str, Any]:
    """Outputs that are what it returns: of a @group, all; else one, called `output`."""
    annotation = inspect.signature(function).return_annotation
    if annotation is inspect.Signature.empty or annotation is None:
        return {}
    annotation = _evaluated(function, annotation)
    if getattr(annotation, "IS_GROUP", False):
        return {name: _evaluated(function, one)
                for name, one in annotation.__annotations__.items()}
    return {} if annotation is None else {"output": annotation}


def value_of(text: str, kind: str) -> Any:
    """What the function is given for a word of its command."""
    if kind == "boolean":
        return text.strip().lower() in ("true", "1", "yes")
    return _NUMBERS.get(kind, str)(text)
