"""ScriptRunConfig: a script or a command, where it is, and how it is to run."""

import os
import re
from typing import Any, Dict, Optional, Sequence, Union

from .binary import BadCall
from .checked import Checked, lacks, note
from .environment import Environment
from .place import users_line
from .runconfig import (Configuration, DockerConfiguration, MpiConfiguration,
                        PyTorchConfiguration, RunConfiguration, TensorflowConfiguration)
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


class ScriptRunConfig(Checked):
    """Give `script` and `arguments`, or `command`, which a shell reads once for each process."""

    LACKS = lacks(accepted="identity _telemetry_values", refused={
        "resume_from": "muster has no datastores: name the folder in the arguments"})

    def __init__(self, source_directory: Union[str, "os.PathLike[str]", None] = None,
                 script: Optional[str] = None, arguments: Optional[Sequence[object]] = None,
                 run_config: Optional[RunConfiguration] = None, _telemetry_values: object = None,
                 compute_target: object = None, environment: Optional[Environment] = None,
                 distributed_job_config: Optional[Configuration] = None,
                 resume_from: object = None, max_run_duration_seconds: Optional[float] = None,
                 command: Union[str, Sequence[object], None] = None,
                 docker_runtime_config: Optional[DockerConfiguration] = None) -> None:
        others: Dict[str, Any] = {
            "compute_target": compute_target, "environment": environment,
            "distributed_job_config": distributed_job_config,
            "max_run_duration_seconds": max_run_duration_seconds,
            "docker_runtime_config": docker_runtime_config}
        if run_config is None:
            run_config = RunConfiguration()
            _configure(run_config, **others)
        else:  # as the SDK has it
            for name in [name for name, value in others.items() if value is not None]:
                note(f"ScriptRunConfig({name}=...) has no effect beside run_config")
        self.said_at = users_line()
        self.run_config = run_config
        self.source_directory = _folder(source_directory)
        self.script = script or run_config.script
        self.command: Any = command or run_config.command
        if isinstance(arguments, str):
            raise BadCall("arguments must be a list, not text", 'for example ["--lr", 0.1]')
        self.arguments = list(arguments or run_config.arguments or [])
        if (self.script is None) == (self.command is None):
            raise ValueError("give either script or command")
        if self.command is not None and self.arguments:
            raise ValueError("arguments belong to a script; write them in the command")

    def shell_command(self) -> str:
        """The text that a shell reads."""
        if self.command is None:
            python = self.run_config.environment.interpreter
            return " ".join(map(shell_word, [python, self.script, *self.arguments]))
        if isinstance(self.command, str):
            return self.command
        return " ".join(map(str, self.command))

    def job(self, experiment: str) -> Dict[str, Any]:
        """The same as a job file of muster's own."""
        wish = self.run_config
        keys: Dict[str, Any] = {"muster": 1, "experiment": experiment,
                                "command": self.shell_command(),
                                "code": os.path.abspath(self.source_directory)}
        if wish.target is not None:
            keys["compute"] = target_name(wish.target)
        software = wish.environment.job_key()
        if software is not None:
            keys["environment"] = software
        variables = {**wish.environment.environment_variables, **wish.environment_variables}
        if variables:
            keys["environment_variables"] = variables
        spread = wish.distribution()
        if spread is not None:
            keys["distribution"] = spread.distribution()
        if wish.max_run_duration_seconds is not None:
            keys["timeout"] = wish.max_run_duration_seconds
        return keys


def _configure(run: RunConfiguration, compute_target: object, environment: Optional[Environment],
               distributed_job_config: Optional[Configuration],
               max_run_duration_seconds: Optional[float],
               docker_runtime_config: Optional[DockerConfiguration]) -> None:
    run.target = compute_target
    run.environment = environment or run.environment
    run.max_run_duration_seconds = max_run_duration_seconds
    run.docker = docker_runtime_config or run.docker
    spread = distributed_job_config
    if isinstance(spread, TensorflowConfiguration):
        run.tensorflow, run.communicator = spread, "ParameterServer"
    elif isinstance(spread, MpiConfiguration):
        run.mpi, run.communicator, run.node_count = spread, "IntelMpi", spread.node_count
    elif isinstance(spread, PyTorchConfiguration):
        run.pytorch, run.communicator = spread, spread.communication_backend
        run.node_count = spread.node_count
    elif spread is not None:
        raise ValueError(f"distributed_job_config is {spread!r}: give an MpiConfiguration, "
                         "PyTorchConfiguration or TensorflowConfiguration")


def _folder(source_directory: object) -> str:
    if source_directory is Ellipsis:  # as documents write what they leave out
        raise ValueError("source_directory is ..., which stands for a folder of yours")
    if not isinstance(source_directory, (str, os.PathLike, type(None))):
        raise ValueError(f"source_directory is a folder, not {source_directory!r}")
    return os.fspath(source_directory or ".")
