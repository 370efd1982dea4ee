"""Estimators, which ScriptRunConfig has replaced: azureml.train's way to describe a job."""

from typing import Any, Dict, List, Optional, Union

from .environment import Environment
from .runconfig import (Configuration, MpiConfiguration, PyTorchConfiguration,
                        TensorflowConfiguration)
from .script_run_config import ScriptRunConfig


class Mpi:
    """Ranks of an MPI job: so many on each node."""

    def __init__(self, process_count_per_node: int = 1) -> None:
        self.process_count_per_node = process_count_per_node

    def spread(self, node_count: int) -> Configuration:
        return MpiConfiguration(self.process_count_per_node, node_count)


class Nccl:
    """Ranks of torch: so many on each node."""

    def __init__(self, process_count_per_node: int = 1) -> None:
        self.process_count_per_node = process_count_per_node

    def spread(self, node_count: int) -> Configuration:
        return PyTorchConfiguration(node_count * self.process_count_per_node, node_count)


class Gloo(Nccl):
    """The same."""


class ParameterServer:
    """TensorFlow's workers and parameter servers."""

    def __init__(self, worker_count: int = 1, parameter_server_count: int = 1) -> None:
        self.worker_count = worker_count
        self.parameter_server_count = parameter_server_count

    def spread(self, node_count: int) -> Configuration:
        del node_count
        return TensorflowConfiguration(self.worker_count, self.parameter_server_count)


class Estimator(ScriptRunConfig):
    """A script, its parameters, and how it is spread; a list of packages has no effect here."""

    def __init__(self, source_directory: str = ".", *, compute_target: object = None,
                 entry_script: str, script_params: Optional[Dict[str, object]] = None,
                 node_count: int = 1, process_count_per_node: int = 1,
                 distributed_backend: Optional[str] = None,
                 distributed_training: Union[Mpi, Nccl, ParameterServer, None] = None,
                 environment_definition: Optional[Environment] = None,
                 environment_variables: Optional[Dict[str, str]] = None,
                 max_run_duration_seconds: Optional[float] = None, **_: Any) -> None:
        spread = distributed_training
        if spread is None and (distributed_backend or "").lower() == "mpi":
            spread = Mpi(process_count_per_node)
        super().__init__(source_directory, entry_script, _words(script_params or {}),
                         compute_target=compute_target, environment=environment_definition,
                         distributed_job_config=spread.spread(node_count) if spread else None,
                         max_run_duration_seconds=max_run_duration_seconds)
        self.environment_variables = environment_variables or {}

    def job(self, experiment: str) -> Dict[str, Any]:
        keys = super().job(experiment)
        keys.setdefault("environment_variables", {}).update(self.environment_variables)
        return keys


def _words(params: Dict[str, object]) -> List[object]:
    """{'--flag': ''} is a flag without a value."""
    words: List[object] = []
    for name, value in params.items():
        words += [name] if value == "" else [name, value]
    return words
