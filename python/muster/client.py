"""MLClient: where programs of Azure ML's SDK v2 submit jobs and ask for them."""

import os
import sys
from types import SimpleNamespace
from typing import Any, Dict, Optional, Union

from .binary import BadCall
from .checked import Checked, checked, lacks
from .command_job import CommandJob
from .component import Component, Step
from .pipeline import Pipeline
from .environment import CondaDependencies, Environment
from .run import Run
from .sweep_job import SweepJob

Job = Union[CommandJob, Pipeline, Step, SweepJob]
_JOBS = (CommandJob, Pipeline, Step, SweepJob)


class SubmittedJob(Run):
    """A run with the words that SDK v2 has for its state."""

    @property
    def status(self) -> str:
        return self.get_status()

    @property
    def studio_url(self) -> str:
        return self.get_portal_url()


class Jobs(Checked):
    """client.jobs: runs by their names."""

    IN_SDK = "client.jobs"

    @checked(lacks(accepted="skip_validation", no_effect="description"),
             named="client.jobs.create_or_update")
    def create_or_update(self, job: Job, *, experiment_name: Optional[str] = None,
                         tags: Optional[Dict[str, str]] = None, compute: object = None,
                         **where: Any) -> SubmittedJob:
        """Starts it and returns once all its processes run; `where` as of Experiment.submit."""
        if not isinstance(job, _JOBS):
            raise BadCall(f"{job!r} is not a job that muster can run",
                          "command(...), load_job(...) or a function with @dsl.pipeline makes one")
        if isinstance(job, Pipeline):
            job.settings.default_compute = compute or job.settings.default_compute
            run = job.submit(experiment_name or "", tags=tags, **where)
        else:
            job.compute = compute or job.compute
            run = job.submit(experiment_name or "", None, tags, **where)
        return SubmittedJob(run.name)

    def get(self, name: str) -> SubmittedJob:
        return SubmittedJob(name)

    def stream(self, name: str) -> None:
        """Shows its output until its end, and raises RunFailed unless it went well."""
        Run(name).wait_for_completion(show_output=True)

    def begin_cancel(self, name: str) -> Any:
        """Once it returns, the job has ended."""
        self.cancel(name)
        return Poller(None)

    def cancel(self, name: str) -> None:
        Run(name).stop()


class Poller(Checked):
    """What begin_...() gives: here all is done when it returns."""

    IN_SDK = "LROPoller"

    def __init__(self, thing: Any) -> None:
        self._thing = thing
        self.name = getattr(thing, "name", "")

    def result(self, timeout: Optional[float] = None) -> Any:
        del timeout
        return self._thing

    def wait(self, timeout: Optional[float] = None) -> None:
        """Returns at once."""

    def done(self) -> bool:
        return True

    def status(self) -> str:
        return "Succeeded"


class Registered:
    """A component of Azure ML, by its name: it cannot be had here."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: object, **__: object) -> Any:
        return Component.load(None, self.name)


class Named(Checked):
    """What Azure would look up, or make: here a name is enough."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def _named(self) -> str:
        return f"client.{self._kind}"

    @checked(lacks(accepted="version label"))
    def get(self, name: str, version: Optional[str] = None) -> Any:
        return SimpleNamespace(name=name)

    @checked(lacks(accepted="skip_validation version"))
    def create_or_update(self, thing: Any) -> Any:
        return thing

    @checked(lacks(accepted="skip_validation"))
    def begin_create_or_update(self, thing: Any) -> Any:
        return Poller(thing)


class Components(Named):
    """client.components: those of the workspace, which muster does not ask."""

    @checked(lacks(accepted="version label"))
    def get(self, name: str, version: Optional[str] = None) -> Any:
        return Registered(name)


_ACCOUNT = lacks(accepted="path file_name registry_name cloud show_progress enable_telemetry "
                          "logging_enable base_url credential_scopes")


class MLClient(Checked):
    """Stands where SDK v2 wants one: muster needs no account."""

    LACKS = _ACCOUNT

    def __init__(self, credential: object = None, subscription_id: Optional[str] = None,
                 resource_group_name: Optional[str] = None, workspace_name: Optional[str] = None,
                 ) -> None:
        del credential
        self.subscription_id = subscription_id
        self.resource_group_name = resource_group_name
        self.workspace_name = workspace_name
        self.jobs = Jobs()
        self.compute = Named("compute")
        self.environments = Named("environments")
        self.workspaces = Named("workspaces")
        self.components = Components("components")

    @classmethod
    @checked(_ACCOUNT)
    def from_config(cls, credential: object = None) -> "MLClient":
        """Reads nothing."""
        return cls(credential)

    def create_or_update(self, entity: Any, **words: Any) -> Any:
        """A job is started; an environment or a component stays as it is."""
        if isinstance(entity, (Component, Environment)) and not words:
            return entity
        return self.jobs.create_or_update(entity, **words)

    def begin_create_or_update(self, entity: Any) -> Any:
        return Poller(entity)


class Credential:
    """Stands where azure.identity has one: nobody is asked."""

    def __init__(self, **_: Any) -> None:
        pass

    def get_token(self, *_: str) -> Any:
        return SimpleNamespace(token="", expires_on=sys.maxsize)


class Inert:
    """A part of a job that has no effect here; the word it is given for says so."""

    def __init__(self, **_: Any) -> None:
        pass


class BuildContext(Checked):
    """SDK v2's: a folder with a Dockerfile."""

    def __init__(self, path: str, dockerfile_path: str = "Dockerfile") -> None:
        self.path = path
        self.dockerfile_path = dockerfile_path


class EnvironmentEntity(Environment):
    """SDK v2's Environment: without image, build or conda_file only its name counts."""

    IN_SDK = "Environment"
    LACKS = lacks(accepted="description tags properties os_type", refused={
        "datastore": "muster has no datastores: name a folder of this machine",
        "inference_config": "muster runs jobs, not endpoints"})

    def __init__(self, name: str = "", *, version: Optional[str] = None,
                 image: Optional[str] = None, build: Optional[BuildContext] = None,
                 conda_file: object = None) -> None:
        super().__init__(name or image or "")
        self.version = version
        self.image = image
        self.build = build
        self.conda_file = conda_file

    @property
    def image(self) -> Optional[str]:
        """The name of an image; another one may be set later, like the next two."""
        name: Optional[str] = self.docker.base_image
        return name

    @image.setter
    def image(self, name: Optional[str]) -> None:
        self.docker.base_image = name

    @property
    def build(self) -> Optional[BuildContext]:
        """Where the image is built from."""
        return self._build

    @build.setter
    def build(self, context: Optional[BuildContext]) -> None:
        self._build = context
        self.docker.base_dockerfile = (None if context is None else
                                       os.path.join(context.path, context.dockerfile_path))

    @property
    def conda_file(self) -> object:
        """Packages: a file, or what would stand in it."""
        return self._conda_file

    @conda_file.setter
    def conda_file(self, said: object) -> None:
        self._conda_file = said
        self.python.conda_dependencies = (
            None if said is None else _Listed(said) if isinstance(said, dict)
            else CondaDependencies(str(said)))


class _Listed(CondaDependencies):
    """What would stand in a conda file."""

    def __init__(self, keys: Dict[str, Any]) -> None:
        super().__init__()
        self._keys = keys

    def is_empty(self) -> bool:
        return False

    def conda_file(self) -> Dict[str, Any]:
        return self._keys


_MACHINES = lacks(no_effect="description size tags ssh_public_access_enabled ssh_settings "
                            "min_instances max_instances network_settings tier location "
                            "idle_time_before_scale_down identity enable_node_public_ip type")


class AmlComputeEntity(Checked):
    """SDK v2's AmlCompute: an entry of muster.yml, which says what its hosts are."""

    IN_SDK = "AmlCompute"
    LACKS = _MACHINES

    def __init__(self, name: str = "") -> None:
        self.name = name


_OVERRIDES = lacks(refused={
    "params_override": "call the component with inputs, and set what else differs on the step",
    "relative_origin": "give the path of the file"})


@checked(_OVERRIDES)
def load_component(source: str) -> Component:
    """A component's file, checked."""
    return Component.from_yaml(None, source)


@checked(_OVERRIDES)
def load_job(source: str) -> Step:
    """A job's file, checked."""
    component = Component.from_yaml(None, source)
    return Step(component, {})
