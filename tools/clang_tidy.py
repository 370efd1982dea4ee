#!/usr/bin/env python3
"""Runs clang-tidy over src, each room as one text, so that a room's headers are read once.

Usage: clang_tidy.py BUILD CHECKS. The build was configured with MUSTER_UNITY; what CMake compiles
as one is what is checked as one. Complaints name the sources' own lines.
"""

import bisect
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Unit:
    """Sources that are checked as one, and where each of them begins in that text."""

    def __init__(self, folder, name, sources, flags):
        self.path = folder / f"{name}.cpp"
        self.name, self.flags, self.sources, self.starts = name, flags, sources, []
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

    def check(self, checks):
        begun = time.monotonic()
        run = subprocess.run(["clang-tidy", "--quiet", f"--config-file={ROOT}/.clang-tidy",
                              "--checks=" + checks, str(self.path), "--",
                              *self.flags, "-Wno-unknown-warning-option"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        told = re.sub(re.escape(str(self.path)) + r":(\d+)", self.place, run.stdout)
        return run.returncode, told, time.monotonic() - begun


def flags_of(command):
    """The compiler's options that say how the code reads: folders of headers, names, standard."""
    words = shlex.split(command)
    kept = [word for word in words if re.match(r"-(I|D|W(?!no-maybe)|std=)", word)]
    system = [words[i + 1] for i, word in enumerate(words) if word == "-isystem"]
    return kept + [word for path in system for word in ("-isystem", path)]


def units(build, folder):
    rooms = ROOT / "src"
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        parts = re.search(r"/src/CMakeFiles/(\w+)\.dir/Unity/unity_(\w+?)_cxx\.cxx$", str(file))
        if parts:
            included = re.findall(r'#include "(.*)"', file.read_text())
            name = parts[1] + "_" + parts[2]
            sources = [pathlib.Path(path) for path in included]
        elif rooms in file.parents and file.parent.name != "third_party":
            name, sources = f"{file.parent.name}_{file.stem}", [file]
        else:
            continue
        yield Unit(folder, name, sources, flags_of(entry["command"]))


def main():
    build, checks = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    folder = build / "clang-tidy"
    folder.mkdir(exist_ok=True)
    todo = sorted(units(build, folder), key=lambda unit: -unit.size)
    if sum(len(unit.sources) for unit in todo) < 100:
        sys.exit(f"clang_tidy.py: {build}/compile_commands.json knows too few sources of src")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(unit.check, checks): unit for unit in todo}
        for done in concurrent.futures.as_completed(running):
            code, told, seconds = done.result()
            failed += code != 0
            print(f"clang-tidy {running[done].name}: {seconds:.0f} s", flush=True)
            if code != 0:
                print(told, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
