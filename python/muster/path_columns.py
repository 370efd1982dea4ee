"""Columns that the paths of a dataset's files say: partition_format of SDK v1."""

import datetime
import re
from typing import Any, Dict, List, Optional, Tuple

from .binary import BadCall

# What stands for a part of a time in the SDK's formats: its digits, and how Python reads them.
_TIMES = {"yyyy": (r"\d{4}", "%Y"), "MM": (r"\d\d", "%m"), "dd": (r"\d\d", "%d"),
          "HH": (r"\d\d", "%H"), "mm": (r"\d\d", "%M"), "ss": (r"\d\d", "%S")}


def _time_in(letters: str) -> Tuple[str, str]:
    parts = re.split("(" + "|".join(_TIMES) + ")", letters)
    known = [_TIMES.get(part, (re.escape(part), part.replace("%", "%%"))) for part in parts]
    return "".join(one for one, _ in known), "".join(one for _, one in known)


class PathColumns:
    """Of a format such as "/{shop}/{day:yyyy/MM/dd}/data.csv": a text, or a time, for each name.

    It begins at the first column; a path may go on behind it.
    """

    def __init__(self, said: str) -> None:
        self._said = said
        self._columns: List[Tuple[str, str]] = []  # names, and how times are read
        pattern = ""
        for number, part in enumerate(re.split(r"\{([^{}]+)\}", said)):
            if number % 2 == 0:
                pattern += re.escape(part).replace(r"\*", "[^/]*")
                continue
            name, _, letters = part.partition(":")
            found, times = _time_in(letters) if letters else ("[^/]+", "")
            pattern += f"({found})"
            self._columns.append((name.strip(), times))
        if not self._columns:
            raise BadCall(f"partition_format {said!r} names no column",
                          "for example '/{shop}/{day:yyyy/MM/dd}/data.csv'")
        twice = next((one for one in self.names() if self.names().count(one) > 1), None)
        if twice is not None:
            raise BadCall(f"partition_format {said!r} names the column {twice} twice",
                          "give each column a name of its own")
        begin = "(?:.*/)?" if said[0] in "{*" else ".*"
        self._patterns = [begin + pattern, begin + pattern + "/.*"]

    def names(self) -> List[str]:
        return [name for name, _ in self._columns]

    def of(self, path: str) -> Dict[str, Any]:
        """Texts and times, by the names of the columns."""
        tried = (re.fullmatch(one, path) for one in self._patterns)
        found = next((one for one in tried if one is not None), None)
        try:
            if found is None:
                raise ValueError
            return {name: datetime.datetime.strptime(text, times) if times else text
                    for (name, times), text in zip(self._columns, found.groups())}
        except ValueError:
            raise BadCall(f"{path} does not fit partition_format {self._said!r}",
                          "it is the path from the first column on: '/{shop}/data.csv'") from None


def path_columns_of(options: Dict[str, Any]) -> Optional[PathColumns]:
    """What a dataset has been told."""
    said = options.get("partition_format")
    return None if said is None else PathColumns(said)
