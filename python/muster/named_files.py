"""Files that a program names to be written: what it has printed to one of them stays."""

import os
import shutil
import stat
import sys
from typing import IO, Any, Union

Path = Union[str, "os.PathLike[str]"]


def _stream_to(path: Path) -> int:
    """Of stdout and stderr one that leads there, too: to empty that file would lose what the
    program has said. 0: neither does."""
    for stream in (1, 2):
        try:
            if os.path.samestat(os.stat(path), os.fstat(stream)):
                return os.dup(stream)
        except OSError:  # it is not there, or closed
            pass
    return 0


def open_named(path: Path, mode: str) -> IO[Any]:
    """Opens it to be written, as text or as bytes (b)."""
    stream = _stream_to(path)
    if stream and sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()
    encoding = None if "b" in mode else "utf-8"
    return open(stream or path, mode, encoding=encoding)  # its caller closes it


def copy_named(source: Path, path: Path) -> None:
    """Copies a file, as shutil.copyfile() does; but to a device or a pipe, too."""
    if os.path.exists(path) and os.path.samefile(source, path):
        raise shutil.SameFileError(f"{source!r} and {path!r} are the same file")
    if stat.S_ISFIFO(os.stat(source).st_mode):  # nobody may ever write into it
        raise shutil.SpecialFileError(f"{source!r} is a named pipe")
    with open(source, "rb") as read, open_named(path, "wb") as written:
        shutil.copyfileobj(read, written)


def _copy_all(source: str, path: str) -> None:
    copy_named(source, path)
    shutil.copystat(source, path)


def copy_tree(source: str, to: str, merges: bool = True) -> None:
    """Copies a folder with all that is in it; `merges`: into one that may be there."""
    shutil.copytree(source, to, copy_function=_copy_all, dirs_exist_ok=merges)


def copy_below(source: str, to: str) -> None:
    """Copies what a folder has, or a file, into the folder `to`."""
    if os.path.isdir(source):
        copy_tree(source, to)
    else:
        os.makedirs(to, exist_ok=True)
        _copy_all(source, os.path.join(to, os.path.basename(source)))
