"""A run that is followed: its end, its last lines, what a person types next, its stdin."""

# rooms: cli view head
# attacks

import json
import os
import pty
import re
import shlex
import subprocess
import time

from support import (MUSTER, PYTHON, READY, UNTIL_GO, USAGE, WAIT_SECONDS, Case, run_tests,
                     shown_at, until)

HEAR = "read line; echo got $line"


# What a shell does with its jobs: starts one in a group of its own, perhaps as the foreground one,
# and learns that it has ended, or was stopped.
SHELL = """
import os, signal, subprocess, sys
os.read(0, 1)  # what is typed is there
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
where, *words = sys.argv[1:]
job = subprocess.Popen(words, preexec_fn=os.setpgrp)
while where and not os.path.exists(where):
    pass
if where:
    os.tcsetpgrp(0, job.pid)
_, status = os.waitpid(job.pid, os.WUNTRACED)
if os.WIFSTOPPED(status):
    os.kill(job.pid, signal.SIGKILL)
    sys.exit(f"stopped by signal {os.WSTOPSIG(status)}")
sys.exit(os.WEXITSTATUS(status))
"""


class Kept(Case):
    def told(self, *words):
        return self.muster(*words, command=(MUSTER,))

    def kept(self, script):
        return self.muster("--logs", "logs", "-n", "1", "sh", "-c", script,
                           env=self.environment(MUSTER_RECORD="yes"))

    def runs(self):
        return [line.split()[0] for line in self.told("ps").text.splitlines()[1:]]


class Following(Kept):
    def detached(self, script, *words):
        return self.told("run", "-d", "-n", "1", *words, "sh", "-c", script).text.strip()

    def test_it_ends_as_the_run_does(self):
        waiting = READY.replace("$RANK", "0") + UNTIL_GO
        run = self.detached(waiting + "; echo last words >&2; exit 7")
        follower = self.start("-f", run, command=(MUSTER, "logs"))
        self.write("go", "")
        done = follower.finish()
        self.assertEqual(done.code, 7, done)
        self.assertIn("last words\nmuster: rank 0 on ", done.errors)
        self.assertIn("exited with code 7", done.errors)
        self.assertEqual(self.told("logs", "-f", run).code, 7)
        self.assertEqual(self.told("logs", run).code, 0)

    def test_a_traceback_that_was_shown_is_not_told_again(self):
        self.write("fails.py", "def inner():\n    raise ValueError('bad')\ninner()\n")
        kept = self.environment(MUSTER_RECORD="yes")
        foreground = self.muster("-n", "1", "--logs", "logs", "python3", "fails.py", env=kept)
        done = self.told("logs", "-f", "last")
        self.assertEqual(done.code, 1, done)
        self.assertEqual(done.errors, foreground.errors)
        self.assertNotIn("    at ", done.errors)
        self.assertIn("    at ", self.told("report", "last").text)
        self.assertIn("    at ", self.told("logs", "-f", "--tail", "0", "last").errors)

    def test_frames_of_several_ranks_are_told(self):
        self.write("fails.py", "raise ValueError('bad')\n")
        self.muster("-n", "2", "--logs", "logs", "python3", "fails.py",
                    env=self.environment(MUSTER_RECORD="yes"))
        self.assertIn("    at ", self.told("logs", "-f", "last").errors)

    def test_the_end_begins_a_line_of_its_own(self):
        run = self.detached("printf 'no end of line'; exit 3")
        done = self.muster("logs", "-f", run, command=("sh", "-c", 'exec "$0" "$@" 2>&1', MUSTER))
        self.assertRegex(done.text, r"^no end of line\nmuster: rank 0 on ")

    def submitted(self, name, text):
        self.write("job.yml", f"type: command\ndisplay_name: {name}\n"
                   f"experiment_name: lines\ncommand: echo {text}\n")
        return self.told("submit", "job.yml", "-d").text.strip()

    def test_a_run_is_found_by_its_display_name(self):
        self.submitted("My run 1/2", "first")
        for words in (("-f", "My run 1/2"), ("My run 1/2",), ("lines/My run 1/2",)):
            done = self.told("logs", *words)
            self.assertEqual((done.code, done.text, done.errors), (0, "first\n", ""), words)
        again = self.submitted("My run 1/2", "second")
        self.told("wait", again)
        for word in ("My run 1/2", "lines/My run 1/2"):
            self.assert_refused(self.told("logs", word), USAGE,
                                f"2 runs are called {word}, the last is {again}")
        self.assert_refused(self.told("logs", "none/step"), USAGE, "(?m)no run none$")
        self.submitted("last", "that is called so")
        newest = self.submitted("newest", "that is")
        self.told("wait", newest)
        self.assertEqual(self.told("logs", "last").text, "that is\n")

    def test_a_run_is_found_by_both_of_its_names(self):
        self.write("job.yml", "type: command\nname: nn\ndisplay_name: long job\n"
                   "experiment_name: lines/of\ncommand: echo it\n")
        run = self.told("submit", "job.yml", "-d").text.strip()
        self.assertEqual(self.told("wait", "long job").code, 0)
        names = ("nn", "long job", "lines/of/nn", "lines/of/long job")
        for word in names * 2:  # as its record tells it, and as the index does
            self.assertEqual(self.told("logs", word).text, "it\n", word)
            self.assertEqual(json.loads(self.told("stop", word, "--json").text)["run"], run)
        self.assertRegex(self.told("ps").text, r" lines/of/nn \(long job\)\n$")
        (known,) = json.loads(self.told("ps", "--json").text)
        self.assertEqual((known["name"], known["display_name"]), ("nn", "long job"))
        self.assertRegex(self.told("show", "nn").text, r"job +nn\ncalled +long job\n")
        for word in ("ong job", "long job)", "nn (long job)"):
            self.assert_refused(self.told("logs", word), USAGE, f"(?m)no run {re.escape(word)}$")
        self.assertEqual(self.told("rm", "long job").code, 0)
        self.assertEqual(json.loads(self.told("ps", "--json").text), [])

    def test_nothing_is_added_to_a_good_end(self):
        run = self.detached("echo fine")
        done = self.told("logs", "-f", run)
        self.assertEqual((done.code, done.text, done.errors), (0, "fine\n", ""))

    def test_only_the_last_lines(self):
        script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done"
        self.kept(script)
        done = self.told("logs", "--tail", "2", "last")
        self.assertEqual((done.text, done.errors), ("out 2\nout 3\n", "err 2\nerr 3\n"))
        self.assertEqual(self.told("logs", "--tail", "0", "last").text, "")
        self.assertEqual(self.told("logs", "--tail", "9", "last").text, "out 1\nout 2\nout 3\n")

    def test_the_last_lines_of_each_rank_and_all_that_follow(self):
        script = f"printf 'a\\nb\\n'; {UNTIL_GO}; printf 'c\\nd'"
        run = self.told("run", "-d", "-n", "2", "sh", "-c", script).text.strip()
        # A rank that is ready has written its lines; the record may not hold them yet.
        until("both ranks' lines in the record",
              lambda: self.told("logs", run).text.count("b\n") == 2)
        follower = self.start("-f", "--tail", "1", run, command=(MUSTER, "logs"))
        self.assertRegex(follower.line(), rb"\[[01]\] b\n")
        self.assertRegex(follower.line(), rb"\[[01]\] b\n")
        self.write("go", "")
        self.assertEqual(sorted(follower.finish().text.splitlines()),
                         ["[0] c", "[0] d", "[1] c", "[1] d"])

    def times_of(self, run):
        return os.path.join(self.folder, ".local/state/muster/runs", run, "times")

    def test_what_was_written_since_a_time(self):
        before = int(time.time() * 1000)
        run = self.detached("echo early; echo late; echo aside >&2; exit 3")
        self.told("wait", run)
        noted = re.fullmatch(r"(\d+) 1 0 stdout 0\n(\d+) 1 0 stderr 0\n|"
                             r"(\d+) 1 0 stderr 0\n(\d+) 1 0 stdout 0\n",
                             self.read(self.times_of(run)).decode())
        now = int(time.time() * 1000)
        self.assertTrue(noted)
        for moment in filter(None, noted.groups()):
            self.assertTrue(before <= int(moment) <= now, (before, moment, now))
        minute = 60_000
        with open(self.times_of(run), "w", encoding="utf-8") as times:
            times.write(f"{now - 90 * minute} 1 0 stdout 0\n{now - 90 * minute} 1 0 stderr 0\n"
                        f"{now - 20 * minute} 1 0 stdout 8\n")
        since = time.time() - 40 * 60
        zoned = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
        local = time.strftime("%Y-%m-%d %H:%M", time.localtime(since))
        for when, out, err in (
                ("10m", "", ""), ("40m", "late\n", ""), ("1h30m", "early\nlate\n", "aside\n"),
                (time.strftime("%H:%M", time.localtime(since)), "late\n", ""),
                (zoned, "late\n", ""), (local, "late\n", "")):
            done = self.told("logs", "--since", when, run)
            self.assertEqual((done.code, done.text, done.errors), (0, out, err), when)
        done = self.told("logs", "--since", "2h", "--tail", "1", run)
        self.assertEqual((done.text, done.errors), ("late\n", "aside\n"))
        done = self.told("logs", "-f", "--since", "40m", run)
        self.assertEqual((done.code, done.text), (3, "late\n"), done)
        os.remove(self.times_of(run))
        done = self.told("logs", "--since", "10m", run)
        self.assertEqual((done.text, done.errors), (
            "early\nlate\n", f"muster: {run} does not say when its output was written; all of it "
                             "is shown\naside\n"))

    def test_times_of_a_run_that_keeps_its_logs_elsewhere(self):
        self.kept("echo x")
        self.assertTrue(os.path.exists(self.times_of(self.runs()[0])))
        self.assertEqual(self.told("logs", "--since", "1h", "last").text, "x\n")

    def test_a_long_file_is_read_from_its_end(self):
        self.kept("seq 100000")
        self.assertEqual(self.told("logs", "--tail", "20000", "last").text.split(),
                         [str(number) for number in range(80001, 100001)])


class Removing(Kept):
    def test_it_says_what_is_gone(self):
        self.kept("true")
        self.kept("true")
        names = self.runs()
        self.assertEqual(self.told("rm", names[0]).text, f"removed 1 run: {names[0]}\n")

    def test_several_are_asked_about(self):
        for _ in range(2):
            self.kept("true")
        names = self.runs()
        for answer, left in ((b"n\n", 2), (b"y\n", 0)):
            ours, theirs = pty.openpty()
            command = self.start(*names, command=(MUSTER, "rm"), stdin=theirs)
            os.close(theirs)
            os.write(ours, answer)
            done = command.finish()
            os.close(ours)
            self.assertIn(f"remove 2 runs: {names[0]}, {names[1]}, with all", done.errors)
            self.assertEqual(len(self.runs()), left)


class Stdin(Case):
    def test_who_asks_for_input_learns_how_to_give_it(self):
        done = self.muster("-n", "1", "python3", "-c", "input()")
        self.assertIn("hint: the rank asked for input and its stdin had none: "
                      "`muster run --stdin 0`", done.errors)

    def test_who_gave_input_is_not_told_to_give_it(self):
        done = self.muster("--stdin", "0", "-n", "1", "python3", "-c", "input()")
        self.assertIn("EOFError", done.errors)
        self.assertNotIn("hint:", done.errors)

    def of_a_shell(self, where, *words, launcher=("run",)):
        """How a job of a shell ends, whose terminal has input; in the foreground once there is a
        file `where`."""
        shell, terminal = pty.fork()
        if shell == 0:
            os.chdir(self.folder)
            os.execve(PYTHON, [PYTHON, "-c", SHELL, where, MUSTER, *launcher, *words],
                      self.environment())
        self.addCleanup(os.close, terminal)
        os.write(terminal, b"xhello\n")
        said = shown_at(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1]), said

    def test_a_job_in_the_background_is_not_stopped(self):
        words = ("-n", "1", "--stdin", "0", "sh", "-c", "exit 3")
        code, said = self.of_a_shell("", *words)
        self.assertEqual(code, 3, said)

    def test_it_reads_once_it_is_in_the_foreground(self):
        words = ("-n", "1", "--stdin", "0", "sh", "-c", f"{READY}{HEAR} > heard")
        code, said = self.of_a_shell("ready.0", *words)
        self.assertEqual(code, 0, said)
        self.assertEqual(self.read("heard"), b"got hello\n")


class Inherited(Stdin):
    """Launchers whose ranks have the launcher's stdin itself, as with the originals."""

    LAUNCHERS = (("torchrun", "--no_python"), ("launch", "--use_env", "--no_python"),
                 ("deepspeed", "--no_python", "--no_local_rank", "--num_gpus", "1"),
                 ("horovodrun", "-np", "1"))

    def test_who_asks_for_input_learns_how_to_give_it(self):
        for launcher in self.LAUNCHERS:
            done = self.muster("python3", "-c", "print('got', input())",
                               command=(MUSTER, *launcher), stdin=b"hello\n")
            self.assertEqual((done.code, done.text.splitlines()[-1][-9:]), (0, "got hello"), done)

    def test_a_job_in_the_background_is_not_stopped(self):
        for launcher in self.LAUNCHERS:
            code, said = self.of_a_shell("", "sh", "-c", "exit 3", launcher=launcher)
            self.assertIn(code, (1, 3), said)

    def test_it_reads_once_it_is_in_the_foreground(self):
        for launcher in self.LAUNCHERS:
            words = ("sh", "-c", f"{READY}{HEAR} > heard")
            code, said = self.of_a_shell("ready.0", *words, launcher=launcher)
            self.assertEqual(code, 0, said)
            self.assertEqual(self.read("heard"), b"got hello\n")
            os.remove(self.path("ready.0"))
            os.remove(self.path("heard"))

    def test_a_shell_loop_keeps_its_input(self):
        for launcher in self.LAUNCHERS:
            words = shlex.join([MUSTER, *launcher, "true"])
            done = subprocess.run(["sh", "-c", f"while read line; do {words}; echo $line; done"],
                                  input=b"a\nb\nc\n", env=self.environment(),
                                  capture_output=True, timeout=WAIT_SECONDS, check=False)
            self.assertEqual(done.stdout, b"a\nb\nc\n", done.stderr)

    def test_a_debugger_at_a_terminal(self):
        self.write("train.py", "answer = 42\nbreakpoint()\nprint('done')\n")
        ours, theirs = pty.openpty()
        job = self.start("train.py", command=(MUSTER, "torchrun"), stdin=theirs)
        os.close(theirs)
        os.write(ours, b"p answer + 1\nc\n")
        done = job.finish()
        os.close(ours)
        self.assertEqual(done.code, 0, done)
        self.assertIn("(Pdb) 43", done.text)

    def test_each_rank_of_this_machine_has_it_and_no_other(self):
        show = 'echo "$RANK $(readlink /proc/self/fd/0)"'
        with open(self.write("in", "text\n"), "rb") as file:
            done = self.start("--nproc_per_node", "2", "--no_python", "sh", "-c", show,
                              command=(MUSTER, "torchrun"), stdin=file).finish()
            self.assertEqual(done.lines, [f"{rank} {file.name}" for rank in range(2)], done)
            done = self.start("--nproc_per_node", "1", "--fake-nodes", "2", "--no_python", "sh",
                              "-c", show, command=(MUSTER, "torchrun"), stdin=file).finish()
        self.assertEqual([line[-9:] for line in done.lines], ["/dev/null"] * 2, done)


if __name__ == "__main__":
    run_tests()
