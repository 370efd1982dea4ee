"""What ctest knows of a build folder, and what its runs gave: programs, results, cases, failures.

tools/durations and tools/stress share it. A program is one test of ctest: a GoogleTest program, a
script of Python's unittest, or anything else, which then counts as one case.
"""

import dataclasses
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
TAIL_LINES = 100
NAMES_MAX = 10  # of failing cases in a command that runs them again
CUT = "[This part of the test output was removed since it exceeds the threshold"

GTEST_COUNT = re.compile(r"\[==========\] (?:Running )?(\d+) tests? from")
GTEST_CASE = re.compile(r"\[ RUN      \] (\S+)")
GTEST_STATE = re.compile(r"\[( {7}OK|  SKIPPED|  FAILED ) ?\] ([^\s,]+)")
UNITTEST_COUNT = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
UNITTEST_CASE = re.compile(r"(test\w*) \(\w+\.((?:\w+\.)+\1)\)")
UNITTEST_STATE = re.compile(r"(?:^|\.\.\. )(ok|skipped|FAIL|ERROR|expected failure|"
                            r"unexpected success)(?: ['\"].*)?$", re.MULTILINE)
UNITTEST_FAILURE = re.compile(r"^={70}\n(?:ERROR|FAIL|UNEXPECTED SUCCESS): (.*)", re.MULTILINE)
UNITTEST_END = re.compile(r"^-{70}\nRan \d+ tests? in ", re.MULTILINE)


@dataclasses.dataclass
class Program:
    """A test as ctest knows it. The command is empty where its file was not built."""

    name: str
    command: list
    properties: dict

    def labels(self, prefix):
        """What follows the prefix in the labels that begin with it."""
        return [label[len(prefix):] for label in self.properties.get("LABELS", [])
                if label.startswith(prefix)]

    @property
    def group(self):
        return (self.labels("group_") or ["-"])[0]

    @property
    def script(self):
        """The file of a script of Python, or None."""
        return next((pathlib.Path(word) for word in self.command[:2] if word.endswith(".py")), None)


@dataclasses.dataclass
class Result:
    """How one run of a program ended: status is passed, failed or skipped."""

    name: str
    status: str
    seconds: float
    output: str = ""
    reason: str = ""


def programs(build):
    """{name: Program} of a build folder."""
    asked = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise SystemExit(f"ctest cannot list the tests of {build}: {asked.stderr.strip()}")
    return {one["name"]: Program(one["name"], one.get("command", []),
                                 {row["name"]: row["value"] for row in one.get("properties", [])})
            for one in json.loads(asked.stdout)["tests"]}


def read_junit(file):
    """The results in a file that `ctest --output-junit` wrote."""
    results = []
    for case in xml.etree.ElementTree.parse(file).iter("testcase"):
        notes = [note.get("message", "") for note in case if note.tag in ("failure", "skipped")]
        status, reason = case.get("status"), " ".join(" ".join(notes).split())
        if status == "disabled" or (status == "notrun" and reason.startswith("SKIP_")):
            status = "skipped"
        else:
            status = "passed" if status == "run" else "failed"
        results.append(Result(case.get("name"), status, float(case.get("time", 0)),
                              case.findtext("system-out") or "", reason))
    return results


# ---- cases --------------------------------------------------------------------------------------

def _gtest_cases(output):
    state = {match[2]: match[1].strip() for match in GTEST_STATE.finditer(output)}
    words = {"OK": "passed", "SKIPPED": "skipped"}
    # A case that was begun and has no end is the one that ended the program.
    return {name: words.get(state.get(name), "failed") for name in GTEST_CASE.findall(output)}


def _unittest_cases(output):
    summary = UNITTEST_FAILURE.search(output)
    begun = list(UNITTEST_CASE.finditer(output, 0, summary.start() if summary else len(output)))
    words = {"FAIL": "failed", "ERROR": "failed", "unexpected success": "failed",
             "skipped": "skipped"}
    ended = UNITTEST_COUNT.search(output)
    cases = {}
    for match, after in zip(begun, begun[1:] + [None]):
        state = UNITTEST_STATE.search(output, match.end(), after.start() if after else len(output))
        unfinished = after is None and not ended
        cases[match[2]] = words.get(state[1], "passed") if state else \
            "failed" if unfinished else "passed"
    # What a test prints may hide its "FAIL"; the blocks at the end do not.
    for title in UNITTEST_FAILURE.findall(output):
        match = UNITTEST_CASE.match(title)
        if match:
            cases[match[2]] = "failed"
    return cases


def cases_of(output):
    """{case: passed, failed or skipped} as far as the output names them."""
    return _gtest_cases(output) or _unittest_cases(output)


def count_of(output):
    """How many test cases a program has, skipped ones included."""
    gtest, unittest = GTEST_COUNT.search(output), UNITTEST_COUNT.findall(output)
    if gtest:
        return int(gtest[1])
    return int(unittest[-1]) if unittest else len(cases_of(output)) or 1


def failing_output(output):
    """The part of a failed program's output that says why: its failing cases, or else its end."""
    parts = re.split(r"(?=\[ RUN      \] )", output)
    cases = _gtest_cases(output)
    blocks = []
    for part in parts[1:]:
        name = GTEST_CASE.match(part)[1]
        if cases[name] == "failed":
            end = re.search(r"^\[  FAILED  \].*$", part, re.MULTILINE)
            blocks.append(part[:end.end()] if end else part.rstrip())
    if blocks:
        return "\n".join(blocks)
    begin = UNITTEST_FAILURE.search(output)
    if begin:
        ends = [match.start() for match in UNITTEST_END.finditer(output, begin.start())]
        return output[begin.start():ends[-1] if ends else len(output)].rstrip()
    return "\n".join(output.rstrip().splitlines()[-TAIL_LINES:])


def bounded(text, limit):
    """The first two thirds and the last third of a text that has too many lines."""
    lines = text.splitlines()
    if len(lines) <= limit:
        return text
    first, last = limit - limit // 3, limit // 3
    return "\n".join([*lines[:first], f"... {len(lines) - limit} lines are left out ...",
                      *lines[-last:]])


# ---- words for people ---------------------------------------------------------------------------

def short(path):
    """A path as it is written in the repository's folder."""
    path = pathlib.Path(path)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def command_for(program, names):
    """The words that run only these cases of a program, in the repository's folder."""
    names = names if 0 < len(names) <= NAMES_MAX else []
    if not program.command:
        return ""
    if program.script:
        own = [word for word in program.properties.get("ENVIRONMENT", [])
               if word.startswith("MUSTER=") and word != f"MUSTER={ROOT}/build/muster"]
        return shlex.join([*own, program.command[0], short(program.script), *names])
    filters = ["--gtest_filter=" + ":".join(names)] if names else []
    return shlex.join([short(program.command[0]), *program.command[1:], *filters])


def ctest_for(build, names):
    wanted = "|".join(re.escape(name) for name in sorted(names))
    return f"ctest --test-dir {shlex.quote(short(build))} -R '^({wanted})$' --output-on-failure"


def table(head, rows, width=0):
    """Lines of a table: the first column is cut where the terminal is too narrow."""
    width = width or shutil.get_terminal_size((100, 24)).columns
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    sizes = [max(len(row[i]) for row in rows) for i in range(len(head))]
    sizes[0] = max(8, min(sizes[0], width - sum(sizes[1:]) - 2 * len(sizes[1:])))

    def line(row):
        first = row[0] if len(row[0]) <= sizes[0] else row[0][:sizes[0] - 1] + "…"
        return "  ".join([first.ljust(sizes[0]),
                          *(cell.rjust(size) for cell, size in zip(row[1:], sizes[1:]))]).rstrip()
    return [line(row) for row in rows]
