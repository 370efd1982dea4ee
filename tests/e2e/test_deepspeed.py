"""`muster deepspeed`: what its ranks find, on one machine, on fake nodes and on ssh hosts."""

# rooms: front plan

import json
import os
import unittest

from front_case import FrontCase, LabFrontCase
from support import lab_or_skip, run_tests

REASON = lab_or_skip()
MPI4PY = os.path.isdir("/usr/lib/python3/dist-packages/mpi4py")

NAMES = ("RANK LOCAL_RANK WORLD_SIZE LOCAL_SIZE CROSS_RANK CROSS_SIZE CUDA_VISIBLE_DEVICES "
         "MASTER_ADDR MASTER_PORT").split()
SHOW = f"""
import json, os, sys
print(json.dumps({{"words": sys.argv[1:], "name": __name__,
                  "env": {{k: os.environ.get(k) for k in {NAMES!r}}},
                  "more": {{k: os.environ.get(k) for k in ("A", "B", "PYTHONPATH")}}}}))
"""

# deepspeed/comm/comm.py, mpi_discovery(): what DeepSpeed asks of MPI when variables are missing.
DISCOVER = """
import os, subprocess
for name in ('RANK', 'WORLD_SIZE', 'LOCAL_RANK', 'MASTER_ADDR', 'MASTER_PORT'):
    os.environ.pop(name)
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, world_size = comm.Get_rank(), comm.Get_size()
master_addr = None
if rank == 0:
    master_addr = subprocess.check_output(['hostname', '-I'], text=True).split()[:1]
master_addr = comm.bcast(master_addr, root=0)
names = comm.allgather(MPI.Get_processor_name())
local_rank = sum(name == names[rank] for name in names[:rank])
assert rank == int(os.environ['OMPI_COMM_WORLD_RANK'])
assert world_size == int(os.environ['OMPI_COMM_WORLD_SIZE'])
print(rank, local_rank, world_size)
"""


class Shown:
    def ranks(self, done):
        """What each rank has told, by rank."""
        told = sorted(map(json.loads, done.text.splitlines()),
                      key=lambda one: int(one["env"]["RANK"]))
        self.assertEqual([int(one["env"]["RANK"]) for one in told], list(range(len(told))))
        return told


class OneMachine(FrontCase, Shown):
    name = "deepspeed"

    def test_two_devices(self):
        self.write("train.py", SHOW)
        done = self.succeeds("--num_gpus", "2", "train.py", "--deepspeed", "$HOME ${local_rank}")
        for rank, told in enumerate(self.ranks(done)):
            port = told["env"].pop("MASTER_PORT")
            self.assertGreater(int(port), 1023)
            self.assertEqual(told["env"], {
                "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_SIZE": "2",
                "CROSS_RANK": "0", "CROSS_SIZE": "1", "CUDA_VISIBLE_DEVICES": "0,1",
                "MASTER_ADDR": "127.0.0.1"})
            self.assertEqual(told["words"],
                             [f"--local_rank={rank}", "--deepspeed", "$HOME ${local_rank}"])

    def test_module_and_no_python(self):
        self.write("train.py", SHOW)
        self.write("show", "#!/usr/bin/python3\n" + SHOW, 0o755)
        for words, local in ((["--module", "train"], ["--local_rank=0"]),
                             (["--no_python", "./show"], ["--local_rank=0"]),
                             (["--no_local_rank", "train.py"], []),
                             (["--launcher=mpich", "train.py"], [])):
            told = self.ranks(self.succeeds("--num_gpus", "1", *words, "x"))[0]
            self.assertEqual((told["words"], told["name"]), ([*local, "x"], "__main__"))

    def test_devices_that_the_caller_has_chosen(self):
        self.write("train.py", SHOW)
        for words, ranks in (((), 1), (("--num_gpus", "2"), 2)):
            done = self.succeeds(*words, "train.py", env=self.environment(CUDA_VISIBLE_DEVICES=""))
            self.assertEqual([one["env"]["CUDA_VISIBLE_DEVICES"] for one in self.ranks(done)],
                             [""] * ranks)
        done = self.succeeds("train.py", env=self.environment(CUDA_VISIBLE_DEVICES="5,3"))
        self.assertEqual([one["env"]["CUDA_VISIBLE_DEVICES"] for one in self.ranks(done)],
                         ["5,3", "5,3"])

    def test_what_each_rank_has_of_its_own_is_not_for_a_file_to_say(self):
        """As accelerate does, which writes the whole environment of its shell there."""
        self.write("train.py", SHOW)
        self.write(".deepspeed_env", "A=1\nA=2\nCUDA_VISIBLE_DEVICES=7\nMASTER_ADDR=10.9.9.9\n"
                   "RANK=5\n")
        done = self.succeeds("--force_multi", "--num_gpus", "1", "train.py")
        told = self.ranks(done)[0]
        self.assertEqual({name: told["env"][name] for name in
                          ("RANK", "WORLD_SIZE", "MASTER_ADDR", "CUDA_VISIBLE_DEVICES")},
                         {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
                          "CUDA_VISIBLE_DEVICES": "0"})
        self.assertEqual(told["more"]["A"], "2")
        self.assertIn("CUDA_VISIBLE_DEVICES, MASTER_ADDR, RANK are left out", done.errors)

    def test_nodes_of_a_rehearsal(self):
        self.write("train.py", SHOW)
        told = self.ranks(self.succeeds("--fake-nodes", "2", "--num_gpus", "2", "train.py"))
        self.assertEqual([one["env"]["CROSS_RANK"] for one in told], ["0", "0", "1", "1"])
        self.assertEqual([one["words"][0] for one in told],
                         ["--local_rank=0", "--local_rank=1"] * 2)

    def test_the_code_of_the_rank_that_failed(self):
        self.write("fail", "#!/bin/sh\nexit 7\n", 0o755)
        self.assertEqual(self.muster("--num_gpus", "2", "--no_python", "./fail").code, 7)

    def test_wrong_words_start_nothing(self):
        self.write("hosts", "a slots=2\n")
        for words, code, pattern in ((["-H", "hosts", "-i", "b"], 1, "no host 'b'"),
                                     (["-H", "hosts", "--num_nodes", "2"], 1, "1 host is known"),
                                     (["--autotuning", "tune"], 2, "autotuner"),
                                     (["--num_gpsu", "2"], 2, "--num_gpus")):
            self.assert_refused(self.muster(*words, "train.py"), code, pattern)

    @unittest.skipUnless(MPI4PY, "no mpi4py here")
    def test_its_discovery_through_mpi(self):
        self.write("train.py", DISCOVER)
        for words in (["--num_gpus", "3"], ["--fake-nodes", "3", "--launcher", "openmpi"]):
            done = self.succeeds(*words, "train.py")
            self.assertEqual(done.lines, [f"{rank} {rank} 3" for rank in range(3)])


@unittest.skipIf(REASON, REASON)
class TwoHosts(LabFrontCase, Shown):
    name = "deepspeed"

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def test_hosts_with_devices_of_their_own(self):
        self.write("train.py", SHOW)
        self.write("hosts", "node1 slots=4\nnode2 slots=2\n")
        self.write(".deepspeed_env", "A=one two\nB=2\n")
        done = self.launches("--hostfile", "hosts", "--include", "node2@node1:1,3",
                             "--master_port", "29511", "train.py")
        told = self.ranks(done)
        self.assertEqual([(one["env"]["CUDA_VISIBLE_DEVICES"], one["env"]["CROSS_RANK"],
                           one["words"]) for one in told],
                         [("1,3", "0", ["--local_rank=0"]), ("1,3", "0", ["--local_rank=1"]),
                          ("0,1", "1", ["--local_rank=0"]), ("0,1", "1", ["--local_rank=1"])])
        for one in told:
            self.assertEqual(one["env"]["MASTER_ADDR"], self.lab.address("node1"))
            self.assertEqual(one["env"]["MASTER_PORT"], "29511")
            self.assertEqual(one["more"], {"A": "one two", "B": "2", "PYTHONPATH": self.folder})


if __name__ == "__main__":
    run_tests()
