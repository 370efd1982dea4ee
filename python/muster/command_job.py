"""command(): a job in the words of Azure ML's SDK v2, whose job files muster reads as they are."""

import os
from typing import Any, Dict, List, Optional, Tuple, Union

from .checked import Checked, checked, given, lacks
from .inputs import Inputs, absolute
from .job_names import Named
from .job_parts import (RESOURCES, CommandJobLimits, JobResourceConfiguration, called,
                        changed_later, distribution_of, environment_key, given_inputs, keys_of,
                        part_of)
from .outputs import Outputs
from .place import users_line
from .run import Run
from .submission import Destination, dump_keys, json_of, submit_keys
from .sweep_job import Sweepable, note_limits, refuse_laws, with_search_space
from .where import Where, target_name
from .yaml_text import yaml_of


_JOB = lacks(no_effect="identity services properties queue_settings job_tier priority "
                       "parent_job_name comment")
_Texts = Optional[Dict[str, str]]


class CommandJob(Named, Sweepable, Checked):
    """A command and what is said of it; it may be changed until it is submitted."""

    LACKS = _JOB
    IN_SDK = "Command"

    def __init__(self, *, command: str, name: Optional[str] = None,
                 display_name: Optional[str] = None, description: Optional[str] = None,
                 code: Union[str, "os.PathLike[str]", None] = None, environment: object = None,
                 environment_variables: _Texts = None, distribution: Any = None,
                 compute: object = None, inputs: Optional[Dict[str, object]] = None,
                 outputs: Optional[Dict[str, object]] = None,
                 resources: Any = None, limits: Any = None, experiment_name: Optional[str] = None,
                 tags: _Texts = None, is_deterministic: bool = True) -> None:
        self.made_at = users_line()
        self._call(name, display_name, "command")
        self.description = description
        self.command = command
        self.code = code
        self._declared_inputs = dict(inputs or {})
        self.inputs: Inputs = Inputs(self.name, self._declared_inputs)
        self.outputs = outputs or {}
        self.environment = environment
        self.environment_variables: Dict[str, str] = dict(environment_variables or {})
        self.distribution = distribution
        self.compute = compute
        self.experiment_name = experiment_name
        self.tags: Dict[str, str] = dict(tags or {})
        self.resources = resources
        self.limits = limits
        self.is_deterministic = is_deterministic

    @property
    def has_code(self) -> bool:
        return self.code is not None

    @property
    def outputs(self) -> Any:
        """By name; others may be given as a dictionary."""
        return self._outputs

    @outputs.setter
    def outputs(self, said: Union[Outputs, Dict[str, object]]) -> None:
        if isinstance(said, Outputs):
            self._outputs = said
            return
        self.declared_outputs: Dict[str, object] = dict(said)
        self._outputs = Outputs(self, list(said))

    @property
    def distribution(self) -> Any:
        """Any of these three may be given as a dictionary."""
        return self._distribution

    @distribution.setter
    def distribution(self, said: Any) -> None:
        self._distribution = distribution_of(said)

    @property
    def resources(self) -> Any:
        return self._resources

    @resources.setter
    def resources(self, said: Any) -> None:
        self._resources = part_of(said, JobResourceConfiguration)

    @property
    def limits(self) -> Any:
        return self._limits

    @limits.setter
    def limits(self, said: Any) -> None:
        self._limits = part_of(said, CommandJobLimits)

    def __str__(self) -> str:
        return yaml_of(self._shown_keys())

    def __call__(self, **inputs: object) -> "CommandJob":
        """The same with other inputs, as a step of a pipeline."""
        step: CommandJob = called(self, inputs)
        return step

    @checked(RESOURCES)
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

    @checked(others=Where)
    def submit(self, experiment_name: str = "", default_target: object = None,
               tags: Optional[Dict[str, str]] = None, **where: Any) -> Run:
        """Starts it and returns once all its processes run; `where` as of Experiment.submit."""
        keys = self._job_keys(experiment_name, default_target, tags)
        place = Where(**where)
        return submit_keys(keys, place.words(), self.made_at, place.spelling)

    def dump(self, dest: Destination) -> None:
        """Writes a job file, for muster submit."""
        dump_keys(self._job_keys(), dest)

    def file_text(self) -> str:
        """What muster would be given."""
        return json_of(self._job_keys())

    def _shown_keys(self) -> Dict[str, Any]:
        """For print(), which may come before all inputs are known."""
        target = None if self.compute is None else target_name(self.compute)
        return given({**self.keys(), **self.names(), "compute": target,
                      "experiment_name": self.experiment_name, "tags": self.tags})

    def _job_keys(self, experiment_name: str = "", default_target: object = None,
                  tags: _Texts = None) -> Dict[str, Any]:
        refuse_laws(self.name, self.inputs)
        target = self.compute or default_target
        return given({**self.keys(), **self.names(),
                      "experiment_name": experiment_name or self.experiment_name,
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
            "type": "command", "display_name": self.display_name or self.names().get("name"),
            "command": self.command, "code": absolute(self.code),
            "description": self.description,
            "is_deterministic": None if self.is_deterministic else False,
            "environment": environment_key(self.environment),
            "environment_variables": self.environment_variables,
            "distribution": keys_of(self.distribution),
            "resources": keys_of(self.resources), "limits": keys_of(self.limits),
            "inputs": given_inputs(self.inputs, self._declared_inputs),
            "outputs": {name: changed_later(keys_of(value), changed.get(name))
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
    job = CommandJob(
        command=command, name=name, description=description, display_name=display_name, code=code,
        environment=environment, environment_variables=environment_variables,
        distribution=distribution, compute=compute, inputs=inputs, outputs=outputs,
        resources=JobResourceConfiguration(
            locations=locations, instance_count=instance_count, instance_type=instance_type,
            docker_args=docker_args, shm_size=shm_size),
        limits=CommandJobLimits(timeout), experiment_name=experiment_name, tags=tags,
        is_deterministic=is_deterministic)
    if environment_variables is not None:  # as in the SDK, what is put into it later counts
        job.environment_variables = environment_variables
    return job
