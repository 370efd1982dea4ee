"""azure.ai.ml.parallel: a script that is called with files in small batches."""

import os
from typing import Any, Dict, List, Optional, Union

from .binary import BadCall
from .checked import Checked, checked, given, lacks, settings_of
from .command_component import declared_input, declared_output
from .inputs import Inputs, absolute, step_input
from .job_parts import JobResourceConfiguration, Part, called, environment_key, part_of
from .outputs import Outputs
from .place import users_line
from .where import target_name
from .yaml_text import yaml_of

_Texts = Optional[Dict[str, str]]


class RunFunction(Part):
    """The script, which has a function run(mini_batch)."""

    LACKS = lacks(accepted="type", refused={"model": "give the model's path in program_arguments"})

    def __init__(self, *, code: Union[str, "os.PathLike[str]", None] = None,
                 entry_script: Optional[str] = None, program_arguments: Optional[str] = None,
                 append_row_to: Optional[str] = None, environment: object = None) -> None:
        self.code = code
        self.entry_script = entry_script
        self.program_arguments = program_arguments
        self.append_row_to = append_row_to
        self.environment = environment

    def keys(self) -> Dict[str, Any]:
        return given({"type": "run_function", **settings_of(self), "code": absolute(self.code),
                      "environment": environment_key(self.environment)})


class RetrySettings(Part):
    """How often a mini-batch is tried again, and for how many seconds each time."""

    def __init__(self, *, timeout: Union[int, str, None] = None,
                 max_retries: Union[int, str, None] = None) -> None:
        self.timeout = timeout
        self.max_retries = max_retries


_PARALLEL = lacks(accepted="properties tags version",
                  no_effect="identity services queue_settings comment")


class Parallel(Checked):
    """A step of that kind; calling it with inputs makes a copy, as a step of a pipeline."""

    LACKS = _PARALLEL
    has_code = False  # of its own: its task has one

    def __init__(self, **said: Any) -> None:
        self.made_at = users_line()
        self.node_name: Optional[str] = said["name"]
        self.name: str = said["name"] or said["display_name"] or "parallel"
        self.display_name: Optional[str] = said["display_name"]
        self.description: Optional[str] = said["description"]
        self.declared_inputs: Dict[str, Any] = dict(said["inputs"] or {})
        self.inputs = Inputs(self.name, {name: _value(one)
                                         for name, one in self.declared_inputs.items()})
        self.declared_outputs: Dict[str, Any] = dict(said["outputs"] or {})
        self.outputs = Outputs(self, list(self.declared_outputs))
        self.compute: Any = said["compute"]
        self.resources = part_of(said["resources"], JobResourceConfiguration)
        self.task = part_of(said["task"], RunFunction)
        self.retry_settings = part_of(said["retry_settings"], RetrySettings)
        self.environment_variables: Dict[str, str] = dict(said["environment_variables"] or {})
        self.input_data: Optional[str] = said["input_data"]
        self.mini_batch_size: Any = said["mini_batch_size"]
        self.partition_keys: Optional[List[str]] = said["partition_keys"]
        self.max_concurrency_per_instance: Optional[int] = said["max_concurrency_per_instance"]
        self.error_threshold: Optional[int] = said["error_threshold"]
        self.mini_batch_error_threshold: Optional[int] = said["mini_batch_error_threshold"]
        self.logging_level: Optional[str] = said["logging_level"]
        self.is_deterministic: bool = said["is_deterministic"]

    def __call__(self, **inputs: Any) -> "Parallel":
        step: Parallel = called(self, inputs)
        return step

    def __str__(self) -> str:
        return yaml_of(self.step_keys())

    def set_resources(self, *, instance_count: Optional[int] = None,
                      instance_type: Optional[str] = None, docker_args: Optional[str] = None,
                      shm_size: Optional[str] = None) -> None:
        vars(self.resources).update(given({
            "instance_count": instance_count, "instance_type": instance_type,
            "docker_args": docker_args, "shm_size": shm_size}))

    def _component(self) -> Dict[str, Any]:
        return given({
            "type": "parallel", "name": self.name, "display_name": self.display_name,
            "description": self.description,
            "inputs": {name: _declared(one) for name, one in self.declared_inputs.items()},
            "outputs": {name: declared_output(one)
                        for name, one in self.declared_outputs.items()},
            "input_data": self.input_data, "task": self.task.keys(),
            "mini_batch_size": None if self.mini_batch_size is None else str(self.mini_batch_size),
            "partition_keys": self.partition_keys,
            "max_concurrency_per_instance": self.max_concurrency_per_instance,
            "error_threshold": self.error_threshold,
            "mini_batch_error_threshold": self.mini_batch_error_threshold,
            "logging_level": self.logging_level,
            "retry_settings": given(settings_of(self.retry_settings)),
            "is_deterministic": None if self.is_deterministic else False})

    def step_keys(self) -> Dict[str, Any]:
        """Those of a step in a pipeline's file."""
        inputs = {name: step_input(one) for name, one in self.inputs.items() if one is not None}
        return given({
            "type": "parallel", "component": self._component(), "inputs": inputs,
            "outputs": self.outputs.said(),
            "resources": given(settings_of(self.resources)),
            "environment_variables": self.environment_variables,
            "compute": None if self.compute is None else target_name(self.compute)})


def _value(declared: Any) -> Any:
    """Of an input that says only what it is, nothing yet."""
    is_bare = (getattr(declared, "type", None) is not None
               and getattr(declared, "path", None) is None
               and getattr(declared, "default", None) is None)
    return None if is_bare else declared


def _declared(value: Any) -> Dict[str, Any]:
    said = declared_input(value)
    return {name: one for name, one in said.items() if name not in ("path", "mode")}


@checked(_PARALLEL)
def parallel_run_function(
        *, name: Optional[str] = None, description: Optional[str] = None,
        display_name: Optional[str] = None, experiment_name: Optional[str] = None,
        compute: object = None, retry_settings: Any = None, environment_variables: _Texts = None,
        logging_level: Optional[str] = None, max_concurrency_per_instance: Optional[int] = None,
        error_threshold: Optional[int] = None, mini_batch_error_threshold: Optional[int] = None,
        task: Any = None, mini_batch_size: Union[str, int, None] = None,
        input_data: Optional[str] = None, inputs: Optional[Dict[str, Any]] = None,
        outputs: Optional[Dict[str, Any]] = None, instance_count: Optional[int] = None,
        instance_type: Optional[str] = None, docker_args: Optional[str] = None,
        shm_size: Optional[str] = None, is_deterministic: bool = True,
        partition_keys: Optional[List[str]] = None) -> Parallel:
    """A step of a pipeline, to be called with inputs in its function."""
    del experiment_name  # of a step, it means nothing
    said = dict(locals())
    layout: List[str] = ["instance_count", "instance_type", "docker_args", "shm_size"]
    said["resources"] = JobResourceConfiguration(**{one: said.pop(one) for one in layout})
    if task is None:
        raise BadCall("parallel_run_function(task=...) is needed",
                      "give RunFunction(code=..., entry_script=...)")
    return Parallel(**said)
