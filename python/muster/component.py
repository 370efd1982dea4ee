"""Component: a job file that is called like a function, with its inputs."""

import difflib
import inspect
import json
import os
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

import muster.dsl as dsl  # also for programs: azure.ml.component has it

from .binary import BadCall, MusterError, completed
from .checked import Checked, Settings, checked, given, lacks, note, settings_of
from .command_line import command_line
from .inputs import Inputs, step_input
from .job_parts import CommandJobLimits, JobResourceConfiguration, distribution_of
from .outputs import Output, Outputs
from .place import users_line
from .run import Run
from .spelling import Spelling
from .submission import Complaints, submit_file
from .sweep_job import Law, Sweepable, note_limits, refuse_laws
from .where import Where, target_name
from .yaml_text import yaml_of


_LAYOUT = lacks(no_effect="instance_type node_type")
_RUN_SETTINGS = lacks(
    no_effect="priority timeout_seconds docker_configuration environment",
    refused={"environment_variables": "use step.environment_variables, or the component's file"})
_RESOURCES = ("instance_count", "instance_type", "shm_size", "docker_args", "locations",
              "properties")
_COUNTS = ("process_count_per_instance", "worker_count", "parameter_server_count")
_AZURE_ONLY = ("comment node_name regenerate_output regenerate_outputs identity services "
               "queue_settings description display_name tags properties job_tier priority "
               "is_deterministic version environment")


class ResourceLayout(Checked):
    """Nodes, and processes on each, in place of those of the file."""

    LACKS = _LAYOUT

    node_count: Optional[int]
    process_count_per_node: Optional[int]

    def __init__(self) -> None:
        self.node_count = None
        self.process_count_per_node = None

    @property
    def instance_count(self) -> Optional[int]:
        """Azure ML calls the same nodes by two names."""
        return self.node_count

    @instance_count.setter
    def instance_count(self, count: Optional[int]) -> None:
        self.node_count = count

    @checked(_LAYOUT)
    def configure(self, node_count: Optional[int] = None,
                  process_count_per_node: Optional[int] = None,
                  instance_count: Optional[int] = None) -> None:
        self.node_count = instance_count if node_count is None else node_count
        self.process_count_per_node = process_count_per_node


class RunSettings(Checked):
    """What is said of a step beside its file."""

    LACKS = _RUN_SETTINGS

    resource_layout: ResourceLayout

    def __init__(self) -> None:
        self.resource_layout = ResourceLayout()
        self.target: object = None

    @checked(_RUN_SETTINGS)
    def configure(self, target: object = None) -> None:
        self.target = target


class Step(Sweepable, Checked):
    """A component with values for its inputs."""

    LACKS = lacks(no_effect=_AZURE_ONLY)

    def __init__(self, component: "Component", inputs: Dict[str, object]) -> None:
        self.component = component
        self.name: str = component.name
        self.inputs = Inputs(self.name, inputs, component.input_names)
        self.outputs = Outputs(self, component.output_names)
        self.runsettings = RunSettings()
        # The same settings, as SDK v2 has them.
        self.compute: Optional[str] = None
        self.resources = Settings("step.resources", lacks(), **dict.fromkeys(_RESOURCES))
        self.distribution = Settings("step.distribution", lacks(), **dict.fromkeys(_COUNTS))
        self.limits = Settings("step.limits", timeout=None)
        self.environment_variables: Dict[str, str] = {}
        self.made_at = users_line()

    @property
    def resources(self) -> Any:
        """These three may be given as dictionaries or as classes of the SDK."""
        return self._resources

    @resources.setter
    def resources(self, said: Any) -> None:
        self._resources = JobResourceConfiguration(**said) if isinstance(said, dict) else said

    @property
    def distribution(self) -> Any:
        return self._distribution

    @distribution.setter
    def distribution(self, said: Any) -> None:
        self._distribution = distribution_of(said)

    @property
    def limits(self) -> Any:
        return self._limits

    @limits.setter
    def limits(self, said: Any) -> None:
        self._limits = CommandJobLimits(**said) if isinstance(said, dict) else said

    @property
    def shown(self) -> str:
        """What messages call it."""
        return self.component.shown

    @property
    def has_code(self) -> bool:
        return self.component.has_code

    def step_keys(self) -> Dict[str, Any]:
        """Those of a step in a pipeline's file."""
        refuse_laws(self.name, self.inputs)
        return self._keys()

    def _keys(self) -> Dict[str, Any]:
        nodes, per_node = self._layout()
        target = self.runsettings.target or self.compute
        keys = {"component": self.component.keys(),
                "environment_variables": self.environment_variables,
                "compute": None if target is None else target_name(target),
                "inputs": {name: step_input(value) for name, value in self.inputs.items()},
                "outputs": self.outputs.said(),
                "resources": given({**_said(self.resources), "instance_count": nodes}),
                "limits": given(_said(self.limits)), "distribution": self._spread(per_node)}
        return given(keys)

    def _spread(self, per_node: Optional[int]) -> Dict[str, Any]:
        """Counts, or a distribution that takes the place of the file's."""
        if isinstance(self.distribution, Settings):
            return given({**_said(self.distribution), "process_count_per_instance": per_node})
        spread = (self.distribution if isinstance(self.distribution, Mapping)
                  else self.distribution.keys())
        return {**spread, **given({"process_count_per_instance": per_node})}

    def trial_keys(self, swept: List[str]) -> Tuple[Dict[str, Any], object]:
        """Those of a sweep's file over these inputs, and its trial: the component."""
        del swept
        keys = self._keys()
        top = {name: keys[name] for name in ("inputs", "resources", "compute") if name in keys}
        top["inputs"] = {name: value for name, value in top.get("inputs", {}).items()
                         if not isinstance(value, Law)}
        for key in ("distribution", "environment_variables", "outputs"):
            if key in keys:
                raise BadCall(f"{self.name} cannot be swept with {_of_step(key)}",
                              "write that in its file")
        note_limits(self.name, keys)
        return top, self.component.keys()

    @checked(others=Where)
    def submit(self, experiment_name: str = "", default_target: object = None,
               tags: Optional[Dict[str, str]] = None, **where: Any) -> Run:
        """Starts it by itself and returns once all its processes run; `where` as of Experiment.submit."""
        refuse_laws(self.name, self.inputs)
        self._refuse_more()
        words = self._counts()
        for name, value in self.inputs.items():
            if isinstance(value, Output):
                raise _not_wired(self.name, name, value)
            words += ["--set", f"inputs.{name}={_text(value)}"]
        words += [f"--set=tags.{name}={value}" for name, value in (tags or {}).items()]
        words += ["--experiment", experiment_name] if experiment_name else []
        target = self.runsettings.target or self.compute or default_target
        place = Where(**where)
        return self.component.submit(words + place.words(target), place.spelling)

    def __str__(self) -> str:
        return yaml_of(self._keys())

    def _refuse_more(self) -> None:
        """What muster submit has no option for."""
        said = self._keys()
        for key in ("environment_variables", "limits", "outputs"):
            if key in said:
                raise BadCall(f"{self.name} cannot be submitted by itself with {_of_step(key)}",
                              "write that in its file, or call it in a function with "
                              "@dsl.pipeline and submit what that returns")
        if set(said.get("distribution", {})) - {"process_count_per_instance"}:
            raise BadCall(f"{self.name} cannot be submitted by itself with another distribution",
                          "write it in its file, or call it in a function with @dsl.pipeline and "
                          "submit what that returns")
        idle = set(said.get("resources", {})) - {"instance_count"}
        for key in sorted(idle):
            note(f"step.resources.{key} has no effect on a step that is submitted by itself")

    def _layout(self) -> Tuple[Optional[int], Optional[int]]:
        layout = self.runsettings.resource_layout
        return (layout.node_count or _said(self.resources).get("instance_count"),
                layout.process_count_per_node
                or _said(self.distribution).get("process_count_per_instance"))

    def _counts(self) -> List[str]:
        nodes, per_node = self._layout()
        words = ["--nodes", str(nodes)] if nodes is not None else []
        return words + (["--per-node", str(per_node)] if per_node is not None else [])


class Component(Checked):
    """Made by from_yaml; calling it makes a step."""

    LACKS = lacks(accepted="display_name description tags properties type is_deterministic")

    def __init__(self, file: str, declared: Dict[str, Any]) -> None:
        self.file = file
        self.name: str = _told_by(file, "name") or os.path.basename(file)
        self.version = _told_by(file, "version")
        self.input_names = [str(one["name"]) for one in declared["inputs"]]
        self.output_names = [str(name) for name in declared["outputs"]]
        self._required = [str(one["name"]) for one in declared["inputs"] if one["required"]]
        self._has_code = bool(declared["has_artifacts"])

    @property
    def has_code(self) -> bool:
        """Whether its steps are commands that run in a copy of its code."""
        return self._has_code

    def keys(self) -> Union[str, Dict[str, Any]]:
        """What a step says of it."""
        return self.file

    def submit(self, words: List[str], spelling: Spelling) -> Run:
        """By itself."""
        return submit_file(self.file, words, Complaints(spelling=spelling))

    @property
    def shown(self) -> str:
        """What messages call it."""
        return os.path.basename(self.file)

    def __str__(self) -> str:
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    @classmethod
    @checked(lacks(accepted="workspace"))
    def from_yaml(cls, workspace: Any = None,
                  yaml_file: Union[str, "os.PathLike[str]"] = "") -> "Component":
        """Checks the file, and raises a MusterError with every complaint."""
        file = os.fspath(yaml_file)
        words = ["validate", file, *command_line.names]
        told = completed(*words, "--json")
        if told.returncode != 0:
            said = completed(*words).stderr
            raise MusterError(told.returncode, Complaints().translated(said))
        return cls(os.path.abspath(file), json.loads(told.stdout))

    @classmethod
    @checked(lacks(accepted="workspace version selector id registry"))
    def load(cls, workspace: Any = None, name: str = "") -> "Component":
        """Components that are registered with Azure ML cannot be had here."""
        raise BadCall(f"the component {name!r} is registered with Azure ML, which muster does not "
                      "ask", "Component.from_yaml(workspace, yaml_file=...) takes its file")

    @property
    def _func(self) -> Callable[..., Step]:
        """For help(), as programs of the SDK call it."""
        def function(*values: object, **inputs: object) -> Step:
            return self(*values, **inputs)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        setattr(function, "__signature__", inspect.Signature([
            inspect.Parameter(name, kind, default=inspect.Parameter.empty
                              if name in self._required else None)
            for name in sorted(self.input_names, key=lambda one: one not in self._required)]))
        function.__name__ = function.__qualname__ = self.name
        function.__doc__ = str(self)
        return function

    def __call__(self, *values: object, **inputs: object) -> Step:
        given = {**dict(zip(self.input_names, values)), **inputs}
        if len(values) > len(self.input_names):
            raise BadCall(f"{self.shown} has {len(self.input_names)} inputs, and {len(values)} "
                          "values were given", self._right_names())
        self._check_names(given)
        step = Step(self, {name: value for name, value in given.items() if value is not None})
        dsl.add_step(step)
        return step

    def _check_names(self, given: Dict[str, object]) -> None:
        strange = [name for name in given if name not in self.input_names]
        if strange:
            raise BadCall(f"{self.shown} has no input {_listed(strange)}",
                          self._right_names(strange[0]))
        missing = [name for name in self._required if given.get(name) is None]
        if missing:
            raise BadCall(f"{self.shown} needs a value for {_listed(missing)}", self._right_names())

    def _right_names(self, typed: str = "") -> str:
        if not self.input_names:
            return "it takes none"
        optional = [name for name in self.input_names if name not in self._required]
        text = f"its inputs are {', '.join(self.input_names)}"
        if optional:
            text += f"; {', '.join(optional)} may be left out"
        near = difflib.get_close_matches(typed, self.input_names, 1)
        return f"did you mean {near[0]}? {text}" if near else text


def _told_by(file: str, key: str) -> Optional[str]:
    """A plain value at the top of a file in YAML."""
    with open(file, encoding="utf-8", errors="replace") as text:
        found = re.search(rf"^{key}:[ \t]+([\"']?)([\w.-]+)\1[ \t]*(?:#.*)?$", text.read(),
                          re.MULTILINE)
    return found[2] if found else None


def _said(settings: Any) -> Dict[str, Any]:
    """Of a part of a step, which a program may replace by a dictionary or by a class of the SDK."""
    return dict(settings) if isinstance(settings, Mapping) else settings_of(settings)


def _of_step(key: str) -> str:
    return {"outputs": "a path for an output", "distribution": "another distribution"}.get(
        key, key.replace("_", " ") + " of its own")


def _listed(names: List[str]) -> str:
    return ", ".join(map(repr, names))


def _text(value: object) -> str:
    """An input of SDK v2 is its path or value; all else is as str() writes it."""
    return str(getattr(value, "path", None) or value)


def _not_wired(component: str, name: str, output: Output) -> BadCall:
    return BadCall(f"{component} cannot be submitted by itself: its {name} is the output "
                   f"{output.name!r} of {output.step.name}",
                   "call both in a function with @dsl.pipeline, and submit what that returns")


__all__ = ["Component", "Step", "dsl"]
