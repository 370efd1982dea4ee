"""Lists on a terminal: nothing wraps, nothing is cut in vain, and one keeps itself up to date."""

# rooms: cli view

import fcntl
import json
import os
import pty
import re
import signal
import struct
import termios

from support import MUSTER, USAGE, Case, run_tests, shown_at, until

LONG = "a command that is too long for any narrow terminal, and goes on and on".split()


class TerminalCase(Case):
    def setUp(self):
        super().setUp()
        self.env = self.environment(MUSTER_RECORD="yes", TERM="xterm")

    def on_a_terminal(self, columns, *words):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        command = self.start(*words, command=(MUSTER,), stdout=theirs, env=self.env)
        os.close(theirs)
        return ours, command

    def lines(self, columns, *words):
        ours, command = self.on_a_terminal(columns, *words)
        self.assertEqual(command.finish().code, 0)
        return shown_at(ours).splitlines()

    def told(self, *words):
        return self.muster(*words, command=(MUSTER,), env=self.env)


class Lists(TerminalCase):
    def setUp(self):
        super().setUp()
        self.muster("-n", "2", "true", *LONG, env=self.env)

    def lines(self, columns, *words):
        return super().lines(columns, *words, "--color", "never")

    def test_each_run_takes_one_line(self):
        name = self.told("ps").text.splitlines()[1].split()[0]
        for columns in (20, 40, 60, 80, 100):
            lines = self.lines(columns, "ps")
            self.assertEqual(len(lines), 2, lines)
            self.assertLessEqual(max(map(len, lines)), columns, lines)
            self.assertIn(name.rsplit("-", 1)[1], lines[1])
            self.assertIn("completed", lines[1])

    def test_nothing_is_cut_where_there_is_room(self):
        self.assertIn(" ".join(LONG), self.lines(200, "ps")[1])
        self.assertIn(" ".join(LONG), self.told("ps").text)

    def test_completion_offers_the_newest_twenty(self):
        for _ in range(21):
            self.muster("-n", "1", "true", env=self.env)
        runs = [one["run"] for one in json.loads(self.told("ps", "--all", "--json").text)]
        os.mkdir(self.path("bin"))
        os.symlink(MUSTER, self.path("bin/muster"))
        offers = ('source <(muster completion bash); COMP_WORDS=(muster show 2); COMP_CWORD=2; '
                  '_muster; printf "%s\\n" "${COMPREPLY[@]}"')
        env = {**self.env, "PATH": f"{self.path('bin')}:/usr/bin:/bin"}
        done = self.muster("--norc", "-c", offers, command=("bash",), env=env)
        self.assertEqual((len(runs), done.lines), (22, sorted(runs)[-20:]), done)

    def test_one_run_is_folded(self):
        lines = self.lines(50, "show", "last")
        self.assertLessEqual(max(len(line) for line in lines if "/" not in line), 50, lines)
        words = " ".join(" ".join(lines).split())
        self.assertIn("true " + " ".join(LONG), words)

    def test_a_list_that_is_kept_up_to_date(self):
        ours, command = self.on_a_terminal(80, "ps", "--watch")
        os.set_blocking(ours, False)
        seen = []

        def shows(pattern):
            try:
                seen.append(os.read(ours, 65536).decode())
            except BlockingIOError:
                pass
            return re.search(pattern, "".join(seen))

        until("the run that has ended", lambda: shows("completed"))
        self.muster("-n", "1", "sh", "-c", "exit 7", env=self.env)
        until("the run that has failed", lambda: shows("failed 7"))
        command.send(signal.SIGINT)
        self.assertEqual(command.finish().code, 128 + signal.SIGINT)

    def test_a_watched_list_needs_a_terminal(self):
        self.assertIn("--watch needs a terminal", self.told("ps", "--watch").errors)
        self.assertEqual(self.told("ps", "--watch", "--json").code, USAGE)

    def test_an_object_on_each_line(self):
        self.muster("-n", "1", "false", env=self.env)
        lines = self.told("ps", "--json-lines").text.splitlines()
        self.assertEqual([json.loads(line)["exit_code"] for line in lines], [0, 1])
        self.assertEqual(self.told("ps", "--json-lines", "--state", "died").text, "")


class Help(TerminalCase):
    """As wide as the terminal, but never narrower than 40 columns nor wider than 100."""

    COMMANDS = (("--help",), ("help", "run"), ("run", "--help", "all"), ("mpirun", "--help"),
                ("mpiexec.hydra", "--help"), ("torchrun", "--help"), ("launch", "--help"),
                ("horovodrun", "--help"), ("deepspeed", "--help"), ("submit", "--help"),
                ("gc", "--help"), ("completion", "--help"))

    @staticmethod
    def too_wide(lines, width):
        """A word that cannot be split may be."""
        return [line for line in lines if len(line) > width and len(line.split()) > 1]

    @staticmethod
    def too_narrow(lines, width):
        """What an option does, in lines that would have had room for the next word."""
        options = [i for i, line in enumerate(lines) if line.startswith("  -")]
        lines = lines[options[0]:] if options else []
        margin = " " * (31 if width > 70 else 6)
        texts = [line.removeprefix(margin) if line.startswith(margin) else " " for line in lines]
        return [one for one, (text, more) in zip(lines, zip(texts, texts[1:]))
                if text[0] != " " != more[0] and len(one) + 1 + len(more.split()[0]) <= width]

    def test_it_takes_the_room_that_there_is(self):
        for words in self.COMMANDS:
            for columns in (40, 60, 80, 100, 120, 200):
                lines = self.lines(columns, *words)
                width = min(columns, 100)
                with self.subTest((words, columns)):
                    self.assertEqual(self.too_wide(lines, width), [])
                    self.assertEqual(self.too_narrow(lines, width), [])

    def test_a_terminal_that_is_resized(self):
        """Each command asks anew; what is not a terminal has 80 columns."""
        words = ("run", "--help", "all")
        wide, narrow, again = (self.lines(columns, *words) for columns in (100, 40, 100))
        self.assertEqual(wide, again)
        self.assertLess(len(wide), len(narrow))
        self.assertEqual(self.told(*words).text.splitlines(), self.lines(80, *words))
        self.assertEqual(self.lines(20, *words), narrow)
        self.assertEqual(self.lines(200, *words), wide)

    def test_columns_counts_as_the_width_of_a_terminal(self):
        words = ("mpirun", "--help")
        wide, narrow, usual = (self.lines(columns, *words) for columns in (100, 40, 80))
        self.env = {**self.env, "COLUMNS": "40"}
        self.assertEqual(self.lines(100, *words), narrow)
        self.assertEqual(self.told(*words).text.splitlines(), usual)
        for odd in ("", "0", "wide", "-1"):
            self.env = {**self.env, "COLUMNS": odd}
            self.assertEqual(self.lines(100, *words), wide, odd)


if __name__ == "__main__":
    run_tests()
