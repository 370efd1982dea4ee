"""azureml.pipeline.steps: scripts and commands that are steps of a pipeline."""

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .binary import BadCall
from .checked import Checked, given, lacks, nearest
from .datastores import DataInput, by_names, data_input_of
from .environment import ContainerRegistry, Environment
from .estimator import environment_of, packages_of
from .hyperdrive import OLDER_NAMES, HyperDriveConfig
from .modules import Module, ModuleVersion, said_of, words_of
from .notebook_run import NotebookRunConfig
from .place import users_line
from .runconfig import MpiConfiguration, RunConfiguration
from .script_run_config import ScriptRunConfig
from .shell_words import Expression
from .step_counts import Count, StepCounts, parameters_of, usual
from .step_data import (OutputFileDatasetConfig, PipelineData, PipelineParameter, StepInput,
                        StepOutput, output_of, plain_name)
from .where import target_name

Values = Optional[Sequence[Any]]


class PipelineStep(Checked):
    """What steps of all kinds have in common: what they read and make."""

    LACKS = lacks(accepted="version hash_paths")

    def __init__(self, name: str, inputs: Values = None, outputs: Values = None,
                 arguments: Values = None, allow_reuse: bool = True) -> None:
        self.made_at = users_line()
        self.name = name
        self.allow_reuse = allow_reuse
        self._reads: Dict[str, StepOutput] = {}
        self._makes: Dict[str, StepOutput] = {}
        self._data: Dict[str, DataInput] = {}
        self._tables: Dict[str, Dict[str, Any]] = {}
        self._parameters: Dict[str, PipelineParameter] = {}
        self._after: List["PipelineStep"] = []
        for one in outputs or []:
            self._make(output_of(one))
        for one in inputs or []:
            self._read(one)
        self._arguments = [self._word(one) for one in arguments or []]

    def run_after(self, step: "PipelineStep") -> None:
        """Starts once that one has completed."""
        self._after.append(step)

    def _make(self, output: StepOutput, port: Optional[str] = None) -> Expression:
        """`port`: what the step itself calls it."""
        found = [one for one, made in self._makes.items() if made is output]
        name = found[0] if found else port or output.name
        self._makes[name] = output
        output.made_by(self)
        return Expression(f"${{{{outputs.{name}}}}}")

    def _read(self, thing: Any) -> Expression:
        data = data_input_of(thing)
        if data is not None:
            self._data = by_names([*self._data.values(), data])
            return data.word()
        if isinstance(thing, PipelineParameter):
            name = plain_name(thing.name)
            self._parameters[name] = thing
        else:
            name = thing.name if isinstance(thing, StepInput) else output_of(thing).name
            self._reads[name] = output_of(thing)
            if isinstance(thing, StepInput) and thing.table is not None:
                self._tables[name] = thing.table
        return Expression(f"${{{{inputs.{name}}}}}")

    def _word(self, value: Any) -> Any:
        """A word of the command: paths and parameters become expressions."""
        if isinstance(value, PipelineParameter) or data_input_of(value) is not None:
            return self._read(value)
        if isinstance(value, StepInput):
            read = [name for name, one in self._reads.items() if one is value.output]
            is_made = any(one is value.output for one in self._makes.values())
            return (self._make(value.output) if is_made else
                    Expression(f"${{{{inputs.{read[0]}}}}}") if read else self._read(value))
        if not isinstance(value, StepOutput):
            return value
        names = [name for name, one in self._reads.items() if one is value]
        if names:
            return Expression(f"${{{{inputs.{names[0]}}}}}")
        if (any(one is value for one in self._makes.values())
                or isinstance(value, OutputFileDatasetConfig)):
            return self._make(value)
        raise BadCall(f"{value.name} is neither an input nor an output of the step {self.name}",
                      "add it to inputs, or to outputs of the step that makes it")

    # ---- for the pipeline ----

    def makes(self) -> Dict[str, StepOutput]:
        return self._makes

    def reads(self) -> Dict[str, StepOutput]:
        return self._reads

    def tables(self) -> Dict[str, Dict[str, Any]]:
        """How what other steps make is read."""
        return self._tables

    def data(self) -> Dict[str, DataInput]:
        """Files that no step makes."""
        return self._data

    def parameters(self) -> Dict[str, PipelineParameter]:
        return self._parameters

    def follows(self) -> List["PipelineStep"]:
        return self._after

    def settings(self) -> List[str]:
        """Parameters of the pipeline that are no inputs of the step."""
        return []

    def step_keys(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        """Those of a step in a pipeline's file, without what it reads and makes; `values` are
        those of the pipeline's parameters."""
        raise NotImplementedError

    def _reuse(self) -> Optional[bool]:
        return None if self.allow_reuse else False


class _JobStep(PipelineStep):
    """A step that is a job of its own."""

    _job: ScriptRunConfig
    _counts: StepCounts

    def settings(self) -> List[str]:
        return self._counts.names()

    def step_keys(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        self._counts.set_in(self._job.run_config, values)
        return given({"type": "command", **self._job.keys(), "compute": self._job.target(),
                      "is_deterministic": self._reuse()})


def _configured(runconfig: Optional[RunConfiguration], target: object) -> RunConfiguration:
    """A configuration of the step's own."""
    made = RunConfiguration()
    if runconfig is not None:
        vars(made).update(vars(runconfig))
    made.target = made.target if target is None else target
    made.script = made.command = None
    return made


class PythonScriptStep(_JobStep):
    """A script."""

    def __init__(self, script_name: str, name: Optional[str] = None, arguments: Values = None,
                 compute_target: object = None, runconfig: Optional[RunConfiguration] = None,
                 runconfig_pipeline_params: Optional[Mapping[str, Any]] = None,
                 inputs: Values = None, outputs: Values = None,
                 params: Optional[Mapping[str, Any]] = None,
                 source_directory: Optional[str] = None, allow_reuse: bool = True) -> None:
        super().__init__(name or script_name, inputs, outputs, arguments, allow_reuse)
        self._counts = StepCounts(runconfig_pipeline_params)
        run = _configured(runconfig, compute_target)
        run.environment_variables = {**run.environment_variables, **_variables(self, params)}
        self._job = ScriptRunConfig(source_directory or ".", script_name, self._arguments,
                                    run_config=run)


def _variables(step: PipelineStep, params: Optional[Mapping[str, Any]]) -> Dict[str, str]:
    """The script's parameters that are environment variables, as the SDK calls them."""
    return {f"AML_PARAMETER_{name}": str(step._word(value))
            for name, value in (params or {}).items()}


class CommandStep(_JobStep):
    """A command, or what a ScriptRunConfig says."""

    def __init__(self, command: Union[str, Sequence[Any], None] = None,
                 name: Optional[str] = None, compute_target: object = None,
                 runconfig: Union[RunConfiguration, ScriptRunConfig, None] = None,
                 runconfig_pipeline_params: Optional[Mapping[str, Any]] = None,
                 inputs: Values = None, outputs: Values = None,
                 params: Optional[Mapping[str, Any]] = None,
                 source_directory: Optional[str] = None, allow_reuse: bool = True) -> None:
        said, run = _said_and_run(runconfig)
        words = command or (said.command if said is not None else None)
        script = said.script if said is not None and words is None else None
        if said is not None and words is None:
            words = said.arguments
        super().__init__(name or script or "command", inputs, outputs,
                         [words] if isinstance(words, str) else words, allow_reuse)
        self._counts = StepCounts(runconfig_pipeline_params)
        run = _configured(run, compute_target)
        run.environment_variables = {**run.environment_variables, **_variables(self, params)}
        folder = source_directory or (said.source_directory if said is not None else ".")
        self._job = (ScriptRunConfig(folder, script, self._arguments, run_config=run)
                     if script is not None else
                     ScriptRunConfig(folder, command=self._arguments or None, run_config=run))


def _said_and_run(runconfig: Union[RunConfiguration, ScriptRunConfig, None]
                  ) -> Tuple[Optional[ScriptRunConfig], Optional[RunConfiguration]]:
    """It may be either."""
    if isinstance(runconfig, ScriptRunConfig):
        return runconfig, runconfig.run_config
    return None, runconfig


class MpiStep(_JobStep):
    """A script whose processes are an MPI job's."""

    LACKS = lacks(accepted="version hash_paths params use_docker use_gpu", no_effect="shm_size")

    def __init__(self, name: Optional[str] = None, source_directory: Optional[str] = None,
                 script_name: str = "", arguments: Values = None, compute_target: object = None,
                 node_count: Count = 1, process_count_per_node: Count = 1, inputs: Values = None,
                 outputs: Values = None, allow_reuse: bool = True,
                 environment_variables: Optional[Mapping[str, Any]] = None,
                 environment_definition: Optional[Environment] = None,
                 custom_docker_image: Optional[str] = None,
                 image_registry_details: Optional[ContainerRegistry] = None,
                 user_managed: bool = False, conda_packages: Optional[List[str]] = None,
                 pip_packages: Optional[List[str]] = None,
                 pip_requirements_file_path: Optional[str] = None) -> None:
        super().__init__(name or script_name, inputs, outputs, arguments, allow_reuse)
        self._counts = StepCounts(parameters_of(node_count, process_count_per_node))
        software = environment_definition or environment_of(
            custom_docker_image, image_registry_details or ContainerRegistry(), user_managed,
            packages_of(conda_packages, pip_packages, None, pip_requirements_file_path))
        self._job = ScriptRunConfig(
            source_directory or ".", script_name, self._arguments, compute_target=compute_target,
            distributed_job_config=MpiConfiguration(usual(process_count_per_node),
                                                    usual(node_count)), environment=software)
        self._job.run_config.environment_variables = _variables(self, environment_variables)


class EstimatorStep(_JobStep):
    """What an Estimator says."""

    def __init__(self, name: Optional[str] = None, estimator: Optional[ScriptRunConfig] = None,
                 estimator_entry_script_arguments: Values = None,
                 runconfig_pipeline_params: Optional[Mapping[str, Any]] = None,
                 inputs: Values = None, outputs: Values = None,
                 compute_target: object = None,
                 allow_reuse: bool = True) -> None:
        if estimator is None:
            raise BadCall("EstimatorStep() needs an estimator", "for example Estimator(...)")
        words = (estimator.arguments if estimator_entry_script_arguments is None
                 else estimator_entry_script_arguments)
        super().__init__(name or str(estimator.script), inputs, outputs, words, allow_reuse)
        self._counts = StepCounts(runconfig_pipeline_params)
        self._job = ScriptRunConfig(estimator.source_directory, estimator.script, self._arguments,
                                    run_config=_configured(estimator.run_config, compute_target))


class NotebookRunnerStep(_JobStep):
    """A notebook: what the step reads and makes are parameters of it, by their names."""

    LACKS = lacks(accepted="version")

    def __init__(self, name: Optional[str] = None,
                 notebook_run_config: Optional[NotebookRunConfig] = None,
                 runconfig_pipeline_params: Optional[Mapping[str, Any]] = None,
                 compute_target: object = None, params: Optional[Mapping[str, Any]] = None,
                 inputs: Values = None, outputs: Values = None, allow_reuse: bool = True,
                 version: Optional[str] = None,
                 output_notebook_pipeline_data_name: Optional[str] = None) -> None:
        said = notebook_run_config
        if said is None:
            raise BadCall("NotebookRunnerStep() needs a notebook_run_config",
                          "for example NotebookRunConfig(FOLDER, 'train.ipynb')")
        super().__init__(name or str(said.script), inputs, outputs, said.arguments, allow_reuse)
        self._counts = StepCounts(runconfig_pipeline_params)
        given_ones = {one: self._word(value) for one, value in said.parameters.items()}
        files = {one: Expression(f"${{{{{side}.{one}}}}}") for side, names in (
            ("inputs", [*self._reads, *self._data]), ("outputs", self._makes)) for one in names}
        more = {one: self._word(value) for one, value in (params or {}).items()}
        self._job = NotebookRunConfig(
            said.source_directory, str(said.script),
            self._written(said, output_notebook_pipeline_data_name),
            {**given_ones, **files, **more}, run_config=_configured(said.run_config, compute_target))
        self._job.arguments = self._arguments

    def _written(self, said: NotebookRunConfig, output: Optional[str]) -> Optional[str]:
        """Where the notebook goes with what its cells print: below an output of its own."""
        if output is None:
            return said.output_notebook
        name = said.output_notebook or "{}.output{}".format(*os.path.splitext(str(said.script)))
        return Expression(f"{self._make(PipelineData(output))}/{name}")


class ModuleStep(_JobStep):
    """A version of a module, whose names of what it reads and makes stand for the pipeline's."""

    LACKS = lacks(accepted="_workflow_provider")

    def __init__(self, module: Optional[Module] = None, version: Optional[str] = None,
                 module_version: Optional[ModuleVersion] = None,
                 inputs_map: Optional[Mapping[str, Any]] = None,
                 outputs_map: Optional[Mapping[str, Any]] = None, compute_target: object = None,
                 runconfig: Optional[RunConfiguration] = None,
                 runconfig_pipeline_params: Optional[Mapping[str, Any]] = None,
                 arguments: Values = None, params: Optional[Mapping[str, Any]] = None,
                 name: Optional[str] = None) -> None:
        if (module is None) == (module_version is None):
            raise BadCall("ModuleStep() needs either module or module_version",
                          "Module.get(workspace, name=...) gives a module")
        used = module.resolve(version) if module is not None else module_version
        assert used is not None
        reads, makes = dict(inputs_map or {}), dict(outputs_map or {})
        _check_wiring(used, reads, makes)
        super().__init__(name or used.module().name)
        for port, thing in makes.items():
            self._make(output_of(thing), plain_name(port))
        ports = {id(thing): _port(thing, port) for port, thing in reads.items()}
        for port, thing in reads.items():
            self._read(_port(thing, port))
        words = words_of(used, {**reads, **makes}) if arguments is None else arguments
        self._arguments = [self._word(ports.get(id(one), one)) for one in words or []]
        self._counts = StepCounts(runconfig_pipeline_params)
        run = _configured(runconfig, compute_target)
        said = said_of(used)
        of_words = {one.name: one for one in words or [] if isinstance(one, PipelineParameter)}
        run.environment_variables = {**run.environment_variables, **_variables(
            self, {**said["params"], **of_words, **(params or {})})}
        self._job = ScriptRunConfig(said["folder"], said["script"], self._arguments,
                                    run_config=run)


def _port(thing: Any, name: str) -> Union[DataInput, StepInput]:
    """What a step reads, by the name that its module has for it."""
    data = data_input_of(thing)
    if data is not None:
        return DataInput(name, data.dataset, data.mode)
    return StepInput(output_of(thing), name, thing.table if isinstance(thing, StepInput) else None)


def _check_wiring(used: ModuleVersion, reads: Mapping[str, Any], makes: Mapping[str, Any]) -> None:
    """Each name is one of the version's, and those that it needs are there."""
    said, module = said_of(used), used.module().name
    for side, given_ones, known in (("inputs", reads, list(said["inputs"])),
                                    ("outputs", makes, said["outputs"])):
        for port in given_ones:
            if port not in known:
                raise BadCall(f"{side}_map names {port!r}, which the module {module!r} has not "
                              f"among its {side}", nearest(port, known))
        for port in known:
            if port not in given_ones and not (side == "inputs" and said["inputs"][port]):
                raise BadCall(f"{side}_map lacks {port!r} of the module {module!r}",
                              f"it has {', '.join(known)}")


class HyperDriveStep(PipelineStep):
    """A sweep."""

    LACKS = lacks(accepted="version", older=OLDER_NAMES, refused={
        "metrics_output": "each trial keeps its metrics: see HyperDriveRun.get_metrics()"})

    def __init__(self, name: str, hyperdrive_config: HyperDriveConfig,
                 estimator_entry_script_arguments: Values = None, inputs: Values = None,
                 outputs: Values = None, metrics_output: Any = None,
                 allow_reuse: bool = True) -> None:
        said = hyperdrive_config.run_config
        words = (said.arguments if estimator_entry_script_arguments is None
                 else estimator_entry_script_arguments)
        super().__init__(name, inputs, outputs, words, allow_reuse)
        self._config = hyperdrive_config

    def step_keys(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        said = self._config.run_config
        before, said.arguments = said.arguments, self._arguments
        try:
            keys = self._config.keys()
        finally:
            said.arguments = before
        target = self._config.run_config.target()
        return given({**keys, "compute": None if target is None else target_name(target)})
