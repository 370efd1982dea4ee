"""GPUs in parts whose driver's tool hangs: who waits for it, how long, and what is said."""

# rooms: host machine probe process wire

import os
import signal
import unittest

from support import MUSTER, Case, run_tests, state_of, until

GPU = "GPU-aaaa-{0}"
PART = "MIG-1234-000{0}"


def can_make_mounts():
    """As root of this machine, or of a container that may."""
    return os.geteuid() == 0 and os.system("unshare -m mount -t tmpfs none /proc/driver") == 0


@unittest.skipUnless(can_make_mounts(), "needs a namespace of mounts")
class SilentDriver(Case):
    def setUp(self):
        super().setUp()
        self.begun = self.path("begun")
        for number in range(2):
            self.file(f"driver/nvidia/gpus/0000:0{number}:00.0/information",
                      f"Model: \t NVIDIA H200\nGPU UUID: \t {GPU.format(number)}\n"
                      f"Device Minor: \t {number}\n")
            self.file(f"driver/nvidia/capabilities/gpu{number}/mig/gi1/ci0/access", "")

    def file(self, name, text):
        path = self.path(*name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def tool(self, script):
        path = self.file("bin/nvidia-smi", f"#!/bin/sh\necho $$ >> {self.begun}\n{script}\n")
        os.chmod(path, 0o755)

    def given(self):
        """muster where the driver is another one, of which this job may use a part of each GPU."""
        script = f'mount --bind {self.path("driver")} /proc/driver && exec "$@"'
        return {"command": ("unshare", "-m", "sh", "-ec", script, "sh", MUSTER, "run"),
                "env": {"PATH": self.path("bin") + ":" + os.environ["PATH"],
                        "CUDA_VISIBLE_DEVICES": ",".join(PART.format(one) for one in range(2))}}

    def assert_tool_is_gone(self):
        """It has been killed, but nobody waits for its end."""
        pids = [int(pid) for pid in self.read("begun").split()]
        until(lambda: f"the end of its tool, one of {pids}",
              lambda: all(state_of(pid) in ("", "Z") for pid in pids))

    def test_it_is_not_asked_where_no_rank_needs_it(self):
        self.tool("exec sleep 600")
        for place in ((), ("--fake-nodes", "2")):
            with self.subTest(place=place):
                done = self.succeeds("-n", "2", *place, "true", **self.given())
                self.assertEqual(done.complaints, "", done)
                self.assertFalse(os.path.exists(self.begun), "nobody wants to know")

    def test_one_that_hangs_is_told_and_the_job_goes_on(self):
        self.tool("exec sleep 600")
        for place in ((), ("--fake-nodes", "1")):
            with self.subTest(place=place):
                done = self.succeeds("-n", "2", *place, "--gpus-per-rank", "1", "sh", "-c",
                                     "echo $CUDA_VISIBLE_DEVICES", **self.given())
                self.assertEqual(sorted(done.lines), [PART.format(0), PART.format(1)], done)
                self.assertRegex(done.complaints,
                                 r"^muster: \S+ nvidia-smi -L does not answer within 5 s, so which "
                                 r"GPU a part belongs to is not known there: .*\n$")
                self.assert_tool_is_gone()

    def test_one_that_answers_is_not_spoken_of(self):
        lines = "".join(f"GPU {one}: NVIDIA H200 (UUID: {GPU.format(one)})\n"
                        f"  MIG 1g.18gb     Device  0: (UUID: {PART.format(one)})\n"
                        for one in range(2))
        self.file("listing", lines)
        self.tool(f"exec cat {self.path('listing')}")
        done = self.succeeds("-n", "2", "--fake-nodes", "1", "--gpus-per-rank", "1", "sh", "-c",
                             "echo $CUDA_VISIBLE_DEVICES", **self.given())
        self.assertEqual(sorted(done.lines), [PART.format(0), PART.format(1)], done)
        self.assertEqual(done.complaints, "", done)
        self.assertEqual(len(self.read("begun").split()), 1, "asked once")

    def test_a_signal_is_heard_meanwhile(self):
        self.tool("exec sleep 600")
        for place in ((), ("--fake-nodes", "1")):
            with self.subTest(place=place):
                if os.path.exists(self.begun):
                    os.remove(self.begun)
                run = self.start("-n", "2", *place, "--gpus-per-rank", "1", "echo", "begun",
                                 **self.given())
                self.wait_for_files(["begun"])
                run.send(signal.SIGINT)
                done = run.finish()
                self.assertEqual(done.code, 130, done)
                self.assertEqual(done.text, "", "no rank was started")
                self.assertNotIn("does not answer", done.errors, "the signal has come first")
                self.assert_tool_is_gone()


if __name__ == "__main__":
    run_tests()
