"""A Jupyter notebook as a program: its cells of code, one after the other."""

import ast
import json
import linecache
import os
import re
import subprocess
import sys
from typing import Any, Dict, List, Tuple

from .binary import BadCall
from .checked import note

_LINE = re.compile(r"^(\s*)([%!])(.*)$")
# Magics of a whole cell that are not Python.
_SHELLS = {"bash": "bash", "sh": "sh", "script": "sh"}
# What a page would show.
_SHOWN = ("html", "HTML", "javascript", "js", "latex", "markdown", "svg", "SVG")


def _expanded(text: str, names: Dict[str, Any]) -> str:
    """{name} and $name are variables, as in Jupyter; other braces stay."""
    def value(found: "re.Match[str]") -> str:
        name = found[1] or found[2]
        return str(names[name]) if name in names else found[0]
    return re.sub(r"\{(\w+)\}|\$([A-Za-z_]\w*)", value, text)


def _write(words: str, body: str, place: str, names: Dict[str, Any]) -> None:
    """%%writefile [-a] FILE."""
    found = words.split()
    if not found or found == ["-a"]:
        raise BadCall("%%writefile names no file", "for example %%writefile src/train.py",
                      f"{place}:1")
    mode = "a" if found[:1] == ["-a"] else "w"
    path = _expanded(found[-1], names)
    with open(path, mode, encoding="utf-8") as file:
        file.write(body)
    print(f"{'Appending to' if mode == 'a' else 'Writing'} {path}")


def _shell(shell: str, text: str) -> int:
    sys.stdout.flush()
    return subprocess.run([shell, "-c", text], check=False).returncode


def _magic(words: str) -> None:
    """%load_ext and the like are about the notebook's own pages."""
    word, _, rest = words.strip().partition(" ")
    name, equals, value = rest.strip().partition("=")
    if word == "cd" and rest:
        os.chdir(os.path.expanduser(rest.strip()))
    elif word in ("env", "set_env") and equals:
        os.environ[name.strip()] = value.strip()
    else:
        note(f"%{word} has no effect here")


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _python(source: str) -> str:
    """Lines that are not Python become calls; the others stay where they are."""
    if _is_python(source):
        return source
    lines = []
    for line in source.split("\n"):
        found = _LINE.match(line)
        if found is None:
            lines.append(line)
        elif found[2] == "%":
            lines.append(f"{found[1]}__muster_magic__({found[3]!r})")
        else:
            lines.append(f"{found[1]}__muster_shell__({found[3]!r})")
    return "\n".join(lines)


def _cell(source: str, place: str, names: Dict[str, Any]) -> None:
    if source.startswith("%%"):
        head, _, body = source.partition("\n")
        word, _, words = head[2:].strip().partition(" ")
        if word == "writefile":
            return _write(words, body, place, names)
        if word in _SHELLS:
            code = _shell(_SHELLS[word], body)
            if code != 0:
                raise BadCall(f"the cell of %%{word} ended with code {code}",
                              "Jupyter, too, goes no further", f"{place}:1")
            return None
        if word in _SHOWN:
            print(f"muster: {place}:1: %%{word} has no effect here", file=sys.stderr, flush=True)
            return None
        if word not in ("time", "capture", "timeit"):
            raise BadCall(f"muster cannot carry out a cell of %%{word}",
                          "it knows Python, %%writefile and %%bash", f"{place}:1")
        source = "\n" + body  # lines keep their numbers
    _carry_out(_python(source), place, names)
    return None


def _carry_out(source: str, place: str, names: Dict[str, Any]) -> None:
    """As Jupyter does: a value at the end of a cell is shown."""
    lines = source.splitlines(keepends=True)
    linecache.cache[place] = (len(source), None, lines, place)  # for tracebacks
    tree = ast.parse(source, place)
    last = tree.body[-1] if tree.body else None
    shows = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
    if shows:
        tree.body.pop()
    exec(compile(tree, place, "exec"), names)
    if shows and isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), place, "eval"), names)
        if value is not None:
            print(repr(value))


def cells_of(path: str) -> List[Tuple[str, str]]:
    """Of each cell of code, its text and what messages call it."""
    with open(path, encoding="utf-8-sig") as file:
        try:
            cells = json.load(file)["cells"]
            texts = [("".join(one["source"]), one["cell_type"]) for one in cells]
        except (ValueError, KeyError, TypeError):
            raise BadCall(f"{path} is not a Jupyter notebook of format 4",
                          "Jupyter can save it in that format", f"{path}:1") from None
    return [(text, f"{path}[cell {number}]")
            for number, (text, kind) in enumerate(texts, 1) if kind == "code"]


def run_notebook(path: str) -> None:
    """All cells, in a module of their own."""
    names: Dict[str, Any] = {"__name__": "__main__", "__file__": path}

    def shell(text: str) -> None:
        _shell("sh", _expanded(text, names))

    names.update(__muster_magic__=_magic, __muster_shell__=shell)
    folder, name = os.path.split(os.path.abspath(path))
    os.chdir(folder)  # where Jupyter carries it out
    sys.path[0] = folder
    for text, place in cells_of(name):
        _cell(text, place, names)
