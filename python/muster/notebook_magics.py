"""Magics of a notebook: what is carried out, and what is named as having no effect."""

import ast
import contextlib
import difflib
import functools
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import time
import timeit
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from .binary import BadCall
from .checked import nearest, note
from .named_files import open_named
from .notebook_lines import Lines, expanded, names_there
from .notebook_words import LINES
from .place import users_frame, users_line

# Packages that muster stands in for: with the real ones, jobs would go to Azure.
_STOOD_IN = re.compile(r"\s['\"]?(?:azureml[-_]|azure-ai-ml|azure-ml-component|azure-identity|"
                       r"mldesigner)[^\s'\";&|<>]*(?:[<>=~!]=?[\w.*]+)?['\"]?(?=\s|$)")
_INSTALLS = re.compile(r"\s*(?:python3? -m )?pip3? install\s")
# What a page would show.
_SHOWN = ("html", "HTML", "javascript", "js", "latex", "markdown", "svg", "SVG")
_PROGRAMS = {"bash": ["bash"], "sh": ["sh"], "perl": ["perl"], "ruby": ["ruby"],
             "python": [sys.executable], "python3": [sys.executable]}
_FILES = ("ls", "mkdir", "cat", "cp", "mv", "rm", "rmdir")  # magics that are commands of the shell
_CELLS = ("capture", "file", "script", "time", "timeit", "writefile", *_PROGRAMS)


def _own_shell() -> str:
    """As IPython has it: the user's, if it is one that reads the words of sh."""
    found = os.environ.get("SHELL", "")
    is_fine = os.path.basename(found) in ("bash", "dash", "ksh", "zsh") and os.access(found, os.X_OK)
    return found if is_fine else "sh"


def _run(words: List[str], text: Optional[str] = None) -> int:
    """On the program's own streams, or into what %%capture has put in their place."""
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.stdout is sys.__stdout__:
        return subprocess.run(words, check=False, input=text,
                              text=True if text is not None else None).returncode
    done = subprocess.run(words, check=False, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    print(done.stdout, end="")
    return done.returncode


def _without_stood_in(command: str) -> str:
    """Of a pip install, what muster does not stand in for."""
    head = _INSTALLS.match(command)
    if head is None:
        return command
    left = [word.strip(" '\"") for word in _STOOD_IN.findall(command)]
    if not left:
        return command
    note(f"{', '.join(left)} is not installed: muster stands in for it")
    kept = _STOOD_IN.sub("", command)
    return kept if re.search(r"\s[^-\s]", kept[head.end() - 1:]) else ""


def _seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


@contextlib.contextmanager
def _timed() -> Iterator[None]:
    wall, used = time.perf_counter(), os.times()
    yield
    now = os.times()
    print(f"CPU times: user {_seconds(now.user - used.user)}, "
          f"sys: {_seconds(now.system - used.system)}, "
          f"total: {_seconds(now.user + now.system - used.user - used.system)}\n"
          f"Wall time: {_seconds(time.perf_counter() - wall)}")


class Captured:
    """What a cell of %%capture NAME has printed."""

    def __init__(self, stdout: str, stderr: str) -> None:
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self) -> str:
        return self.stdout

    def show(self) -> None:
        print(self.stdout, end="")

    __call__ = show


# Carries out lines of a notebook, which stand in this place, below so many of its lines.
Lived = Callable[[str, str, int], Any]


def _here() -> Tuple[str, int]:
    """The line that a magic stands in."""
    frame = users_frame()
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 1)


class Magics:
    """Those of one notebook, which has these names."""

    def __init__(self, names: Dict[str, Any], lived: Lived, notebook: Callable[[str], None]
                 ) -> None:
        self._names = names
        self._lived = lived
        self._notebook = notebook
        self._left = os.getcwd()  # where %cd - goes back to
        self._lines: Dict[str, Callable[[str], Any]] = {
            "cd": self._cd, "env": self._env, "set_env": self._env, "pip": self._pip,
            "conda": self._conda, "time": self._time, "timeit": self._timeit, "run": self._script,
            "pwd": lambda _: os.getcwd(), "system": self.output, "sx": self.output,
            "ll": lambda words: self.shell(f"ls -l {words}"),
            **{name: functools.partial(self._file, name) for name in _FILES}}
        self.names = frozenset((*self._lines, *LINES))  # of whole lines

    # ---- lines ----

    def shell(self, command: str) -> None:
        """!command: its code is in _exit_code, and a failure ends nothing, as in Jupyter."""
        if not command.strip():
            note("! has no effect: it names no command")
        text = _without_stood_in(expanded(command, names_there(self._names)))
        if text.strip():
            self._names["_exit_code"] = _run([_own_shell(), "-c", text])

    def output(self, command: str) -> Lines:
        """x = !command"""
        text = expanded(command, names_there(self._names))
        done = subprocess.run([_own_shell(), "-c", text], check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        return Lines(done.stdout.splitlines())

    def line(self, name: str, words: str) -> Any:
        """%name words"""
        if name not in self._lines:
            self._tell_unknown(name)
            return None
        if name not in ("time", "timeit"):
            words = expanded(words, names_there(self._names))
        return self._lines[name](words)

    def _tell_unknown(self, name: str) -> None:
        """Misspelt, or one of IPython's, or of an extension that muster knows nothing of."""
        near = difflib.get_close_matches(name, list(self._lines), 1, 0.8)
        if name not in LINES and near or not name:
            raise BadCall(f"there is no magic %{name}",
                          f"did you mean %{near[0]}?" if near else "for example %cd data")
        note(f"%{name} has no effect here")

    def _file(self, program: str, words: str) -> None:
        self.shell(f"{program} {words}")

    def help(self, asked: str) -> None:
        """One line about it."""
        if not asked:
            note("? asks for help, which a notebook shows in its own pages")
            return
        try:
            found = eval(asked, self._names)
        except Exception:
            print(f"Object `{asked}` not found.")
            return
        lines = (getattr(found, "__doc__", None) or "no help").strip().splitlines()
        print(f"{asked}: {lines[0]}")

    def _cd(self, words: str) -> None:
        folder = os.path.expanduser(words.strip().strip("'\"") or "~")
        here = os.getcwd()
        try:
            os.chdir(self._left if folder == "-" else folder)
        except OSError as error:
            raise BadCall(f"%cd {words}: {error.strerror}", f"a path goes on from {here}") from None
        self._left = here

    def _env(self, words: str) -> Any:
        name, equals, value = words.partition("=")
        if not equals:
            name, _, value = words.strip().partition(" ")
        if not name:
            return dict(os.environ)
        if not equals and not value:
            if name not in os.environ:
                raise BadCall(f"%env {name}: the environment has no {name}",
                              f"%env {name}=VALUE sets it")
            return os.environ[name]
        os.environ[name.strip()] = value.strip()
        print(f"env: {name.strip()}={value.strip()}")
        return None

    def _pip(self, words: str) -> None:
        command = _without_stood_in(f"pip {words}")
        if command:
            _run(["sh", "-c", f"{shlex.quote(sys.executable)} -m {command}"])

    def _conda(self, words: str) -> None:
        program = shutil.which("conda") or shutil.which("mamba")
        if program is None:
            note(f"%conda {words} has no effect here: there is no conda on PATH")
            return
        asks = words.split(" ", 1)[0] in ("install", "update", "remove", "create")
        _run(["sh", "-c", f"{shlex.quote(program)} {words}{' --yes' if asks else ''}"])

    def _time(self, statement: str) -> Any:
        place, line = _here()
        with _timed():
            return self._lived(statement, place, line - 1)

    def _timeit(self, words: str) -> None:
        options, statement = _options(words, "nr")
        self._measure(statement, "pass", options, 1)

    def _measure(self, statement: str, before: str, options: Dict[str, str], below: int) -> None:
        place, line = _here()
        for text, start in ((before, line), (statement, line - 1 + below)):
            ast.parse("\n" * (start - 1) + text.strip(" "), place)  # its mistakes have a place
        timer = timeit.Timer(statement, before, globals=self._names)
        repeat = int(options.get("r", 7))
        number = int(options["n"]) if "n" in options else timer.autorange()[0]
        took = [one / number for one in timer.repeat(repeat, number)]
        mean = sum(took) / repeat
        spread = (sum((one - mean) ** 2 for one in took) / repeat) ** 0.5
        print(f"{_seconds(mean)} ± {_seconds(spread)} per loop (mean ± std. dev. of {repeat} runs, "
              f"{number:,} loops each)")

    def _script(self, words: str) -> None:
        """%run FILE ARGS: what it has defined is the notebook's, too."""
        found = shlex.split(words)
        shares = found[:1] == ["-i"]
        found = found[1:] if shares else found
        if not found or found[0].startswith("-"):
            raise BadCall(f"%run {words} is not supported", "for example %run script.py --lr 0.1")
        path = os.path.expanduser(found[0])
        path = path if os.path.exists(path) else path + ".py"
        if not os.path.isfile(path):
            raise BadCall(f"%run: there is no file {found[0]!r}",
                          "it is looked for in the folder of the notebook")
        if path.endswith(".ipynb"):
            self._notebook(path)
            return
        before, sys.argv = sys.argv, [path, *found[1:]]
        try:
            made = runpy.run_path(path, self._names if shares else None, "__main__")
        except SystemExit as ended:
            if ended.code not in (None, 0):
                raise BadCall(f"%run {words}: the script exited with {ended.code!r}",
                              "the cells below are not carried out") from None
            made = {}
        finally:
            sys.argv = before
        self._names.update({name: one for name, one in made.items() if not name.startswith("__")})

    # ---- cells ----

    def cell(self, head: str, body: str) -> Any:
        """%%name words, and the lines below; the value at their end."""
        word, _, words = head.strip().partition(" ")
        if word in ("writefile", "file"):
            self._write(words, body)
        elif word in _PROGRAMS or word == "script":
            self._foreign(word, words, body)
        elif word in _SHOWN:
            note(f"%%{word} has no effect here")
        elif word == "time":
            with _timed():
                return self._lived(body, *_here())
        elif word == "timeit":
            options, before = _options(words, "nr")
            self._measure(body, before or "pass", options, 2)
        elif word == "capture":
            self._capture(words, body)
        else:
            raise BadCall(f"muster cannot carry out a cell of %%{word}",
                          nearest(word, list(_CELLS)))
        return None

    def _capture(self, words: str, body: str) -> None:
        kept = {"--no-stdout", "--no-stderr"} & set(words.split())
        out, err = io.StringIO(), io.StringIO()
        with contextlib.ExitStack() as within:
            if "--no-stdout" not in kept:
                within.enter_context(contextlib.redirect_stdout(out))
            if "--no-stderr" not in kept:
                within.enter_context(contextlib.redirect_stderr(err))
            value = self._lived(body, *_here())
            if value is not None:
                print(repr(value))
        for name in [word for word in words.split() if not word.startswith("-")][:1]:
            self._names[name] = Captured(out.getvalue(), err.getvalue())

    def _write(self, words: str, body: str) -> None:
        """%%writefile [-a] FILE."""
        found = shlex.split(expanded(words, self._names))
        if not found or found == ["-a"]:
            raise BadCall("%%writefile names no file", "for example %%writefile src/train.py")
        mode = "a" if found[0] in ("-a", "--append") else "w"
        path = os.path.expanduser(found[-1])
        there = os.path.exists(path)
        try:
            with open_named(path, mode) as file:
                file.write(body)
        except OSError as error:
            raise BadCall(f"%%writefile {words}: {error.strerror}",
                          f"the folder {os.path.dirname(os.path.abspath(path))} has to be there"
                          ) from None
        print(f"{'Appending to' if mode == 'a' else 'Overwriting' if there else 'Writing'} {path}")

    def _foreign(self, word: str, words: str, body: str) -> None:
        """A cell of another program, which reads it."""
        given = shlex.split(expanded(words, self._names))
        raises = "--no-raise-error" not in given
        given = [one for one in given if one != "--no-raise-error"]
        program = [*_PROGRAMS.get(word, []), *given]
        if not program or shutil.which(program[0]) is None:
            raise BadCall(f"%%{word} names no program that is here", "for example %%script bash")
        code = _run(program, body)
        if code != 0 and raises:
            raise BadCall(f"the cell of %%{word} ended with code {code}",
                          "Jupyter, too, goes no further")


def _options(words: str, letters: str) -> Tuple[Dict[str, str], str]:
    """Those in front: -n 3, -n3; one without a value is only skipped."""
    found: Dict[str, str] = {}
    rest = words.strip()
    while rest.startswith("-"):
        word, _, rest = rest.partition(" ")
        rest = rest.strip()
        if word[1:2] in letters:
            value = word[2:]
            if not value:
                value, _, rest = rest.partition(" ")
            if not value.isdigit():
                raise BadCall(f"{word} has {value!r}, which is not a number", "for example -n 10",
                              users_line())
            found[word[1]] = value
    return found, rest.strip()
