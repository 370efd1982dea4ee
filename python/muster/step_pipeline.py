"""azureml.pipeline.core: a pipeline of SDK v1's steps, and its run."""

import os
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set

from .binary import BadCall
from .checked import Checked, checked, given, lacks, nearest
from .datasets import variables_of
from .named_files import copy_named, copy_tree
from .own_files import make_folders
from .place import users_line
from .run import Run
from .step_data import PipelineParameter, StepOutput, plain_name
from .steps import PipelineStep
from .spelling import V1
from .submission import Destination, dump_keys, submit_keys


class StepSequence(Checked):
    """Steps of which each starts once the one before it has completed."""

    def __init__(self, steps: Optional[Sequence[Any]] = None) -> None:
        self.steps = list(steps or [])
        for before, step in zip(self.steps, self.steps[1:]):
            for one in _flat([step]):
                for other in _flat([before]):
                    one.run_after(other)


def _flat(steps: Sequence[Any]) -> Iterator[PipelineStep]:
    """Lists may hold lists."""
    for step in steps:
        if isinstance(step, PipelineStep):
            yield step
        elif isinstance(step, (list, tuple, StepSequence)):
            yield from _flat(step.steps if isinstance(step, StepSequence) else step)
        else:
            raise BadCall(f"{step!r} is not a step", "for example PythonScriptStep(...)")


class Pipeline(Checked):
    """Steps; what they hand on says in which order they run."""

    LACKS = lacks(accepted="default_datastore _workflow_provider _service_endpoint graph",
                  refused={"publish": "submit it; muster export writes it down for a scheduler",
                           "default_source_directory": "give each step its source_directory",
                           "load_yaml": "muster submit takes pipelines of Azure ML's CLI v2"})

    def __init__(self, workspace: Any, steps: Sequence[Any], description: Optional[str] = None,
                 default_datastore: Any = None, default_source_directory: Optional[str] = None,
                 resolve_closure: bool = True) -> None:
        self.made_at = users_line()
        self.workspace = workspace
        self.description = description
        self.steps = _unique(_flat(steps))
        if not self.steps:
            raise BadCall("the pipeline has no step", "for example PythonScriptStep(...)")
        if resolve_closure:
            self._add_those_that_are_needed()

    def _add_those_that_are_needed(self) -> None:
        waiting = list(self.steps)
        while waiting:
            step = waiting.pop()
            makers = [output.maker() for output in step.reads().values()]
            for before in [*step.follows(), *filter(None, makers)]:
                if all(before is not one for one in self.steps):
                    self.steps.append(before)
                    waiting.append(before)

    @checked(lacks(accepted="parent_run_id credential_passthrough"))
    def submit(self, experiment_name: str, pipeline_parameters: Optional[Mapping[str, Any]] = None,
               continue_on_step_failure: bool = False,
               regenerate_outputs: bool = False) -> "PipelineRun":
        """Starts it and returns once its first steps run."""
        return self.begin(experiment_name, [], pipeline_parameters, continue_on_step_failure,
                          regenerate_outputs)

    def begin(self, experiment: str, words: List[str],
              pipeline_parameters: Optional[Mapping[str, Any]] = None,
              continue_on_step_failure: bool = False,
              regenerate_outputs: bool = False) -> "PipelineRun":
        """The same, with further words of muster submit."""
        keys = self.keys(pipeline_parameters or {})
        settings = {"continue_on_step_failure": continue_on_step_failure or None,
                    "force_rerun": regenerate_outputs or None}
        keys = given({**keys, "display_name": self._title() or experiment,
                      "experiment_name": experiment, "settings": given(settings)})
        places = [(2, name, step.made_at) for name, step in self._by_names().items()]
        run = submit_keys(keys, words, self.made_at, V1, places)
        return PipelineRun(run.experiment, run.id)

    def _title(self) -> str:
        """The first line of what was said of it."""
        return (self.description or "").strip().partition("\n")[0]

    def validate(self) -> List[Any]:
        """What is wrong is raised."""
        self.keys({})
        return []

    def dump(self, dest: Destination) -> None:
        """Writes a job file, for muster submit."""
        dump_keys(self.keys({}), dest)

    def _by_names(self) -> Dict[str, PipelineStep]:
        named: Dict[str, PipelineStep] = {}
        for step in self.steps:
            name = first = plain_name(step.name)
            number = 1
            while name in named:
                name, number = f"{first}_{number}", number + 1
            named[name] = step
        return named

    def keys(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        """Those of a pipeline's file."""
        named = self._by_names()
        sets = {one.parameter for step in self.steps for one in step.data().values()}
        sets |= {name for step in self.steps for name in step.settings()}
        parameters = {name: one for step in self.steps for name, one in step.parameters().items()}
        sets -= {one.name for one in parameters.values()}
        others = {name: value for name, value in values.items() if name not in sets}
        return given({"type": "pipeline", "description": self.description,
                      "inputs": _inputs(parameters, others, sets),
                      "jobs": {name: self._step(name, step, named, values)
                               for name, step in named.items()}})

    def _step(self, name: str, step: PipelineStep, named: Dict[str, PipelineStep],
              values: Mapping[str, Any]) -> Dict[str, Any]:
        inputs: Dict[str, Any] = {one: f"${{{{parent.inputs.{one}}}}}" for one in step.parameters()}
        for one, output in step.reads().items():
            inputs[one] = f"${{{{parent.jobs.{_made(step, output, named)}}}}}"
        data = [one.given(values) for one in step.data().values()]
        inputs.update({one.name: one.input_keys() for one in data})
        names = {id(one): other for other, one in named.items()}
        for before in step.follows():
            if id(before) in names:
                earlier = names[id(before)]
                inputs[f"after_{earlier}"] = f"${{{{parent.jobs.{earlier}.outputs.{_ENDED}}}}}"
        outputs = {one: output.keys() for one, output in step.makes().items()}
        if any(step is before for other in self.steps for before in other.follows()):
            outputs[_ENDED] = {"type": "uri_folder"}
        keys = step.step_keys(values)
        job = keys.get("trial", keys)  # a sweep has none of its own
        job["environment_variables"] = {**job.get("environment_variables", {}),
                                        **variables_of(data, step.tables())}
        title = {} if step.name == name else {"display_name": step.name}
        return given({**keys, **title, "inputs": inputs, "outputs": outputs})


# An output that nobody writes to: a step that comes after this one has it as an input.
_ENDED = "ended"


def _unique(steps: Iterator[PipelineStep]) -> List[PipelineStep]:
    return list({id(step): step for step in steps}.values())


def _made(step: PipelineStep, output: StepOutput, named: Dict[str, PipelineStep]) -> str:
    for name, one in named.items():
        for port, made in one.makes().items():
            if made is output:
                return f"{name}.outputs.{port}"
    raise BadCall(f"the step {step.name} reads {output.name}, which no step of the pipeline makes",
                  "add it to outputs of the step that makes it, and that step to the pipeline",
                  step.made_at)


def _inputs(parameters: Mapping[str, PipelineParameter], values: Mapping[str, Any],
            sets: Set[Optional[str]]) -> Dict[str, Any]:
    known = {one.name: name for name, one in parameters.items()}
    for name in values:
        if name not in known:
            raise BadCall(f"the pipeline has no parameter {name!r}",
                          nearest(name, [*known, *filter(None, sets)]))
    return {name: str(values.get(one.name, one.default_value))
            for name, one in parameters.items()}


class PortData(Checked):
    """What a step has made."""

    IN_SDK = "PortDataReference"

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self.path_on_datastore = path

    @checked(lacks(accepted="show_progress"))
    def download(self, local_path: str, overwrite: Optional[bool] = None) -> int:
        """Copies it below a folder of its name, as the SDK does; how many files there are."""
        target = os.path.join(local_path, self.name)
        if os.path.isfile(self.path_on_datastore):
            make_folders(local_path)
            copy_named(self.path_on_datastore, target)
            return 1
        copy_tree(self.path_on_datastore, target, bool(overwrite))
        return sum(len(files) for _, _, files in os.walk(target))


class _Waits(Run):
    """A run that is waited for as the SDK's pipelines are."""

    @checked(lacks(refused={"timeout_seconds": "run.wait() waits for its end"}))
    def wait_for_completion(  # type: ignore[override]
            self, show_output: bool = True, timeout_seconds: Optional[float] = None,
            raise_on_error: bool = True) -> str:
        """Its status, not the details."""
        found = super().wait_for_completion(show_output, raise_on_error=raise_on_error)
        return str(found["status"])


class StepRun(_Waits):
    """The run of one step."""

    _TYPE = "azureml.StepRun"

    @property
    def name(self) -> str:
        """The step's, as the program calls it; its id tells whose step it is."""
        step = self.id.rpartition("/")[2]
        return str(self.details().get("display_name") or step)

    def get_output_data(self, name: str) -> PortData:
        """One of the folders that it makes."""
        outputs = dict(self.details()["outputs"])
        outputs.pop(_ENDED, None)
        found = plain_name(name)
        if found not in outputs:
            raise BadCall(f"{self.id} has no output {name!r}", nearest(found, list(outputs)))
        return PortData(name, outputs[found])

    def get_outputs(self) -> Dict[str, PortData]:
        """All of them."""
        names = [name for name in self.details()["outputs"] if name != _ENDED]
        return {name: self.get_output_data(name) for name in names}

    def get_stdout_log(self) -> str:
        return self.logs()

    get_job_log = get_stdout_log


class PipelineRun(_Waits):
    """The run of a pipeline: its children are its steps."""

    _TYPE = "azureml.PipelineRun"

    @checked(lacks(accepted="recursive _rehydrate_runs"))
    def get_children(self) -> Iterator[Run]:
        """Steps that have been started."""
        for run in super().get_children():
            yield StepRun(self, run.id)

    def get_steps(self) -> Iterator[Run]:
        return self.get_children()

    def find_step_run(self, name: str) -> List[Run]:
        return super().find_step_run(plain_name(name))
