"""Hands jobs to muster, and says its complaints in the words and lines of the Python program."""

import json
import os
import re
import sys
from typing import IO, Any, Dict, List, Sequence, Tuple, Union

from .binary import BadCall, MusterError
from .command_line import command_line
from .kinds import Misfit, fitted, shortened
from .local_files import check_code
from .named_files import open_named
from .place import users_line
from .run import Run
from .spelling import Spelling, python_words
from .yaml_text import yaml_of

# Where a job file is written to.
Destination = Union[str, "os.PathLike[str]", IO[str]]

_NOTICE = re.compile(r"muster: (.* has no effect here.*)")
_ERROR = re.compile(r"muster: error: (?:(?P<file>[^:\n]+):(?P<line>\d+):\d+: )?(?P<what>.*)")


class Complaints:
    """Translates what muster says about a file that a line of the program has described."""

    def __init__(self, file: str = "", described_at: str = "", spelling: Spelling = Spelling(),
                 places: Sequence[Tuple[int, str]] = ()) -> None:
        self._file = file
        self._described_at = described_at
        self._spelling = spelling
        self._places = places  # first lines of steps in the file, and the lines that made them

    def translated(self, said: str) -> str:
        """The same, each error with a line of the program in front."""
        return "\n".join(map(self._line, said.strip().splitlines()))

    def _line(self, line: str) -> str:
        error = _ERROR.fullmatch(line)
        if error is None:
            notice = _NOTICE.fullmatch(line)
            place = f"{self._described_at or users_line()}: " if notice else ""
            unnamed = self._spelling._replace(renamed={})
            return python_words(f"muster: {place}{notice[1]}" if notice else line, unnamed)
        what = python_words(error["what"], self._spelling)
        if error["file"] == self._file and self._described_at:
            return f"{self._place(int(error['line']))}: {what}"
        if error["file"]:  # a file of the user's own
            what = line[len("muster: error: "):]
        return f"{users_line()}: {what}"

    def _place(self, line: int) -> str:
        made = [place for first, place in self._places if first <= line]
        return made[-1] if made else self._described_at


def told_apart(said: str) -> Tuple[str, str]:
    """The errors with their hints, and what muster had said before: how far it was."""
    errors: List[str] = []
    others: List[str] = []
    kept = others
    for line in said.splitlines():
        if not line.startswith(" "):  # a hint belongs to what it is about
            kept = errors if line.startswith("muster: error: ") else others
        kept.append(line)
    others = [line for line in others if not line.startswith("muster: exit code ")]
    return ("\n".join(errors), "\n".join(others)) if errors else (said, "")


def _is_of_asked_name(line: str) -> bool:
    """An option that the job does not need, since the program has asked what the name means."""
    found = re.search(r": --set (\S+) has no effect here: the job names no such ", line)
    return found is not None and found[1] in command_line.asked


def submit_file(file: str, words: List[str], complaints: Complaints = Complaints(),
                text: str = "") -> Run:
    """Starts the job of a job file and returns once all its processes run; "-" is `text`."""
    def hear(said: str) -> None:
        lines = [line for line in said.splitlines() if not _is_of_asked_name(line)]
        if lines:
            print(complaints.translated("\n".join(lines)), file=sys.stderr, flush=True)

    try:
        run = Run.submit(file, *words, text=text, hear=hear)
    except MusterError as error:
        errors, progress = told_apart(str(error))
        if progress:
            hear(progress)
        raise MusterError(error.code, complaints.translated(errors)) from None
    if command_line.tells:
        print(f"muster: {users_line()}: run {run.name} has started: muster logs -f {run.name}",
              file=sys.stderr, flush=True)
    return run


# Of the steps of a pipeline: how far their names are indented, and the lines that made them.
Places = List[Tuple[int, str, str]]


def _as_json(value: Any) -> Any:
    """Numbers of other libraries, and paths; nothing else can be written into a file."""
    for kind in (int, float, str):
        try:
            return fitted(kind, value)
        except Misfit:
            pass
    raise Misfit(shortened(value), "")


def json_of(keys: Dict[str, Any]) -> str:
    """A job file's text; JSON is YAML, too."""
    try:
        return json.dumps(keys, indent=1, default=_as_json)
    except Misfit as strange:
        raise BadCall(f"the job has {strange.wanted}, which a job file cannot hold",
                      "it holds text, numbers, lists and dictionaries") from None


def submit_keys(keys: Dict[str, Any], words: List[str], described_at: str,
                spelling: Spelling, steps: Sequence[Tuple[int, str, str]] = ()) -> Run:
    """The same with the keys of a job file.

    `steps`: the lines of the program that made those of a pipeline.
    """
    check_code(keys, described_at, steps)
    text = json_of(keys)
    complaints = Complaints("-", described_at, spelling, _places_of(steps, text))
    return submit_file("-", words, complaints, text)


def dump_keys(keys: Dict[str, Any], dest: Destination) -> None:
    """Writes a job file to a path, or to a file that is open."""
    text = yaml_of(keys)
    if not isinstance(dest, (str, os.PathLike)):
        dest.write(text)
        return
    with open_named(dest, "w") as file:
        file.write(text)


def _places_of(steps: Sequence[Tuple[int, str, str]], text: str) -> List[Tuple[int, str]]:
    """The lines of steps, which come in the order in which the text has them."""
    places = []
    left = list(steps)
    for number, line in enumerate(text.splitlines(), 1):
        if left and line.startswith(" " * left[0][0] + json.dumps(left[0][1]) + ": {"):
            places.append((number, left.pop(0)[2]))
    return places
