"""Pipeline: steps that a decorated function has made, and what they hand on to one another."""

import re
from typing import Any, Dict, List, Optional, Protocol, Tuple

from .binary import BadCall
from .checked import Checked, Settings, checked, given, lacks, nearest, settings_of
from .outputs import Output
from .place import users_line
from .run import Run
from .submission import dump_keys, submit_keys
from .where import Where, target_name


class Submittable(Protocol):
    """A step of any kind."""

    name: str
    made_at: str

    def step_keys(self) -> Dict[str, Any]: ...


class StepOutputs:
    """pipeline.outputs.NAME: what the function has returned under that name."""

    def __init__(self, named: Dict[str, Output]) -> None:
        self._named = named

    def __getattr__(self, name: str) -> Output:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._named:
            raise BadCall(f"the pipeline has no output {name!r}",
                          nearest(name, list(self._named)))
        return self._named[name]

    __getitem__ = __getattr__


_NO_VALUES = "call the pipeline's function with them"
_SETTINGS = lacks(no_effect="default_datastore continue_on_failed_optional_input")


class Pipeline(Checked):
    """What a decorated function has made; it may be changed until it is submitted."""

    LACKS = lacks(no_effect="identity services properties comment default_datastore schedule")

    def __init__(self, said: Dict[str, Any], steps: Dict[str, Submittable],
                 outputs: Dict[str, Output]) -> None:
        if not steps:
            raise BadCall("the pipeline has no step", "call a component in its function")
        self.made_at = users_line()
        self.name: Optional[str] = said["name"]
        self.display_name: Optional[str] = said["name"]
        self.description: Optional[str] = said["description"]
        self.is_deterministic: Optional[bool] = said["is_deterministic"]
        self.settings = Settings(
            "pipeline.settings", _SETTINGS, default_compute=said["target"],
            continue_on_step_failure=said["goes_on"], force_rerun=said["force_rerun"],
            on_init=None, on_finalize=None)
        self.tags: Dict[str, str] = dict(said["tags"] or {})
        self.experiment_name: Optional[str] = said["experiment_name"]
        self.jobs = steps
        self.named_outputs = outputs
        self.outputs = StepOutputs(outputs)

    @property
    def compute(self) -> object:
        return self.settings.default_compute

    @compute.setter
    def compute(self, target: object) -> None:
        self.settings.default_compute = target

    default_compute = default_compute_target = compute

    @checked(lacks(
        accepted="skip_validation workspace parent", no_effect="default_datastore "
        "continue_on_failed_optional_input",
        refused={"pipeline_parameters": _NO_VALUES,
                 "timeout_seconds": "give the steps limits: step.limits.timeout"}))
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
        places = {name: step.made_at for name, step in self.jobs.items()}
        return submit_keys(given(keys), Where(**where).words(), self.made_at, {}, places)

    def dump(self, dest: Any) -> None:
        """Writes a job file, for muster submit."""
        said = {"experiment_name": self.experiment_name, "tags": self.tags}
        dump_keys(given({**self.keys(), **said}), dest)

    def validate(self) -> None:
        """Files have been checked when they were read."""

    def keys(self) -> Dict[str, Any]:
        """Those of a pipeline's file."""
        names = {id(step): name for name, step in self.jobs.items()}
        jobs = {name: _bound(step.step_keys(), names) for name, step in self.jobs.items()}
        for name, output in self.named_outputs.items():
            step = names.get(id(output.step))
            if step is None:
                raise BadCall(f"the pipeline returns the output {output.name!r} of "
                              f"{output.step.name}, which is no step of it",
                              "call it in the same function", self.made_at)
            outputs = jobs[step].setdefault("outputs", {})
            if "parent.outputs" in str(outputs.get(output.name)):
                raise BadCall(f"the pipeline returns the output {output.name!r} of {step} twice",
                              "give it one name", self.made_at)
            outputs[output.name] = f"${{{{parent.outputs.{name}}}}}"
        settings = settings_of(self.settings)
        target = settings.pop("default_compute")
        if target is not None:
            settings["default_compute"] = target_name(target)
        keys = given({
            "type": "pipeline", "display_name": self.display_name or self.name, "jobs": jobs,
            "description": self.description, "is_deterministic": self.is_deterministic,
            "outputs": {name: {"type": "uri_folder"} for name in self.named_outputs}})
        return {**keys, "settings": given(settings)}


def _bound(keys: Dict[str, Any], names: Dict[int, str]) -> Dict[str, Any]:
    """Outputs of other steps among the inputs as expressions."""
    inputs = keys.get("inputs", {})
    for name, value in inputs.items():
        if not isinstance(value, Output):
            continue
        if id(value.step) not in names:
            raise BadCall(f"the input {name} is the output {value.name!r} of {value.step.name}, "
                          "which is no step of this pipeline", "call it in the same function")
        inputs[name] = f"${{{{parent.jobs.{names[id(value.step)]}.outputs.{value.name}}}}}"
    return keys


def named_steps(steps: List[Tuple[Submittable, str]], variables: Dict[str, object]
                ) -> Dict[str, Submittable]:
    """By the variables of the function that hold them, else by the names of their components."""
    held = {id(value): name for name, value in variables.items()}
    named: Dict[str, Submittable] = {}
    for step, inner in steps:
        name = held.get(id(step)) or inner or step.name.split(".")[0]
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
        raise BadCall(f"{strange[0][0]!r} that the pipeline's function returns is no output of a "
                      "step", "for example train.outputs.model")
    return returned
