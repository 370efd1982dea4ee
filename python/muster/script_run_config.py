"""ScriptRunConfig: a script or a command, where it is, and how it is to run."""

import os
import re
from typing import Any, Dict, Optional, Sequence, Union

from .environment import Environment
from .place import users_line
from .runconfig import Configuration, RunConfiguration
from .where import target_name

_PLAIN = re.compile(r"[\w@%+=:,./-]+")
_VARIABLE = re.compile(r"\$(?=\w|\{\w+\})")


def shell_word(value: object) -> str:
    """A word as a shell reads it; $NAME in it is each process's own variable."""
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    quoted = re.sub(r'([\\"`])', r"\\\1", text)
    pieces = _VARIABLE.split(quoted)
    return '"' + "$".join(piece.replace("$", "\\$") for piece in pieces) + '"'


class ScriptRunConfig:
    """Give `script` and `arguments`, or `command`, which a shell reads once for each process."""

    def __init__(self, source_directory: Union[str, "os.PathLike[str]", None] = None,
                 script: Optional[str] = None, arguments: Optional[Sequence[object]] = None,
                 run_config: Optional[RunConfiguration] = None, compute_target: object = None,
                 environment: Optional[Environment] = None,
                 distributed_job_config: Optional[Configuration] = None,
                 max_run_duration_seconds: Optional[float] = None,
                 command: Union[str, Sequence[object], None] = None) -> None:
        wish = run_config or RunConfiguration()
        script, arguments = script or wish.script, arguments or wish.arguments
        self.said_at = users_line()
        if (script is None) == (command is None):
            raise ValueError("give either script or command")
        if command is not None and arguments:
            raise ValueError("arguments belong to a script; write them in the command")
        self.source_directory = _folder(source_directory)
        self.script = script
        self.arguments = list(arguments or [])
        self.compute_target = compute_target or wish.target
        self.environment = environment or wish.environment
        self.distributed_job_config = distributed_job_config or wish.distribution()
        self.max_run_duration_seconds = max_run_duration_seconds or wish.max_run_duration_seconds
        self.command = command

    def shell_command(self) -> str:
        """The text that a shell reads."""
        if self.command is None:
            python = self.environment.interpreter if self.environment else "python3"
            return " ".join(map(shell_word, [python, self.script, *self.arguments]))
        if isinstance(self.command, str):
            return self.command
        return " ".join(map(str, self.command))

    def job(self, experiment: str) -> Dict[str, Any]:
        """The same as a job file of muster's own."""
        keys: Dict[str, Any] = {"muster": 1, "experiment": experiment,
                                "command": self.shell_command(),
                                "code": os.path.abspath(self.source_directory)}
        if self.compute_target is not None:
            keys["compute"] = target_name(self.compute_target)
        if self.environment:
            software = self.environment.job_key()
            if software is not None:
                keys["environment"] = software
            keys["environment_variables"] = self.environment.environment_variables
        if self.distributed_job_config is not None:
            keys["distribution"] = self.distributed_job_config.distribution()
        if self.max_run_duration_seconds is not None:
            keys["timeout"] = self.max_run_duration_seconds
        return keys


def _folder(source_directory: object) -> str:
    if source_directory is Ellipsis:  # as documents write what they leave out
        raise ValueError("source_directory is ..., which stands for a folder of yours")
    if not isinstance(source_directory, (str, os.PathLike, type(None))):
        raise ValueError(f"source_directory is a folder, not {source_directory!r}")
    return os.fspath(source_directory or ".")
