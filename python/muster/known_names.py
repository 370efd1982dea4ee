"""What names of Azure ML stand for here: muster knows, by muster.yml, --set and files beside."""

import json
import os
import re
from typing import Any, Dict, Iterable, Optional, Tuple

from .binary import completed
from .command_line import command_line
from .registers import Register, records_folder


def name_of(name: str, version: Optional[str], label: Optional[str] = None) -> str:
    """As job files write it."""
    return f"azureml:{name}" + (f":{version}" if version else f"@{label}" if label else "")


def _told_in(lines: Iterable[str], name: str) -> Optional[str]:
    """Of "NAME is PATH (WHO SAYS SO)"."""
    for line in lines:
        found = re.fullmatch(rf"(?:muster: )?{re.escape(name)} is (.*?) \((--set )?(.*)\)", line)
        if found is not None:
            if found[2]:
                command_line.asked.add(found[3])
            return found[1]
    return None


def component_file(name: str) -> Optional[str]:
    """That of a component, if anybody knows it."""
    job = {"type": "pipeline", "jobs": {"step": {"component": name}}}
    done = completed("validate", "-", "--json", *command_line.names, text=json.dumps(job))
    try:
        found = _told_in(json.loads(done.stdout)["notices"], name)
    except (ValueError, KeyError):
        return None
    of_program = os.path.join(records_folder(), ".registered", "")
    return None if found is None or found.startswith(of_program) else found


def _dry_run(job: Dict[str, Any], *words: str) -> Iterable[str]:
    done = completed("submit", "-", "--dry-run", "--fake-nodes", "1", *words,
                     *command_line.names, text=json.dumps(job))
    return done.stderr.splitlines()


def data_path(name: str) -> Optional[str]:
    """Of a file or folder, if anybody knows it."""
    data = {"type": "uri_folder", "path": name}
    job = {"type": "command", "command": "echo ${{inputs.data}}", "inputs": {"data": data}}
    found = _told_in(_dry_run(job, "--without", "environment"), name)
    return os.path.abspath(found) if found is not None and "://" not in found else found


def environment_of(name: str) -> Optional[str]:
    """The image or the file of an environment, if anybody knows it."""
    return _told_in(_dry_run({"type": "command", "command": "true", "environment": name}), name)


def found_data(register: Register, name: str, version: Optional[str] = None,
               label: Optional[str] = None) -> Tuple[str, Dict[str, Any]]:
    """What muster.yml, --set or a file says that it is, else what a program has registered: the
    latest, unless a version is asked for."""
    path, kept = data_path(name_of(name, version, label)), register.find(name, version)
    if path is None or kept is not None and kept[1].get("path") == path:
        return register.get(name, version)
    return version or "1", {"path": path}
