"""muster in the place of torchrun and torch.distributed.launch.

Ranks see the same words and variables as under the real ones, whose answers are kept in
data/torchrun.json; a few lines are asked anew where torch is installed.
"""

# rooms: front plan host

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from front_case import FrontCase
from own_place import own_network
from support import HERE, MUSTER, PYTHON, ROOT, Case, run_tests

sys.path.insert(0, os.path.join(ROOT, "tests", "data"))
import record_torchrun as theirs  # noqa: E402

TORCH = os.path.isdir("/usr/lib/python3/dist-packages/torch")

# What we say otherwise, and why.
ON_PURPOSE = {
    # rank 0 keeps the TCPStore itself; "True" would promise that the launcher does
    "TORCHELASTIC_USE_AGENT_STORE": lambda their, ours: ours == "False",
    # a file in memory
    "TORCHELASTIC_ERROR_FILE": lambda their, ours: ours.startswith("/proc/"),
}
NEW_ID = re.compile(r"[0-9a-f-]{16,36}")


def answers():
    return json.loads(theirs.ANSWERS.read_text())


def agrees(name, their, ours, line):
    if name in ON_PURPOSE:
        return ON_PURPOSE[name](their, ours)
    if name == "MASTER_PORT" and "port" not in line and "rdzv_endpoint localhost:29519" not in line:
        return 1024 < int(ours) < 65536  # a free one: two jobs on one host must not clash
    if name == "MASTER_ADDR" and ("standalone" in line or "c10d" in line):
        return ours == "127.0.0.1"  # theirs is the host's name, which must resolve
    if name == "TORCHELASTIC_RUN_ID" and "standalone" in line:
        return bool(NEW_ID.fullmatch(ours)) and bool(NEW_ID.fullmatch(their))
    return their == ours


def differences(their, ours, line):
    """Lines that say what two lists of ranks do not have in common."""
    if len(their) != len(ours):
        return [f"{len(their)} ranks, ours {len(ours)}"]
    found = []
    for rank, (one, other) in enumerate(zip(their, ours)):
        if one["words"] != other["words"]:
            found.append(f"rank {rank}: {one['words']}, ours {other['words']}")
        for name, value in one["env"].items():
            if not agrees(name, value, other["env"].get(name, ""), line):
                found.append(f"rank {rank}: {name}={value!r}, ours {other['env'].get(name)!r}")
    return found


class Torchrun(FrontCase):
    name = "torchrun"

    def setUp(self):
        super().setUp()
        theirs.folder_of_programs(self.folder)

    def ours(self, launcher, line, more, number):
        """The ranks of one line under muster."""
        folder = self.path(str(number))
        os.mkdir(folder)
        theirs.folder_of_programs(folder)
        command = [self.link] if launcher == "torchrun" else [MUSTER, "launch"]
        given = {**theirs.environment(folder, more), "E2E_MARK": self.mark}
        done = subprocess.run([*command, *shlex.split(line)], cwd=folder, env=given, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, (line, done.stderr.decode()))
        ranks = theirs.ranks(folder)
        for rank in ranks:
            for name, value in given.items():
                self.assertEqual(rank["env"].get(name, value), value, (line, name))
        return ranks


class SameAsTheirs(Torchrun):
    def compare(self, numbered):
        number, answer = numbered
        if re.search(r"nproc_per_node (cpu|auto)", answer["line"]):
            answer["ranks"] = self.for_this_machine(answer["ranks"])
        ours = self.ours(answer["launcher"], answer["line"], answer["given"], number)
        return [f"{answer['launcher']} {answer['line']} {answer['given']}: {one}"
                for one in differences(answer["ranks"], ours, answer["line"])]

    @staticmethod
    def for_this_machine(ranks):
        """The answer was recorded on a machine with another number of cpus."""
        count = len(os.sched_getaffinity(0))
        return ranks if count == len(ranks) else []

    def test_ranks_see_the_same(self):
        table = answers()
        self.assertGreaterEqual(len(table), 25)
        table = [one for one in table if one["ranks"]]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = [line for lines in pool.map(self.compare, enumerate(table)) for line in lines]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_line_is_recorded(self):
        recorded = [(one["launcher"], one["line"], one["given"]) for one in answers()]
        self.assertEqual(recorded, theirs.LINES)

    @unittest.skipUnless(TORCH, "there is no torch here")
    def test_the_record_is_still_true(self):
        lines = [one for one in answers() if one["line"] in (
            "--max_restarts 3 --nproc_per_node 2 show.py", "--nproc_per_node 2 show.py --epochs 2")]
        self.assertEqual(len(lines), 2)
        for one in lines:
            now = theirs.answer(one["launcher"], one["line"], one["given"])
            self.assertEqual(now, one["ranks"])


class Words(Torchrun):
    def test_a_line_that_makes_no_sense_starts_nothing(self):
        touch = ["--no_python", "touch", self.path("started")]
        for words, pattern in (
                (["--max_restarts", "x"], "--max_restarts"), (["--nprocs", "1"], "unknown option"),
                (["--n", "1"], "may be one of")):
            self.assert_refused(self.muster(*words, *touch), 2, pattern)
        for words, pattern in (  # which torchrun's parser lets pass
                (["--nproc_per_node", "many"], "auto, gpu, cpu"), (["--nnodes", "1:2"], "change"),
                (["--rdzv_backend", "etcd"], "etcd"), (["-r", "9"], "-r takes 0 to 3"),
                (["--node_rank", "3"], "no node 3"), (["--logs_specs", "mine"], "plug-in"),
                (["--module"], "cannot be combined")):
            self.assert_refused(self.muster(*words, *touch), 1, pattern)
        env = self.environment(PET_STANDALONE="")
        self.assert_refused(self.muster(*touch, env=env), 2, "PET_STANDALONE")
        self.assertFalse(os.path.exists(self.path("started")))

    def test_help_is_printed(self):
        self.assertIn("--nproc-per-node", self.succeeds("--help").text)


class Output(Torchrun):
    def test_files_and_console_as_torchrun_has_them(self):
        self.write("say.sh", "#!/bin/sh\necho out $LOCAL_RANK; echo err $LOCAL_RANK >&2\n", 0o755)
        done = self.succeeds("--nproc_per_node", "2", "-r", "1", "-t", "0:2", "--log_dir", "logs",
                             "--role", "ps", "--no_python", "./say.sh")
        job, = os.listdir(self.path("logs"))
        self.assertRegex(job, r"^none_[0-9a-f]{8}$")
        for rank in "01":
            kept = self.read("logs", job, "attempt_0", rank, "stdout.log").decode()
            self.assertEqual(kept, f"out {rank}\n")
        self.assertEqual(done.text, "")
        self.assertIn("[ps0]:err 0\n", done.errors)
        self.assertIn("\nerr 1\n", "\n" + done.errors)

    def test_some_local_ranks_are_shown(self):
        done = self.succeeds("--nproc_per_node", "3", "--local-ranks-filter", "0,2", "--no_python",
                             "sh", "-c", "echo $LOCAL_RANK")
        self.assertEqual(done.lines, ["0", "2"])


HELD = """
import errno, os, socket
import torch.distributed as dist
port = int(os.environ['MASTER_PORT'])
if os.environ['RANK'] == '0':
    stranger = socket.socket()
    try:
        stranger.bind(('', port))
        print('a stranger got the port')
    except OSError as error:
        print(errno.errorcode[error.errno])
dist.init_process_group('gloo')
dist.barrier()
print('met')
"""


@unittest.skipUnless(TORCH, "no torch here")
class Port(Case):
    def test_the_port_is_held_for_torch_alone(self):
        self.write("held.py", HELD)
        done = self.muster("--no-python", "--nproc_per_node", "2", PYTHON, "held.py",
                           command=(MUSTER, "torchrun"))
        self.assertEqual(done.lines, ["EADDRINUSE", "met", "met"], done)


class Seeds(Case):
    """Lines and programs of the documents that people bring along."""

    def test_message_passing_with_its_local_rank(self):
        self.write("main.py", "import argparse, os\np = argparse.ArgumentParser()\n"
                   "p.add_argument('--local_rank', type=int)\np.add_argument('--backend')\n"
                   "a = p.parse_args()\nassert a.local_rank == int(os.environ['LOCAL_RANK'])\n"
                   "print(a.backend, os.environ['RANK'], os.environ['WORLD_SIZE'])\n")
        done = self.muster("--nproc_per_node=2", "--nnodes=1", "--node_rank=0",
                           "--master_addr=127.0.0.1", "--master_port=1234", "main.py",
                           "--backend=nccl", command=(MUSTER, "launch"))
        self.assertEqual(done.lines, ["nccl 0 2", "nccl 1 2"], done)

    def test_the_customised_launch_py_of_azure(self):
        """It starts its node's processes itself, and reads Open MPI's and Azure's variables."""
        for name, saved_as in (("aml_launch_003.py", "launch.py"),
                               ("aml_mpienv_003.py", "aml_mpienv.py")):
            shutil.copy(os.path.join(HERE, "data", name), self.path(saved_as))
        # In one piece: the launcher's processes share their output.
        self.write("train.py", "import os, sys\nwords = [os.environ[name] for name in ('RANK', "
                   "'LOCAL_RANK', 'WORLD_SIZE', 'MASTER_ADDR')] + sys.argv[1:]\n"
                   "os.write(1, (' '.join(words) + '\\n').encode())\n")
        done = self.muster("-n", "2", "--fake-nodes", "2", PYTHON, "launch.py", "--nproc_per_node",
                           "2", "--use_env", "train.py", "--lr", "1", command=(MUSTER, "run"))
        self.assertEqual(done.code, 0, done)
        ranks = [line for line in done.lines if line.endswith("--lr 1")]
        self.assertEqual([line.split()[:3] for line in ranks],
                         [[str(rank), str(rank % 2), "4"] for rank in range(4)], done)


if __name__ == "__main__":
    own_network()  # the recorded lines name ports, and torchrun itself takes 29500
    run_tests()
