"""What tests rest on: a failed one tells what it had started, and none draws another's ports."""

# rooms: lab

import os
import socket
import subprocess
import unittest

import own
from support import HERE, PYTHON, Case, lab_or_skip, run_tests

REASON = lab_or_skip()

# Cases for `run`: what they start is told, and nothing of it is left.
START = """
import glob, select, sys
sys.path.insert(0, sys.argv.pop(1))
from support import *
WAITS = "echo well on its way; exec sleep $E2E_MARK"

def under_way(job, home):
    '''It has said something, and its record names the rank.'''
    select.select([job.popen.stdout], [], [])
    events = home + "/.local/state/muster/runs/*/events.jsonl"
    until("a rank in the record", lambda: any("rank_started" in open(one).read()
                                              for one in glob.glob(events)))
"""
HERE_FAILS = START + """
class Fails(Case):
    def test_it(self):
        job = self.start("-n", "1", "--logs", "kept", "sh", "-c", WAITS)
        under_way(job, self.folder)
        self.start("sh", "-c", "echo ended; exit 7").finish()
        with self.subTest(part="first"):
            self.assertEqual("apples", "pears")
        self.fail("and the other one")
run_tests()
"""
HOSTS_FAIL = START + """
class Fails(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(1)

    def test_it(self):
        job = self.start_in_lab("-H", "node1", "sh", "-c", WAITS)
        under_way(job, self.lab.path("head", lab_module.HOME))
        self.finish()  # which is not there: an error
run_tests()
"""
NONE_FAILS = START + """
class Ends(Case):
    def test_one_that_is_skipped(self):
        self.skipTest("for want of everything")

    @unittest.expectedFailure
    def test_one_that_has_a_child_that_ends_badly(self):
        self.muster("false")
        self.skipTest("too")
run_tests()
"""
STUCK = START + """
class Fails(Case):
    def test_it(self):
        job = self.start("sh", "-c", WAITS)
        under_way(job, self.folder)
        job.finish(0.1)
run_tests()
"""
UNREAD = START + """
class Fails(Case):
    def test_it(self):
        job = self.start("infinity", command=["sleep"], stdin=subprocess.PIPE)
        os.write(job.popen.stdin.fileno(), b"apple")
        self.fail("nobody reads it")
run_tests()
"""
ENDED = START + """
class Ends(Case):
    def test_1(self):
        self.addCleanup(lambda: print("cleaned up", flush=True))
        job = self.start("sh", "-c", WAITS)
        under_way(job, self.folder)
        os.kill(os.getpid(), signal.SIGTERM)
        job.finish()

    def test_2(self):
        print("goes on", flush=True)
run_tests()
"""


class Evidence(Case):
    def run_script(self, text):
        """The exit code and all that it says."""
        script = self.write("script.py", text)
        done = subprocess.run([PYTHON, script, HERE], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        return done.returncode, done.stdout

    def section(self, said, title):
        self.assertEqual(said.count(f"---- {title}\n"), 1, said)
        return said.split(f"---- {title}\n")[1].split("\n----")[0].split("\n====")[0]

    def test_programs_records_and_processes_of_the_first_failure(self):
        code, said = self.run_script(HERE_FAILS)
        self.assertEqual(code, 1, said)
        self.assertIn("==== evidence of __main__.Fails.test_it\nAssertionError: 'apples'", said)
        told = self.section(said, "programs that the test started")
        self.assertRegex(told, r"pid \d+, runs: .* run -n 1 --logs kept sh -c echo well on")
        self.assertRegex(told, r"stdout so far, 16 bytes:\n    well on its way")
        self.assertRegex(told, r"pid \d+, ended with 7: .*echo ended; exit 7\n.*\n    ended")
        files = self.section(said, "the test's folder")
        self.assertRegex(files, r"(?m)^kept/rank.0/stdout  \d+ bytes$")
        events = self.section(said, "records of runs")
        self.assertRegex(events, r'events.jsonl, \d+ bytes:\n    \{"time":.*"event":"created"')
        # A shell until it has become the sleep.
        self.assertRegex(self.section(said, "processes"),
                         r" {6}\d+ - \((sleep|sh)\) \w in \S+ after [\d.]+ s of computing: ")
        self.assertIn("AssertionError: and the other one", said)

    @unittest.skipIf(REASON, REASON)
    def test_what_hosts_log_and_hold(self):
        code, said = self.run_script(HOSTS_FAIL)
        self.assertEqual(code, 1, said)
        self.assertIn("AttributeError: 'Fails' object has no attribute 'finish'", said)
        self.assertRegex(self.section(said, "what hosts were told to run"),
                         r"  head: \S+ run --ssh-command ssh -F \S+ .*-H node1 sh -c echo")
        self.assertRegex(self.section(said, "logs of hosts"),
                         r"node1.log, \d+ bytes:\n(.*\n)+    Accepted publickey for root")
        self.assertRegex(self.section(said, "processes"), r"\d+ node1 \(muster\) \w in .* agent")
        self.assertRegex(self.section(said, "records of runs"),
                         r'"event":"rank_started","rank":0,"pid":\d+,"host":"node1"')

    def test_a_program_that_does_not_end_has_its_output_told(self):
        code, said = self.run_script(STUCK)
        self.assertEqual(code, 1, said)
        self.assertIn("TimeoutExpired: ", said)
        self.assertIn("    well on its way", self.section(said, "programs that the test started"))

    def test_bytes_that_nobody_reads_are_counted(self):
        code, said = self.run_script(UNREAD)
        self.assertEqual(code, 1, said)
        self.assertRegex(self.section(said, "processes"),
                         r"computing; pipe 0 has 5 bytes unread: sleep")

    def test_a_script_that_is_ended_cleans_up_and_goes_no_further(self):
        code, said = self.run_script(ENDED)
        self.assertEqual(code, 1, said)
        self.assertEqual((said.count("cleaned up"), said.count("goes on")), (1, 0), said)
        self.assertIn("Ended: SIGTERM", said)
        self.assertNotIn("left behind", said)

    def test_nothing_is_told_of_tests_that_are_skipped(self):
        code, said = self.run_script(NONE_FAILS)
        self.assertEqual(code, 77, said)
        self.assertNotIn("evidence", said)


class Draws(Case):
    def test_what_one_script_has_drawn_no_other_gets(self):
        draw = ("import sys; sys.path.insert(0, sys.argv[1]); import own\n"
                "print(*(own.port() for _ in range(400)), own.users(), flush=True)\n"
                "sys.stdin.read()\n")
        scripts = [self.start("-c", draw, HERE, command=(PYTHON,), stdin=subprocess.PIPE)
                   for _ in range(4)]
        drawn = [word for one in scripts for word in one.line().decode().split()]
        self.assertEqual((len(drawn), len(set(drawn))), (1604, 1604))
        for one in scripts:
            self.assertEqual(one.finish(stdin=b"").code, 0)

    def test_a_port_that_somebody_listens_on_is_not_drawn(self):
        with socket.create_server(("127.0.0.1", own.port())) as server:
            self.assertFalse(own.is_free(server.getsockname()[1]))


if __name__ == "__main__":
    run_tests()
