"""What `python3 -m muster` was told: it holds for all that its script submits."""

from dataclasses import dataclass, field
from typing import List


@dataclass
class Standing:
    """Words of muster submit, and whether each run is told on stderr."""

    place: List[str] = field(default_factory=list)
    without: List[str] = field(default_factory=list)
    tells: bool = False


here = Standing()  # of this process
