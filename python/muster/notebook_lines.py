"""Lines of a notebook that are not Python, as IPython reads them: !, %, and ? become calls."""

import ast
import io
import re
import string
import sys
import tokenize
from typing import Any, Dict, Iterator, List, Tuple

# What such lines call; notebook.py has these names.
SHELL, OUTPUT, MAGIC, HELP = ("__muster_shell__", "__muster_output__", "__muster_magic__",
                              "__muster_help__")
_ESCAPED = re.compile(r"^(\s*)(!!|!|%|\?\??)(.*)$", re.DOTALL)
# x = !ls, and x, y = %magic
_ASSIGNED = re.compile(r"^(\s*[A-Za-z_][\w.\[\]\"', ]*=\s*)([!%])(?!=)(.*)$", re.DOTALL)
_ASKED = re.compile(r"^(\s*)(%{0,2}[A-Za-z_*][\w.*\[\]]*)(\?\??)\s*$")
# What IPython takes without %, too.
_BARE = re.compile(r"^(\s*)((?:pip|conda) (?:install|uninstall|list) .*)$")


def _is_open(lines: List[str]) -> bool:
    """Whether a statement goes on: within brackets, within a string, or after a backslash."""
    text = "\n".join(lines)
    if text.rstrip(" ").endswith("\\"):
        return True
    try:
        for _ in tokenize.generate_tokens(io.StringIO(text.lstrip() + "\n").readline):
            pass
    except tokenize.TokenError:
        return True
    except SyntaxError:
        pass
    return False


def _joined(lines: List[str]) -> Tuple[str, int]:
    """A line with those that backslashes add to it, and how many they are."""
    parts: List[str] = []
    for line in lines:
        parts.append(line.rstrip())
        if not parts[-1].endswith("\\"):
            break
    count = len(parts)
    bare = [part[:-1] if number < count - 1 or part.endswith("\\") else part
            for number, part in enumerate(parts)]
    return " ".join(bare), count


def _call(escape: str, text: str) -> str:
    if escape == "%":
        name, _, words = text.strip().partition(" ")
        return f"{MAGIC}({name!r}, {words.strip()!r})"
    if escape.startswith("?"):
        return f"{HELP}({text.strip()!r})"
    return f"{OUTPUT if escape == '!!' else SHELL}({text!r})"


def _translated(line: str) -> str:
    """A whole line that begins a statement; empty if it is Python."""
    asked = _ASKED.match(line)
    if asked is not None:
        return f"{asked[1]}{HELP}({asked[2]!r})"
    found = _ESCAPED.match(line)
    if found is not None:
        return found[1] + _call(found[2], found[3])
    bare = _BARE.match(line)
    if bare is not None:
        return bare[1] + _call("%", bare[2])
    assigned = _ASSIGNED.match(line)
    if assigned is not None:
        escape = "!!" if assigned[2] == "!" else "%"
        return assigned[1] + _call(escape, assigned[3])
    return ""


def _lines_of(lines: List[str]) -> Iterator[str]:
    """As many lines as there were, so that messages name the right ones."""
    number = 0
    statement: List[str] = []
    while number < len(lines):
        whole, count = _joined(lines[number:])
        call = "" if statement else _translated(whole)
        if call:
            yield call + "\n" * (count - 1)
            number += count
            continue
        statement.append(lines[number])
        yield lines[number]
        number += 1
        if not _is_open(statement):
            statement = []


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def python_of(source: str) -> str:
    """The text of a cell as Python."""
    if _is_python(source):
        return source
    return "\n".join(_lines_of(source.split("\n")))


# ---- {name} and $name ----


class _Expander(string.Formatter):
    """Values of expressions in braces, and of $name, which single quotes keep as it is."""

    _DOLLAR = re.compile(r"\$(\$?)([\w.]+)(?=(?:[^']*'[^']*')*[^']*$)")

    def __init__(self, names: Dict[str, Any]) -> None:
        self._names = names

    def expanded(self, text: str) -> str:
        return "".join(self._pieces(text))

    def _pieces(self, text: str) -> Iterator[str]:
        for plain, expression, more, conversion in self.parse(text):
            yield self._DOLLAR.sub(self._dollar, plain)
            if expression is not None:
                whole = f"{expression}:{more}" if more else expression  # a slice
                value = self.convert_field(self._value(whole), conversion or None)  # type: ignore
                yield str(value)

    def _dollar(self, found: "re.Match[str]") -> str:
        return f"${found[2]}" if found[1] else str(self._value(found[2]))

    def _value(self, expression: str) -> Any:
        return eval(expression, self._names)  # the notebook's own text


def expanded(text: str, names: Dict[str, Any]) -> str:
    """All or nothing: a name that Python lacks is the shell's own, and so is the whole line."""
    try:
        return _Expander(names).expanded(text)
    except Exception:
        return text


def names_there(depth: int, names: Dict[str, Any]) -> Dict[str, Any]:
    """Those of the notebook, and of the function in it that is being called."""
    return {**names, **sys._getframe(depth + 1).f_locals}


class Lines(List[str]):
    """What a command has printed, as x = !command has it."""

    @property
    def l(self) -> "Lines":  # noqa: E743
        return self

    @property
    def n(self) -> str:
        """With line breaks between."""
        return "\n".join(self)

    @property
    def s(self) -> str:
        """With blanks between."""
        return " ".join(self)

    def grep(self, pattern: Any, prune: bool = False) -> "Lines":
        """Those that have it, or that have it not."""
        def has(line: str) -> bool:
            return bool(re.search(pattern, line, re.IGNORECASE) if isinstance(pattern, str)
                        else pattern(line))
        return Lines(line for line in self if has(line) != bool(prune))

    def fields(self, *numbers: int) -> Any:
        """Words of each line, or some of them."""
        if not numbers:
            return [line.split() for line in self]
        parts = [line.split() for line in self]
        return Lines(" ".join(words[one] for one in numbers if -len(words) <= one < len(words))
                     for words in parts if words)
