"""Component: a job file that is called like a function, with its inputs."""

import os
from typing import Any, Dict, List, Optional, Union

from . import binary, dsl
from .run import Run


class ResourceLayout:
    """Nodes, and processes on each, in place of those of the file."""

    def __init__(self) -> None:
        self.node_count: Optional[int] = None
        self.process_count_per_node: Optional[int] = None

    def configure(self, node_count: Optional[int] = None,
                  process_count_per_node: Optional[int] = None) -> None:
        self.node_count = node_count
        self.process_count_per_node = process_count_per_node

    def options(self) -> List[str]:
        words = []
        if self.node_count is not None:
            words += ["--nodes", str(self.node_count)]
        if self.process_count_per_node is not None:
            words += ["--per-node", str(self.process_count_per_node)]
        return words


class RunSettings:
    """What is said of a step beside its file."""

    def __init__(self) -> None:
        self.resource_layout = ResourceLayout()
        self.target: Optional[str] = None


class Step:
    """A component with values for its inputs."""

    def __init__(self, file: str, inputs: Dict[str, object]) -> None:
        self.file = file
        self.inputs = inputs
        self.runsettings = RunSettings()

    def submit(self, experiment_name: str = "", default_target: Optional[str] = None) -> Run:
        """Starts it and returns once all its processes run."""
        words = self.runsettings.resource_layout.options()
        for name, value in self.inputs.items():
            words += ["--set", f"inputs.{name}={value}"]
        target = self.runsettings.target or default_target
        words += ["--target", target] if target else []
        words += ["--experiment", experiment_name] if experiment_name else []
        return Run.submit(self.file, *words)


class Component:
    """Made by from_yaml; calling it makes a step."""

    def __init__(self, file: str) -> None:
        self.file = file

    @classmethod
    def from_yaml(cls, workspace: Any = None,
                  yaml_file: Union[str, "os.PathLike[str]"] = "") -> "Component":
        """Checks the file, and raises a MusterError with every complaint."""
        del workspace
        file = os.path.abspath(os.fspath(yaml_file))
        binary.text_of("validate", file)
        return cls(file)

    def __call__(self, **inputs: object) -> Step:
        step = Step(self.file, inputs)
        dsl.add(step)
        return step


__all__ = ["Component", "Step", "dsl"]
