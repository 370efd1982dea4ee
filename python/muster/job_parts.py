"""Parts of jobs in the words of SDK v2: distributions, inputs, outputs, resources, limits."""

import copy
from typing import Any, Dict, List, Mapping, Optional, Type, TypeVar, Union

from .binary import BadCall
from .checked import Checked, Kinded, given, lacks, nearest, settings_of
from .dsl import add_step
from .environment import Environment
from .environment_v2 import registered_environment
from .inputs import Inputs, absolute, plain
from .kinds import DataType
from .outputs import Output as StepOutput, Outputs
from .place import users_line
from .sweep_job import Law


class Part(Checked):
    """A part of a job; its settings can also be had and given with brackets."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def get(self, name: str, default: object = None) -> Any:
        return settings_of(self).get(name, default)


class Distribution(Part, Kinded):
    """Counts by name; those without a value are left to muster."""


class MpiDistribution(Distribution):
    """Ranks of an MPI job, by their number on each node."""

    kind = "mpi"

    def __init__(self, process_count_per_instance: Optional[int] = None) -> None:
        self.process_count_per_instance = process_count_per_instance


class PyTorchDistribution(Distribution):
    """Ranks of torch, by their number on each node."""

    kind = "pytorch"

    def __init__(self, process_count_per_instance: Optional[int] = None) -> None:
        self.process_count_per_instance = process_count_per_instance


class TensorFlowDistribution(Distribution):
    """TensorFlow's workers and parameter servers."""

    kind = "tensorflow"

    def __init__(self, parameter_server_count: Optional[int] = 0,
                 worker_count: Optional[int] = None) -> None:
        self.parameter_server_count = parameter_server_count
        self.worker_count = worker_count


_DISTRIBUTIONS: Dict[str, Type[Distribution]] = {
    "mpi": MpiDistribution, "pytorch": PyTorchDistribution, "tensorflow": TensorFlowDistribution}


def distribution_of(said: Any) -> Any:
    """A dictionary as the class that it stands for; with words that this lacks, it stays one,
    and muster says so when it reads the job."""
    kind = _DISTRIBUTIONS.get(str(said.get("type")).lower()) if isinstance(said, dict) else None
    words = {name: value for name, value in said.items() if name != "type"} if kind else {}
    known = kind is not None and set(words) <= set(settings_of(kind()))
    return kind(**words) if kind is not None and known else said


class Input(Part):
    """A value, or a file or folder of this machine."""

    LACKS = lacks(accepted="description name", no_effect="datastore", refused={
        "path_on_compute": "the data stays where it is: use ${{inputs.NAME}} in the command"})

    def __init__(self, type: DataType = "uri_folder", path: Optional[str] = None,
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
        return given({**settings_of(self), "path": absolute(self.path),
                      "default": plain(self.default)})


class Output(Part):
    """A folder that the job makes."""

    LACKS = lacks(accepted="description", no_effect="name version early_available datastore "
                                                    "path_on_compute")

    def __init__(self, type: DataType = "uri_folder", path: Optional[str] = None,
                 mode: Optional[str] = None, *, is_control: Optional[bool] = None,
                 overwrite: Optional[bool] = None) -> None:
        self.type = type
        self.path = path
        self.mode = mode
        self.is_control = is_control
        self.overwrite = overwrite  # muster's own

    def keys(self) -> Dict[str, Any]:
        return given({**settings_of(self), "path": absolute(self.path)})


_VALUES = ("string", "number", "integer", "boolean", "enum", "float", "int", "bool")
RESOURCES = lacks(refused={"max_instance_count": "use instance_count"})


class JobResourceConfiguration(Part):
    """How many nodes, and what they are; muster says which of it has no effect."""

    LACKS = RESOURCES

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


class CommandJobLimits(Part):
    """When the job is ended, in seconds."""

    def __init__(self, timeout: Optional[float] = None) -> None:
        self.timeout = timeout


def environment_key(environment: object) -> object:
    """What a job file says of it; a name may be one that a program has registered here."""
    if isinstance(environment, Environment):
        return environment.job_key()
    if not environment or isinstance(environment, dict):
        return environment or None
    name = str(getattr(environment, "name", environment))
    return registered_environment(name) or name


T = TypeVar("T", bound=Part)


def part_of(said: Union[T, Dict[str, Any], None], kind: Type[T]) -> T:
    """A dictionary as the part of a job that it stands for; its words are checked."""
    if said is None or isinstance(said, dict):
        return kind(**(said or {}))
    if isinstance(said, kind):
        return said
    raise BadCall(f"{said!r} is not a {kind.__name__}", "give that class, or a dictionary")


def keys_of(value: Any) -> Any:
    """What a job file says of a part of a job, or a value as it is."""
    if isinstance(value, (Distribution, Input, Output)):
        return value.keys()
    return given(settings_of(value)) if isinstance(value, Checked) and not isinstance(
        value, StepOutput) else value


def changed_later(said: Any, later: Optional[Dict[str, Any]]) -> Any:
    if later is None:
        return said
    return {**(said if isinstance(said, dict) else {}), **later}


def called_with(job: Any, inputs: Dict[str, Any]) -> Inputs:
    """Inputs of a copy of a job; a name that it lacks is told with those that it has."""
    for name in inputs:
        if name not in job.inputs:
            raise BadCall(f"{job.name} has no input {name!r}", nearest(name, list(job.inputs)))
    said = {name: value for name, value in inputs.items() if value is not None}
    return Inputs(job.name, {**job.inputs, **said})


def called(job: Any, inputs: Dict[str, Any]) -> Any:
    """The same job with other inputs, as a step of a pipeline."""
    found = called_with(job, inputs)
    of_steps = {id(one): one for one in found.values() if isinstance(one, StepOutput)}
    step = copy.deepcopy(job, dict(of_steps))  # outputs of steps are not copied
    step.inputs = found
    step.outputs = Outputs(step, list(step.declared_outputs))
    step.made_at = users_line()
    add_step(step)
    return step


def given_inputs(inputs: Inputs, declared: Mapping[str, Any]) -> Dict[str, Any]:
    """What a job file says of them, but for those that a search varies; `declared`: what they
    were before they were given other values, which have to be of the same types."""
    return {name: _of_type(declared.get(name), keys_of(plain(value)))
            for name, value in inputs.items() if not isinstance(value, Law)}


def _of_type(declared: Any, said: Any) -> Any:
    """A plain value in place of another, as an input of the other's type."""
    if isinstance(said, (Mapping, StepOutput)):
        return said
    if isinstance(declared, Input):
        keys = keys_of(declared)
        is_value = keys["type"].lower() in _VALUES
        return {**keys, "default": said} if is_value else said
    # 1 may stand for 1.0, as in Python.
    kind = "boolean" if isinstance(declared, bool) else "number"
    is_other = isinstance(declared, (bool, int, float)) and isinstance(said, str)
    return {"type": kind, "default": said} if is_other and said != plain(declared) else said
