"""Pipeline: steps that a decorated function has made, and what they hand on to one another."""

import re
from typing import Any, Dict, List, Mapping, Optional, Protocol, Tuple

from .binary import BadCall
from .checked import Checked, Settings, checked, given, lacks, nearest, note, settings_of
from .inputs import Inputs, WiredInput, absolute
from .job_names import Named
from .outputs import Output
from .place import users_line
from .run import Run
from .submission import Destination, Places, dump_keys, json_of, submit_keys
from .where import Where, target_name
from .yaml_text import yaml_of


class Submittable(Protocol):
    """A step of any kind."""

    name: str
    made_at: str

    def step_keys(self) -> Dict[str, Any]: ...


class PipelineOutput(Output):
    """pipeline.outputs.NAME: what the function has returned under that name."""

    def __init__(self, pipeline: Any, name: str, source: Output) -> None:
        super().__init__(pipeline, name)
        self._is_of = source

    @property
    def source(self) -> Output:
        return self._is_of

    def keys(self) -> Dict[str, Any]:
        path = absolute(self.path)
        return given({"type": self.type or self._is_of.type, "mode": self.mode, "path": path})


class StepOutputs(Dict[str, PipelineOutput]):
    """All of them; one may be given an Output with a path."""

    def __missing__(self, name: str) -> Any:
        raise BadCall(f"the pipeline has no output {name!r}", nearest(name, list(self)))

    def __getattr__(self, name: str) -> PipelineOutput:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        output = self[name]
        if not hasattr(value, "path"):
            raise BadCall(f"the output {name!r} of the pipeline cannot be {value!r}",
                          "give it an Output(path=...)")
        output.path, output.type, output.mode = value.path, value.type, value.mode


class GivenInputs(Inputs):
    """pipeline.inputs: what its function was called with, which its steps have already."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self:
            self.__missing__(name)
        raise BadCall(f"the input {name!r} of the pipeline cannot be changed to {value!r}",
                      _NO_VALUES)


_NO_VALUES = "call the pipeline's function with them"
_SETTINGS = lacks(no_effect="default_datastore continue_on_failed_optional_input")


class Pipeline(Named, Checked):
    """What a decorated function has made; it may be changed until it is submitted."""

    LACKS = lacks(no_effect="identity services properties comment default_datastore schedule")

    def __init__(self, said: Dict[str, Any], steps: Dict[str, Submittable],
                 outputs: Dict[str, Output], inputs: Mapping[str, Any]) -> None:
        if not steps:
            raise BadCall("the pipeline has no step", "call a component in its function")
        self.made_at = users_line()
        self._call(None, said["name"], said["name"])
        self.description: Optional[str] = said["description"]
        self.is_deterministic: Optional[bool] = said["is_deterministic"]
        self.settings = Settings(
            "pipeline.settings", _SETTINGS, default_compute=said["target"],
            continue_on_step_failure=said["goes_on"], force_rerun=said["force_rerun"],
            on_init=None, on_finalize=None)
        self.tags: Dict[str, str] = dict(said["tags"] or {})
        self.experiment_name: Optional[str] = said["experiment_name"]
        self.jobs = steps
        self.inputs = GivenInputs(self.name, inputs)
        self.outputs = StepOutputs({name: PipelineOutput(self, name, output)
                                    for name, output in outputs.items()})

    @property
    def compute(self) -> object:
        return self.settings.default_compute

    @compute.setter
    def compute(self, target: object) -> None:
        self.settings.default_compute = target

    default_compute = default_compute_target = compute

    def __str__(self) -> str:
        return yaml_of(self._file_keys())

    @checked(lacks(
        accepted="skip_validation workspace parent", no_effect="default_datastore "
        "continue_on_failed_optional_input",
        refused={"pipeline_parameters": _NO_VALUES,
                 "timeout_seconds": "give the steps limits: step.limits.timeout"}), others=Where)
    def submit(self, experiment_name: str = "", default_compute: object = None,
               default_datastore: object = None, description: Optional[str] = None,
               pipeline_parameters: Optional[Dict[str, Any]] = None,
               tags: Optional[Dict[str, str]] = None,
               continue_on_step_failure: Optional[bool] = None,
               regenerate_outputs: Optional[bool] = None, *,
               force_rerun: Optional[bool] = None, display_name: Optional[str] = None,
               **where: Any) -> Run:
        """Starts it and returns once its first steps run; `where` as of Experiment.submit."""
        keys = self.keys()
        settings = {"default_compute": target_name(default_compute) if default_compute else None,
                    "continue_on_step_failure": continue_on_step_failure,
                    "force_rerun": regenerate_outputs if force_rerun is None else force_rerun}
        keys["settings"] = {**keys["settings"], **given(settings)}
        keys["experiment_name"] = experiment_name or self.experiment_name or self.name
        keys["tags"] = {**self.tags, **(tags or {})}
        keys.update(given({"description": description, "display_name": display_name}))
        place = Where(**where)
        return submit_keys(given(keys), place.words(), self.made_at, place.spelling, self.places())

    def dump(self, dest: Destination) -> None:
        """Writes a job file, for muster submit."""
        dump_keys(self._file_keys(), dest)

    def file_text(self) -> str:
        """What muster would be given."""
        return json_of(self._file_keys())

    def _file_keys(self) -> Dict[str, Any]:
        said = {"experiment_name": self.experiment_name, "tags": self.tags}
        return given({**self.keys(), **said})

    def validate(self) -> None:
        """Files have been checked when they were read."""

    def places(self, indent: int = 2) -> Places:
        """Of steps, those of pipelines within included: indents, names and lines."""
        found: Places = []
        for name, step in self.jobs.items():
            found.append((indent, name, step.made_at))
            if isinstance(step, Pipeline):
                found += step.places(indent + 3)
        return found

    def keys(self) -> Dict[str, Any]:
        """Those of a pipeline's file."""
        keys = {"type": "pipeline", "display_name": self.name, **self.names(),
                **self._body({}, "uri_folder")}
        return {**given(keys), "settings": given(self._settings())}

    def _settings(self) -> Dict[str, Any]:
        settings = settings_of(self.settings)
        target = settings.pop("default_compute")
        return {**settings, "default_compute": None if target is None else target_name(target)}

    def _body(self, wired: Dict[int, str], default_type: Optional[str]) -> Dict[str, Any]:
        """Steps and outputs; `wired`: names of outputs around, as inputs of this one."""
        names = {id(step): name for name, step in self.jobs.items()}
        jobs = {name: _bound(step.step_keys(), names, wired) for name, step in self.jobs.items()}
        for name, output in self.outputs.items():
            self._hand_out(name, output.source, names, jobs)
        return {"jobs": jobs, "description": self.description,
                "is_deterministic": self.is_deterministic,
                "outputs": {name: {**given({"type": default_type}), **output.keys()}
                            for name, output in self.outputs.items()}}

    def _hand_out(self, name: str, output: Output, names: Dict[int, str],
                  jobs: Dict[str, Any]) -> None:
        step = names.get(id(output.step))
        if step is None:
            raise BadCall(f"the pipeline returns the output {output.name!r} of "
                          f"{output.step.name}, which is not one of its steps",
                          "call it in the same function", self.made_at)
        outputs = jobs[step].setdefault("outputs", {})
        if "parent.outputs" in str(outputs.get(output.name)):
            raise BadCall(f"the pipeline returns the output {output.name!r} of {step} twice",
                          "give it one name", self.made_at)
        if output.path is not None and not isinstance(output, PipelineOutput):
            note(f"the path of the output {output.name!r} of {step} has no effect here: the "
                 f"pipeline returns it as {name!r}, and pipeline.outputs.{name}.path counts")
        outputs[output.name] = f"${{{{parent.outputs.{name}}}}}"

    def step_keys(self) -> Dict[str, Any]:
        """Those of a step of another pipeline: its inputs are wired there."""
        wired = {id(_source(value)): name for name, value in self.inputs.items()
                 if isinstance(value, Output)}
        self._tell_what_is_lost()
        body = self._body(wired, None)
        outer = {name: value for name, value in self.inputs.items() if isinstance(value, Output)}
        component = {"type": "pipeline", **body,  # steps first, as Places wants them
                     "inputs": {name: {"type": "uri_folder"} for name in outer}}
        return given({"type": "pipeline", "component": given(component), "inputs": outer})

    def _tell_what_is_lost(self) -> None:
        """Settings hold for a whole run: those of a pipeline within another do not."""
        said = given(settings_of(self.settings))
        if said:
            note(f"{', '.join(said)} of the pipeline {self.name} has no effect within another one")


def _source(output: Output) -> Output:
    return output.source if isinstance(output, WiredInput) else output


def _bound(keys: Dict[str, Any], names: Dict[int, str], wired: Dict[int, str]) -> Dict[str, Any]:
    """Outputs of other steps among the inputs as expressions."""
    for name in ("condition", "body", "true_block", "false_block", "items"):
        if name in keys:
            keys[name] = _named(keys[name], name, names, wired)
    inputs = keys.get("inputs", {})
    for name, value in inputs.items():
        if isinstance(value, Output):
            text = _expression(name, _source(value), names, wired)
            more = given({"mode": value.mode, "type": value.type}
                         if isinstance(value, WiredInput) else {})
            inputs[name] = {**more, "path": text} if more else text
    return keys


def _named(found: Any, key: str, names: Dict[int, str], wired: Dict[int, str]) -> Any:
    """What a choice or a loop is about: an output, a step, or some."""
    if isinstance(found, list):
        return [_named(one, key, names, wired) for one in found]
    if isinstance(found, Output):
        return _expression(key, found, names, wired)
    if id(found) in names:
        return f"${{{{parent.jobs.{names[id(found)]}}}}}"
    return found


def _expression(name: str, value: Output, names: Dict[int, str], wired: Dict[int, str]) -> str:
    if id(value.step) in names:
        return f"${{{{parent.jobs.{names[id(value.step)]}.outputs.{value.name}}}}}"
    if id(value) in wired:
        return f"${{{{parent.inputs.{wired[id(value)]}}}}}"
    raise BadCall(f"the input {name} is the output {value.name!r} of {value.step.name}, "
                  "which is not a step of this pipeline", "call it in the same function")


def named_steps(steps: List[Submittable], variables: Dict[str, object]
                ) -> Dict[str, Submittable]:
    """By the variables of the function that hold them, else by the names of their components.

    Of parallel steps, their own names come first, as in the SDK.
    """
    held = {id(value): name for name, value in variables.items()}
    named: Dict[str, Submittable] = {}
    for step in steps:
        own = getattr(step, "node_name", None)
        name = own or held.get(id(step)) or step.name.split(".")[0]
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", name) or "step"
        named[_fresh(name, named)] = step
    return named


def _fresh(name: str, taken: Dict[str, Submittable]) -> str:
    number = 1
    fresh = name
    while fresh in taken:
        fresh, number = f"{name}_{number}", number + 1
    return fresh


def outputs_of(returned: object) -> Dict[str, Output]:
    """What the function returns: outputs by name."""
    if returned is None:
        return {}
    if not isinstance(returned, dict):
        raise BadCall(f"the pipeline's function returns {returned!r}",
                      "it returns outputs by name: return {'model': train.outputs.model}")
    strange: List[Tuple[str, object]] = [(name, value) for name, value in returned.items()
                                         if not isinstance(value, Output)]
    if strange:
        raise BadCall(f"{strange[0][0]!r} that the pipeline's function returns is not an output of a "
                      "step", "for example train.outputs.model")
    return returned
