"""mldesigner: functions as components; a rank calls them with `python3 -m muster.designer_run`."""

import dataclasses
import functools
import inspect
import os
from typing import Any, Callable, Dict, List, Optional, Type, Union

from .binary import BadCall
from .checked import checked, given
from .command_component import CommandComponent, declared_input, declared_output
from .environment import Environment
from .function_parts import annotations_of, is_output, returned_by, type_of
from .inputs import plain
from .job_parts import Input, Output

_Path = Union[str, "os.PathLike[str]", None]


def _inputs(function: Callable[..., Any]) -> Dict[str, Any]:
    declared = {}
    for name, annotation in annotations_of(function).items():
        parameter = inspect.signature(function).parameters[name]
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            raise BadCall(f"{function.__name__} takes any inputs: *{name}",
                          "a component's inputs have names")
        if is_output(annotation):
            continue
        said = declared_input(annotation) if isinstance(annotation, Input) else {}
        said["type"] = type_of(annotation)
        if parameter.default is None:
            said["optional"] = True
        elif parameter.default is not parameter.empty:
            said["default"] = plain(parameter.default)
        declared[name] = said
    return declared


def _outputs(function: Callable[..., Any]) -> Dict[str, Any]:
    found = {name: one for name, one in annotations_of(function).items() if is_output(one)}
    return {name: {**(declared_output(one) if isinstance(one, Output) else {}),
                   "type": type_of(one)}
            for name, one in {**found, **returned_by(function)}.items()}


def _command(function: Callable[..., Any], source: str, inputs: Dict[str, Any],
             outputs: Dict[str, Any]) -> str:
    def word(kind: str, name: str) -> str:
        return f"{name}='${{{{{kind}.{name}}}}}'"

    words = [f"$[[{word('inputs', name)}]]" if said.get("optional") else word("inputs", name)
             for name, said in inputs.items()]
    text = f"python3 -m muster.designer_run --source {source} --function {function.__name__}"
    text += f" --inputs {' '.join(words)}" if words else ""
    return text + (f" --outputs {' '.join(word('outputs', one) for one in outputs)}"
                   if outputs else "")


def _below(folder: str, path: Any) -> Any:
    """A file that is named from the folder of the function's file."""
    return os.path.normpath(os.path.join(folder, path)) if isinstance(path, str) else path


def _environment(said: Any, folder: str) -> Any:
    """What it says is seen from the folder of the function's file."""
    if isinstance(said, dict):
        build = said.get("build")
        return given({**said, "conda_file": _below(folder, said.get("conda_file")),
                      "build": {**build, "path": _below(folder, build.get("path", "."))}
                      if isinstance(build, dict) else build})
    if isinstance(said, Environment) or said is None:
        return said
    path = _below(folder, os.fspath(said))
    return path if os.path.isfile(path) else str(said)


def component_of(function: Callable[..., Any], said: Dict[str, Any]) -> CommandComponent:
    """What a job file would say of it."""
    file = os.path.abspath(inspect.getfile(function))
    folder = os.path.dirname(file)
    code = os.path.normpath(os.path.join(folder, said["code"] or "."))
    if os.path.relpath(file, code).startswith(".."):
        raise BadCall(f"{function.__name__}: its code {code!r} does not hold its file {file}",
                      "leave code out, or name a folder above the file")
    inputs, outputs = _inputs(function), _outputs(function)
    name = said["name"] or function.__name__
    return CommandComponent(
        name=name, version=said["version"], display_name=said["display_name"] or name,
        description=said["description"] or inspect.getdoc(function), tags=said["tags"],
        environment=_environment(said["environment"], folder), code=code,
        command=_command(function, os.path.relpath(file, code), inputs, outputs),
        distribution=said["distribution"], resources=said["resources"], inputs=inputs,
        outputs=outputs, is_deterministic=said["is_deterministic"] is not False)


@checked()
def command_component(func: Optional[Callable[..., Any]] = None, *, name: Optional[str] = None,
                      version: Optional[str] = None, display_name: Optional[str] = None,
                      description: Optional[str] = None,
                      is_deterministic: Optional[bool] = None,
                      tags: Optional[Dict[str, str]] = None, environment: Any = None,
                      distribution: Any = None, resources: Any = None, code: _Path = None) -> Any:
    """The decorator, with parentheses or without: calling the function makes a step."""
    said = dict(locals())
    del said["func"]

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.lru_cache(maxsize=None)
        def component() -> CommandComponent:
            return component_of(function, said)

        @functools.wraps(function)
        def step(*values: Any, **inputs: Any) -> Any:
            return component()(*values, **inputs)
        setattr(step, "component", component)
        return step
    return decorated if func is None else decorated(func)


def group(cls: Type[Any]) -> Type[Any]:
    """A class whose attributes are outputs, for what a component's function returns."""
    annotations: Dict[str, Any] = dict(vars(cls).get("__annotations__", {}))
    for one in annotations:
        if not hasattr(cls, one):
            setattr(cls, one, None)
    made = dataclasses.dataclass(cls)
    made.IS_GROUP = True
    return made


@checked()
def reference_component(path: _Path = None, name: Optional[str] = None,
                        version: Optional[str] = None, registry: Optional[str] = None) -> Any:
    """There is nothing to refer to."""
    del path, version, registry
    raise BadCall(f"the component {name!r} cannot be referred to",
                  "load_component(source=FILE) takes its file")


__all__: List[str] = ["Input", "Output", "command_component", "group", "reference_component"]
