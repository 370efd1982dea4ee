"""Compute targets by name: each is an entry of muster.yml, which is read when a job starts."""

from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Optional, Type

from .checked import Checked, checked, lacks, note


_HOSTS = "muster.yml says what hosts there are"


class ComputeTarget(Checked):
    """A name; whether muster.yml has it is found out when a job is submitted."""

    LACKS = lacks(refused={"attach": _HOSTS, "deserialize": _HOSTS})

    def __new__(cls, *_: Any, **__: Any) -> "ComputeTarget":
        """As in the SDK, asking for any gives one of its kind."""
        kind: Any = AmlCompute if cls is ComputeTarget else cls
        made: ComputeTarget = object.__new__(kind)
        return made

    def __init__(self, workspace: Any = None, name: str = "") -> None:
        self._workspace = workspace
        self.name = name

    @classmethod
    def create(cls, workspace: Any, name: str, provisioning_configuration: Any
               ) -> "ComputeTarget":
        """Makes nothing: muster.yml describes hosts that there are."""
        kind = provisioning_configuration
        made = _KINDS.get(kind, cls) if isinstance(kind, str) else cls
        return made(workspace, name)

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
                               provisioning_state="Succeeded", state="Running", errors=[])

    def serialize(self) -> Dict[str, str]:
        """What is known of it."""
        return {"name": self.name, "type": self.type}

    def refresh_state(self) -> None:
        """It is as it was."""

    @staticmethod
    @checked(lacks(accepted="workspace"))
    def list(workspace: Any) -> List["ComputeTarget"]:
        """None: muster.yml has the names."""
        return []

    def delete(self) -> None:
        self._idle("delete()")

    def detach(self) -> None:
        self._idle("detach()")

    def _idle(self, call: str) -> None:
        note(f"{self.name_in_sdk()}.{call} has no effect here: {_HOSTS}")


class _Machines(ComputeTarget):
    """What compute clusters and compute instances have in common."""

    @staticmethod
    @checked(lacks(accepted="workspace location"))
    def supported_vmsizes() -> List[Any]:
        """None: muster.yml says what hosts there are."""
        return []

    def get(self) -> None:
        """Nobody is asked."""

    @property
    def status(self) -> Any:
        """What the SDK has kept of get_status(), which these kinds have."""
        return self.get_status()

    @checked(lacks(accepted="type tags properties status"))
    def get_active_runs(self) -> Iterator[Any]:
        """None that it knows of: `muster ps` lists those of all targets."""
        return iter(())


class AmlCompute(_Machines):
    """A cluster."""

    LACKS = lacks(refused={name: _HOSTS for name in (
        "attach", "deserialize", "list_quotas", "list_usages", "update_quotas")})

    _MACHINES = ("vm_size vm_priority min_nodes max_nodes idle_seconds_before_scaledown "
                 "admin_username admin_user_password admin_user_ssh_key vnet_resourcegroup_name "
                 "vnet_name subnet_name tags description remote_login_port_public_access "
                 "identity_type identity_id location enable_node_public_ip")

    @staticmethod
    @checked(lacks(no_effect=_MACHINES))
    def provisioning_configuration(vm_size: str = "", vm_priority: Optional[str] = None,
                                   min_nodes: int = 0, max_nodes: Optional[int] = None) -> str:
        """Says nothing that muster could use but what it is for: muster.yml has the hosts."""
        return "AmlCompute"

    def list_nodes(self) -> List[Dict[str, Any]]:
        """None: a run's record has its hosts."""
        return []

    @checked(lacks(no_effect="min_nodes max_nodes idle_seconds_before_scaledown"))
    def update(self, min_nodes: Optional[int] = None, max_nodes: Optional[int] = None,
               idle_seconds_before_scaledown: Optional[int] = None) -> None:
        """Hosts stay as they are."""

    @checked(lacks(no_effect="identity_type identity_id"))
    def add_identity(self, identity_type: str, identity_id: Any = None) -> None:
        """muster needs no account."""

    @checked(lacks(no_effect="identity_id"))
    def remove_identity(self, identity_id: Any = None) -> None:
        """The same."""


_WAITING = lacks(accepted="wait_for_completion show_output")


class ComputeInstance(_Machines):
    """One machine."""

    @property
    def type(self) -> str:
        return "ComputeInstance"

    @staticmethod
    @checked(lacks(no_effect="vm_size ssh_public_access admin_user_ssh_public_key tags description "
                             "vnet_resourcegroup_name vnet_name subnet_name "
                             "assigned_user_object_id assigned_user_tenant_id"))
    def provisioning_configuration(vm_size: str = "", ssh_public_access: bool = False) -> str:
        """As that of a cluster."""
        return "ComputeInstance"

    @checked(_WAITING)
    def start(self) -> None:
        self._idle("start()")

    @checked(_WAITING)
    def stop(self) -> None:
        self._idle("stop()")

    @checked(_WAITING)
    def restart(self) -> None:
        self._idle("restart()")

    @checked(_WAITING)
    def delete(self) -> None:
        self._idle("delete()")

    @checked(lacks(no_effect="value"))
    def update_sso_settings(self, value: bool) -> None:
        """muster needs no account."""


_KINDS: Dict[str, Type[ComputeTarget]] = {"AmlCompute": AmlCompute,
                                          "ComputeInstance": ComputeInstance}


class ComputeTargets(Dict[str, ComputeTarget]):
    """Of a workspace: there is one of every name."""

    def __missing__(self, name: str) -> ComputeTarget:
        return AmlCompute(None, name)

    def __contains__(self, name: object) -> bool:
        return True
