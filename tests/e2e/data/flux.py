#!/usr/bin/python3
"""Stands in for flux-core, which Debian does not have: tells two nodes, and starts commands there.

As flux-exec(1) does: a command is given by its broker's rank, its stdin and stdout are passed on in
whole lines, and of a line nothing behind a null byte (libsubprocess reads lines as C strings).
"""

import json
import os
import shlex
import subprocess
import sys
import threading

NODES = ["node1", "node2"]


def resources():
    lite = [{"rank": f"4-{3 + len(NODES)}", "children": {"core": "0-1", "gpu": "0"}}]
    print(json.dumps({"version": 1, "execution": {"R_lite": lite, "nodelist": ["node[1-2]"]}}))


def pass_lines(source, target):
    for line in source:
        target.write(line[:-1].split(b"\0")[0] + b"\n" if line.endswith(b"\n") else line)
        target.flush()
    target.close()


def execute(rank, command):
    ssh = shlex.split(os.environ["LAB_SSH"])
    there = subprocess.Popen([*ssh, "-T", NODES[rank - 4], shlex.join(command)],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    feed = threading.Thread(target=pass_lines, args=(sys.stdin.buffer, there.stdin), daemon=True)
    feed.start()
    pass_lines(there.stdout, sys.stdout.buffer)
    return there.wait()


def main():
    with open(os.environ["FLUX_CALLS"], "a", encoding="utf-8") as calls:
        calls.write(shlex.join(sys.argv[1:4]) + "\n")
    if sys.argv[1:3] == ["resource", "R"]:
        return resources()
    assert sys.argv[1] == "exec" and sys.argv[3] == "--dir=/", sys.argv
    return execute(int(sys.argv[2].removeprefix("--rank=")), sys.argv[4:])


if __name__ == "__main__":
    sys.exit(main())
