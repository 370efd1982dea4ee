"""Folders and scripts of a job's code: they must be here before any host is asked."""

import os
import re
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

from .binary import BadCall

# A command that begins with the call of a script, which is in the folder of its code.
_CALLS = re.compile(r"\s*(?:\S*/)?python[\d.]*\s+(?:-[uBEOsS]+\s+)*([\w.][\w./-]*\.py)(?=\s|$)")


def _parts(keys: Dict[str, Any], steps: Iterator[str], place: str
           ) -> Iterator[Tuple[Dict[str, Any], str]]:
    """Jobs and components within a job file, and the lines of the program that made them."""
    yield keys, place
    for name in ("trial", "component", "task"):
        if isinstance(keys.get(name), dict):
            yield from _parts(keys[name], steps, place)
    for step in keys.get("jobs", {}).values():
        yield from _parts(step, steps, next(steps, place))


def _lacks(keys: Dict[str, Any]) -> Optional[Tuple[str, str]]:
    code = keys.get("code")
    if not isinstance(code, str) or ":" in code.split("/", maxsplit=1)[0]:
        return None
    if not os.path.exists(code):
        return (f"there is no folder {code}, which holds the code of the job",
                "it is taken from this machine: check the path")
    called = _CALLS.match(str(keys.get("command", "")))
    script = called[1] if called else keys.get("entry_script")
    if script is None or os.path.exists(os.path.join(code, str(script))):
        return None
    return (f"there is no script {script} in {code}, the code of the job",
            "it is taken from this machine: check the name")


def check_code(keys: Dict[str, Any], described_at: str,
               steps: Sequence[Tuple[int, str, str]]) -> None:
    """Refuses a job whose code is not here."""
    for part, place in _parts(keys, iter([line for _, _, line in steps]), described_at):
        found = _lacks(part)
        if found is not None:
            raise BadCall(*found, place)
