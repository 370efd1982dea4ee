"""What muster calls options and keys, and what they are called in Python."""

import functools
import re
from typing import Mapping, NamedTuple

from .command_line import command_line


class Spelling(NamedTuple):
    """How one SDK describes a job, and the call that submits it."""

    compute: str = "compute"
    image: str = "Environment(image='IMAGE')"
    call: str = "submit"
    renamed: Mapping[str, str] = {}  # keys of job files, where Python has other names


V1 = Spelling("compute_target", "Environment.from_docker_image('NAME', 'IMAGE')")

_WORDS = [
    (re.compile(r"--set inputs\.(\w+)="), r"\1="),
    (re.compile(r"--nodes and --per-node"), "node_count and process_count_per_node"),
    (re.compile(r"--per-node"), "process_count_per_node"),
    (re.compile(r"^distribution\."), ""),
    (re.compile(r"overwrite: true of the output, or muster submit --force"),
     "Output(..., overwrite=True)"),
    # What only the program muster has, for a file that dump() writes.
    (re.compile(r"(?<![\w`-])(--(?:image-from-here|no-snapshot|snapshot-limit SIZE)\b)"),
     r"muster submit \1"),
]
# Options that are words of submit(), too; `python3 -m muster` takes them as they are.
_OPTIONS = [
    (re.compile(r"--without (environment|gpus)"), r"\1=False"),
    (re.compile(r"--fake-nodes (\d+)"), r"fake_nodes=\1"),
    (re.compile(r"-H HOSTS"), "hosts='NODE1,NODE2'"),
]
# How hosts are reached, which a program says by variables of its environment.
_REACH = re.compile(r"(?<![\w`-])--(ssh-command|ssh-port|ssh-identity|agent-path|start-timeout|"
                    r"max-open|lease)\b(?: (?=[A-Z']))?")


def _variable(found: "re.Match[str]") -> str:
    equals = "=" if found[0].endswith(" ") else ""
    return f"the variable MUSTER_{found[1].upper().replace('-', '_')}{equals}"


def _option(word: str, call: str, found: "re.Match[str]") -> str:
    said = f"{call}(..., {found.expand(word)})"
    return f"{said} or python3 -m muster {found[0]}" if command_line.tells else said


def python_words(text: str, spelling: Spelling) -> str:
    """A line of muster's in the program's words."""
    for pattern, word in _OPTIONS:
        text = pattern.sub(functools.partial(_option, word, spelling.call), text)
    text = re.sub(r"--target ([\w-]+)", rf"{spelling.compute}='\1'", text)
    text = re.sub(r"environment: \{image: IMAGE\}, or --image",
                  f"or environment={spelling.image}", text)
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    text = _REACH.sub(_variable, text)
    for key, name in spelling.renamed.items():
        text = re.sub(rf"^{re.escape(key)}\b", name, text)
    return text
