"""command(): a job in the words of Azure ML's SDK v2, whose job files muster reads as they are."""

import copy
import os
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Tuple, Union

from .dsl import add_step
from .environment import Environment
from .outputs import Output as StepOutput, Outputs
from .place import users_line
from .run import Run
from .submission import submit_keys
from .sweep_job import Law, Sweepable, refuse_laws, with_search_space
from .where import Where, target_name


class _Distribution(SimpleNamespace):
    """Counts by name; those without a value are left to muster."""

    kind = ""

    def keys(self) -> Dict[str, Any]:
        given = {name: value for name, value in vars(self).items() if value is not None}
        return {"type": self.kind, **given}


class MpiDistribution(_Distribution):
    """Ranks of an MPI job: so many on each node."""

    kind = "mpi"

    def __init__(self, process_count_per_instance: Optional[int] = None) -> None:
        super().__init__(process_count_per_instance=process_count_per_instance)


class PyTorchDistribution(_Distribution):
    """Ranks of torch: so many on each node."""

    kind = "pytorch"

    def __init__(self, process_count_per_instance: Optional[int] = None) -> None:
        super().__init__(process_count_per_instance=process_count_per_instance)


class TensorFlowDistribution(_Distribution):
    """TensorFlow's workers and parameter servers."""

    kind = "tensorflow"

    def __init__(self, parameter_server_count: Optional[int] = 0,
                 worker_count: Optional[int] = None) -> None:
        super().__init__(parameter_server_count=parameter_server_count, worker_count=worker_count)


class Input:
    """A value, or a file or folder of this machine."""

    def __init__(self, type: str = "uri_folder", path: Optional[str] = None,
                 mode: Optional[str] = None, default: object = None, **_: Any) -> None:
        self.type = type
        self.path = path
        self.mode = mode
        self.default = default


class Output(Input):
    """A folder that the job makes."""


class JobResourceConfiguration(SimpleNamespace):
    """How many nodes; all else has no effect here."""

    def __init__(self, instance_count: Optional[int] = None, instance_type: Optional[str] = None,
                 shm_size: Optional[str] = None, docker_args: Optional[str] = None) -> None:
        super().__init__(instance_count=instance_count, instance_type=instance_type,
                         shm_size=shm_size, docker_args=docker_args)


class CommandJobLimits(SimpleNamespace):
    """When the job is ended, in seconds."""

    def __init__(self, timeout: Optional[float] = None) -> None:
        super().__init__(timeout=timeout)


class CommandJob(Sweepable):
    """A command and what is said of it; it may be changed until it is submitted."""

    def __init__(self, said: Dict[str, Any]) -> None:
        self.made_at = users_line()
        self.name: str = said.get("name") or said.get("display_name") or "command"
        self.command: str = said["command"]
        self.code: Union[str, "os.PathLike[str]", None] = said["code"]
        self.inputs: Dict[str, object] = dict(said["inputs"] or {})
        self.declared_outputs: Dict[str, object] = dict(said["outputs"] or {})
        self.outputs = Outputs(self, list(self.declared_outputs))
        self.environment: object = said["environment"]
        self.environment_variables: Dict[str, str] = dict(said["environment_variables"] or {})
        self.distribution: Any = said["distribution"]
        self.compute: object = said["compute"]
        self.experiment_name: Optional[str] = said["experiment_name"]
        self.tags: Dict[str, str] = dict(said["tags"] or {})
        self.resources = JobResourceConfiguration(said["instance_count"], said["instance_type"],
                                                  said["shm_size"], said["docker_args"])
        self.limits = CommandJobLimits(said["timeout"])

    def __call__(self, **inputs: object) -> "CommandJob":
        """The same with other inputs, as a step of a pipeline."""
        outputs: Dict[str, object] = {
            name: value for name, value in self.inputs.items()
            if isinstance(value, StepOutput)}  # of steps, which are not copied
        step = copy.deepcopy(self, {id(one): one for one in outputs.values()})
        step.inputs.update({**outputs, **inputs})
        step.outputs = Outputs(step, list(step.declared_outputs))
        step.made_at = users_line()
        add_step(step)
        return step

    def set_resources(self, **words: Any) -> None:
        vars(self.resources).update(words)

    def set_limits(self, timeout: Optional[float] = None) -> None:
        self.limits.timeout = timeout

    def submit(self, experiment_name: str = "", default_target: object = None,
               tags: Optional[Dict[str, str]] = None, **where: Any) -> Run:
        """Starts it and returns once all its processes run; `where` as of Experiment.submit."""
        refuse_laws(self.name, self.inputs)
        keys = self.keys()
        keys["experiment_name"] = experiment_name or self.experiment_name
        keys["tags"] = {**self.tags, **(tags or {})}
        target = self.compute or default_target
        keys["compute"] = None if target is None else target_name(target)
        return submit_keys(_said(keys), Where(**where).words(), self.made_at, {})

    def step_keys(self) -> Dict[str, Any]:
        """Those of a step in a pipeline's file."""
        refuse_laws(self.name, self.inputs)
        target = None if self.compute is None else target_name(self.compute)
        return _said({**self.keys(), "compute": target})

    def trial_keys(self, swept: List[str]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """Those of a sweep's file over these inputs: at its top, and those of its trial."""
        keys = _said(self.keys())
        top = {name: keys.pop(name) for name in ("inputs", "outputs") if name in keys}
        keys.pop("limits", None)
        keys["command"] = with_search_space(self.command, swept)
        return top, keys

    def keys(self) -> Dict[str, Any]:
        """Those of a command job's file."""
        return {
            "type": "command", "command": self.command, "code": _absolute(self.code),
            "environment": _environment(self.environment),
            "environment_variables": self.environment_variables,
            "distribution": getattr(self.distribution, "keys", lambda: self.distribution)(),
            "resources": _said(vars(self.resources)), "limits": _said(vars(self.limits)),
            "inputs": {name: _input(value) for name, value in self.inputs.items()
                       if not isinstance(value, Law)},
            "outputs": {name: _output(value) for name, value in self.declared_outputs.items()},
        }


def command(*, command: str, name: Optional[str] = None, display_name: Optional[str] = None,
            code: Union[str, "os.PathLike[str]", None] = None, environment: object = None,
            environment_variables: Optional[Dict[str, str]] = None, distribution: object = None,
            compute: object = None, inputs: Optional[Dict[str, object]] = None,
            outputs: Optional[Dict[str, object]] = None, instance_count: Optional[int] = None,
            instance_type: Optional[str] = None, shm_size: Optional[str] = None,
            docker_args: Optional[str] = None, timeout: Optional[float] = None,
            experiment_name: Optional[str] = None, tags: Optional[Dict[str, str]] = None,
            **_: Any) -> CommandJob:
    """A job to submit, or to call with inputs as a step of a pipeline."""
    said = dict(locals())
    return CommandJob(said)


def _said(keys: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in keys.items() if value is not None and value != {}}


def _absolute(path: object) -> Optional[str]:
    """A file of this machine as seen from anywhere; addresses stay."""
    if path is None:
        return None
    text = str(path)
    return text if ":" in text.split("/")[0] else os.path.abspath(text)


def _environment(environment: object) -> object:
    if isinstance(environment, Environment):
        return environment.job_key()
    return str(environment) if environment else None


def _input(value: object) -> object:
    if not isinstance(value, Input):
        return value
    keys = {"type": value.type, "mode": value.mode, "path": _absolute(value.path),
            "default": value.default}
    return _said(keys)


def _output(value: object) -> object:
    if not isinstance(value, Input):
        return value
    return _said({"type": value.type, "mode": value.mode, "path": _absolute(value.path)})
