"""Compute targets by name: each is an entry of muster.yml, which is read when a job starts."""

from types import SimpleNamespace
from typing import Any, Dict


class ComputeTarget:
    """A name; whether muster.yml has it is found out when a job is submitted."""

    def __init__(self, workspace: Any = None, name: str = "") -> None:
        del workspace
        self.name = name

    @classmethod
    def create(cls, workspace: Any, name: str, provisioning_configuration: Any
               ) -> "ComputeTarget":
        """Makes nothing: muster.yml describes hosts that there are."""
        del provisioning_configuration
        return cls(workspace, name)

    def wait_for_completion(self, show_output: bool = False, **_: object) -> None:
        """Nothing has been begun."""

    def get_status(self) -> Any:
        """Nobody is asked."""
        return SimpleNamespace(serialize=lambda: {"name": self.name})


class AmlCompute(ComputeTarget):
    """The same."""

    @staticmethod
    def provisioning_configuration(**_: object) -> None:
        """Says nothing that muster could use."""


class ComputeTargetException(Exception):
    """Never raised: programs that look for a target and then make it always find it."""


class ComputeTargets(Dict[str, ComputeTarget]):
    """Of a workspace: there is one of every name."""

    def __missing__(self, name: str) -> ComputeTarget:
        return ComputeTarget(None, name)

    def __contains__(self, name: object) -> bool:
        return True
