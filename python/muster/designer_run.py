"""Calls a function that is a component: what a job made of @command_component runs in its ranks.

python3 -m muster.designer_run --source FILE --function NAME --inputs A=B... --outputs C=D...
"""

import argparse
import importlib.util
import inspect
import os
import sys
from typing import Any, Callable, Dict, List

from .function_parts import annotations_of, is_output, returned_by, type_of, value_of
from .own_files import opener
from .stand_ins import StandIns


def _pairs(words: List[str]) -> Dict[str, str]:
    return dict(word.split("=", 1) for word in words)


def _function(source: str, name: str) -> Callable[..., Any]:
    """As it was before it was decorated."""
    sys.path[:0] = [os.path.dirname(os.path.abspath(source)), os.getcwd()]
    found = os.path.splitext(source)[0].replace(os.sep, ".")
    spec = importlib.util.spec_from_file_location(found, source)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{source} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[found] = module
    spec.loader.exec_module(module)
    function: Callable[..., Any] = inspect.unwrap(getattr(module, name))
    return function


def _write(results: Dict[str, Any], outputs: Dict[str, str]) -> None:
    """Values that it returned, once: by the first rank."""
    if os.environ.get("RANK", "0") != "0":
        return
    for name, value in results.items():
        with open(outputs[name], "w", encoding="utf-8", opener=opener) as file:
            file.write(str(value))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("--inputs", nargs="*", default=[])
    parser.add_argument("--outputs", nargs="*", default=[])
    told = parser.parse_args()
    sys.meta_path.append(StandIns())  # for what is not installed here
    function = _function(told.source, told.function)
    inputs, outputs = _pairs(told.inputs), _pairs(told.outputs)
    kinds = annotations_of(function)
    words = {name: value_of(text, type_of(kinds[name])) for name, text in inputs.items()}
    words.update({name: outputs[name] for name, kind in kinds.items() if is_output(kind)})
    returned = function(**words)
    names = list(returned_by(function))
    if names:
        is_one = names == ["output"] and not hasattr(returned, "output")
        _write({"output": returned} if is_one else
               {name: getattr(returned, name) for name in names}, outputs)


if __name__ == "__main__":
    main()
