#!/usr/bin/python3
"""Runs clang-tidy over rooms of src, each room as one text, so that its headers are read once.

Usage: clang_tidy.py [--analyzer] BUILD [ROOM...]; without a room, over all of them.
What CMake compiles together in several texts (MUSTER_UNITY_FILES) is checked as one, so names in
anonymous namespaces are seen to be unique in a room. Complaints name the sources' own lines. What
has passed before is not checked again until something that it reads has changed: see passed.py.
"""

import bisect
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

from passed import Passed, files_in

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-14"
USUAL = "-clang-analyzer-*"
ANALYZER = "-*,clang-analyzer-*,-clang-analyzer-optin.performance.Padding"
TOGETHER = re.compile(r"/src/together/((\w+)[\w.]*)\.\d+\.cpp$")  # see src/together.cmake


@functools.cache
def version_of(program):
    return subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


class Unit:
    """Sources that are checked as one, and where each of them begins in that text."""

    def __init__(self, folder, room, name, sources, flags):
        self.room, self.name = room, name
        self.path = folder / f"{self.name}.cpp"
        self.flags, self.sources, self.starts = flags, sources, []
        text = []
        for source in sources:
            self.starts.append(len(text) + 1)
            text += source.read_text().splitlines()
        self.size = len(text)
        self.path.write_text("\n".join(text) + "\n")

    def place(self, match):
        line = int(match[1])
        at = bisect.bisect_right(self.starts, line) - 1
        return f"{self.sources[at].relative_to(ROOT)}:{line - self.starts[at] + 1}"

    def check(self, checks, passed):
        begun = time.monotonic()
        words = [TIDY, "--quiet", f"--config-file={ROOT}/.clang-tidy", "--checks=" + checks,
                 str(self.path), "--", *self.flags, "-Wno-unknown-warning-option"]
        question = "\n".join([version_of(TIDY), *words, (ROOT / ".clang-tidy").read_text(),
                              self.path.read_text()])
        if passed.has(question):
            return 0, "", 0
        run = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode == 0:
            passed.keep(question, self.reads())
        told = re.sub(re.escape(str(self.path)) + r":(\d+)", self.place, run.stdout)
        return run.returncode, told, time.monotonic() - begun

    def reads(self):
        """All headers, by the compiler's account, whose own this machine's clang uses as well."""
        told = subprocess.run(["g++", "-M", *self.flags, str(self.path)], stdout=subprocess.PIPE,
                              text=True, check=True).stdout
        return [file for file in files_in(told) if file != str(self.path)]


def flags_of(command):
    """The compiler's options that say how the code reads: folders of headers, names, standard."""
    words = shlex.split(command)
    kept = [word for word in words if re.match(r"-(I|D|W(?!no-maybe)|std=)", word)]
    system = [words[i + 1] for i, word in enumerate(words) if word == "-isystem"]
    return kept + [word for path in system for word in ("-isystem", path)]


def units(build, folder, rooms):
    """The sources of these rooms: those that may be compiled together as one unit."""
    together = {}  # (room, name) -> (sources, flags)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        parts = TOGETHER.search(str(file))
        if parts:
            included = re.findall(r'#include "(.*)"', file.read_text())
            key = parts[2], parts[1]
            sources = [ROOT / "src" / path for path in included]
        elif ROOT / "src" in file.parents and file.parent.name != "third_party":
            room = file.relative_to(ROOT / "src").parts[0]
            key, sources = (room, f"{room}.{file.stem}"), [file]
        else:
            continue
        if not rooms or key[0] in rooms:
            together.setdefault(key, ([], flags_of(entry["command"])))[0].extend(sources)
    return [Unit(folder, room, name, *rest) for (room, name), rest in together.items()]


def main():
    analyzer = "--analyzer" in sys.argv
    build, *rooms = [word for word in sys.argv[1:] if word != "--analyzer"]
    build = pathlib.Path(build).resolve()
    folder = build / "clang-tidy"
    folder.mkdir(exist_ok=True)
    todo = sorted(units(build, folder, rooms), key=lambda unit: -unit.size)
    if len({unit.room for unit in todo}) < max(len(rooms), 1):
        sys.exit(f"clang_tidy.py: {build}/compile_commands.json lacks sources of {rooms or 'src'}")
    failed, passed = 0, Passed()
    checks = ANALYZER if analyzer else USUAL
    with concurrent.futures.ThreadPoolExecutor(1 if rooms else os.cpu_count()) as pool:
        running = {pool.submit(unit.check, checks, passed): unit for unit in todo}
        for done in concurrent.futures.as_completed(running):
            code, told, seconds = done.result()
            failed += code != 0
            print(f"clang-tidy {running[done].name}: {seconds:.0f} s", flush=True)
            if code != 0:
                print(told, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
