"""Busy loops beside a ctest, and that ctest's results as they come; both end with the caller."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time

from ctest_results import Result

ENDING_SECONDS = 30  # for scripts to clean up after SIGINT
BUSY = "import time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass"
RESULT_LINE = re.compile(r" *\d+/\d+ Test +#\d+: (\S+) \.*(.*?)(?: +([\d.]+) sec)?$")
OTHER_LINE = re.compile(r" *Start +\d+: |\d+% tests passed")
STATUS = {"Passed": "passed", "Skipped": "skipped", "Not Run (Disabled)": "skipped"}


class Stopped(BaseException):
    """The call is to end: its exit code and a word why."""


def dies_with_us(signal_number):
    """For preexec_fn: the kernel sends the signal when this process ends, however it does."""
    libc, parent = ctypes.CDLL(None), os.getpid()

    def ask():
        libc.prctl(1, signal_number)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)
    return ask


class Load:
    """Busy loops, as long as the context is open; each one also ends by itself after a time."""

    def __init__(self, count, seconds):
        self.count, self.seconds, self.loops = count, seconds, []

    def __enter__(self):
        words = [sys.executable, "-I", "-S", "-c", BUSY.format(self.seconds)]
        for _ in range(self.count):
            self.loops.append(subprocess.Popen(words, process_group=0, stdin=subprocess.DEVNULL,
                                               preexec_fn=dies_with_us(signal.SIGKILL)))
        return self

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()

    def check(self):
        if any(loop.poll() is not None for loop in self.loops):
            raise Stopped(3, "a busy loop was ended by somebody else")


def end_group(child):
    """Ends ctest and the scripts it runs, as Ctrl-C would, so that they clean up."""
    for number, seconds in ((signal.SIGINT, ENDING_SECONDS), (signal.SIGKILL, 5)):
        deadline = time.monotonic() + seconds
        try:
            os.killpg(child.pid, number)
            while time.monotonic() < deadline:
                child.poll()
                os.killpg(child.pid, 0)
                time.sleep(0.05)
        except ProcessLookupError:
            break
    child.wait()


def run_ctest(build, names, jobs, report):
    """One ctest over these tests; calls report(Result) as soon as each has ended.

    ctest's lines are read while it runs, because its file for JUnit comes only at its end, which
    an interrupted call would not see.
    """
    wanted = "^(" + "|".join(re.escape(name) for name in sorted(names)) + ")$"
    words = ["ctest", "--test-dir", str(build), "-j", str(jobs), "-R", wanted,
             "--output-on-failure", "--no-label-summary"]
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace",
                             process_group=0, preexec_fn=dies_with_us(signal.SIGTERM))
    told = False
    try:
        for result in results_in(child.stdout):
            if result.name in names:  # and not what sets up a fixture
                report(result)
                told = True
        child.wait()
    except BaseException:
        end_group(child)
        raise
    if not told:  # or the caller would try again and again
        raise Stopped(3, f"ctest ended with code {child.returncode} and ran none of the scripts")


def results_in(lines):
    """Results in what ctest prints; the output of a failed test follows the line of its end."""
    failed = None
    for line in lines:
        match = RESULT_LINE.match(line)
        if failed and (match or OTHER_LINE.match(line)):
            yield failed
            failed = None
        if match:
            word = " ".join(match[2].replace("*", "").split())
            status = STATUS.get(word, "failed")
            result = Result(match[1], status, float(match[3] or 0), reason=word)
            if status == "failed":
                failed = result
            else:
                yield result
        elif failed:
            failed.output += line
    if failed:
        yield failed
