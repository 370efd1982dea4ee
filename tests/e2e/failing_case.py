"""What tests of failing frameworks share: programs that fail on purpose, and who is named."""

import os
import re
import signal

from framework_case import SECONDS, FrameworkCase
from support import LOST, MUSTER, descendants, name_of

# What ranks say whose peer has gone: never the cause.
FOLLOWS = (r"[Cc]onnection (was )?(closed|reset)|Socket closed|Broken pipe|another task died|"
           r"remote process exited|Communication error")
HOSTS, FAKE = "hosts", "fake"  # made by ssh, or simulated
IN_VAIN = "hint: perhaps it has waited in vain for another rank"


def report_of(done):
    """The report's lines, which follow the ranks' own words."""
    found = re.search(r"(?ms)^muster: (error: |rank ).*", done.complaints)
    return found[0].splitlines() if found else []


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


class FailingCase(FrameworkCase):
    """One rank on each of two hosts; one fails. `places` tells for each failure on which hosts."""

    name = None  # of the program
    words = ("run",)  # of muster
    own = ()  # of the program
    by_signal = 128 + signal.SIGKILL  # exit code where a rank was killed
    without_port = (1,)
    by_loss = LOST  # and where a host was lost
    places = {}

    def command(self, where, *fails, words=None):
        place = ("-H", "node1:1,node2:1") if where == HOSTS else ("--fake-nodes", "2")
        first, *rest = words or self.words
        interpreter = () if first == "torchrun" else ("python",)
        return first, *place, *rest, *interpreter, self.program(self.name), *self.own, *fails

    def fails(self, what, rank, *more, words=None):
        """How a job went in which this rank failed so, where the class wants that."""
        where = self.places[what]
        run = self.hosts if where == HOSTS else self.here
        return run(*self.command(where, "--fail", f"{what}={rank}", *more, words=words))

    def host_of(self, what, rank):
        return f"node{rank + 1}" if self.places[what] == HOSTS else f"fake-{rank}"

    def assert_named(self, done, code, *patterns):
        """The first three lines of the report have all of these, and no other rank's words."""
        first = "\n".join(report_of(done)[:3])
        for pattern in patterns:
            self.assertRegex(first, pattern, done)
        self.assertNotRegex(first, FOLLOWS, done)
        self.assertEqual(done.code, code, done)

    def started(self, where, *words):
        """A job that goes on, once one rank stands still and the other one waits for it."""
        if where == HOSTS:
            job = self.start_in_lab(*words, command=[MUSTER])
        else:
            job = self.start(*words, command=(MUSTER,), env=self.environment_here())
        self.wait_for_files(["stalled"], SECONDS)
        return job


class Ways:
    """For each framework."""

    def test_one_rank_raises(self):
        done = self.fails("raise", 1)
        self.assert_named(done, 1, rf"^muster: rank 1 on {self.host_of('raise', 1)} exited with "
                          r"code 1 \(pid \d+\): BadBatch: batch 3 is empty\n",
                          r"    at \S*failing.py:\d+ in step: raise BadBatch")

    def test_the_first_rank_is_killed(self):
        done = self.fails("kill", 0)
        self.assert_named(done, self.by_signal, rf"^muster: rank 0 on {self.host_of('kill', 0)} "
                          r"was killed by signal 9 \(SIGKILL\)")

    def test_a_host_is_lost(self):
        where = self.places["lost"]
        job = self.started(where, *self.command(where, "--fail", "stall=1"))
        if where == HOSTS:
            self.lab.pull_cable("node2")
            self.addCleanup(self.assert_hosts_clean)
            self.addCleanup(self.lab.plug_cable, "node2")
        else:
            os.kill(self.agent_of(job, 1), signal.SIGKILL)
        done = job.finish(SECONDS)
        self.assert_named(done, self.by_loss, rf"^muster: error: {self.host_of('lost', 1)}: ")

    def agent_of(self, job, rank):
        """The agent of a simulated node, by a process below it."""
        mark = f"RANK={rank}".encode()
        return next(pid for pid in descendants(job.pid) if name_of(pid) == "muster" and any(
            mark in environment_of(below) for below in descendants(pid)))


class Meets:
    """For frameworks whose ranks meet at a port of the first one."""

    late = (1, IN_VAIN)  # how a job ends whose rank never comes

    def test_one_rank_never_comes(self):
        code, pattern = self.late
        done = self.fails("absent", 1, "--patience", "5")
        lines = report_of(done)
        self.assertRegex("\n".join(lines[:3]), pattern, done)
        self.assertRegex(lines[0], rf"^muster: rank 0 on {self.host_of('absent', 0)} ", done)
        self.assertEqual(done.code, code, done)

    def test_the_port_is_taken(self):
        done = self.fails("port", 0)
        self.assertIn(done.code, self.without_port, done)
        self.assert_named(done, done.code, rf"^muster: rank 0 on {self.host_of('port', 0)} ",
                          r"hint: (most likely the port is in use by )?another process on "
                          rf"{self.host_of('port', 0)}.*: see ss -ltnp there")
