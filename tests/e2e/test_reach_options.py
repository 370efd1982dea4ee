"""How hosts are reached, said to every front end: by options, by variables, by muster.yml; through
pipelines, sweeps and a queue."""

# rooms: front job link cli pipeline

import os
import unittest

from support import MUSTER, USAGE, Case, run_tests
from test_detection import FRONTS

# ssh to any host: this one, once it has noted its words.
NOTING = '#!/bin/sh\necho "$*" >> "$DIR/ssh.log"\nfor last; do :; done\nexec sh -c "$last"\n'
SILENT = "#!/bin/sh\nexec sleep 600\n"

# A Slurm that starts each job at once, on this machine and on n2, which is this machine as well.
SLURM = {
    "sbatch": """#!/bin/sh
cat > "$DIR/script"
export SLURM_JOB_ID=42 SLURM_JOB_NODELIST=$(hostname),n2 SLURM_JOB_NUM_NODES=2
export SLURM_TASKS_PER_NODE="1(x2)" SLURMD_NODENAME=$(hostname)
# Whoever called this ends what it leaves in its own session.
setsid -f sh -c ': > "$DIR/begun"; exec sh "$DIR/script"' > "$DIR/out" 2>&1 < /dev/null
while ! [ -e "$DIR/begun" ]; do sleep 0.01; done
rm "$DIR/begun"
echo 42
""",
    "squeue": """#!/bin/sh
case "$*" in
*format*) echo "42|RUNNING|None|2026-01-01T00:00:00|n1|h|2030-01-01T00:00:00" ;;
esac
""",
    "srun": """#!/bin/sh
echo "$*" >> "$DIR/srun.log"
while case $1 in -*) true ;; *) false ;; esac; do shift; done
exec "$@"
"""}
TRIALS = """type: sweep
trial: {command: 'test -e $DIR/go && echo loss = ${{search_space.x}}'}
sampling_algorithm: grid
search_space: {x: {type: choice, values: [1, 2]}}
objective: {goal: minimize, primary_metric: loss}
metrics_from: output
"""
STEPS = """type: pipeline
jobs:
  a: {command: test -e $DIR/go}
  b: {command: test -e $DIR/go}
"""


class Reach(Case):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        self.ssh(NOTING)
        self.write("hosts", "n1 slots=2\nn2 slots=2\n")
        self.write("job.yml", "command: 'true'\ndistribution: {type: mpi, "
                              "process_count_per_instance: 2}\nresources: {instance_count: 2}\n")
        self.write("muster.yml", "targets:\n  here: {hosts: [n1, n2], ssh_port: 4000}\n")

    def ssh(self, text):
        self.write("bin/ssh", text, 0o755)

    def environment(self, **more):
        given = super().environment(**more)
        return {**given, "PATH": self.path("bin") + ":" + given["PATH"]}

    def lines(self):
        """Of each front end, a line that uses two hosts; options may follow the first word."""
        for name, (_, words) in FRONTS.items():
            yield name, words, ["true"]
        yield "submit", ["submit", "-H", "n1:2,n2:2"], ["job.yml"]

    def called(self, words, **variables):
        """To its end, with what ssh and srun are told from now on."""
        for log in ("ssh.log", "srun.log"):
            if os.path.exists(self.path(log)):
                os.remove(self.path(log))
        return self.start(*words, command=(MUSTER,), env=self.environment(**variables)).finish()

    def told_to_ssh(self, words, **variables):
        done = self.called(words, **variables)
        self.assertEqual(done.code, 0, done)
        told = self.read("ssh.log").decode().splitlines()
        self.assertEqual(len(told), 2, told)
        return told

    def test_by_options_and_by_variables(self):
        options = ["--ssh-port", "4321", "--ssh-identity", "key"]
        variables = {"MUSTER_SSH_PORT": "4321", "MUSTER_SSH_IDENTITY": "key"}
        for name, words, program in self.lines():
            for front, given, around in (
                    ("typed", options, {}), ("around", [], variables),
                    ("both", options, {"MUSTER_SSH_PORT": "1", "MUSTER_SSH_IDENTITY": "no"})):
                with self.subTest(front=name, how=front):
                    for line in self.told_to_ssh([words[0], *given, *words[1:], *program],
                                                 **around):
                        self.assertIn("-p 4321 ", line)
                        self.assertIn("-i key ", line)

    def test_by_options_to_commands_around_ssh(self):
        self.write("bin/myssh", NOTING, 0o755)
        self.write("bin/plink", NOTING, 0o755)
        for command, port in (("myssh", "-p"), (self.path("bin/myssh") + " -q", "-p"),
                              ("env X=1 ssh", "-p"), ("plink -batch", "-P")):
            with self.subTest(command):
                for line in self.told_to_ssh(["run", "--ssh-command", command, "--ssh-port", "4321",
                                              "--ssh-identity", "key", "-H", "n1,n2", "true"]):
                    self.assertRegex(line, f"^(-q |-batch |.* )?{port} 4321 -i key n[12] exec ")
        self.assertIn("-p 4321 -i key ", self.told_to_ssh(
            ["mpirun", "-mca", "plm_rsh_agent", "ssh -q", "--ssh-port", "4321", "--ssh-identity",
             "key", "-H", "n1,n2", "true"])[0])

    def test_commands_that_take_no_port_are_refused(self):
        self.write("bin/kubexec.sh", NOTING, 0o755)
        self.write("ported", "n1 port=4321\nn2\n")
        given = ["run", "--ssh-command", "kubexec.sh"]
        hosts = ["-H", "n1,n2"]
        told = r"kubexec\.sh is not told a (port|key): that is for ssh and its like\n  hint: give "
        for words, place in ((["--ssh-port", "4321", *hosts], "--ssh-port"),
                             (["--ssh-identity", "key", *hosts], "--ssh-identity"),
                             (["--hostfile", "ported"], "ported:1:1")):
            with self.subTest(words):
                done = self.called([*given, *words, "true"])
                self.assert_refused(done, USAGE, f"{place}: {told}")
                self.assertFalse(os.path.exists(self.path("ssh.log")))
        done = self.called(["mpirun", "-mca", "plm_rsh_agent", "rsh", "--ssh-port", "1", *hosts,
                            "true"])
        self.assert_refused(done, 1, "--ssh-port: rsh is not told a port")  # as mpirun ends
        for line in self.told_to_ssh([*given, *hosts, "true"], MUSTER_SSH_PORT="5"):
            self.assertRegex(line, "^n[12] exec ", "what is usual counts where it can")

    def test_ssh_itself_can_be_asked_for(self):
        self.write("bin/srun", SLURM["srun"], 0o755)
        words = ["run", "--ssh-command", "ssh", "true"]
        job = {"SLURM_JOB_ID": "4", "SLURM_JOB_NODELIST": "n1,n2", "SLURM_JOB_NUM_NODES": "2",
               "SLURM_TASKS_PER_NODE": "1(x2)"}
        self.told_to_ssh(words, **job)
        self.assertFalse(os.path.exists(self.path("srun.log")))
        for line in self.told_to_ssh([*words[:3], "-H", "n1,n2", "true"],
                                     MUSTER_SSH_COMMAND="false"):
            self.assertIn("BatchMode=yes", line)

    def test_by_muster_yml_for_jobs(self):
        for words, port in (([], "4000"), (["--ssh-port", "4001"], "4001")):
            for line in self.told_to_ssh(["submit", "job.yml", "--target", "here", *words],
                                         MUSTER_SSH_PORT="5"):
                self.assertIn(f"-p {port} ", line)

    def test_by_muster_yml_for_runs(self):
        """In each front end: an option comes before a variable, and that before the file."""
        self.write("muster.yml", "run: {ssh_port: 4000, ssh_identity: key, start_timeout: 30}\n")
        for name, words, program in self.lines():
            for given, around, port in (([], {}, "4000"), ([], {"MUSTER_SSH_PORT": "5"}, "5"),
                                        (["--ssh-port", "4001"], {"MUSTER_SSH_PORT": "5"}, "4001")):
                with self.subTest(front=name, port=port):
                    for line in self.told_to_ssh([words[0], *given, *words[1:], *program],
                                                 **around):
                        self.assertIn(f"-p {port} ", line)
                        self.assertIn("-i key ", line)
        self.write("muster.yml", "run:\n  start_timeout: soon\n")
        for name, words, program in self.lines():
            for given in ([], ["--start-timeout", "5"]):
                with self.subTest(front=name, given=given):
                    done = self.called([words[0], *given, *words[1:], *program])
                    self.assertNotEqual(done.code, 0)
                    self.assertRegex(done.errors, r"muster\.yml:2:18: run\.start_timeout must be "
                                                  "seconds")
        done = self.called(["validate", "job.yml"])
        self.assertRegex(done.errors, r"muster\.yml:2:18: run\.start_timeout must be seconds")

    def test_by_muster_yml_of_the_user_and_beside_the_job(self):
        os.makedirs(self.path("home/.config/muster"))
        self.write("home/.config/muster/muster.yml", "run: {ssh_port: 4000}\n")
        os.remove(self.path("muster.yml"))
        home = {"HOME": self.path("home")}
        line, *_ = self.told_to_ssh(["mpirun", "-np", "2", "-H", "n1,n2", "true"], **home)
        self.assertIn("-p 4000 ", line)
        os.makedirs(self.path("jobs"))
        os.rename(self.path("job.yml"), self.path("jobs/job.yml"))
        words = ["submit", "-H", "n1:2,n2:2", "jobs/job.yml"]
        self.assertIn("-p 4000 ", self.told_to_ssh(words, **home)[0])
        self.write("jobs/muster.yml", "run: {ssh_port: 4002}\n"
                   "targets: {t: {hosts: [n1, n2], slots: 2, ssh_port: 4003}}\n")
        self.assertIn("-p 4002 ", self.told_to_ssh(words, **home)[0])
        words = ["submit", "--target", "t", "jobs/job.yml"]
        for around in ({}, {"MUSTER_SSH_PORT": "5"}):
            self.assertIn("-p 4003 ", self.told_to_ssh(words, **home, **around)[0])

    def test_by_muster_yml_for_the_command_instead_of_ssh(self):
        self.write("bin/myssh", NOTING, 0o755)
        self.write("bin/other", NOTING.replace('"$*"', '"other $*"'), 0o755)
        self.write("muster.yml", "run: {ssh_command: myssh -q}\n")
        for name, words, program in self.lines():
            with self.subTest(front=name):
                for line in self.told_to_ssh([*words, *program]):
                    self.assertTrue(line.startswith("-q n"), line)
                for line in self.told_to_ssh([*words, *program], MUSTER_SSH_COMMAND="other -v"):
                    self.assertTrue(line.startswith("other -v n"), line)

    def test_by_muster_yml_for_steps_trials_and_hosts_to_tidy(self):
        self.write("muster.yml", "run: {ssh_port: 4321}\n")
        self.write("go", "")
        for name, text in (("steps.yml", STEPS), ("trials.yml", TRIALS)):
            with self.subTest(file=name):
                for line in self.told_to_ssh(["submit", self.write(name, text), "-H",
                                              "n1:1,n2:1"]):
                    self.assertIn("-p 4321 ", line)
        for line in self.told_to_ssh(["gc", "-H", "n1,n2"]):
            self.assertIn("-p 4321 ", line)
        for line in self.told_to_ssh(["lead", "-H", "n1,n2", "--", "muster", "run", "true"]):
            self.assertIn("-p 4321 ", line)

    def test_by_muster_yml_where_ranks_start(self):
        os.makedirs(self.path("data"))
        self.write("muster.yml", "run: {workdir: data}\n")
        for words in (["run", "-n", "1", "pwd"], ["mpirun", "-np", "1", "pwd"],
                      ["torchrun", "--no_python", "pwd"]):
            for more, around, folder in (([], {}, "data"), ([], {"MUSTER_WORKDIR": "bin"}, "bin"),
                                         (["--workdir", "."], {}, "")):
                done = self.called([words[0], *more, *words[1:]], **around)
                self.assertEqual((done.code, done.text.strip()),
                                 (0, self.path(folder).rstrip("/")), done)
        inner = f"cd {self.path('bin')}; {MUSTER} run -n 1 pwd"
        self.write("bin/muster.yml", "run: {workdir: ../data}\n")
        done = self.called(["run", "--workdir", "/", "-H", "n1:1,n2:1", "-n", "1", "sh", "-c",
                            inner])
        self.assertEqual(done.text.strip(), self.path("bin"), "of a launcher in a rank")

    @unittest.skipIf(os.getuid() != 0, "only root can give a file away")
    def test_another_users_file_chooses_nothing_that_is_executed(self):
        self.write("other", '#!/bin/sh\n: > "$DIR/executed"\n', 0o755)
        for key, value in (("ssh_command", self.path("other")), ("agent_path", self.path("other")),
                           ("workdir", "/")):
            self.write("muster.yml", f"run:\n  {key}: {value}\n")
            os.chown(self.path("muster.yml"), 65534, 65534)
            for name, words, program in self.lines():
                if (key, name) == ("workdir", "submit"):
                    continue  # jobs from files start where they say
                with self.subTest(key=key, front=name):
                    done = self.called([*words, *program])
                    self.assertNotEqual(done.code, 0)
                    self.assertRegex(done.errors, rf"muster\.yml:2:\d+: run\.{key} may not come "
                                     "from this file: it is another user's")
        self.assertFalse(os.path.exists(self.path("executed")))
        self.write("muster.yml", "run:\n  start_timeout: 30\n")
        self.assertEqual(self.called(["run", "-n", "1", "true"]).code, 0)

    def test_folders_of_jobs_stand_in_their_files(self):
        for verb, told in (("submit", "the folder code: of the job file"),
                           ("rerun", "the folder that it had")):
            done = self.called([verb, "--workdir", "/", "job.yml"])
            self.assertNotEqual(done.code, 0)
            self.assertIn(told, done.errors)

    def test_a_rerun_may_say_it_anew(self):
        for name, words, program in self.lines():
            with self.subTest(front=name):
                self.told_to_ssh([words[0], "--ssh-port", "1", *words[1:], *program],
                                 MUSTER_RECORD="yes")
                for line in self.told_to_ssh(["rerun", "--ssh-port", "4321", "--ssh-identity",
                                              "key", "last"], MUSTER_SSH_PORT="5"):
                    self.assertIn("-p 4321 ", line)
                    self.assertIn(f"-i {self.path('key')} ", line)

    def test_steps_and_trials_are_reached_in_the_same_way(self):
        for name, text in (("steps.yml", STEPS), ("trials.yml", TRIALS)):
            with self.subTest(file=name):
                words = ["submit", self.write(name, text), "-H", "n1:1,n2:1", "--ssh-port", "4321"]
                done = self.called(words)
                self.assertNotEqual(done.code, 0, done)
                log = self.read("ssh.log").decode()
                self.assertRegex(log, r"^(.* -p 4321 .*\n)+$")
                self.write("go", "")
                for line in self.told_to_ssh(["rerun", "--ssh-port", "99", "last"],
                                             MUSTER_SSH_PORT="5"):
                    self.assertIn("-p 99 ", line)
                os.remove(self.path("go"))

    def test_a_rerun_says_it_anew_to_a_run_in_a_queue(self):
        for program, text in SLURM.items():
            self.write("bin/" + program, text, 0o755)
        os.makedirs(self.path("other"))
        os.symlink(MUSTER, self.path("other/muster"))
        self.write("muster.yml", "targets: {queue: {slurm: {partition: p}}}\n")
        self.write("job.yml", "command: 'true'\ndistribution: {type: mpi, "
                              "process_count_per_instance: 1}\nresources: {instance_count: 2}\n")
        done = self.called(["submit", "job.yml", "--target", "queue"])
        self.assertEqual(done.code, 0, done)
        self.assertIn(f" {MUSTER} agent\n", self.read("srun.log").decode())
        self.assertNotIn("MUSTER_QUEUED_REACH", self.read("script").decode())
        agent = self.path("other/muster")
        done = self.called(["rerun", "--agent-path", agent, "--lease", "7", "last"])
        self.assertEqual(done.code, 0, done)
        self.assertIn(f" {agent} agent\n", self.read("srun.log").decode())
        self.assertIn(f"MUSTER_QUEUED_REACH='--agent-path {agent} --lease 7'\n",
                      self.read("script").decode())

    def test_errors_name_what_was_said_and_what_helps(self):
        for name, words, program in self.lines():
            with self.subTest(front=name):
                self.ssh(NOTING)
                done = self.start(words[0], "--agent-path", "/nowhere/muster", *words[1:],
                                  *program, command=(MUSTER,)).finish()
                self.assertNotEqual(done.code, 0)
                self.assertIn("/nowhere/muster", done.errors)
                self.assertIn("--agent-path", done.errors)
                self.ssh(SILENT)
                done = self.start(words[0], "--start-timeout", "0.2", *words[1:], *program,
                                  command=(MUSTER,)).finish()
                self.assertNotEqual(done.code, 0)
                self.assertIn("0.2 s", done.errors)
                self.assertIn("--start-timeout SECONDS waits longer", done.errors)


if __name__ == "__main__":
    run_tests()
