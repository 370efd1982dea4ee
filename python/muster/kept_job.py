"""A job that a schedule keeps: what a program has described, to be looked at, changed and run."""

from typing import Any, Dict, Optional

from .checked import Checked, given, settings_of
from .place import users_line
from .run import Run
from .submission import Destination, dump_keys, json_of, submit_keys
from .submitted import ByName
from .where import Where, target_name
from .yaml_text import yaml_of


def _by_names(kind: str, value: Any) -> Any:
    """Maps with their values as attributes, too, those within them included."""
    if isinstance(value, list):
        return [_by_names(kind, one) for one in value]
    if not isinstance(value, dict):
        return value
    return ByName(kind, {name: _by_names(f"{name} in {kind}", one) for name, one in value.items()})


class KeptJob(Checked):
    """The keys of its file are attributes: job.command, job.inputs.lr, job.jobs.train."""

    IN_SDK = "Job"

    def __init__(self, keys: Dict[str, Any]) -> None:
        self.made_at = users_line()
        self.type: str = str(keys.get("type", "command"))
        self.name: Optional[str] = None
        self.display_name: Optional[str] = None
        self.description: Optional[str] = None
        self.compute: object = None
        self.experiment_name: Optional[str] = None
        self.tags: Dict[str, str] = {}
        vars(self).update({name: _by_names(f"{name} of the job", value)
                           for name, value in keys.items()})

    def __str__(self) -> str:
        return yaml_of(self._keys())

    def submit(self, experiment_name: str = "", default_target: object = None,
               tags: Optional[Dict[str, str]] = None, **where: Any) -> Run:
        """Starts it and returns once all its processes run; `where` as of Experiment.submit."""
        place = Where(**where)
        keys = given({**self._keys(default_target),
                      "experiment_name": experiment_name or self.experiment_name,
                      "tags": {**self.tags, **(tags or {})}})
        return submit_keys(keys, place.words(), self.made_at, place.spelling)

    def dump(self, dest: Destination) -> None:
        """Writes a job file, for muster submit."""
        dump_keys(self._keys(), dest)

    def file_text(self) -> str:
        """What muster would be given."""
        return json_of(self._keys())

    def _keys(self, default_target: object = None) -> Dict[str, Any]:
        said = settings_of(self)
        del said["made_at"]
        target = self.compute or default_target
        return given({**said, "compute": None if target is None else target_name(target)})
