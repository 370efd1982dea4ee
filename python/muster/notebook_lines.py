"""Lines of a notebook that are not Python, as IPython reads them: !, %, and ? become calls."""

import ast
import builtins
import io
import re
import string
import tokenize
from typing import Any, Collection, Dict, Iterator, List, Tuple

from .place import users_frame

# What such lines call; notebook.py has these names.
SHELL, OUTPUT, MAGIC, HELP, CELL = ("__muster_shell__", "__muster_output__", "__muster_magic__",
                                    "__muster_help__", "__muster_cell__")
_ESCAPED = re.compile(r"^(\s*)(!!|!|%|\?\??)(.*)$", re.DOTALL)
# x = !ls, and x, y = %magic
_ASSIGNED = re.compile(r"^(\s*[A-Za-z_][\w.\[\]\"', ]*=\s*)([!%])(?!=)(.*)$", re.DOTALL)
_ASKED = re.compile(r"^(\s*)(%{0,2}[A-Za-z_*][\w.*\[\]]*)(\?\??)\s*$")
# What cannot be anything else without its %.
_BARE = re.compile(r"^(\s*)((?:pip|conda) (?:install|uninstall|list) .*"
                   r"|(?:cat|cd|cp|ls|mkdir|mv|rm|rmdir) [^\s=,(\[.].*)$")
_ALONE = re.compile(r"(\w+)(?:\s+(?![=,]).*)?")  # a magic's name, and its words


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


def _without_indent(source: str) -> str:
    """A cell whose first line is indented, as one pasted from a function."""
    first = next((line for line in source.split("\n") if line.strip()), "")
    indent = first[:len(first) - len(first.lstrip())]
    return "\n".join(line[len(indent):] if indent and line.startswith(indent) else line
                     for line in source.split("\n"))


def _is_bare_magic(line: str, names: Dict[str, Any], magics: Collection[str]) -> bool:
    """A magic without its %, in a cell of one line; Python's names come first."""
    found = _ALONE.fullmatch(line)
    return bool(found and found[1] in magics and found[1] not in names
                and not hasattr(builtins, found[1]))


def python_of(source: str, names: Dict[str, Any], magics: Collection[str]) -> str:
    """The text of a cell as Python, in as many lines or fewer."""
    text = _without_indent(source)
    above, body = re.match(r"((?:[ \t]*\n)*)(.*)", text, re.DOTALL).groups()  # type: ignore
    first, _, rest = body.partition("\n")
    if first.startswith("%%") and not first.rstrip().endswith("?"):
        return f"{above}{CELL}({first[2:]!r}, {rest!r})"
    if not rest.strip() and _is_bare_magic(first.strip(), names, magics):
        return above + _call("%", first)
    if _is_python(text):
        return text
    return "\n".join(_lines_of(text.split("\n")))


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


def names_there(names: Dict[str, Any]) -> Dict[str, Any]:
    """Those of the notebook, and of the function in it that is being called."""
    frame = users_frame()
    return {**names, **frame.f_locals} if frame is not None else names


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
