"""Tracebacks as the author of a program knows it: without what carries the program out."""

import os
import sys
import traceback
from types import FrameType, TracebackType
from typing import Iterator, List, Optional, Set

# Files of this package that carry programs out, and what they use for it.
_CARRIERS = ("__main__.py", "notebook.py", "notebook_lines.py", "notebook_magics.py",
             "notebook_shell.py", "stand_ins.py")
_TOOLS = ("ast", "asyncio.base_events", "codeop", "contextlib", "importlib",
          "importlib._bootstrap", "runpy", "timeit")
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def _carries(frame: FrameType) -> bool:
    folder, name = os.path.split(os.path.abspath(frame.f_code.co_filename))
    return folder == _PACKAGE and name in _CARRIERS


def _is_tool(frame: FrameType) -> bool:
    return (frame.f_globals.get("__name__") in _TOOLS
            or frame.f_code.co_filename == "<timeit-src>")


def _shown(trace: Optional[TracebackType]) -> Iterator[TracebackType]:
    is_carried = False  # by the frames right above
    before = ("", 0)
    while trace is not None:
        frame = trace.tb_frame
        is_carried = _carries(frame) or is_carried and _is_tool(frame)
        place = (frame.f_code.co_filename, trace.tb_lineno)
        again = place == before and frame.f_code.co_name == "<module>"  # a line of %time
        if not is_carried and not again:
            yield trace
            before = place
        trace = trace.tb_next


def _users(trace: Optional[TracebackType]) -> Optional[TracebackType]:
    made: Optional[TracebackType] = None
    for one in reversed(list(_shown(trace))):
        made = TracebackType(made, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return made


def print_error(error: BaseException) -> None:
    """With the exceptions that it came from."""
    todo: List[Optional[BaseException]] = [error]
    done: Set[int] = set()
    while todo:
        one = todo.pop()
        if one is None or id(one) in done:
            continue
        done.add(id(one))
        one.__traceback__ = _users(one.__traceback__)
        todo += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
    traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
