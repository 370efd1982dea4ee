"""Ctrl-C while a program works on an image on this machine, and would never end itself."""

# rooms: cli container process

import os
import signal

from support import MUSTER, Case, run_tests, state_of, until

# Has no image, and never gets one; what it was asked for is told with its pid.
PODMAN = """#!/bin/sh
case "$1 $2" in "image inspect") echo "Error: no such image" >&2; exit 125 ;; esac
case "$1" in build|pull) ;; *) echo 4.3.1; exit 0 ;; esac
echo $$ > "$DIR/$1.new" && mv "$DIR/$1.new" "$DIR/$1.pid"
while :; do echo "works on it"; sleep 0.05; done
"""
STEP = "{type: command, environment: {build: {path: context}}, command: 'true'}"


class Signalled(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.write("bin/podman", PODMAN, 0o755)
        os.mkdir(self.path("context"))
        self.write("context/Dockerfile", "FROM scratch\n")

    def environment(self, **more):
        return super().environment(PATH=f"{self.path('bin')}:/usr/bin:/bin", **more)

    def check(self, work, *words):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                run = self.start(*words, command=(MUSTER,))
                self.wait_for_files([f"{work}.pid"])
                pid = int(self.read(f"{work}.pid"))
                run.popen.send_signal(number)
                done = run.finish()
                self.assertEqual(done.code, 128 + number, done)
                until(f"the end of podman {work}", lambda pid=pid: not state_of(pid))
                os.remove(self.path(f"{work}.pid"))

    def test_an_image_of_a_step_is_built(self):
        self.write("job.yml", "type: pipeline\njobs: {only: " + STEP + "}\n")
        self.check("build", "submit", "job.yml")

    def test_an_image_is_pulled_to_be_sent(self):
        self.check("pull", "run", "-n", "1", "--image", "registry.example/none:1",
                   "--image-from-here", "true")


if __name__ == "__main__":
    run_tests()
