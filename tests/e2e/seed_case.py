"""What the tests of the seeds share: four hosts without a common folder, and programs that train.

Each host, and the head, has the test's folder on a disk of its own (lab.LOCAL), with a `bin` that
comes first on PATH: `python`, muster under its launchers' names, and an `ssh` that knows the hosts.
What a program needs is put on those hosts that a user would copy it to.
"""

import os
import re
import shutil
import subprocess

from support import MUSTER, PATIENCE, PYTHON, ROOT, LabCase, Running
from lab import LOCAL  # which support has put on the path

JOBS = os.path.join(ROOT, "examples", "jobs")
LAUNCHERS = ("muster", "mpirun", "horovodrun", "torchrun")
NODES = ("node1", "node2", "node3", "node4")
EVERYWHERE = ("head", *NODES)

# On two hosts, in a copy of the folder src, with an output; its command follows.
CODE_JOB = """muster: 1
code: src
distribution: {type: mpi, node_count: 2}
outputs:
  model:
command: |
  """

# Data-parallel descent on a line (slope 2, offset 1) by gloo; --local_rank is what some launchers
# add. A rank says who it is and what it has learnt in one write, since launchers share a pipe.
TRAIN = """
import argparse, os, socket
import torch
import torch.distributed as dist

words = argparse.ArgumentParser()
words.add_argument('--epochs', type=int, default=50)
words.add_argument('--local_rank', type=int, default=0)
words.add_argument('--language', default='')
args = words.parse_args()
dist.init_process_group('gloo')
rank, size = dist.get_rank(), dist.get_world_size()
x = torch.linspace(-1, 1, 64)[rank::size]
line = torch.zeros(2)
for epoch in range(args.epochs):
    wrong = line[0] * x + line[1] - (2 * x + 1)
    gradient = torch.stack([(wrong * x).mean(), wrong.mean()])
    dist.all_reduce(gradient)
    line -= 0.5 * gradient / size
threads = torch.get_num_threads() if 'OMP_NUM_THREADS' in os.environ else 'own'
# One write: under a launcher of the script's own, ranks share a pipe, and Python is unbuffered.
os.write(1, f'trained {rank} of {size} on {socket.gethostname()}: {line[0]:.4f} {line[1]:.4f} '
         f"threads {threads} {os.environ.get('NCCL_DEBUG', '-')} "
         f"{args.language or '-'}\\n".encode())
dist.destroy_process_group()
"""

# The same with MPI alone.
TRAIN_MPI = """
import os, socket
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
points = [-1 + 2 * i / 63 for i in range(64)][rank::size]
slope = offset = 0.0
for epoch in range(50):
    wrong = [slope * x + offset - (2 * x + 1) for x in points]
    slope -= 0.5 * world.allreduce(sum(w * x for w, x in zip(wrong, points))) / 64
    offset -= 0.5 * world.allreduce(sum(wrong)) / 64
print(f'trained {rank} of {size} on {socket.gethostname()}: {slope:.4f} {offset:.4f}',
      'threads', os.environ.get('OMP_NUM_THREADS', 'own'),
      os.environ.get('NCCL_DEBUG', '-'), '-')
"""

TRAINED = re.compile(r"trained (\d+) of (\d+) on (\S+): (\S+) (\S+) threads (\S+) (\S+) (\S+)")


class SeedCase(LabCase):
    """A LabCase with four hosts, the test's folder on each, and a cluster in muster.yml."""

    @classmethod
    def setUpClass(cls):
        cls.lab_of(4)

    def setUp(self):
        super().setUp()
        self.home = f"{LOCAL}/{self._testMethodName}"
        self.addCleanup(self.remove_all)
        for host in EVERYWHERE:
            os.makedirs(self.at(host, "bin"))
            os.symlink(PYTHON, self.at(host, "bin", "python"))
            for launcher in LAUNCHERS:
                os.symlink(MUSTER, self.at(host, "bin", launcher))
            self.put("bin/ssh", f'#!/bin/sh\nexec /usr/bin/{self.by_address()} "$@"\n', [host],
                     0o755)
        hosts = ", ".join(NODES)
        self.put("muster.yml", "default: cluster\ntargets:\n" + "".join(
            f"  {name}: {{hosts: [{hosts}], without: [environment, gpus]}}\n"
            for name in ("cluster", "gpu-cluster", "my-aks-cluster")), ["head"])

    def remove_all(self):
        for host in filter(self.lab.lives, EVERYWHERE):
            shutil.rmtree(self.lab.path(host, self.home), ignore_errors=True)

    def by_address(self):
        """An ssh that knows hosts by name and by address."""
        return self.lab.write_ssh_config("by_address")

    def at(self, host, *parts):
        """The path, seen from here, of something in the test's folder of a host."""
        return self.lab.path(host, os.path.join(self.home, *parts))

    def put(self, name, text, hosts=EVERYWHERE, mode=0o644):
        for host in hosts:
            path = self.at(host, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, mode)

    def environment(self, **more):
        env = super().environment(HOME=self.home, MUSTER_START_TIMEOUT=PATIENCE[1], **more)
        env["PATH"] = f"{self.home}/bin:{env['PATH']}"
        return env

    def shell(self, script, host="head"):
        """Starts what a person types in the test's folder of a host."""
        started = self.lab.start(["bash", "-c", f"cd {self.home}\n{script}"], host,
                                 self.environment(), "/", stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        running = Running(started.popen)
        running.send, running.pid = started.send, started.pid
        self.running.append(running)
        return running

    def types(self, script, host="head", code=0, seconds=300):
        """The same, to its end; `code` is None where it is not known."""
        done = self.shell(script, host).finish(seconds)
        if code is not None:
            self.assertEqual(done.code, code, done)
        self.assert_hosts_clean()
        return done

    def submit(self, name, *words, code=0):
        """`muster submit` of a job file of the examples, copied to the head."""
        with open(os.path.join(JOBS, name + ".yml"), encoding="utf-8") as file:
            self.put("job.yml", file.read(), ["head"])
        return self.types(" ".join(["muster submit job.yml", *words]), code=code)

    def assert_trained(self, done, nodes, per_node, debug="-", language="-", threads=None):
        """All ranks have learnt the same line; each is where it belongs, with its share of the
        host's threads, or with a host to itself as many as it likes, unless said otherwise."""
        ranks = sorted((one for one in TRAINED.findall(done.text)), key=lambda one: int(one[0]))
        size = nodes * per_node
        self.assertEqual([one[:3] for one in ranks],
                         [(str(rank), str(size), NODES[rank // per_node]) for rank in range(size)],
                         done)
        self.assertEqual(len({one[3:5] for one in ranks}), 1, done)
        self.assertAlmostEqual(float(ranks[0][3]), 2, delta=0.02)
        self.assertAlmostEqual(float(ranks[0][4]), 1, delta=0.02)
        share = max(1, len(os.sched_getaffinity(0)) // per_node)
        threads = threads or ("own" if per_node == 1 else share)
        self.assertEqual({one[5:] for one in ranks}, {(str(threads), debug, language)}, done)
