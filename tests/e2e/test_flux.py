"""muster in a Flux instance: hosts from `flux resource R`, agents started by `flux exec`.

Debian has no Flux: data/flux.py stands in for its two commands, and passes on what flux-exec(1)
does. ssh does not work but for the stand-in.
"""

# rooms: head link model

import hashlib
import os
import shutil
import subprocess
import unittest

from mpi_programs import OPEN_MPI
from support import MUSTER, PATIENCE, ROOT, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()
RUN = [MUSTER, "run", *PATIENCE]
STAND_IN = os.path.join(ROOT, "tests", "e2e", "data", "flux.py")


@unittest.skipIf(REASON, REASON)
class FluxInstance(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def setUp(self):
        super().setUp()
        os.mkdir(os.path.join(self.folder, "bin"))
        shutil.copy(STAND_IN, os.path.join(self.folder, "bin", "flux"))

    def environment(self, **more):
        path = os.path.join(self.folder, "bin") + ":" + self.lab.environment()["PATH"]
        return super().environment(FLUX_URI="local:///run/flux/local", LAB_SSH=self.lab.ssh_command,
                                   FLUX_CALLS=self.path("calls"), PATH=path,
                                   OMPI_ALLOW_RUN_AS_ROOT="1",
                                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)

    def run_in_flux(self, *words, code=0):
        done = self.launch(*words, command=RUN)
        self.assertEqual(done.code, code, done)
        return done

    def calls(self):
        return self.read("calls").decode().splitlines()

    def test_ranks_are_on_the_nodes_of_the_instance(self):
        done = self.run_in_flux("sh", "-c", 'echo "$RANK $(hostname)"')
        self.assertEqual(sorted(done.lines), ["0 node1", "1 node1", "2 node2", "3 node2"])
        self.assertEqual(sorted(self.calls()), ["exec --rank=4 --dir=/", "exec --rank=5 --dir=/",
                                                "resource R --states=up"])

    def test_named_hosts_are_reached_in_the_same_way(self):
        done = self.run_in_flux("-H", "node2", "hostname")
        self.assertEqual(done.lines, ["node2"])
        self.assertIn("exec --rank=5 --dir=/", self.calls())

    def test_bytes_stay_what_they_are(self):
        data = os.urandom(3_000_000) + b"no line, \0 and one\n" * 1000 + b"the end"
        with open(self.path("data"), "wb") as file:
            file.write(data)
        script = f"cat; cat '{self.path('data')}'"
        done = self.start_in_lab("-H", "node2", "--stdin", "0", "sh", "-c", script,
                                 command=RUN, stdin=subprocess.PIPE).finish(stdin=data)
        self.assertEqual((done.code, done.complaints), (0, ""))
        self.assertEqual(hashlib.sha256(done.out).digest(), hashlib.sha256(data + data).digest())
        self.assert_hosts_clean()

    def test_a_failure_is_named(self):
        done = self.run_in_flux("sh", "-c", '[ "$RANK" != 3 ] || exit 7; sleep 3600', code=7)
        self.assertIn("rank 3 on node2 exited with code 7", done.errors)

    def test_an_agent_that_does_not_start_is_told_with_its_words(self):
        done = self.launch("--agent-path", "/nowhere/muster", "true", command=RUN)
        self.assertNotEqual(done.code, 0)
        self.assertIn("/nowhere/muster", done.errors)

    def test_nothing_stays_when_the_head_is_killed(self):
        running = self.start_in_lab("sh", "-c", ': > "$DIR/ready.$RANK"; exec sleep "$E2E_MARK"',
                                    command=RUN)
        self.wait_for_files([f"ready.{rank}" for rank in range(4)])
        running.send(9)
        running.finish()
        self.assert_hosts_clean()

    def test_ranks_of_open_mpi(self):
        done = self.run_in_flux(OPEN_MPI.program("hello"))
        self.assertEqual(done.lines, ["hello ok with 4"], done)

    def test_ssh_is_used_where_it_is_asked_for(self):
        done = self.run_in_flux("--ssh-command", self.lab.ssh_command, "hostname")
        self.assertEqual(sorted(done.lines), ["node1", "node1", "node2", "node2"])
        self.assertEqual(self.calls(), ["resource R --states=up"])


if __name__ == "__main__":
    run_tests()
