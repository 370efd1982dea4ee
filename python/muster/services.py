"""Things of SDK v2 that describe a service, which muster does not need: machines, workspaces."""

from typing import Any, Dict, Iterator, List, Optional, Type

from .binary import BadCall
from .checked import Checked, checked, given, lacks, note, settings_of
from .jobs import Poller
from .registers import Register
from .tracking import tracking_uri
from .yaml_text import yaml_of


class Described:
    """It can be made, and says once that it has no effect."""

    def __init__(self, *_: Any, **said: Any) -> None:
        note(f"{type(self).__name__}(...) describes a service of Azure ML, and has no effect here")
        vars(self).update(said)


class _Machines(Checked):
    """What Azure ML would make of virtual machines."""

    kind = ""
    name: str

    def __str__(self) -> str:
        return yaml_of({"name": self.name, "type": self.kind, **given(settings_of(self))})

    @property
    def type(self) -> str:
        return self.kind

    @property
    def provisioning_state(self) -> str:
        return "Succeeded"


class AmlCompute(_Machines):
    """Hosts: those that muster.yml has under that name."""

    LACKS = lacks(accepted="type", no_effect="ssh_public_access_enabled ssh_settings "
                  "network_settings identity enable_node_public_ip")
    kind = "amlcompute"

    def __init__(self, *, name: str = "", description: Optional[str] = None,
                 size: Optional[str] = None, tags: Optional[Dict[str, str]] = None,
                 min_instances: Optional[int] = 0, max_instances: Optional[int] = 4,
                 idle_time_before_scale_down: Optional[int] = 120, tier: Optional[str] = None,
                 location: Optional[str] = None) -> None:
        self.name = name
        self.description = description
        self.size = size
        self.tags = tags
        self.min_instances = min_instances
        self.max_instances = max_instances
        self.idle_time_before_scale_down = idle_time_before_scale_down
        self.tier = tier
        self.location = location


class ComputeInstance(_Machines):
    """The same, of one machine."""

    LACKS = lacks(accepted="type", no_effect="ssh_public_access_enabled create_on_behalf_of "
                  "network_settings ssh_settings schedules identity idle_time_before_shutdown "
                  "idle_time_before_shutdown_minutes setup_scripts enable_node_public_ip "
                  "custom_applications enable_sso enable_root_access release_quota_on_stop "
                  "enable_os_patching")
    kind = "computeinstance"

    def __init__(self, *, name: str = "", description: Optional[str] = None,
                 size: Optional[str] = None, tags: Optional[Dict[str, str]] = None) -> None:
        self.name = name
        self.description = description
        self.size = size
        self.tags = tags

    @property
    def state(self) -> str:
        return "Running"


_KINDS: Dict[str, Type[_Machines]] = {"amlcompute": AmlCompute,
                                      "computeinstance": ComputeInstance}
_HOSTS = "muster.yml has the hosts"


class Compute(Checked):
    """client.compute: names of targets; what a program says of them is only kept."""

    IN_SDK = "client.compute"

    def __init__(self) -> None:
        self._register = Register("compute")

    def get(self, name: str) -> Any:
        """What was registered under that name, else the name of an entry of muster.yml."""
        found = self._register.find(name)
        said = dict(found[1]) if found else {}
        return _KINDS[said.pop("kind", "amlcompute")](**{**said, "name": name})

    @checked(lacks(accepted="compute_type"))
    def list(self) -> Iterator[Any]:
        """Those that were registered."""
        return (self.get(name) for name, _, _ in self._register.newest())

    def begin_create_or_update(self, compute: Any) -> Poller:
        if not isinstance(compute, _Machines):
            raise BadCall(f"{compute!r} is not a compute that muster knows",
                          "give an AmlCompute, or only its name to a job")
        note(f"{compute.name} is not made: {_HOSTS}")
        said = {**given(settings_of(compute)), "kind": compute.kind}
        self._register.put(compute.name, "1", said)
        return Poller(self.get(compute.name))

    begin_update = begin_create_or_update

    def begin_delete(self, name: str) -> Poller:
        """Forgets what was registered; muster.yml stays as it is."""
        if self._register.find(name) is not None:
            self._register.remove(name)
        return Poller(None)

    def _begin(self, what: str, name: str) -> Poller:
        note(f"client.compute.{what}({name!r}) has no effect here: {_HOSTS}")
        return Poller(None)

    def begin_start(self, name: str) -> Poller:
        return self._begin("begin_start", name)

    def begin_stop(self, name: str) -> Poller:
        return self._begin("begin_stop", name)

    def begin_restart(self, name: str) -> Poller:
        return self._begin("begin_restart", name)


class Workspace(Checked):
    """Where Azure ML would keep all: here, names alone."""

    LACKS = lacks(no_effect=(
        "hbi_workspace storage_account container_registry key_vault application_insights "
        "customer_managed_key image_build_compute public_network_access network_acls identity "
        "primary_user_assigned_identity managed_network provision_network_now "
        "system_datastores_auth_mode enable_data_isolation allow_roleassignment_on_rg hub_id "
        "workspace_hub serverless_compute"))

    def __init__(self, *, name: str, description: Optional[str] = None,
                 tags: Optional[Dict[str, str]] = None, display_name: Optional[str] = None,
                 location: Optional[str] = "here", resource_group: Optional[str] = None) -> None:
        self.name = name
        self.description = description
        self.tags = dict(tags or {})
        self.display_name = display_name or name
        self.location = location
        self.resource_group = resource_group
        self._subscription = "none"

    @property
    def id(self) -> str:
        return (f"/subscriptions/{self._subscription}/resourceGroups/{self.resource_group}"
                f"/providers/Microsoft.MachineLearningServices/workspaces/{self.name}")

    @property
    def mlflow_tracking_uri(self) -> str:
        """Where this program's metrics are: a folder of this machine."""
        return tracking_uri()

    def __str__(self) -> str:
        return yaml_of({**given(settings_of(self)), "id": self.id})


class Workspaces(Checked):
    """client.workspaces: that of the client, by any name."""

    IN_SDK = "client.workspaces"

    def __init__(self, subscription_id: Optional[str], resource_group: Optional[str],
                 name: Optional[str]) -> None:
        self._subscription = subscription_id or "none"
        self._group = resource_group or "none"
        self._name = name or "muster"

    def get(self, name: Optional[str] = None) -> Workspace:
        found = Workspace(name=name or self._name, resource_group=self._group)
        found._subscription = self._subscription
        return found

    @checked(lacks(accepted="scope filtered_kinds"))
    def list(self) -> List[Workspace]:
        return [self.get()]

    @checked(lacks(accepted="update_dependent_resources"))
    def begin_create(self, workspace: Workspace) -> Poller:
        note(f"the workspace {workspace.name} is not made: muster needs none")
        return Poller(workspace)


class Unsupported:
    """A part of the client that stands for a service which muster does not have."""

    def __init__(self, name: str, hint: str) -> None:
        self._name = name
        self._hint = hint

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise BadCall(f"muster does not support client.{self._name}.{name}", self._hint)


_JOBS_ONLY = "it runs jobs: commands, components, pipelines and sweeps"
_FOLDERS = "it has no datastores: data lies on the hosts; name folders"
UNSUPPORTED: Dict[str, str] = {
    "datastores": _FOLDERS, **dict.fromkeys((
        "online_endpoints", "online_deployments", "batch_endpoints", "batch_deployments",
        "serverless_endpoints", "marketplace_subscriptions", "connections", "registries",
        "feature_sets", "feature_stores", "feature_store_entities", "indexes", "evaluators",
        "workspace_outbound_rules", "capability_hosts", "deployment_templates",
        "azure_openai_deployments"), _JOBS_ONLY)}
