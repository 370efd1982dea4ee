"""A Jupyter notebook as a program: its cells of code, one after the other."""

import ast
import json
import linecache
import os
import sys
from typing import Any, Dict, List, Tuple

from .binary import BadCall
from .notebook_lines import HELP, MAGIC, OUTPUT, SHELL, python_of
from .notebook_magics import Magics
from .page import display


class _Notebook:
    """Its cells, and the module in which they are carried out."""

    def __init__(self, path: str) -> None:
        self._names: Dict[str, Any] = {"__name__": "__main__", "__file__": path,
                                       "display": display, "get_ipython": lambda: None}
        self._magics = Magics(self._names, self._carried_out, self._whole)
        self._names.update({SHELL: self._magics.shell, OUTPUT: self._magics.output,
                            MAGIC: self._magics.line, HELP: self._magics.help})
        self._place = path

    def _whole(self, path: str) -> None:
        """All cells of a notebook."""
        for text, place in cells_of(path):
            self._place = place
            self._cell(text, place)

    whole = _whole

    def _cell(self, source: str, place: str) -> None:
        """As Jupyter does: a value at the end of a cell is shown."""
        if source.startswith("%%") and not source.split("\n", 1)[0].rstrip().endswith("?"):
            head, _, body = source.partition("\n")
            self._magics.cell(head[2:], body, place)
            return
        value = self._carried_out(source)
        if value is not None:
            print(repr(value))

    def _carried_out(self, source: str) -> Any:
        """The value at its end."""
        if source.lstrip("\n").startswith("%%"):  # a cell's magic within another one
            self._cell(source.lstrip("\n"), self._place)
            return None
        return _carried_out(python_of(source), self._place, self._names)


def _carried_out(source: str, place: str, names: Dict[str, Any]) -> Any:
    lines = source.splitlines(keepends=True)
    linecache.cache[place] = (len(source), None, lines, place)  # for tracebacks
    tree = ast.parse(source, place)
    last = tree.body[-1] if tree.body else None
    shows = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
    if shows:
        tree.body.pop()
    exec(compile(tree, place, "exec"), names)
    if shows and isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), place, "eval"), names)
    return None


def cells_of(path: str) -> List[Tuple[str, str]]:
    """Of each cell of code, its text and what messages call it."""
    with open(path, encoding="utf-8-sig") as file:
        try:
            book = json.load(file)
            texts = [("".join(one["source"]), one["cell_type"]) for one in book["cells"]]
        except (ValueError, KeyError, TypeError):
            raise BadCall(f"{path} is not a Jupyter notebook of format 4",
                          "Jupyter can save it in that format", f"{path}:1") from None
    language = _language(book.get("metadata"))
    if language.lower() not in ("", "python", "python3", "ipython"):
        raise BadCall(f"{path} is a notebook of {language}, and muster carries out those of Python",
                      "Jupyter can save it as a program, which `muster run` starts", f"{path}:1")
    return [(text, f"{path}[cell {number}]")
            for number, (text, kind) in enumerate(texts, 1) if kind == "code"]


def _language(metadata: Any) -> str:
    """As its kernel says, or as Jupyter has noted it when it last ran."""
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        said = metadata.get(part) if isinstance(metadata, dict) else None
        if isinstance(said, dict) and isinstance(said.get(key), str):
            return str(said[key])
    return ""


def run_notebook(path: str) -> None:
    """All cells, in a module of their own."""
    folder, name = os.path.split(os.path.abspath(path))
    os.chdir(folder)  # where Jupyter carries it out
    sys.path[0] = folder
    _Notebook(name).whole(name)
