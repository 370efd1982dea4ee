"""A notebook with what its cells have printed, as papermill and Jupyter write it."""

import contextlib
import io
import json
import os
import sys
from typing import Any, Dict, Iterator, List, Mapping, TextIO, cast

from .named_files import open_named
from .own_files import make_folders


class _Copied(io.TextIOBase):
    """A stream whose text is kept, too."""

    def __init__(self, stream: TextIO, name: str, outputs: List[Dict[str, Any]]) -> None:
        self._stream = stream
        self._name = name
        self._outputs = outputs

    def write(self, text: str) -> int:
        last = self._outputs[-1] if self._outputs else {}
        if last.get("name") != self._name:
            last = {"output_type": "stream", "name": self._name, "text": ""}
            self._outputs.append(last)
        last["text"] += text
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
        for cell in self._book["cells"]:
            if cell["cell_type"] == "code":
                cell.update(outputs=[], execution_count=None)

    @contextlib.contextmanager
    def cell(self, number: int) -> Iterator[None]:
        """While that cell is carried out."""
        cell = self._book["cells"][number - 1]
        self._count += 1
        cell["execution_count"] = self._count
        outputs: List[Dict[str, Any]] = cell["outputs"]
        out, wrong = (cast(TextIO, _Copied(stream, name, outputs)) for stream, name in (
            (sys.stdout, "stdout"), (sys.stderr, "stderr")))
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(wrong):
                yield
        except BaseException as error:
            outputs.append({"output_type": "error", "ename": type(error).__name__,
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
