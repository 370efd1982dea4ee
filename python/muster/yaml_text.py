"""YAML of plain values: what print(job) shows, and what dump() writes."""

import json
import re
from typing import Any, Iterator, List

# What no reader of YAML, 1.1 or 1.2, takes for anything but text. `$` may begin an expression.
_PLAIN = re.compile(r"(?![-+.]?[\d.]|0|[-?:!&*|>%@`~]|[=<])[\w$./+()@^-]"
                    r"(?:[\w$./+()@^=,;*<>|&{}\[\]%~\"'!-]|:(?=\S)| (?=[^#\s]))*")
_WORDS = frozenset("y n yes no on off true false null none nan inf".split())


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float)):
        return json.dumps(value)
    text = str(value)
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and not text.endswith((":", " ")):
        return text
    return json.dumps(text)


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _entry(f"{_scalar(str(name))}:", one, "  ")
    else:
        for one in value:
            yield from _item(one)


def _item(value: Any) -> Iterator[str]:
    """One of a list: what it holds begins on the line of the dash."""
    if not isinstance(value, (dict, list, tuple)) or not value:
        yield from _entry("-", value, "  ")
        return
    for number, line in enumerate(_lines(value)):
        yield ("  " if number else "- ") + line


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, (dict, list, tuple)) and value:
        yield head
        yield from (indent + line if isinstance(value, dict) else line for line in _lines(value))
    elif isinstance(value, (dict, list, tuple)):
        yield f"{head} {'{}' if isinstance(value, dict) else '[]'}"
    elif isinstance(value, str) and "\n" in value.strip("\n") and _may_be_block(value):
        yield f"{head} |{'' if value.endswith(chr(10)) else '-'}"
        yield from (f"  {line}" if line else "" for line in value.rstrip("\n").split("\n"))
    else:
        yield f"{head} {_scalar(value)}"


def _may_be_block(text: str) -> bool:
    lines: List[str] = text.rstrip("\n").split("\n")
    return (text.isprintable() or all(line.isprintable() for line in lines)) \
        and not lines[0].startswith(" ") and not text.endswith("\n\n")


def yaml_of(value: Any) -> str:
    """Its text, which ends with a line break."""
    return "\n".join(_lines(value)) + "\n"
