"""python3 -m muster SCRIPT: runs a program that was made for Azure ML's SDK, unchanged."""

import argparse
import ast
import os
import re
import runpy
import sys
from typing import Any, List, Tuple

from .binary import MusterError
from .command_line import command_line
from .notebook import run_notebook
from .notebook_output import why_unwritable
from .run import LeftAlone
from .stand_ins import install
from .trace import print_error

_ABOUT = """\
Runs a Python program that submits jobs with Azure ML's SDK (azureml.core, azureml.train,
azure.ml.component, azure.ai.ml). Where that SDK is not installed, muster's own names stand
behind its imports, and the jobs run through muster."""

_EXAMPLE = "for example: python3 -m muster --fake-nodes 2 submit_it.py --epochs 3"


# As muster submit takes them.
_REACH = {"ssh-command": ("COMMAND", "called instead of ssh: 'ssh -J jump'"),
          "ssh-port": ("PORT", "the ssh port of every host"),
          "ssh-identity": ("FILE", "the private key for ssh"),
          "agent-path": ("PATH", "path of muster on the hosts"),
          "start-timeout": ("SECONDS", "for one attempt to connect to a host"),
          "max-open": ("N", "how many hosts to connect to at the same time"),
          "lease": ("SECONDS", "of silence after which a host is lost")}


def _lead(text: str) -> str:
    if re.match(r"(data|components|environments)\.[^=]+=.", text) is None:
        raise argparse.ArgumentTypeError(
            f"takes data.NAME=PATH, components.NAME=FILE or environments.NAME=IMAGE, not {text!r}")
    return text


def _parameter(text: str) -> Tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"takes NAME=VALUE, not {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m muster", description=_ABOUT,
                                     epilog=_EXAMPLE,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--target", metavar="NAME", help="run on this target of muster.yml, "
                       "whatever the program says")
    place.add_argument("-H", "--host", metavar="LIST", help="run on these hosts: node1:8,node2:8")
    place.add_argument("--hostfile", metavar="FILE", help="run on the hosts of a file")
    place.add_argument("--fake-nodes", metavar="N", type=int, help="rehearse on this machine, "
                       "which plays up to N nodes")
    for name, (value, means) in _REACH.items():
        parser.add_argument("--" + name, metavar=value, help=means)
    parser.add_argument("--without", metavar="environment|gpus", action="append", default=[],
                        choices=["environment", "gpus"], help="the hosts hold this themselves. "
                        "Repeatable")
    parser.add_argument("--unset", metavar="NAME", action="append", default=[], help="leave this "
                        "variable out of the ranks' environment; NAME* leaves out all that begin "
                        "with NAME. Repeatable")
    parser.add_argument("--dialects", metavar="LIST", help="set the variables of these frameworks "
                        "and no others': torch,mpich; ^jax sets all but JAX's")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], type=_lead,
                        dest="names", help="what a name in Azure ML means here: data.NAME=PATH, "
                        "components.NAME=FILE or environments.NAME=IMAGE. Repeatable")
    parser.add_argument("-p", metavar="NAME=VALUE", action="append", default=[], type=_parameter,
                        dest="parameters", help="a parameter of a notebook, set behind the cell "
                        "with the tag 'parameters', or before all cells: 3, 0.5, True, [1, 2] and "
                        "the like, else text. Repeatable")
    parser.add_argument("-o", metavar="FILE", dest="output", help="write the notebook to FILE "
                        "with what its cells print")
    parser.add_argument("script", metavar="SCRIPT", help="the program, or a Jupyter notebook")
    parser.add_argument("words", metavar="ARGS", nargs=argparse.REMAINDER, help="its arguments")
    if len(sys.argv) == 1:
        parser.print_usage(sys.stderr)
        print(_EXAMPLE, file=sys.stderr)
        sys.exit(2)
    return parser.parse_args()


def _place(told: argparse.Namespace) -> List[str]:
    options = {"--target": told.target, "-H": told.host, "--hostfile": told.hostfile,
               "--fake-nodes": told.fake_nodes}
    given = {name: str(value) for name, value in options.items() if value is not None}
    return [word for pair in given.items() for word in pair]


def _prepare(told: argparse.Namespace) -> None:
    for what in told.without:
        command_line.without += ["--without", what]
    for name in _REACH:
        value = getattr(told, name.replace("-", "_"))
        command_line.reach += [] if value is None else [f"--{name}={value}"]
    for name in told.unset:
        command_line.variables += [f"--unset={name}"]
    if told.dialects is not None:
        command_line.variables += [f"--dialects={told.dialects}"]
    for lead in told.names:
        command_line.names += ["--set", lead]
    command_line.place = _place(told)
    command_line.tells = True
    sys.argv = [told.script, *told.words]
    sys.path[0] = os.path.dirname(os.path.abspath(told.script))  # as python3 SCRIPT has it
    install()


def _no_program(path: str) -> str:
    """Why a file is no program of Python, and what it is."""
    if not os.path.exists(path):
        return f"there is no program {path}"
    if os.path.isdir(path):
        return f"{path} is a folder\n  hint: name the program in it"
    if path.endswith((".yml", ".yaml", ".json", ".runconfig")):
        return (f"{path} is a job file, and python3 -m muster runs programs of Python\n"
                f"  hint: muster submit {path}")
    with open(path, "rb") as file:
        start = file.read(256)
    first = start.partition(b"\n")[0]
    if start.startswith(b"\x7fELF") or first.startswith(b"#!") and b"python" not in first:
        return (f"{path} is not a program of Python\n"
                f"  hint: muster run -n 1 {os.path.join(os.path.dirname(path) or '.', path)}")
    return ""


def main() -> int:
    told = _arguments()
    is_notebook = told.script.endswith(".ipynb")
    wrong = _no_program(told.script)
    option = "-p" if told.parameters else "-o" if told.output is not None else ""
    if option and not is_notebook and not wrong:
        wrong = (f"{option}: {told.script} is not a notebook\n"
                 "  hint: give its arguments behind its name")
    if told.output is not None and not wrong:
        why = why_unwritable(told.output)
        wrong = why and f"-o: {why}\n  hint: it is the file to which the notebook is written"
    if wrong:
        print(f"muster: error: {wrong}", file=sys.stderr)
        return 2
    _prepare(told)
    try:
        if is_notebook:
            run_notebook(told.script, dict(told.parameters), told.output)
        else:
            runpy.run_path(told.script, run_name="__main__")
    except MusterError as error:
        print(error.told(), file=sys.stderr)
        return error.code
    except LeftAlone:
        return 130
    except Exception as error:
        print_error(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
