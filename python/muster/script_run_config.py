"""ScriptRunConfig: a script or a command, where it is, and how it is to run."""

import os
from typing import Any, Dict, List, Optional, Sequence, Union

from .binary import BadCall
from .checked import Checked, given, lacks, note
from .datasets import variables_of
from .datastores import DataInput, DataPath, by_names, data_input_of, resumed_from
from .environment import Environment
from .place import users_line
from .run import Run
from .runconfig import (Configuration, DockerConfiguration, MpiConfiguration,
                        PyTorchConfiguration, RunConfiguration, TensorflowConfiguration)
from .shell_words import Expression, shell_word
from .spelling import V1
from .submission import submit_keys
from .where import target_name

# Keys of job files that ScriptRunConfig calls otherwise.
_RENAMED = {"limits.timeout": "max_run_duration_seconds", "code": "source_directory",
            "process_count_per_instance": "process_count_per_node",
            "resources.instance_count": "node_count"}


class ScriptRunConfig(Checked):
    """Give `script` and `arguments`, or `command`, which a shell reads once for each process."""

    LACKS = lacks(accepted="identity _telemetry_values")

    def __init__(self, source_directory: Union[str, "os.PathLike[str]", None] = None,
                 script: Optional[str] = None, arguments: Optional[Sequence[object]] = None,
                 run_config: Optional[RunConfiguration] = None, _telemetry_values: object = None,
                 compute_target: object = None, environment: Optional[Environment] = None,
                 distributed_job_config: Optional[Configuration] = None,
                 resume_from: Optional[DataPath] = None, max_run_duration_seconds: Optional[float] = None,
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
        self.arguments = list(arguments or run_config.arguments or []) + resumed_from(resume_from)
        self.data: List[DataInput] = []  # that are not among the arguments
        if self.script is not None and self.command is not None:
            raise BadCall("give either script or command",
                          "a command names the script itself: python3 train.py")
        if self.command is not None and self.arguments:
            raise BadCall("arguments belong to a script, not to a command",
                          "write them in the command")

    def shell_command(self) -> str:
        """The text that a shell reads."""
        if self.command is None:
            python = self.run_config.environment.interpreter
            return " ".join(map(shell_word, map(_word, [python, self.script, *self.arguments])))
        if isinstance(self.command, str):
            return self.command
        return " ".join(shell_word(word) if isinstance(word, Expression) else str(word)
                        for word in map(_word, self.command))

    def _reads(self) -> List[DataInput]:
        """Files among its words, and beside them."""
        words = [] if isinstance(self.command, str) else [*(self.command or []), *self.arguments]
        found = [one for one in map(data_input_of, words) if one is not None]
        return list(by_names([*self.data, *found]).values())

    def keys(self) -> Dict[str, Any]:
        """Those of a command job's file, but for where it runs."""
        self._look_for_the_code()
        wish = self.run_config
        spread = wish.distribution()
        keys: Dict[str, Any] = {} if spread is None else spread.keys()
        keys["resources"] = {**keys.get("resources", {}), **wish.environment.docker.resources(),
                             **wish.docker.keys()}
        reads = self._reads()
        variables = {**wish.environment.environment_variables, **wish.environment_variables,
                     **variables_of(reads)}
        limit = wish.max_run_duration_seconds
        return given({
            "command": self.shell_command(), "code": os.path.abspath(self.source_directory),
            "environment": wish.environment.software(), "environment_variables": variables, **keys,
            "inputs": {one.name: one.input_keys() for one in reads},
            "limits": None if limit is None else {"timeout": limit}})

    def job(self, experiment: str) -> Dict[str, Any]:
        """The same as a job file."""
        return given({"type": "command", "experiment_name": experiment,
                      "compute": self.target(), **self.keys()})

    def target(self) -> Optional[str]:
        """Where it is to run."""
        target = self.run_config.target
        return None if target is None else target_name(target)

    def _look_for_the_code(self) -> None:
        """Here, from where it is sent to the hosts."""
        if self.script is None and self.command is None:
            raise BadCall(f"{self.name_in_sdk()} has neither script nor command",
                          'for example script="train.py"', self.said_at)
        folder = self.source_directory
        if not os.path.isdir(folder):
            raise BadCall(f"there is no folder {folder!r} here",
                          "source_directory is a folder of this machine", self.said_at)
        if self.script is not None and not os.path.isfile(os.path.join(folder, self.script)):
            raise BadCall(f"there is no script {self.script!r} in {folder!r}",
                          "script is a file's path below source_directory", self.said_at)

    def begin(self, experiment: str, words: List[str]) -> Run:
        """Starts it, with further words of muster submit."""
        return submit_keys(self.job(experiment), words, self.said_at, V1._replace(renamed=_RENAMED))


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
        raise BadCall(f"distributed_job_config is {spread!r}", "give an MpiConfiguration, "
                      "PyTorchConfiguration or TensorflowConfiguration")


def _word(value: Any) -> Any:
    """Of files, where the job has them."""
    data = data_input_of(value)
    return value if data is None else data.word()


def _folder(source_directory: object) -> str:
    if source_directory is Ellipsis:  # as documents write what they leave out
        raise BadCall("source_directory is ...", "give the path of a folder")
    if not isinstance(source_directory, (str, os.PathLike, type(None))):
        raise BadCall(f"source_directory is {source_directory!r}", "give the path of a folder")
    return os.fspath(source_directory or ".")
