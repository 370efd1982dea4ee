"""MLClient: where programs of Azure ML's SDK v2 submit jobs and ask for them."""

import os
import sys
from types import SimpleNamespace
from typing import Any, Dict, Optional, Union

from .binary import BadCall
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


class Jobs:
    """client.jobs: runs by their names."""

    def create_or_update(self, job: Job, *, experiment_name: Optional[str] = None,
                         tags: Optional[Dict[str, str]] = None, compute: object = None,
                         **where: Any) -> SubmittedJob:
        """Starts it and returns once all its processes run; `where` as of Experiment.submit."""
        if not isinstance(job, _JOBS):
            raise BadCall(f"{job!r} is no job that muster could run",
                          "command(...), load_job(...) or a function with @dsl.pipeline makes one")
        if isinstance(job, Pipeline):
            job.settings.default_compute = compute or job.settings.default_compute
            run = job.submit(experiment_name or "", tags, **where)
        else:
            job.compute = compute or job.compute
            run = job.submit(experiment_name or "", None, tags, **where)
        return SubmittedJob(run.name)

    def get(self, name: str) -> SubmittedJob:
        return SubmittedJob(name)

    def stream(self, name: str) -> None:
        """Shows its output until its end, and raises RunFailed unless it went well."""
        Run(name).wait_for_completion(show_output=True)

    def cancel(self, name: str) -> None:
        Run(name).stop()

    begin_cancel = cancel


class _Named:
    """What Azure would look up, or make: here a name is enough."""

    def get(self, name: str, **_: Any) -> Any:
        return SimpleNamespace(name=name)

    def create_or_update(self, thing: Any) -> Any:
        return thing

    def begin_create_or_update(self, thing: Any) -> Any:
        """Nothing has been begun, and it is done."""
        return SimpleNamespace(result=lambda: thing, name=getattr(thing, "name", ""))


class MLClient:
    """Stands where SDK v2 wants one: muster needs no account."""

    def __init__(self, credential: object = None, subscription_id: Optional[str] = None,
                 resource_group_name: Optional[str] = None, workspace_name: Optional[str] = None,
                 **_: Any) -> None:
        del credential
        self.subscription_id = subscription_id
        self.resource_group_name = resource_group_name
        self.workspace_name = workspace_name
        self.jobs = Jobs()
        self.compute = _Named()
        self.environments = _Named()
        self.workspaces = _Named()
        self.components = _Named()

    @classmethod
    def from_config(cls, credential: object = None, **_: Any) -> "MLClient":
        """Reads nothing."""
        return cls(credential)

    def create_or_update(self, thing: Any, **words: Any) -> Any:
        """A job is started; all else stays as it is."""
        is_job = isinstance(thing, _JOBS)
        return self.jobs.create_or_update(thing, **words) if is_job else thing

    def begin_create_or_update(self, thing: Any) -> Any:
        return _Named().begin_create_or_update(thing)


class Credential:
    """Stands where azure.identity has one: nobody is asked."""

    def __init__(self, **_: Any) -> None:
        pass

    def get_token(self, *_: str) -> Any:
        return SimpleNamespace(token="", expires_on=sys.maxsize)


class BuildContext:
    """SDK v2's: a folder with a Dockerfile."""

    def __init__(self, path: str, dockerfile_path: str = "Dockerfile", **_: Any) -> None:
        self.path = path
        self.dockerfile_path = dockerfile_path


class EnvironmentEntity(Environment):
    """SDK v2's Environment: without image, build or conda_file only its name counts."""

    def __init__(self, name: str = "", version: Optional[str] = None, image: Optional[str] = None,
                 build: Optional[BuildContext] = None, conda_file: object = None,
                 **_: Any) -> None:
        super().__init__(name or image or "")
        self.version = version
        self.image = image
        self.docker.base_image = image
        if build is not None:
            self.docker.base_dockerfile = os.path.join(build.path, build.dockerfile_path)
        if isinstance(conda_file, dict):
            self.python.conda_dependencies = SimpleNamespace(conda_file=lambda: conda_file)
        elif conda_file is not None:
            self.python.conda_dependencies = CondaDependencies(str(conda_file))


class AmlComputeEntity:
    """SDK v2's AmlCompute: an entry of muster.yml, which says what its hosts are."""

    def __init__(self, name: str = "", **_: Any) -> None:
        self.name = name


def load_component(source: str, **_: Any) -> Component:
    """A component's file, checked."""
    return Component.from_yaml(None, source)


def load_job(source: str, **_: Any) -> Step:
    """A job's file, checked."""
    component = Component.from_yaml(None, source)
    return Step(component, {})
