"""How many processes a job has, on how many nodes: `distribution` in muster's job files."""

from dataclasses import dataclass
from typing import Any, Dict, Optional, Union


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
