"""Run: one doing of a job, which goes on without this program."""

from typing import Any, Dict, Iterator, List, Optional

from .binary import BadCall, Hearer, MusterError, answer_of, code_of, text_of
from .checked import Checked, checked, lacks
from .tracking import ContextRun

_SDK_WORDS = {"queued": "Queued", "starting": "Starting", "running": "Running", "completed": "Completed",
              "failed": "Failed", "stopped": "Canceled", "died": "Failed"}


class RunFailed(MusterError):
    """A run that did not complete."""


class Run(Checked):
    """A run by its name, as `muster ps` lists it; the SDK's Run(experiment, name) is the same."""

    LACKS = lacks(accepted="experiment outputs")

    def __init__(self, name: object, run_id: Optional[str] = None) -> None:
        self.id = self.name = str(run_id or name)

    @classmethod
    def submit(cls, file: str, *options: str, text: str = "", hear: Hearer = None) -> "Run":
        """`muster submit --detach` of a job file; "-" is `text`, as if it lay in this folder.

        `hear` is given what muster says although the job has started.
        """
        words = ["submit", file, "--detach", *options]
        return cls(str(answer_of(*words, text=text, hear=hear)["run"]))

    @classmethod
    @checked(lacks(accepted="workspace"))
    def get(cls, workspace: object, run_id: str) -> "Run":
        """The run of that name."""
        return cls(run_id)

    @classmethod
    @checked(lacks(accepted="allow_offline used_for_context_manager"))
    def get_context(cls, allow_offline: bool = True) -> ContextRun:
        """The run that this program is a part of, to log its metrics."""
        return ContextRun()

    def __repr__(self) -> str:
        return f"Run({self.name!r})"

    def details(self) -> Dict[str, Any]:
        """What `muster show --json` tells."""
        return answer_of("show", self.name)

    @property
    def status(self) -> str:
        """starting, running, completed, failed, stopped or died."""
        return str(self.details()["state"])

    @property
    def exit_code(self) -> Optional[int]:
        """None as long as it runs."""
        code = self.details()["exit_code"]
        return None if code is None else int(code)

    @property
    def tags(self) -> Dict[str, str]:
        """Those that it was submitted with."""
        return dict(self.details()["tags"])

    @property
    def folder(self) -> str:
        """Of its record."""
        return str(self.details()["folder"])

    def wait(self, show_output: bool = False) -> int:
        """Waits for the end and returns the exit code; never raises for a job that failed."""
        if show_output:
            code_of("logs", self.name, "-f")
        code = code_of("wait", self.name)
        found = self.exit_code
        return code if found is None else found

    @checked(lacks(accepted="wait_post_processing show_graph", refused={
        "timeout_seconds": "a job has limits.timeout; run.wait() waits for its end"}))
    def wait_for_completion(self, show_output: bool = False, wait_post_processing: bool = False,
                            raise_on_error: bool = True) -> Dict[str, Any]:
        """The SDK's way to wait: what is known of the run, or RunFailed."""
        if not isinstance(raise_on_error, bool):  # in azure.ml.component, a timeout stands there
            raise BadCall(f"raise_on_error is {raise_on_error!r}", "it is True or False")
        code = self.wait(show_output)
        details = self.get_details()
        if raise_on_error and details["state"] != "completed":
            raise RunFailed(code, f"run {self.name} {details['state']}: {details.get('cause')}")
        return details

    def logs(self, rank: Optional[int] = None) -> str:
        """What its processes have printed so far; of one rank alone, if given."""
        words = [] if rank is None else ["--rank", str(rank)]
        return text_of("logs", self.name, *words)

    def stop(self) -> None:
        """Ends it, as a signal to muster would."""
        text_of("stop", self.name)

    cancel = stop

    def get_tags(self) -> Dict[str, str]:
        return self.tags

    # ---- the SDK's words, for programs that compare them ----

    def get_status(self) -> str:
        """Starting, Running, Completed, Failed or Canceled."""
        return _SDK_WORDS.get(str(self.details()["state"]), "Failed")

    def get_details(self) -> Dict[str, Any]:
        """The details, with runId and status beside them."""
        details = self.details()
        status = _SDK_WORDS.get(str(details["state"]), "Failed")
        return {**details, "runId": self.name, "status": status}

    def get_children(self) -> Iterator["Run"]:
        """Those of a pipeline's steps that have been started."""
        for step in self.details().get("steps", []):
            if step["started"]:
                yield Run(f"{self.name}/{step['step']}")

    def find_step_run(self, name: str) -> List["Run"]:
        """The run of a pipeline's step, if it has been started."""
        return [run for run in self.get_children() if run.name.split("/", 1)[1] == name]

    def get_portal_url(self) -> str:
        """The folder of its record, as an address."""
        return "file://" + self.folder
