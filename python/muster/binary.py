"""Calls the muster program: $MUSTER, `muster` on PATH, or that beside this Python."""

import json
import os
import re
import shutil
import subprocess
import sys
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from .place import users_line


class MusterError(RuntimeError):
    """What muster said when it did not do what it was asked, and its exit code."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said.strip() or f"muster ended with code {code}")
        self.code = code

    def told(self) -> str:
        """As the program says it: each complaint is a line, its hint an indented one."""
        return "\n".join(line if line.startswith((" ", "muster: ")) or not line
                         else f"muster: error: {line}" for line in str(self).splitlines())


Complaint = Tuple[str, str]  # what is wrong, and what to do


class BadCall(MusterError, TypeError, ValueError):
    """Words that make no sense, noticed before muster was asked; a TypeError and a ValueError,
    too, for programs that catch these."""

    def __init__(self, said: str, hint: str = "", place: str = "",
                 more: Sequence[Complaint] = ()) -> None:
        line = place or users_line()
        told = [f"{line}: {what}\n  hint: {todo}" if todo else f"{line}: {what}"
                for what, todo in ((said, hint), *more)]
        super().__init__(240, "\n".join(told))


def path() -> str:
    """The program, or a MusterError."""
    # An environment's Python may be called by its path, without the environment's PATH.
    found = (os.environ.get("MUSTER") or shutil.which("muster")
             or shutil.which("muster", path=os.path.join(sys.prefix, "bin")))
    if not found:
        raise MusterError(127, "there is no muster on PATH; MUSTER may name it")
    return found


_PROGRESS = re.compile(r"muster: (?!error: )")


def complaint_of(said: str) -> str:
    """What went wrong, without what was said on the way there."""
    lines = said.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("muster: error: ")), None)
    if first is None:
        return said
    return "\n".join(line for line in lines[first:] if not _PROGRESS.match(line))


def _run(words: Sequence[str], **streams: Any) -> "subprocess.CompletedProcess[str]":
    program = path()
    try:
        return subprocess.run([program, *words], check=False, **streams)
    except OSError as error:
        raise MusterError(126, f"cannot run {program}: {error.strerror}") from None


def completed(*words: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    """`muster WORDS` at its end, whatever that was; it reads `text`."""
    return _run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                errors="replace")


Hearer = Optional[Callable[[str], None]]


def text_of(*words: str, text: str = "", hear: Hearer = None) -> str:
    """What `muster WORDS` prints; `hear` is given what it says beside that."""
    ended = completed(*words, text=text)
    if ended.returncode != 0:
        raise MusterError(ended.returncode, complaint_of(ended.stderr))
    if hear is not None and ended.stderr:
        hear(ended.stderr)
    return ended.stdout


def answer_of(*words: str, text: str = "", hear: Hearer = None) -> Dict[str, Any]:
    """The JSON object that `muster WORDS --json` prints."""
    answer = json.loads(text_of(*words, "--json", text=text, hear=hear))
    assert isinstance(answer, dict)
    return answer


def code_of(*words: str) -> int:
    """The exit code of `muster WORDS`, which says what it says on this program's own streams."""
    sys.stdout.flush()  # what the program has printed comes first
    return _run(words, stdin=subprocess.DEVNULL).returncode
