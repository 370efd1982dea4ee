"""Silence is no fault of a host whose programs wait for a processor while its kernel answers.

Who carries a link is stopped here, which looks from the other end as if it got no processor.
"""

# rooms: machine probe host head link
# long

import os
import signal
import time
import unittest

from support import (LOST, READY, UNTIL_GO, LabCase, lab_or_skip, name_of, parent_of, run_tests,
                     until)

REASON = lab_or_skip()

LEASE = 3  # seconds; a quarter of it must do for ssh and sshd on a busy machine
LONGER = 8 * LEASE
ANSWERS = f"nothing heard for {LEASE} s; the host itself answers, so muster waits up to {LONGER} s"


@unittest.skipIf(REASON, REASON)
class Silence(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def job(self, command):
        job = self.start_in_lab("-H", "node1,node2", "--lease", str(LEASE), "--grace", "1",
                                "sh", "-c", READY + command)
        self.wait_for_files(["ready.0", "ready.1"])
        return job

    def stop(self, pid):
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(self.go_on, pid)

    def go_on(self, pid):
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass  # it has been ended

    def ssh_to(self, host):
        return next(pid for pid, words in self.lab.strangers("head").items()
                    if name_of(pid) == "ssh" and host in words.split())

    def sshd_on(self, host):
        """That of the session, above the agent."""
        session = parent_of(self.lab.children_named(host, "muster")[0])
        while name_of(session) != "sshd":
            session = parent_of(session)
        return session

    def until_told(self, job, host):
        told, stopped_at = "", time.monotonic()

        def is_told():
            nonlocal told
            told += job.so_far()[1].decode()
            return f"muster: {host}: {ANSWERS}\n" in told
        until(lambda: f"the head's line about {host}, after {told!r}", is_told)
        until("the agent's lease, too, which began a little earlier or later",
              lambda: time.monotonic() > stopped_at + 3 * LEASE)

    def survives(self, job, stopped):
        self.stop(stopped)
        self.until_told(job, "node1")
        self.assertEqual(len(self.lab.children_named("node1", "muster")), 1, "its agent gave up")
        self.go_on(stopped)
        self.write("go", "")
        done = job.finish()
        self.assertEqual((done.code, done.out), (0, b"on\n" * 2), done)
        self.assert_hosts_clean()

    def test_an_ssh_that_waits(self):
        job = self.job(UNTIL_GO + "; echo on")
        self.survives(job, self.ssh_to("node1"))

    def test_an_sshd_that_waits(self):
        job = self.job(UNTIL_GO + "; echo on")
        self.survives(job, self.sshd_on("node1"))

    def test_one_that_waits_for_ever_is_lost(self):
        job = self.job("exec sleep $E2E_MARK")
        self.stop(self.sshd_on("node1"))
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertIn(f"muster: error: node1: nothing heard for {LONGER} s\n", done.errors)
        self.assertIn("hint: the host itself answers", done.errors)
        until("no process of the job on node1",
              lambda: not self.lab.strangers("node1", self.mark.encode()))
        self.assert_hosts_clean()

    def test_a_head_that_is_stopped(self):
        """Ctrl-Z tells the hosts; this does not."""
        job = self.job("exec sleep $E2E_MARK")
        self.stop(job.pid)
        self.addCleanup(self.go_on, job.popen.pid)  # nsenter stops with what it has started
        until("no process of the job on its hosts",
              lambda: not any(self.lab.strangers(host, self.mark.encode())
                              for host in ("node1", "node2")))
        self.go_on(job.pid)
        self.go_on(job.popen.pid)
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertIn(f"nothing heard from the head for {LONGER} s (--lease)", done.errors)

    def test_a_cable_that_is_pulled(self):
        """Then no kernel answers, and nobody waits for longer than a lease."""
        job = self.job("exec sleep $E2E_MARK")
        self.lab.pull_cable("node1")
        self.addCleanup(self.lab.plug_cable, "node1")
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertIn(f"muster: error: node1: nothing heard for {LEASE} s\n", done.errors)
        self.assertNotIn("answers", done.errors)
        until("no process of the job on node1",
              lambda: not self.lab.strangers("node1", self.mark.encode()))


if __name__ == "__main__":
    run_tests()
