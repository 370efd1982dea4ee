"""The job files that people bring along, on four ssh hosts that share no folder.

The first number of a test is that of the document; see tests/e2e/seed_case.py for the hosts. Files
are those of examples/jobs, as they are. torch trains by gloo; Horovod and TensorFlow, which cannot
be installed here, have stand-ins that meet as they do.
"""

# rooms: front job plan cli head
# long
# busy

import os
import unittest

from seed_case import NODES, TRAIN, TRAIN_MPI, SeedCase
from support import HERE, CANNOT_START, lab_or_skip, run_tests
from test_horovod import MEET
from test_roles import MIRRORED, PEER

REASON = lab_or_skip()
PACKAGES = "/usr/lib/python3/dist-packages"
MISSING = [name for name in ("torch", "mpi4py") if not os.path.isdir(f"{PACKAGES}/{name}")]

# Workers and servers without a chief: each worker calls all servers, which wait for ever.
SERVED = PEER + """
said = f"{name} on {socket.gethostname()}, magic {os.environ['MAGIC']}, words {sys.argv[1:]}"
if task['type'] == 'ps':
    server = listen()
    print(said, flush=True)
    while True:
        with server.accept()[0] as peer:
            peer.makefile().readline()
            peer.sendall(name.encode() + b'\\n')
else:
    print(said, 'met', sorted(call(one) for one in cluster['ps']))
"""


@unittest.skipIf(REASON, REASON)
@unittest.skipIf(MISSING, f"missing (tools/setup demo test installs them): {MISSING}")
class JobDrafts(SeedCase):
    """All eight job files of document 002."""

    def test_002_horovodrun(self):
        self.put("src/train.py", MEET)
        done = self.submit("horovodrun")
        self.assertEqual(sorted(line[line.index("met"):] for line in done.text.splitlines()),
                         sorted(f"met {rank} {rank // 4} 4" for rank in range(16)), done)

    def test_002_mpirun(self):
        self.put("src/train.py", TRAIN)
        self.assert_trained(self.submit("mpirun"), 4, 4, debug="INFO")

    def test_002_mpirun_with_the_launchers_environment(self):
        self.put("src/train.py", TRAIN_MPI)
        self.assert_trained(self.submit("mpirun_same_environment"), 4, 4, debug="INFO")

    def test_002_mpirun_on_kubernetes(self):
        self.put("src/train.py", TRAIN_MPI)
        self.assert_trained(self.submit("mpirun_k8s"), 4, 4)

    def test_002_torch_launch(self):
        self.put("src/train.py", TRAIN, NODES)
        self.assert_trained(self.submit("torch_launch"), 4, 4, threads=1)

    def test_002_torch_on_kubernetes(self):
        self.put("src/train.py", TRAIN, NODES)
        self.assert_trained(self.submit("torch_k8s"), 4, 1, language="en-us")

    def test_002_tensorflow_workers(self):
        self.put("src/train.py", MIRRORED, NODES)
        done = self.submit("tensorflow_workers")
        self.assertEqual(done.lines, [
            f"worker {own} met {[f'worker {one}' for one in range(4) if one != own]}"
            for own in range(4)])

    def test_002_tensorflow_parameter_servers(self):
        """Six processes on four hosts: the servers share them with the workers."""
        self.put("src/train.py", SERVED, NODES)
        done = self.submit("tensorflow_servers")
        servers = [f"ps {index}" for index in range(4)]
        # A server's words are its own, and $MAGIC in the command is each process's variable.
        self.assertEqual(done.lines, [
            f"ps {index} on {host}, magic newnumber, words ['--magic', 'newnumber']"
            for index, host in enumerate(("node3", "node4", "node1", "node2"))] + [
            f"worker {index} on node{index + 1}, magic number, words ['--magic', 'number'] "
            f"met {servers}" for index in range(2)], done)
        self.assertIn("parameter servers share the 4 nodes of target 'gpu-cluster'", done.errors)


@unittest.skipIf(REASON, REASON)
class Code(SeedCase):
    """A host without the job's folder, and this machine neither: one line, and nothing starts."""

    def check(self, job, lacking):
        done = self.submit(job, code=None)
        lines = [line for line in done.errors.splitlines() if line.startswith("muster: error:")]
        self.assertEqual(lines, [f"muster: error: {lacking}: no folder {self.home}/src"], done)
        self.assertRegex(done.errors, r"(?m)^  hint: .*code:.* must be on every host")
        self.assertNotIn("started", done.text)
        return done

    def test_code_that_one_host_lacks(self):
        self.put("src/train.py", "print('started')", [*NODES[:2], NODES[3]])
        for job in ("torch_k8s", "torch_launch"):
            self.assertEqual(self.check(job, "node3").code, CANNOT_START)

    def test_code_that_is_only_here(self):
        self.put("src/train.py", "print('started')", ["head"])
        for job in ("torch_k8s", "mpirun_k8s"):
            self.assertIn("started", self.submit(job).text)

    def test_code_that_is_missing_here(self):
        self.put("src/train.py", "print('started')", NODES)
        self.assertEqual(self.check("mpirun_k8s", "head").code, CANNOT_START)


@unittest.skipIf(REASON, REASON)
@unittest.skipIf(MISSING, f"missing (tools/setup demo test installs them): {MISSING}")
class Components(SeedCase):
    """Document 000: a distributed component with the mpi launcher, its helper, its mpi4py lines."""

    RUNSETTINGS = ("--nodes", "2", "--per-node", "2")

    def test_000_a_component_trains_on_two_nodes(self):
        with open(os.path.join(HERE, "data", "aml_mpienv_000.py"), encoding="utf-8") as file:
            self.put("src/aml_mpienv.py", file.read(), NODES)
        script = TRAIN.replace("'--epochs'", "'--max_epochs', dest='epochs'").replace(
            "args = words.parse_args()", "args = words.parse_known_args()[0]\nargs.epochs = 50\n"
            "from aml_mpienv import set_environment_variables_for_nccl_backend, get_local_rank\n"
            "set_environment_variables_for_nccl_backend(verbose=False)\n"
            "assert get_local_rank() == int(os.environ['LOCAL_RANK'])")
        self.put("src/mpi_train.py", script, NODES)
        self.put("data/points.txt", "", NODES)
        self.assert_trained(self.submit("mpi_component", *self.RUNSETTINGS), 2, 2)

    def test_000_mpi4py_tells_rank_and_size(self):
        self.put("src/mpi_train.py",
                 "from mpi4py import MPI\ncomm = MPI.COMM_WORLD\n"
                 "world_size = comm.Get_size()\nrank = comm.Get_rank()\n"
                 "print(rank, world_size, comm.allreduce(rank))\n", NODES)
        done = self.submit("mpi_component", *self.RUNSETTINGS)
        self.assertEqual(done.lines, [f"{rank} 4 6" for rank in range(4)], done)


if __name__ == "__main__":
    run_tests()
