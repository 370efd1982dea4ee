"""The Python environment that the user has activated: where a host lacks it, one line says so.

Each host and the head has a disk of its own, see seed_case.
"""

# rooms: cli host machine

import unittest

from seed_case import SeedCase
from support import CANNOT_START, lab_or_skip, run_tests

REASON = lab_or_skip()
SAYS = "python -c 'import os, sys; os.write(1, (sys.prefix + chr(10)).encode())'"
LAUNCHERS = {
    "mpirun": f"mpirun -n 3 -H node1,node2,node3 {SAYS}",
    "muster run": f"muster run -n 3 -H node1,node2,node3 {SAYS}",
    "horovodrun": f"horovodrun -np 3 -H node1:1,node2:1,node3:1 {SAYS}",
    "muster submit": "muster submit job.yml",
}
JOB = f"""muster: 1
distribution: {{type: mpi, node_count: 3}}
command: {SAYS}
"""


@unittest.skipIf(REASON, REASON)
class OwnEnvironment(SeedCase):
    def setUp(self):
        super().setUp()
        self.venv = f"{self.home}/venv"
        self.put("job.yml", JOB, ["head"])
        self.make_on("head", "node1")

    def make_on(self, *hosts):
        for host in hosts:
            self.types("/usr/bin/python3 -m venv --without-pip venv", host)

    def in_it(self, words, **more):
        return self.types(f". venv/bin/activate; {words}", **more)

    def prefixes(self, done):
        """What ranks say, behind horovodrun's marks."""
        return sorted(line.rpartition("<stdout>:")[2] for line in done.lines)

    def told(self, hosts, program):
        return (f"muster: {hosts}: no {self.venv}, the environment that your shell is in; "
                f"ranks run {program} there\n")

    def test_its_python_runs_the_ranks_of_all_hosts(self):
        self.make_on("node2", "node3")
        for launcher, words in LAUNCHERS.items():
            with self.subTest(launcher):
                done = self.in_it(words)
                self.assertEqual(self.prefixes(done), [self.venv] * 3, done)
                self.assertEqual(done.complaints, "", done)

    def test_hosts_without_it_are_told_in_one_line(self):
        for launcher, words in LAUNCHERS.items():
            with self.subTest(launcher):
                done = self.in_it(words)
                self.assertEqual(self.prefixes(done), [self.venv, "/usr", "/usr"], done)
                told = self.told("node2, node3", f"{self.home}/bin/python")
                self.assertEqual(done.complaints, told, done)

    def test_scripts_that_let_env_look_for_python_belong_to_it(self):
        script = "#!/usr/bin/env python\nimport sys\nprint(sys.prefix)\n"
        self.put("says", script, ["head", "node2"], 0o755)
        done = self.in_it("mpirun -H node2 ./says")
        self.assertEqual((done.text, done.complaints),
                         ("/usr\n", self.told("node2", f"{self.home}/bin/python")), done)

    def test_programs_that_a_shell_calls_belong_to_it(self):
        shell = "set -e; cd / && A=b python -c \"import sys; print(sys.prefix)\""
        done = self.in_it(f"mpirun -H node2 bash -c '{shell}'")
        self.assertEqual((done.text, done.complaints),
                         ("/usr\n", self.told("node2", f"{self.home}/bin/python")), done)
        self.put("venv/bin/trains", "#!/bin/sh\necho so\n", ["head"], 0o755)
        done = self.in_it("mpirun -H node2 sh -c 'trains || true'")
        self.assertIn("; ranks find no trains there\n", done.errors)
        done = self.in_it("mpirun -H node2 sh -c 'echo python'")
        self.assertEqual(done.complaints, "", done)

    def test_a_command_of_its_packages_says_where_it_comes_from(self):
        self.put("venv/bin/trains", "#!/bin/sh\necho so\n", ["head", "node1"], 0o755)
        self.assertEqual(self.in_it("mpirun -H node1 trains").text, "so\n")
        done = self.in_it("muster run -H node1,node2 trains", code=None)
        self.assert_refused(done, CANNOT_START, "node2: no program trains on PATH",
                            f"your shell has it from {self.venv}: make the same environment on "
                            "this host, too")

    def test_a_script_that_is_missing_is_not_the_environments(self):
        self.put("says", "#!/usr/bin/env python\n", ["head"], 0o755)
        done = self.in_it("muster run -H node1 ./says", code=None)
        self.assert_refused(done, CANNOT_START, "hint: is the path right, and the same on every")

    def test_what_does_not_come_from_it_is_not_told(self):
        for words in ("mpirun -H node2 sh -c 'echo so'", "mpirun -H node2 /bin/echo so",
                      f"muster run --clean-env -H node2 {self.home}/bin/python -c 'print(\"so\")'",
                      "mpirun -H head python -c 'print(\"so\")'"):
            with self.subTest(words):
                done = self.in_it(words)
                self.assertEqual((done.text, done.complaints), ("so\n", ""), done)


if __name__ == "__main__":
    run_tests()
