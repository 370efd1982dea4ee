"""What a rank's failure means for the others and for the exit code, under each launcher's rules.

Where the real launcher is installed its code is taken beside ours, but for the cases in which it is
known to hang or to hide failures.
"""

# rooms: machine view front process

import os
import shutil
import signal
import time
import unittest

from support import (MUSTER, PYTHON, UNTIL_GO, USAGE, WAIT_SECONDS, Case, LabCase, lab_or_skip,
                     run_tests, state_of, until)

REASON = lab_or_skip()

RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
# Rank 0 fails; the others say when they have outlived it.
LATER = f'case {RANK} in 0) %s;; *) {UNTIL_GO}; echo on;; esac'
EACH_ITS_CODE = f'exit $(( {RANK} + 1 ))'


class Rules(Case):
    def outlived(self, command, words, failure, ranks=3):
        """Rank 0 fails, and only when it is gone may the others end."""
        failure = f': > "$DIR/failed"; {failure}'
        job = self.start(*words, "-n", str(ranks), "sh", "-c", LATER % failure, command=command)
        self.wait_for_files(["failed"])
        self.write("go", "")
        return job.finish()

    def forget(self, *names):
        for name in names:
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))

    def code(self, command, *words, **more):
        return self.muster(*words, command=command, **more).code


class Own(Rules):
    command = (MUSTER, "run")

    def test_others_go_on(self):
        done = self.outlived(self.command, ["--on-failure", "continue"], "exit 3")
        self.assertEqual((done.code, done.lines), (3, ["on", "on"]), done)
        self.assertRegex(done.errors, r"muster: rank 0 on \S+ exited with code 3")

    def test_others_go_on_after_a_signal(self):
        done = self.outlived(self.command, ["--on-failure", "continue"], "kill -KILL $$")
        self.assertEqual((done.code, done.lines), (137, ["on", "on"]), done)

    def test_the_highest_code_counts(self):
        done = self.muster("--on-failure", "continue", "-n", "4", "sh", "-c", 'exit $((RANK * 2))')
        self.assertEqual(done.code, 6, done)
        self.assertRegex(done.errors, r"muster: then rank")

    def test_others_are_ended_by_default(self):
        done = self.muster("-n", "3", "sh", "-c", 'test $RANK = 0 && exit 3; exec sleep $E2E_MARK')
        self.assertEqual(done.code, 3, done)

    def test_what_is_no_rule(self):
        self.assert_refused(self.muster("--on-failure", "ignore", "true"), USAGE, "--on-failure")


class OpenMpi(Rules):
    command = (MUSTER, "mpirun", "--oversubscribe")
    go_on = ["-mca", "orte_abort_on_non_zero_status", "0"]

    def test_a_code_does_not_end_the_others(self):
        """Under the name of 4.1, which 5 has dropped, and under that of PRRTE."""
        for go_on in (self.go_on, ["-mca", "prte_abort_on_non_zero_status", "0"],
                      ["--prtemca", "prte_abort_on_non_zero_status", "0"]):
            with self.subTest(go_on):
                self.forget("failed", "go")
                done = self.outlived(self.command, go_on, "exit 3")
                self.assertEqual((done.code, done.lines), (3, ["on", "on"]), done)

    def test_a_signal_ends_them(self):
        done = self.muster(*self.go_on, "-n", "2", "sh", "-c",
                           f'test {RANK} = 0 && kill -KILL $$; exec sleep $E2E_MARK',
                           command=self.command)
        self.assertEqual(done.code, 137, done)

    def test_nothing_ends_them_where_recovery_is_on(self):
        done = self.outlived(self.command, ["--enable-recovery"], "kill -SEGV $$")
        self.assertEqual((done.code, done.lines), (139, ["on", "on"]), done)

    def test_codes_of_the_launcher(self):
        job = self.start("-n", "1", "sh", "-c", ': > "$DIR/ready"; exec sleep $E2E_MARK',
                         command=self.command)
        self.wait_for_files(["ready"])
        job.send(signal.SIGTERM)
        self.assertEqual(job.finish().code, 1)
        for words, code in ((("--timeout", "1", "sleep", self.mark), 110),
                            (("no-such-program",), 134)):
            self.assertEqual(self.code(self.command, "-n", "1", *words), code, words)

    @unittest.skipUnless(shutil.which("mpirun.openmpi"), "mpirun.openmpi is missing")
    def test_side_by_side(self):
        theirs = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe")
        for words in (("sh", "-c", "exit 3"), ("sh", "-c", "kill -SEGV $$"), ("true",),
                      ("--no-such-option",), ("no-such-program",)):
            words = ("-n", "2", *words)
            self.assertEqual(self.code(self.command, *words), self.code(theirs, *words), words)


class Hydra(Rules):
    command = (MUSTER, "mpiexec.hydra")

    def test_a_code_does_not_end_the_others(self):
        done = self.outlived(self.command, [], "exit 3")
        self.assertEqual((done.code, done.lines), (3, ["on", "on"]), done)

    def test_a_signal_ends_them_unless_told_otherwise(self):
        done = self.muster("-n", "2", "sh", "-c",
                           f'test {RANK} = 0 && kill -KILL $$; exec sleep $E2E_MARK',
                           command=self.command)
        self.assertEqual(done.code, 9, done)
        done = self.outlived(self.command, ["-disable-auto-cleanup"], "kill -KILL $$")
        self.assertEqual((done.code, done.lines), (9, ["on", "on"]), done)

    def test_codes_are_joined(self):
        self.assertEqual(self.code(self.command, "-n", "2", "sh", "-c", EACH_ITS_CODE), 3)

    def test_codes_of_the_launcher(self):
        self.assertEqual(self.code(self.command, "-n", "1", "no-such-program"), 255)
        late = self.environment(MPIEXEC_TIMEOUT="1")
        self.assertEqual(self.code(self.command, "sleep", self.mark, env=late), 255)

    @unittest.skipUnless(shutil.which("mpiexec.hydra"), "mpiexec.hydra is missing")
    def test_side_by_side(self):
        # With two ranks that a signal ends Hydra's own code is now 15, now 255.
        for words in (("-n", "2", "sh", "-c", EACH_ITS_CODE), ("-n", "2", "true"),
                      ("-n", "1", "sh", "-c", "kill -TERM $$"), ("-n", "2", "no-such-program")):
            self.assertEqual(self.code(self.command, *words), self.code_of_hydra(*words), words)

    def code_of_hydra(self, *words):
        """Now and then a SIGPIPE ends Hydra itself, on a loaded machine: that is no rule of its."""
        for _ in range(20):
            code = self.code(("mpiexec.hydra",), *words)
            if code != 128 + signal.SIGPIPE:
                break
        return code


# Dies at the time that a file tells it; all hosts of the lab share one clock. A process that sleeps
# until then wakes more exactly on a busy machine than one that has used up its share by looking.
DIES_AT = """import os, time
rank = int(os.environ["RANK"])
open(os.environ["DIR"] + f"/ready.{rank}", "w").close()
at = os.environ["DIR"] + f"/at.{rank}"
while not os.path.exists(at):
    time.sleep(0.001)
time.sleep(max(0, float(open(at).read()) - time.monotonic()))
os._exit(3 + rank)
"""


@unittest.skipIf(REASON, REASON)
class TheFirstOfTwo(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def ready(self):
        """Two ranks, on a host each, that wait for their times."""
        for left in ("at.0", "at.1", "ready.0", "ready.1"):
            if os.path.exists(self.path(left)):
                os.remove(self.path(left))
        self.write("dies.py", DIES_AT)
        job = self.start_in_lab("-H", "node1,node2", PYTHON, self.path("dies.py"))
        self.wait_for_files(["ready.0", "ready.1"])
        return job

    def die_at(self, *times):
        """Rank 0 at the first of these times, rank 1 at the second."""
        for rank, at in enumerate(times):
            self.write("new", str(at))
            os.rename(self.path("new"), self.path(f"at.{rank}"))

    def die_one_by_one(self, apart):
        """Rank 1 so many seconds after its host has seen the death of rank 0."""
        python = os.path.basename(PYTHON)
        first, = self.lab.children_named("node1", python)
        self.die_at(0)
        deadline = time.monotonic() + WAIT_SECONDS
        while state_of(first):  # whoever sees it notes the time, and only then removes it
            self.assertLess(time.monotonic(), deadline, "rank 0 has not ended")
            time.sleep(0.0005)
        self.write("new", str(time.monotonic() + apart))
        os.rename(self.path("new"), self.path("at.1"))
        until("the end of rank 1", lambda: not self.lab.children_named("node2", python))

    def test_a_host_that_is_heard_of_late(self):
        """Rank 0 fails before rank 1, but its link stands still until both have."""
        job = self.ready()
        links = {pid: words for pid, words in self.lab.strangers("head").items()
                 if words.startswith("ssh ") and " node1 " in words}
        self.assertEqual(len(links), 1, self.lab.strangers("head"))
        link = next(iter(links))
        os.kill(link, signal.SIGSTOP)
        self.die_one_by_one(0.5)  # more than any doubt about the clocks
        os.kill(link, signal.SIGCONT)
        done = job.finish()
        self.assertRegex(done.complaints, r"(?s)\Amuster: rank 0 on node1 exited with code 3"
                                      r".*muster: then rank 1 exited with code 4")
        self.assert_hosts_clean()

    def both_die(self):
        """What is told of two deaths at the same moment."""
        job = self.ready()
        soon = time.monotonic() + 0.2
        self.die_at(soon, soon)
        return job.finish()

    def test_deaths_that_no_clock_can_order(self):
        # A busy machine may let one of them wait until the other's death has ended it.
        for _ in range(20):
            done = self.both_die()
            if "at about the same time" in done.complaints:
                break
        self.assertRegex(done.complaints, r"muster: rank 1 on node2 exited with code 4")
        self.assertRegex(done.complaints, r"at about the same time \(within [\d.]+ ms, "
                                      r"by the hosts' clocks\): rank 0 on node1 exited with code 3")
        self.assertEqual(done.code, 4, done)

    def test_the_first_is_never_called_the_later(self):
        """8 ms apart, MUSTER_DEATHS times."""
        for _ in range(int(os.environ.get("MUSTER_DEATHS", "3"))):
            job = self.ready()
            self.die_one_by_one(0.008)
            done = job.finish()
            self.assertRegex(done.complaints, r"\Amuster: rank 0 on node1 exited with code 3|"
                             r"at about the same time.*: rank 0 on node1 exited with code 3")


if __name__ == "__main__":
    run_tests()
