"""Data, models and schedules of SDK v2, and the parts of a client that keep them."""

import json
import os
from typing import Any, Dict, Iterator, Optional, Type, Union

from .binary import BadCall
from .checked import Checked, checked, given, lacks, note, settings_of
from .component import Component, Step
from .inputs import step_input
from .jobs import Poller
from .kept_job import KeptJob
from .kinds import DataType
from .known_names import found_data
from .named_files import copy_below
from .registers import Register, path_of_asset
from .yaml_text import yaml_of

_Path = Union[str, "os.PathLike[str]", None]


class Asset(Checked):
    """Something with a name and a version."""

    name: Optional[str]
    version: Optional[str]

    @property
    def id(self) -> str:
        """What an Input takes as its path."""
        return f"azureml:{self.name}:{self.version}"

    def __str__(self) -> str:
        return yaml_of(given(settings_of(self)))


class Data(Asset):
    """A file or folder under a name."""

    LACKS = lacks(accepted="datastore auto_delete_setting")

    def __init__(self, *, name: Optional[str] = None, version: Optional[str] = None,
                 description: Optional[str] = None, tags: Optional[Dict[str, str]] = None,
                 properties: Optional[Dict[str, str]] = None, path: _Path = None,
                 type: DataType = "uri_folder") -> None:
        self.name = name
        self.version = None if version is None else str(version)
        self.description = description
        self.tags = dict(tags or {})
        self.properties = dict(properties or {})
        self.path = None if path is None else str(path)
        self.type = type


class Model(Asset):
    """The same, of what a job has made."""

    LACKS = lacks(accepted="utc_time_created stage datastore", no_effect="flavors "
                  "default_deployment_template allowed_deployment_templates")

    def __init__(self, *, name: Optional[str] = None, version: Optional[str] = None,
                 type: Optional[DataType] = None, path: _Path = None,
                 description: Optional[str] = None, tags: Optional[Dict[str, str]] = None,
                 properties: Optional[Dict[str, str]] = None) -> None:
        self.name = name
        self.version = None if version is None else str(version)
        self.description = description
        self.tags = dict(tags or {})
        self.properties = dict(properties or {})
        self.path = None if path is None else str(path)
        self.type = type or "custom_model"


class Assets(Checked):
    """client.data, client.models: files and folders by names, which stay where they are."""

    def __init__(self, kind: str, of: Type[Any]) -> None:
        self._register = Register(kind)
        self._of = of

    def _named(self) -> str:
        return f"client.{self._register.kind}"

    def _asset(self, name: str, version: str, said: Dict[str, Any]) -> Any:
        return self._of(**{**said, "name": name, "version": version})

    def _put(self, asset: Any) -> Any:
        if not isinstance(asset, self._of):
            raise BadCall(f"{asset!r} cannot be registered with {self._named()}",
                          f"give a {self._of.__name__}")
        if not asset.name or not asset.path:
            raise BadCall(f"{self._of.__name__} needs a name and a path", "for example "
                          f"{self._of.__name__}(name='mine', path='./folder')")
        path = path_of_asset(asset.path)
        if ":" not in path.split("/", maxsplit=1)[0]:
            path = os.path.abspath(path)
            if not os.path.exists(path):
                raise BadCall(f"there is no {path} to register as {asset.name!r}",
                              "it is kept by its path: it must be there")
        said = {**settings_of(asset), "path": path}
        version = self._register.put(asset.name, asset.version, given(said))
        return self._asset(asset.name, *self._register.get(asset.name, version))

    def get(self, name: str, version: Optional[str] = None, label: Optional[str] = None) -> Any:
        """The latest, unless a version is asked for; muster.yml and --set may know others."""
        found, said = found_data(self._register, name, version, label)
        if self._register.kind == "data" and "type" not in said:
            said["type"] = "uri_file" if os.path.isfile(said["path"]) else "uri_folder"
        return self._asset(name, found, said)

    @checked(lacks(accepted="list_view_type"))
    def list(self, name: Optional[str] = None) -> Iterator[Any]:
        """All versions of all, or of one."""
        return (self._asset(*one) for one in self._register.all(name))

    @checked(lacks(accepted="version label"))
    def archive(self, name: str, version: Optional[str] = None) -> None:
        """Hides nothing."""
        note(f"{self._named()}.archive({name!r}) has no effect here")

    restore = archive


class DataAssets(Assets):
    """client.data."""

    def create_or_update(self, data: Data) -> Data:
        found: Data = self._put(data)
        return found


class Models(Assets):
    """client.models."""

    def create_or_update(self, model: Model) -> Model:
        found: Model = self._put(model)
        return found

    def download(self, name: str, version: str, download_path: _Path = ".") -> None:
        """Copies it to a folder of its name."""
        path = self.get(name, version).path
        to = os.path.join(download_path or ".", name)
        copy_below(path, to)


# ---- schedules ----


class RecurrencePattern(Checked):
    """At which hours, minutes and days."""

    def __init__(self, *, hours: Any, minutes: Any, week_days: Any = None, month_days: Any = None
                 ) -> None:
        self.hours = hours
        self.minutes = minutes
        self.week_days = week_days
        self.month_days = month_days


class RecurrenceTrigger(Checked):
    """Every N hours, days, weeks or months."""

    def __init__(self, *, frequency: str, interval: int,
                 schedule: Optional[RecurrencePattern] = None, start_time: object = None,
                 end_time: object = None, time_zone: str = "UTC") -> None:
        self.frequency = frequency
        self.interval = interval
        self.schedule = schedule
        self.start_time = start_time
        self.end_time = end_time
        self.time_zone = time_zone


class CronTrigger(Checked):
    """As a line of a crontab says."""

    def __init__(self, *, expression: str, start_time: object = None, end_time: object = None,
                 time_zone: str = "UTC") -> None:
        self.expression = expression
        self.start_time = start_time
        self.end_time = end_time
        self.time_zone = time_zone


class JobSchedule(Checked):
    """A job, and when it would be submitted."""

    LACKS = lacks(accepted="properties")

    def __init__(self, *, name: str, trigger: Any, create_job: Any,
                 display_name: Optional[str] = None, description: Optional[str] = None,
                 tags: Optional[Dict[str, str]] = None) -> None:
        self.name = name
        self.trigger = trigger
        self.create_job = create_job
        self.display_name = display_name
        self.description = description
        self.tags = dict(tags or {})
        self.is_enabled = True
        self.provisioning_state = "Succeeded"

    def __str__(self) -> str:
        return yaml_of(_schedule_keys(self))


def _plain(trigger: Any) -> Any:
    if isinstance(trigger, Checked):
        return given({name: _plain(one) for name, one in settings_of(trigger).items()})
    return trigger if isinstance(trigger, (str, int, list, dict, type(None))) else str(trigger)


def _trigger_of(said: Any) -> Any:
    """As it was given: one of the two, by what only one of them has."""
    if not isinstance(said, dict):
        return said
    if "expression" in said:
        return CronTrigger(**said)
    words: Dict[str, Any] = dict(said)
    if words.get("schedule"):
        words["schedule"] = RecurrencePattern(**words["schedule"])
    return RecurrenceTrigger(**words)


def _plain_job(job: Any) -> Any:
    """What is kept of it: the keys of its file, or where that is."""
    if hasattr(job, "file_text"):
        return {"keys": json.loads(job.file_text())}
    if isinstance(job, Step) and isinstance(job.component.keys(), str):
        inputs = {name: step_input(value) for name, value in job.inputs.items()}
        return {"file": job.component.file, "inputs": inputs, "compute": job.compute}
    return str(job)


def _job_of(said: Any) -> Any:
    if not isinstance(said, dict):
        return said
    if "keys" in said:
        return KeptJob(said["keys"])
    if not os.path.exists(said["file"]):
        return said["file"]
    job = Step(Component.from_yaml(None, said["file"]), said["inputs"])
    job.compute = said["compute"]
    return job


def _schedule_keys(schedule: JobSchedule) -> Dict[str, Any]:
    return given({**settings_of(schedule), "trigger": _plain(schedule.trigger),
                  "create_job": _plain_job(schedule.create_job)})


class Schedules(Checked):
    """client.schedules: they are kept, and nobody starts their jobs."""

    def __init__(self) -> None:
        self._register = Register("schedules")

    def begin_create_or_update(self, schedule: JobSchedule) -> Poller:
        if not isinstance(schedule, JobSchedule):
            raise BadCall(f"{schedule!r} is not a schedule", "give a JobSchedule")
        note(f"the schedule {schedule.name} is kept, but muster starts no jobs by itself: a line "
             "in crontab can call `muster submit`")
        self._keep(schedule.name, _schedule_keys(schedule))
        return Poller(self.get(schedule.name))

    def _keep(self, name: str, said: Dict[str, Any]) -> None:
        self._register.put(name, "1", said)

    def get(self, name: str) -> JobSchedule:
        return self._schedule(name, self._register.get(name)[1])

    @staticmethod
    def _schedule(name: str, said: Dict[str, Any]) -> JobSchedule:
        trigger, job = _trigger_of(said.get("trigger")), _job_of(said.get("create_job"))
        made = JobSchedule(name=name, trigger=trigger, create_job=job)
        vars(made).update({**said, "trigger": trigger, "create_job": job})
        return made

    @checked(lacks(accepted="list_view_type"))
    def list(self) -> Iterator[JobSchedule]:
        return (self._schedule(name, said) for name, _, said in self._register.newest())

    def _enable(self, name: str, enabled: bool) -> Poller:
        self._register.change(name, "1", lambda said: {**said, "is_enabled": enabled})
        return Poller(self.get(name))

    def begin_enable(self, name: str) -> Poller:
        return self._enable(name, True)

    def begin_disable(self, name: str) -> Poller:
        return self._enable(name, False)

    def begin_delete(self, name: str) -> Poller:
        self._register.remove(name)
        return Poller(None)
