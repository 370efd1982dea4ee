#!/usr/bin/python3
"""Compiles each header of a room alone: it includes all that it needs.

Usage: headers.py BUILD ROOM. The folders of generated and foreign headers are those with which
BUILD compiles the room; what it has precompiled does not count. What has compiled before is not
compiled again until something that it includes has changed: see passed.py.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from passed import Passed, files_in

ROOT = pathlib.Path(__file__).resolve().parent.parent


def command_of(build, room):
    """The compiler, and its options that say how the room's code reads."""
    target = "muster" if room == "main" else room
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if f" src/CMakeFiles/{target}.dir/" in entry["command"]:
            words = shlex.split(entry["command"])
            kept = [word for word in words if re.match(r"-(I|D|std=)", word)]
            system = [words[i + 1] for i, word in enumerate(words) if word == "-isystem"]
            compiler = next(word for word in words if re.search(r"(\+\+|/c\+\+)(-\d+)?$", word))
            return [compiler, *kept, *[word for path in system for word in ("-isystem", path)]]
    sys.exit(f"headers.py: {build}/compile_commands.json knows no source of {room}")


def compiles(command, source, question, passed):
    with tempfile.NamedTemporaryFile("r", prefix="muster-headers-") as read:
        words = [*command, "-fsyntax-only", "-MD", "-MF", read.name, "-x", "c++", "-"]
        done = subprocess.run(words, input=source, text=True, cwd=ROOT, check=False)
        if done.returncode == 0:
            passed.keep(question, files_in(read.read()))
    return done.returncode == 0


def main():
    build, room = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    command = command_of(build, room)
    version = subprocess.run([command[0], "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    headers = sorted((ROOT / "src" / room).rglob("*.hpp"))
    passed = Passed()
    failed = 0
    for header in headers:
        source = f'#include "{header.relative_to(ROOT / "src")}"\n'
        question = "\n".join([version, *command, source])
        if not passed.has(question) and not compiles(command, source, question, passed):
            failed += 1
    print(f"{room}: {len(headers)} headers, {failed} of which do not compile alone")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
