"""The software that a job asks for: muster starts no containers, so its target must hold it."""

from typing import Any, Dict, Optional


class Environment:
    """A name, variables for the job's processes, and the interpreter that runs its script."""

    def __init__(self, name: str, interpreter: str = "python3") -> None:
        self.name = name
        self.interpreter = interpreter
        self.environment_variables: Dict[str, str] = {}

    @classmethod
    def get(cls, workspace: Any = None, name: str = "",
            version: Optional[str] = None) -> "Environment":
        """An environment of that name; nothing is asked of anybody."""
        del workspace
        return cls(f"{name}:{version}" if version else name)
