"""Which line of the user's program is being carried out: complaints begin with it."""

import os
import sys
from types import FrameType
from typing import Optional

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _is_users(frame: FrameType) -> bool:
    name = frame.f_code.co_filename
    generated = name == "<string>" and frame.f_code.co_name == "__init__"  # of a dataclass
    return not (generated or name.startswith("<frozen ")
                or os.path.abspath(name).startswith(_PACKAGE))


def shown(path: str) -> str:
    """A file as seen from the current folder, where that is shorter."""
    if path.startswith("<") or not os.path.isabs(path):
        return path
    below = os.path.relpath(path)
    return path if below.startswith("..") else below


def users_frame() -> Optional[FrameType]:
    """The innermost call that is not this package's own."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and not _is_users(frame):
        frame = frame.f_back
    return frame


def users_line() -> str:
    """FILE:LINE of that call."""
    frame = users_frame()
    return f"{shown(frame.f_code.co_filename)}:{frame.f_lineno}" if frame else ""
