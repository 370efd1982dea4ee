"""Containers of a user who is not root: podman with ranges of /etc/subuid, which the test's own
mount namespace shows in place of this machine's."""

# rooms: container host process
# needs: podman

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from support import MUSTER, READY, Case, run_tests, until
import image
import own

GUEST = own.users()
SMALL = image.reference("small")
OUTPUT = 248
NEEDED = ("podman", "runc", "newuidmap", "slirp4netns", "setpriv", "unshare")

# $1: a folder with files for /etc. The other words are carried out by the guest.
AS_GUEST = f"""set -e
for name in passwd group subuid subgid; do mount --bind "$1/$name" "/etc/$name"; done
shift
exec setpriv --reuid {GUEST} --regid {GUEST} --clear-groups "$@"
"""


def why_not():
    """The reason why no such user can be had here; empty when one can."""
    if os.geteuid() != 0:
        return "another user needs root here"
    lacks = [tool for tool in NEEDED if shutil.which(tool) is None]
    if lacks:
        return f"missing programs: {' '.join(lacks)}"
    lacks = [name for name in ("/etc/subuid", "/etc/subgid") if not os.path.exists(name)]
    return f"missing files: {' '.join(lacks)}" if lacks else image.why_not()


class Guest:
    """A user with storage of its own, in a folder that goes with this object."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="muster-guest-")
        os.chmod(self.folder, 0o755)
        for name in ("home", "run"):
            os.mkdir(self.path(name))
            os.chown(self.path(name), GUEST, GUEST)
        shutil.copy(MUSTER, self.path("muster"))
        self._write_users()
        self.environment = {
            "HOME": self.path("home"), "XDG_RUNTIME_DIR": self.path("run"),
            **image.write_configuration(self.path("etc"), self.path("home", "storage"))}

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def _write_users(self):
        os.mkdir(self.path("etc"))
        for name, more in (("passwd", f"guest:x:{GUEST}:{GUEST}::{self.path('home')}:/bin/sh"),
                           ("group", f"guest:x:{GUEST}:")):
            shutil.copy(f"/etc/{name}", self.path("etc", name))
            with open(self.path("etc", name), "a", encoding="utf-8") as file:
                file.write(more + "\n")
        for name in ("subuid", "subgid"):
            with open(self.path("etc", name), "w", encoding="utf-8") as file:
                file.write(f"guest:{GUEST + 1}:65536\n")
        with open(self.path("etc", "as-guest"), "w", encoding="utf-8") as file:
            file.write(AS_GUEST)

    def words(self, *words):
        return ["unshare", "-m", "sh", self.path("etc", "as-guest"), self.path("etc"), *words]

    def podman(self, *words, stdin=None):
        """What podman prints; no process of a test is an ancestor of the one that it leaves."""
        environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", **self.environment}
        done = subprocess.run(self.words("podman", *words), env=environment, cwd=self.folder,
                              stdin=stdin or subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"podman {' '.join(words)}: {done.stderr.decode()}")
        return done.stdout.decode()

    def close(self):
        self.podman("rm", "-f", "-a", "-t", "0")
        self.podman("system", "migrate")  # ends the process that holds the user namespace
        self.podman("unshare", "rm", "-rf", self.path("home", "storage"))
        self.podman("system", "migrate")
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"/dev/shm/libpod_rootless_lock_{GUEST}")  # which podman leaves there


REASON = why_not()
if REASON:
    print(f"SKIPPED: no containers of another user here: {REASON}", file=sys.stderr)


@unittest.skipIf(REASON, REASON)
class Rootless(Case):
    @classmethod
    def setUpClass(cls):
        cls.guest = Guest()
        cls.addClassCleanup(cls.guest.close)
        with open(image.archive("small"), "rb") as archive:
            cls.guest.podman("load", "-q", stdin=archive)

    def setUp(self):
        super().setUp()
        os.chown(self.folder, GUEST, GUEST)
        self.addCleanup(self.assert_no_containers)

    def environment(self, **more):
        return super().environment(**{**self.guest.environment, **more})

    def run_there(self, *words, **more):
        command = self.guest.words(self.guest.path("muster"), "run", "--image", SMALL)
        return self.start(*words, command=command, **more)

    def assert_no_containers(self):
        until("no container", lambda: not self.guest.podman("ps", "-a", "-q").strip())

    def test_ranks_run_in_a_container_and_their_files_are_the_users(self):
        done = self.run_there("-n", "2", "sh", "-c",
                              'readlink /proc/self/ns/user; echo $RANK > by.$RANK').finish()
        self.assertEqual(done.code, 0, done)
        namespaces = set(done.text.split())
        self.assertEqual(len(namespaces), 1, done)
        self.assertNotEqual(namespaces, {os.readlink("/proc/self/ns/user")}, done)
        for rank in ("0", "1"):
            self.assertEqual(self.read(f"by.{rank}").decode().strip(), rank)
            self.assertEqual(os.stat(self.path(f"by.{rank}")).st_uid, GUEST)

    def test_the_code_of_a_rank_is_that_of_muster(self):
        done = self.run_there("-n", "2", "sh", "-c", "exit $((RANK * 7))").finish()
        self.assertEqual(done.code, 7, done)

    def test_outputs_of_another_user_in_the_container(self):
        """Of one whose number only the container has: they are told of, and not half copied."""
        bash = self.write("bash", '#!/bin/sh\nexec sh "$@"\n', 0o755)  # it runs a job's command
        self.write("muster.yml", f"""targets:
  here:
    fake_nodes: 1
    image: "{SMALL}"
    container_options: [--user=0:0]
    mounts: ["{bash}:/bin/bash:ro"]
""")
        self.write("two.yml", """type: pipeline
jobs:
  make:
    command: cd ${{outputs.made}} && mkdir o && chmod 700 o && chown 1000:1000 o
    outputs: {made: {type: uri_folder}}
  use:
    command: ls ${{inputs.made}}/none
    inputs: {made: "${{parent.jobs.make.outputs.made}}"}
""")
        muster = self.guest.path("muster")
        done = self.start(command=self.guest.words(muster, "submit", "two.yml", "--target",
                                                   "here")).finish()
        self.assertEqual(done.code, 1, done)
        done = self.start(command=self.guest.words(muster, "rerun", "last")).finish()
        self.assertEqual(done.code, OUTPUT, done)
        self.assertRegex(done.errors, r"(?m)^muster: make failed with exit code 248 [^\n]*: cannot "
                         r"copy \S+/made/o to \S+: Permission denied$")

    def test_a_killed_muster_leaves_nothing(self):
        running = self.run_there("-n", "2", "-x", f"DIR={self.folder}", "sh", "-c",
                                 READY + "exec sleep 3600")
        self.wait_for_files(["ready.0", "ready.1"])
        running.send(signal.SIGKILL)
        running.finish()
        self.assert_nothing_left()


if __name__ == "__main__":
    run_tests()
