"""CommandComponent: a component that a program describes, and those that its functions are."""

import os
from typing import Any, Dict, List, Mapping, Optional, Union

from .checked import given, lacks
from .component import Component
from .inputs import absolute, plain
from .job_parts import (Input, JobResourceConfiguration, Output, distribution_of,
                        environment_key, keys_of, part_of)
from .run import Run
from .spelling import Spelling
from .submission import Complaints, json_of, submit_file
from .place import users_line
from .yaml_text import yaml_of

TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


def declared_input(value: Any) -> Dict[str, Any]:
    """What a component says of an input: of a plain value, its type, and that as the default."""
    if isinstance(value, Input):
        return keys_of(value)  # type: ignore[no-any-return]
    if isinstance(value, Mapping):
        return dict(value)
    kind = TYPES.get(type(value), "string")
    return given({"type": kind, "default": plain(value)})


def declared_output(value: Any) -> Dict[str, Any]:
    if isinstance(value, Output):
        return keys_of(value)  # type: ignore[no-any-return]
    return dict(value) if isinstance(value, Mapping) else {"type": "uri_folder"}


class CommandComponent(Component):
    """azure.ai.ml.entities has it."""

    LACKS = lacks(accepted="properties", refused={
        "additional_includes": "put all files into the folder that `code` names"})

    def __init__(self, *, name: Optional[str] = None, version: Optional[str] = None,
                 description: Optional[str] = None, tags: Optional[Dict[str, str]] = None,
                 display_name: Optional[str] = None, command: Optional[str] = None,
                 code: Union[str, "os.PathLike[str]", None] = None, environment: Any = None,
                 distribution: Any = None, resources: Any = None,
                 inputs: Optional[Mapping[str, Any]] = None,
                 outputs: Optional[Mapping[str, Any]] = None,
                 instance_count: Optional[int] = None, is_deterministic: bool = True) -> None:
        self._made_at = users_line()
        self.name = name or display_name or "command"
        self.version = None if version is None else str(version)
        self.description = description
        self.tags = dict(tags or {})
        self.display_name = display_name
        self.command = command
        self.code = code
        self.environment = environment
        self.distribution = distribution_of(distribution)
        self.resources = part_of(resources, JobResourceConfiguration)
        if instance_count is not None:
            self.resources.instance_count = instance_count
        self.inputs = {one: declared_input(value) for one, value in (inputs or {}).items()}
        self.outputs = {one: declared_output(value) for one, value in (outputs or {}).items()}
        self.is_deterministic = is_deterministic
        self._declares()

    def _declares(self) -> None:
        self.input_names = list(self.inputs)
        self.output_names = list(self.outputs)
        self._required = [one for one, said in self.inputs.items()
                          if said.get("default") is None and not said.get("optional")]

    @classmethod
    def of_keys(cls, keys: Dict[str, Any]) -> "CommandComponent":
        """One that was kept."""
        words = {name: one for name, one in keys.items() if name != "type"}
        return cls(**words)

    @property
    def has_code(self) -> bool:
        return self.code is not None

    @property
    def shown(self) -> str:
        return self.name

    def keys(self) -> Dict[str, Any]:
        return given({
            "type": "command", "name": self.name, "version": self.version,
            "display_name": self.display_name, "description": self.description,
            "tags": self.tags, "inputs": self.inputs, "outputs": self.outputs,
            "command": self.command, "code": absolute(self.code),
            "environment": environment_key(self.environment),
            "distribution": keys_of(self.distribution), "resources": keys_of(self.resources),
            "is_deterministic": None if self.is_deterministic else False})

    def submit(self, words: List[str], spelling: Spelling) -> Run:
        """By itself."""
        complaints = Complaints("-", self._made_at, spelling)
        return submit_file("-", words, complaints, json_of(self.keys()))

    def __str__(self) -> str:
        return yaml_of(self.keys())
