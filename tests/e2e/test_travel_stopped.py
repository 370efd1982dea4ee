"""Somebody ends muster while the outputs come home from hosts without a shared folder."""

# rooms: cli blobs head store
# long
# attacks

import glob
import os
import signal

from travel_case import TravelCase, ssh_until_after
from support import run_tests, until


class Stopped(TravelCase):
    JOB = "muster: 1\noutputs:\n  model:\ncommand: |\n  "
    LOST = "the outputs of node1 did not come home: interrupted by "

    def starts(self, do, env=""):
        self.put("job.yml", self.JOB + do, ["head"])
        return self.shell(f"exec env {env} muster submit job.yml -H node1:1")

    def waits(self, end=""):
        """A run whose host does not answer when it is asked for the outputs."""
        self.put("slow", ssh_until_after(1, "open('tried', 'w'); signal.pause()"),
                 ["head"], 0o755)
        job = self.starts("echo > ${{outputs.model}}/there" + end,
                          f"MUSTER_SSH_COMMAND={self.home}/slow")
        until("the question for outputs", lambda: os.path.exists(self.at("head", "tried")))
        return job

    def check(self, done, code, by, state="stopped"):
        self.assertEqual(done.code, code, done)
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"]), (state, code))
        told = f"{self.LOST}{by}; what was written there is in {run['folder']}\n"
        self.assertIn(told, done.errors)
        self.assertIn(told, self.types("muster report last").text)
        self.assertNotIn(".travel", os.listdir(self.lab.path("head", run["folder"])))
        self.assertTrue(os.path.exists(
            self.lab.path("node1", run["folder"] + "/outputs/model/there")))
        self.assert_hosts_clean()

    def test_by_a_signal_before_the_host_is_reached(self):
        for number, name in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
            with self.subTest(name):
                job = self.waits()
                job.send(number)
                self.check(job.finish(), 128 + number, f"signal {number:d} ({name})")
                os.unlink(self.at("head", "tried"))

    def test_by_muster_stop(self):
        job = self.waits()
        self.types("muster stop last")
        self.check(job.finish(), 130, "signal 2 (SIGINT)")

    def test_while_bytes_come(self):
        # The connection is slow after a while: they cannot all be there before the signal.
        self.put("slow", '#!/bin/sh\nexec 2> /dev/null; ssh "$@" | { dd bs=64K count=50; '
                 'while sleep 0.05; do dd bs=64K count=1; done; }\n', ["head"], 0o755)
        job = self.starts("head -c 20000000 /dev/urandom > ${{outputs.model}}/there",
                          f"MUSTER_SSH_COMMAND={self.home}/slow")
        runs = self.lab.path("head", f"{self.home}/.local/state/muster/runs")

        def come():
            names = [name for name in os.listdir(runs) if name[0].isdigit()] \
                if os.path.isdir(runs) else []
            paths = [f"{runs}/{name}/.travel/outputs/rank.0/stdout" for name in names]
            return any(os.path.exists(path) and os.stat(path).st_size > 0 for path in paths)
        until("outputs on their way", come)
        job.send(signal.SIGTERM)
        self.check(job.finish(), 143, "signal 15 (SIGTERM)")

    def test_while_the_host_reads_what_it_is_to_send(self):
        job = self.starts("truncate -s 4T ${{outputs.model}}/there")
        place = f"{self.home}/.local/state/muster/runs/"

        def is_read():
            for link in glob.glob("/proc/[0-9]*/fd/*"):
                try:
                    file = os.readlink(link)
                except OSError:
                    continue
                if place in file and file.endswith("/outputs/model/there"):
                    return True
            return False
        until("the outputs are read", is_read)
        job.send(signal.SIGTERM)
        self.check(job.finish(), 143, "signal 15 (SIGTERM)")

    def test_a_rank_that_failed_before_decides(self):
        job = self.waits("; exit 3")
        job.send(signal.SIGINT)
        self.check(job.finish(), 3, "signal 2 (SIGINT)", "failed")


if __name__ == "__main__":
    run_tests()
