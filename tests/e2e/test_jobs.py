"""Job files: checked, explained and run, on this machine, on fake nodes and on ssh hosts."""

# rooms: job front cli plan
# long

import glob
import importlib.util
import json
import os
import re
import resource
import shutil
import socket
import sys
import unittest

from front_case import LabFrontCase
from lab import LOCAL
from support import (BAD_FILE, CANNOT_START, MUSTER, PYTHON, ROOT, USAGE, Case,
                     lab_or_skip, run_tests)

JOBS = os.path.join(ROOT, "examples", "jobs")
FILES = [path for path in sorted(glob.glob(os.path.join(JOBS, "*.yml")))
         if os.path.basename(path) != "muster.yml"]


MISSING = " ".join(name for name in ("jsonschema", "yaml")
                   if importlib.util.find_spec(name) is None)
if MISSING:
    print(f"SKIPPED: no Python module {MISSING} (tools/setup test installs it)", file=sys.stderr)


class JobCase(Case):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.symlink(PYTHON, self.path("bin", "python"))

    def job(self, command, *words):
        env = self.environment()
        env["PATH"] = self.path("bin") + ":" + env["PATH"]
        return self.start(*words, command=(MUSTER, command), env=env).finish()

    def good(self, command, *words):
        done = self.job(command, *words)
        self.assertEqual(done.code, 0, done)
        return done

    def copy(self):
        """Where the ranks of a run would find the code, as explain tells it."""
        return self.path(".local/state/muster/runs/<run>/code")

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

    def test_what_would_not_start_anywhere(self):
        os.makedirs(os.path.join(self.folder, "src"))
        self.write("src/train.py", "")
        for job, told in (
                ("command: cd a && torchrun --nproc_per_node four t.py\n",
                 r"job\.yml:1:18: torchrun would not start: --nproc_per_node must be a number"),
                ("command: mpirun -bind-too core x\nresources: {instance_count: 4}\n",
                 r"job\.yml:1:10: mpirun would not start: "),
                ("command: python train.py\ncode: srcs\n",
                 r"job\.yml:2:7: the folder of the code is not there: 'srcs'"),
                ("command: python train.py\ncode: src/train.py\n",
                 r"job\.yml:2:7: code must be a folder, and 'src/train.py' is a file")):
            done = self.job("validate", self.write("job.yml", job))
            self.assertEqual(done.code, BAD_FILE, done)
            self.assertRegex(done.errors, told)
        for job in ("command: mpirun -np $N x\ncode: src\n", "command: module load a; mpirun -x\n",
                    "command: mpirun -np ${{inputs.n}} x\ninputs: {n: {type: integer}}\n",
                    "command: mpirun -np 8 x\nresources: {instance_count: 4}\ncompute: none\n"):
            self.good("validate", self.write("job.yml", job))

    def refused(self, command, job, told):
        done = self.job(*command, self.write("job.yml", job))
        self.assertEqual(done.code, BAD_FILE, done)
        self.assertRegex(done.errors, told)

    def test_a_script_that_is_not_in_the_code(self):
        for name in ("src/main.py", "src/deep/train.py"):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            self.write(name, "")
        for job, told in (
                ("command: |\n  echo begin\n  python -u mian.py --lr 1\ncode: src\n",
                 r"job\.yml:3:13: the command starts 'mian\.py', which is not in src"
                 r"\n.*did you mean main\.py\?"),
                ("command: torchrun --nproc_per_node 2 train.py\ncode: src\n",
                 r"job\.yml:1:38: .*'train\.py'.*\n.*did you mean deep/train\.py\?"),
                ("command: cd src/deep && mpirun -np 2 python eval.py\n",
                 r"job\.yml:1:45: .*'eval\.py'"),
                ("muster: 1\ncommand: [python, other.py]\ncode: src\n",
                 r"job\.yml:2:19: .*'other\.py'")):
            for command in (["validate"], ["explain"], ["submit"], ["submit", "--dry-run"]):
                self.refused(command, job, told)
        for job in ("command: cp main.py train.py && python train.py\ncode: src\n",
                    "command: python ${{inputs.script}}\ninputs: {script: {type: uri_file}}\n",
                    "command: python train.py\nenvironment: {image: example.org/image}\n"):
            self.good("validate", self.write("job.yml", job))

    def test_inputs_that_are_not_there(self):
        self.write("there", "")
        for typed, told in (
                ((), r"job\.yml:2:36: the input x is not there: \S+/gone\n"),
                (("--set", "inputs.x=~/gone"), r"the input x is not there: \S+/gone\n"),
                (("--set", "inputs.x=s3://b/x"), r"where muster cannot reach it: 's3://b/x'"),
                (("--set", "inputs.x=http:h"), r"'http:h'\n.*an address begins with http://")):
            for command in (["explain"], ["submit"]):
                self.refused([*command, *typed], "command: cat ${{inputs.x}}\n"
                             "inputs: {x: {type: uri_file, path: ./gone}}\n", told)
        job = self.write("job.yml", "command: cat ${{inputs.x}}\n"
                         "inputs: {x: {type: uri_file, path: ~/there}}\n")
        self.good("submit", job)

    def test_what_set_does_not_take(self):
        job = self.write("job.yml", "command: 'true'\n")
        for typed, hint in (("inpts.x=1", "did you mean inputs.x?"), ("dat.x=1", "mean data.x?"),
                            ("x=1", "for an input: --set inputs.x=1"),
                            ("tags.=1", "the name is missing"), ("=1", "inputs.lr=0.1")):
            done = self.job("submit", job, "--set", typed)
            self.assertEqual(done.code, USAGE, done)
            self.assertIn(hint, done.errors)

    def test_what_is_wrong_with_muster_yml(self):
        for text, told in (("", "muster.yml: the file is empty\n  hint: it begins with targets:"),
                           ("- a\n", "muster.yml:1:1: a file of targets is a map, not a list"),
                           ("dta: {x: y}\n", "unknown key 'dta'\n  hint: did you mean data?")):
            self.write("muster.yml", text)
            for command in (["validate"], ["submit"]):
                done = self.job(*command, self.write("job.yml", "command: 'true'\n"))
                self.assertEqual((done.code, done.errors.count("error:")), (BAD_FILE, 1), done)
                self.assertIn(told, done.errors)

    def test_packages_in_the_place_of_an_environment(self):
        self.write("conda.yml", "name: x\ndependencies: [python, pip, {pip: [-r gone.txt]}]\n")
        self.refused(["validate"], "command: 'true'\nenvironment: file:./conda.yml\n",
                     r"conda\.yml:2:36: pip's list takes in 'gone\.txt'")
        self.refused(["validate"],
                     "command: 'true'\nenvironment: {dependencies: [python=3.9]}\n",
                     r"job\.yml:2:15: .*write environment: \{conda_file: \{dependencies")
        self.write("env.yml", "imge: x\n")
        job = self.write("job.yml", "command: 'true'\nenvironment: file:env.yml\n")
        self.good("submit", job, "--without", "environment")

    def test_each_launcher_of_a_command_is_checked(self):
        self.refused(["validate"],
                     "command: >-\n  torchrun --nproc_per_node 2 --no_python true &&\n"
                     "  torchrun --nproc_per_node four --no_python true\n",
                     r"job\.yml:3:3: torchrun would not start: --nproc_per_node must be a number")

    def test_a_silent_cluster_is_not_said_to_be_fine(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and never listens
            self.write("kubeconfig", json.dumps({
                "apiVersion": "v1", "kind": "Config", "current-context": "lab",
                "clusters": [{"name": "lab", "cluster": {
                    "server": f"http://127.0.0.1:{taken.getsockname()[1]}"}}],
                "users": [], "contexts": [{"name": "lab", "context": {"cluster": "lab"}}]}))
            self.write("muster.yml", "targets: {lab: {kubernetes: {image: example.org/image}}}\n")
            job = self.write("job.yml", "command: 'true'\n")
            env = self.environment()
            env["KUBECONFIG"] = self.path("kubeconfig")
            done = self.start("--target", "lab", job, command=(MUSTER, "validate"),
                              env=env).finish()
        self.assertNotEqual(done.code, 0, done)
        self.assertEqual(done.text, "")
        self.assertEqual(done.errors.count("muster: error: "), 1, done)

    @unittest.skipIf(MISSING, MISSING)
    def test_a_long_file_takes_no_time(self):
        inputs = "".join(f"  input_{i}: {{type: number, default: {i}, min: 0}}\n"
                         for i in range(1990))
        path = self.write("job.yml", "command: x\ninputs:\n" + inputs)
        ours = self.computing_of(lambda: self.good("validate", path))
        load = "import sys, yaml; yaml.load(open(sys.argv[1]), yaml.SafeLoader)"
        theirs = self.computing_of(lambda: self.succeeds("-c", load, path, command=(PYTHON,)))
        # On a quiet machine 0.015 and 0.3 s.
        self.assertLess(ours, theirs / 2, "checking it takes longer than reading it in Python")

    @staticmethod
    def computing_of(action):
        """Processor time of what it starts, which a busy machine does not change."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        action()
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_a_missing_file(self):
        done = self.job("validate", "no.yml")
        self.assertEqual(done.code, BAD_FILE)
        self.assertIn("no.yml: cannot open the file", done.errors)


class Schema(JobCase):
    def setUp(self):
        super().setUp()
        if MISSING:
            self.skipTest(MISSING)
        import jsonschema
        import yaml
        self.schema = json.loads(self.good("schema").text)
        jsonschema.Draft7Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft7Validator(self.schema)
        self.load = yaml.safe_load

    def test_takes_every_example(self):
        for path in FILES:
            with open(path, encoding="utf-8") as file:
                self.validator.validate(self.load(file))

    def test_kinds_may_be_written_in_any_case(self):
        job = "command: x\ndistribution: {type: %s}\n"
        for kind in ("mpi", "MPI", "PyTorch", "TensorFlow"):
            self.assertTrue(self.validator.is_valid(self.load(job % kind)), kind)
            self.good("validate", self.write("job.yml", job % kind))
        self.assertFalse(self.validator.is_valid(self.load(job % "PyTorchs")))

    def test_refuses_what_the_reader_refuses(self):
        for text in ["comand: x", "command: [x]", "command: x\ndistribution: {type: mpy}",
                     "muster: 1\ncommand: x\nresources: {instance_count: 2}",
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
        self.assertEqual(plan["apps"][0]["workdir"], self.copy())
        self.assertEqual(plan["code"]["folder"], os.path.join(JOBS, "src"))
        self.assertEqual(plan["outputs"],
                         {"model": self.path(".local/state/muster/runs/<run>/outputs/model")})
        self.assertEqual(os.listdir(self.folder), ["bin"])

    def test_it_says_what_runs(self):
        text = self.good("explain", self.example("mpirun.yml")).text
        self.assertIn(f"what runs\n  1 rank, in {self.copy()}: bash -c 'mpirun -np 16 ", text)
        self.assertIn("hosts of the launcher in the command\n  fake-0 slots=4\n  fake-1 slots=4\n",
                      text)
        text = self.good("explain", self.example("tensorflow_servers.yml")).text
        self.assertIn("  2 ranks (worker), in ", text)
        self.assertIn("  4 ranks (ps), in ", text)

    def test_what_its_launcher_would_refuse(self):
        """A launcher in the command is told of as it would tell itself, and nothing starts."""
        self.write("muster.yml", "targets:\n  big: {hosts: [n1, n2, n3, n4], slots: 4}\n")
        refused = {
            "mpirun -bind-too core ./a": (BAD_FILE, "unknown option '-bind-too'"),
            "mpirun -np 4 -genv A 1 ./a": (BAD_FILE, "unknown option '-genv'"),
            "torchrun --nproc_per_node four t.py": (BAD_FILE, "--nproc_per_node must be a number"),
            "deepspeed --num_nodes 9 t.py": (BAD_FILE, "--num_nodes 9, but 4 hosts are known"),
            "mpirun -np 17 ./a": (BAD_FILE, "17 ranks wanted, but 4 hosts have 16 slots"),
            "cd . && horovodrun -np 17 ./a":
                (BAD_FILE, "-np asks for 17 ranks, but the hosts have 16 slots")}
        for command, (code, why) in refused.items():
            file = self.write("job.yml", f"type: command\ncommand: {command}\n"
                              "resources: {instance_count: 4}\ncompute: azureml:big\n"
                              "distribution: {type: mpi, process_count_per_instance: 4}\n")
            for words in (["validate"], ["explain"], ["submit", "--dry-run"], ["submit"]):
                if "17 ranks" in why and words == ["submit"]:
                    continue  # its launcher is the one to tell, when it has started
                done = self.job(*words, file)
                self.assertEqual((done.code, done.out), (code, b""), done)
                self.assertRegex(done.errors,
                                 r"job\.yml:2:\d+: .*would not start: " + re.escape(why))
        for name in "ab":
            self.write(name, "")
        for command in ("mpirun -np 16 ./a", "mpirun -np $((4 * 4)) ./a", "/opt/mpirun -foo ./a",
                        "if ./b; then mpirun -foo ./a; fi"):
            file = self.write("job.yml", f"muster: 1\ncommand: '{command}'\n")
            self.good("explain", file)

    def test_no_variable_is_left_out(self):
        """All that a rank finds is told before, but what is Open MPI's own affair."""
        path = self.write("job.yml", "muster: 1\ncommand: [env]\n"
                          "environment_variables: {LANGUAGE: en-us}\n"
                          "distribution: {type: mpi, node_count: 2}\n")
        plan = json.loads(self.good("explain", path, "--fake-nodes", "2", "--json").text)
        told = {*plan["environment"], *plan["ranks"][0]["environment"]}
        self.assertEqual(plan["environment"]["LANGUAGE"],
                         {"value": "en-us", "why": "job file"})
        done = self.good("submit", path, "--fake-nodes", "2")
        found = {line.split("=")[0] for line in done.lines} - set(self.environment())
        self.assertEqual({name for name in found - told
                          if not name.startswith(("PMIX_", "OMPI_MCA_", "JSM_"))},
                         {"PWD"} & found)

    def test_a_command_line_is_its_dry_run(self):
        words = ["-n", "3", "--fake-nodes", "2", "true"]
        dry = self.succeeds("--dry-run", "--env", *words)
        self.assertEqual(self.good("explain", "--all-ranks", "--", "run", *words).text, dry.text)


# What a rank of a job tells of itself.
SHOW = """
import json, os, socket, sys
NAMES = ("OMPI_COMM_WORLD_", "HOROVOD_", "AZ_BATCH", "AZUREML_", "MASTER_", "RANK", "LOCAL_RANK",
         "WORLD_SIZE", "NODE_RANK", "TF_CONFIG", "LANGUAGE", "NCCL_DEBUG")
env = {name: value for name, value in os.environ.items() if name.startswith(NAMES)}
print(json.dumps({"words": sys.argv[1:], "host": socket.gethostname(), "env": env}))
"""

# Each example: its nodes and how many ranks each has.
LAYOUTS = {"command_mpi": (2, 2), "command_pytorch": (2, 2), "command_tensorflow": (2, 1),
           "horovodrun": (4, 4), "mpi_component": (1, 1), "mpirun": (4, 4), "mpirun_k8s": (4, 4),
           "mpirun_same_environment": (4, 4), "native": (2, 2), "tensorflow_servers": (6, 1),
           "tensorflow_workers": (4, 1), "torch_k8s": (4, 1), "torch_launch": (4, 4)}


class Ranks:
    """Every example with scripts that show what the ranks see."""

    def show_instead(self):
        shutil.copytree(JOBS, self.path("jobs"))
        for name in ("train.py", "mpi_train.py"):
            self.write(os.path.join("jobs", "src", name), SHOW)

    @staticmethod
    def told(done):
        # horovodrun says at the start of each line whose it is
        lines = [json.loads(line) for line in re.findall(r'(?m)\{"words".*$', done.text)]
        return sorted(lines, key=lambda one: int(one["env"]["RANK"]))

    def check(self, name, done):
        nodes, per_node = LAYOUTS[name]
        ranks = self.told(done)
        self.assertEqual(len(ranks), nodes * per_node, (name, done))
        for number, rank in enumerate(ranks):
            node, local = divmod(number, per_node)
            expected = {"RANK": number, "WORLD_SIZE": len(ranks), "LOCAL_RANK": local,
                        "NODE_RANK": node, "AZUREML_CR_NODE_RANK": node,
                        "OMPI_COMM_WORLD_RANK": number,
                        "OMPI_COMM_WORLD_SIZE": len(ranks), "OMPI_COMM_WORLD_LOCAL_RANK": local,
                        "OMPI_COMM_WORLD_LOCAL_SIZE": per_node}
            if name == "mpi_component":  # one rank of MPI on its node may start workers there
                del expected["LOCAL_RANK"]
                self.assertNotIn("LOCAL_RANK", rank["env"])
            found = {key: int(rank["env"][key]) for key in expected}
            self.assertEqual(found, expected, (name, rank))
            self.assertEqual(rank["env"]["AZUREML_PROCESS_NAME"], f"rank_{number}")
        for key in ("MASTER_ADDR", "MASTER_PORT", "AZ_BATCH_MASTER_NODE"):
            self.assertEqual(len({rank["env"][key] for rank in ranks}), 1, (name, key))
        self.check_dialect(name, ranks)
        return ranks

    def check_dialect(self, name, ranks):
        first = ranks[0]["env"]
        self.assertEqual(first["AZ_BATCH_MASTER_NODE"],
                         first["MASTER_ADDR"] + ":" + first["MASTER_PORT"])
        for number, rank in enumerate(ranks):
            if name.startswith("horovod"):
                self.assertEqual(int(rank["env"]["HOROVOD_RANK"]), number)
            if "tensorflow" in name:
                task = json.loads(rank["env"]["TF_CONFIG"])["task"]
                workers = LAYOUTS[name][0] - (4 if name.endswith("servers") else 0)
                is_worker = number < workers
                self.assertEqual(task, {"type": "worker" if is_worker else "ps",
                                        "index": number - (0 if is_worker else workers)})
            if name in ("mpirun", "mpirun_same_environment"):
                self.assertEqual(rank["env"]["NCCL_DEBUG"], "INFO")
            if name == "torch_k8s":
                self.assertEqual((rank["env"]["LANGUAGE"], rank["words"]),
                                 ("en-us", ["--language", "en-us"]))


class SeenByRanks(JobCase, Ranks):
    def test_every_example_on_fake_nodes(self):
        self.show_instead()
        self.assertEqual(sorted(LAYOUTS),
                         sorted(os.path.basename(path)[:-4] for path in FILES))
        for name in LAYOUTS:
            self.check(name, self.good("submit", self.path("jobs", name + ".yml")))


REASON = lab_or_skip()


@unittest.skipIf(REASON, REASON)
class OnHosts(LabFrontCase, Ranks):
    name = "muster"

    @classmethod
    def setUpClass(cls):
        cls.lab_of(6)

    def setUp(self):
        super().setUp()
        os.symlink(PYTHON, self.path("bin", "python"))

    def submit(self, *words):
        done = self.start_in_lab("submit", *words).finish()
        self.assert_hosts_clean()
        self.assertEqual(done.code, 0, done)
        return done

    def test_every_example(self):
        self.show_instead()
        hosts = ",".join(self.lab.names)
        for name, (_, per_node) in LAYOUTS.items():
            ranks = self.check(name, self.submit(
                self.path("jobs", name + ".yml"), "-H", hosts, "--without", "environment",
                "--without", "gpus"))
            self.assertEqual([rank["host"] for rank in ranks],
                             [f"node{1 + number // per_node}" for number in range(len(ranks))])

    def test_output_folders_are_on_every_host(self):
        job = ("muster: 1\ncommand: echo $RANK > ${{outputs.here}}/rank\n"
               "distribution: {type: mpi, node_count: 2}\n"
               "outputs: {here: {path: %s/out}}\n")
        self.submit(self.write("job.yml", job % LOCAL), "-H", "node1,node2")
        for rank, host in enumerate(("node1", "node2")):
            with open(self.lab.path(host, LOCAL + "/out/rank"), encoding="ascii") as file:
                self.assertEqual(file.read(), f"{rank}\n")
        self.assertFalse(os.path.exists(self.lab.path("head", LOCAL + "/out")))
        self.write("job.yml", job % "/proc/no")
        done = self.start_in_lab("submit", "job.yml", "-H", "node1,node2").finish()
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertRegex(done.errors, r"node[12]: cannot make the folder /proc/no/out: ")

    def test_own_outputs_are_in_the_record_on_every_host(self):
        """Hosts that share no folders: each keeps what its ranks wrote, which comes home, too."""
        env = self.environment(MUSTER_RECORDS=LOCAL + "/records")
        self.write("write.sh", 'echo $RANK > "$1/rank"\n')
        layout = "distribution: {type: mpi, node_count: 2}\noutputs: {model: }\n"
        for launcher in ("", "mpirun -np 2 "):
            command = f"command: {launcher}sh $DIR/write.sh ${{{{outputs.model}}}}\n"
            job = self.write("job.yml", "muster: 1\n" + command + layout)
            done = self.start_in_lab("submit", job, "-H", "node1,node2", "--ssh-port", "22",
                                     env=env).finish()
            self.assertEqual(done.code, 0, done)
            told = self.start_in_lab("show", "last", "--json", env=env).finish()
            folder = json.loads(told.text)["outputs"]["model"]
            self.assertTrue(folder.startswith(LOCAL + "/records/"), folder)
            for rank, at in enumerate((folder, folder + ".conflicts/node2")):
                with open(self.lab.path("head", at + "/rank"), encoding="ascii") as file:
                    self.assertEqual(file.read(), f"{rank}\n")
            for rank, host in enumerate(("node1", "node2")):
                with open(self.lab.path(host, folder + "/rank"), encoding="ascii") as file:
                    self.assertEqual(file.read(), f"{rank}\n")
            removed = self.start_in_lab("rm", "last", env=env).finish()
            self.assertEqual((removed.code, removed.errors),
                             (0, f"muster: hosts that do not share {os.path.dirname(folder)[:-8]} "
                                 "keep the outputs there: node1, node2; `muster gc -H "
                                 "node1,node2 --ssh-port 22` removes them\n"))
            self.assertFalse(os.path.exists(self.lab.path("head", folder)))
            self.assertTrue(os.path.exists(self.lab.path("node1", folder)))

    def test_one_link_to_each_host(self):
        self.write(os.path.join("bin", "ssh"),
                   '#!/bin/sh\necho "$@" >> "$DIR/links"\n'
                   f'exec /usr/bin/ssh -F {self.lab.ssh_config} "$@"\n', 0o755)
        for name, text in LAUNCHERS.items():
            self.write("links", "")
            self.submit(self.write("job.yml", text), "-H", "node1,node2")
            nodes = 1 if name == "component" else 2
            self.assertEqual(len(self.read("links").splitlines()), nodes, name)


ECHO = "sh -c 'echo rank $RANK of $WORLD_SIZE on node $NODE_RANK'"
PER_NODE = ("resources: {instance_count: 2}\ndistribution: {type: %s}\ncommand: >-\n  %s"
            " --nproc_per_node 2 --nnodes 2 --node_rank $NODE_RANK --master_addr $MASTER_ADDR"
            " --master_port $MASTER_PORT %s\n")
ONCE = ("resources: {instance_count: 2}\ndistribution: {type: %s, process_count_per_instance: 2}\n"
        "command: >-\n  true && %s " + ECHO + "\n")
NATIVE = ("muster: 1\ndistribution: {type: mpi, node_count: 2, process_count_per_node: %d}\n"
          "command: >-\n  %s\n")
# A job for each launcher, in each dialect that lets a command name it: 2 nodes with 2 ranks each.
LAUNCHERS = {
    "torchrun": PER_NODE % ("pytorch", "torchrun", "--no_python " + ECHO),
    "torchrun under mpi": PER_NODE % ("mpi", "torchrun", "--no_python " + ECHO),
    "launch": PER_NODE % ("pytorch", "python -um torch.distributed.launch",
                          "--use_env --no_python " + ECHO),
    "run": PER_NODE % ("pytorch", "exec python3 -m torch.distributed.run", "--no_python " + ECHO),
    "mpirun": ONCE % ("mpi", "mpirun -np 4"),
    "mpiexec": ONCE % ("pytorch", "mpiexec --hostfile $AZUREML_MPI_HOSTFILE -n 4"),
    "mpiexec.hydra": ONCE % ("mpi", "mpiexec.hydra -n 4"),
    "horovodrun": ONCE % ("mpi", "horovodrun -np 4"),
    "deepspeed": ONCE % ("pytorch", "deepspeed --no_python --no_local_rank"),
    "muster": "distributed: {mpi: {worker: {count: 2, slots_per: 2}}}\ncommand: >-\n  "
              "muster run -n 4 " + ECHO + "\n",
    "native": NATIVE % (2, "mpirun -np 4 " + ECHO),
    "native torchrun": NATIVE % (1, "torchrun --nproc_per_node 2 --nnodes 2 --rdzv_backend c10d "
                                 "--rdzv_endpoint $MASTER_ADDR:$MASTER_PORT --no_python " + ECHO),
    "draft": "distributed: {mpi: {worker: {count: 2, slots_per: 2}}}\ncommand: >-\n  "
             "deepspeed --hostfile $AZUREML_MPI_HOSTFILE --no_python --no_local_rank " + ECHO
             + "\n",
    "component": "launcher:\n  type: mpi\n  additional_arguments: >-\n    "
                 "torchrun --nproc_per_node 4 --no_python " + ECHO + "\n",
}


class Launchers(JobCase):
    def test_whatever_launcher_a_command_names_is_ours(self):
        for name, text in LAUNCHERS.items():
            nodes = 1 if name == "component" else 2
            done = self.good("submit", self.write("job.yml", text), "--fake-nodes", "2")
            lines = sorted(re.findall(r"(?m)rank \d+ of.*$", done.text))
            self.assertEqual(lines, [f"rank {rank} of 4 on node {rank * nodes // 4}"
                                     for rank in range(4)], (name, done))

    def test_nothing_is_left_of_the_links(self):
        path = self.write("job.yml", "muster: 1\ncommand: dirname $(command -v torchrun)\n")
        done = self.good("submit", path)
        self.assertFalse(os.path.exists(done.text.strip()))

    def test_other_modules_are_left_alone(self):
        path = self.write("job.yml", "muster: 1\ncommand: python -m platform\n")
        self.assertIn("Linux", self.good("submit", path).text)


class Submit(JobCase):
    def ranks(self, *words):
        done = self.good("submit", *words)
        return sorted(map(int, re.findall(r"(?m)^rank (\d+) of", done.text))), done

    def test_native(self):
        found, _ = self.ranks(self.example("native.yml"), "--set", "inputs.epochs=1")
        self.assertEqual(found, [0, 1, 2, 3])
        run = json.loads(self.good("show", "last", "--json").text)
        with open(os.path.join(run["outputs"]["model"], "model.json"), encoding="utf-8") as file:
            self.assertIn("slope", json.load(file))
        self.assertNotIn("outputs", os.listdir(self.folder))

    def test_command_jobs(self):
        found, done = self.ranks(self.example("command_mpi.yml"), "--set", "inputs.magic=x")
        self.assertEqual(found, [0, 1, 2, 3])
        self.assertEqual(done.text.count("magic x"), 4)

    def test_drafts(self):
        found, done = self.ranks(self.example("tensorflow_servers.yml"))
        self.assertEqual(found, list(range(6)))
        self.assertEqual(len(re.findall("magic number", done.text)), 2)
        self.assertEqual(len(re.findall("magic newnumber", done.text)), 4)

    def test_wrong_keys_are_told_all_at_once(self):
        for text, keys in (
                ("muster: 1\ncommnd: x\ninputz: {}\noutputs: {a: {tipe: x}}\n",
                 ["2:1 commnd", "3:1 inputz", "4:15 tipe"]),
                ("type: command\ncomand: x\nlimitz: {}\n", ["2:1 comand", "3:1 limitz"]),
                ("type: pipeline\njobs:\n  a: {commnd: x}\n  b: {command: x, outputz: {}}\n",
                 ["3:7 commnd", "4:19 outputz"])):
            with self.subTest(keys):
                done = self.muster(self.write("job.yml", text), command=(MUSTER, "submit"))
                self.assertEqual((done.code, done.out), (BAD_FILE, b""), done)
                told = re.findall(r"(?m)job\.yml:(\d+:\d+): unknown key '(\w+)'", done.errors)
                self.assertEqual([" ".join(one) for one in told], keys, done)

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
        self.assertIn("needs 4 nodes, and target 'local' has 1", done.errors)
        named = self.write("named.yml", "type: command\ncommand: 'true'\n"
                                        "environment: azureml:curated@latest\n")
        done = self.job("submit", named)
        self.assertEqual(done.code, BAD_FILE)
        self.assertIn("cannot give the job its environment 'azureml:curated@latest'", done.errors)
        done = self.job("submit", "job.yml", "--target", "cloud")
        self.assertEqual(done.code, USAGE)
        self.assertIn("there is no compute target 'cloud'", done.errors)

    def test_a_failure_is_that_of_the_rank(self):
        path = self.write("job.yml", "muster: 1\ncommand: exit $((3 + RANK))\n")
        self.assertEqual(self.job("submit", path).code, 3)


if __name__ == "__main__":
    run_tests()
