"""mpi4py under muster, and how frameworks find their rank through it and Open MPI's names."""

# rooms: pmix plan head

import os
import unittest

from support import PYTHON, Case, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()
MPI4PY = os.path.isdir("/usr/lib/python3/dist-packages/mpi4py")
LAYOUTS = [("-n", "3"), ("-n", "4", "--fake-nodes", "2")]

WITHOUT_THREADS = "import mpi4py; mpi4py.rc.threads = False"
WORLD = """
from mpi4py import MPI
c = MPI.COMM_WORLD
rank, size = c.rank, c.size
assert rank == c.Get_rank() and size == c.Get_size()
"""
SAY = """
c.Barrier()
if rank == 0:
    print("well", size)
"""
OBJECTS = """
assert c.bcast({"a": [1, 2]} if rank == 0 else None) == {"a": [1, 2]}
assert c.gather(rank) == (list(range(size)) if rank == 0 else None)
assert c.allgather(str(rank)) == [str(i) for i in range(size)]
assert c.scatter([i * i for i in range(size)] if rank == 0 else None) == rank * rank
assert c.alltoall([(rank, i) for i in range(size)]) == [(i, rank) for i in range(size)]
assert c.allreduce(rank + 1) == size * (size + 1) // 2
assert c.allreduce([rank], op=MPI.SUM) == list(range(size))
assert c.scan(1) == rank + 1
"""
ARRAYS = """
import numpy
mine = numpy.full(1 << 16, rank, dtype="d")
total = numpy.empty_like(mine)
c.Allreduce(mine, total)
assert (total == size * (size - 1) / 2).all()
every = numpy.empty((size, 4), dtype="i")
c.Allgather(numpy.full(4, rank, dtype="i"), every)
assert (every == numpy.arange(size)[:, None]).all()
c.Bcast(mine, root=size - 1)
assert (mine == size - 1).all()
parts = numpy.empty(rank + 1, dtype="i")
counts = [i + 1 for i in range(size)]
whole = numpy.arange(sum(counts), dtype="i") if rank == 0 else None
c.Scatterv([whole, counts] if rank == 0 else None, parts)
assert parts[0] == sum(counts[:rank])
"""
MESSAGES = """
import numpy
after, before = (rank + 1) % size, (rank - 1) % size
assert c.sendrecv({"from": rank}, dest=after, source=before) == {"from": before}
request = c.isend("x" * 100000, dest=after, tag=7)
assert len(c.recv(source=before, tag=7)) == 100000
request.wait()
got = numpy.empty(1 << 19, dtype="d")
wanted = c.Irecv(got, source=before)
c.Send(numpy.full(1 << 19, rank, dtype="d"), dest=after)
wanted.Wait()
assert (got == before).all()
"""
WINDOWS = """
import numpy
here = numpy.zeros(1024, dtype="i")
window = MPI.Win.Create(here, disp_unit=here.itemsize, comm=c)
window.Fence()
window.Put([numpy.array([rank + 1], dtype="i"), MPI.INT], (rank + 1) % size)
window.Fence()
assert here[0] == (rank - 1) % size + 1
window.Lock(0)
window.Accumulate([numpy.array([1], dtype="i"), MPI.INT], 0, target=(1, 1, MPI.INT), op=MPI.SUM)
window.Unlock(0)
c.Barrier()
if rank == 0:
    window.Lock(0)
    assert here[1] == size
    window.Unlock(0)
window.Free()
"""
PORTS = """
half = c.Split(rank % 2, rank)
port = MPI.Open_port() if rank == 0 else None
if rank == 0:
    MPI.Publish_name("mpi4py", port)
c.Barrier()
found = MPI.Lookup_name("mpi4py")
other = half.Accept(found) if rank % 2 == 0 else half.Connect(found)
assert other.remote_size == (size + rank % 2) // 2
other.Disconnect()
c.Barrier()
if rank == 0:
    MPI.Unpublish_name("mpi4py", port)
    MPI.Close_port(port)
"""
# MindSpore asks MPI for the world once it sees Open MPI's names; its device is the local rank.
MINDSPORE = """
import os
assert "OMPI_COMM_WORLD_RANK" in os.environ
assert int(os.environ["OMPI_COMM_WORLD_RANK"]) == rank
assert int(os.environ["OMPI_COMM_WORLD_SIZE"]) == size
device = int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"])
host = c.Split_type(MPI.COMM_TYPE_SHARED)
assert (device, int(os.environ["OMPI_COMM_WORLD_LOCAL_SIZE"])) == (host.rank, host.size)
"""
# DeepSpeed's discovery: rank 0's address over MPI, local ranks by counting equal processor names.
DEEPSPEED = """
import os, socket
for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
    os.environ.pop(name) if "OMPI_COMM_WORLD_LOCAL_RANK" in os.environ else None
address = c.bcast(socket.gethostname() if rank == 0 else None, root=0)
names = c.allgather(os.environ["NODE_RANK"] + MPI.Get_processor_name())
local = sum(name == names[rank] for name in names[:rank])
assert local == int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"])
assert address
"""


def script(*parts):
    return WORLD + "".join(parts) + SAY


EXITS = """
import sys, threading
def main():
    sys.exit(4)
def caught(function):
    try:
        function()
    except SystemExit:
        pass
"""


@unittest.skipUnless(MPI4PY, "python3-mpi4py is missing")
class Mpi4py(Case):
    def well(self, *parts):
        # Debian's Open MPI leaves pt2pt out; what it prefers fails between hosts without RDMA.
        # pt2pt wants no threads.
        parts = (WITHOUT_THREADS, WORLD, *parts, SAY)
        env = self.environment(OMPI_MCA_osc="pt2pt,sm")
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                done = self.succeeds("--oversubscribe", *layout, PYTHON, "-c", "".join(parts),
                                     env=env)
                self.assertEqual(done.text, f"well {layout[1]}\n")

    def test_collectives_of_objects(self):
        self.well(OBJECTS)

    def test_collectives_of_arrays(self):
        self.well(ARRAYS)

    def test_messages(self):
        self.well(MESSAGES)

    def test_one_sided(self):
        self.well(WINDOWS)

    def test_ports(self):
        self.well(PORTS)

    def test_as_mindspore_looks(self):
        self.well(MINDSPORE)

    def test_as_deepspeed_looks(self):
        self.well(DEEPSPEED)

    def test_its_own_runner_aborts(self):
        wrong = self.write("wrong.py", WORLD + "if rank == 1:\n    raise ValueError('x')\n"
                           "c.Barrier()\n")
        done = self.muster("--oversubscribe", "-n", "3", PYTHON, "-m", "mpi4py", wrong)
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"muster: rank 1 ")

    def test_a_rank_that_raises_does_not_wait_for_the_others_in_finalize(self):
        """Which wait for it in a barrier. What the program has to do at its end is still done."""
        wrong = self.write("wrong.py", WORLD + """
import atexit, os
log = open(os.path.join(os.environ["DIR"], f"log.{rank}"), "w")
log.write("begun\\n")
atexit.register(log.write, "ended\\n")
if rank == 1:
    raise ValueError("bad batch")
c.Barrier()
""")
        done = self.muster("--oversubscribe", "-n", "3", PYTHON, wrong)
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"muster: rank 1 on \S+ exited with code 1 .*bad batch\n")
        self.assertEqual(self.read("log.1"), b"begun\nended\n")

    def test_a_rank_that_exits_with_a_code_does_not_wait_for_the_others_in_finalize(self):
        """Under mpirun and Hydra all ranks hang then: the others in a barrier, this one there."""
        for ends, code in (("sys.exit(3)", 3), ("sys.exit('bad batch')", 1), ("main()", 4),
                           ("raise SystemExit('bad batch')", 1)):
            with self.subTest(ends):
                wrong = self.write("wrong.py", f"{WORLD}{EXITS}\nif rank == 1:\n    {ends}\n"
                                               "c.Barrier()\n")
                done = self.muster("--oversubscribe", "-n", "3", PYTHON, wrong)
                self.assertEqual(done.code, code, done)
                self.assertRegex(done.errors, rf"muster: rank 1 on \S+ exited with code {code} ")

    def test_an_exit_that_was_caught_or_means_success_is_no_failure(self):
        for ends in ("try:\n    sys.exit(3)\nexcept SystemExit:\n    pass\nc.Barrier()",
                     "caught(main)\nc.Barrier()", "c.Barrier()\nsys.exit(0)",
                     "c.Barrier()\nsys.exit()",
                     "one = threading.Thread(target=main)\none.start()\none.join()\nc.Barrier()"):
            with self.subTest(ends):
                path = self.write("right.py", f"{WORLD}{EXITS}\n{ends}\n")
                done = self.muster("--oversubscribe", "-n", "3", PYTHON, path)
                self.assertEqual((done.code, done.complaints), (0, ""), done)

    def test_a_program_that_shows_an_exception_and_goes_on_has_not_failed(self):
        self.well(WORLD + """
import sys
try:
    raise ValueError("shown")
except ValueError:
    sys.excepthook(*sys.exc_info())
c.Barrier()
""")


@unittest.skipIf(REASON, REASON)
@unittest.skipUnless(MPI4PY, "python3-mpi4py is missing")
class Mpi4pyOnHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(4, docker=True)

    def test_all_of_it_on_four_hosts(self):
        done = self.launches("-H", "node1:2,node2:2,node3:2,node4:2", PYTHON, "-c",
                             script(OBJECTS, ARRAYS, MESSAGES, PORTS, MINDSPORE, DEEPSPEED),
                             seconds=90)
        self.assertEqual(done.text, "well 8\n")


if __name__ == "__main__":
    run_tests()
