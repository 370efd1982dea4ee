"""Files of a run by the names that programs have for them."""

from typing import Mapping

from .binary import BadCall
from .checked import nearest


def plain_path(name: str) -> str:
    """./outputs/model.pkl and outputs/model.pkl are the same."""
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return name


def file_called(name: str, files: Mapping[str, str], of: str) -> str:
    """Where it lies; `files` are those of the run, by their names."""
    plain = plain_path(name)
    if plain not in files:
        raise BadCall(f"{of} has no file {name!r}", nearest(plain, list(files)))
    return files[plain]


def whole_of(name: str, files: Mapping[str, str], of: str) -> str:
    """A file, or the folder that has all files below that name."""
    path = plain_path(name).strip("/")
    found = {one: place for one, place in files.items()
             if one == path or one.startswith(path + "/")}
    if not found:
        raise BadCall(f"{of} has no file {path!r}", nearest(path, list(files)))
    first, place = next(iter(found.items()))
    return place[:len(place) - len(first[len(path):])]  # without what lies in it
