"""What is in a container may say to muster whatever it likes, in the place of muster's own agent
there or through that one's descriptors: the head loses that host at the most, and Ctrl-C works."""

# rooms: container host link head
# needs: podman
# attacks

import contextlib
import os
import signal
import unittest

from support import CANNOT_START, LOST, UNREACHABLE, is_sanitized, run_tests, until
from test_containers import REASON, SMALL, ContainerCase
import image
from test_strange_agents import MAGIC, frame, message, welcome

# In the place of the image's entrypoint, so that muster's words are its own; it stays.
ENTRYPOINT = """#!/bin/sh
trap '' TERM INT HUP PIPE
cd %s
%s
while :; do sleep 3600; done
"""


@unittest.skipIf(REASON, REASON)
class Entrypoints(ContainerCase):
    def head(self, script, said=b"", **more):
        self.write("said", said)
        entrypoint = self.write("entrypoint", ENTRYPOINT % (self.folder, script),
                                0o755)
        return self.start("-n", "2", "--grace", "1", "--image", SMALL, "--container-option",
                          f"--entrypoint={entrypoint}", "true", **more)

    def test_frames_of_its_own(self):
        too_long = b"\xff\xff\xff\xff\x01\1\0\0\0\0\0"
        for said in (MAGIC + too_long, MAGIC + frame(9), MAGIC + frame(1, b"\xff"),
                     MAGIC + welcome(protocol=5), MAGIC + frame(1, b"\x52\0", host=1),
                     MAGIC + b"\x5a" * 100_000, b"\x5a" * (1 << 20)):
            with self.subTest(said=said[:40]):
                done = self.head("cat said", said).finish()
                self.assertIn(done.code, (UNREACHABLE, CANNOT_START, LOST), done)
                self.assertRegex(done.errors, r"(?m)^muster: error: ")
                self.assertNotRegex(done.errors, "internal|CHECK|nothing heard")
                self.assertEqual(done.out, b"", done)
                self.assert_no_containers()

    def test_it_never_stops_talking(self):
        for script in ("cat said; exec cat /dev/zero", "cat said; exec yes >&2", "exec yes"):
            with self.subTest(script):
                done = self.head(script, MAGIC).finish()
                self.assertIn(done.code, (UNREACHABLE, CANNOT_START, LOST), done)
                self.assertRegex(done.errors, r"(?m)^muster: error: ")
                self.assertNotRegex(done.errors, "internal|CHECK")
                self.assert_no_containers()

    def test_ctrl_c_ends_one_that_is_silent(self):
        for said in (b"", MAGIC, MAGIC + frame(1, b"x" * 100)[:50]):
            with self.subTest(said=said):
                job = self.head("cat said; : > started", said)
                self.wait_for_files(["started"])
                os.unlink(self.path("started"))
                job.send(signal.SIGINT)
                done = job.finish()
                self.assertEqual(done.code, 130, done)
                self.assert_no_containers()


@unittest.skipIf(REASON, REASON)
class Ranks(ContainerCase):
    """Rank 0 does it to the agent, which is the first process of the container."""

    @classmethod
    def setUpClass(cls):
        cls.images = ("sanitized" if is_sanitized() else "small",)
        super().setUpClass()

    def attacked(self, script, **more):
        script = '[ "$RANK" = 0 ] || exec sleep 3600\n' + script
        return self.start("-n", "2", "--grace", "1", "-x", f"DIR={self.folder}", "--image",
                          image.reference(self.images[0]), "sh", "-c",
                          script + '\n: > "$DIR/done"; exec sleep 3600', **more)

    def test_what_it_writes_to_the_agent_s_descriptors(self):
        self.write("long", b"\xff\xff\xff\xff\x01\1\0\0\0\0\0" * 100)
        self.write("kind", frame(9) * 100)
        self.write("noise", b"\x5a" * (3 << 20))
        for name in ("long", "kind", "noise"):
            with self.subTest(name):
                done = self.attacked(f'cat "$DIR/{name}" > /proc/1/fd/1').finish()
                self.assertEqual(done.code, LOST, done)
                self.assertRegex(done.errors, r"(?m)^muster: error: ")
                self.assertNotRegex(done.errors, "internal|CHECK")
                self.assert_no_containers()

    def test_what_it_does_to_the_container_s_processes(self):
        for script in ("kill -9 -1", "for p in /proc/[0-9]*; do kill -9 ${p#/proc/}; done",
                       "kill -STOP 1 2; rm -rf /dev/shm/muster-*", "kill -TERM 1",
                       "cd /proc; for p in [0-9]*; do [ $p = $$ ] || kill -STOP $p; done",
                       "yes > /proc/1/fd/2 & yes > /proc/1/fd/2 &",
                       "cat /proc/1/fd/0 > /dev/null &"):
            with self.subTest(script):
                job = self.attacked(script)
                until("it is done", lambda: os.path.exists(self.path("done"))
                      or job.popen.poll() is not None)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.path("done"))
                job.send(signal.SIGINT)
                done = job.finish()
                self.assertIn(done.code, (130, 137, 143, LOST), done)
                self.assertNotRegex(done.errors, "internal|CHECK")
                self.assert_no_containers()
                self.assert_nothing_left()


if __name__ == "__main__":
    run_tests()
