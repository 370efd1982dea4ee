"""What the tests of front ends share: muster called by the name of another launcher."""

import os
import shutil
import signal
import subprocess

from support import MUSTER, WAIT_SECONDS, Case, LabCase


def environment_of(text):
    """NAME=VALUE lines, as `env` prints them, as a dict."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


class FrontCase(Case):
    """A Case whose muster is a symbolic link called `name`."""

    name = ""

    def setUp(self):
        super().setUp()
        self.link = self.path(self.name)
        os.symlink(MUSTER, self.link)

    def start(self, *words, **more):
        return super().start(*words, command=(self.link,), **more)

    def original(self, *words, env=None, program=None, stdin=b""):
        """The launcher itself, to its end: (exit code, stdout, stderr). Skips where it is missing.

        Its descendants carry the test's mark. On a busy machine Hydra itself may end by SIGPIPE, or
        fail to write to a proxy that has ended: that is nothing to compare with, and it is asked
        once more.
        """
        found = shutil.which(program or self.name)
        if not found:
            self.skipTest(f"no {program or self.name} here to compare with")
        for _ in range(20):
            done = subprocess.run([found, *words], env=env or self.environment(), cwd=self.folder,
                                  input=stdin, capture_output=True, timeout=WAIT_SECONDS,
                                  check=False)
            lost_a_proxy = done.returncode == 255 and b"HYDU_sock_write" in done.stderr
            if done.returncode != -signal.SIGPIPE and not lost_a_proxy:
                break
        code = 128 - done.returncode if done.returncode < 0 else done.returncode
        return code, done.stdout.decode(), done.stderr.decode()


class LabFrontCase(LabCase):
    """A LabCase whose muster is a link called `name`, and whose `ssh` knows the lab's hosts."""

    name = ""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.link = self.path("bin", self.name)
        os.symlink(MUSTER, self.link)
        self.write(os.path.join("bin", "ssh"),
                   f'#!/bin/sh\nexec /usr/bin/ssh -F {self.lab.ssh_config} "$@"\n', 0o755)

    def environment(self, **more):
        env = super().environment(**more)
        env["PATH"] = self.path("bin") + ":" + env["PATH"]
        return env

    def start_in_lab(self, *words, **more):
        return super().start_in_lab(*words, command=(self.link,), **more)
