"""Colours only where they are wanted, and notes only where somebody wants to read them."""

# rooms: cli front view

import os
import pty
import re
import subprocess

from support import MUSTER, WAIT_SECONDS, Case, run_tests, shown_at

COLOUR = re.compile(r"\x1b\[\d")
FAILS = ("run", "-n", "1", "false")
TOGETHER = ("sh", "-c", 'exec "$0" "$@" 2>&1', MUSTER)
JOB = """
type: command
command: echo told
experiment_name: lines
identity: {type: user_identity}
"""


class Voice(Case):
    def on_a_terminal(self, *words, **variables):
        """What a command says on a stderr that is a terminal."""
        ours, theirs = pty.openpty()
        env = self.environment(**{"TERM": "xterm", **variables})
        with subprocess.Popen([MUSTER, *words], cwd=self.folder, env=env, stderr=theirs,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            os.close(theirs)
            said = shown_at(ours)
            process.wait(WAIT_SECONDS)
        os.close(ours)
        return said

    def in_a_pipe(self, *words, **variables):
        return self.muster(*words, command=(MUSTER,), env=self.environment(**variables)).errors

    def test_its_own_words_never_continue_a_line_of_a_rank(self):
        script = "printf out; printf err >&2; [ -e again ] && exit 3; : > again; exit 4"
        words = ("run", "-n", "1", "--max-restarts", "1", "sh", "-c", script)
        together = self.muster(*words, command=TOGETHER)
        self.assertEqual(together.code, 3, together)
        self.assertGreaterEqual(together.text.count("muster: "), 2, together)
        os.unlink(self.path("again"))
        apart = self.muster(*words, command=(MUSTER,))
        self.assertEqual(apart.text, "outout", apart)
        for said in (together.text, apart.errors):
            self.assertEqual(re.findall(r"[^\n]muster: ", said), [], said)
        os.unlink(self.path("again"))
        self.assertNotRegex(self.on_a_terminal(*words, NO_COLOR="1"), r"[^\n]muster: ")

    def test_what_is_told_of_a_good_end_does_not_either(self):
        done = self.muster("run", "-n", "1", "--verbose", "printf", "whole", command=TOGETHER)
        self.assertNotRegex(done.text, r"[^\n]muster: ")

    def test_what_ends_well_gets_no_end_of_line(self):
        done = self.muster("run", "-n", "1", "printf", "whole", command=TOGETHER)
        self.assertEqual(done.text, "whole", done)

    def test_terminals_have_colours(self):
        self.assertRegex(self.on_a_terminal(*FAILS), COLOUR)
        self.assertRegex(self.on_a_terminal("ps", "--no-such-option"), COLOUR)

    def test_who_wants_none_has_none(self):
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"MUSTER_COLOR": "never"}):
            said = self.on_a_terminal(*FAILS, **variables)
            self.assertIn("exited with code 1", said)
            self.assertNotRegex(said, COLOUR, variables)
        for words in (("run", "--color", "never", *FAILS[1:]),
                      ("run", "--color=never", "--no-such-option"),
                      ("ps", "--colour", "never", "--no-such-option")):
            self.assertNotRegex(self.on_a_terminal(*words, CLICOLOR_FORCE="1"), COLOUR)
        said = self.on_a_terminal("mpirun", "-np", "1", "false", MUSTER_COLOR="never")
        self.assertNotRegex(said, COLOUR)

    def test_pipes_have_colours_for_those_who_want_them(self):
        self.assertNotRegex(self.in_a_pipe(*FAILS), COLOUR)
        for variables in ({"CLICOLOR_FORCE": "1"}, {"MUSTER_COLOR": "always", "NO_COLOR": "1"}):
            self.assertRegex(self.in_a_pipe(*FAILS, **variables), COLOUR)
        self.assertRegex(self.in_a_pipe("run", "--color", "always", *FAILS[1:]), COLOUR)
        self.muster(*FAILS, command=(MUSTER,))
        table = self.muster("ps", "--color", "always", command=(MUSTER,))
        self.assertRegex(table.text, COLOUR)

    def test_words_of_a_program_are_its_own(self):
        done = self.muster("run", "-n", "1", "echo", "-q", "--color", "never", command=(MUSTER,))
        self.assertEqual((done.code, done.text), (0, "-q --color never\n"))

    def test_quiet_leaves_errors_and_output(self):
        self.write("job.yml", JOB)
        told = self.muster("submit", "job.yml", command=(MUSTER,))
        self.assertEqual((told.code, told.text), (0, "told\n"))
        self.assertIn("no effect", told.errors)
        for words, variables in ((("submit", "-q", "job.yml"), {}),
                                 (("submit", "job.yml", "--quiet"), {}),
                                 (("submit", "job.yml"), {"MUSTER_QUIET": "yes"})):
            done = self.muster(*words, command=(MUSTER,), env=self.environment(**variables))
            self.assertEqual((done.code, done.text, done.errors), (0, "told\n", ""))
        self.assertIn("exited with code 1", self.in_a_pipe("run", "-q", *FAILS[1:]))
        self.assertIn("exited with code 1", self.in_a_pipe(*FAILS, MUSTER_QUIET="yes"))

    def test_quiet_pipelines_leave_errors_and_output(self):
        pipeline = "type: pipeline\njobs:\n  one: {command: %s}\n"
        self.write("p.yml", pipeline % "echo told")
        done = self.muster("submit", "-q", "p.yml", command=(MUSTER,))
        self.assertEqual((done.code, done.text, done.errors), (0, "one: told\n", ""))
        self.write("p.yml", pipeline % "exit 3")
        told = self.in_a_pipe("submit", "-q", "p.yml")
        self.assertIn("muster: the pipeline failed: step one failed with exit code 3", told)
        self.assertNotRegex(told, "one starts|one failed with exit code 3 after")

    def test_the_version_after_any_command(self):
        version = self.succeeds("version", command=(MUSTER,)).text
        for command in ("run", "ps", "submit", "lead", "gc", "validate", "schema"):
            self.assertEqual(self.succeeds(command, "--version", command=(MUSTER,)).text, version)


run_tests()
