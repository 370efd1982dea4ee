"""Job files: checked, explained and run, on this machine and on fake nodes."""

import glob
import json
import os
import re
import shutil
import sys
import unittest

from support import BAD_FILE, MUSTER, PYTHON, ROOT, USAGE, Case

JOBS = os.path.join(ROOT, "examples", "jobs")
FILES = [path for path in sorted(glob.glob(os.path.join(JOBS, "*.yml")))
         if os.path.basename(path) != "muster.yml"]


class JobCase(Case):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.symlink(PYTHON, self.path("bin", "python"))

    def job(self, command, *words, seconds=60):
        env = self.environment()
        env["PATH"] = self.path("bin") + ":" + env["PATH"]
        return self.start(*words, command=(MUSTER, command), env=env).finish(seconds)

    def good(self, command, *words):
        done = self.job(command, *words)
        self.assertEqual(done.code, 0, done)
        return done

    def example(self, name):
        return os.path.join(JOBS, name)


class Validate(JobCase):
    def test_every_example_is_fine(self):
        self.assertGreaterEqual(len(FILES), 13)
        for path in FILES:
            told = json.loads(self.good("validate", path, "--json").text)
            self.assertEqual((told["fine"], told["complaints"]), (True, []), path)

    def test_all_complaints_at_once(self):
        path = self.write("job.yml", "comand: x\ncode: [a]\nresources: {instance_count: 0}\n")
        done = self.job("validate", path)
        self.assertEqual(done.code, BAD_FILE)
        self.assertEqual(re.findall(r"job\.yml:(\d+:\d+): ", done.errors), ["1:1", "2:7", "3:29"])
        told = json.loads(self.job("validate", "--json", path).text)
        self.assertFalse(told["fine"])
        self.assertEqual(told["complaints"][0],
                         {"what": "unknown key 'comand'", "hint": "did you mean command?",
                          "file": path, "line": 1, "column": 1})

    def test_a_long_file_takes_no_time(self):
        inputs = "".join(f"  input_{i}: {{type: number, default: {i}, min: 0}}\n"
                         for i in range(1990))
        path = self.write("job.yml", "command: x\ninputs:\n" + inputs)
        start = os.times()
        self.good("validate", path)
        end = os.times()
        # Processor time, since machines are busy; on a quiet one, all of it takes below 0.05 s.
        self.assertLess(end.children_user - start.children_user, 0.2)

    def test_a_missing_file(self):
        done = self.job("validate", "no.yml")
        self.assertEqual(done.code, BAD_FILE)
        self.assertIn("no.yml: cannot open the file", done.errors)


class Schema(JobCase):
    def setUp(self):
        super().setUp()
        try:
            import jsonschema
            import yaml
        except ImportError as missing:
            print(f"SKIPPED: {missing} (tools/setup test installs it)", file=sys.stderr)
            self.skipTest(str(missing))
        self.schema = json.loads(self.good("schema").text)
        jsonschema.Draft7Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft7Validator(self.schema)
        self.load = yaml.safe_load

    def test_takes_every_example(self):
        for path in FILES:
            with open(path, encoding="utf-8") as file:
                self.validator.validate(self.load(file))

    def test_refuses_what_the_reader_refuses(self):
        for text in ["comand: x", "command: [x]", "command: x\ndistribution: {type: mpy}",
                     "muster: 1\ncommand: x\nresources: {}",
                     "command: x\nresources: {instance_count: 0}"]:
            self.assertFalse(self.validator.is_valid(self.load(text)), text)
            path = self.write("job.yml", text + "\n")
            self.assertEqual(self.job("validate", path).code, BAD_FILE, text)


class Explain(JobCase):
    def test_a_job_file(self):
        done = self.good("explain", self.example("command_mpi.yml"), "--json")
        plan = json.loads(done.text)
        self.assertEqual(plan["world_size"], 4)
        self.assertEqual([rank["node"] for rank in plan["ranks"]], [0, 0, 1, 1])
        self.assertEqual(plan["apps"][0]["workdir"], os.path.join(JOBS, "src"))
        self.assertFalse(os.path.exists(self.path("outputs")))

    def test_a_command_line_is_its_dry_run(self):
        words = ["-n", "3", "--fake-nodes", "2", "true"]
        dry = self.succeeds("--dry-run", "--env", *words)
        self.assertEqual(self.good("explain", "--", "run", *words).text, dry.text)


class Submit(JobCase):
    def ranks(self, *words):
        done = self.good("submit", *words)
        return sorted(map(int, re.findall(r"(?m)^rank (\d+) of", done.text))), done

    def test_native(self):
        found, _ = self.ranks(self.example("native.yml"), "--set", "inputs.epochs=1")
        self.assertEqual(found, [0, 1, 2, 3])
        self.assertIn("slope", json.loads(self.read("outputs", "model", "model.json")))

    def test_command_jobs(self):
        found, done = self.ranks(self.example("command_mpi.yml"), "--set", "inputs.magic=x")
        self.assertEqual(found, [0, 1, 2, 3])
        self.assertEqual(done.text.count("magic x"), 4)
        found, done = self.ranks(self.example("command_pytorch.yml"))
        self.assertEqual(found, [0, 1, 2, 3])
        self.assertEqual(sorted(re.findall(r"RANK: (\d), LOCAL_RANK: (\d), NODE_RANK: (\d)",
                                           done.text)),
                         [("0", "0", "0"), ("1", "1", "0"), ("2", "0", "1"), ("3", "1", "1")])

    def test_tensorflow_tasks_know_each_other(self):
        done = self.good("submit", self.example("command_tensorflow.yml"))
        told = [json.loads(line) for line in done.text.splitlines() if line.startswith("{")]
        self.assertEqual(sorted(one["task"]["index"] for one in told), [0, 1])
        self.assertEqual(told[0]["cluster"], told[1]["cluster"])
        self.assertEqual(len(set(told[0]["cluster"]["worker"])), 2)

    def test_component(self):
        found, _ = self.ranks(self.example("mpi_component.yml"))
        self.assertEqual(found, [0])

    def test_drafts(self):
        found, done = self.ranks(self.example("torch_k8s.yml"))
        self.assertEqual((found, done.text.count("language en-us")), ([0, 1, 2, 3], 4))
        found, done = self.ranks(self.example("tensorflow_servers.yml"))
        self.assertEqual(found, list(range(6)))
        self.assertEqual(len(re.findall("magic number", done.text)), 2)
        self.assertEqual(len(re.findall("magic newnumber", done.text)), 4)

    def test_drafts_whose_command_is_mpirun(self):
        for name in ("mpirun.yml", "mpirun_k8s.yml"):
            found, done = self.ranks(self.example(name))
            self.assertEqual(found, list(range(16)), done)

    def test_the_hosts_of_the_job_are_those_of_its_launcher(self):
        job = ("command: cat $AZUREML_MPI_HOSTFILE; mpirun -np 4 sh -c 'echo node $NODE_RANK'\n"
               "distributed: {mpi: {worker: {count: 2, slots_per: 2}}}\n")
        done = self.good("submit", self.write("job.yml", job), "--fake-nodes", "2")
        self.assertEqual(done.lines, ["fake-0 slots=2", "fake-1 slots=2",
                                      "node 0", "node 0", "node 1", "node 1"])

    def test_what_a_target_cannot_give(self):
        shutil.copy(self.example("mpirun.yml"), self.path("job.yml"))
        done = self.job("submit", "job.yml")
        self.assertEqual(done.code, BAD_FILE)
        self.assertIn("cannot give the job its environment 'docker.io/pytorch'", done.errors)
        self.assertIn("needs 4 nodes, and target 'local' has 1", done.errors)
        done = self.job("submit", "job.yml", "--target", "cloud")
        self.assertEqual(done.code, USAGE)
        self.assertIn("there is no compute target 'cloud'", done.errors)

    def test_a_failure_is_that_of_the_rank(self):
        path = self.write("job.yml", "muster: 1\ncommand: exit $((3 + RANK))\n")
        self.assertEqual(self.job("submit", path).code, 3)


if __name__ == "__main__":
    unittest.main()
