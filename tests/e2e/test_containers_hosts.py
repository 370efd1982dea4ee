"""Ranks in containers on hosts that share nothing: each has a podman of its own, reached by ssh."""

# rooms: container host link pmix
# needs: podman
# busy

import os
import signal
import sys
import unittest

from mpi_programs import ends_or_hangs
from support import (CANNOT_START, LOST, MUSTER, PYTHON, LabCase, by_age, kill_all, lab_or_skip,
                     run_tests, survivors, until)
import image

REASON = lab_or_skip() or image.why_not()
if REASON:
    print(f"SKIPPED: no hosts with containers can be made here: {REASON}", file=sys.stderr)
IMAGES = ("small", "full", "no-pmix", "musl")
HOSTS = "node1:8,node2:8"
# Ranks of MPI look for messages all the time, sixteen of them on this machine's few cores: agents
# and the head may not get a turn within the usual lease, and here nobody is to be lost. Beyond the
# time that a run has here: a link that is stuck is looked at while it is.
PATIENT = ("--lease", "600")
SECONDS = 600  # for sixteen ranks that all read torch, or a runtime that starts beside them

DDP = """
import os, torch, torch.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
model(torch.ones(3, 4)).sum().backward()
total = torch.ones(1)
dist.all_reduce(total)
if dist.get_rank() == 0:
    print("trained", int(total.item()))
dist.destroy_process_group()
"""


class HostsCase(LabCase):
    images = IMAGES
    hosts = {}  # what they are, in words of Lab

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2, **cls.hosts)
        cls.containers = image.Containers(cls.lab, cls.images)
        cls.containers.__enter__()
        cls.addClassCleanup(cls.containers.close)

    def setUp(self):
        super().setUp()
        self.addCleanup(self.assert_no_containers)

    def launch(self, *words, seconds=SECONDS, **more):
        done = self.start_in_lab(*words, **more).finish(seconds)
        self.assert_hosts_clean()
        return done

    def listed(self):
        found = {}
        for host in ("head", *self.lab.names):
            _, out, _ = self.containers.podman(host, "ps", "-a", "-q")
            if out.strip():
                found[host] = out.decode().split()
        return found

    def assert_no_containers(self):
        try:
            until("no container", lambda: not self.listed())
        except TimeoutError:
            self.fail(f"left behind: {self.listed()}")


@unittest.skipIf(REASON, REASON)
class Programs(HostsCase):
    def runs(self, name, *words, hosts=HOSTS, options=()):
        return self.launches("-H", hosts, *PATIENT, *options, "--image", image.reference(name),
                             "--workdir", "/", *words)

    def test_each_host_has_its_container(self):
        done = self.runs("small", "sh", "-c", 'echo $(hostname) $(readlink /proc/self/ns/pid)',
                         hosts="node1:2,node2:2")
        self.assertEqual(len(set(done.lines)), 2, done)
        self.assertEqual({line.split()[0] for line in done.lines}, {"node1", "node2"}, done)

    def test_sixteen_ranks_train_with_torch(self):
        done = self.runs("full", PYTHON, "-c", DDP)
        self.assertEqual(done.text, "trained 16\n", done)

    def test_sixteen_ranks_of_open_mpi(self):
        done = self.runs("full", "/mpi/openmpi/collectives")
        self.assertIn("ok with 16", done.text, done)

    def mpich_is_well(self, name, ranks, hosts=HOSTS):
        job = self.start_in_lab("-H", hosts, *PATIENT, "--image", image.reference(name),
                                "--workdir", "/", "/mpi/mpich/hello")
        ends_or_hangs(self, job, f"hello ok with {ranks}")

    def test_sixteen_ranks_of_mpich(self):
        self.mpich_is_well("full", 16)

    def test_an_image_without_pmix(self):
        self.mpich_is_well("no-pmix", 4, "node1:2,node2:2")

    def test_an_image_with_musl(self):
        done = self.runs("musl", "/bin/hello", hosts="node1:2,node2:2")
        self.assertEqual(len(done.lines), 4, done)

    def test_bound_ranks_of_musl(self):
        """Cores are found by the helper, which musl could not start: it runs outside."""
        done = self.runs("musl", "/bin/hello", hosts="node1:1,node2:1",
                         options=("--bind-to", "core", "--oversubscribe"))
        self.assertEqual(len(done.lines), 2, done)


@unittest.skipIf(REASON, REASON)
class Jobs(HostsCase):
    def test_a_launcher_in_the_command_starts_ranks_in_containers(self):
        """It runs in the head's container, and has the head reach those of the hosts."""
        os.mkdir(self.path("code"))
        self.write("code/where.sh", "echo $RANK $(hostname) $(readlink /proc/self/ns/pid)\n")
        self.write("job.yml", f"""
command: mpirun -n 4 sh where.sh
code: ./code
environment: {{image: "{image.reference('full')}"}}
distribution: {{type: mpi, process_count_per_instance: 2}}
resources: {{instance_count: 2}}
""")
        job = self.start_in_lab("job.yml", "-H", "node1:2,node2:2", command=[MUSTER, "submit"],
                                env=self.environment(MUSTER_SSH_COMMAND=self.lab.ssh_command,
                                                     MUSTER_RECORDS=self.path("records")))
        done = job.finish(SECONDS)
        self.assertEqual(done.code, 0, done)
        places = {tuple(line.split()[1:]) for line in done.lines}
        self.assertEqual([host for host, _ in sorted(places)], ["node1", "node2"], done)
        self.assert_hosts_clean()


@unittest.skipIf(REASON, REASON)
class Ends(HostsCase):
    def job(self, *words):
        job = self.start_in_lab(
            "-H", "node1:2,node2:2", "--grace", "2", "--lease", "3", *words, "--image",
            image.reference("small"), "--workdir", "/", "sh", "-c",
            f"(trap '' TERM INT HUP; exec sleep {self.mark}) & "
            f"setsid sleep {self.mark} & echo ready; sleep {self.mark}; exit 77")
        until("ranks", lambda: len(self.ranks()) >= 4, SECONDS)
        return job

    def ranks(self):
        """They lie in PID namespaces below those of the hosts."""
        return [pid for pid, words in survivors(self.mark).items() if words.startswith("sh -c (")]

    def assert_gone(self, job, codes):
        done = job.finish()
        self.assertIn(done.code, codes, done)
        self.assert_hosts_clean()
        self.assert_no_containers()

    def test_head_is_killed(self):
        job = self.job()
        os.kill(job.pid, signal.SIGKILL)
        self.assert_gone(job, {137})

    def test_agents_are_killed(self):
        job = self.job()
        kill_all([by_age(self.lab.children_named(host, "muster"))[0] for host in self.lab.names])
        self.assert_gone(job, {LOST})

    def test_a_host_without_the_image(self):
        job = self.launch("-H", "node1:1,node2:1", "--image", "localhost/nobody:1", "--workdir",
                          "/", "true")
        self.assert_refused(job, CANNOT_START,
                            "node1, node2: the image 'localhost/nobody:1' is not there")


if __name__ == "__main__":
    run_tests()
