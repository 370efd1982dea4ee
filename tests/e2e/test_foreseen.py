"""What validate, explain and a dry run tell of the launchers in a job's command."""

# rooms: front job cli plan

import json
import os
import re

from support import BAD_FILE, MUSTER, Case, run_tests


class Foreseen(Case):
    def told(self, *words):
        return self.start(*words, command=(MUSTER,)).finish()

    def fine(self, *words):
        done = self.told(*words)
        self.assertEqual(done.code, 0, done)
        return done

    def test_a_launcher_that_does_not_wait_for_all_nodes(self):
        """Each node calls it, and it would wait for another number of them."""
        self.write("muster.yml", "targets:\n  big: {hosts: [n1, n2, n3, n4], slots: 4}\n")
        self.write("train.py", "")
        job = ("type: command\ncommand: torchrun --nnodes NODES --node_rank $NODE_RANK "
               "--master_addr $MASTER_ADDR train.py\ncode: .\ncompute: azureml:big\n"
               "resources: {instance_count: 4}\n"
               "distribution: {type: pytorch, process_count_per_instance: 1}\n")
        for nodes in (3, 5):
            file = self.write("job.yml", job.replace("NODES", str(nodes)))
            for words in (["validate"], ["explain"], ["submit", "--dry-run"], ["submit"]):
                done = self.told(*words, file)
                self.assertEqual((done.code, done.out), (BAD_FILE, b""), done)
                self.assertIn(f"job.yml:2:10: torchrun would not start: --nnodes {nodes}, but the "
                              "job has 4 nodes", done.errors)
        file = self.write("job.yml", job.replace("NODES", "4"))
        for words in (["validate"], ["explain"], ["submit", "--dry-run"]):
            self.fine(*words, file)

    def test_a_launcher_whose_words_the_shell_makes(self):
        self.write("run.sh", "N=2; mpirun -np $N sh -c 'echo node $NODE_RANK'\n")
        line = '"if true; then N=2; mpirun -np $N sh -c \'echo node $NODE_RANK\'; fi"'
        for command in (line, "bash run.sh"):
            for more in ("", "outputs: {o: {type: uri_folder}}\n", "code: .\n"):
                job = (f"command: {command}\nresources: {{instance_count: 2}}\n"
                       f"distribution: {{type: mpi}}\n{more}")
                done = self.fine("submit", self.write("job.yml", job), "--fake-nodes", "2")
                # The script runs on each node, and its mpirun there has that node alone.
                ran = ["node 0", "node 1"] if command == line else ["node 0"] * 4
                self.assertEqual(sorted(done.lines), sorted(ran), (command, more))

    def test_of_several_ranks_explain_shows_the_variables_of_one(self):
        text = self.fine("explain", "--", "mpirun", "-np", "3", "-H", "n1:2,n2", "true").text
        self.assertEqual(re.findall(r"(?m)^environment of (.*)$", text), ["every rank", "rank 0"])
        self.assertEqual(re.findall(r"(?m)^  (RANK=.*)$", text), ["RANK=0  (torch)"])
        self.assertIn("  (--all-ranks shows those of the other 2 ranks, too)\n", text)

    def test_a_target_that_is_described_elsewhere(self):
        told = (r"there is no compute target 'gone' here; muster submit would stop: "
                r"describe it in .*muster\.yml")
        for job in ("type: command\ncommand: ls\ncompute: azureml:gone\n",
                    "type: pipeline\njobs: {a: {type: command, command: ls, compute: gone}}\n"):
            done = self.fine("validate", self.write("job.yml", job))
            self.assertRegex(done.errors, told)
            self.assertEqual(done.errors.count("\n"), 1, done)
        self.write("muster.yml", "targets: {gone: {fake_nodes: 1}}\n")
        self.assertEqual(self.fine("validate", self.path("job.yml")).errors, "")

    def test_launchers_that_cannot_be_foreseen(self):
        """Nothing is shown of what they start, and that is told."""
        told = "what mpirun in the command will start cannot be foreseen: only a shell can expand"
        job = ("type: command\ncommand: mpirun -np COUNT ./a\n"
               "distribution: {type: mpi, process_count_per_instance: 4}\n")
        self.write("a", "")
        file = self.write("job.yml", job.replace("COUNT", "$((2 * 2))"))
        for words in (["validate"], ["validate", "--target", "local"], ["explain"],
                      ["submit", "--dry-run"]):
            self.assertIn(told, self.fine(*words, file).errors)
        file = self.write("job.yml", job.replace("COUNT", "4"))
        self.assertNotIn("foreseen", self.fine("explain", file).errors)

    def test_launchers_in_a_script(self):
        """Nobody but a shell follows it; what it calls first among launchers is told."""
        told = "what mpirun in '{}' will start cannot be foreseen: only a shell can follow a script"
        self.write("run.sh", "#!/bin/bash\nset -e\n# torchrun is for later\nif true; then\n"
                             "  OMP_NUM_THREADS=1 mpirun -np 4 ./a\nfi\n", 0o755)
        os.makedirs(self.path("src/deep"))
        self.write("src/deep/run.sh", "mpirun -np 4 ./a\n")
        for command, path, more in (
                ("bash run.sh", "run.sh", ""), ("sh ./run.sh 4", "./run.sh", ""),
                ("./run.sh", "./run.sh", ""),
                ("pip list && exec bash -e run.sh", "run.sh", ""),
                ("cd deep && bash run.sh", "run.sh", "code: src\n")):
            file = self.write("job.yml",
                              f"command: '{command}'\ndistribution: {{type: mpi}}\n{more}")
            for words in (["validate"], ["validate", "--target", "local"], ["explain"],
                          ["submit", "--dry-run"]):
                done = self.fine(*words, file)
                self.assertEqual(done.errors.count("foreseen"), 1, (command, done))
                self.assertIn(told.format(path), done.errors)

    def test_several_launchers_are_told_of_in_one_line(self):
        self.write("run.sh", "mpirun -np 4 ./a\n")
        self.write("two.sh", "torchrun t.py\n")
        job = ("command: 'if true; then mpirun -np $N ./a; fi; bash run.sh; bash two.sh'\n"
               "distribution: {type: mpi}\n")
        for file in (self.write("job.yml", "type: command\n" + job),
                     self.write("steps.yml", "type: pipeline\njobs: {a: {type: command, command: "
                                "bash run.sh}, b: {type: command, command: bash run.sh}}\n")):
            done = self.fine("validate", file)
            self.assertEqual(done.errors.count("\n"), 1, done)
            self.assertEqual(done.errors.count("foreseen"), 1, done)
        self.assertIn("what mpirun in the command will start cannot be foreseen, nor what 2 other "
                      "launchers will: ", self.fine("validate", self.path("job.yml")).errors)

    def test_mistakes_of_launchers_in_scripts(self):
        """Told with their places, where the shell is sure to come to them."""
        os.makedirs(self.path("src/deep"))
        self.write("src/deep/run.sh", "#!/bin/bash\nset -e\n\necho go\n"
                   "  OMP_NUM_THREADS=1 mpirun -np 4 --bogus ./a\n")
        self.write("src/run.sh", "mpirun -np four ./a\n")
        self.write("src/odd.sh", "#!/bin/sh -e\n# mpirun\n> log mpi\"run\" -np four ./a\n")
        for command, place, told in (
                ("bash deep/run.sh", "src/deep/run.sh:5:21", "--bogus"),
                ("cd deep && bash run.sh", "src/deep/run.sh:5:21", "--bogus"),
                ("bash odd.sh", "src/odd.sh:3:7", "four"),
                ("bash run.sh", "src/run.sh:1:1", "four")):
            file = self.write("job.yml", f"type: command\ncommand: '{command}'\ncode: src\n"
                              "distribution: {type: mpi}\n")
            for words in (["validate"], ["explain"], ["submit", "--dry-run"], ["submit"]):
                done = self.told(*words, "job.yml")
                self.assertEqual((done.code, done.out), (BAD_FILE, b""), (words, done))
                self.assertRegex(done.errors, f"error: {place}: mpirun would not start: .*{told}")
                self.assertEqual(done.errors.count("muster: error"), 1, done)
            self.assertRegex(self.told("validate", file).errors, f"error: /.*/{place}: mpirun")

    def test_mistakes_that_a_script_may_not_come_to(self):
        for script, why in (
                ("if [ -e x ]; then\n  mpirun --bogus ./a\nfi\n", "--bogus"),
                ("module load mpi\nmpirun --bogus ./a\n", "--bogus"),
                ("mpirun -np $N --bogus ./a\n", "only a shell can follow a script"),
                ("mpirun --bogus ./a || mpirun ./a\n", "--bogus"),
                ("cat <<X\nmpirun --bogus\nX\n", "--bogus")):
            self.write("run.sh", script)
            file = self.write("job.yml", "type: command\ncommand: bash run.sh\n")
            for words in (["validate"], ["explain"], ["submit", "--dry-run"]):
                done = self.fine(*words, file)
                self.assertRegex(done.errors, "what mpirun in 'run.sh' will start cannot be "
                                 f"foreseen: .*{why}")
                self.assertEqual(done.errors.count("foreseen"), 1, done)
        self.write("run.sh", "mpirun --bogus ./a\n")
        for command in ("bash run.sh || true", "test -e x && bash run.sh",
                        "export PATH=/opt/bin:$PATH; bash run.sh", "PATH=/opt/bin bash run.sh"):
            file = self.write("job.yml", f"type: command\ncommand: '{command}'\n")
            self.assertRegex(self.fine("validate", file).errors,
                             "mpirun in 'run.sh' will start cannot be foreseen: unknown .*--bogus")

    def test_scripts_that_tell_of_no_launcher(self):
        self.write("echo.sh", "echo mpirun -np 4\n# mpirun\nx='mpirun -np 2'\nmuster ps\n")
        self.write("python.sh", "#!/usr/bin/python3\ntorchrun\n", 0o755)
        self.write("t.py", "mpirun\n", 0o755)
        self.write("shared.py", "#!/share/bin/python3\nmpirun --bogus\n", 0o755)
        self.write("go.fish", "#!/usr/bin/env fish\nmpirun --bogus\n", 0o755)
        os.mkfifo(self.path("fifo.sh"))
        for command in ("bash echo.sh", "./python.sh", "./shared.py; ./go.fish", "python3 t.py",
                        "./fifo.sh; sh fifo.sh", "cd $DIR; bash gone.sh", "bash -c echo"):
            file = self.write("job.yml", f"command: '{command}'\n")
            for words in (["validate"], ["explain"], ["submit", "--dry-run"]):
                self.assertNotIn("foreseen", self.fine(*words, file).errors, command)

    def test_counts_that_are_not_known_yet(self):
        """Hosts may have slots that the job does not ask for, and a value may be another one."""
        self.write("a", "")
        for job in ("command: mpirun -np 8 ./a\ndistribution: {type: mpi}\n",
                    "command: mpirun -np ${{inputs.n}} ./a\ninputs: {n: {type: integer, min: 9}}\n"
                    "distribution: {type: mpi, process_count_per_instance: 4}\n"):
            self.fine("validate", self.write("job.yml", "type: command\n" + job))

    def test_a_job_without_distribution_has_the_cores_of_this_machine(self):
        self.write("a", "")
        # Its threads and the quota of its control group make that another number than Python's.
        node, = json.loads(self.fine("explain", "--json", "--", "mpirun", "true").text)["nodes"]
        cores = node["slots"]
        job = "type: command\ncommand: mpirun --nooversubscribe -np COUNT ./a\n"
        file = self.write("job.yml", job.replace("COUNT", str(cores + 1)))
        for words in (["explain"], ["submit", "--dry-run"]):
            done = self.told(*words, file)
            self.assertEqual((done.code, done.out), (BAD_FILE, b""), done)
            self.assertRegex(done.errors, rf"job\.yml:2:10: mpirun would not start: {cores + 1} "
                             rf"ranks .* 1 host has {cores} slot")
        self.fine("validate", file)  # it may be for another machine
        self.fine("explain", file, "-H", "n1")
        self.fine("explain", self.write("job.yml", job.replace("COUNT", str(cores))))
        turns = job.replace("--nooversubscribe ", "").replace("COUNT", str(cores + 1))
        self.fine("explain", self.write("job.yml", turns))
        file = self.write("job.yml", job.replace("-np COUNT", "-H n1:2,n2:2 -np 5"))
        for words in (["validate"], ["explain"], ["submit", "--dry-run"]):
            done = self.told(*words, file)
            self.assertEqual((done.code, done.out), (BAD_FILE, b""), done)
            self.assertRegex(done.errors, "mpirun would not start: 5 ranks .* 2 hosts have 4 slots")

    def test_a_launcher_in_a_command_is_told_of_such_an_address(self):
        file = self.write("job.yml", "type: command\nresources: {instance_count: 2}\n"
                          "distribution: {type: mpi, process_count_per_instance: 1}\n"
                          "command: mpirun -np 2 -x MASTER_ADDR=127.0.0.1 true\n")
        told = "notice: ranks on 2 hosts cannot meet at MASTER_ADDR=127.0.0.1: "
        self.assertIn(told, self.fine("explain", file, "-H", "n1,n2").text)
        self.assertIn(told, self.fine("submit", "--dry-run", file, "-H", "n1,n2").text)
        self.assertNotIn("cannot meet", self.fine("explain", file, "--fake-nodes", "2").text)

    def test_an_address_that_each_host_takes_for_itself(self):
        """However the hosts are named, and whoever chose it."""
        self.write("hosts", "n1 slots=2\nn2 slots=2\n")
        self.write("muster.yml", "targets:\n  two: {hosts: [n1, n2]}\n")
        self.write("job.yml", "type: command\ncommand: 'true'\nresources: {instance_count: 2}\n"
                   "distribution: {type: pytorch}\n"
                   "environment_variables: {MASTER_ADDR: localhost}\n")
        told = "cannot meet at MASTER_ADDR=localhost"
        at = ["--master_addr", "localhost"]
        for words in (["--", "torchrun", "-H", "n1,n2", *at, "t.py"],
                      ["--", "torchrun", "--hostfile", "hosts", *at, "t.py"],
                      ["--", "launch", "-H", "n1,n2", *at, "t.py"],
                      ["--", "deepspeed", "--hostfile", "hosts", *at, "t.py"],
                      ["job.yml", "-H", "n1,n2"], ["job.yml", "--hostfile", "hosts"],
                      ["job.yml", "--target", "two"]):
            done = self.told("explain", *words)
            self.assertEqual((done.code == 0, done.out), (False, b""), done)
            self.assertIn(told, done.errors)
            self.assertEqual(done.errors.count("muster: error"), 1, done)
        for words in (["run", "-H", "n1,n2", "-x", "MASTER_ADDR=localhost", "./a"],
                      ["mpirun", "-H", "n1,n2", "-x", "MASTER_ADDR=localhost", "./a"]):
            self.assertIn(told, self.fine("explain", "--", *words).text)
        self.fine("explain", "job.yml", "--fake-nodes", "2")


if __name__ == "__main__":
    run_tests()
