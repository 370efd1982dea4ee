"""How many processes a job has, on how many nodes: `distribution` of a command job's file."""

from typing import Any, Dict, List, Optional, Sequence, Union

from .binary import BadCall
from .checked import Checked, Settings, checked, given, lacks, settings_of
from .environment import CondaDependencies, Environment
from .saved_config import PathLike, file_of, keys_of, place_for, remove, restore, write


class _Configuration(Checked):
    """Compared and shown by what it says."""

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in settings_of(self).items())
        return f"{type(self).__name__}({said})"

    def __eq__(self, other: object) -> bool:
        return (type(other) is type(self) and isinstance(other, Checked)
                and settings_of(other) == settings_of(self))


class MpiConfiguration(_Configuration):
    """Ranks of an MPI job: so many on each node."""

    def __init__(self, process_count_per_node: int = 1, node_count: int = 1) -> None:
        self.process_count_per_node = process_count_per_node
        self.node_count = node_count

    def keys(self) -> Dict[str, Any]:
        return {"distribution": {"type": "mpi",
                                 "process_count_per_instance": self.process_count_per_node},
                "resources": {"instance_count": self.node_count}}


class PyTorchConfiguration(_Configuration):
    """So many processes in all; without a count, one on each node, which may be a launcher."""

    def __init__(self, communication_backend: str = "Nccl", process_count: Optional[int] = None,
                 node_count: int = 1) -> None:
        self.communication_backend = communication_backend  # the program's own choice
        self.process_count = process_count
        self.node_count = node_count

    def keys(self) -> Dict[str, Any]:
        kind: Dict[str, Any] = {"type": "pytorch"}
        if self.process_count is not None:
            if self.process_count % self.node_count != 0:
                raise BadCall(f"{self.process_count} processes cannot be divided evenly among "
                              f"{self.node_count} nodes", "process_count is the number of all "
                              f"processes: a multiple of {self.node_count}")
            kind["process_count_per_instance"] = self.process_count // self.node_count
        return {"distribution": kind, "resources": {"instance_count": self.node_count}}


class TensorflowConfiguration(_Configuration):
    """TensorFlow's workers and parameter servers, each on a node of its own."""

    def __init__(self, worker_count: int = 1, parameter_server_count: int = 1) -> None:
        self.worker_count = worker_count
        self.parameter_server_count = parameter_server_count

    def keys(self) -> Dict[str, Any]:
        return {"distribution": {"type": "tensorflow", "worker_count": self.worker_count,
                                 "parameter_server_count": self.parameter_server_count}}


Configuration = Union[MpiConfiguration, PyTorchConfiguration, TensorflowConfiguration]


class DockerConfiguration(Checked):
    """Of a run: what its container gets; whether it has one, its environment says."""

    LACKS = lacks(accepted="use_docker shared_volumes")

    def __init__(self, use_docker: bool = False, shared_volumes: bool = True,
                 arguments: Sequence[str] = (), shm_size: Optional[str] = None) -> None:
        self.use_docker = use_docker
        self.shared_volumes = shared_volumes
        self.arguments = list(arguments or [])
        self.shm_size = shm_size

    def keys(self) -> Dict[str, Any]:
        """Those of a job's resources."""
        return given({"docker_args": " ".join(map(str, self.arguments)) or None,
                      "shm_size": self.shm_size})


_NO_DATA = "put the dataset among the arguments: dataset.as_named_input(NAME).as_mount()"


class RunConfiguration(Checked):
    """The same in parts, as older programs give it to ScriptRunConfig."""

    LACKS = lacks(
        accepted="auto_prepare_environment credential_passthrough save_path "
                 "source_directory_data_store auto_cluster_compute_specification "
                 "kubernetescompute",
        no_effect="priority services",
        refused={"data": _NO_DATA, "data_references": _NO_DATA, "datacaches": _NO_DATA,
                 "output_data": _NO_DATA, "hdi": "muster does not start HDInsight",
                 "spark": "muster does not start Spark",
                 "paralleltask": "a job file of type parallel does that"})

    environment: Environment
    environment_variables: Dict[str, str]
    node_count: int
    max_run_duration_seconds: Optional[float]
    docker: DockerConfiguration
    mpi: MpiConfiguration
    pytorch: PyTorchConfiguration
    tensorflow: TensorflowConfiguration

    def __init__(self, script: Optional[str] = None, arguments: Optional[List[object]] = None,
                 framework: Optional[str] = None, communicator: Optional[str] = None,
                 conda_dependencies: Optional[CondaDependencies] = None,
                 _history_enabled: object = None, _path: object = None,
                 _name: Optional[str] = None, command: object = None) -> None:
        self.script = script
        self.arguments = arguments
        self.command = command
        self.framework = framework or "Python"  # which says nothing about processes
        self.communicator = communicator or "None"
        self.target: object = None
        self.environment = Environment("")
        self.environment.python.conda_dependencies = conda_dependencies or CondaDependencies()
        self.environment_variables = {}
        self.node_count = 1
        self.max_run_duration_seconds = None
        self.docker = DockerConfiguration()
        self.mpi = MpiConfiguration()
        self.pytorch = PyTorchConfiguration()
        self.tensorflow = TensorflowConfiguration()
        self.history = Settings(
            "RunConfiguration.history", lacks(accepted="output_collection directories_to_watch "
                                                       "snapshot_project"))
        self.amlcompute = Settings(
            "RunConfiguration.amlcompute", lacks(
                accepted="name retain_cluster location", no_effect="vm_size vm_priority",
                refused={"cluster_max_node_count": "use node_count"}))

    @staticmethod
    def load(path: Optional[PathLike],
             name: Optional[str] = None) -> "RunConfiguration":
        """What save() has written, here or with the SDK itself."""
        file = file_of(path, name)
        made = RunConfiguration()
        restore(made, keys_of(file), file)
        return made

    @checked(lacks(refused={"separate_environment_yaml": "the environment is in the same file"}))
    def save(self, path: Optional[PathLike] = None, name: Optional[str] = None,
             separate_environment_yaml: bool = False) -> None:
        """A file that load() reads, and muster submit starts: PATH/.azureml/NAME, or PATH."""
        file, above = place_for(path, name)
        write(self, file, above)

    @staticmethod
    def delete(path: Optional[PathLike], name: str) -> None:
        """Removes what save() has written."""
        remove(path, name)

    def distribution(self) -> Optional[Configuration]:
        """What the communicator asks for; the node count of the whole holds for it, too."""
        word = self._communicator()
        nodes = self.node_count
        if word.endswith("mpi"):
            nodes = max(nodes, self.mpi.node_count)
            return MpiConfiguration(self.mpi.process_count_per_node, nodes)
        if word in ("nccl", "gloo"):
            nodes = max(nodes, self.pytorch.node_count)
            return PyTorchConfiguration(word, self.pytorch.process_count, nodes)
        if word == "none" and nodes > 1:
            raise BadCall("several nodes need a communicator",
                          "for example run_config.communicator = 'OpenMpi'")
        if word not in ("none", "parameterserver"):
            raise BadCall(f"the communicator {self.communicator!r} is not supported",
                          "it may be OpenMpi, IntelMpi, Nccl, Gloo, ParameterServer or None")
        return self.tensorflow if word == "parameterserver" else None

    def _communicator(self) -> str:
        """Where it is not said, the section that was changed tells."""
        word = (self.communicator or "None").lower()
        sections = {"mpi": (self.mpi, MpiConfiguration()),
                    "nccl": (self.pytorch, PyTorchConfiguration()),
                    "parameterserver": (self.tensorflow, TensorflowConfiguration())}
        changed = [name for name, (said, usual) in sections.items() if said != usual]
        if word != "none" or not changed:
            return word
        if len(changed) > 1:
            raise BadCall(f"the run configuration says how processes are spread in "
                          f"{len(changed)} of its sections", "set run_config.communicator")
        return changed[0]
