"""What the end-to-end tests share: starting the real binary, finding what it leaves, waiting.

Every test gets a folder and a mark of its own. The mark stands in the environment (E2E_MARK) of all
that a test starts, and it is a number that `sleep` understands, so that a process which has thrown
its environment away can still carry it on its command line. After each test nothing with the mark
may live.
"""

import array
import contextlib
import difflib
import fcntl
import functools
import mmap
import os
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # Debian's: the one that sees Debian's torch

sys.path.insert(0, os.path.join(os.path.dirname(HERE), "lab"))
import evidence  # noqa: E402
import lab as lab_module  # noqa: E402
# Tests take these from here.
from lab import (MUSTER, ROOT, WAIT_SECONDS, Lab, kill_all, run_tests,  # noqa: E402,F401
                 until, without_libuv)

# What a rank does to be found, and to end when the test says so.
READY = ': > "$DIR/ready.$RANK"; '
UNTIL_GO = 'while [ ! -e "$DIR/go" ]; do sleep 0.01; done'

# Longer than any test takes, but not until the disk is full, should a killed test leave it behind.
ENDLESS = "yes | head -c 16G"

# On a busy machine many logins at the same time take longer than the usual 15 s.
PATIENCE = ("--start-timeout", "50")

# Exit codes of muster itself.
USAGE, BAD_FILE, NO_SLOTS, UNREACHABLE, CANNOT_START, LOST, TIMEOUT = range(240, 247)


def lab_or_skip():
    """The reason why tests on hosts must be skipped, told loudly; empty when they can run."""
    reason = lab_module.why_not()
    if reason:
        print(f"SKIPPED: no hosts can be made here: {reason}", file=sys.stderr)
    return reason


@functools.lru_cache(maxsize=None)
def is_sanitized():
    """Whether AddressSanitizer is in muster, which reserves terabytes of addresses: no limit of
    those, and none of the stack, says then what muster itself needs; nor is muster static then, so
    that an image needs the libraries."""
    with open(MUSTER, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        found = text.find(b"__asan_init") >= 0
    if found:
        print("SKIPPED: limits of addresses and of the stack: muster has a sanitizer",
              file=sys.stderr)
    return found


def with_addresses(most):
    """What a muster does before it starts, so that it has so many bytes of addresses."""
    return None if is_sanitized() else functools.partial(
        resource.setrlimit, resource.RLIMIT_AS, (most, most))


def unread(pipe):
    """Bytes that wait in it."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def no_small_disk():
    """The reason why no small file system can be mounted; empty when one can."""
    done = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"SKIPPED: no small disk can be mounted: {done.stderr}", file=sys.stderr)
    return done.stderr if done.returncode != 0 else ""


def new_mark():
    return f"3600.{random.randrange(10 ** 11, 10 ** 12)}"


def survivors(mark):
    """{pid: command line} of the living processes of this machine that carry the mark."""
    found = {}
    for pid in lab_module._pids():
        words = lab_module._read(pid, "cmdline")
        marked = mark.encode() in words or mark.encode() in lab_module._read(pid, "environ")
        if marked and pid != os.getpid() and lab_module._state(pid) not in ("", "Z", "X"):
            found[pid] = words.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def descendants(pid):
    """Pids below a process, itself not included."""
    parents = {child: lab_module._parent(child) for child in lab_module._pids()}
    found, fresh = set(), {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def by_age(pids):
    """The one that was started first comes first; pids do not tell, as they begin anew."""
    return sorted(pids, key=lambda pid: (int((lab_module._stat(pid) + [0] * 20)[19]), pid))


def state_of(pid):
    return lab_module._state(pid)


def parent_of(pid):
    return lab_module._parent(pid)


def command_line_of(pid):
    return lab_module._read(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace")


def name_of(pid):
    return lab_module._read(pid, "comm").strip().decode()


class Done:
    """A finished muster: exit code, stdout and stderr as bytes, and as text on request."""

    def __init__(self, code, out, err, seconds=0.0):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    @property
    def text(self):
        return self.out.decode(errors="replace")

    @property
    def errors(self):
        return self.err.decode(errors="replace")

    @property
    def complaints(self):
        """stderr without what is told of hosts that take their time, as on a busy machine."""
        return re.sub(r"(?m)^muster: (waiting for |.* muster waits up to ).*\n", "", self.errors)

    @property
    def lines(self):
        return sorted(self.text.splitlines())

    def __str__(self):
        return (f"code {self.code} after {self.seconds:.2f} s\nstdout: {self.text[-2000:]}\n"
                f"stderr: {self.errors[-2000:]}")


class Running:
    """A started muster; `finish` waits for its end."""

    def __init__(self, popen):
        self.popen = popen
        self.pid = popen.pid
        self.began = time.monotonic()
        self.is_finished = False
        self._told = (b"", b"")

    def send(self, number):
        self.popen.send_signal(number)

    def finish(self, seconds=WAIT_SECONDS, stdin=None):
        try:
            out, err = self.popen.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired as late:
            self._told = (late.output or b"", late.stderr or b"")
            raise
        self._told = (out or b"", err or b"")
        self.is_finished = True
        code = self.popen.returncode
        return Done(128 - code if code < 0 else code, out or b"", err or b"",
                    time.monotonic() - self.began)

    def line(self):
        """The next line on its stdout, or what comes before its end; `finish` has the rest."""
        pipe, found = self.popen.stdout.fileno(), b""
        while not found.endswith(b"\n"):
            until(lambda: f"a line on stdout, after {found!r}",
                  lambda: select.select([pipe], [], [], 0.1)[0])
            byte = os.read(pipe, 1)
            if not byte:
                break
            found += byte
        return found

    def until_said(self, words):
        """Until its stderr has these bytes; it is read away so far."""
        said = b""

        def is_there():
            nonlocal said
            said += self.so_far()[1]
            return words in said
        until(lambda: f"{words} on stderr, after {said}", is_there)

    def so_far(self):
        """What it has said on stdout and stderr; what is read here is lost to `finish`."""
        return [told + _read_now(pipe)
                for told, pipe in zip(self._told, (self.popen.stdout, self.popen.stderr))]


def _read_now(pipe):
    """What can be read from a pipe without waiting."""
    if pipe is None or pipe.closed:
        return b""
    os.set_blocking(pipe.fileno(), False)
    pipe = getattr(pipe, "buffer", pipe)
    return b"".join(iter(lambda: pipe.read1(1 << 16) or b"", b""))


class Case(unittest.TestCase):
    """A folder, a mark, and the promise that nothing is left behind.

    A test that fails tells all that is known about its programs before its cleanups remove it.
    """

    def __init__(self, name="runTest"):
        super().__init__(name)
        self._is_told = False
        for each in {"setUp", name}:
            setattr(self, each, self._telling_of(getattr(self, each)))

    def _telling_of(self, method):
        @functools.wraps(method)
        def wrapped(case, *words, **more):
            with case._telling():
                return method(*words, **more)
        return types.MethodType(wrapped, self)

    def addCleanup(self, function, /, *words, **more):
        super().addCleanup(self._telling_of(function), *words, **more)

    @contextlib.contextmanager
    def _telling(self):
        try:
            yield
        except unittest.SkipTest:
            raise
        except Exception as why:
            self.tell(why)
            raise

    def tell(self, why):
        """Once in a test, as the first failure is the one that matters."""
        if not self._is_told and hasattr(self, "running"):
            self._is_told = True
            evidence.tell(self, why)

    @contextlib.contextmanager
    def subTest(self, *words, **more):
        with super().subTest(*words, **more), self._telling():
            yield

    def assert_golden(self, path, lines):
        """That a committed table has just these lines; UPDATE_GOLDEN=1 writes it."""
        if os.environ.get("UPDATE_GOLDEN"):
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
        with open(path, encoding="utf-8") as file:
            known = file.read().splitlines()
        changed = list(difflib.unified_diff(known, lines, "as committed", "now", lineterm="", n=0))
        self.assertEqual(changed, [], f"UPDATE_GOLDEN=1 writes {path}")

    def setUp(self):
        self.assertTrue(os.access(MUSTER, os.X_OK), f"no {MUSTER}: make build, or set MUSTER")
        self.mark = new_mark()
        self.folder = tempfile.mkdtemp(prefix="muster-e2e-")
        self.running = []
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self._end_all)

    def _end_all(self):
        for one in self.running:
            if one.popen.poll() is None:
                one.send(signal.SIGKILL)
            one.popen.wait(WAIT_SECONDS)
            for pipe in (one.popen.stdin, one.popen.stdout, one.popen.stderr):
                if pipe is not None:
                    pipe.close()
        self.assert_nothing_left()

    def assert_nothing_left(self, seconds=WAIT_SECONDS):
        try:
            until("all processes of the job gone", lambda: not survivors(self.mark), seconds)
        except TimeoutError as late:
            self.tell(late)
            left = survivors(self.mark)
            kill_all(left)
            self.fail(f"left behind after {seconds:g} s: {left}")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, content, mode=0o644):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        os.chmod(path, mode)
        return path

    def read(self, *parts):
        with open(self.path(*parts), "rb") as file:
            return file.read()

    def environment(self, **more):
        """A small and known one; DIR is the test's folder."""
        keep = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": self.folder,
                "LANG": "C.UTF-8", "DIR": self.folder, "E2E_MARK": self.mark}
        return {**keep, **without_libuv(), **more}

    def start(self, *words, env=None, command=(MUSTER, "run"), **popen_words):
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        popen = subprocess.Popen([*command, *words], env=env or self.environment(),
                                 **{**pipes, "cwd": self.folder, **popen_words})
        self.running.append(Running(popen))
        return self.running[-1]

    def muster(self, *words, stdin=None, seconds=WAIT_SECONDS, **start_words):
        """`muster run WORDS...` to its end."""
        if stdin is not None:
            start_words["stdin"] = subprocess.PIPE
        return self.start(*words, **start_words).finish(seconds, stdin)

    def succeeds(self, *words, **start_words):
        done = self.muster(*words, **start_words)
        self.assertEqual(done.code, 0, done)
        return done

    def wait_for_files(self, names, seconds=WAIT_SECONDS):
        """Until all these files are in the test's folder: so ranks say how far they have come.

        What the test has waited for already, such as `run -d`, may have left a run that makes them.
        """
        def there():
            left = [one for one in self.running if not one.is_finished]
            ended = [one for one in left if one.popen.poll() is not None]
            found = all(os.path.exists(self.path(name)) for name in names)
            self.assertTrue(found or not left or len(ended) < len(left),
                            f"no {names}: {[str(one.finish()) for one in ended]}")
            return found
        until(lambda: f"{names}; there are {os.listdir(self.folder)}", there, seconds)

    def assert_refused(self, done, code, *patterns):
        """One clear line, a hint, nothing on stdout, and the stated exit code."""
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(done.code, codes, done)
        self.assertEqual(done.out, b"", done)
        lines = done.complaints.splitlines()
        self.assertTrue(lines and lines[0].startswith("muster: "), done)
        self.assertRegex(done.errors, r"(?m)^ +hint: \S", done)
        self.assertLessEqual(len(lines), 5, done)
        for pattern in patterns:
            self.assertRegex(done.errors, pattern, done)


class LabCase(Case):
    """A Case whose muster runs in the head of a lab that the class made: see `lab_of`."""

    lab = None

    @classmethod
    def lab_of(cls, *words, **more):
        """Called from setUpClass."""
        cls.lab = Lab(*words, **more)
        cls.lab.__enter__()
        cls.addClassCleanup(cls.lab.close)

    def setUp(self):
        super().setUp()
        self.addCleanup(lambda: self.assertEqual(self.lab.dead_hosts(), {}))

    def environment(self, **more):
        return self.lab.environment(DIR=self.folder, E2E_MARK=self.mark, **more)

    def start(self, *words, env=None, **start_words):
        """Outside the lab, where the home of its hosts is none: nothing is left there."""
        env = env or self.environment()
        if env.get("HOME") == lab_module.HOME:
            env = {**env, "HOME": self.folder}
        return super().start(*words, env=env, **start_words)

    def sshd_on(self, host):
        """That of the session on a host, above the agent."""
        session = parent_of(self.lab.children_named(host, "muster")[0])
        while name_of(session) not in lab_module.SSHD_PROGRAMS:
            session = parent_of(session)
        return session

    def start_in_lab(self, *words, env=None, ssh_command=None, command=None,
                     stdin=subprocess.DEVNULL):
        command = command or [MUSTER, "run", "--ssh-command", ssh_command or self.lab.ssh_command,
                              *([] if "--start-timeout" in words else PATIENCE)]
        words = [*command, *words]
        started = self.lab.start(words, env=env or self.environment(), cwd=self.folder,
                                 stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        running = Running(started.popen)
        running.send = started.send
        running.pid = started.pid
        self.running.append(running)
        return running

    def launch(self, *words, seconds=WAIT_SECONDS, **more):
        """`muster run WORDS...` on the lab's head, to its end."""
        done = self.start_in_lab(*words, **more).finish(seconds)
        self.assert_hosts_clean()
        return done

    def launches(self, *words, **more):
        done = self.launch(*words, **more)
        self.assertEqual(done.code, 0, done)
        return done

    def assert_hosts_clean(self, seconds=WAIT_SECONDS, spared=()):
        """No process is left on any living host, but for the lab's own and the spared pids."""
        def left():
            found = {}
            for name in ["head", *self.lab.names]:
                strangers = self.lab.strangers(name)
                here = {pid: words for pid, words in strangers.items() if pid not in spared}
                if here:
                    found[name] = here
            return found
        try:
            until("hosts without strangers", lambda: not left(), seconds)
        except TimeoutError as late:
            self.tell(late)
            remaining = left()
            for pids in remaining.values():
                kill_all(pids)
            self.fail(f"left behind after {seconds:g} s: {remaining}")


def shown_at(terminal):
    """What was written to a terminal, as lines, once all have closed its other end: one read may
    find but a part of it, even then."""
    text = b""

    def is_closed():
        nonlocal text
        if not select.select([terminal], [], [], 0.1)[0]:
            return False
        try:
            part = os.read(terminal, 65536)
        except OSError:  # EIO: nobody has it any more
            return True
        text += part
        return not part
    until(lambda: f"the end of a terminal, after {text}", is_closed)
    return text.decode().replace("\r\n", "\n")


def free_of_prefix(line):
    """The rank and the rest of a line printed with --tag."""
    match = re.fullmatch(r"\[0*(\d+)\] (.*)", line)
    return (int(match[1]), match[2]) if match else (None, line)
