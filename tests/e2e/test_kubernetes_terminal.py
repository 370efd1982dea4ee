"""A job in a cluster that a person follows at a terminal: the shell's job control, and Ctrl-C."""

# rooms: cluster cli process
# needs: kubernetes-nodes

import errno
import fcntl
import json
import os
import pty
import re
import signal
import struct
import termios
import unittest

from kubernetes_case import POD_SECONDS, why_not
from support import MUSTER, run_tests, until
from test_kubernetes_pods import OnPods

REASON = why_not(nodes=2)

# A rank that waits for the test, and says what it hears.
WAITS = ('trap "echo rank $RANK hears INT; exit 3" INT; echo rank $RANK of $WORLD_SIZE waits; '
         'until [ -e /tmp/go ]; do sleep 0.1; done; echo rank $RANK goes')
# What is asked to end does not, until it is killed.
DEAF = "trap 'echo rank $RANK is deaf' INT TERM; echo rank $RANK of $WORLD_SIZE waits; " \
       "until [ -e /tmp/go ]; do sleep 0.1; done"
CTRL_C, CTRL_Z = b"\3", b"\x1a"
PROMPT = "ready> "


class Shell:
    """An interactive bash beside the cluster, with a terminal of its own."""

    def __init__(self, case):
        self.seen = b""
        lab, env = case.cluster.lab, {**case.environment(), "PS1": PROMPT, "TERM": "xterm"}
        words = lab.command(["bash", "--norc", "--noediting", "-i"], cwd=case.folder)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe(words[0], words, env)
        case.addCleanup(self.close)
        self.resize(33, 77)
        os.set_blocking(self.terminal, False)
        self.awaits(PROMPT)

    def close(self):
        os.close(self.terminal)  # which hangs up
        os.waitpid(self.pid, 0)

    def resize(self, rows, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def types(self, text):
        os.write(self.terminal, text.encode() if isinstance(text, str) else text)

    def awaits(self, pattern):
        """What has come until then, as text; what comes later is left for the next call."""
        def found():
            try:
                self.seen += os.read(self.terminal, 65536)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EIO):
                    raise
            return re.search(pattern.encode(), self.seen)
        match = until(lambda: f"{pattern!r} after {self.seen.decode(errors='replace')}", found,
                      POD_SECONDS)
        text, self.seen = self.seen[:match.end()], self.seen[match.end():]
        return text.decode().replace("\r\n", "\n")


@unittest.skipIf(REASON, REASON)
class AtATerminal(OnPods):
    def follows(self, command):
        """A shell whose job in the foreground has ranks that wait."""
        self.write_job(command)
        shell = Shell(self)
        self.addCleanup(self.removes)
        shell.types(f"{MUSTER} submit job.yml --target lab; echo ended with $?\n")
        shell.awaits(r"rank \d of 2 waits\r\n(?s:.*)rank \d of 2 waits\r\n")
        return shell

    def ended(self):
        record = json.loads(self.there("show", "--json", "last").text)
        return record["state"], record["exit_code"]

    def test_it_is_stopped_and_goes_on_in_the_foreground(self):
        shell = self.follows(WAITS)
        shell.types(CTRL_Z)
        shell.awaits(r"\[1\]\+ +Stopped")
        shell.awaits(PROMPT)
        self.go(self.ready_workers(2))
        self.logs_until(r"rank \d goes", 2)
        shell.types("echo $((6 * 7))\n")  # the shell has its terminal, and nothing comes meanwhile
        self.assertNotIn("goes", shell.awaits("\n42\r\n"))
        shell.types("fg\n")
        told = shell.awaits(r"rank \d goes\r\n(?s:.*)rank \d goes\r\n")
        self.assertNotIn("warning", told)
        until("the end", lambda: self.ended() == ("completed", 0), POD_SECONDS)

    def test_what_is_typed_meanwhile_is_the_shell_s(self):
        shell = self.follows(WAITS)
        shell.resize(44, 88)
        shell.types("stty size; echo typed $((6 * 7))\n")
        self.go(self.ready_workers(2))
        told = shell.awaits("\ntyped 42\r\n")
        self.assertRegex(told, rf"(?s)goes\n.*ended with 0\n{PROMPT}44 88\n")

    def test_ctrl_c_ends_the_ranks(self):
        shell = self.follows(WAITS)
        shell.types(CTRL_C)
        told = shell.awaits(PROMPT)
        self.assertIn("stopping the run; press Ctrl-C again to detach", told)
        self.assertIn("hears INT", told)
        self.assert_ended()
        self.assertEqual(self.ended(), ("stopped", 128 + signal.SIGINT))

    def test_a_rank_that_fails(self):
        shell = self.follows(WAITS + "; exit 7")
        self.go(self.ready_workers(2)[:1])  # the other's pod may end with it
        told = shell.awaits(r"ended with \d+\r\n")
        self.assertRegex(told, r"muster: rank \d on \S+ exited with code 7 \(pid \d+\)\n")
        self.assertRegex(told, r"failed with exit code 7: .*\nended with 7\n")
        self.assertNotIn("\33[", told, "the report is the launcher's, which has no terminal")

    def test_ctrl_c_twice_leaves_the_run_to_its_end(self):
        """That of ranks that do not hear the first."""
        shell = self.follows(DEAF)
        shell.types(CTRL_C)
        shell.awaits("is deaf")
        shell.types(CTRL_C)
        told = shell.awaits(PROMPT)
        self.assertRegex(told, r"muster: \S+ goes on; muster logs -f \S+ shows its output\n")
        self.assertEqual(self.there("wait", "last").code, 128 + signal.SIGINT)
        self.assert_ended()


if __name__ == "__main__":
    run_tests()
