"""What the annotations of a call say that its values are: a value of another kind is told."""

import collections.abc
import difflib
import functools
import inspect
import numbers
import os
import sys
import types
import typing
from typing import IO, TYPE_CHECKING, Any, Callable, Dict, Mapping, Tuple, Union

if TYPE_CHECKING:
    DataType = str
else:
    class DataType:
        """What the type of an input or output may be: a word of Azure ML's."""


class Misfit(Exception):
    """A value that is not what is wanted: the kind, how one is written, and which part it is."""

    def __init__(self, wanted: str, example: str, hint: str = "") -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.example = example
        self.hint = hint  # where an example is not enough
        self.at = ""  # "[3]", where it is a part of what was given
        self.value: Any = None

    def within(self, key: object, value: object) -> "Misfit":
        """Of the part that stands there."""
        if not self.at:
            self.value = value
        self.at = f"[{key!r}]{self.at}"
        return self


_PLAIN: Dict[Any, Tuple[str, str]] = {
    int: ("a whole number", "2"), float: ("a number", "0.5"), bool: ("True or False", "True"),
    str: ("text", '"text"'), list: ("a list", "[...]"), dict: ("a dictionary", "{...}"),
    os.PathLike: ("a path", '"folder"'), IO: ("an open file", "open(FILE)"),
    DataType: ("a type of inputs and outputs", '"uri_folder"')}
_EXAMPLES = {"arguments": '["--lr", 0.1]', "environment_variables": '{"NAME": "value"}',
             "metrics": '{"loss": 0.5}', "inputs": '{"lr": 0.1}', "outputs": '{"model": Output()}',
             "command": '"python3 train.py"', "image": '"repository/name:tag"',
             "tags": '{"stage": "dev"}', "script": '"train.py"', "entry_script": '"score.py"',
             "conda_file": '"conda.yml"', "distribution": '{"type": "mpi"}',
             "environment": 'Environment(...)', "values": "[1, 2]"}
# Texts that are no numbers, and what else may stand in their place.
_NO_NUMBERS = {"command": "text", "image": "text", "path": "a path", "code": "a path",
               "source_directory": "a path", "script": "a path", "entry_script": "a path",
               "conda_file": "a path or a dictionary", "local_path": "a path"}
_NAMES = {"compute": "the name of a compute target", "environment": "a name or an Environment",
          "compute_target": "the name of a compute target",
          "default_compute": "the name of a compute target"}
_FLAT = ("arguments", "command", "inputs", "outputs")  # their parts are no lists
_ANYTHING = ("dictionary", "names", "variables")  # log_dict() writes any value as text
_LISTS = (list, tuple, set, collections.abc.Sequence, collections.abc.Iterable)
_DICTIONARIES = (dict, collections.abc.Mapping)


def _whole(value: Any) -> int:
    """Numbers of other libraries, and whole numbers in text, are whole numbers."""
    if isinstance(value, bool):
        raise ValueError
    if isinstance(value, str):
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        if not float(value).is_integer():
            raise ValueError
        return int(value)
    return value if isinstance(value, int) else value.__index__()


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not (hasattr(value, "__float__") or isinstance(value, str)):
        raise ValueError
    return value if isinstance(value, (int, float)) else float(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, (bool, int)) and type(value).__name__ not in ("bool_", "bool"):
        raise ValueError
    if value not in (0, 1):
        raise ValueError
    return bool(value)


def _text(value: Any) -> str:
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, bool) or not isinstance(value, (str, numbers.Number)):
        raise ValueError
    return value if isinstance(value, str) else str(value)


def _path(value: Any) -> Any:
    if not isinstance(value, os.PathLike):
        raise ValueError
    return value


def _file(value: Any) -> Any:
    if not (hasattr(value, "read") or hasattr(value, "write")):
        raise ValueError
    return value


# As muster's job files have them; those behind "path" are of older files.
_DATA_TYPES = ("string", "number", "integer", "boolean", "enum", "uri_file", "uri_folder",
               "mltable", "mlflow_model", "custom_model", "triton_model", "path",
               "float", "int", "bool", "anyfile", "anydirectory", "azuremldataset")


def _data_type(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError
    low = value.lower()
    if low in _DATA_TYPES:
        return value
    names = _DATA_TYPES[:_DATA_TYPES.index("path") + 1]
    near = difflib.get_close_matches(low, names, 1)
    known = f"the types are {', '.join(names)}"
    raise Misfit(_PLAIN[DataType][0], "", f"did you mean {near[0]}?" if near else known)


def _list(value: Any) -> Any:
    is_other = isinstance(value, (str, bytes, collections.abc.Mapping))
    if is_other or not isinstance(value, collections.abc.Iterable):
        raise ValueError
    return value


def _dictionary(value: Any) -> Any:
    if not isinstance(value, collections.abc.Mapping):
        raise ValueError
    return value


_FITTING: Dict[Any, Callable[[Any], Any]] = {
    int: _whole, float: _number, bool: _truth, str: _text, os.PathLike: _path, IO: _file,
    DataType: _data_type, list: _list, dict: _dictionary}


def _plain_kind(kind: Any) -> Any:
    """A key of the tables, or the class itself."""
    origin = typing.get_origin(kind) or kind
    if origin in _LISTS:
        return list
    return dict if origin in _DICTIONARIES else origin


def _said(kind: Any) -> Tuple[str, str]:
    """What a message calls it, and how one is written."""
    plain = _plain_kind(kind)
    if plain is Union:
        arms = [_said(one) for one in typing.get_args(kind) if one is not type(None)]
        return " or ".join(dict.fromkeys(arm[0] for arm in arms)), arms[0][1]
    if plain in _PLAIN:
        return _PLAIN[plain]
    name = getattr(plain, "name_in_sdk", lambda: plain.__name__)()
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}", f"{name}(...)"


def _exactly(kind: Any, value: Any) -> bool:
    plain = _plain_kind(kind)
    return inspect.isclass(plain) and type(value) is plain


def _refuse_misnamed(kind: Any, name: str, value: Any) -> None:
    """By what a parameter of this name is, but for a switch: submit(environment=False)."""
    if kind is bool or value is None:
        return
    if name in _NO_NUMBERS and isinstance(value, numbers.Number):
        raise Misfit(_NO_NUMBERS[name], '"folder"')
    is_dictionary = name == "environment" and isinstance(value, collections.abc.Mapping)
    if name in _NAMES and not (isinstance(value, str) or is_dictionary or hasattr(value, "name")):
        raise Misfit(_NAMES[name], '"name"')
    if name == "distribution" and isinstance(value, (str, bytes, numbers.Number, list, tuple)):
        raise Misfit("a distribution or a dictionary", "...")


def _is_list(value: Any) -> bool:
    """But for a pair of a path and how a job gets it."""
    return isinstance(value, (list, tuple)) and not (
        len(value) == 2 and hasattr(value[1], "BINDS_PATH"))


def _refuse_alien(name: str, value: Any) -> None:
    """A part that no job can hold, of a list or a dictionary that may have anything else."""
    is_plain = type(value) in (object, bytes, bytearray, set, frozenset, types.ModuleType)
    is_nested = name in _FLAT and _is_list(value)
    is_number = name == "outputs" and isinstance(value, numbers.Number)
    if is_plain or is_nested or is_number or inspect.isroutine(value):
        wanted = "text or a number" if name in _FLAT else "a value"
        raise Misfit("an Output" if name == "outputs" else wanted, "...")


def _fitted_part(kind: Any, name: str, key: object, value: Any) -> Any:
    try:
        if _plain_kind(kind) in (Any, object) and name not in _ANYTHING:
            _refuse_alien(name, value)
        return fitted(kind, value)
    except Misfit as misfit:
        raise misfit.within(key, value) from None


def _fitted_list(kind: Any, name: str, value: Any) -> Any:
    """The same list, unless something in it became another value."""
    arms = typing.get_args(kind)
    if len(arms) > 1 and arms[1] is not Ellipsis:
        return value
    is_list = isinstance(value, (list, tuple))
    is_table = isinstance(value, collections.abc.Sized) and not isinstance(
        value, (list, tuple, set, frozenset))
    if is_table:  # an array, what a library has
        return value
    parts = list(value)
    one = arms[0] if arms and not isinstance(arms[0], typing.TypeVar) else Any
    made = [_fitted_part(one, name, number, part) for number, part in enumerate(parts)]
    same = is_list and all(new is old for new, old in zip(made, parts))
    return value if same else type(value)(made) if type(value) in (list, tuple) else made


def _fitted_dictionary(kind: Any, name: str, value: Any) -> Any:
    arms = typing.get_args(kind)
    one = arms[1] if len(arms) == 2 and not isinstance(arms[1], typing.TypeVar) else Any
    made = {key: _fitted_part(one, name, key, part) for key, part in value.items()}
    is_same = all(made[key] is part for key, part in value.items())
    return value if is_same or type(value) is not dict else made


def fitted(kind: Any, value: Any, name: str = "") -> Any:
    """The value as one of this kind, or Misfit; of a parameter or setting of this name."""
    plain = _plain_kind(kind)
    _refuse_misnamed(kind, name, value)
    if plain in (Any, object):
        return value
    if plain is Union:
        return _fitted_to_one(kind, value, name)
    if plain in _FITTING:
        try:
            found = _FITTING[plain](value)
        except (ValueError, TypeError, AttributeError, OverflowError):
            raise Misfit(*_said(kind)) from None
        if plain is list:
            return _fitted_list(kind, name, found)
        return _fitted_dictionary(kind, name, found) if plain is dict else found
    is_checkable = inspect.isclass(plain) and not getattr(plain, "_is_protocol", False)
    if is_checkable and not isinstance(value, plain):
        raise Misfit(*_said(kind))
    return value


def _fitted_to_one(kind: Any, value: Any, name: str) -> Any:
    """Of the kinds, that which the value is, else the first that it can become."""
    arms = sorted(typing.get_args(kind), key=lambda arm: not _exactly(arm, value))
    inner = None
    for arm in arms:
        try:
            return fitted(arm, value, name)
        except Misfit as misfit:
            inner = inner or (misfit if misfit.at or misfit.hint else None)
    raise inner or Misfit(*_said(kind))


class _Paths:
    """os.PathLike[str], which Python 3.8 lacks."""

    class PathLike:
        def __class_getitem__(cls, _: Any) -> Any:
            return os.PathLike


def _hints(of: Any) -> Mapping[str, Any]:
    """Without those that only a type checker can read."""
    try:
        return typing.get_type_hints(of)
    except (NameError, TypeError):
        pass
    found: Dict[str, Any] = {}
    names = {**vars(sys.modules[of.__module__]), "os": _Paths}
    for name, kind in getattr(of, "__annotations__", {}).items():
        alone = types.SimpleNamespace(__annotations__={name: kind})
        try:
            found.update(typing.get_type_hints(alone, names))
        except (NameError, TypeError):
            pass
    return found


@functools.lru_cache(maxsize=None)
def kinds_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Of its parameters."""
    return _hints(function)


@functools.lru_cache(maxsize=None)
def kinds_of_settings(of: type) -> Mapping[str, Any]:
    """Of attributes: as a class says, as their setters say, and as it is made with them."""
    found = {name: kind for name, kind in kinds_of(getattr(of, "__init__")).items()
             if name != "return"}
    found.update(_hints(of))
    for name in dir(of):
        setter = getattr(inspect.getattr_static(of, name, None), "fset", None)
        if setter is not None:
            said = [kind for one, kind in kinds_of(setter).items() if one != "return"]
            found[name] = said[0] if said else Any
    return found


def shortened(value: object) -> str:
    """As a message shows it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def told_misfit(whole: str, name: str, value: object, misfit: Misfit) -> Tuple[str, str]:
    """What is wrong and what to write, of a parameter or a setting; `whole` has its {}."""
    example = _EXAMPLES.get(name, misfit.example)
    shown = misfit.value if misfit.at else value
    return (f"{whole.format(name + misfit.at)} is {shortened(shown)}, "
            f"which is not {misfit.wanted}", misfit.hint or f"for example {name}={example}")
