"""muster inside the jobs of a real Slurm: hosts from the allocation, agents started by srun."""

# rooms: front spec batch link head machine plan cli
# long
# needs: slurm

import os
import re
import select
import subprocess
import sys
import unittest

from mpi_programs import MPICH, OPEN_MPI
from service_case import ServiceCase
from support import (MUSTER, NO_SLOTS, PYTHON, UNREACHABLE, UNTIL_GO, USAGE, WAIT_SECONDS, Running,
                     kill_all, run_tests, until)

import slurm as slurm_module
from slurm import Slurm


def why_not():
    reason = slurm_module.why_not()
    if reason:
        print(f"SKIPPED: no Slurm here: {reason}", file=sys.stderr)
    return reason


REASON = why_not()
WHO = 'echo "$RANK $(hostname)"'
MANY_SECONDS = 180  # for 64 ranks, which share the cores of this machine


class SlurmCase(ServiceCase):
    """Every test leaves no process, no job and no step behind, and all nodes idle."""

    kind = Slurm

    @property
    def slurm(self):
        return self.service

    def jobs(self):
        return self.slurm.ask("squeue", "-h", "-o", "%i %T").split("\n")[:-1]

    # ---- starting things ------------------------------------------------------------------------

    def text(self, name):
        return self.read(name).decode(errors="replace")

    def environment(self, **more):
        usual = {"DIR": self.folder, "E2E_MARK": self.mark,
                 "MUSTER_RECORDS": self.path("records"), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                 "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return self.slurm.environment(**{**usual, **more})

    def start(self, words, env=None, **more):
        """On the head, which is a login node; jobs get the first nodes."""
        self.slurm.wait_until_idle()
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started = self.slurm.start(words, env=env or self.environment(), cwd=self.folder,
                                   **{**pipes, **more})
        running = Running(started.popen)
        running.send = started.send
        running.pid = started.pid
        self.running.append(running)
        return running

    def allocated(self, options, *words, seconds=WAIT_SECONDS, env=None, **more):
        """`salloc OPTIONS WORDS...` to its end."""
        done = self.start(["salloc", "-Q", *options, *words], env=env, **more).finish(seconds)
        self.assertNotIn("salloc: error: Unable", done.errors)
        return done

    def muster(self, options, *words, code=0, **more):
        """`muster run WORDS...` within an allocation, to its end."""
        done = self.allocated(options, MUSTER, "run", *words, **more)
        self.assertEqual(done.code, code, done)
        return done

    def batch(self, options, script):
        """Submits a batch script; the number of its job. It prints to the files `out` and `err`."""
        path = self.write("job.sh", "#!/bin/sh\n" + script + "\n")
        done = self.start(["sbatch", "--parsable", "-o", self.path("out"), "-e",
                           self.path("err"), *options, path]).finish()
        self.assertEqual(done.code, 0, done)
        return done.text.strip()

    def state(self, job):
        return self.slurm.ask("scontrol", "-o", "show", "job", job)

    def batch_to_end(self, options, script, seconds=WAIT_SECONDS):
        job = self.batch(options, script)
        ended = until(f"the end of job {job}", lambda: re.search(
            "JobState=(COMPLETED|FAILED|TIMEOUT|CANCELLED|NODE_FAIL|OUT_OF_MEMORY)",
            self.state(job)), seconds)
        return ended.group(1), self.text("out")

    def ends_in_order_by_scancel(self, before=""):
        """Ranks get their grace; `before`: words before `muster run`."""
        job = self.batch(["-N", "2", "-n", "2"],
                         f"exec {before} {MUSTER} run sh -c ': > \"$DIR/ready.$RANK\"; "
                         "trap \"sleep 2; : > $DIR/ended.$RANK; exit 0\" TERM; "
                         "while :; do sleep 0.05; done'")
        self.wait_for("ready.0", "ready.1")
        self.slurm.ask("scancel", job)
        self.until_no_job(job)
        self.wait_for("ended.0", "ended.1")
        self.assertIn("interrupted by signal 15 (SIGTERM)", self.text("err"))

    def until_no_job(self, *jobs, seconds=WAIT_SECONDS):
        """Until these have ended, or all."""
        def left():
            return [one for one in self.jobs() if not jobs or one.split()[0] in jobs]
        until(lambda: f"the end of {left()}", lambda: not left(), seconds)

    def wait_for(self, *names, seconds=WAIT_SECONDS):
        until(f"files {names}", lambda: all(os.path.exists(self.path(name)) for name in names),
              seconds)


@unittest.skipIf(REASON, REASON)
class Left(SlurmCase):
    """What a test might leave is seen by the check after it."""

    def test_a_process_a_job_and_a_node_that_is_not_free(self):
        self.assertEqual(self.slurm.unsettled(), "")
        stray = self.slurm.start(["sleep", self.mark], "node1")
        self.assertEqual(self.slurm.unsettled(), f"node1 still runs: sleep {self.mark}")
        stray.send(9)
        stray.wait()
        job = self.batch(["--begin=now+1hour"], "true")
        self.assertEqual(self.slurm.unsettled(), f"job {job} is PENDING")
        self.slurm.ask("scancel", job)
        self.until_no_job()
        self.slurm.ask("scontrol", "update", "NodeName=node2", "State=DRAIN", "Reason=test")
        self.addCleanup(self.slurm.ask, "scontrol", "update", "NodeName=node2", "State=RESUME")
        self.assertEqual(self.slurm.unsettled(), "node2 is drained")


@unittest.skipIf(REASON, REASON)
class Allocations(SlurmCase):
    """Hosts, slots and their order, from wherever muster is called."""

    def test_ranks_are_where_salloc_has_tasks(self):
        done = self.muster(["-N", "3", "--ntasks-per-node=2"], "sh", "-c", WHO)
        self.assertEqual(done.lines, ["0 node1", "1 node1", "2 node2", "3 node2", "4 node3",
                                      "5 node3"])

    def test_slots_may_differ(self):
        done = self.muster(["-N", "2", "-n", "3"], "sh", "-c", WHO)
        self.assertEqual(done.lines, ["0 node1", "1 node1", "2 node2"])

    def test_a_batch_script_runs_on_its_hosts(self):
        state, out = self.batch_to_end(["-N", "2", "--ntasks-per-node=2"],
                                       f"{MUSTER} run sh -c '{WHO}'")
        self.assertEqual(state, "COMPLETED", out)
        self.assertEqual(sorted(out.splitlines()), ["0 node1", "1 node1", "2 node2", "3 node2"])

    def test_a_step_of_one_task_has_all_hosts_of_its_job(self):
        done = self.allocated(["-N", "2", "-n", "2"], "srun", "-n", "1", "-N", "1", MUSTER, "run",
                              "-n", "2", "--map-by", "node", "sh", "-c", WHO)
        self.assertEqual((done.code, done.lines), (0, ["0 node1", "1 node2"]), done)

    def test_the_components_of_a_job_are_one(self):
        done = self.allocated(["-N", "1", "-n", "1", ":", "-N", "2", "--ntasks-per-node=2"],
                              MUSTER, "run", "sh", "-c", WHO)
        self.assertEqual((done.code, done.lines),
                         (0, ["0 node1", "1 node2", "2 node2", "3 node3", "4 node3"]), done)
        done = self.allocated(["-N", "1", "-n", "1", ":", "-N", "2"], MUSTER, "run", "-H",
                              "node3,node1", "sh", "-c", WHO)
        self.assertEqual((done.code, done.lines), (0, ["0 node3", "1 node1"]), done)

    def test_the_plan_tells_the_variables(self):
        done = self.muster(["-N", "2", "-n", "3"], "--dry-run", "true")
        self.assertIn("SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE", done.text)
        done = self.muster(["-N", "2", "-n", "3"], "--dry-run", "--json", "true")
        self.assertIn('"srun"', done.text)

    def test_a_shell_of_srun_has_the_hosts_of_its_tasks(self):
        script = self.write("shell.sh", f"#!/bin/sh\n[ $SLURM_PROCID = 0 ] || exit 0\n"
                            f"exec {MUSTER} run sh -c '{WHO}'\n", 0o755)
        done = self.start(["script", "-qec", f"srun -N 2 -n 3 --pty {script}",
                           "/dev/null"]).finish()
        self.assertEqual(sorted(re.findall(r"\d node\d", done.text)),
                         ["0 node1", "1 node1", "2 node2"], done)

    def test_hosts_may_be_named(self):
        done = self.muster(["-N", "3", "-n", "3"], "-H", "node3,node1", "sh", "-c", WHO)
        self.assertEqual(done.lines, ["0 node3", "1 node1"])

    def test_too_many_ranks_are_refused(self):
        done = self.muster(["-N", "2", "-n", "2"], "-n", "3", "true", code=NO_SLOTS)
        self.assertIn("3 ranks", done.errors)

    def test_ranks_know_the_job_and_no_step(self):
        script = ('echo "job=$SLURM_JOB_ID nodes=$SLURM_JOB_NODELIST task=$SLURM_PROCID'
                  '$SLURM_LOCALID$SLURM_STEP_ID$SLURM_NTASKS"')
        done = self.muster(["-N", "2", "-n", "2"], "sh", "-c", script)
        self.assertEqual(len(done.lines), 2)
        for line in done.lines:
            self.assertRegex(line, r"^job=\d+ nodes=node\[1-2\] task=$")


@unittest.skipIf(REASON, REASON)
class Steps(SlurmCase):
    """Agents are steps that take nothing away and carry every byte."""

    def test_all_cpus_of_a_host_are_there_for_ranks(self):
        done = self.muster(["-N", "2", "-n", "4", "-c", "4"], PYTHON, "-c",
                           "import os; print(len(os.sched_getaffinity(0)))")
        self.assertEqual(done.lines, [str(len(os.sched_getaffinity(0)))] * 4)

    def test_bytes_stay_what_they_are(self):
        script = ("import os; b = bytes(range(256)) * 4096; "
                  "[os.write(1, b[at:at + 65536]) for at in range(0, len(b), 65536)]")
        done = self.muster(["-N", "2", "-n", "2"], "-H", "node2", "-n", "1", PYTHON, "-c", script)
        self.assertEqual(done.out, bytes(range(256)) * 4096)

    def test_what_belongs_to_a_host_stays_there(self):
        done = self.muster(["-N", "2", "-n", "2"], "sh", "-c",
                           'echo "$(hostname) ${CUDA_VISIBLE_DEVICES-none} ${HOSTNAME-none}"',
                           env=self.environment(CUDA_VISIBLE_DEVICES="1", HOSTNAME="head"))
        self.assertEqual(done.lines, ["node1 none none", "node2 none none"])

    def test_input_reaches_a_rank(self):
        text = bytes(range(256)) * 2000
        running = self.start(["salloc", "-Q", "-N", "2", "-n", "2", MUSTER, "run", "-H", "node2",
                              "-n", "1", "--stdin", "0", "cat"], stdin=subprocess.PIPE)
        done = running.finish(stdin=text)
        self.assertEqual((done.code, done.out == text), (0, True), done.errors)

    def test_two_runs_and_a_step_share_an_allocation(self):
        held = f': > "$DIR/$0.$RANK"; {UNTIL_GO}'
        script = self.write("both.sh", f"""#!/bin/sh
{MUSTER} run sh -c '{held}' one & one=$!
{MUSTER} run sh -c '{held}' two & two=$!
srun --overlap -N2 -n2 sh -c ': > "$DIR/step.$SLURM_PROCID"'
wait $one && wait $two && echo good
""", 0o755)
        running = self.start(["salloc", "-Q", "-N", "2", "-n", "2", script])
        self.wait_for("one.0", "one.1", "two.0", "two.1", "step.0", "step.1")
        self.write("go", "")
        done = running.finish()
        self.assertEqual((done.code, done.lines), (0, ["good"]), done)

    def test_one_srun_starts_the_agents_of_all_hosts(self):
        done = self.allocated(["-N", "3", "-n", "3"], MUSTER, "run", "sh", "-c",
                              '[ $RANK = 0 ] || exit 0; squeue -h -s -o "%N"')
        self.assertIn("node[1-3]", done.lines, done)
        self.assertEqual(len([line for line in done.lines if line.startswith("node")]), 1, done)

    def agent(self, called):
        """An agent that does something else first where it is to connect to the head."""
        return self.write("agent", f"""#!/bin/sh
[ "$2" = called ] && {{ {called}; }}
exec {MUSTER} "$@"
""", 0o755)

    def test_hosts_that_cannot_connect_get_an_srun_of_their_own(self):
        agent = self.agent("export SLURM_LAUNCH_NODE_IPADDR=127.0.0.1")
        done = self.muster(["-N", "3", "-n", "3"], "--agent-path", agent, "sh", "-c", WHO)
        self.assertEqual(done.lines, ["0 node1", "1 node2", "2 node3"])
        self.assertRegex(done.errors, r"node\d cannot connect to this host \(.*127\.0\.0\.1:\d+.*"
                         "an srun of their own")

    def test_own_sruns_start_as_many_at_once_as_may(self):
        self.write("srun", """#!/bin/sh
case " $* " in *" called "*) ;; *) echo "begin" >> "$DIR/order";; esac
exec /usr/bin/srun "$@"
""", 0o755)
        agent = self.write("agent", f"""#!/bin/sh
[ "$2" = called ] && export SLURM_LAUNCH_NODE_IPADDR=127.0.0.1
[ "$2" = called ] || echo "$(wc -l < "$DIR/order") begun for $SLURMD_NODENAME" >> "$DIR/seen"
exec {MUSTER} "$@"
""", 0o755)
        script = self.write("one.sh", f"""#!/bin/sh
PATH="$DIR:$PATH" {MUSTER} run --max-open 1 --agent-path {agent} true
""", 0o755)
        done = self.allocated(["-N", "3", "-n", "3"], script)
        self.assertEqual(done.code, 0, done)
        self.assertEqual([int(line.split()[0]) for line in self.read("seen").splitlines()],
                         [1, 2, 3])

    def test_a_host_whose_agent_does_not_come_is_named_with_srun_s_words(self):
        agent = self.agent("[ $SLURMD_NODENAME != node2 ] || exec no-such-program")
        done = self.muster(["-N", "3", "-n", "3"], "--agent-path", agent, "--start-timeout", "10",
                           "true", code=UNREACHABLE)
        self.assertIn("node2: its agent, started by srun with those of other hosts, has not come: ",
                      done.errors)
        self.assertIn("no-such-program", done.errors)
        self.assertNotIn("node3", done.errors)

    def test_the_first_failure_ends_all_and_is_told(self):
        done = self.muster(["-N", "2", "-n", "2"], "sh", "-c",
                           '[ $RANK = 0 ] || exit 7; sleep "$E2E_MARK"', code=7)
        self.assertIn("rank 1 on node2 exited with code 7", done.errors)

    def test_a_lost_node_is_named(self):
        running = self.start(["salloc", "-Q", "--no-kill", "-N", "2", "-n", "2", MUSTER, "run",
                              "sh", "-c", ': > "$DIR/ready.$RANK"; sleep "$E2E_MARK"'])
        self.wait_for("ready.0", "ready.1")
        kill_all(self.slurm.lab.strangers("node2", self.mark.encode()))
        done = running.finish()
        self.assertNotEqual(done.code, 0)
        self.assertIn("node2: the link to its agent broke: srun: error: node2: task ", done.errors)


@unittest.skipIf(REASON, REASON)
class Ends(SlurmCase):
    """The end of an allocation ends the run, in order."""

    def test_scancel_is_the_cause(self):
        self.ends_in_order_by_scancel()

    def test_scancel_is_the_cause_when_ranks_die_of_it(self):
        job = self.batch(["-N", "2", "-n", "2"],
                         f"exec {MUSTER} run sh -c ': > \"$DIR/ready.$RANK\"; "
                         "exec sleep \"$E2E_MARK\"'")
        self.wait_for("ready.0", "ready.1")
        self.slurm.ask("scancel", job)
        self.until_no_job(job)
        self.assertIn("interrupted by signal 15 (SIGTERM)", self.text("err"))


@unittest.skipIf(REASON, REASON)
class WithoutController(SlurmCase):
    own = True
    options = {"losable": True}

    def test_slurmctld_may_be_away_while_a_run_goes_on(self):
        running = self.start(["salloc", "-Q", "-N", "2", "-n", "2", MUSTER, "run", "sh", "-c",
                              f': > "$DIR/ready.$RANK"; {UNTIL_GO}; : > "$DIR/went.$RANK"; '
                              'echo "$RANK"'])
        self.wait_for("ready.0", "ready.1")
        self.slurm.stop("slurmctld", "head")
        try:
            self.write("go", "")
            self.wait_for("went.0", "went.1")
        finally:
            self.slurm.start_slurmctld()
        done = running.finish()
        self.assertEqual((done.code, done.lines), (0, ["0", "1"]), done)
        # What the controller has missed, nodes tell it again in their own time.
        self.slurm.wait_until_idle(200)


@unittest.skipIf(REASON, REASON)
class Held(SlurmCase):
    """`muster lead` starts the agents of a job's hosts once, for all launchers in its command."""

    def led(self, options, command, *words, **more):
        return self.allocated(options, MUSTER, "lead", *words, "--", *command, **more)

    def test_launchers_use_the_agents_that_are_there(self):
        path = self.write("srun", '#!/bin/sh\necho called >> "$DIR/called"\n'
                                  'exec /usr/bin/srun "$@"\n')
        os.chmod(path, 0o755)
        script = self.write("runs.sh",
                            f"{MUSTER} run sh -c '{WHO}'\n"
                            "mpirun -n 4 sh -c 'echo $OMPI_COMM_WORLD_RANK $(hostname)'\n")
        env = self.environment(PATH=f"{self.folder}:{os.environ['PATH']}")
        done = self.led(["-N", "2", "--ntasks-per-node", "2"], ["sh", script], env=env)
        self.assertEqual((done.code, done.errors), (0, ""), done)
        places = ["0 node1", "1 node1", "2 node2", "3 node2"]
        self.assertEqual(sorted(done.lines), sorted(places * 2))
        self.assertEqual(self.text("called"), "called\n")

    def test_a_job_file_and_a_batch_script_do_so_too(self):
        self.write("job.yml", "command: echo $RANK of $WORLD_SIZE\n"
                              "distribution: {type: mpi, process_count_per_instance: 2}\n"
                              "resources: {instance_count: 2}\n")
        state, out = self.batch_to_end(
            ["-N", "2", "--ntasks-per-node", "2"],
            f"exec {MUSTER} lead -- sh -c '{MUSTER} submit job.yml && {MUSTER} submit job.yml'")
        self.assertEqual(state, "COMPLETED", self.text("err"))
        self.assertEqual(sorted(out.split("\n")[:-1]), sorted([f"{n} of 4" for n in range(4)] * 2))

    def test_there_are_no_hosts_to_lead_outside_a_job(self):
        done = self.start([MUSTER, "lead", "--", "true"]).finish()
        self.assertEqual(done.code, USAGE, done)
        self.assertIn("no batch job around muster", done.errors)

    def test_a_host_that_is_lost_is_told_and_the_rest_goes_on(self):
        with open(self.path("told"), "wb") as told:
            running = self.start(["salloc", "-Q", "--no-kill", "-N", "2", "-n", "2", MUSTER, "lead",
                                  "--", "sh", "-c",
                                  f": > $DIR/up; {UNTIL_GO}; {MUSTER} run -H node1 hostname"],
                                 stderr=told)
        self.wait_for("up")
        kill_all(self.slurm.lab.children_named("node2", "muster"))
        until("a word of node2", lambda: "node2: the link to its agent broke" in self.text("told"))
        self.write("go", "")
        done = running.finish()
        self.assertEqual((done.code, done.lines), (0, ["node1"]), done)

    def test_scancel_ends_what_muster_lead_has_begun(self):
        self.ends_in_order_by_scancel(f"{MUSTER} lead --")


@unittest.skipIf(REASON, REASON)
class Launchers(SlurmCase):
    """All front ends find the allocation in the same way."""

    TWO = ["-N", "2", "--ntasks-per-node=2"]
    HOSTS = ["0 node1", "1 node1", "2 node2", "3 node2"]
    OF_HOROVOD = [f"[{line[0]}]<stdout>:{line}" for line in HOSTS]

    def test_mpirun(self):
        done = self.allocated(self.TWO, MUSTER, "mpirun", "sh", "-c", WHO)
        self.assertEqual((done.code, done.lines), (0, self.HOSTS), done)

    def test_mpiruns_hostfile_has_the_slots_of_the_allocation_at_most(self):
        for text, words, told in (("node2\n", [], ["0 node2", "1 node2"]),
                                  ("node1\nnode2\n", ["-np", "3"],
                                   ["0 node1", "1 node1", "2 node2"]),
                                  ("node1 slots=9\n", [], ["0 node1", "1 node1"]),
                                  ("node1 slots=1\n", [], ["0 node1"])):
            hosts = self.write("hosts", text)
            done = self.allocated(self.TWO, MUSTER, "mpirun", "--hostfile", hosts, *words, "sh",
                                  "-c", WHO)
            self.assertEqual((done.code, done.lines), (0, told), done)
        hosts = self.write("hosts", "node1 slots=9\n")
        done = self.allocated(self.TWO, MUSTER, "mpirun", "--hostfile", hosts, "-np", "3", "true")
        self.assertNotEqual(done.code, 0, done)
        self.assertRegex(done.errors, "3 ranks .* 2 slots")

    def test_hydra(self):
        for words in ([], ["-launcher", "slurm", "-rmk", "slurm"]):
            done = self.allocated(self.TWO, MUSTER, "mpiexec.hydra", *words, "-n", "4", "sh", "-c",
                                  WHO)
            self.assertEqual((done.code, done.lines), (0, self.HOSTS), done)

    def test_torchrun(self):
        script = self.write("who.py", "import os, socket\nprint(os.environ['RANK'], "
                            "socket.gethostname(), flush=True)\n")
        done = self.allocated(self.TWO, MUSTER, "torchrun", "--nnodes", "2", "--nproc_per_node",
                              "2", script, env=self.environment(PYTHON_EXEC=PYTHON))
        self.assertEqual((done.code, done.lines), (0, self.HOSTS), done)
        done = self.allocated(self.TWO, MUSTER, "torchrun", "--nnodes", "3", script)
        self.assertIn("has 2", done.errors)

    def test_horovodrun(self):
        done = self.allocated(self.TWO, MUSTER, "horovodrun", "-np", "4", "sh", "-c", WHO)
        self.assertEqual((done.code, done.lines), (0, self.OF_HOROVOD), done)

    def test_horovodrun_in_a_batch_script(self):
        state, out = self.batch_to_end(self.TWO, f"{MUSTER} horovodrun --gloo -np 4 sh -c '{WHO}'")
        self.assertEqual((state, sorted(out.splitlines())), ("COMPLETED", self.OF_HOROVOD))

    def test_deepspeed(self):
        done = self.allocated(self.TWO, MUSTER, "deepspeed", "--launcher", "slurm", "--no_python",
                              "--no_local_rank", "sh", "-c", WHO)
        self.assertEqual((done.code, done.lines), (0, self.HOSTS), done)

    def test_a_job_file(self):
        self.write("job.yml", f"command: sh -c '{WHO}'\nresources: {{instance_count: 2}}\n"
                   "distribution: {type: pytorch, process_count_per_instance: 2}\n")
        for words in ([], ["--target", "allocation"]):
            done = self.allocated(self.TWO, MUSTER, "submit", "job.yml", *words)
            self.assertEqual((done.code, done.lines), (0, self.HOSTS), done)

    def test_a_launcher_in_a_job_s_command(self):
        self.write("job.yml", f"command: mpirun -np 4 sh -c '{WHO}'\n"
                   "resources: {instance_count: 2}\n"
                   "distribution: {type: mpi, process_count_per_instance: 2}\n")
        done = self.allocated(self.TWO, MUSTER, "submit", "job.yml")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(sorted(line for line in done.text.splitlines() if " node" in line),
                         self.HOSTS)


TRAINS = """
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(torch.nn.Linear(4, 1))
model(torch.ones(8, 4)).sum().backward()
total = torch.ones(1)
dist.all_reduce(total)
if dist.get_rank() == 0:
    print("trained", int(total), flush=True)
dist.destroy_process_group()
"""


@unittest.skipIf(REASON, REASON)
class Programs(SlurmCase):
    """Programs of several hosts meet: by PMIx, by PMI-1, by torch's store."""

    ALL = ["-N", "4", "--ntasks-per-node=16"]

    def test_64_ranks_of_open_mpi(self):
        # 32 of them share a processor here, and would wait busily.
        done = self.muster(self.ALL, "--lease", "30", OPEN_MPI.program("hello"),
                           env=self.environment(OMPI_MCA_mpi_yield_when_idle="1"),
                           seconds=MANY_SECONDS)
        self.assertIn("hello ok with 64", done.text, done)

    def test_64_ranks_of_mpich(self):
        """They may hang once all is said, see test_mpi_hosts.MpichOnHosts."""
        job = self.start(["salloc", "-Q", *self.ALL, MUSTER, "run", "--lease", "30",
                          MPICH.program("hello")])
        until("a line of the ranks", lambda: select.select([job.popen.stdout], [], [], 0)[0],
              MANY_SECONDS)
        self.assertEqual(job.popen.stdout.readline().decode(), "hello ok with 64\n")
        try:
            self.assertEqual(job.finish(10).code, 0)
        except subprocess.TimeoutExpired:
            self.slurm.ask("scancel", "-u", "root")
            job.finish()

    def test_training_on_two_hosts(self):
        state, out = self.batch_to_end(
            ["-N", "2", "--ntasks-per-node=2"],
            f"{MUSTER} run {PYTHON} {self.write('train.py', TRAINS)}", seconds=MANY_SECONDS)
        self.assertEqual((state, out), ("COMPLETED", "trained 4\n"))


if __name__ == "__main__":
    run_tests()
