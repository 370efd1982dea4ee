"""muster as each task of a step: srun calls the same command once on every host."""

# rooms: front batch head link machine plan cli
# needs: slurm

import re
import unittest

import test_slurm
from support import (MUSTER, NO_SLOTS, PYTHON, TIMEOUT, UNREACHABLE, UNTIL_GO, USAGE, kill_all,
                     run_tests)

REASON = test_slurm.REASON
WHO = test_slurm.WHO
# With two slots on each host.
EACH = ["srun", "-N", "2", "--ntasks-per-node=1", "-c", "2"]
HOSTS = ["0 node1", "1 node1", "2 node2", "3 node2"]


def told(done):
    """What muster has said, without srun's own words."""
    return [line for line in done.errors.splitlines() if not line.startswith("srun: ")]


class OnEachHost(test_slurm.SlurmCase):

    def each(self, *words, **more):
        """`srun -N 2 ... MUSTER WORDS...` to its end, its lines in the order of ranks."""
        return self.start([*EACH, MUSTER, *words], **more).finish()


@unittest.skipIf(REASON, REASON)
class Runs(OnEachHost):
    """The hosts are the step's, and what is asked for is done once."""

    def test_a_run_has_the_cpus_of_each_host(self):
        done = self.each("run", "sh", "-c", WHO)
        self.assertEqual((done.code, sorted(done.lines), told(done)), (0, HOSTS, []), done)

    def test_hosts_without_ranks_stay(self):
        """srun ends a step some time after its first task: --wait."""
        done = self.start([*EACH, "--wait=1", MUSTER, "run", "-n", "1", "sh", "-c",
                           f"sleep 3; {WHO}"]).finish()
        self.assertEqual((done.code, done.lines), (0, ["0 node1"]), done)

    def test_the_step_may_be_a_part_of_the_job(self):
        done = self.allocated(["-N", "3", "-n", "3"], "srun", "-N", "2", "-n", "2",
                              "--ntasks-per-node=1", MUSTER, "run", "sh", "-c", WHO)
        self.assertEqual((done.code, sorted(done.lines)), (0, ["0 node1", "1 node2"]), done)

    def test_the_step_may_have_several_components(self):
        done = self.allocated(["-N", "1", "-n", "1", ":", "-N", "2", "-n", "2"], "srun",
                              "--het-group=0,1", MUSTER, "run", "sh", "-c", WHO)
        self.assertEqual((done.code, sorted(done.lines)),
                         (0, ["0 node1", "1 node2", "2 node3"]), done)

    def test_the_plan_is_shown_once(self):
        done = self.each("run", "--dry-run", "true")
        self.assertEqual(done.text.count("rank  host"), 1, done)
        self.assertIn("SLURM_STEP_NODELIST, SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE",
                      done.text)

    def test_several_runs_follow_each_other(self):
        script = self.write("runs.sh", "".join(
            f"{MUSTER} run -n 1 echo {name} || exit\n" for name in "abc") +
            f"{MUSTER} run -n 1 sh -c 'exit 5' || exit\n{MUSTER} run echo never\n")
        done = self.start([*EACH, "sh", script]).finish()
        self.assertEqual((done.code, done.lines), (5, ["a", "b", "c"]), done)
        self.assertIn("tasks 0-1: Exited with exit code 5",
                      re.sub(r"node\d: task 0: Exited with exit code 5.*node\d: task 1: .*code 5",
                             "tasks 0-1: Exited with exit code 5",
                             " ".join(sorted(done.errors.splitlines()))), done)

    def test_input_comes_from_srun_once(self):
        text = bytes(range(256)) * 40000
        running = self.start([*EACH, MUSTER, "run", "-n", "1", "--stdin", "0", "cat"],
                             stdin=-1)
        done = running.finish(stdin=text)
        self.assertEqual((done.code, done.out == text), (0, True), done.errors)

    def test_a_host_needs_no_file_of_the_first(self):
        self.write("job.yml", f"command: sh -c '{WHO}'\nresources: {{instance_count: 2}}\n"
                              "distribution: {type: pytorch, process_count_per_instance: 1}\n")
        script = self.write("own.sh", '[ $SLURM_PROCID = 0 ] || cd /\n'
                                      f"exec {MUSTER} submit job.yml\n")
        done = self.start([*EACH, "sh", script]).finish()
        self.assertEqual((done.code, sorted(done.lines), told(done)),
                         (0, ["0 node1", "1 node2"], []), done)

    def test_a_host_needs_no_name_service(self):
        hosts = self.write("hosts", "127.0.0.1 localhost\n")
        script = self.write("own.sh", f"[ $SLURM_PROCID = 0 ] || mount --bind {hosts} /etc/hosts\n"
                                      f"exec {MUSTER} run -n 1 sh -c '{WHO}'\n")
        done = self.start([*EACH, "unshare", "-m", "sh", script]).finish()
        self.assertEqual((done.code, done.lines, told(done)), (0, ["0 node1"], []), done)

    def test_the_terminal_of_srun_is_the_first_task_s(self):
        words = " ".join(EACH) + f" --pty {MUSTER} run sh -c '{WHO}'"
        done = self.start(["script", "-qec", words, "/dev/null"]).finish()
        self.assertEqual(sorted(re.findall(r"\d node\d", done.text)),
                         ["0 node1", "1 node2"], done)

    def test_a_step_within_a_shell_with_a_terminal_is_one_as_any(self):
        """The shell's variables about its terminal reach that step, too."""
        inner = self.write("inner.sh", "[ $SLURM_PROCID = 0 ] || exit 0\n"
                           f"exec srun --overlap --ntasks-per-node=1 -N 2 -n 2 "
                           f"{MUSTER} run sh -c '{WHO}'\n")
        words = " ".join(EACH) + f" --pty sh {inner}"
        done = self.start(["script", "-qec", words, "/dev/null"]).finish()
        self.assertEqual(sorted(re.findall(r"\d node\d", done.text)), HOSTS, done)

    def test_hosts_that_are_named_are_used_once(self):
        done = self.each("run", "-H", "node2:1,node1:1", "sh", "-c", WHO)
        self.assertEqual((done.code, done.lines), (0, ["0 node2", "1 node1"]), done)
        script = self.write("own.sh", f"exec {MUSTER} run -H $(hostname):2 sh -c '{WHO}'\n")
        done = self.start([*EACH, "sh", script]).finish()
        self.assertEqual((done.code, sorted(done.lines)),
                         (0, ["0 node1", "0 node2", "1 node1", "1 node2"]), done)

    def test_what_a_script_reads_after_a_run_is_its_own(self):
        running = self.start([*EACH, "sh"], stdin=-1)
        done = running.finish(stdin=f"{MUSTER} run -n 1 echo a\necho $SLURM_PROCID after\n"
                                  .encode())
        self.assertEqual((done.code, sorted(done.lines)), (0, ["0 after", "1 after", "a"]), done)

    def test_muster_lead_holds_the_hosts_of_the_step(self):
        done = self.each("lead", "--", "sh", "-c", f"{MUSTER} run -n 2 --map-by node sh -c '{WHO}'")
        self.assertEqual((done.code, sorted(done.lines)), (0, ["0 node1", "1 node2"]), done)

    def test_a_pipeline_runs_once(self):
        self.write("pipeline.yml", "type: pipeline\njobs:\n  a: {command: echo one}\n"
                                   "  b: {command: echo two}\n")
        done = self.each("submit", "pipeline.yml")
        self.assertEqual((done.code, sorted(done.lines)), (0, ["a: one", "b: two"]), done)


@unittest.skipIf(REASON, REASON)
class Launchers(OnEachHost):
    """Each front end, as scripts call it that have come from elsewhere."""

    def test_mpirun_and_hydra(self):
        for words in (["mpirun"], ["mpiexec.hydra", "-n", "4"]):
            done = self.each(*words, "sh", "-c", WHO)
            self.assertEqual((done.code, sorted(done.lines)), (0, HOSTS), done)

    def test_torchrun_with_a_rendezvous_and_without(self):
        script = self.write("who.py", "import os, socket\nprint(os.environ['RANK'], "
                            "socket.gethostname(), flush=True)\n")
        for words in ([], ["--rdzv-backend", "c10d", "--rdzv-endpoint", "node1:29512"]):
            done = self.each("torchrun", "--nnodes", "2", "--nproc_per_node", "2", *words, script,
                             env=self.environment(PYTHON_EXEC=PYTHON))
            self.assertEqual((done.code, sorted(done.lines)), (0, HOSTS), done)

    def test_horovodrun_and_deepspeed(self):
        done = self.each("horovodrun", "-np", "4", "sh", "-c", WHO)
        self.assertEqual((done.code, sorted(line.split(":", 1)[1] for line in done.lines)),
                         (0, HOSTS), done)
        done = self.each("deepspeed", "--no_python", "--no_local_rank", "sh", "-c", WHO)
        self.assertEqual((done.code, sorted(done.lines)), (0, HOSTS), done)


@unittest.skipIf(REASON, REASON)
class Ends(OnEachHost):
    """All tasks end with one code, for one reason that is told once."""

    def test_wrong_words_are_told_once(self):
        for words, code, what in ((["run", "--bogus", "true"], USAGE, "unknown option"),
                                  (["run", "-n", "99", "true"], NO_SLOTS, "99 ranks wanted"),
                                  (["mpirun", "-np", "x", "true"], 1, "x")):
            done = self.each(*words)
            self.assertEqual((done.code, done.errors.count("muster: error")), (code, 1), done)
            self.assertIn(what, "\n".join(told(done)))
            self.assertEqual(done.errors.count(f"Exited with exit code {code}"), 2, done)

    def test_several_tasks_on_a_host_are_told_to_be_one(self):
        done = self.start(["srun", "-N", "2", "-n", "4", MUSTER, "run", "true"]).finish()
        self.assertEqual(done.code, USAGE, done)
        self.assertIn("or once a host (srun -N 2 -n 2 --ntasks-per-node=1", done.errors)

    def test_this_host_alone_is_each_task_s_own(self):
        done = self.each("run", "-H", "localhost:2", "sh", "-c", WHO)
        self.assertEqual((done.code, sorted(done.lines)),
                         (0, ["0 node1", "0 node2", "1 node1", "1 node2"]), done)

    def test_a_time_limit_is_the_code_of_all(self):
        done = self.each("run", "--timeout", "1", "sleep", self.mark)
        self.assertEqual((done.code, done.errors.count(f"Exited with exit code {TIMEOUT}")),
                         (TIMEOUT, 2), done)

    def test_scancel_ends_it_in_order(self):
        self.ends_in_order_by_scancel("srun --ntasks-per-node=1")

    def test_a_task_that_cannot_reach_the_first_leaves_it_alone(self):
        # The first one's rank goes on after the other task has given up.
        script = self.write("own.sh", f"""run="{MUSTER} run --start-timeout 5 -n 1"
[ $SLURM_PROCID = 0 ] && exec $run sh -c '{UNTIL_GO}; {WHO}'
unshare -n $run false
code=$?
: > "$DIR/go"
exit $code
""")
        done = self.start([*EACH, "sh", script]).finish()
        self.assertEqual((done.code, done.lines), (0, ["0 node1"]), done)
        self.assertIn("task 0 of the step, on node1, cannot be reached from here", done.errors)

    def test_a_signal_for_the_ranks_harms_no_task(self):
        running = self.start([*EACH, MUSTER, "run", "-n", "2", "--map-by", "node", "sh", "-c",
                              'trap ": > $DIR/told.$RANK; exit 0" USR1; : > "$DIR/ready.$RANK"; '
                              "while :; do sleep 0.05; done"])
        self.wait_for("ready.0", "ready.1")
        self.slurm.ask("scancel", "-s", "USR1", self.jobs()[0].split()[0])
        done = running.finish()
        self.assertEqual((done.code, "muster" in done.errors), (0, False), done)
        self.wait_for("told.0", "told.1")

    def test_tasks_that_ask_for_different_things_are_told(self):
        script = self.write("own.sh", f"exec {MUSTER} run --start-timeout 5 -n 1 "
                                      "echo shard $SLURM_PROCID\n")
        done = self.start([*EACH, "sh", script]).finish()
        self.assertEqual((done.code, done.lines), (UNREACHABLE, ["shard 0"]), done)
        self.assertIn("all tasks must call muster with the same words", done.errors)

    def test_what_does_not_stay_is_refused(self):
        done = self.each("run", "--detach", "true")
        self.assertEqual((done.code, done.errors.count("--detach cannot be used")), (USAGE, 1))
        done = self.start([*EACH[:-2], "-m", "arbitrary", "-n", "2", MUSTER, "run", "true"],
                          env=self.environment(
                              SLURM_HOSTFILE=self.write("hosts", "node2\nnode1\n"))).finish()
        self.assertEqual(done.code, USAGE, done)
        self.assertIn("without -m arbitrary", done.errors)

    def test_a_first_task_may_be_late(self):
        script = self.write("own.sh", "[ $SLURM_PROCID = 0 ] && sleep 7\n"
                                      f"exec {MUSTER} run -n 1 sh -c '{WHO}'\n")
        done = self.start([*EACH, "sh", script]).finish()
        self.assertEqual((done.code, done.lines, told(done)), (0, ["0 node1"], []), done)

    def test_the_others_see_that_the_first_has_gone(self):
        # srun passes on no further output once it has lost a task.
        script = self.write("own.sh", f"exec {MUSTER} run --start-timeout 5 sh -c ': > "
                                      "\"$DIR/ready.$RANK\"; "
                                      "exec sleep \"$E2E_MARK\"' 2> \"$DIR/err.$SLURM_PROCID\"\n")
        running = self.start([*EACH, "sh", script])
        self.wait_for("ready.0", "ready.2")
        kill_all(self.slurm.lab.children_named("node1", "muster"))
        done = running.finish()
        self.assertNotEqual(done.code, 0, done)
        self.assertIn(f"task 1: Exited with exit code {UNREACHABLE}", done.errors)
        self.assertIn("task 0 of the step, on node1, is gone", self.text("err.1"))


if __name__ == "__main__":
    run_tests()
