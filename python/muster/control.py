"""mldesigner.dsl: choices and loops of a pipeline, as steps beside those that they are about."""

import json
from typing import Any, Dict, List, Mapping, Optional

from .binary import BadCall
from .checked import Checked, checked, given
from .designer import group
from .dsl import add_step
from .outputs import Output
from .pipeline import Pipeline
from .place import users_line


class Control(Checked):
    """A step that decides which others run, and how often."""

    def __init__(self, name: str, said: Dict[str, Any]) -> None:
        self.made_at = users_line()
        self.name = name
        self.said = said
        add_step(self)

    def step_keys(self) -> Dict[str, Any]:
        """Those of a step in a pipeline's file; names of steps are put in by the pipeline."""
        return given(self.said)


def _steps(found: Any) -> Any:
    return list(found) if isinstance(found, (list, tuple)) else found


@checked()
def condition(condition: Any, *, true_block: Any = None, false_block: Any = None) -> Control:
    """Runs one or the other, as an output of a step says."""
    if not isinstance(condition, Output):
        raise BadCall(f"condition is {condition!r}",
                      "it is an output of a step of type boolean: step.outputs.NAME")
    return Control("conditionnode", {"type": "if_else", "condition": condition,
                                     "true_block": _steps(true_block),
                                     "false_block": _steps(false_block)})


def _body(body: Any) -> Any:
    if isinstance(body, Pipeline):
        raise BadCall(f"the body of a loop is the pipeline {body.name}, whose values are known "
                      "when it is made", "let a component or command(...) be the body")
    if not hasattr(body, "inputs"):
        raise BadCall(f"the body of a loop is {body!r}, which is not a step",
                      "let a component that was called, or command(...), be the body")
    return body


def _input_name(body: Any, said: Any) -> Any:
    """Names, or what body.inputs.NAME has given."""
    if isinstance(said, str):
        return said
    if isinstance(said, list):
        return [_input_name(body, one) for one in said]
    found = [name for name, value in body.inputs.items() if value is said]
    if len(found) != 1:
        raise BadCall(f"mapping has {said!r}, which is not one of the inputs of {body.name}",
                      "give names: {'output': 'input'}")
    return found[0]


@checked()
def do_while(body: Any, mapping: Mapping[Any, Any], max_iteration_count: int,
             condition: Optional[Output] = None) -> Control:
    """Runs a step again, with what it made, as long as one of its outputs says so."""
    named = {one.name if isinstance(one, Output) else one: _input_name(_body(body), to)
             for one, to in mapping.items()}
    return Control("dowhile", {
        "type": "do_while", "body": body, "mapping": named,
        "condition": None if condition is None else condition.name,
        "limits": {"max_iteration_count": max_iteration_count}})


@checked()
def parallel_for(*, body: Any, items: Any, max_concurrency: Optional[int] = None) -> Control:
    """Runs a step with each of some sets of inputs."""
    try:
        text = json.dumps(items) if isinstance(items, (list, dict)) else items
    except TypeError as error:
        raise BadCall(f"items of parallel_for() cannot be written down: {error}",
                      'for example items=[{"n": 1}, {"n": 2}]') from None
    return Control("parallelfor", {"type": "parallel_for", "body": _body(body), "items": text,
                                   "max_concurrency": max_concurrency})


__all__: List[str] = ["condition", "do_while", "group", "parallel_for"]
