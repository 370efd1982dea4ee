"""Run: one doing of a job, which goes on without this program."""

import os
import shlex
import shutil
import sys
from typing import Any, Dict, Iterator, List, Mapping, NoReturn, Optional, Type

from .binary import BadCall, Hearer, MusterError, answer_of, code_of, completed, text_of
from .checked import Checked, checked, lacks, nearest, note
from .command_line import command_line
from .context_run import ContextRun, this_run
from .datasets import datasets_made, datasets_of
from .models import Model
from .named_files import copy_named
from .own_files import make_folders, scratch_folder, usable
from .record import add_notes, files_in, metrics_in, notes_of
from .run_files import file_called, plain_path, whole_of
from .sdk_errors import ActivityFailedException, JobException

_SDK_WORDS = {"queued": "Queued", "starting": "Starting", "running": "Running",
              "completed": "Completed", "failed": "Failed", "stopped": "Canceled",
              "died": "Failed"}
# A package azureml for the processes, where there is no other one.
_IN_RANKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in_ranks")


def _definition(command: List[str]) -> Dict[str, Any]:
    """The SDK's words for what runs; of a script, its arguments, too."""
    text = command[-1] if command[:-1] == ["bash", "-c"] else shlex.join(command)
    try:
        words = shlex.split(text)
    except ValueError:  # the shell's own matter
        words = []
    if len(words) < 2 or not words[1].endswith(".py"):
        return {"command": text, "script": None, "arguments": []}
    return {"command": text, "script": words[1], "arguments": words[2:]}


class RunFailed(ActivityFailedException, JobException):
    """A run that has failed, by the names that the SDKs have for that."""


class LeftAlone(KeyboardInterrupt):
    """Ctrl-C while a run was waited for; it has been said that the run goes on."""


def ended(name: str, code: int, details: Mapping[str, Any], raises: bool) -> None:
    """Of a run that was waited for: as in the SDKs, one that was cancelled has not failed."""
    state = str(details["state"])
    if not raises:  # muster wait has said how it ended
        return
    if _SDK_WORDS.get(state, "Failed") == "Failed":
        raise RunFailed(code, f"run {name} {state}: {details.get('cause')}")
    if state == "stopped":
        print(f"muster: run {name} was cancelled", file=sys.stderr, flush=True)


def leave_alone(name: str, cancel: str) -> NoReturn:
    """Says how the run is followed and stopped; `cancel` is what the program would call."""
    print(f"muster: run {name} goes on; to see it: muster logs -f {name}\n"
          f"muster: to stop it: muster stop {name}, or {cancel}", file=sys.stderr, flush=True)
    raise LeftAlone() from None


class Run(Checked):
    """A run by its name, as `muster ps` lists it; the SDK's Run(experiment, name) is the same."""

    LACKS = lacks(accepted="outputs", refused={
        "submit_child": "submit the job with an Experiment"})

    _TYPE = "azureml.scriptrun"
    _KINDS: Dict[str, Type["Run"]] = {}  # of sweeps and pipelines that are found by their names

    def __init__(self, experiment: object, run_id: Optional[str] = None) -> None:
        self.id = str(run_id or experiment)
        self._experiment = None if run_id is None else experiment
        self._job: object = None

    @classmethod
    def submit(cls, file: str, *options: str, text: str = "", hear: Hearer = None) -> "Run":
        """`muster submit --detach` of a job file; "-" is `text`, as if it lay in this folder.

        `hear` is given what muster says although the job has started.
        """
        words = ["submit", file, "--detach", "--python-path", _IN_RANKS, *options]
        return cls(str(answer_of(*words, text=text, hear=hear)["run"]))

    @classmethod
    @checked(lacks(accepted="workspace"))
    def get(cls, workspace: object, run_id: str) -> "Run":
        """The run of that name."""
        return cls.known_as(None, answer_of("show", run_id))

    @classmethod
    def known_as(cls, experiment: object, known: Dict[str, Any]) -> "Run":
        """A sweep, a pipeline or another run, as `muster ps` tells of it."""
        steps = known.get("steps") or []
        is_sweep = known.get("best") or any(step.get("values") for step in steps)
        kind = Run._KINDS.get("sweep" if is_sweep else "pipeline" if steps else "", Run)
        return kind(experiment or known["experiment"], str(known["run"]))

    @classmethod
    @checked(lacks(accepted="allow_offline used_for_context_manager"))
    def get_context(cls, allow_offline: bool = True) -> ContextRun:
        """The run that this program is a part of, to log its metrics."""
        return this_run()

    @property
    def name(self) -> str:
        """Of all but steps, the same."""
        return self.id

    def __repr__(self) -> str:
        return f"Run({self.id!r})"

    def details(self) -> Dict[str, Any]:
        """What `muster show --json` tells."""
        return answer_of("show", self.id)

    @property
    def status(self) -> str:
        """starting, running, completed, failed, stopped or died; in a program that was made for
        the SDK, its words."""
        return self.get_status() if command_line.tells else str(self.details()["state"])

    @property
    def exit_code(self) -> Optional[int]:
        """None as long as it runs."""
        code = self.details()["exit_code"]
        return None if code is None else int(code)

    @property
    def tags(self) -> Dict[str, str]:
        """Those that it was submitted with, and those that were set later."""
        details = self.details()
        return {**details["tags"], **notes_of(details["folder"])["tags"]}

    @property
    def folder(self) -> str:
        """Of its record."""
        return str(self.details()["folder"])

    def wait(self, show_output: bool = False) -> int:
        """Waits for the end and returns the exit code; never raises for a job that failed."""
        return self._wait(show_output, tells=True)

    def _wait(self, show_output: bool, tells: bool) -> int:
        try:
            if show_output:
                code_of("logs", self.id, "-f", "-q")
            code = code_of("wait", self.id) if tells else completed("wait", self.id).returncode
        except KeyboardInterrupt:
            leave_alone(self.id, "run.cancel()")
        found = self.exit_code
        return code if found is None else found

    @checked(lacks(accepted="wait_post_processing show_graph", refused={
        "timeout_seconds": "a job has limits.timeout; run.wait() waits for its end"}))
    def wait_for_completion(self, show_output: bool = False, wait_post_processing: bool = False,
                            raise_on_error: bool = True) -> Dict[str, Any]:
        """The SDK's way to wait: what is known of the run; RunFailed, if it has failed."""
        if not isinstance(raise_on_error, bool):  # in azure.ml.component, a timeout stands there
            raise BadCall(f"raise_on_error is {raise_on_error!r}", "it is True or False")
        code = self._wait(show_output, tells=not raise_on_error)
        details = self.get_details()
        ended(self.id, code, details, raise_on_error)
        return details

    def logs(self, rank: Optional[int] = None) -> str:
        """What its processes have printed so far; of one rank alone, if given."""
        words = [] if rank is None else ["--rank", str(rank)]
        return text_of("logs", self.id, *words)

    def stop(self) -> None:
        """Ends it, as a signal to muster would."""
        text_of("stop", self.id)

    cancel = stop

    @checked(lacks(accepted="error_details error_code _set_status"))
    def fail(self) -> None:
        """The same: only its processes can say that it failed."""
        note("Run.fail() stops the run, like cancel()")
        self.stop()

    def get_tags(self) -> Dict[str, str]:
        return self.tags

    # ---- the SDK's words, for programs that compare them ----

    def get_status(self) -> str:
        """Starting, Running, Completed, Failed or Canceled."""
        return _SDK_WORDS.get(str(self.details()["state"]), "Failed")

    def get_details(self) -> Dict[str, Any]:
        """The details, with the SDK's names for some of them beside."""
        details = self.details()
        status = _SDK_WORDS.get(str(details["state"]), "Failed")
        return {**details, "runId": self.id, "status": status,
                "startTimeUtc": details["started"], "endTimeUtc": details["ended"],
                "properties": self.get_properties(),
                "inputDatasets": datasets_of(details["folder"]),
                "outputDatasets": datasets_made(details["outputs"]),
                "runDefinition": _definition(details["command"]),
                "logFiles": {name: path for name, path in self._files().items()
                             if name.startswith(("logs/", "streams/"))}}

    def get_details_with_logs(self) -> Dict[str, Any]:
        """The same, with what is in the log files."""
        details = self.get_details()
        for name, path in details["logFiles"].items():
            with open(path, encoding="utf-8", errors="replace") as file:
                details["logFiles"][name] = file.read()
        return details

    # ---- what its processes have logged and written ----

    @checked(lacks(accepted="run_type populate"))
    def get_metrics(self, name: Optional[str] = None, recursive: bool = False) -> Dict[str, Any]:
        """What they have logged: values by names, lists where there are several."""
        found = metrics_in(self.folder)
        for child in self.get_children() if recursive else ():
            for one, value in child.get_metrics().items():
                found.setdefault(one, value)
        return found if name is None else {one: found[one] for one in found if one == name}

    def _files(self) -> Dict[str, str]:
        details = self.details()
        return files_in(details["folder"], details["code"] or "")

    def get_file_names(self) -> List[str]:
        """Files in ./outputs and ./logs of its code, its outputs, and what it has uploaded."""
        return list(self._files())

    def _get_outputs_datapath(self) -> str:
        """The folder of its files below outputs/, which examples of the SDK ask for so."""
        found = {name: path for name, path in self._files().items() if name.startswith("outputs/")}
        if found:
            return whole_of("outputs", found, f"run {self.id}")
        details = self.details()
        return os.path.join(details["code"] or details["folder"], "outputs")

    def _file(self, name: str) -> str:
        return file_called(name, self._files(), f"run {self.id}")

    @checked(lacks(accepted="_validate_checksum"))
    def download_file(self, name: str, output_file_path: Optional[str] = None) -> None:
        """Copies it, by default to its own name in this folder."""
        path = os.fspath(output_file_path or os.path.basename(name))
        if os.path.isdir(path) or path.endswith(os.sep):
            path = os.path.join(path, os.path.basename(name))
        make_folders(os.path.dirname(path))
        copy_named(self._file(name), path)

    @checked(lacks(accepted="batch_size timeout_seconds", refused={
        "output_paths": "use download_file for each"}))
    def download_files(self, prefix: Optional[str] = None,
                       output_directory: Optional[str] = None,
                       output_paths: Optional[List[str]] = None, batch_size: int = 100,
                       append_prefix: bool = True) -> None:
        """Copies those whose names begin so."""
        start = plain_path(prefix or "")
        for name in self.get_file_names():
            if name.startswith(start):
                below = name if append_prefix else name[len(start):].lstrip("/")
                self.download_file(name, os.path.join(output_directory or ".", below))

    @checked(lacks(refused={"snapshot_id": "a run has one snapshot"}))
    def restore_snapshot(self, snapshot_id: Optional[str] = None,
                         path: Optional[str] = None) -> str:
        """The folder in which it ran, as NAME.zip in the folder `path`; its path."""
        code = self.details()["code"]
        if not code:
            raise BadCall(f"run {self.id} has no copy of its code", "its job has no code: folder")
        archive = os.path.join(path or ".", self.id.replace("/", "-") + ".zip")
        make_folders(path or "")
        with scratch_folder(path or ".") as scratch:
            made = shutil.make_archive(os.path.join(scratch, "code"), "zip", code)
            os.replace(usable(made), archive)
        return archive

    def get_all_logs(self, destination: Optional[str] = None) -> List[str]:
        """Copies of its log files."""
        names = [name for name in self.get_file_names() if name.startswith(("logs/", "streams/"))]
        paths = [os.path.join(destination or os.getcwd(), name) for name in names]
        for name, path in zip(names, paths):
            self.download_file(name, path)
        return paths

    @checked(lacks(accepted="model_framework model_framework_version datasets "
                            "sample_input_dataset sample_output_dataset resource_configuration"))
    def register_model(self, model_name: str, model_path: Optional[str] = None,
                       tags: Optional[Dict[str, Any]] = None,
                       properties: Optional[Dict[str, Any]] = None, model_framework: Any = None,
                       model_framework_version: Optional[str] = None,
                       description: Optional[str] = None) -> Model:
        """Keeps a file or folder of the run under a name; it stays in the record."""
        whole = whole_of(model_path or "outputs", self._files(), f"run {self.id}")
        return Model.register(None, whole, model_name, tags, properties, description)

    # ---- what is noted of it ----

    def belongs_to(self, experiment: object, job: object) -> None:
        """It was submitted there."""
        self._experiment, self._job = experiment, job

    def get_environment(self) -> Any:
        """That of the job which this program has submitted."""
        found = getattr(getattr(self._job, "run_config", None), "environment", None)
        if found is None:
            raise BadCall(f"the environment of run {self.id} is not known here",
                          f"muster show {self.id} tells how it runs")
        return found

    @property
    def type(self) -> str:
        """The SDK's word for it."""
        return self._TYPE

    @property
    def number(self) -> int:
        """Of this name there is one."""
        return 1

    @property
    def experiment(self) -> Any:
        """That which it was found in, or its name."""
        return self._experiment or self.details()["experiment"]

    def _note(self, kind: str, said: Mapping[str, Any]) -> None:
        add_notes(self.folder, kind, {str(name): value for name, value in said.items()})

    def tag(self, key: str, value: Any = None) -> None:
        """Kept in its record; muster ps --tag finds those of submit(tags=...) only."""
        self._note("tags", {key: value})

    def set_tags(self, tags: Mapping[str, Any]) -> None:
        """Several of them."""
        self._note("tags", tags)

    def get_properties(self) -> Dict[str, str]:
        return notes_of(self.folder)["properties"]

    @property
    def properties(self) -> Dict[str, str]:
        return self.get_properties()

    def add_properties(self, properties: Mapping[str, Any]) -> None:
        """They cannot be changed later."""
        taken = [name for name in properties if name in self.get_properties()]
        if taken:
            raise BadCall(f"the property {taken[0]!r} of run {self.id} cannot be changed",
                          "tags can: run.tag()")
        self._note("properties", properties)

    @checked(lacks(accepted="recursive _rehydrate_runs", refused={
        "type": "filter what it gives", "status": "filter what it gives",
        "properties": "filter what it gives", "tags": "filter what it gives"}))
    def get_children(self) -> Iterator["Run"]:
        """Those of a pipeline's steps, or a sweep's trials, that have been started."""
        for step in self.details().get("steps", []):
            if step["started"]:
                yield Run(f"{self.id}/{step['step']}")

    def find_step_run(self, name: str) -> List["Run"]:
        """The run of a pipeline's step, if it has been started."""
        return [run for run in self.get_children() if run.id.split("/", 1)[1] == name]

    def get_portal_url(self) -> str:
        """The folder of its record, as an address."""
        return "file://" + self.folder
