"""A job's two names of SDK v2: `name`, by which programs find it, and what people read."""

from typing import Dict, Optional

from .checked import given


class Named:
    """Both may be changed until the job is submitted."""

    name: str
    display_name: Optional[str]

    def _call(self, name: Optional[str], display_name: Optional[str], otherwise: str) -> None:
        self.name = name or display_name or otherwise
        self.display_name = display_name
        self._stands_in = None if name else self.name

    def names(self) -> Dict[str, str]:
        """As a job file has them; what only stands in for a name is none."""
        name = None if self.name == self._stands_in else self.name
        found: Dict[str, str] = given({"name": name, "display_name": self.display_name})
        return found
