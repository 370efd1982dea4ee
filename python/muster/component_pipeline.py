"""azure.ml.component.Pipeline: steps that were made one by one become a pipeline."""

from typing import Any, List, Mapping, Optional

from .binary import BadCall
from .checked import lacks
from .kinds import shortened
from .outputs import Output
from .pipeline import Pipeline, named_steps, outputs_of


class ComponentPipeline(Pipeline):
    """The same as a function with @dsl.pipeline makes."""

    IN_SDK = "Pipeline"
    LACKS = lacks(accepted="workspace _use_dsl _definition _init_params _is_direct_child",
                  no_effect="default_datastore")

    def __init__(self, nodes: List[Any], outputs: Optional[Mapping[str, Output]] = None,
                 workspace: Any = None, name: Optional[str] = None,
                 description: Optional[str] = None, default_compute: object = None) -> None:
        del workspace
        strange = [one for one in nodes if not hasattr(one, "step_keys")]
        if strange:
            raise BadCall(f"nodes of Pipeline() has {shortened(strange[0])}, which is not a step",
                          "call a component with its inputs: that makes one")
        said = {"name": name, "description": description, "target": default_compute,
                "is_deterministic": None, "goes_on": None, "force_rerun": None, "tags": None,
                "experiment_name": None}
        super().__init__(said, named_steps(nodes, {}), outputs_of(dict(outputs or {}) or None), {})
