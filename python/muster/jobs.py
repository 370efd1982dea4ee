"""client.jobs: submits jobs, and asks for runs by their names."""

import json
import os
from typing import Any, Dict, Iterator, Optional, Union

from .binary import BadCall, MusterError, code_of, completed
from .checked import Checked, checked, lacks, nearest, note
from .command_job import CommandJob
from .command_line import command_line
from .component import Step
from .kept_job import KeptJob
from .named_files import copy_below
from .pipeline import Pipeline
from .place import users_line
from .run import ended, leave_alone
from .sdk_errors import JobException
from .submitted import SubmittedJob
from .sweep_job import SweepJob
from .where import Where

Job = Union[CommandJob, KeptJob, Pipeline, Step, SweepJob]
JOBS = (CommandJob, KeptJob, Pipeline, Step, SweepJob)
_ENDED = ("Completed", "Failed", "Canceled")


class Poller(Checked):
    """What begin_...() gives: here all is done when it returns."""

    IN_SDK = "LROPoller"

    def __init__(self, thing: Any) -> None:
        self._thing = thing
        self.name = getattr(thing, "name", "")

    def result(self, timeout: Optional[float] = None) -> Any:
        del timeout
        return self._thing

    def wait(self, timeout: Optional[float] = None) -> None:
        """Returns at once."""

    def done(self) -> bool:
        return True

    def status(self) -> str:
        return "Succeeded"


class ValidationResult(Checked):
    """What jobs.validate() gives."""

    def __init__(self, complaints: Dict[str, str]) -> None:
        self.error_messages = complaints
        self.passed = not complaints

    def __str__(self) -> str:
        return json.dumps({"result": "Succeeded" if self.passed else "Failed",
                           "errors": self.error_messages}, indent=2)


class Jobs(Checked):
    """client.jobs: runs by their names."""

    IN_SDK = "client.jobs"

    @checked(lacks(accepted="skip_validation", no_effect="description"),
             named="create_or_update", others=Where)
    def create_or_update(self, job: Job, *, experiment_name: Optional[str] = None,
                         tags: Optional[Dict[str, str]] = None, compute: object = None,
                         **where: Any) -> SubmittedJob:
        """Starts it and returns once all its processes run; `where` as of Experiment.submit."""
        if not isinstance(job, JOBS):
            raise BadCall(f"{job!r} is not a job that muster can run",
                          "command(...), load_job(...) or a function with @dsl.pipeline makes one")
        where["_call"] = "create_or_update"
        if isinstance(job, Pipeline):
            job.settings.default_compute = compute or job.settings.default_compute
            run = job.submit(experiment_name or "", tags=tags, **where)
        else:
            job.compute = compute or job.compute
            run = job.submit(experiment_name or "", None, tags, **where)
        return SubmittedJob(run.name)

    def get(self, name: str) -> SubmittedJob:
        return SubmittedJob.found(name)

    @checked(lacks(accepted="list_view_type"), named="client.jobs.list")
    def list(self, *, parent_job_name: Optional[str] = None,
             max_results: Optional[int] = None) -> Iterator[SubmittedJob]:
        """All runs on record, the newest first; or the steps of one, or its trials."""
        if parent_job_name is not None:
            found = list(SubmittedJob.found(parent_job_name).get_children())
        else:
            told = completed("ps", "--all", "--json")
            runs = json.loads(told.stdout) if told.returncode == 0 else []
            found = [SubmittedJob(str(run["run"])) for run in reversed(runs)]
        return iter(found if max_results is None else found[:max_results])

    def stream(self, name: str) -> None:
        """Shows its output until its end, and raises RunFailed if it has failed."""
        job = SubmittedJob.found(name)
        try:
            code_of("logs", job.name, "-f", "-q")
            code = completed("wait", job.name).returncode
        except KeyboardInterrupt:
            leave_alone(job.name, f"client.jobs.begin_cancel({job.name!r})")
        ended(job.name, code, job.details(), raises=True)

    def begin_cancel(self, name: str) -> Any:
        """Once it returns, the job has ended."""
        self.cancel(name)
        return Poller(None)

    def cancel(self, name: str) -> None:
        SubmittedJob.found(name).stop()

    def begin_delete(self, name: str) -> Any:
        """Removes its record, with its output."""
        told = completed("rm", SubmittedJob.found(name).name)
        if told.returncode != 0:
            raise MusterError(told.returncode, told.stderr)
        return Poller(None)

    def download(self, name: str, *, download_path: Union["os.PathLike[str]", str] = ".",
                 output_name: Optional[str] = None, all: bool = False) -> None:
        """Copies what it made to where the SDK puts it: named-outputs/NAME, and artifacts."""
        job = SubmittedJob.found(name)
        if job.status not in _ENDED:
            raise JobException(1, f"{users_line()}: run {job.name} is {job.status}: it can be downloaded once it "
                               "has ended; client.jobs.stream(...) waits for that")
        outputs = {one: found.path for one, found in job.outputs.items()}
        if output_name is not None and output_name not in (*outputs, "default"):
            raise BadCall(f"run {job.name} has no output {output_name!r}",
                          nearest(output_name, list(outputs)))
        wanted = outputs if all else {one: outputs[one] for one in outputs if one == output_name}
        places = {os.path.join("named-outputs", one): path for one, path in wanted.items()}
        if all or output_name in (None, "default"):
            places[os.path.join("artifacts", "user_logs")] = os.path.join(job.folder, "streams")
            places[os.path.join("artifacts", "outputs")] = os.path.join(job.folder, "code/outputs")
        for to, path in places.items():
            if os.path.exists(path):
                copy_below(path, os.path.join(download_path, to))

    def validate(self, job: Job, *, raise_on_failure: bool = False) -> ValidationResult:
        """What muster validate says of it."""
        if not isinstance(job, (CommandJob, KeptJob, Pipeline, SweepJob)):
            raise BadCall(f"{job!r} is not a job that can be validated",
                          "a component's file was checked when it was loaded")
        words = ["validate", "-", "--json", *command_line.names]
        told = json.loads(completed(*words, text=job.file_text()).stdout)
        complaints = {f"line {one['line']}": one["what"] for one in told["complaints"]}
        if complaints and raise_on_failure:
            raise BadCall("; ".join(complaints.values()), "", job.made_at)
        return ValidationResult(complaints)

    @checked(lacks(accepted="node_index"), named="client.jobs.show_services")
    def show_services(self, name: str) -> Dict[str, Any]:
        """The folder of the record; muster starts no services for a job."""
        return SubmittedJob.found(name).services

    def archive(self, name: str) -> None:
        """Hides nothing."""
        note(f"client.jobs.archive({name!r}) has no effect here: `muster rm` removes records")

    def restore(self, name: str) -> None:
        """Nothing was hidden."""
        note(f"client.jobs.restore({name!r}) has no effect here: nothing was hidden")
