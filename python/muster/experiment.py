"""Workspace and Experiment: where a run belongs, and how it is submitted."""

import json
import os
import tempfile
from typing import Dict, Optional

from .run import Run
from .script_run_config import ScriptRunConfig


class Workspace:
    """Stands where Azure ML's SDK wants one: muster needs no account."""

    def __init__(self, name: str = "muster") -> None:
        self.name = name

    @classmethod
    def from_config(cls, path: Optional[str] = None) -> "Workspace":
        """Reads nothing."""
        del path
        return cls()


class Experiment:
    """Runs that belong together, under a name."""

    def __init__(self, workspace: object, name: str) -> None:
        self.workspace = workspace
        self.name = name

    def submit(self, config: ScriptRunConfig, tags: Optional[Dict[str, str]] = None) -> Run:
        """Starts the job and returns once all its processes run; muster ps --tag finds its tags."""
        options = [f"--set=tags.{name}={value}" for name, value in (tags or {}).items()]
        with tempfile.TemporaryDirectory(prefix="muster-job-") as folder:
            path = os.path.join(folder, "job.yml")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(config.job(self.name), file, indent=1)
            return Run.submit(path, *options)
