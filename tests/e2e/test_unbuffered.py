"""What a rank prints is shown at once: Python's always, others' with --unbuffered."""

# rooms: process host head

import os
import select
import signal
import unittest

from support import MUSTER, PYTHON, Case, LabCase, lab_or_skip, run_tests, until

# sed is a C program like others: to a pipe it writes 4 KiB at once, or when it ends.
HELD_BACK = '{ echo shown; : >"$DIR/ready.$RANK"; exec sleep "$E2E_MARK"; } | exec sed s/o/0/'
SIZE = ("import os; size = os.get_terminal_size(1); "
        "print(size.columns, size.lines, *(os.isatty(fd) for fd in (0, 1, 2)))")
BYTES = r"import os; os.write(1, b'one\ntwo\r\nthree\x03\x04\x1a\xff\t\n\nlast')"


def read_until(pipe, *wanted):
    """Until all of these have come, in any order."""
    text = b""

    def there():
        nonlocal text
        if select.select([pipe], [], [], 0)[0]:
            piece = os.read(pipe.fileno(), 4096)
            if not piece:
                raise AssertionError(f"ended without {wanted}: {text}")
            text += piece
        return all(one in text for one in wanted)
    until(lambda: f"{wanted} on stdout, after {text}", there)
    return text


class Unbuffered(Case):
    def test_python_shows_at_once(self):
        one = self.start(PYTHON, "-c", "import time; print('x'); time.sleep(3600)")
        self.assertEqual(read_until(one.popen.stdout, b"\n"), b"x\n")
        one.send(signal.SIGINT)
        one.finish()

    def test_a_c_program_shows_at_once(self):
        one = self.start("--unbuffered", "-n", "2", "--tag", "sh", "-c", HELD_BACK)
        read_until(one.popen.stdout, b"[0] sh0wn\n", b"[1] sh0wn\n")
        one.send(signal.SIGINT)
        self.assertEqual(one.finish().code, 130)

    def test_a_killed_rank_keeps_its_lines(self):
        """All of them: also those that are on their way when it dies."""
        rank = "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; kill -9 $$"
        for _ in range(3):
            done = self.muster("--unbuffered", "--logs", "logs", "-n", "2", "--on-failure",
                               "continue", "sh", "-c", rank)
            self.assertEqual(done.code, 137, done)
            wanted = b"".join(b"line %d\n" % i for i in range(2000))
            for number in range(2):
                self.assertEqual(self.read("logs", f"rank.{number}", "stdout"), wanted)

    def test_bytes_pass_as_they_are(self):
        done = self.succeeds("--unbuffered", PYTHON, "-c", BYTES)
        self.assertEqual(done.out, b"one\ntwo\r\nthree\x03\x04\x1a\xff\t\n\nlast")
        self.assertEqual(done.err, b"")

    def test_it_is_a_terminal_of_the_usual_size(self):
        self.assertEqual(self.succeeds("--unbuffered", PYTHON, "-c", SIZE).out,
                         b"80 24 False True False\n")

    def test_much_output(self):
        size = 30_000_000
        done = self.succeeds("--unbuffered", "sh", "-c", f"head -c {size} /dev/zero; echo e >&2")
        self.assertEqual((done.out, done.err), (bytes(size), b"e\n"))

    def test_the_size_is_that_of_our_terminal(self):
        self.write("size.py", SIZE)
        shell = f"stty cols 123 rows 45; {MUSTER} run --unbuffered {PYTHON} size.py"
        done = self.start("-qec", shell, "/dev/null", command=("script",)).finish()
        self.assertEqual(done.out, b"123 45 False True False\r\n", done)

    def test_submit(self):
        self.write("job.yml", "muster: 1\ncommand: test -t 1 && ! test -t 2 && echo y\n")
        done = self.start("submit", "job.yml", "--unbuffered", command=(MUSTER,)).finish()
        self.assertEqual((done.code, done.out), (0, b"y\n"), done)


class Hosts(LabCase):
    @classmethod
    def setUpClass(cls):
        if reason := lab_or_skip():
            raise unittest.SkipTest(reason)
        cls.lab_of(2)

    def test_on_hosts(self):
        one = self.start_in_lab("--unbuffered", "-H", ",".join(self.lab.names), "--tag", "sh", "-c",
                                HELD_BACK)
        read_until(one.popen.stdout, b"[0] sh0wn\n", b"[1] sh0wn\n")
        one.send(signal.SIGINT)
        one.finish()
        self.assert_hosts_clean()


if __name__ == "__main__":
    run_tests()
