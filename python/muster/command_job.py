"""command(): a job in the words of Azure ML's SDK v2, whose job files muster reads as they are."""

import copy
import os
from typing import Any, Dict, List, Optional, Tuple, Union

from .binary import BadCall
from .checked import Checked, checked, given, lacks, nearest, settings_of
from .dsl import add_step
from .environment import Environment
from .outputs import Output as StepOutput, Outputs
from .place import users_line
from .run import Run
from .submission import dump_keys, submit_keys
from .sweep_job import Law, Sweepable, note_limits, refuse_laws, with_search_space
from .where import Where, target_name


class _Distribution(Checked):
    """Counts by name; those without a value are left to muster."""

    kind = ""

    @property
    def type(self) -> str:
        return self.kind

    def keys(self) -> Dict[str, Any]:
        return {"type": self.kind, **given(settings_of(self))}


class MpiDistribution(_Distribution):
    """Ranks of an MPI job: so many on each node."""

    kind = "mpi"

    def __init__(self, process_count_per_instance: Optional[int] = None) -> None:
        self.process_count_per_instance = process_count_per_instance


class PyTorchDistribution(_Distribution):
    """Ranks of torch: so many on each node."""

    kind = "pytorch"

    def __init__(self, process_count_per_instance: Optional[int] = None) -> None:
        self.process_count_per_instance = process_count_per_instance


class TensorFlowDistribution(_Distribution):
    """TensorFlow's workers and parameter servers."""

    kind = "tensorflow"

    def __init__(self, parameter_server_count: Optional[int] = 0,
                 worker_count: Optional[int] = None) -> None:
        self.parameter_server_count = parameter_server_count
        self.worker_count = worker_count


class Input(Checked):
    """A value, or a file or folder of this machine."""

    LACKS = lacks(accepted="description", no_effect="datastore", refused={
        "path_on_compute": "the data stays where it is: use ${{inputs.NAME}} in the command"})

    def __init__(self, type: str = "uri_folder", path: Optional[str] = None,
                 mode: Optional[str] = None, default: object = None,
                 optional: Optional[bool] = None, min: Optional[float] = None,
                 max: Optional[float] = None, enum: Optional[List[Any]] = None) -> None:
        self.type = type
        self.path = path
        self.mode = mode
        self.default = default
        self.optional = optional
        self.min = min
        self.max = max
        self.enum = enum

    def keys(self) -> Dict[str, Any]:
        return given({**settings_of(self), "path": _absolute(self.path)})


class Output(Checked):
    """A folder that the job makes."""

    LACKS = lacks(accepted="description", no_effect="name version early_available datastore "
                                                    "path_on_compute")

    def __init__(self, type: str = "uri_folder", path: Optional[str] = None,
                 mode: Optional[str] = None) -> None:
        self.type = type
        self.path = path
        self.mode = mode

    def keys(self) -> Dict[str, Any]:
        return given({**settings_of(self), "path": _absolute(self.path)})


_RESOURCES = lacks(refused={"max_instance_count": "use instance_count"})


class JobResourceConfiguration(Checked):
    """How many nodes, and what they are; muster says which of it has no effect."""

    LACKS = _RESOURCES

    def __init__(self, locations: Optional[List[str]] = None, instance_count: Optional[int] = None,
                 instance_type: Union[str, List[str], None] = None,
                 properties: Optional[Dict[str, Any]] = None, docker_args: Optional[str] = None,
                 shm_size: Optional[str] = None) -> None:
        self.locations = locations
        self.instance_count = instance_count
        self.instance_type = instance_type
        self.properties = properties
        self.docker_args = docker_args
        self.shm_size = shm_size


class CommandJobLimits(Checked):
    """When the job is ended, in seconds."""

    def __init__(self, timeout: Optional[float] = None) -> None:
        self.timeout = timeout


_JOB = lacks(no_effect="identity services properties queue_settings job_tier priority "
                       "parent_job_name comment")
_Texts = Optional[Dict[str, str]]


class CommandJob(Sweepable, Checked):
    """A command and what is said of it; it may be changed until it is submitted."""

    LACKS = _JOB
    IN_SDK = "Command"

    def __init__(self, *, command: str, name: Optional[str] = None,
                 display_name: Optional[str] = None, description: Optional[str] = None,
                 code: Union[str, "os.PathLike[str]", None] = None, environment: object = None,
                 environment_variables: _Texts = None, distribution: Any = None,
                 compute: object = None, inputs: Optional[Dict[str, object]] = None,
                 outputs: Optional[Dict[str, object]] = None,
                 resources: Optional[JobResourceConfiguration] = None,
                 limits: Optional[CommandJobLimits] = None, experiment_name: Optional[str] = None,
                 tags: _Texts = None, is_deterministic: bool = True) -> None:
        self.made_at = users_line()
        self.name: str = name or display_name or "command"
        self.display_name = display_name
        self.description = description
        self.command = command
        self.code = code
        self.inputs: Dict[str, object] = dict(inputs or {})
        self.declared_outputs: Dict[str, object] = dict(outputs or {})
        self.outputs = Outputs(self, list(self.declared_outputs))
        self.environment = environment
        self.environment_variables: Dict[str, str] = dict(environment_variables or {})
        self.distribution: Any = distribution
        self.compute = compute
        self.experiment_name = experiment_name
        self.tags: Dict[str, str] = dict(tags or {})
        self.resources = resources or JobResourceConfiguration()
        self.limits = limits or CommandJobLimits()
        self.is_deterministic = is_deterministic

    def __call__(self, **inputs: object) -> "CommandJob":
        """The same with other inputs, as a step of a pipeline."""
        for name in inputs:
            if name not in self.inputs:
                raise BadCall(f"{self.name} has no input {name!r}",
                              nearest(name, list(self.inputs)))
        outputs: Dict[str, object] = {
            name: value for name, value in self.inputs.items()
            if isinstance(value, StepOutput)}  # of steps, which are not copied
        step = copy.deepcopy(self, {id(one): one for one in outputs.values()})
        step.inputs.update({**outputs, **inputs})
        step.outputs = Outputs(step, list(step.declared_outputs))
        step.made_at = users_line()
        add_step(step)
        return step

    @checked(_RESOURCES)
    def set_resources(self, *, instance_type: Union[str, List[str], None] = None,
                      instance_count: Optional[int] = None,
                      locations: Optional[List[str]] = None,
                      properties: Optional[Dict[str, Any]] = None,
                      docker_args: Optional[str] = None, shm_size: Optional[str] = None) -> None:
        said = {"instance_type": instance_type, "instance_count": instance_count,
                "locations": locations, "properties": properties, "docker_args": docker_args,
                "shm_size": shm_size}
        vars(self.resources).update(given(said))

    def set_limits(self, *, timeout: Optional[float] = None) -> None:
        self.limits.timeout = timeout

    @checked(lacks(no_effect="job_tier priority"))
    def set_queue_settings(self) -> None:
        """There is no queue of Azure's."""

    def submit(self, experiment_name: str = "", default_target: object = None,
               tags: Optional[Dict[str, str]] = None, **where: Any) -> Run:
        """Starts it and returns once all its processes run; `where` as of Experiment.submit."""
        keys = self._job_keys(experiment_name, default_target, tags)
        return submit_keys(keys, Where(**where).words(), self.made_at, {})

    def dump(self, dest: Any) -> None:
        """Writes a job file, for muster submit."""
        dump_keys(self._job_keys(), dest)

    def _job_keys(self, experiment_name: str = "", default_target: object = None,
                  tags: _Texts = None) -> Dict[str, Any]:
        refuse_laws(self.name, self.inputs)
        target = self.compute or default_target
        return given({**self.keys(), "experiment_name": experiment_name or self.experiment_name,
                      "tags": {**self.tags, **(tags or {})},
                      "compute": None if target is None else target_name(target)})

    def step_keys(self) -> Dict[str, Any]:
        """Those of a step in a pipeline's file."""
        refuse_laws(self.name, self.inputs)
        target = None if self.compute is None else target_name(self.compute)
        return given({**self.keys(), "compute": target})

    def trial_keys(self, swept: List[str]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """Those of a sweep's file over these inputs: at its top, and those of its trial."""
        keys = given(self.keys())
        keys.pop("is_deterministic", None)
        top = {name: keys.pop(name) for name in ("inputs", "outputs") if name in keys}
        note_limits(self.name, keys)
        keys.pop("limits", None)
        keys["command"] = with_search_space(self.command, swept)
        return top, keys

    def keys(self) -> Dict[str, Any]:
        """Those of a command job's file."""
        changed = self.outputs.said()
        return {
            "type": "command", "command": self.command, "code": _absolute(self.code),
            "description": self.description,
            "is_deterministic": None if self.is_deterministic else False,
            "environment": _environment(self.environment),
            "environment_variables": self.environment_variables,
            "distribution": _keys_of(self.distribution),
            "resources": _keys_of(self.resources), "limits": _keys_of(self.limits),
            "inputs": {name: _keys_of(value) for name, value in self.inputs.items()
                       if not isinstance(value, Law)},
            "outputs": {name: _changed(_keys_of(value), changed.get(name))
                        for name, value in self.declared_outputs.items()},
        }


@checked(_JOB)
def command(*, command: str, name: Optional[str] = None, description: Optional[str] = None,
            display_name: Optional[str] = None, code: Union[str, "os.PathLike[str]", None] = None,
            environment: object = None, environment_variables: _Texts = None,
            distribution: Any = None, compute: object = None,
            inputs: Optional[Dict[str, object]] = None,
            outputs: Optional[Dict[str, object]] = None, instance_count: Optional[int] = None,
            instance_type: Union[str, List[str], None] = None,
            locations: Optional[List[str]] = None, shm_size: Optional[str] = None,
            docker_args: Optional[str] = None, timeout: Optional[float] = None,
            experiment_name: Optional[str] = None, tags: _Texts = None,
            is_deterministic: bool = True) -> CommandJob:
    """A job to submit, or to call with inputs as a step of a pipeline."""
    return CommandJob(
        command=command, name=name, description=description, display_name=display_name, code=code,
        environment=environment, environment_variables=environment_variables,
        distribution=distribution, compute=compute, inputs=inputs, outputs=outputs,
        resources=JobResourceConfiguration(
            locations=locations, instance_count=instance_count, instance_type=instance_type,
            docker_args=docker_args, shm_size=shm_size),
        limits=CommandJobLimits(timeout), experiment_name=experiment_name, tags=tags,
        is_deterministic=is_deterministic)


def _absolute(path: object) -> Optional[str]:
    """A file of this machine as seen from anywhere; addresses stay."""
    if path is None:
        return None
    text = str(path)
    return text if ":" in text.split("/")[0] else os.path.abspath(text)


def _environment(environment: object) -> object:
    if isinstance(environment, Environment):
        return environment.job_key()
    return str(getattr(environment, "name", environment)) if environment else None


def _keys_of(value: Any) -> Any:
    """What a job file says of a part of a job, or a value as it is."""
    if isinstance(value, (_Distribution, Input, Output)):
        return value.keys()
    return given(settings_of(value)) if isinstance(value, Checked) and not isinstance(
        value, StepOutput) else value


def _changed(said: Any, later: Optional[Dict[str, Any]]) -> Any:
    if later is None:
        return said
    return {**(said if isinstance(said, dict) else {}), **later}
