"""What SDK v2 gives for a job that was submitted: its state, outputs and steps, as attributes."""

import json
from typing import Any, Dict, Iterator, List, Optional

from .binary import completed
from .checked import Checked, Missing, given, nearest
from .record import job_text_of
from .run import Run
from .sdk_errors import ResourceNotFoundError
from .yaml_text import yaml_of

# What a job file says of a job that is shown elsewhere, or not at all.
_SHOWN_APART = ("display_name", "experiment_name", "tags", "outputs", "jobs", "type", "name")


class ByName(Dict[str, Any]):
    """Things by their names: outputs["model"], or outputs.model."""

    def __init__(self, kind: str, things: Dict[str, Any]) -> None:
        super().__init__(things)
        vars(self)["_kind"] = kind

    def __missing__(self, name: str) -> Any:
        raise MissingName(f"there is no {vars(self)['_kind']} {name!r}",
                          nearest(name, list(self)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


class MissingName(Missing, KeyError):
    """Asked for with brackets, or as an attribute."""

    __str__ = Exception.__str__


class Part(Checked):
    """Settings that can also be had with brackets."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class JobOutput(Part):
    """job.outputs.NAME: where it lies."""

    IN_SDK = "Output"

    def __init__(self, name: str, path: str, type: Optional[str], mode: Optional[str]) -> None:
        self.name = name
        self.path = path
        self.type = type
        self.mode = mode

    def __str__(self) -> str:
        return yaml_of(given({"type": self.type, "mode": self.mode, "path": self.path}))


class Service(Part):
    """job.services["Studio"]: here, the record of the run."""

    IN_SDK = "ServiceInstance"

    def __init__(self, type: str, endpoint: str, status: str) -> None:
        self.type = self.job_service_type = type
        self.endpoint = endpoint
        self.status = status


class JobError(Part):
    """job.error: why it failed."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        self.details: List[str] = []


class SubmittedJob(Run):
    """A run with the words that SDK v2 has for what is known of it."""

    IN_SDK = "Job"

    @classmethod
    def found(cls, name: str) -> "SubmittedJob":
        """The run of that name, if there is one; by its whole name."""
        told = completed("show", str(name), "--json")
        if told.returncode != 0:
            raise ResourceNotFoundError(_first_error(told.stderr), "`muster ps` lists the runs")
        known = json.loads(told.stdout)
        name = str(name)
        return cls(str(known["run"]) if "/" not in name else name)

    def __str__(self) -> str:
        return yaml_of(self._shown())

    def _shown(self) -> Dict[str, Any]:
        details = self.details()
        outputs = {name: vars(one) for name, one in self.outputs.items()}
        said = {name: one for name, one in self._job_file().items() if name not in _SHOWN_APART}
        jobs = {step["step"]: {"status": _status(step["state"])}
                for step in details.get("steps", [])}
        return given({
            "name": self.name, "display_name": self.display_name, "type": self.type,
            "status": self.status, "experiment_name": self.experiment_name,
            "tags": self.tags, **said,
            "outputs": {name: given({key: one for key, one in vars_of.items()
                                     if key in ("type", "mode", "path")})
                        for name, vars_of in outputs.items()},
            "jobs": jobs, "services": {"Studio": {"endpoint": self.studio_url}}})

    def _job_file(self) -> Dict[str, Any]:
        """The job file that a program described; of one in YAML, nothing."""
        try:
            said = json.loads(job_text_of(self.folder))
        except ValueError:
            return {}
        return said if isinstance(said, dict) else {}

    @property
    def status(self) -> str:
        return self.get_status()

    @property
    def studio_url(self) -> str:
        return self.get_portal_url()

    @property
    def display_name(self) -> str:
        """What its file calls it for people, else its name there, else the run's own."""
        details = self.details()
        return str(details.get("display_name") or details["name"] or self.name)

    @property
    def experiment_name(self) -> str:
        """As submit was told, else that of the SDK."""
        return str(self.details()["experiment"] or "Default")

    @property
    def description(self) -> Optional[str]:
        said = self._job_file().get("description")
        return None if said is None else str(said)

    @property
    def type(self) -> str:
        """command, pipeline or sweep."""
        said = self._job_file().get("type")
        if said is None:
            said = "pipeline" if "steps" in self.details() else "command"
        return str(said)

    @property
    def compute(self) -> Optional[str]:
        """The target that its file names."""
        said = self._job_file()
        found = said.get("compute") or said.get("settings", {}).get("default_compute")
        return None if found is None else str(found)

    @property
    def creation_context(self) -> "Created":
        return Created(str(self.details()["created"]))

    @property
    def properties(self) -> Dict[str, str]:
        """Of a sweep that has ended, its best trial; else nothing."""
        best = self.details().get("best")
        return {} if best is None else {"best_child_run_id": f"{self.name}/{best['step']}",
                                        "score": str(best["value"])}

    @property
    def outputs(self) -> ByName:
        """Folders and files by the names of outputs; they fill while it runs."""
        said = self._job_file().get("outputs", {})
        return ByName(f"output of run {self.name}", {
            name: JobOutput(name, path, *_type_and_mode(said.get(name)))
            for name, path in self.details()["outputs"].items()})

    @property
    def services(self) -> ByName:
        """The page that Azure ML would have is the folder of the record."""
        return ByName(f"service of run {self.name}", {
            "Studio": Service("Studio", self.studio_url, self.status)})

    @property
    def jobs(self) -> ByName:
        """Steps of a pipeline, trials of a sweep."""
        return ByName(f"step of run {self.name}", {
            step["step"]: StepJob(self.name, step) for step in self.details().get("steps", [])})

    @property
    def error(self) -> Optional[JobError]:
        details = self.details()
        cause = details.get("cause")
        failed = _status(details["state"]) == "Failed"
        return JobError(str(details["exit_code"]), str(cause)) if failed else None

    def get_children(self) -> Iterator["SubmittedJob"]:
        for step in self.jobs.values():
            if step.job is not None:
                yield step


class StepJob(SubmittedJob):
    """One of a pipeline's; before it starts, only its name and state are known."""

    def __init__(self, pipeline: str, step: Dict[str, Any]) -> None:
        super().__init__(f"{pipeline}/{step['step']}")
        self.job = self.name if step["started"] else None
        self._step = step

    @property
    def status(self) -> str:
        return _status(self._step["state"]) if self.job is None else self.get_status()

    @property
    def display_name(self) -> str:
        return str(self._step["step"])


class Created(Part):
    """job.creation_context: when."""

    IN_SDK = "SystemData"

    def __init__(self, created_at: str) -> None:
        self.created_at = created_at


def _status(state: str) -> str:
    """Of a step, as SDK v2 calls it."""
    return {"waiting": "NotStarted", "blocked": "NotStarted", "left out": "Canceled",
            "reused": "Completed", "queued": "Queued", "starting": "Starting",
            "running": "Running", "completed": "Completed", "stopped": "Canceled"}.get(
                state, "Failed")


def _type_and_mode(said: Any) -> List[Optional[str]]:
    return ([said.get("type"), said.get("mode")] if isinstance(said, dict) else [None, None])


def _first_error(said: str) -> str:
    lines = [line for line in said.splitlines() if line.startswith("muster: error: ")]
    return lines[0][len("muster: error: "):] if lines else said.strip()
