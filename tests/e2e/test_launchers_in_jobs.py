"""A launcher inside a rank, on hosts: its ranks find what they find when a person calls it."""

# rooms: front plan view cli machine
# long

import json
import os
import re
import unittest

from front_case import LabFrontCase
from mpi_programs import MPICH, OPEN_MPI, ends_or_hangs
from support import MUSTER, PYTHON, ROOT, WAIT_SECONDS, lab_or_skip, run_tests

REASON = lab_or_skip()

# Rank by rank, into a file named after the outer launcher, the inner one and the rank.
DUMP = """sh -c 'env -0 > "$DIR/env.$CASE.$RANK"'"""

INNER = {
    "run": f"muster run -H node1:2,node2:2 {DUMP}",
    "mpirun": f"mpirun -np 4 -H node1:2,node2:2 {DUMP}",
    "hydra": f"mpiexec.hydra -n 4 -hosts node1:2,node2:2 {DUMP}",
    "horovodrun": f"horovodrun -np 4 -H node1:2,node2:2 {DUMP}",
    "deepspeed": f"deepspeed --hostfile $DIR/hosts --no_python --no_local_rank {DUMP}",
    "torchrun": f"torchrun -H node1,node2 --nproc_per_node 2 --no_python {DUMP}",
}

# One rank each; HOST is where it runs, "localhost" beside the head.
OUTER = {
    "run": "muster run -n 1 -H HOST",
    "mpirun": "mpirun -np 1 -H HOST",
    "hydra": "mpiexec.hydra -n 1 -hosts HOST",
    "horovodrun": "horovodrun -np 1 -H HOST:1",
    "deepspeed": "deepspeed --hostfile HOSTFILE --force_multi --no_python --no_local_rank",
    "torchrun": "torchrun -H HOST --nproc_per_node 1 --no_python",
}

# Of one run or one login: no two have the same.
OF_A_RUN = re.compile(
    r"MUSTER_(JOB|GAVE|HEAD|LAUNCHERS|EXPORTED|REPORT_FILE)$|TORCHELASTIC_(ERROR_FILE|RUN_ID)$|"
    r"(MASTER_PORT|MLFLOW_TRACKING_URI|AZ_BATCH_MASTER_NODE|AZ_BATCHAI_PYTORCH_INIT_METHOD)$|"
    r"(JAX_COORDINATOR_ADDRESS|AZUREML_MPI_HOSTFILE)$|PMIX_|"
    r"OMPI_MCA_(btl_vader_backing_directory|orte_tmpdir_base)$|HOROVOD_GLOO_RENDEZVOUS_|"
    r"(CASE|PATH|_|PWD|OLDPWD|SHLVL|MAIL)$")


@unittest.skipIf(REASON, REASON)
class HostCase(LabFrontCase):
    name = "muster"
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def setUp(self):
        super().setUp()
        for name in ("mpirun", "mpiexec.hydra", "horovodrun", "deepspeed", "torchrun"):
            os.symlink(MUSTER, self.path("bin", name))
        os.symlink(PYTHON, self.path("bin", "python"))
        self.write("hosts", "node1 slots=2\nnode2 slots=2\n")

    def environment(self, **more):
        return super().environment(**{"OMPI_ALLOW_RUN_AS_ROOT": "1", **more})

    def shell(self, text, *, code=0, seconds=WAIT_SECONDS, **more):
        """`sh -c TEXT` on the head."""
        done = super(LabFrontCase, self).start_in_lab(
            command=["sh", "-c", text], env=self.environment(**more)).finish(seconds)
        self.assertEqual(done.code, code, done)
        self.assert_hosts_clean()
        return done

    def submit(self, text, *, code=0, hosts="node1:4,node2:4", **more):
        self.write("job.yml", text)
        return self.shell(f"muster submit job.yml -H {hosts}", code=code, **more)

    def found(self, case, rank):
        text = self.read(f"env.{case}.{rank}").decode(errors="surrogateescape")
        return dict(entry.split("=", 1) for entry in text.split("\0")[:-1])

    @staticmethod
    def lasting(environment):
        return {name: value for name, value in environment.items() if not OF_A_RUN.match(name)}


class Matrix(HostCase):
    """Every front end inside every other."""

    def inner(self, case):
        """A script that calls each launcher in turn."""
        lines = [f"CASE={case}.{name} {line}" for name, line in INNER.items()]
        return self.write(f"inner.{case}", "set -ex\n" + "\n".join(lines) + "\n", 0o755)

    def direct(self, host="head", **more):
        """The same launchers, called by a person on that host."""
        code, out, err = self.lab.run(["sh", self.inner("direct")], host=host,
                                      env=self.environment(**more), cwd=self.folder)
        self.assertEqual(code, 0, (out, err))
        interface = more.get("GLOO_SOCKET_IFNAME", "eth0")
        for name in INNER:
            self.assertEqual(self.found(f"direct.{name}", 3)["GLOO_SOCKET_IFNAME"], interface)

    def check(self, case, **expected):
        for name in INNER:
            for rank in range(4):
                here = f"{name} in {case}, rank {rank}"
                found = self.lasting(self.found(f"{case}.{name}", rank))
                if case == "deepspeed" and name != "deepspeed":
                    found.pop("CUDA_VISIBLE_DEVICES", None)  # a share of this host's devices
                alone = self.lasting(self.found(f"direct.{name}", rank))
                self.assertEqual(found, alone, here)
                for variable, value in expected.items():
                    self.assertEqual(found.get(variable), value, here)

    def test_beside_the_head(self):
        self.direct()
        self.write("here", "localhost slots=1\n")
        for name, words in OUTER.items():
            words = words.replace("HOSTFILE", "$DIR/here").replace("HOST", "localhost")
            self.shell(f"{words} sh {self.inner(name)}")
            self.check(name)

    def test_on_an_agents_host(self):
        self.direct("node1")
        self.write("there", "node1 slots=1\n")
        for name, words in OUTER.items():
            words = words.replace("HOSTFILE", "$DIR/there").replace("HOST", "node1")
            self.shell(f"{words} sh {self.inner(name)}")
            self.check(name)

    def test_what_the_user_set_reaches_all_ranks(self):
        theirs = {"OMP_NUM_THREADS": "3", "GLOO_SOCKET_IFNAME": "eth9", "NCCL_DEBUG": "INFO"}
        self.direct(**theirs)
        self.shell(f"mpirun -np 1 sh {self.inner('shell')}", **theirs)
        self.check("shell", **theirs)
        given = " ".join(f"-x {name}={value}" for name, value in theirs.items())
        self.shell(f"muster run -n 1 {given} sh {self.inner('given')}")
        self.check("given", **theirs)
        script = self.write("script", "".join(f"export {name}={value}\n"
                                              for name, value in theirs.items())
                            + f". {self.inner('script')}")
        self.shell(f"torchrun --nproc_per_node 1 --no_python sh {script}")
        self.check("script", **theirs)

    def test_three_levels(self):
        self.direct("node1")
        self.shell(f"muster run -n 1 mpirun -np 1 -H node1 horovodrun -np 1 -H node1:1 "
                   f"sh {self.inner('third')}")
        self.check("third")

    def test_a_bound_rank_binds_no_launcher(self):
        """It had its host to itself; what a script has chosen holds."""
        cpus = len(os.sched_getaffinity(0))
        if cpus < 2:
            self.skipTest("one cpu is all there is")
        show = ("muster run -n 4 -H node1:2,node2:2 sh -c "
                "'echo $(hostname) $(grep Cpus_allowed: /proc/self/status)'")
        free = self.shell(show).lines
        for host in ("node1", "localhost"):
            done = self.shell(f"mpirun -np 1 --bind-to core -H {host} {show}")
            self.assertEqual(done.lines, free, host)
        chosen = self.shell(f"mpirun -np 1 --bind-to core -H node1 taskset -c 1 {show}").lines
        self.assertEqual([line.split()[-1] for line in chosen[:2]], ["2", "2"])
        self.assertEqual(chosen[2:], free[2:])

    def test_from_python(self):
        self.direct()
        script = self.write("launch.py", "import subprocess, sys\n"
                            "subprocess.run(['sh', sys.argv[1]], check=True)\n")
        self.shell(f"muster run -n 1 python {script} {self.inner('python')}")
        self.check("python")


REDUCE = """
import os, socket
import torch, torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
total = torch.ones(1) * (rank + 1)
dist.all_reduce(total)
print("rank", rank, "sum", int(total), "on", socket.gethostname(), flush=True)
"""

# Two hosts that have room for four, of which the job wants two each.
DRAFT = """command: >-
  %s
distributed: {mpi: {worker: {count: 2, slots_per: 2}}}
"""
PER_NODE = """command: >-
  %s
resources: {instance_count: 2}
distribution: {type: pytorch}
"""
AT_MASTER = ("--nproc_per_node 2 --nnodes 2 --node_rank $NODE_RANK --master_addr $MASTER_ADDR "
             "--master_port $MASTER_PORT")


class Jobs(HostCase):
    """Job files whose command calls a launcher, on two hosts."""

    def test_each_launcher_takes_the_hosts_of_the_job(self):
        inner = {"run": "muster run", "mpirun": "mpirun -np 4",
                 "named": "mpirun -np 4 --hostfile $AZUREML_MPI_HOSTFILE -x GLOO_SOCKET_IFNAME",
                 "hydra": "mpiexec.hydra -n 4", "horovodrun": "horovodrun -np 4",
                 "deepspeed": "deepspeed --no_python --no_local_rank"}
        lines = " && ".join(f"CASE={name} {line} {DUMP}" for name, line in inner.items())
        self.submit(DRAFT % f"mpirun --version >&2; {lines}")
        for name in inner:
            for rank in range(4):
                found = self.found(name, rank)
                self.assertEqual(found["GLOO_SOCKET_IFNAME"], "eth0", name)
                self.assertEqual(found["OMP_NUM_THREADS"], "1", name)
                self.assertEqual((found["NODE_RANK"], found["LOCAL_WORLD_SIZE"]),
                                 (str(rank // 2), "2"), name)
                for variable in ("MUSTER_STARTS_RANKS", "MUSTER_EXPORTED"):
                    self.assertNotIn(variable, found, name)

    def test_hosts_with_fewer_slots_than_the_job_wants(self):
        done = self.submit(DRAFT % "cat $AZUREML_MPI_HOSTFILE; mpirun --version >&2",
                           hosts="node1:1,node2:4")
        self.assertEqual(done.text, "node1 slots=1\nnode2 slots=2\n")

    def test_variables_of_the_job_reach_all_its_ranks(self):
        job = (DRAFT % f"CASE=job mpirun -np 4 {DUMP}"
               + "environment_variables: {TMPDIR: /media, MASTER_PORT: '6105', NCCL_DEBUG: INFO}\n")
        self.submit(job)
        for rank in range(4):
            found = self.found("job", rank)
            self.assertEqual([found[name] for name in ("TMPDIR", "MASTER_PORT", "NCCL_DEBUG")],
                             ["/media", "6105", "INFO"])

    def test_the_python_package(self):
        self.write("muster.yml", "targets: {cluster: {hosts: ['node1:4', 'node2:4']}}\n")
        program = self.write("program.py", f"""
from muster import Experiment, ScriptRunConfig
from muster.runconfig import MpiConfiguration
for case, count, command in (("one", 1, ""), ("launched", 2, "mpirun ")):
    config = ScriptRunConfig(
        source_directory=".", compute_target="cluster", command="CASE=%s %s" % (case, command)
        + {DUMP!r}, distributed_job_config=MpiConfiguration(count, node_count=2))
    assert Experiment(None, "e").submit(config).wait() == 0
""")
        self.shell(f"python {program}", MUSTER=MUSTER, PYTHONPATH=os.path.join(ROOT, "python"))
        for case, ranks in (("one", 2), ("launched", 4)):
            found = [self.found(case, rank) for rank in range(ranks)]
            self.assertEqual([one["NODE_RANK"] for one in found],
                             [str(2 * rank // ranks) for rank in range(ranks)])
            self.assertEqual({one["GLOO_SOCKET_IFNAME"] for one in found}, {"eth0"})

    def test_torch_meets_across_hosts(self):
        script = self.write("reduce.py", REDUCE)
        for text in (DRAFT % f"mpirun -np 4 --hostfile $AZUREML_MPI_HOSTFILE python {script}",
                     PER_NODE % ("python -m torch.distributed.launch --use_env "
                                 f"{AT_MASTER} {script}"),
                     PER_NODE % f"torchrun {AT_MASTER} {script}"):
            done = self.submit(text, seconds=120)
            self.assertEqual(sorted(re.findall(r"rank \d sum.*", done.text)),
                             [f"rank {rank} sum 10 on node{1 + rank // 2}" for rank in range(4)],
                             text)

    @unittest.skipIf(OPEN_MPI.missing(), OPEN_MPI.missing())
    def test_open_mpi_across_hosts(self):
        program = OPEN_MPI.program("collectives")
        done = self.submit(DRAFT % f"mpirun -np 4 {program}", seconds=120)
        self.assertIn("collectives ok with 4", done.text.splitlines(), done)
        self.assertNotIn("shmem", done.errors)

    @unittest.skipIf(MPICH.missing(), MPICH.missing())
    def test_mpich_across_hosts(self):
        program = MPICH.program("collectives")
        self.write("job.yml", DRAFT % f"mpiexec.hydra -n 4 {program}")
        job = super(LabFrontCase, self).start_in_lab(
            command=["muster", "submit", "job.yml", "-H",
                     "node1:4,node2:4"], env=self.environment())
        ends_or_hangs(self, job, "collectives ok with 4")
        self.assert_hosts_clean()


class Reports(HostCase):
    """What is told of a job whose command is a launcher."""

    FAILS = """sh -c 'if [ $RANK = 3 ]; then echo oops, bad batch >&2; exit 7; fi; sleep 3600'"""

    def test_one_report_with_the_inner_rank_as_cause(self):
        done = self.submit(DRAFT % f"mpirun -np 4 {self.FAILS}", code=7)
        causes = re.findall(r"(?m)^muster: .*exited with code 7.*$", done.errors)
        self.assertEqual(len(causes), 1, done)
        self.assertTrue(causes[0].startswith("muster: rank 3 on node2 "), done)
        self.assertEqual(done.errors.count("  | oops, bad batch"), 1, done)
        self.assertEqual(done.errors.count("muster: exit code 7"), 1, done)
        for command in ("report", "show", "ps"):
            told = self.shell(f"muster {command} last" if command != "ps" else "muster ps")
            if command != "ps":
                self.assertIn("rank 3 on node2 exited with code 7", told.text)
            if command != "report":
                self.assertIn("4 on 2 hosts", told.text)

    def test_a_launcher_that_refuses_its_words(self):
        done = self.submit(DRAFT % "mpirun -np 40 true", code=1)
        self.assertEqual(len(re.findall(r"(?m)^muster: error", done.errors)), 1, done)
        self.assertNotIn("exited with code 1", done.errors)

    def test_a_failure_that_the_command_got_over(self):
        text = DRAFT % f"mpirun -np 4 {self.FAILS} || mpirun -np 4 true; exit 7"
        done = self.submit(text, code=7)
        self.assertRegex(done.errors, r"(?m)^muster: rank 0 on \S+ exited with code 7")

    def test_torchrun_on_each_node(self):
        done = self.submit(PER_NODE % f"torchrun {AT_MASTER} --no_python {self.FAILS}", code=1)
        causes = re.findall(r"(?m)^muster: .*rank \d.* exited with code \d", done.errors)
        self.assertEqual(causes, ["muster: rank 3 on node2 exited with code 7"], done)
        self.assertEqual(done.errors.count("muster: exit code"), 1, done)

    def test_torchruns_prefix_counts_ranks(self):
        words = "--tee 3 --log_dir $DIR/logs --no_python sh -c 'echo rank $RANK'"
        done = self.submit(PER_NODE % f"torchrun {AT_MASTER} {words}")
        self.assertEqual(done.lines, [f"[default{rank}]:rank {rank}" for rank in range(4)])

    def test_explain_shows_the_ranks_that_the_launcher_starts(self):
        self.write("job.yml", DRAFT % "cd . && mpirun -np $N --hostfile $AZUREML_MPI_HOSTFILE x.py"
                   + "environment_variables: {N: '3'}\n")
        told = self.shell("muster explain job.yml -H node1:4,node2:4").text
        table = told[told.index("launcher in the command starts"):]
        rows = re.findall(r"(?m)^ +(\d)  (node\d) +(\d) ", table)
        self.assertEqual(rows, [("0", "node1", "0"), ("1", "node1", "1"), ("2", "node2", "0")])
        theirs = told[told.index("environment of every rank that the launcher in the command"):]
        self.assertIn("  OMPI_COMM_WORLD_SIZE=3  (Open MPI)\n", theirs)
        self.assertIn("  N=3  (job file)\n", theirs)
        self.assertEqual(re.findall(r"(?m)^  RANK=(\d)  \(torch\)$", theirs), ["0"])
        self.assertIn("--all-ranks shows those of the other 2 ranks, too", theirs)
        told = self.shell("muster explain job.yml -H node1:4,node2:4 --all-ranks").text
        theirs = told[told.index("environment of every rank that the launcher in the command"):]
        self.assertEqual(re.findall(r"(?m)^  RANK=(\d)  \(torch\)$", theirs), ["0", "1", "2"])

    def test_explain_shows_no_secret_that_the_launcher_passes_on(self):
        self.write("job.yml", "muster: 1\nsecrets: [TOKEN]\n"
                   "command: mpirun -np 2 -x TOKEN -x KEY=a$TOKEN x.py\n"
                   "distribution: {type: mpi, node_count: 2}\n")
        for more in ("", " --json"):
            told = self.shell("TOKEN=hidden muster explain job.yml -H node1,node2" + more).text
            self.assertNotIn("hidden", told)
            self.assertGreaterEqual(told.count("<secret>"), 2, told)

    def test_launchers_on_each_node_are_counted_together(self):
        for launcher in ("torchrun", "python -um torch.distributed.launch --use_env"):
            self.write("job.yml", PER_NODE % f"{launcher} {AT_MASTER} --no_python true")
            told = self.shell("muster explain job.yml -H node1:4,node2:4 --json").text
            self.assertEqual([rank["host"] for rank in json.loads(told)["launched"]],
                             ["node1", "node1", "node2", "node2"], launcher)
        self.shell("muster submit job.yml -H node1:4,node2:4")
        self.assertIn("4 on 2 hosts", self.shell("muster ps").text)

    def test_the_users_own_variables_are_not_called_foreign(self):
        ssh = f"ssh -F {self.lab.ssh_config}"
        done = self.shell("muster run -n 1 mpirun -v -np 2 -H node1:1,node2:1 sh -c "
                          "'echo $MUSTER_SSH_COMMAND $PMIX_MCA_gds'",
                          MUSTER_SSH_COMMAND=ssh, PMIX_MCA_gds="hash")
        self.assertEqual(done.lines, [ssh + " hash"] * 2)
        self.assertNotRegex(done.errors, "not passed on: (MUSTER_SSH|PMIX_MCA|GLOO_|OMP_NUM)")


if __name__ == "__main__":
    run_tests()
