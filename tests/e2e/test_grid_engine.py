"""muster inside the jobs of a real Grid Engine: hosts of PE_HOSTFILE, reached by qrsh -inherit."""

# rooms: front spec batch link head machine cli
# needs: grid-engine

import os
import re
import sys
import unittest

from mpi_programs import OPEN_MPI
from service_case import ServiceCase
from support import MUSTER, PYTHON, run_tests, survivors, until

import grid_engine
from grid_engine import GridEngine


def why_not():
    reason = grid_engine.why_not()
    if reason:
        print(f"SKIPPED: no Grid Engine here: {reason}", file=sys.stderr)
    return reason


REASON = why_not()


class GridEngineCase(ServiceCase):
    """Every test leaves no job and no process behind."""

    kind = GridEngine

    @property
    def engine(self):
        return self.service

    def so_far(self, name):
        return self.read(name) if os.path.exists(self.path(name)) else b""


@unittest.skipIf(REASON, REASON)
class GridEngineJobs(GridEngineCase):

    def submit(self, command, slots=4):
        """The number of a job with two hosts that runs the command in the test's folder."""
        script = self.path("job.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncd {self.folder}\n{command}\necho $? > code\n")
        words = ["qsub", "-terse", "-pe", "mpi", str(slots), "-o", self.path("out"), "-e",
                 self.path("err"), "-v", f"E2E_MARK={self.mark},DIR={self.folder},"
                 f"MUSTER_RECORDS={self.path('records')}", script]
        return self.engine.ask(*words).strip()

    def done(self, command, slots=4):
        """(code, stdout, stderr) of the command in a job."""
        self.submit(command, slots)
        until(lambda: "the end of the job: " + self.engine.ask("qstat"),
              lambda: self.so_far("code").endswith(b"\n"))
        return int(self.so_far("code")), self.so_far("out"), self.so_far("err").decode()

    def test_ranks_are_where_the_slots_are(self):
        code, out, err = self.done(f"{MUSTER} run sh -c 'echo $RANK $(hostname)'")
        self.assertEqual(code, 0, err)
        ranks = dict(line.split() for line in out.decode().splitlines())
        self.assertEqual(sorted(ranks), ["0", "1", "2", "3"], out)
        self.assertEqual(sorted(ranks.values()), ["node1", "node1", "node2", "node2"])
        self.assertEqual(ranks["0"], ranks["1"])

    def without_ssh(self, *commands):
        """The folder of the test has a bin with an ssh that fails, before all others."""
        os.makedirs(self.path("bin"), exist_ok=True)
        with open(self.path("bin/ssh"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho 'ssh was called' >&2\nexit 255\n")
        os.chmod(self.path("bin/ssh"), 0o755)
        return "\n".join(["export PATH=$DIR/bin:$PATH", *commands])

    def test_named_hosts_are_reached_by_qrsh_from_every_launcher(self):
        with open(self.path("hosts"), "w", encoding="utf-8") as file:
            file.write("node1 slots=1\nnode2 slots=1\n")
        with open(self.path("where.py"), "w", encoding="utf-8") as file:
            file.write("import socket, sys\nprint(sys.argv[1], socket.gethostname())\n")
        with open(self.path("job.yml"), "w", encoding="utf-8") as file:
            file.write(f"command: {PYTHON} where.py file\nresources: {{instance_count: 2}}\n"
                       "distribution: {type: mpi, process_count_per_instance: 1}\n")
        where = f"{PYTHON} where.py"
        code, out, err = self.done(self.without_ssh(
            f"{MUSTER} run -H node1,node2 {where} run",
            f"{MUSTER} run --hostfile hosts {where} hostfile",
            f"{MUSTER} mpirun -np 2 -H node1,node2 {where} mpirun",
            f"{MUSTER} mpiexec.hydra -n 2 -hosts node1,node2 {where} hydra",
            f"{MUSTER} horovodrun -np 2 -H node1:1,node2:1 {where} horovodrun",
            f"{MUSTER} torchrun -H node1,node2 where.py torchrun",
            f"{MUSTER} submit -H node1,node2 job.yml"), slots=2)
        self.assertEqual(code, 0, err)
        seen = sorted(re.findall(r"(\w+) (node\d)", out.decode()))
        launchers = ["file", "horovodrun", "hostfile", "hydra", "mpirun", "run", "torchrun"]
        self.assertEqual(seen, [(one, host) for one in launchers for host in ("node1", "node2")],
                         (out, err))
        self.assertNotIn("ssh was called", err)

    def test_hydra_is_told_of_the_batch_system(self):
        who = "sh -c 'hostname'"
        code, out, err = self.done(self.without_ssh(
            f"{MUSTER} mpiexec.hydra -rmk sge -launcher sge {who}",
            f"HYDRA_LAUNCHER=sge {MUSTER} mpiexec.hydra -n 1 -hosts node1 {who}",
            f"{MUSTER} mpiexec.hydra -rmk user {who}",
            f"{MUSTER} mpiexec.hydra -rmk pbs {who}"), slots=4)
        self.assertEqual(code, 255, err)
        lines = out.decode().split()
        self.assertEqual(sorted(lines[:4]), ["node1", "node1", "node2", "node2"], err)
        self.assertEqual(lines[4], "node1")
        self.assertEqual(len(lines), 6, "one rank here for -rmk user")
        self.assertIn("-rmk pbs takes the hosts of a PBS job, and none is around", err)

    def test_bytes_stay_what_they_are(self):
        script = self.path("bytes.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("import os, sys\n"
                       "if os.environ['RANK'] == '3':\n"
                       "    sys.stdout.buffer.write(bytes(range(256)) * 4096 + b'\\n')\n")
        code, out, err = self.done(f"{MUSTER} run {PYTHON} {script}")
        self.assertEqual((code, out == bytes(range(256)) * 4096 + b"\n"), (0, True), err)

    def test_ranks_of_open_mpi(self):
        code, out, err = self.done(f"{MUSTER} mpirun {OPEN_MPI.program('hello')}", slots=8)
        self.assertEqual((code, out), (0, b"hello ok with 8\n"), err)

    def test_a_failure_is_named(self):
        code, _, err = self.done(f"{MUSTER} run sh -c '[ $RANK != 3 ] || exit 7; "
                                 "sleep $E2E_MARK'")
        self.assertEqual(code, 7, err)
        self.assertRegex(err, r"rank 3 on node\d exited with code 7")

    def test_qdel_leaves_nothing(self):
        job = self.submit(f"exec {MUSTER} run sh -c ': > ready.$RANK; sleep $E2E_MARK'")
        until("four ranks",
              lambda: all(os.path.exists(self.path(f"ready.{rank}")) for rank in range(4)))
        self.engine.ask("qdel", job)
        until("all processes of the job have ended", lambda: not survivors(self.mark))


if __name__ == "__main__":
    run_tests()
