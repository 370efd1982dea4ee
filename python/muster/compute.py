"""Compute targets by name: each is an entry of muster.yml, which is read when a job starts."""

from types import SimpleNamespace
from typing import Any, Dict, List, Optional

from .checked import Checked, checked, lacks


class ComputeTarget(Checked):
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

    @checked(lacks(accepted="is_delete_operation min_node_count timeout_in_minutes"))
    def wait_for_completion(self, show_output: bool = False, min_node_count: Optional[int] = None,
                            timeout_in_minutes: float = 25) -> None:
        """Nothing has been begun."""

    @property
    def type(self) -> str:
        """What programs look for before they make one."""
        return "AmlCompute"

    @property
    def provisioning_state(self) -> str:
        return "Succeeded"

    def get_status(self) -> Any:
        """Nobody is asked."""
        return SimpleNamespace(serialize=self.serialize, allocation_state="Steady",
                               provisioning_state="Succeeded")

    def serialize(self) -> Dict[str, str]:
        """What is known of it."""
        return {"name": self.name, "type": self.type}


class AmlCompute(ComputeTarget):
    """The same."""

    _MACHINES = ("vm_size vm_priority min_nodes max_nodes idle_seconds_before_scaledown "
                 "admin_username admin_user_password admin_user_ssh_key vnet_resourcegroup_name "
                 "vnet_name subnet_name tags description remote_login_port_public_access "
                 "identity_type identity_id location enable_node_public_ip")

    @staticmethod
    @checked(lacks(accepted="workspace location"))
    def supported_vmsizes() -> List[Any]:
        """None: muster.yml says what hosts there are."""
        return []

    @staticmethod
    @checked(lacks(no_effect=_MACHINES))
    def provisioning_configuration(vm_size: str = "", vm_priority: Optional[str] = None,
                                   min_nodes: int = 0, max_nodes: Optional[int] = None) -> None:
        """Says nothing that muster could use: muster.yml has the hosts."""


class ComputeTargets(Dict[str, ComputeTarget]):
    """Of a workspace: there is one of every name."""

    def __missing__(self, name: str) -> ComputeTarget:
        return ComputeTarget(None, name)

    def __contains__(self, name: object) -> bool:
        return True
