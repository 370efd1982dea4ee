"""A notebook with what its cells have printed, as papermill and Jupyter write it."""

import contextlib
import io
import json
import os
import sys
from typing import Any, Callable, Dict, Iterator, List, Mapping, TextIO, cast

from .named_files import open_named
from .own_files import make_folders


def why_unwritable(path: str) -> str:
    """Nothing, if a notebook can be written there: to be asked before its cells take their time."""
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        return ""  # a pipe, whose reader would take this for the end, or a device
    try:
        make_folders(os.path.dirname(path))
        open_named(path, "a").close()
    except OSError as error:
        return f"{path!r} cannot be written: {error.strerror}"
    return ""


class _Copied(io.TextIOBase):
    """A stream whose text is kept, too; there is one for all cells, since what one of them has made
    to write there, such as a handler of logging, is used by those below."""

    encoding = "utf-8"

    def __init__(self, stream: TextIO, keep: Callable[[str], None]) -> None:
        self._stream = stream
        self._keep = keep

    def write(self, text: str) -> int:
        self._keep(text)
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        """Of what it copies to, for those that write there themselves."""
        return self._stream.fileno()


class Transcript:
    """Of one notebook."""

    def __init__(self, book: str, to: str) -> None:
        with open(book, encoding="utf-8-sig") as file:
            self._book = json.load(file)
        self._path = to
        self._count = 0
        self._outputs: List[Dict[str, Any]] = []  # of the cell that is carried out, or was last
        self._out = self._copied(sys.stdout, "stdout")
        self._wrong = self._copied(sys.stderr, "stderr")
        for cell in self._book["cells"]:
            if cell["cell_type"] == "code":
                cell.update(outputs=[], execution_count=None)

    def _copied(self, stream: TextIO, name: str) -> TextIO:
        def keep(text: str) -> None:
            if not self._outputs or self._outputs[-1].get("name") != name:
                self._outputs.append({"output_type": "stream", "name": name, "text": ""})
            self._outputs[-1]["text"] += text
        return cast(TextIO, _Copied(stream, keep))

    @contextlib.contextmanager
    def cell(self, number: int) -> Iterator[None]:
        """While that cell is carried out."""
        cell = self._book["cells"][number - 1]
        self._count += 1
        cell["execution_count"] = self._count
        self._outputs = cell["outputs"]
        try:
            with contextlib.redirect_stdout(self._out), contextlib.redirect_stderr(self._wrong):
                yield
        except BaseException as error:
            self._outputs.append({"output_type": "error", "ename": type(error).__name__,
                                  "evalue": str(error), "traceback": []})
            raise

    def write(self, parameters: Mapping[str, Any], behind: int) -> None:
        """With the parameters in a cell of their own, behind that one, as papermill has it."""
        cells = list(self._book["cells"])
        if parameters:
            source = "# Parameters\n" + "".join(f"{name} = {value!r}\n"
                                                for name, value in parameters.items())
            cells.insert(behind, {"cell_type": "code", "execution_count": None, "outputs": [],
                                  "metadata": {"tags": ["injected-parameters"]},
                                  "source": source.splitlines(keepends=True)})
        make_folders(os.path.dirname(self._path))
        with open_named(self._path, "w") as file:
            json.dump({**self._book, "cells": cells}, file, indent=1)
