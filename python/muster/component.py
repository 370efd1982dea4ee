"""Component: a job file that is called like a function, with its inputs."""

import difflib
import json
import os
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Union

import muster.dsl as dsl  # also for programs: azure.ml.component has it

from .binary import BadCall, MusterError, completed
from .outputs import Output, Outputs
from .place import users_line
from .run import Run
from .submission import Complaints, submit_file
from .where import Where


class ResourceLayout:
    """Nodes, and processes on each, in place of those of the file."""

    def __init__(self) -> None:
        self.node_count: Optional[int] = None
        self.process_count_per_node: Optional[int] = None

    def configure(self, node_count: Optional[int] = None,
                  process_count_per_node: Optional[int] = None,
                  instance_count: Optional[int] = None,
                  instance_type: Optional[str] = None) -> None:
        """Azure ML calls the same nodes by two names; a machine size has no effect here."""
        del instance_type
        self.node_count = instance_count if node_count is None else node_count
        self.process_count_per_node = process_count_per_node


class RunSettings:
    """What is said of a step beside its file."""

    def __init__(self) -> None:
        self.resource_layout = ResourceLayout()
        self.target: Optional[str] = None

    def configure(self, target: Optional[str] = None) -> None:
        self.target = target


class Step:
    """A component with values for its inputs."""

    def __init__(self, component: "Component", inputs: Dict[str, object]) -> None:
        self.file = component.file
        self.name = component.name
        self.inputs = inputs
        self.outputs = Outputs(self.name, component.output_names)
        self.runsettings = RunSettings()
        # The same settings, as SDK v2 has them.
        self.compute: Optional[str] = None
        self.resources = SimpleNamespace(instance_count=None, instance_type=None)
        self.distribution = SimpleNamespace(process_count_per_instance=None)
        self.environment_variables: Dict[str, str] = {}
        self.made_at = users_line()

    def submit(self, experiment_name: str = "", default_target: object = None,
               tags: Optional[Dict[str, str]] = None, **where: Any) -> Run:
        """Starts it and returns once all its processes run; `where` as of Experiment.submit."""
        words = self._counts()
        for name, value in self.inputs.items():
            words += ["--set", f"inputs.{name}={_text(value)}"]
        words += [f"--set=tags.{name}={value}" for name, value in (tags or {}).items()]
        words += ["--experiment", experiment_name] if experiment_name else []
        target = self.runsettings.target or self.compute or default_target
        return submit_file(self.file, words + Where(**where).words(target))

    def _counts(self) -> List[str]:
        layout = self.runsettings.resource_layout
        nodes = layout.node_count or self.resources.instance_count
        per_node = layout.process_count_per_node or self.distribution.process_count_per_instance
        words = ["--nodes", str(nodes)] if nodes is not None else []
        return words + (["--per-node", str(per_node)] if per_node is not None else [])


class Component:
    """Made by from_yaml; calling it makes a step."""

    def __init__(self, file: str, declared: Dict[str, Any]) -> None:
        self.file = file
        self.name = os.path.basename(file)
        self.input_names = [str(one["name"]) for one in declared["inputs"]]
        self.output_names = [str(name) for name in declared["outputs"]]
        self._required = [str(one["name"]) for one in declared["inputs"] if one["required"]]

    @classmethod
    def from_yaml(cls, workspace: Any = None,
                  yaml_file: Union[str, "os.PathLike[str]"] = "") -> "Component":
        """Checks the file, and raises a MusterError with every complaint."""
        del workspace
        file = os.fspath(yaml_file)
        told = completed("validate", file, "--json")
        if told.returncode != 0:
            said = completed("validate", file).stderr
            raise MusterError(told.returncode, Complaints().translated(said))
        return cls(os.path.abspath(file), json.loads(told.stdout))

    @classmethod
    def load(cls, workspace: Any = None, name: str = "", **_: object) -> "Component":
        """Components that are registered with Azure ML cannot be had here."""
        del workspace
        raise BadCall(f"the component {name!r} is registered with Azure ML, which muster does not "
                      "ask", "Component.from_yaml(workspace, yaml_file=...) takes its file")

    def __call__(self, *values: object, **inputs: object) -> Step:
        given = {**dict(zip(self.input_names, values)), **inputs}
        if len(values) > len(self.input_names):
            raise BadCall(f"{self.name} has {len(self.input_names)} inputs, and {len(values)} "
                          "values were given", self._right_names())
        self._check_names(given)
        for name, value in given.items():
            if isinstance(value, Output):
                raise _not_wired(self.name, name, value)
        step = Step(self, {name: value for name, value in given.items() if value is not None})
        dsl.add_step(step)
        return step

    def _check_names(self, given: Dict[str, object]) -> None:
        strange = [name for name in given if name not in self.input_names]
        if strange:
            raise BadCall(f"{self.name} has no input {_listed(strange)}",
                          self._right_names(strange[0]))
        missing = [name for name in self._required if given.get(name) is None]
        if missing:
            raise BadCall(f"{self.name} needs a value for {_listed(missing)}", self._right_names())

    def _right_names(self, typed: str = "") -> str:
        if not self.input_names:
            return "it takes none"
        optional = [name for name in self.input_names if name not in self._required]
        text = f"its inputs are {', '.join(self.input_names)}"
        if optional:
            text += f"; {', '.join(optional)} may be left out"
        near = difflib.get_close_matches(typed, self.input_names, 1)
        return f"did you mean {near[0]}? {text}" if near else text


def _listed(names: List[str]) -> str:
    return ", ".join(map(repr, names))


def _text(value: object) -> str:
    """An input of SDK v2 is its path or value; all else is as str() writes it."""
    return str(getattr(value, "path", None) or value)


def _not_wired(component: str, name: str, output: Output) -> BadCall:
    step = output.step
    return BadCall(f"{component} takes {name} from the output {output.name!r} of {step}: steps "
                   "that are wired to each other are not there yet",
                   f"submit {step} by itself, wait() for its run, and give the next one "
                   f"run.details()['outputs']['{output.name}'], which is a folder")


__all__ = ["Component", "Step", "dsl"]
