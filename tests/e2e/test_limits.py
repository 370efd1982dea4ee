"""Ends that are no accident: time limits and their notice, closed terminals; whose code it is."""

# rooms: machine host cli
# attacks

import json
import os
import pty
import re
import resource
import signal
import time
import unittest

from support import (CANNOT_START, LOST, MUSTER, PYTHON, READY, TIMEOUT, UNREACHABLE, UNTIL_GO,
                     USAGE, Case, LabCase, is_sanitized, lab_or_skip, run_tests, shown_at,
                     survivors, until)

INTERNAL = 247

# Writes down when each of two signals comes, and ends with the first of them.
LISTENS = """
import os, signal, time
both = {signal.SIGUSR1, signal.SIGUSR2}
signal.pthread_sigmask(signal.SIG_BLOCK, both)
open(f"{os.environ['DIR']}/ready.{os.environ['RANK']}", "w").close()
print("deadline", os.environ["MUSTER_DEADLINE"], flush=True)
number = 0
while number != signal.SIGUSR1:
    number = signal.sigwait(both)
    now = time.time()
    with open(f"{os.environ['DIR']}/{number:d}.{os.environ['RANK']}", "w") as file:
        file.write(repr(now))
"""


class RecordCase(Case):
    def environment(self, **more):
        return super().environment(MUSTER_RECORDS=self.path("records"), **more)

    def last(self):
        done = self.muster("last", "--json", command=(MUSTER, "show"))
        self.assertEqual(done.code, 0, done)
        return json.loads(done.text)


class Codes(RecordCase):
    def test_how_many_ranks_a_signal_has_ended_is_told(self):
        for ranks, words in ((1, "the only rank was"), (2, "both ranks were"),
                             (3, "all 3 ranks were")):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(ranks=ranks, number=number):
                    job = self.start("-n", str(ranks), "sh", "-c", READY + "exec sleep $E2E_MARK")
                    ready = [f"ready.{rank}" for rank in range(ranks)]
                    self.wait_for_files(ready)
                    for name in ready:
                        os.remove(self.path(name))
                    job.send(number)
                    done = job.finish()
                    cause = (f"interrupted by signal {number:d} ({number.name}): {words} ended")
                    self.assertEqual(done.code, 128 + number, done)
                    self.assertIn(f"muster: {cause}; exit code {128 + number}\n", done.errors)
                    self.assertEqual(self.last()["cause"], cause)
            done = self.muster("-n", str(ranks), "--timeout", "0.2", "sleep", self.mark)
            self.assertIn(f"muster: {words} ended with SIGTERM\n", done.errors)

    def test_a_rank_s_own_code_is_not_taken_for_muster_s(self):
        done = self.muster("-n", "2", "sh", "-c", "exit 243")
        self.assertEqual(done.code, UNREACHABLE, done)
        self.assertTrue(done.errors.endswith("muster: exit code 243 (set by the rank, "
                                             "not by muster)\n"), done)
        told = self.last()
        self.assertEqual((told["exit_code"], told["exit_code_from"]), (243, "rank"))

    def test_others_are_told_as_what_they_are(self):
        self.assertEqual(self.muster("--timeout", "0.5", "sleep", self.mark).code, TIMEOUT)
        self.assertEqual(self.last()["exit_code_from"], "muster")
        job = self.start("-n", "1", "sh", "-c", READY + "exec sleep $E2E_MARK")
        self.wait_for_files(["ready.0"])
        job.send(signal.SIGTERM)
        self.assertEqual(job.finish().code, 143)
        self.assertEqual(self.last()["exit_code_from"], "signal")
        self.succeeds("true")
        self.assertIsNone(self.last()["exit_code_from"])


class Limits(RecordCase):
    def test_ranks_know_the_time_of_the_end(self):
        before = time.time()
        done = self.succeeds("-n", "2", "--timeout", "500", "sh", "-c", "echo $MUSTER_DEADLINE")
        told = {int(line) for line in done.lines}
        self.assertEqual(len(told), 1, done)
        self.assertTrue(int(before) + 500 <= min(told) <= time.time() + 500, done)
        self.assertEqual(self.succeeds("sh", "-c", "echo ${MUSTER_DEADLINE-none}").text, "none\n")

    def test_a_run_inside_another_ends_with_it(self):
        inner = f"{MUSTER} run sh -c 'echo $MUSTER_DEADLINE'"
        sooner = inner.replace("run", "run --timeout 50")
        later = inner.replace("run", "run --timeout 5000")
        done = self.succeeds("--timeout", "500", "sh", "-c",
                             f"echo $MUSTER_DEADLINE; {inner}; {later}; {sooner}")
        own, inherited, longer, shorter = map(int, done.text.split())
        self.assertEqual((own, own), (inherited, longer))
        self.assertTrue(own - 455 <= shorter <= own - 440, done)

    def test_a_program_that_dies_of_the_notice(self):
        done = self.muster("--timeout", "60", "--notice", "USR1@59.5", "sleep", self.mark)
        self.assertEqual(done.code, 128 + signal.SIGUSR1, done)
        self.assertIn("muster: time is up in 59.5 s: all ranks get signal 10 (SIGUSR1)\n",
                      done.errors)
        self.assertIn("\n  hint: that was the signal of the notice: the program must catch it\n",
                      done.errors)


class Memory(RecordCase):
    """The limits of the stack and of memory, `ulimit -s` and `ulimit -v`: where they are too low, a
    line says so, and nothing is killed by a signal that nobody can explain."""

    WORDS = (["run", "-n", "2", "true"], ["run", "--fake-nodes", "2", "-n", "2", "true"],
             ["submit", "job.yml"], ["--version"])

    def setUp(self):
        super().setUp()
        if is_sanitized():
            self.skipTest("a sanitizer needs more")

    def limited(self, which, kib, *words):
        def limit():
            resource.setrlimit(which, (kib << 10, kib << 10))
        return self.start(*words, command=(MUSTER,), preexec_fn=limit).finish()

    def test_a_small_stack(self):
        self.write("job.yml", "command: echo here\n")
        for kib in (64, 128, 192, 255):
            for words in self.WORDS:
                done = self.limited(resource.RLIMIT_STACK, kib, *words)
                self.assert_refused(done, CANNOT_START, f"limit of the stack, {kib} KiB, leaves "
                                    "muster no room\n  hint: `ulimit -s 8192`")
        for words in self.WORDS:
            self.assertEqual(self.limited(resource.RLIMIT_STACK, 256, *words).code, 0)

    def test_little_memory(self):
        """From the least with which the program can be loaded at all."""
        self.write("job.yml", "command: echo here\n")
        size = os.stat(MUSTER).st_size >> 10
        codes = set()
        for kib in range(size * 3 // 4, size + 2000, 100):
            for words in self.WORDS:
                done = self.limited(resource.RLIMIT_AS, kib, *words)
                is_loaded = codes or done.code == CANNOT_START
                if is_loaded:
                    self.assertGreaterEqual(done.code, 0, (kib, words, done))
                    self.assertIn(done.code, (0, CANNOT_START, LOST, INTERNAL), (kib, done))
                    codes.add(done.code)
        self.assertGreaterEqual(codes, {0, CANNOT_START})


class OpenFiles(RecordCase):
    """The limit of open files, `ulimit -Hn`."""

    def limited(self, most, *words, **more):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(50, most), most))
        return self.muster(*words, preexec_fn=limit, **more)

    def fitting(self, most, *words):
        """How many ranks fit, as it says when asked for too many; none has started."""
        done = self.limited(most, "-n", "500", *words, "touch", "started")
        self.assertEqual(done.code, INTERNAL, done)
        told = re.search(rf"error: \S+: (\d+) of 500 ranks here fit into the limit of {most} open "
                         r"files \(ulimit -n\)\n  hint: `ulimit -Hn` is", done.errors)
        self.assertTrue(told, done)
        self.assertFalse(os.path.exists(self.path("started")))
        return int(told[1])

    def test_as_many_ranks_as_fit_run_and_no_more(self):
        fit = self.fitting(300)
        self.assertGreaterEqual(fit, (300 - 50) // 3)
        done = self.limited(300, "-n", str(fit), "sh", "-c", "echo $RANK")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(sorted(map(int, done.lines)), list(range(fit)))
        done = self.limited(300, "-n", str(fit + 1), "touch", "started")
        self.assertEqual(done.code, INTERNAL, done)
        self.assertIn(f" {fit} of {fit + 1} ranks ", done.errors)
        self.assertFalse(os.path.exists(self.path("started")))

    def test_input_for_all_takes_one_more_each(self):
        fit = self.fitting(200, "--stdin", "all")
        self.assertLess(fit, 200 // 4)
        done = self.limited(200, "-n", str(fit), "--stdin", "all", "cat", stdin=b"a word\n")
        self.assertEqual((done.code, done.text), (0, "a word\n" * fit), done)

    def test_without_wireup_two_are_enough(self):
        fit = self.fitting(200, "--wireup", "none")
        self.assertGreaterEqual(fit, (200 - 50) // 2)
        self.assertEqual(self.limited(200, "--wireup", "none", "-n", str(fit), "true").code, 0)

    def test_every_host_looks_for_itself(self):
        done = self.limited(100, "--fake-nodes", "2", "-n", "80", "touch", "started")
        self.assertEqual(done.code, INTERNAL, done)
        self.assertRegex(done.errors, r"error: fake-[01](, fake-1)?: \d+ of 40 ranks here fit into")
        self.assertFalse(os.path.exists(self.path("started")))


class Terminals(RecordCase):
    """What becomes of a job whose terminal is closed."""

    RANK = READY + UNTIL_GO + "; : > $DIR/done"

    def typed(self, *words):
        """(pid, the other end) of a program in a terminal of its own."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(words[0], words, self.environment())
        return pid, terminal

    def close(self, terminal):
        os.close(terminal)

    def goes_on(self):
        self.assertTrue(survivors(self.mark))
        self.write("go", "")
        until("the end of the job", lambda: os.path.exists(self.path("done")))

    def test_the_job_ends(self):
        self.ends_with_its_terminal()

    def test_it_ends_where_that_is_said(self):
        self.ends_with_its_terminal("--closed-terminal", "end")

    def ends_with_its_terminal(self, *words):
        pid, terminal = self.typed(MUSTER, "run", *words, "sh", "-c", self.RANK)
        self.wait_for_files_of_others(["ready.0"])
        self.close(terminal)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 128 + signal.SIGHUP)
        until("all processes gone", lambda: not survivors(self.mark))
        told = self.last()
        self.assertEqual((told["state"], told["exit_code"]), ("stopped", 129))
        self.assertFalse(os.path.exists(self.path("done")))

    def test_not_under_nohup(self):
        pid, terminal = self.typed("/usr/bin/nohup", MUSTER, "run", "sh", "-c", self.RANK)
        self.wait_for_files_of_others(["ready.0"])
        self.close(terminal)
        self.goes_on()
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)

    def test_not_where_it_shall_continue(self):
        """Not even when its ranks print to a terminal that is gone."""
        pid, terminal = self.typed(MUSTER, "run", "--closed-terminal", "continue", "sh", "-c",
                                   self.RANK + "; echo said; echo more >&2; exit 3")
        self.wait_for_files_of_others(["ready.0"])
        self.close(terminal)
        self.goes_on()
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 3)
        self.assertEqual((self.last()["state"], self.last()["exit_code"]), ("failed", 3))
        done = self.muster("--closed-terminal", "stay", "true")
        self.assertEqual(done.code, USAGE)
        self.assertIn("--closed-terminal must be continue or end, not 'stay'", done.errors)

    def test_not_when_detached(self):
        pid, terminal = self.typed(MUSTER, "run", "--detach", "sh", "-c", "echo said; " + self.RANK)
        self.wait_for_files_of_others(["ready.0"])
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        name = shown_at(terminal).split()[-1]  # behind what a person is told
        self.close(terminal)
        self.goes_on()
        self.assertEqual(self.muster(name, command=(MUSTER, "wait")).code, 0)
        self.assertEqual(self.muster(name, command=(MUSTER, "logs")).text, "said\n")

    def wait_for_files_of_others(self, names):
        until(names, lambda: all(os.path.exists(self.path(name)) for name in names))


REASON = lab_or_skip()


@unittest.skipIf(REASON, REASON)
class OnHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(3)

    def told(self):
        """When each rank got the notice, when a signal that somebody sent to the head, and the time
        of the end that they were told."""
        for left in (f"ready.{rank}" for rank in range(6)):
            if os.path.exists(self.path(left)):
                os.unlink(self.path(left))
        self.write("rank.py", LISTENS)
        job = self.start_in_lab("-H", "node1:2,node2:2,node3:2", "--timeout", "65", "--notice",
                                "SIGUSR1@60", PYTHON, "rank.py")
        self.wait_for_files([f"ready.{rank}" for rank in range(6)])
        job.send(signal.SIGUSR2)
        done = job.finish()
        self.assertEqual(done.code, 0, done)
        ends = {int(line.split()[-1]) for line in done.lines}
        self.assertEqual(len(ends), 1, done)
        notice, sent = ([float(self.read(f"{number:d}.{rank}")) for rank in range(6)]
                        for number in (signal.SIGUSR1, signal.SIGUSR2))
        return notice, sent, ends.pop()

    def test_notice_reaches_all_ranks_at_the_same_moment(self):
        """As a signal does that goes the same way on the same machine, give or take 0.1 s."""
        for _ in range(3):  # other work on this machine can hold a rank up
            notice, sent, end = self.told()
            self.assertTrue(end - 61.5 < min(notice) and max(notice) < end, (notice, end))
            spread, usual = (max(times) - min(times) for times in (notice, sent))
            if spread < usual + 0.1:
                break
        self.assertLess(spread, usual + 0.1)

    def test_a_launcher_inside_a_job_hands_the_time_on(self):
        inner = f"{MUSTER} run --ssh-command '{self.lab.ssh_command}' -H node2,node3 " \
                "sh -c 'echo $MUSTER_DEADLINE'"
        done = self.launches("--timeout", "500", "sh", "-c", "echo $MUSTER_DEADLINE; " + inner)
        self.assertEqual(len(done.lines), 3, done)
        self.assertEqual(len(set(done.lines)), 1, done)


if __name__ == "__main__":
    run_tests()
