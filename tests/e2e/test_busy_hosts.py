"""Silence is no fault of a host whose programs wait for a processor while its kernel answers.

Who carries a link is stopped here, which looks from the other end as if it got no processor.
"""

# rooms: machine probe host head link
# long

import contextlib
import os
import signal
import time
import unittest

from support import LOST, READY, UNTIL_GO, LabCase, lab_or_skip, name_of, run_tests, until

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
        with contextlib.suppress(ProcessLookupError):  # it has been ended
            os.kill(pid, signal.SIGCONT)

    def ssh_to(self, host):
        return next(pid for pid, words in self.lab.strangers("head").items()
                    if name_of(pid) == "ssh" and host in words.split())

    def until_told(self, job, host):
        stopped_at = time.monotonic()
        job.until_said(f"muster: {host}: {ANSWERS}\n".encode())
        until("the agent's lease, too, which began a little earlier or later",
              lambda: time.monotonic() > stopped_at + 3 * LEASE)

    def until_ended(self, host):
        until(f"no process of the job on {host}",
              lambda: not self.lab.strangers(host, self.mark.encode()))

    def loses_node1(self, job, seconds):
        """After so many seconds of silence."""
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertIn(f"muster: error: node1: nothing heard for {seconds} s\n", done.errors)
        self.until_ended("node1")
        return done

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
        done = self.loses_node1(job, LONGER)
        self.assertIn("hint: the host itself answers", done.errors)
        self.assert_hosts_clean()

    def test_a_head_that_is_stopped(self):
        """Ctrl-Z tells the hosts; this does not."""
        job = self.job("exec sleep $E2E_MARK")
        self.stop(job.pid)
        self.addCleanup(self.go_on, job.popen.pid)  # nsenter stops with what it has started
        self.until_ended("node1")
        self.until_ended("node2")
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
        self.assertNotIn("answers", self.loses_node1(job, LEASE).errors)


if __name__ == "__main__":
    run_tests()
