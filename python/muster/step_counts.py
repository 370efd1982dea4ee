"""How many nodes or processes a step has, where parameters of its pipeline say that."""

import copy
from typing import Any, Dict, List, Mapping, Optional, Union

from .binary import BadCall
from .checked import nearest
from .runconfig import RunConfiguration, TensorflowConfiguration
from .step_data import PipelineParameter

Count = Union[int, PipelineParameter]

_NODES, _PER_NODE = "NodeCount", "MpiProcessCountPerNode"
_WORKERS, _SERVERS = "TensorflowWorkerCount", "TensorflowParameterServerCount"
_KINDS = [_NODES, _PER_NODE, _WORKERS, _SERVERS]


def parameters_of(nodes: Count, per_node: Count) -> Dict[str, PipelineParameter]:
    """Those of both that are no numbers."""
    both = {_NODES: nodes, _PER_NODE: per_node}
    return {name: one for name, one in both.items() if isinstance(one, PipelineParameter)}


def usual(count: Count) -> int:
    """Where the pipeline is given no other."""
    return _whole(count, {}) if isinstance(count, PipelineParameter) else count


def _whole(parameter: PipelineParameter, values: Mapping[str, Any]) -> int:
    value = values.get(parameter.name, parameter.default_value)
    try:
        count = int(value)
    except (TypeError, ValueError):
        count = 0
    if count < 1:
        raise BadCall(f"the parameter {parameter.name!r} is {value!r}, which is not a count",
                      "it is a number of nodes or processes")
    return count


class StepCounts:
    """What runconfig_pipeline_params says."""

    def __init__(self, parameters: Optional[Mapping[str, Any]]) -> None:
        self._parameters = dict(parameters or {})
        for name, one in self._parameters.items():
            if name not in _KINDS:
                raise BadCall(f"runconfig_pipeline_params has no {name!r}", nearest(name, _KINDS))
            if not isinstance(one, PipelineParameter):
                raise BadCall(f"{name} of runconfig_pipeline_params is {one!r}",
                              "it is a PipelineParameter")

    def names(self) -> List[str]:
        return [one.name for one in self._parameters.values()]

    def set_in(self, run: RunConfiguration, values: Mapping[str, Any]) -> None:
        """With the values that the pipeline was given."""
        found = {name: _whole(one, values) for name, one in self._parameters.items()}
        if _NODES in found:
            run.node_count = found[_NODES]
            run.mpi, run.pytorch = copy.copy(run.mpi), copy.copy(run.pytorch)
            if run.mpi.node_count > 1:
                run.mpi.node_count = found[_NODES]
            if run.pytorch.node_count > 1:
                run.pytorch.node_count = found[_NODES]
        if _PER_NODE in found:
            run.mpi = copy.copy(run.mpi)
            run.mpi.process_count_per_node = found[_PER_NODE]
        if _WORKERS in found or _SERVERS in found:
            said = run.tensorflow
            run.tensorflow = TensorflowConfiguration(
                found.get(_WORKERS, said.worker_count),
                found.get(_SERVERS, said.parameter_server_count))
