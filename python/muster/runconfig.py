"""How many processes a job has, on how many nodes: `distribution` in muster's job files."""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from .environment import Environment


@dataclass
class MpiConfiguration:
    """Ranks of an MPI job: so many on each node."""

    process_count_per_node: int = 1
    node_count: int = 1

    def distribution(self) -> Dict[str, Any]:
        return {"type": "mpi", "process_count_per_node": self.process_count_per_node,
                "node_count": self.node_count}


@dataclass
class PyTorchConfiguration:
    """So many processes in all; without a count, one on each node, which may be a launcher."""

    process_count: Optional[int] = None
    node_count: int = 1

    def distribution(self) -> Dict[str, Any]:
        keys: Dict[str, Any] = {"type": "pytorch", "node_count": self.node_count}
        if self.process_count is not None:
            keys["process_count"] = self.process_count
        return keys


@dataclass
class TensorflowConfiguration:
    """TensorFlow's workers and parameter servers, each on a node of its own."""

    worker_count: int = 1
    parameter_server_count: int = 1

    def distribution(self) -> Dict[str, Any]:
        return {"type": "tensorflow", "worker_count": self.worker_count,
                "parameter_server_count": self.parameter_server_count}


Configuration = Union[MpiConfiguration, PyTorchConfiguration, TensorflowConfiguration]


class RunConfiguration:
    """The same in parts, as older programs give it to ScriptRunConfig."""

    def __init__(self, script: Optional[str] = None, arguments: Optional[List[object]] = None,
                 framework: str = "Python", communicator: str = "None") -> None:
        self.script = script
        self.arguments = arguments
        self.framework = framework
        self.communicator = communicator
        self.target: object = None
        self.environment: Optional[Environment] = None
        self.node_count = 1
        self.max_run_duration_seconds: Optional[float] = None
        self.mpi = MpiConfiguration()
        self.pytorch = PyTorchConfiguration()
        self.tensorflow = TensorflowConfiguration()

    def distribution(self) -> Optional[Configuration]:
        """What the communicator asks for; the node count of the whole holds for it, too."""
        word = self.communicator.lower()
        nodes = self.node_count
        if word.endswith("mpi"):
            nodes = max(nodes, self.mpi.node_count)
            return MpiConfiguration(self.mpi.process_count_per_node, nodes)
        if word in ("nccl", "gloo"):
            nodes = max(nodes, self.pytorch.node_count)
            return PyTorchConfiguration(self.pytorch.process_count, nodes)
        return self.tensorflow if word == "parameterserver" else None


class DockerConfiguration:
    """Stands where the SDK wants one: muster starts no containers."""

    def __init__(self, use_docker: bool = False, **_: object) -> None:
        self.use_docker = use_docker
