"""What the options of `python3 -m muster` say: they hold for all that its script submits."""

from dataclasses import dataclass, field
from typing import List, Set


@dataclass
class CommandLine:
    """Words of muster submit, and whether each run is announced on stderr."""

    place: List[str] = field(default_factory=list)
    without: List[str] = field(default_factory=list)
    reach: List[str] = field(default_factory=list)  # how hosts are reached
    variables: List[str] = field(default_factory=list)  # which of them ranks get
    names: List[str] = field(default_factory=list)
    tells: bool = False
    asked: Set[str] = field(default_factory=set)  # names of --set that the program has asked for


command_line = CommandLine()  # of this process
