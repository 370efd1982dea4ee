"""--max-restarts: a rank fails, all end, and all begin again over the same links."""

# rooms: machine host head

import glob
import os
import re
import unittest

from mpi_programs import MPICH, OPEN_MPI
from support import LOST, Case, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()

# In its first round the last rank fails, once all have begun; later ones end well.
FAILS_ONCE = ('n=$TORCHELASTIC_RESTART_COUNT; '
              'echo "$n/$TORCHELASTIC_MAX_RESTARTS $MUSTER_RESTART_COUNT/$MUSTER_MAX_RESTARTS '
              '$RANK $MASTER_PORT"; : > "$DIR/began.$n.$RANK"; test $n -gt 0 && exit 0; '
              'test $RANK = $((WORLD_SIZE - 1)) || exec sleep $E2E_MARK; '
              'until [ "$(ls "$DIR" | grep -c began.0)" = $WORLD_SIZE ]; do sleep 0.01; done; '
              'exit 7')


class Rounds:
    """What holds on one host and on many."""

    def check_second_round(self, done, ranks):
        self.assertEqual(done.code, 0, done)
        rows = [line.split() for line in done.text.splitlines()]
        counts = {(row[0], row[1]) for row in rows}
        self.assertEqual(counts, {("0/2", "0/2"), ("1/2", "1/2")}, done)
        self.assertEqual(sorted(int(row[2]) for row in rows), sorted(2 * list(range(ranks))))
        ports = {row[0]: row[3] for row in rows}
        self.assertEqual(len({(row[0], row[3]) for row in rows}), 2, "one port for each round")
        self.assertNotEqual(ports["0/2"], ports["1/2"])
        self.assertRegex(done.errors,
                         rf"(?m)^muster: rank {ranks - 1} .*exited with code 7.*; restart 1 of 2$")


class Restarts(Rounds, Case):
    def test_a_second_round(self):
        for where in ((), ("--fake-nodes", "2")):
            for name in glob.glob(self.path("began.*")):
                os.remove(name)
            done = self.muster(*where, "--max-restarts", "2", "-n", "4", "sh", "-c", FAILS_ONCE)
            self.check_second_round(done, 4)

    def test_it_begins_once_all_have_ended(self):
        """No time that muster may take is waited for; bench/restart_rows.py says how soon it is."""
        ends = ('test $MUSTER_RESTART_COUNT = 1 && exit 0; test $RANK = 1 && exit 1; '
                'exec sleep $E2E_MARK')
        self.succeeds("--max-restarts", "1", "--grace", "3600", "--lease", "3600",
                      "--start-timeout", "3600", "-n", "2", "sh", "-c", ends)

    def test_when_all_rounds_have_failed(self):
        done = self.muster("--max-restarts", "2", "-n", "2", "sh", "-c",
                           'exit $((3 + TORCHELASTIC_RESTART_COUNT))')
        self.assertEqual(done.code, 5, done)
        self.assertRegex(done.errors, "after 2 restarts; before, rank")
        self.assertEqual(len(re.findall(r"(?m); restart \d of 2$", done.errors)), 2, done)

    def test_what_a_failed_round_leaves_is_swept_first(self):
        stray = 'setsid sleep $E2E_MARK & echo $! > "$DIR/stray"; exit 1'
        second = ('test $MUSTER_RESTART_COUNT = 0 || '
                  '{ kill -0 $(cat "$DIR/stray") 2> /dev/null && exit 9; exit 0; }; ')
        self.succeeds("--max-restarts", "1", "sh", "-c", second + stray)

    def test_an_interrupt_is_no_failure(self):
        job = self.start("--max-restarts", "5", "sh", "-c",
                         ': > "$DIR/ready"; exec sleep $E2E_MARK')
        self.wait_for_files(["ready"])
        job.send(15)
        done = job.finish()
        self.assertEqual(done.code, 143, done)
        self.assertNotIn("; restart", done.errors)

    def test_logs_hold_all_rounds(self):
        self.muster("--max-restarts", "1", "--logs", "logs", "sh", "-c",
                    'echo round $MUSTER_RESTART_COUNT; exit 1')
        self.assertEqual(self.read("logs", "rank.0", "stdout"), b"round 0\nround 1\n")

    def test_mpi_worlds_form_again(self):
        for library in (MPICH, OPEN_MPI):
            if library.missing():
                continue
            fails = 'test $MUSTER_RESTART_COUNT = 0 && test $RANK = 1 && exit 3; exec "$0"'
            done = self.succeeds("--oversubscribe", "--max-restarts", "1", "-n", "3", "sh", "-c",
                                 fails, library.program("hello"))
            self.assertIn("hello ok with 3", done.text, done)


@unittest.skipIf(REASON, REASON)
class Hosts(Rounds, LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(3)

    def test_a_second_round(self):
        done = self.launch("-H", "node1:2,node2:2", "--max-restarts", "2", "sh", "-c", FAILS_ONCE)
        self.check_second_round(done, 4)

    def test_a_lost_host_cannot_be_started_on(self):
        job = self.start_in_lab("-H", "node1,node3", "--max-restarts", "2", "--lease", "3",
                                "--grace", "1", "sh", "-c",
                                ': > "$DIR/ready.$RANK"; exec sleep $E2E_MARK')
        self.wait_for_files(["ready.0", "ready.1"])
        self.lab.kill_host("node3")
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertIn("no restart: ranks cannot be restarted on a lost host",
                      done.errors)


if __name__ == "__main__":
    run_tests()
