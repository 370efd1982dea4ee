"""What the labs of batch systems share: daemons on hosts, commands on the head, a clean end."""

import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import lab as lab_module  # noqa: E402
from lab import WAIT_SECONDS, Lab, until  # noqa: E402
from quiet import Quiet  # noqa: E402


def why_not(tools):
    """The reason why a lab of these programs cannot be had here, or an empty string."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [tool for tool in tools if shutil.which(tool, path=path) is None]
    return "missing programs: " + " ".join(missing) if missing else lab_module.why_not()


class BatchLab:
    """A lab whose nodes a batch system gives out. Use as a context manager."""

    def __init__(self, nodes, roots=None):
        self.lab = Lab(nodes, roots=roots)
        self._daemons = {}  # (name, host) -> Started
        self._quiet = None

    def __enter__(self):
        self.lab.__enter__()
        try:
            self._make()
            self._quiet = Quiet(self.lab)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        # The daemon, not the nsenter around it: an orphan would wait for this machine's own first
        # process, and a host does not end before all that ran there has been waited for.
        for daemon in self._daemons.values():
            daemon.send(signal.SIGKILL)
            daemon.popen.wait(WAIT_SECONDS)
        self._daemons.clear()
        self.lab.close()

    def reset(self):
        """Takes away what a class of tests has wanted in it."""

    def discard(self):
        """Called when it is not as it was and cannot be used any more."""
        self.close()

    def settle(self):
        """Waits until all is as it was, so that the next test finds it so."""
        until(lambda: f"as it was: {self.unsettled()}", lambda: not self.unsettled())

    def unsettled(self):
        """What is not as it was, in words."""
        return self.busy() or self._quiet.broken()

    def end_jobs(self):
        """Tells all jobs to end."""
        raise NotImplementedError

    def busy(self):
        """What the batch system says of jobs, and of hosts that are not free; else nothing."""
        raise NotImplementedError

    def peek(self, *words):
        """As `run` on the head, for what is asked again and again: no word of it in any log."""
        done = subprocess.run(self.lab.command(words, cwd="/"), env=self.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=WAIT_SECONDS, check=False)
        return done.returncode, done.stdout.strip(), done.stderr.strip()

    def run(self, words, host="head", env=None, **more):
        """Runs to the end: (exit code, stdout, stderr), the last two as bytes."""
        return self.lab.run(words, host, env=env or self.environment(), **more)

    def start(self, words, host="head", env=None, **more):
        return self.lab.start(words, host, env=env or self.environment(), **more)

    def ask(self, *words):
        """What a command of the batch system's says; it must succeed."""
        code, out, err = self.run(list(words))
        if code != 0:
            raise AssertionError(f"{words}: code {code}: {out!r} {err!r}")
        return out.decode()

    def start_daemon(self, name, words, host, env=None):
        with open(os.path.join(self.lab.folder, f"{name}.{host}.out"), "ab") as log:
            self._daemons[name, host] = self.lab.start(
                words, host, env=env or self.lab.environment(), cwd="/",
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def shell(name, reason, make, words):
    """The end of a main(): a shell, or a command, on the head."""
    if reason:
        sys.exit(f"no {name} can be had here: {reason}")
    with make() as batch:
        started = batch.start(words or ["/bin/bash"])
        started.popen.wait()
        sys.exit(started.popen.returncode)
