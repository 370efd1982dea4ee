"""Hosts of Debian 13, and of both: Open MPI 5, MPICH 4.2, torch 2.6, Slurm 24.11 and podman 5.

tools/debian13 makes their root. muster itself is the one that was built on Debian 12.
"""

# rooms: host link pmi pmix machine plan
# needs: debian13 frameworks-mpis
# busy
# long

import json
import os
import re
import subprocess
import sys
import unittest

from support import MUSTER, ROOT, LabCase, lab_or_skip, run_tests
from framework_case import python_of
from lab import LOCAL  # which support has put on the path
import image
import test_containers_hosts
from mpi_programs import SOURCES
from test_slurm import SlurmCase

SECONDS = 180  # for ranks that import torch, on few cores
REDUCE = """
import os, torch, torch.distributed as dist
dist.init_process_group('gloo')
one = torch.ones(1)
dist.all_reduce(one)
os.write(1, f'{torch.__version__.split("+")[0]} {dist.get_rank()} of {one.item():.0f}\\n'.encode())
"""
# torchrun's own, which asks for libuv, whatever USE_LIBUV says: it cannot start anything here.
TORCHRUN = '''
import functools
import torch.distributed as dist
dist.TCPStore = functools.partial(dist.TCPStore, use_libuv=False)
from torch.distributed import run
run.main()
'''
SHOWS = "import json, os; os.write(1, ('SEEN ' + json.dumps(dict(os.environ)) + '\\n').encode())"


def root_or_none():
    done = subprocess.run([os.path.join(ROOT, "tools", "debian13"), "--where"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip() or None


DEBIAN13 = root_or_none()
ALL = {name: DEBIAN13 for name in ("head", "node1", "node2")}
WHEELS = python_of("mpis")
NO_WHEELS = "" if WHEELS else "`tools/frameworks mpis` has not built its Python"
REASON = lab_or_skip() or ("" if DEBIAN13 else "`tools/debian13` has not made its root")
if REASON:
    print(f"SKIPPED: no hosts with Debian 13: {REASON}", file=sys.stderr)


class HostsCase(LabCase):
    """The head and two hosts; those of `roots` run Debian 13."""

    roots = ALL
    shared = []

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2, roots=cls.roots, shared=cls.shared)

    def environment(self, **more):
        """Debian's torch 2.6 has no libuv, and asks for it nevertheless."""
        return super().environment(USE_LIBUV="0", **more)

    def compiled(self, name, library):
        """The path of an MPI program that each host has compiled for itself."""
        path = f"{LOCAL}/{name}.{library}"
        for host in self.lab.hosts():
            words = [f"mpicc.{library}", "-O1", os.path.join(SOURCES, f"{name}.c"), "-o", path]
            code, out, err = self.lab.run([*words, "-lpthread"], host)
            self.assertEqual(code, 0, (host, out, err))
        return path

    def well(self, name, library, ranks, hosts):
        done = self.launch("-H", hosts, "-n", str(ranks), "--oversubscribe",
                           self.compiled(name, library), seconds=SECONDS)
        self.assertEqual(done.code, 0, done)
        self.assertIn(f"{name} ok with {ranks}", done.text.splitlines(), done)

    def release(self, host):
        return self.lab.run(["cat", "/etc/debian_version"], host)[1].decode().partition(".")[0]


@unittest.skipIf(REASON, REASON)
class Debian13(HostsCase):
    def test_it_is_what_it_says(self):
        self.assertEqual({self.release(host) for host in self.lab.hosts()}, {"13"})

    def test_16_ranks_of_open_mpi_5(self):
        for name in ("hello", "collectives", "point_to_point"):
            with self.subTest(name):
                self.well(name, "openmpi", 16, "node1:8,node2:8")

    def test_16_ranks_of_mpich(self):
        for name in ("hello", "collectives", "point_to_point"):
            with self.subTest(name):
                self.well(name, "mpich", 16, "node1:8,node2:8")

    def test_ranks_of_mpi4py(self):
        done = self.launches("-H", "node1:2,node2:2", "/usr/bin/python3", "-c",
                             "from mpi4py import MPI; import os; world = MPI.COMM_WORLD\n"
                             "os.write(1, f'{world.allreduce(1)}\\n'.encode())", seconds=SECONDS)
        self.assertEqual(done.lines, ["4"] * 4)

    def test_ranks_of_torch_meet(self):
        done = self.launches("-H", "node1:2,node2:2", "/usr/bin/python3", "-c", REDUCE,
                             seconds=SECONDS)
        self.assertEqual(done.lines, [f"2.6.0 {rank} of 4" for rank in range(4)])

    def test_torch_without_libuv_says_what_helps(self):
        done = self.launch("-H", "node1:1,node2:1", "-x", "USE_LIBUV=1", "/usr/bin/python3", "-c",
                           REDUCE, seconds=SECONDS)
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"hint: torch on node[12] was built without libuv, .*"
                                      r"USE_LIBUV=0")

    def seen(self, text):
        """The environments of the ranks, in their order."""
        found = [json.loads(line) for line in re.findall(r"SEEN (\{.*\})", text)]
        return sorted(found, key=lambda one: int(one["RANK"]))

    def test_variables_of_torchrun_beside_its_own(self):
        words = ["--nproc-per-node", "2", self.write("shows.py", SHOWS)]
        code, out, err = self.lab.run(["/usr/bin/python3", "-c", TORCHRUN, *words],
                                      env=self.environment(), seconds=SECONDS)
        self.assertEqual(code, 0, err)
        ours = self.launches("torchrun", *words, command=[MUSTER], seconds=SECONDS)
        # The store is that of rank 0: there is no agent of torchrun's to keep one.
        drawn = {"MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE",
                 "TORCHELASTIC_USE_AGENT_STORE"}
        for mine, own in zip(self.seen(ours.text), self.seen(out.decode()), strict=True):
            self.assertEqual(set(own) - set(mine), set())
            different = {name: (mine[name], value) for name, value in own.items()
                         if name not in drawn and mine[name] != value}
            self.assertEqual(different, {})


@unittest.skipIf(REASON, REASON)
class Both(HostsCase):
    """node1 and the head run Debian 12, as this machine does; node2 runs Debian 13."""

    roots = {"node2": DEBIAN13}

    def test_they_are_what_they_say(self):
        self.assertEqual([self.release(host) for host in ("head", "node1", "node2")],
                         [self.release("head"), self.release("head"), "13"])
        self.assertNotEqual(self.release("head"), "13")

    def test_ranks_on_both(self):
        done = self.launches("-H", "node1:2,node2:2", "sh", "-c",
                             'echo "$RANK of $WORLD_SIZE on $(cut -d. -f1 /etc/debian_version)"')
        older = self.release("head")
        self.assertEqual(done.lines, [f"{rank} of 4 on {older if rank < 2 else 13}"
                                      for rank in range(4)])

    def test_ranks_of_mpi_started_from_an_older_host(self):
        """Two MPI libraries, or two versions of one, do not understand each other: each job stays
        on hosts of one Debian."""
        for library in ("openmpi", "mpich"):
            with self.subTest(library):
                self.well("hello", library, 4, "node2:4")

    def test_ranks_with_different_mpi_are_told_so(self):
        """Open MPI 4.1 and 5.0, MPICH 4.0 and 4.2: they would fail late, or wait for ever."""
        for library, name in (("openmpi", "Open MPI"), ("mpich", "MPICH")):
            with self.subTest(library):
                program = self.compiled("hello", library)
                done = self.launch("-H", "node1:2,node2:2", program, seconds=SECONDS)
                self.assertEqual(done.code, 244, done)
                one = rf"rank [0-3] on node[12] has {name} [45]\.\d\.\d+"
                self.assertRegex(done.errors,
                                 f"muster: error: {one} and {one}: they cannot reach each other\n")
                self.assertIn("hint: give all hosts the same version", done.errors)

    def test_a_rank_of_an_older_torch_is_told_to_look_at_versions(self):
        done = self.launch("-H", "node2:1,node1:1", "/usr/bin/python3", "-c", REDUCE,
                           seconds=SECONDS)
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"muster: rank 1 on node1 .*Connection reset by peer\n"
                                      r"(?:.*\n)*  hint: what node1 .*same version of torch\?\n")

    def test_ranks_of_torch_started_from_an_older_host(self):
        done = self.launches("-H", "node2:2", "/usr/bin/python3", "-c", REDUCE, seconds=SECONDS)
        self.assertEqual(done.lines, [f"2.6.0 {rank} of 2" for rank in range(2)])


@unittest.skipIf(REASON or NO_WHEELS, REASON or NO_WHEELS)
class OneMpiOnBoth(HostsCase):
    """node1 runs Debian 12, node2 Debian 13; their ranks have the libraries of the same wheels. So
    only the PMIx servers, which are those of each Debian, differ."""

    roots = {"node2": DEBIAN13}
    shared = [os.path.dirname(os.path.dirname(os.path.dirname(WHEELS)))] if WHEELS else []

    def program(self, name, library):
        """One that this Debian, the older of both, has compiled."""
        folder = os.path.dirname(os.path.dirname(WHEELS))
        path = self.path(f"{name}.{library}")
        words = {"openmpi": ["mpicc.openmpi"],
                 "mpich": ["cc", f"-I{folder}/include", f"-L{folder}/lib", "-l:libmpi.so.12",
                           f"-Wl,-rpath-link,{folder}/lib"]}[library]
        subprocess.run([words[0], os.path.join(SOURCES, f"{name}.c"), "-o", path, "-lpthread",
                        *words[1:]], check=True)
        return path, {"LD_LIBRARY_PATH": f"{folder}/lib"}

    def test_ranks_understand_each_other(self):
        for library in ("openmpi", "mpich"):
            for name in ("hello", "collectives", "point_to_point"):
                with self.subTest(library=library, program=name):
                    path, variables = self.program(name, library)
                    done = self.launch("-H", "node1:2,node2:2", "-n", "4", "-x", "LD_LIBRARY_PATH",
                                       path, env=self.environment(**variables), seconds=SECONDS)
                    self.assertEqual(done.code, 0, done)
                    self.assertIn(f"{name} ok with 4", done.text.splitlines(), done)


@unittest.skipIf(REASON, REASON)
class Slurm24(SlurmCase):
    options = {"nodes": 2, "roots": ALL}

    def test_a_job_has_its_hosts_from_slurm(self):
        self.assertRegex(self.slurm.ask("sinfo", "--version"), r" 24\.")
        done = self.muster(["-N", "2", "--ntasks-per-node=2"], "sh", "-c",
                           'echo "$RANK $(hostname)"')
        self.assertEqual(done.lines, ["0 node1", "1 node1", "2 node2", "3 node2"])

    def test_a_job_goes_through_the_queue(self):
        job = self.write("job.yml", "command: echo $RANK of $WORLD_SIZE on $(hostname)\n"
                                    "distribution: {type: mpi, process_count_per_instance: 1}\n"
                                    "resources: {instance_count: 2}\n")
        done = self.start([MUSTER, "run", "--slurm", "-N", "2", "--per-node", "1", "sh", "-c",
                           'echo "$RANK $(hostname)"']).finish(SECONDS)
        self.assertEqual((done.code, done.lines), (0, ["0 node1", "1 node2"]), done)
        state, out = self.batch_to_end(["-N", "2"], f"{MUSTER} submit {job}")
        self.assertEqual((state, sorted(out.splitlines())),
                         ("COMPLETED", ["0 of 2 on node1", "1 of 2 on node2"]))


@unittest.skipIf(REASON or image.why_not(), REASON or image.why_not())
class Podman5(test_containers_hosts.HostsCase):
    images = ("small",)
    hosts = {"roots": ALL, "shared": [image.cache_folder()]}

    def test_each_host_has_its_container(self):
        _, out, _ = self.containers.podman("node1", "--version")
        self.assertIn(b"podman version 5.", out)
        done = self.launches("-H", "node1:2,node2:2", "--image", image.reference("small"),
                             "--workdir", "/", "sh", "-c", 'echo "$RANK on $(hostname)"')
        self.assertEqual(done.lines, ["0 on node1", "1 on node1", "2 on node2", "3 on node2"])


if __name__ == "__main__":
    run_tests()
