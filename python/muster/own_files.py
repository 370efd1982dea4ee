"""How this package makes files and folders: their owner can use them whatever the umask says, and
of processes that want the same name at the same instant one has it."""

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import uuid
from typing import IO, Iterator, List, Optional

# What a file system says that has no hard links, or no locks.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


def usable(path: str) -> str:
    """Gives the owner back what the umask has taken, of what is there; the same path."""
    with contextlib.suppress(FileNotFoundError):  # another process may have removed it
        mode = stat.S_IMODE(os.stat(path).st_mode)
        wanted = mode | (stat.S_IRWXU if os.path.isdir(path) else stat.S_IRUSR | stat.S_IWUSR)
        if wanted != mode:
            os.chmod(path, wanted)
    return path


def make_folders(path: str, mode: int = 0o777) -> None:
    """A folder and those above it, if they are not there; all that it makes have the mode, less
    what the umask takes from others. An empty path is the current folder."""
    if not path or os.path.isdir(path):
        return
    make_folders(os.path.dirname(path.rstrip(os.sep)), mode)
    try:
        os.mkdir(path, mode)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        return  # another process was faster
    usable(path)


@contextlib.contextmanager
def folders_for(path: str) -> Iterator[None]:
    """A folder and those above it; what this makes of them, and is empty, goes if the block
    fails."""
    fresh: List[str] = []
    place = os.path.abspath(path)
    while not os.path.isdir(place):
        fresh.append(place)
        place = os.path.dirname(place)
    make_folders(path)
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # somebody has put something there
            for one in fresh:
                os.rmdir(one)
        raise


def opener(path: str, flags: int) -> int:
    """For open(): a file that it makes can be used by its owner."""
    is_new = bool(flags & os.O_CREAT) and not os.path.lexists(path)
    file = os.open(path, flags, 0o666)
    if is_new:
        usable(path)
    return file


def is_own_folder(path: str) -> bool:
    """Whether it is a folder, no link, to which no other user can add anything."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and (
        not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def close_to_own_group(path: str) -> None:
    """A umask for groups may have let that of the user write to a folder of this package's."""
    with contextlib.suppress(OSError):
        found = os.lstat(path)
        is_mine = (found.st_uid, found.st_gid) == (os.geteuid(), os.getegid())
        if stat.S_ISDIR(found.st_mode) and is_mine and found.st_mode & stat.S_IWGRP:
            os.chmod(path, stat.S_IMODE(found.st_mode) & ~stat.S_IWGRP)


def temporary_folder() -> str:
    """An empty one, which stays."""
    return usable(tempfile.mkdtemp())


@contextlib.contextmanager
def scratch_folder(above: Optional[str] = None) -> Iterator[str]:
    """An empty one, which goes at the end; `above`: where."""
    with tempfile.TemporaryDirectory(dir=above) as folder:
        yield usable(folder)


def claim(path: str, mode: int = 0o664) -> bool:
    """Makes an empty file; False: something is there."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
    except FileExistsError:
        return False
    usable(path)
    return True


@contextlib.contextmanager
def _scratch_file(folder: str, mode: int = 0o664) -> Iterator[str]:
    """An empty file that no other process knows; at the end it is gone, or has another name."""
    path = os.path.join(folder, f".new-{uuid.uuid4().hex}")
    if not claim(path, mode):
        raise FileExistsError(path)
    try:
        yield path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)


def _took(fresh: str, path: str) -> bool:
    """Whether the file has that name now, too; False: something else has it."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _took_without_links(fresh, path)
    return True


def _took_without_links(fresh: str, path: str) -> bool:
    """The same: nobody sees a file there before it is whole."""
    name = hashlib.sha256(os.fsencode(os.path.basename(path))).hexdigest()[:32]
    with _passing_lock(os.path.join(os.path.dirname(fresh), f".take-{name}")) as is_alone:
        if is_alone and os.path.lexists(path) or not is_alone and not claim(path):
            return False
        os.replace(fresh, path)
    return True


@contextlib.contextmanager
def _passing_lock(path: str) -> Iterator[bool]:
    """One process, and one thread, at a time, by a file that goes at the end; False: the file
    system has no locks, and nobody waits."""
    while True:
        with open(path, "ab", opener=opener) as file:
            is_alone = _lock(file)
            try:
                if not os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                    continue  # whoever had it has removed it
            except FileNotFoundError:
                continue
            try:
                yield is_alone
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path)
            return


def _lock(file: IO[bytes]) -> bool:
    """Until the file is closed; False: the file system has no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return False
    return True


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:  # it is there
        file.write(text)


def write_new(path: str, text: str, scratch: Optional[str] = None) -> bool:
    """Makes a file with this text, which nobody sees half written; False: something is there.
    `scratch`: a folder of the same file system for what is half written, if not the file's own."""
    with _scratch_file(scratch or os.path.dirname(path) or ".") as fresh:
        _write(fresh, text)
        return _took(fresh, path)


def copy_new(source: str, path: str) -> bool:
    """Copies a file, whole at once, to where nothing is; False: something is there."""
    with _scratch_file(os.path.dirname(path) or ".", 0o666) as fresh:
        shutil.copyfile(source, fresh)
        return _took(fresh, path)


def replace(path: str, text: str, scratch: Optional[str] = None) -> None:
    """The same in the place of what is there: readers see the old text or the new one."""
    with _scratch_file(scratch or os.path.dirname(path) or ".") as fresh:
        _write(fresh, text)
        os.replace(fresh, path)


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """One process, and one thread, at a time. The file stays; where a file system has no locks,
    nobody waits."""
    with open(path, "ab", opener=opener) as file:
        _lock(file)
        yield
