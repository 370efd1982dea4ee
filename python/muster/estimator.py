"""Estimators, which ScriptRunConfig has replaced: azureml.train's way to describe a job."""

from typing import Any, Dict, List, Optional, Union

from .binary import BadCall
from .checked import Checked, lacks
from .datastores import DataPath, data_input_of, resumed_from
from .environment import CondaDependencies, ContainerRegistry, Environment
from .runconfig import (Configuration, MpiConfiguration, PyTorchConfiguration, RunConfiguration,
                        TensorflowConfiguration)
from .script_run_config import ScriptRunConfig


class Mpi(Checked):
    """Ranks of an MPI job: so many on each node."""

    def __init__(self, process_count_per_node: int = 1) -> None:
        self.process_count_per_node = process_count_per_node

    def spread(self, node_count: int) -> Configuration:
        return MpiConfiguration(self.process_count_per_node, node_count)


class Nccl(Checked):
    """Ranks of torch; in the SDK always one on each node."""

    def __init__(self, process_count_per_node: int = 1) -> None:
        self.process_count_per_node = process_count_per_node

    def spread(self, node_count: int) -> Configuration:
        return PyTorchConfiguration(type(self).__name__, node_count * self.process_count_per_node,
                                    node_count)


class Gloo(Nccl):
    """The same."""


class ParameterServer(Checked):
    """TensorFlow's workers and parameter servers."""

    def __init__(self, worker_count: int = 1, parameter_server_count: int = 1) -> None:
        self.worker_count = worker_count
        self.parameter_server_count = parameter_server_count

    def spread(self, node_count: int) -> Configuration:
        del node_count
        return TensorflowConfiguration(self.worker_count, self.parameter_server_count)


Training = Union[Mpi, Nccl, ParameterServer, MpiConfiguration]


class Estimator(ScriptRunConfig):
    """A script, its parameters, its packages or image, and how it is spread."""

    LACKS = lacks(
        accepted="use_docker use_gpu identity source_directory_data_store _disable_validation "
                 "_show_lint_warnings _show_package_warnings _enable_optimized_mode",
        no_effect="vm_size vm_priority shm_size",
        refused={
            "framework_version": "name it in pip_packages, as torch==1.13"})

    def __init__(self, source_directory: str = ".", *, compute_target: object = None,
                 entry_script: Optional[str] = None,
                 script_params: Optional[Dict[str, object]] = None,
                 node_count: int = 1, process_count_per_node: int = 1, worker_count: int = 1,
                 parameter_server_count: int = 1,
                 distributed_backend: Optional[str] = None,
                 distributed_training: Optional[Training] = None,
                 custom_docker_image: Optional[str] = None,
                 custom_docker_base_image: Optional[str] = None, user_managed: bool = False,
                 image_registry_details: Optional[ContainerRegistry] = None,
                 conda_packages: Optional[List[str]] = None,
                 pip_packages: Optional[List[str]] = None,
                 conda_dependencies_file: Optional[str] = None,
                 conda_dependencies_file_path: Optional[str] = None,
                 pip_requirements_file: Optional[str] = None,
                 pip_requirements_file_path: Optional[str] = None,
                 environment_definition: Optional[Environment] = None,
                 environment_variables: Optional[Dict[str, str]] = None,
                 max_run_duration_seconds: Optional[float] = None,
                 inputs: Optional[List[Any]] = None, resume_from: Optional[DataPath] = None
                 ) -> None:
        words = _words(script_params or {}) + resumed_from(resume_from)
        run = RunConfiguration(entry_script, words)
        run.target = compute_target
        run.max_run_duration_seconds = max_run_duration_seconds
        run.environment_variables = dict(environment_variables or {})
        run.environment = environment_definition or environment_of(
            custom_docker_image or custom_docker_base_image,
            image_registry_details or ContainerRegistry(), user_managed,
            packages_of(conda_packages, pip_packages,
                      conda_dependencies_file or conda_dependencies_file_path,
                      pip_requirements_file or pip_requirements_file_path))
        training = distributed_training or _training(
            distributed_backend, process_count_per_node,
            ParameterServer(worker_count, parameter_server_count))
        if training is None and (node_count > 1 or process_count_per_node > 1):
            raise BadCall("an estimator with several nodes or processes needs "
                          "distributed_training", "for example distributed_training=Mpi()")
        _spread(run, training, node_count)
        super().__init__(source_directory, run_config=run)
        self.data += [one for one in map(data_input_of, inputs or []) if one is not None]


def _training(backend: Optional[str], per_node: int, servers: ParameterServer
              ) -> Optional[Training]:
    """What the older words for it say."""
    word = (backend or "").lower()
    if word == "ps":
        return servers
    if servers.worker_count > 1 or servers.parameter_server_count > 1:
        raise BadCall("worker_count and parameter_server_count need distributed_backend='ps'",
                      "or distributed_training=ParameterServer(worker_count=...)")
    if word not in ("", "mpi"):
        raise BadCall(f"distributed_backend={backend!r} is not supported",
                      "it may be 'mpi' or 'ps'")
    return Mpi(per_node) if word else None


def _spread(run: RunConfiguration, training: Optional[Training], node_count: int) -> None:
    run.node_count = node_count
    spread = training if isinstance(training, MpiConfiguration) or training is None else (
        training.spread(node_count))
    if isinstance(spread, MpiConfiguration):
        run.communicator, run.mpi = "IntelMpi", spread
    elif isinstance(spread, PyTorchConfiguration):
        run.communicator, run.pytorch = spread.communication_backend, spread
    elif spread is not None:
        run.communicator, run.tensorflow = "ParameterServer", spread


def packages_of(conda: Optional[List[str]], pip: Optional[List[str]], conda_file: Optional[str],
              pip_file: Optional[str]) -> CondaDependencies:
    made = CondaDependencies(conda_file)
    for name in conda or []:
        made.add_conda_package(name)
    for name in pip or []:
        made.add_pip_package(name)
    if pip_file is not None:
        made.add_pip_package(f"-r {CondaDependencies(pip_file).file}")
    return made


def environment_of(image: Optional[str], registry: ContainerRegistry, user_managed: bool,
                 packages: CondaDependencies) -> Environment:
    """Without a name: an estimator that says nothing of its software finds it on the hosts."""
    made = Environment("" if image is None and packages.is_empty() else "estimator")
    made.docker.base_image = image
    made.docker.base_image_registry = registry
    made.python.conda_dependencies = packages
    made.python.user_managed_dependencies = user_managed
    return made


def _words(params: Dict[str, object]) -> List[object]:
    """{'--flag': ''} is a flag without a value."""
    words: List[object] = []
    for name, value in params.items():
        words += [name] if value == "" else [name, value]
    return words
