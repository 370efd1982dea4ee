"""azureml.pipeline.steps.ParallelRunStep: a script of SDK v1 that is called with files in batches."""

import os
from typing import Any, Dict, List, Mapping, Optional, Union

from .binary import BadCall
from .checked import Checked, given, lacks, settings_of
from .datasets import TabularDataset
from .datastores import data_input_of
from .environment import Environment
from .shell_words import shell_word
from .step_data import PipelineParameter, StepInput, output_of
from .steps import PipelineStep, Values
from .where import target_name

_ACTIONS = ("append_row", "summary_only")
# A setting may be a parameter of the pipeline.
_Whole = Union[int, PipelineParameter]
_Text = Union[str, PipelineParameter]


class ParallelRunConfig(Checked):
    """The script, how its batches are made, and on how many nodes it runs."""

    LACKS = lacks(accepted="description", no_effect="allowed_failed_count allowed_failed_percent",
                  refused={"partition_keys": "muster makes mini-batches of files: use "
                           "mini_batch_size"})

    def __init__(self, environment: Environment, entry_script: str, error_threshold: int,
                 output_action: str, compute_target: object, node_count: _Whole,
                 process_count_per_node: Optional[_Whole] = None,
                 mini_batch_size: Union[int, str, PipelineParameter, None] = None,
                 source_directory: Union[str, "os.PathLike[str]", None] = None,
                 description: Optional[str] = None, logging_level: _Text = "INFO",
                 run_invocation_timeout: Union[float, PipelineParameter] = 60,
                 run_max_try: _Whole = 3,
                 append_row_file_name: Optional[str] = None,
                 allowed_failed_count: Optional[int] = None,
                 allowed_failed_percent: Optional[float] = None,
                 partition_keys: Optional[List[str]] = None,
                 environment_variables: Optional[Dict[str, str]] = None) -> None:
        if output_action not in _ACTIONS:
            raise BadCall(f"output_action is {output_action!r}", f"it is {' or '.join(_ACTIONS)}")
        self.environment = environment
        self.entry_script = entry_script
        self.error_threshold = error_threshold
        self.output_action = output_action
        self.compute_target = compute_target
        self.node_count = node_count
        self.process_count_per_node = process_count_per_node
        self.mini_batch_size = mini_batch_size
        self.source_directory = source_directory or "."
        self.logging_level = logging_level
        self.run_invocation_timeout = run_invocation_timeout
        self.run_max_try = run_max_try
        self.append_row_file_name = append_row_file_name
        self.environment_variables = dict(environment_variables or {})

    def parameters(self) -> Dict[str, PipelineParameter]:
        """Settings that the pipeline may be given."""
        return {name: one for name, one in settings_of(self).items()
                if isinstance(one, PipelineParameter)}

    def keys(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        """Those of a parallel step, but for its task and what it reads and makes; `values` are
        those of the pipeline's parameters."""
        said = {**settings_of(self), **{name: values.get(one.name, one.default_value)
                                        for name, one in self.parameters().items()}}
        size, target = said["mini_batch_size"], self.compute_target
        return given({
            "type": "parallel", "mini_batch_size": None if size is None else str(size),
            "error_threshold": self.error_threshold, "logging_level": said["logging_level"],
            "max_concurrency_per_instance": said["process_count_per_node"],
            "resources": {"instance_count": said["node_count"]},
            "retry_settings": {"timeout": said["run_invocation_timeout"],
                               "max_retries": max(int(said["run_max_try"]) - 1, 0)},
            "environment_variables": {**self.environment.environment_variables,
                                      **self.environment_variables},
            "compute": None if target is None else target_name(target)})

    def task(self, arguments: str, output: Optional[str]) -> Dict[str, Any]:
        """What is called with each batch; an output gets the rows that it returns."""
        appends = self.output_action == "append_row" and output is not None
        path = f"${{{{outputs.{output}}}}}"
        if self.append_row_file_name:
            path += f"/{self.append_row_file_name}"
        return given({"type": "run_function", "code": os.path.abspath(self.source_directory),
                      "entry_script": self.entry_script, "program_arguments": arguments or None,
                      "environment": self.environment.software(),
                      "append_row_to": path if appends else None})


class ParallelRunStep(PipelineStep):
    """A step of that kind: run(mini_batch) is given paths of files."""

    LACKS = lacks(accepted="version models")  # scripts find models by their names

    def __init__(self, name: str, parallel_run_config: ParallelRunConfig, inputs: List[Any],
                 output: Any = None, side_inputs: Values = None, arguments: Values = None,
                 allow_reuse: bool = True) -> None:
        if len(inputs) != 1:
            raise BadCall(f"inputs of ParallelRunStep() has {len(inputs)} things",
                          "one is cut into mini-batches; others are side_inputs")
        if isinstance(getattr(data_input_of(inputs[0]), "dataset", None), TabularDataset):
            raise BadCall("ParallelRunStep() cannot cut a table into mini-batches",
                          "give it the files: Dataset.File.from_files(...)")
        super().__init__(name, [*inputs, *(side_inputs or [])],
                         None if output is None else [output], arguments, allow_reuse)
        data, made = data_input_of(inputs[0]), inputs[0]
        self._data_name = (data.name if data is not None else made.name
                           if isinstance(made, StepInput) else output_of(made).name)
        self._output = None if output is None else output_of(output).name
        self._config = parallel_run_config

    def settings(self) -> List[str]:
        return [one.name for one in self._config.parameters().values()]

    def step_keys(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        arguments = " ".join(shell_word(word) for word in self._arguments)
        return given({**self._config.keys(values), "input_data": f"${{{{inputs.{self._data_name}}}}}",
                      "task": self._config.task(arguments, self._output),
                      "is_deterministic": self._reuse()})
