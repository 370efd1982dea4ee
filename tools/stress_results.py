"""The results of tools/stress: what they depend on, the file that keeps them, and parts of them."""

import functools
import hashlib
import json
import os
import pathlib
import re
import statistics
import time

from ctest_results import ROOT

# What any script may use, besides rooms; of tests/e2e and tests/lab everything but scripts.
SHARED = ("tests/e2e", "tests/lab", "tests/mpi", "tests/data", "python", "examples",
          "docs/kubernetes")
IMPORT = re.compile(r"^(?:from|import) (test_\w+)", re.MULTILINE)

# ---- what a result depends on -------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def digest_of_file(file):
    return hashlib.sha256(file.read_bytes()).digest()


def digest(root, files):
    """A short hash of files' names and texts."""
    total = hashlib.sha256()
    for file in sorted(set(files)):
        total.update(os.path.relpath(file, root).encode() + b"\0" + digest_of_file(file))
    return total.hexdigest()[:16]


def files_below(folder):
    return [file for file in folder.rglob("*")
            if file.is_file() and "__pycache__" not in file.parts]


def rooms_needed(rooms, cmake):
    """The rooms and all that they link, as the room() lines of src/CMakeLists.txt say."""
    links = {match[1]: match[2].split() for match in re.finditer(r"^room\((\w+)([^)]*)\)", cmake,
                                                                  re.MULTILINE)}
    needed, fresh = set(), set(rooms)
    while fresh:
        needed |= fresh
        fresh = {link for room in fresh for link in links.get(room, []) if link in links} - needed
    return needed


def with_imports(script):
    """The script and the scripts beside it that it takes something from, and so on."""
    found, fresh = set(), {script}
    while fresh:
        found |= fresh
        fresh = {one.parent / f"{name}.py" for one in fresh for name in IMPORT.findall(
            one.read_text()) if (one.parent / f"{name}.py").exists()} - found
    return found


def key_of(program, root=ROOT):
    """Changes when something changes that the script's result may depend on."""
    source = root / "src"
    cmake = source / "CMakeLists.txt"
    rooms = rooms_needed(program.labels("room_"), cmake.read_text())
    known = rooms and all((source / room).is_dir() for room in rooms)
    folders = [source / room for room in rooms | {"main", "third_party"}] if known else [source]
    folders += [root / name for name in SHARED]
    files = [file for folder in folders for file in files_below(folder)
             if not (file.name.startswith("test_") and file.suffix == ".py")]
    return digest(root, [*files, cmake, *with_imports(program.script)])


# ---- the file of results ------------------------------------------------------------------------

class Results:
    """JSON lines: a run each, or how the scripts were cut into parts."""

    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else ""
        if text and not text.endswith("\n"):  # the last line of a call that was killed
            text = text[:text.rfind("\n") + 1]
            path.write_text(text)
        self.rows = [json.loads(line) for line in text.splitlines()]

    def add(self, **row):
        self.rows.append(row)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def forget(self, pattern):
        """Returns how many runs were dropped, with their files."""
        gone = [row for row in self.rows if "program" in row and re.search(pattern, row["program"])]
        for row in gone:
            if row["output"]:
                pathlib.Path(row["output"]).unlink(missing_ok=True)
        self.rows = [row for row in self.rows if not any(row is one for one in gone)]
        fresh = self.path.with_suffix(".new")
        fresh.write_text("".join(json.dumps(row) + "\n" for row in self.rows))
        fresh.replace(self.path)
        return len(gone)

    def seconds(self):
        """{program: its last undisturbed time}, whatever has changed since."""
        return {row["program"]: row["seconds"] for row in self.rows
                if row.get("loaded") is False and row["status"] == "passed"}


class Script:
    """A script, and the results that stand for it."""

    def __init__(self, program, results):
        self.program, self.name, self.results = program, program.name, results
        self.key, self.text = key_of(program), digest_of_file(program.script).hex()[:16]
        self.skipped = False

    def rows(self, loaded):
        return [row for row in self.results.rows if row.get("program") == self.name
                and row["loaded"] is loaded and row["key"] == self.key]

    def calm(self):
        """The undisturbed run. A time that was measured stands as long as the script's own text."""
        timed = [row for row in self.results.rows if row.get("program") == self.name
                 and not row["loaded"] and row["text"] == self.text and row["status"] == "passed"]
        return (self.rows(False) or timed or [None])[-1]

    def failed(self):
        return [row for loaded in (False, True) for row in self.rows(loaded)
                if row["status"] == "failed"]

    def missing(self, runs):
        """How many runs under load are still to be made."""
        calm = self.calm()
        may_run = calm and calm["status"] == "passed" and not self.skipped
        return max(0, runs - len(self.rows(True))) if may_run else 0

    def keep(self, result, loaded, commit):
        self.skipped = result.status == "skipped"
        if self.skipped:
            return
        output = None
        if result.status == "failed":
            folder = self.results.path.parent / "failed"
            folder.mkdir(exist_ok=True)
            output = folder / f"{self.name}-{time.time_ns() // 1000}.log"
            output.write_text(result.output)
        self.results.add(program=self.name, key=self.key, text=self.text, commit=commit,
                         loaded=loaded, status=result.status, seconds=result.seconds,
                         reason=result.reason, output=output and str(output))


def parts_of(weights, count):
    """{name: part} of about the same weight, heavy ones first."""
    filled, part = [0.0] * count, {}
    for name in sorted(weights, key=lambda name: (-weights[name], name)):
        part[name] = filled.index(min(filled)) + 1
        filled[part[name] - 1] += weights[name]
    return part


def part(scripts, number, count, results):
    """One part. The cut is kept as long as the scripts are the same: times which get known between
    the calls for two parts must not move a script from the one to the other."""
    same = hashlib.sha256(repr([(one.name, one.key) for one in scripts]).encode()).hexdigest()[:16]
    cut = next((row["cut"] for row in results.rows
                if row.get("scripts") == same and row["parts"] == count), None)
    if cut is None:
        known = results.seconds()
        usual = statistics.median(known.values()) if known else 1.0
        cut = parts_of({one.name: known.get(one.name, usual) for one in scripts}, count)
        results.add(scripts=same, parts=count, cut=cut)
    return [one for one in scripts if cut[one.name] == number]
