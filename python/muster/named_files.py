"""The one way in which this package copies files, and opens those that a program names to be
written: what the program has printed to one of them stays, and what has no end is not waited for.
"""

import errno
import os
import shutil
import stat
import sys
from typing import IO, Any, Callable, List, Tuple, Union

from .own_files import make_folders, opener, usable

Path = Union[str, "os.PathLike[str]"]
Wrong = List[Tuple[str, str, str]]  # as shutil.Error has it: from where, to where, and why not
_ODD = ((stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))


def _descriptor_named(path: Path) -> int:
    """That of this process which a path such as /dev/stdout names; -1: none."""
    own, place = os.path.realpath("/proc/self/fd"), os.path.abspath(path)
    for _ in range(40):  # links: the kernel follows no more, either
        folder, name = os.path.split(place)
        folder = os.path.realpath(folder)
        if folder == own:
            return int(name) if name.isdecimal() else -1
        try:
            place = os.path.abspath(os.path.join(folder, os.readlink(os.path.join(folder, name))))
        except OSError:
            break
    return -1


def _stream_to(path: Path) -> int:
    """Of stdout and stderr one that leads there, too: to empty that file would lose what the
    program has said. 0: neither does. A stream that was closed when the program began may be any
    file that it has opened since."""
    streams = {1: sys.__stdout__, 2: sys.__stderr__}
    if streams.get(_descriptor_named(path), sys) is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), os.fspath(path))
    for stream in (one for one, opened in streams.items() if opened is not None):
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
    return open(stream or path, mode, encoding=encoding, opener=opener)  # its caller closes it


def copy_named(source: Path, path: Path) -> None:
    """Copies a file, as shutil.copyfile() does; but to a device or a pipe, too. It is copied from
    neither: nobody may ever write into a pipe, and a device may have no end."""
    if os.path.exists(path) and os.path.samefile(source, path):
        raise shutil.SameFileError(f"{source!r} and {path!r} are the same file")
    mode = os.stat(source).st_mode
    for is_odd, kind in _ODD:
        if is_odd(mode):
            raise shutil.SpecialFileError(f"{source!r} is {kind}")
    with open(source, "rb") as read, open_named(path, "wb") as written:
        shutil.copyfileobj(read, written)


def _copy_all(source: str, path: str) -> None:
    copy_named(source, path)
    shutil.copystat(source, path)


def _leads_back(root: str, place: str, name: str) -> bool:
    """Whether it is a link to a folder around it, by whatever way below the root it was reached:
    who follows it never comes to an end."""
    path = os.path.join(place, name)
    if not os.path.islink(path) or not os.path.isdir(path):
        return False
    to, root = os.path.realpath(path), root.rstrip(os.sep)
    while os.path.commonpath((to, os.path.realpath(place))) != to:
        if place.rstrip(os.sep) == root:
            return False
        place = os.path.dirname(place)
    return True


def _told(wrong: Wrong) -> None:
    if wrong:
        raise shutil.Error(wrong)


def copy_tree(source: str, to: str, merges: bool = True) -> None:
    """Copies a folder with all that is in it, and what links in it lead to; `merges`: into one that
    may be there. What cannot be copied, such as a pipe, or a link to a folder around it, is left
    out, and named in a shutil.Error once all else is there."""
    wrong: Wrong = []

    def left_out(place: str, names: List[str]) -> List[str]:
        make_folders(os.path.join(to, os.path.relpath(place, source)))  # before copytree() does
        back = [name for name in names if _leads_back(source, place, name)]
        for name in back:
            path = os.path.join(place, name)
            wrong.append((path, to, f"{path!r} is a link to a folder around it"))
        around, own = os.path.split(os.path.realpath(to))  # the copy may lie in what is copied
        return [*back, own] if os.path.realpath(place) == around else back

    def copy(one: str, path: str) -> None:
        try:
            _copy_all(one, path)
        except shutil.SameFileError as error:  # copytree() would take its text for a list
            wrong.append((one, path, str(error)))

    if not merges:
        os.scandir(source).close()  # that it can be read comes first
        make_folders(os.path.dirname(to.rstrip(os.sep)))
        os.mkdir(to)
        usable(to)
    try:
        shutil.copytree(source, to, ignore=left_out, copy_function=copy, dirs_exist_ok=True)
    except shutil.Error as error:
        if not isinstance(error.args[0], list):  # the source itself
            raise
        wrong.extend(error.args[0])
    _told(wrong)


def copy_each(folder: str, copy: Callable[[str, str], object]) -> None:
    """Has each thing below a folder copied that is not a folder itself: `copy` gets its path, and
    the same as seen from the folder. The rules of copy_tree() hold. What is added meanwhile is not
    looked at: the copies may lie below the folder."""
    wrong: Wrong = []
    found: List[str] = []

    def unread(error: OSError) -> None:
        wrong.append((os.fspath(error.filename or folder), "", str(error)))

    for place, folders, names in os.walk(folder, onerror=unread, followlinks=True):
        back = [name for name in folders if _leads_back(folder, place, name)]
        for name in back:
            path = os.path.join(place, name)
            wrong.append((path, "", f"{path!r} is a link to a folder around it"))
        folders[:] = sorted(set(folders) - set(back))
        found += [os.path.join(place, name) for name in sorted(names)]
    for path in found:
        try:
            os.stat(path)  # a link may lead nowhere
            copy(path, os.path.relpath(path, folder))
        except OSError as error:
            wrong.append((path, "", str(error)))
    _told(wrong)


def copy_below(source: str, to: str) -> None:
    """Copies what a folder has, or a file, into the folder `to`."""
    if os.path.isdir(source):
        copy_tree(source, to)
    else:
        make_folders(to)
        _copy_all(source, os.path.join(to, os.path.basename(source)))
