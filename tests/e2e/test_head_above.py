"""A launcher inside a rank asks the head above it for hosts: it opens no links of its own, starts
at once, and ends with the job. Only the head of these ssh hosts can reach the others."""

# rooms: machine head link
# attacks

import hashlib
import os
import re
import signal
import unittest

from front_case import LabFrontCase
from mpi_programs import OPEN_MPI
from support import (LOST, MUSTER, PYTHON, UNREACHABLE, WAIT_SECONDS, lab_or_skip, run_tests,
                     until)

REASON = lab_or_skip()

NAMES = ("mpirun", "mpiexec.hydra", "horovodrun", "deepspeed", "torchrun")
SHOW = "sh -c 'echo rank $RANK of $WORLD_SIZE on $(hostname)'"
# Four ranks of a launcher, two on each host.
INNER = {
    "run": f"muster run -H node1:2,node2:2 {SHOW}",
    "mpirun": f"mpirun -np 4 -H node1:2,node2:2 {SHOW}",
    "hydra": f"mpiexec.hydra -n 4 -hosts node1:2,node2:2 {SHOW}",
    "horovodrun": f"horovodrun -np 4 -H node1:2,node2:2 {SHOW}",
    "deepspeed": f"deepspeed --hostfile $DIR/hosts --no_python --no_local_rank {SHOW}",
    "torchrun": f"torchrun -H node1,node2 --nproc_per_node 2 --no_python {SHOW}",
}
ALL = "node1,node2,node3"  # the first has the launcher
SHOWN = [f"rank {rank} of 4 on node{1 + rank // 2}" for rank in range(4)]


@unittest.skipIf(REASON, REASON)
class HeadAboveCase(LabFrontCase):
    name = "muster"
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.lab_of(3)
        for host in cls.lab.names:  # nobody but the head can reach another host
            cls.lab.run(["mount", "--bind", "/bin/false", "/usr/bin/ssh"], host=host)

    def setUp(self):
        super().setUp()
        for name in NAMES:
            os.symlink(MUSTER, self.path("bin", name))
        os.symlink(PYTHON, self.path("bin", "python"))
        self.write("hosts", "node1 slots=2\nnode2 slots=2\n")

    def environment(self, **more):
        return super().environment(**{"OMPI_ALLOW_RUN_AS_ROOT": "1", **more})

    def begin(self, *words, **more):
        """`muster run WORDS` on the head; its ranks' launchers find no ssh."""
        path = f"PATH={self.path('bin')}:/usr/bin:/bin"
        return super(LabFrontCase, self).start_in_lab("-x", path, "-x", "DIR", *words, **more)

    def outer(self, *words, code=0, seconds=WAIT_SECONDS):
        done = self.begin(*words).finish(seconds)
        self.assertEqual(done.code, code, done)
        self.assert_hosts_clean()
        return done

    def running_on(self, host):
        return [words for words in self.lab.strangers(host).values() if words == "sleep 3600"]


class Starts(HeadAboveCase):
    def test_every_launcher_on_an_agents_host(self):
        for name, line in INNER.items():
            done = self.outer("-n", "1", "-H", ALL, "sh", "-c", line)
            self.assertEqual(sorted(re.findall(r"rank \d of.*", done.text)), SHOWN, (name, done))

    def test_on_a_host_that_has_no_part_of_the_hosts(self):
        done = self.outer("-n", "1", "-H", "node3,node1,node2", "sh", "-c", INNER["run"])
        self.assertEqual(done.lines, SHOWN, done)

    def test_the_heads_own_machine_is_a_host_like_others(self):
        done = self.outer("-n", "2", "-H", "localhost,node1", "sh", "-c",
                          "[ $RANK = 0 ] || muster run -H $(hostname),head sh -c "
                          "'echo rank $RANK on $(hostname)'")
        self.assertEqual(done.lines, ["rank 0 on node1", "rank 1 on head"], done)

    def test_launchers_below_launchers(self):
        done = self.outer("-n", "1", "-H", ALL, "mpirun", "-np", "1", "-H", "node2",
                          "horovodrun", "-np", "1", "-H", "node3:1", "sh", "-c", INNER["run"])
        self.assertEqual(sorted(re.findall(r"rank \d of.*", done.text)), SHOWN, done)

    def test_several_at_a_time(self):
        line = f"{INNER['run']} >$DIR/out.$RANK"
        self.outer("-H", "node1:3,node2:3", "sh", "-c", line)
        for rank in range(6):
            self.assertEqual(sorted(self.read(f"out.{rank}").decode().splitlines()), SHOWN)

    def test_a_host_that_is_told_how_to_be_reached(self):
        """It does as it is told: here that fails, since there is no ssh."""
        done = self.outer("-n", "1", "-H", ALL, "muster", "run", "--ssh-command", "/bin/false",
                          "-H", "node2", "true", code=UNREACHABLE)
        self.assertIn("node2", done.errors)

    def test_torch_meets(self):
        script = self.write("reduce.py", "import os, socket\n"
                            "import torch, torch.distributed as dist\n"
                            "dist.init_process_group('gloo')\n"
                            "total = torch.ones(1) * (dist.get_rank() + 1)\n"
                            "dist.all_reduce(total)\n"
                            "print('sum', int(total), socket.gethostname(), flush=True)\n")
        done = self.outer("-n", "1", "-H", "node3,node1,node2", "torchrun", "-H", "node1,node2",
                          "--nproc_per_node", "2", script, seconds=120)
        self.assertEqual(done.lines, ["sum 10 node1"] * 2 + ["sum 10 node2"] * 2, done)

    @unittest.skipIf(OPEN_MPI.missing(), OPEN_MPI.missing())
    def test_open_mpi(self):
        program = OPEN_MPI.program("collectives")
        done = self.outer("-n", "1", "-H", "node3,node1,node2", "mpirun", "-np", "4",
                          "-H", "node1:2,node2:2", program, seconds=120)
        self.assertIn("collectives ok with 4", done.lines, done)


class Carries(HeadAboveCase):
    def test_output_byte_for_byte(self):
        """Of a rank on another host, through the head, to a file of the launcher's host."""
        data = os.urandom(1 << 20) * 24
        with open(self.path("data"), "wb") as file:
            file.write(data)
        self.outer("-n", "1", "-H", ALL, "sh", "-c",
                   "muster run -n 1 -H node2 cat $DIR/data >$DIR/copy")
        self.assertEqual(hashlib.sha256(self.read("copy")).hexdigest(),
                         hashlib.sha256(data).hexdigest())

    def test_input(self):
        done = self.outer("-n", "1", "-H", ALL, "sh", "-c",
                          "seq 100000 | mpirun -np 1 -H node2 sha256sum")
        self.assertEqual(done.text.split()[0], hashlib.sha256(
            "".join(f"{i}\n" for i in range(1, 100001)).encode()).hexdigest())

    def test_one_report(self):
        done = self.outer("-n", "1", "-H", ALL, "muster", "run", "-H", "node1:1,node2:1", "sh",
                          "-c", "[ $RANK = 0 ] && sleep 3600; echo oops >&2; exit 9", code=9)
        self.assertEqual(done.errors.count("exited with code 9"), 1, done)
        self.assertIn("muster: rank 1 on node2 exited with code 9", done.errors)
        self.assertEqual(done.errors.count("  | oops"), 1, done)

    def test_a_host_of_the_job_that_is_not_there(self):
        done = self.outer("-n", "1", "-H", "node1,node9", "muster", "run", "-H", "node9", "true",
                          code=UNREACHABLE)
        self.assertRegex(done.errors, r"(?m)^muster: error: node9: .*resolved", done)
        self.assertEqual(done.errors.count("muster: error"), 1, done)

    def test_a_host_that_is_none_of_the_job(self):
        """It is reached from the rank's host itself, where there is no ssh."""
        done = self.outer("-n", "1", "-H", "node1", "muster", "run", "-H", "node2", "true",
                          code=UNREACHABLE)
        self.assertRegex(done.errors, "(?m)^muster: error: node2: ssh ended with code 1")

    def test_beside_the_head_any_host_can_be_named(self):
        line = "PATH=$DIR/none:/usr/bin:/bin; " + INNER["run"].replace("muster", MUSTER)
        os.mkdir(self.path("none"))
        self.write("none/ssh", "#!/bin/sh\nexit 99\n", 0o755)
        done = self.outer("-n", "2", "-H", "localhost,node3", "sh", "-c",
                          f"[ $RANK = 1 ] || {{ {line}; }}")
        self.assertEqual(done.lines, SHOWN, done)


class Ends(HeadAboveCase):
    """Nothing of the launcher stays on any host, whatever dies."""

    LINE = "muster run -n 2 -H node2,node3 sleep 3600"

    def sleeping(self, *words):
        job = self.begin(*words, "sh", "-c", f"echo $$ >$DIR/pid; exec {self.LINE}")
        for host in ("node2", "node3"):
            until(f"a rank on {host}", lambda host=host: self.running_on(host))
        return job

    def assert_all_gone(self):
        for host in ("node2", "node3"):
            until(f"no rank on {host}", lambda host=host: not self.running_on(host))
        self.assert_hosts_clean()

    def test_the_launcher_is_killed(self):
        job = self.sleeping("-n", "1", "-H", ALL)
        self.lab.run(["sh", "-c", f"kill -9 $(cat {self.path('pid')})"], host="node1")
        done = job.finish()
        self.assertEqual(done.code, 137, done)
        self.assert_all_gone()

    def test_the_run_above_is_interrupted(self):
        job = self.sleeping("-n", "1", "-H", ALL)
        job.send(signal.SIGTERM)
        self.assertEqual(job.finish().code, 128 + signal.SIGTERM)
        self.assert_all_gone()

    def test_the_head_above_is_killed(self):
        job = self.sleeping("-n", "1", "-H", ALL)
        job.send(signal.SIGKILL)
        job.finish()
        self.assert_all_gone()

    def test_the_launchers_host_is_lost(self):
        job = self.begin("--lease", "2", "-n", "1", "-H", ALL, "sh", "-c", self.LINE)
        until("a rank on node3", lambda: self.running_on("node3"))
        self.lab.pull_cable("node1")
        try:
            self.assertEqual(job.finish().code, LOST)
            self.assert_all_gone()
        finally:
            self.lab.plug_cable("node1")

    def test_a_host_of_the_launcher_is_lost(self):
        job = self.begin("--lease", "2", "-n", "1", "-H", ALL, "sh", "-c",
                         self.LINE.replace("run", "run --lease 2", 1))
        until("a rank on node3", lambda: self.running_on("node3"))
        self.lab.pull_cable("node3")
        try:
            done = job.finish()
            self.assertEqual(done.code, LOST, done)
            self.assertIn("node3", done.errors)
            self.assert_all_gone()
        finally:
            self.lab.plug_cable("node3")

    def test_a_later_launcher_starts_as_if_nothing_had_been(self):
        done = self.outer("-n", "1", "-H", ALL, "sh", "-c",
                          f"for i in 1 2 3; do timeout -s KILL 0.7 {self.LINE}; done; "
                          + INNER["run"])
        self.assertEqual(sorted(re.findall(r"rank \d of.*", done.text)), SHOWN, done)


class Strangers(HeadAboveCase):
    def test_no_other_user_is_heard(self):
        """Even one whom the folder lets in."""
        ask = self.write("ask.py", "import os, socket, sys\n"
                         "os.setgid(65534); os.setuid(65534)\n"
                         "s = socket.socket(socket.AF_UNIX)\n"
                         "try: s.connect(sys.argv[1])\n"
                         "except PermissionError: print('kept out'); sys.exit()\n"
                         "try:\n"
                         "    s.sendall(b'x' * 20)\n"
                         "    print('closed' if not s.recv(1) else 'heard')\n"
                         "except (BrokenPipeError, ConnectionResetError): print('closed')\n")
        done = self.outer("-n", "1", "-H", ALL, "sh", "-c",
                          f"stat -c %a $(dirname $MUSTER_HEAD); python {ask} $MUSTER_HEAD; "
                          f"chmod 755 $(dirname $MUSTER_HEAD); chmod 777 $MUSTER_HEAD; "
                          f"python {ask} $MUSTER_HEAD; echo $MUSTER_HEAD")
        *said, named = done.text.splitlines()
        self.assertEqual(said, ["700", "kept out", "closed"], done)
        self.assertFalse(os.path.exists(os.path.dirname(named)), "it goes with the job")

    def test_nonsense_harms_nobody(self):
        say = self.write("say.py", "import os, socket, sys\n"
                         "for size in (1, 11, 5000, 1 << 20):\n"
                         "    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
                         "    try:\n"
                         "        s.sendall(os.urandom(size)); s.shutdown(socket.SHUT_WR)\n"
                         "        while s.recv(4096): pass\n"
                         "    except (BrokenPipeError, ConnectionResetError): pass\n"
                         "    s.close()\n")
        done = self.outer("-n", "1", "-H", ALL, "sh", "-c",
                          f"python {say} $MUSTER_HEAD; {INNER['run']}")
        self.assertEqual(done.lines, SHOWN, done)


if __name__ == "__main__":
    run_tests()
