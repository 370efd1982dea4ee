"""A Jupyter notebook as a program: its cells of code, one after the other."""

import ast
import asyncio
import codeop
import contextlib
import inspect
import json
import linecache
import os
import sys
from types import CodeType
from typing import Any, ContextManager, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .binary import BadCall
from .notebook_lines import CELL, HELP, MAGIC, OUTPUT, SHELL, python_of
from .notebook_magics import Magics
from .notebook_output import Transcript
from .notebook_shell import Shell
from .page import display, page


class _Cell(NamedTuple):
    """One of code, and what messages call it."""

    text: str
    place: str
    number: int  # among all cells, from 1 on
    has_defaults: bool  # of parameters, as papermill knows it


class _Notebook:
    """Its cells, and the module in which they are carried out."""

    def __init__(self, path: str, transcript: Optional[Transcript] = None) -> None:
        self._transcript = transcript  # of the cells of that file
        self._path = path
        self._names: Dict[str, Any] = {"__name__": "__main__", "__file__": path,
                                       "display": display}
        self._magics = Magics(self._names, self._carried_out, self.whole)
        shell = Shell(self._names, self._magics)
        page.shell = shell
        self._names.update({SHELL: self._magics.shell, OUTPUT: self._magics.output,
                            MAGIC: self._magics.line, HELP: self._magics.help,
                            CELL: self._magics.cell, "get_ipython": lambda: shell})
        self._compiled = codeop.Compile()  # a cell's `from __future__` holds for those below
        self._compiled.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._loop = asyncio.new_event_loop()  # what one cell leaves waiting goes on in others
        asyncio.set_event_loop(self._loop)

    def whole(self, path: str, parameters: Mapping[str, Any] = {}) -> None:
        """All cells of a notebook; as in Jupyter, a value at the end of a cell is shown."""
        cells = _cells_of(path)
        first = next((at for at, one in enumerate(cells, 1) if one.has_defaults), 0)
        for at, cell in enumerate(cells):
            if at == first:
                self._names.update(parameters)
            lines = cell.text.splitlines(keepends=True)
            linecache.cache[cell.place] = (len(cell.text), None, lines, cell.place)  # of tracebacks
            with self._kept(cell):
                value = self._carried_out(cell.text, cell.place)
                if value is not None:
                    print(repr(value))

    def _kept(self, cell: _Cell) -> ContextManager[None]:
        """What it prints, if a notebook with that is to be written."""
        if self._transcript is None or not cell.place.startswith(f"{self._path}[cell "):
            return contextlib.nullcontext()
        return self._transcript.cell(cell.number)

    def close(self) -> None:
        """What its cells have left waiting is given up."""
        self._loop.close()

    def _carried_out(self, source: str, place: str, above: int = 0) -> Any:
        """The value at its end; its first line has so many of the cell's above it."""
        text = python_of(source, self._names, self._magics.names)
        codes = self._codes(_tree(text, place, above), not text.rstrip().endswith(";"), place)
        if any(code.co_flags & inspect.CO_COROUTINE for code in codes):  # await outside functions
            return self._loop.run_until_complete(self._waited(codes))
        return [eval(code, self._names) for code in codes][-1]

    def _codes(self, tree: ast.Module, shows: bool, place: str) -> List[CodeType]:
        """Its statements, and the expression at their end."""
        last = tree.body[-1] if tree.body else None
        parts: List[Tuple[Any, str]] = [(tree, "exec")]
        if shows and isinstance(last, ast.Expr):
            tree.body.pop()
            parts.append((ast.Expression(last.value), "eval"))
        return [self._compiled(part, place, kind) for part, kind in parts]

    async def _waited(self, codes: List[CodeType]) -> Any:
        value = None
        for code in codes:
            value = eval(code, self._names)
            if code.co_flags & inspect.CO_COROUTINE:
                value = await value
        return value


def _tree(text: str, place: str, above: int) -> ast.Module:
    """Its nodes lie where messages look for them: in the lines that the user has written."""
    lines = text.split("\n")

    def differs(number: int) -> bool:
        return (0 < number <= len(lines)
                and linecache.getline(place, number + above).rstrip("\n") != lines[number - 1])

    try:
        tree = ast.parse(text, place)
    except SyntaxError as error:
        if error.lineno is not None:
            _move_error(error, place, above, differs(error.lineno))
        raise
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            _widen(node, [one for one in ("lineno", "end_lineno") if differs(getattr(node, one))])
    ast.increment_lineno(tree, above)
    return tree


def _move_error(error: SyntaxError, place: str, above: int, differs: bool) -> None:
    error.lineno = (error.lineno or 1) + above
    if getattr(error, "end_lineno", None):
        setattr(error, "end_lineno", error.lineno)
    if differs:
        error.text, error.offset = linecache.getline(place, error.lineno), None


def _widen(node: Any, translated: List[str]) -> None:
    """To whole lines, of which tracebacks then mark no part: the columns are not the user's."""
    if "lineno" in translated:
        node.col_offset = 0
    if "end_lineno" in translated:
        node.end_col_offset = 10 ** 4


def _cells_of(path: str) -> List[_Cell]:
    with open(path, encoding="utf-8-sig") as file:
        try:
            book = json.load(file)
            cells = [("".join(one["source"]), one["cell_type"],
                      "parameters" in one.get("metadata", {}).get("tags", []))
                     for one in book["cells"]]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadCall(f"{path} is not a Jupyter notebook of format 4",
                          "Jupyter can save it in that format", f"{path}:1") from None
    language = _language(book.get("metadata"))
    if language.lower() not in ("", "python", "python3", "ipython"):
        raise BadCall(f"{path} is a notebook of {language}, and muster carries out those of Python",
                      "Jupyter can save it as a program, which `muster run` starts", f"{path}:1")
    return [_Cell(text, f"{path}[cell {number}]", number, has_defaults)
            for number, (text, kind, has_defaults) in enumerate(cells, 1) if kind == "code"]


def _language(metadata: Any) -> str:
    """As its kernel says, or as Jupyter has noted it when it last ran."""
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        said = metadata.get(part) if isinstance(metadata, dict) else None
        if isinstance(said, dict) and isinstance(said.get(key), str):
            return str(said[key])
    return ""


def run_notebook(path: str, parameters: Mapping[str, Any], output: Optional[str] = None) -> None:
    """All cells, in a module of their own; parameters are set behind their defaults, or first.

    `output`: a notebook with what they print, which is written however they end."""
    folder, name = os.path.split(os.path.abspath(path))
    to = None if output is None else os.path.abspath(output)
    os.chdir(folder)  # where Jupyter carries it out
    sys.path[0] = folder
    transcript, behind = None, 0
    if to is not None:  # all is read before a cell can go to another folder
        behind = next((one.number for one in _cells_of(name) if one.has_defaults), 0)
        transcript = Transcript(name, to)
    with contextlib.closing(_Notebook(name, transcript)) as notebook:
        try:
            notebook.whole(name, parameters)
        finally:
            if transcript is not None:
                transcript.write(parameters, behind)
