"""A cluster that many scripts of one run of the tests share, in a process of its own.

    tests/lab/shared.py start kubernetes FOLDER          # returns when it can be used
    tests/lab/shared.py start kubernetes-nodes FOLDER    # one with two nodes that run pods
    tests/lab/shared.py stop kubernetes FOLDER

For CTest these are the setup and the cleanup of a fixture. FOLDER holds what the scripts need to
know; they are told of it by MUSTER_SHARED_LABS. The cluster ends with `stop`, or with the process
that called `start`, which is ctest, however that ends. Where `start` cannot make one it says why,
and the scripts, which find none, say so too.
"""

import argparse
import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import kubernetes  # noqa: E402
import lab as lab_module  # noqa: E402
from lab import Lab  # noqa: E402
from quiet import Quiet  # noqa: E402

FOLDER = "MUSTER_SHARED_LABS"
NODES = {"kubernetes": 0, "kubernetes-nodes": 2}


# ---- for scripts --------------------------------------------------------------------------------

def find(nodes):
    """The cluster with so many nodes that another process holds; None where nobody does.

    When it is discarded, the holder ends it, and the scripts to come make their own.
    """
    if not os.environ.get(FOLDER):
        return None
    files = Files(os.environ[FOLDER], next(name for name in NODES if NODES[name] == nodes))
    state = files.state()
    return join(state, files.stop) if files.is_held() and state else None


class JoinedLab(Lab):
    """A lab that another process holds: its end is not ours."""

    def __init__(self, state):
        super().__init__(len(state["inits"]) - 1)
        os.rmdir(self.folder)
        self.folder, self.net = state["folder"], state["net"]
        self.ssh_config = os.path.join(self.folder, "ssh_config")
        self.ssh_command = f"ssh -F {self.ssh_config}"
        self._inits, self._namespaces = state["inits"], state["namespaces"]
        self._switch = types.SimpleNamespace(pid=state["switch"])

    def __enter__(self):
        self.living.append(self)
        return self

    def close(self):
        if self in self.living:
            self.living.remove(self)

    def dead_hosts(self):
        return {name: "its first process is gone" for name, init in self._inits.items()
                if lab_module._link(init, "ns/pid") != self._namespaces[name]}


def state_of(cluster):
    """All that `join` needs, as JSON has it."""
    lab = cluster.lab
    return {"lab": {"folder": lab.folder, "net": lab.net, "inits": lab._inits,
                    "namespaces": lab._namespaces, "switch": lab._switch.pid},
            "quiet": cluster.quiet.usual}


def join(state, end):
    lab = JoinedLab(state["lab"])
    return kubernetes.JoinedCluster(lab, Quiet(lab, state["quiet"]), end)


# ---- the process that holds it ------------------------------------------------------------------

class Files:
    """What start, stop, the holder and the scripts have in common.

    The holder keeps its lock as long as it lives: who sees the lock may trust the number in it.
    """

    def __init__(self, folder, name):
        self._state = os.path.join(folder, f"{name}.json")
        self._lock = os.path.join(folder, f"{name}.holder")
        self.log = os.path.join(folder, f"{name}.log")

    def take(self):
        """For the holder: an open file; None when another one holds it."""
        file = open(self._lock, "a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        return file

    def is_held(self):
        holder = self.holder()
        return holder is not None and holder.close() is None

    def holder(self):
        """A pidfd of the living holder, as a file that can be closed; None without one."""
        try:
            with open(self._lock, encoding="utf-8") as file:
                descriptor = os.pidfd_open(int(file.read() or 0))
                try:  # the lock is kept even now, so the number was still the holder's
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    return os.fdopen(descriptor)
                os.close(descriptor)
        except (OSError, ValueError):
            pass
        return None

    def state(self):
        try:
            with open(self._state, encoding="utf-8") as file:
                return json.load(file)
        except OSError:
            return None

    def write_state(self, state):
        part = f"{self._state}.part"
        with open(part, "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.replace(part, self._state)

    def remove_state(self):
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._state)

    def stop(self):
        """Returns when the holder has taken everything away."""
        self.remove_state()
        holder = self.holder()
        if holder:
            with holder:
                signal.pidfd_send_signal(holder.fileno(), signal.SIGTERM)
                select.select([holder], [], [])


def start(name, folder):
    """Starts the holder, which outlives this process but not the one that called it."""
    os.makedirs(folder, exist_ok=True)
    files = Files(folder, name)
    caller = os.getppid()
    above = os.pidfd_open(caller)
    if os.getppid() != caller:
        sys.exit("who called this has gone")
    reason = kubernetes.why_not(NODES[name])
    if reason:
        print(f"SKIPPED: no {name} here: {reason}", file=sys.stderr)
        return
    files.stop()  # of a run before, which is about to end
    began = time.monotonic()
    with open(files.log, "wb") as log:
        holder = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "hold", name, folder, f"--above={above}"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[above],
            start_new_session=True)
    while files.state() is None:
        if holder.poll() is not None:
            with open(files.log, encoding="utf-8", errors="replace") as log:
                sys.exit(f"{name}: the process that was to hold it has ended:\n{log.read()}")
        time.sleep(0.05)
    print(f"{name} is ready after {time.monotonic() - began:.1f} s")


def hold(name, folder, above):
    files = Files(folder, name)
    lock = files.take()
    if lock is None:
        sys.exit("another process holds it")
    ends, told = os.pipe()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # while it is being made
    try:
        with kubernetes.Cluster(NODES[name]) as cluster:
            signal.signal(signal.SIGTERM, lambda *_: os.close(told))
            files.write_state(state_of(cluster))
            select.select([ends, above], [], [])
    finally:
        files.remove_state()


def main():
    parser = argparse.ArgumentParser(description="a cluster for many scripts of the tests")
    parser.add_argument("verb", choices=("start", "stop", "hold"))
    parser.add_argument("name", choices=NODES)
    parser.add_argument("folder")
    parser.add_argument("--above", type=int, help="for hold: a pidfd of whose end is ours, too")
    words = parser.parse_args()
    if words.verb == "hold":
        hold(words.name, words.folder, words.above)
    elif words.verb == "start":
        start(words.name, words.folder)
    else:
        Files(words.folder, words.name).stop()


if __name__ == "__main__":
    main()
