"""The command lines and programs that people bring along, on ssh hosts that share no folder.

The first number of a test is that of the document; see tests/e2e/seed_case.py for the hosts. What
is typed is what the documents say, with gloo in place of nccl and with the lab's hosts.
"""

# rooms: front job plan cli head
# long
# busy

import os
import unittest

from seed_case import NODES, TRAIN, TRAIN_MPI, SeedCase
from support import HERE, ROOT, lab_or_skip, run_tests
from test_mindspore import NET
from test_roles import MIRRORED
from test_seeds import MISSING, SERVED

REASON = lab_or_skip()

RUN_1 = """export DATA_PATH=./MNIST_Data/train/
mpirun -n 16 -H {0}:8,{1}:8 --output-filename log_output --merge-stderr-to-stdout python net.py
"""
RUN_2 = """export DATA_PATH=./MNIST_Data/train/
HOSTFILE=$1
mpirun -n 16 --hostfile $HOSTFILE --output-filename log_output --merge-stderr-to-stdout \\
  python net.py
"""


def data(name):
    with open(os.path.join(HERE, "data", name), encoding="utf-8") as file:
        return file.read()


@unittest.skipIf(REASON, REASON)
@unittest.skipIf(MISSING, f"missing (tools/setup demo test installs them): {MISSING}")
class MindSpore(SeedCase):
    """Document 001: mpirun for MindSpore, whose network has a stand-in that trains through MPI."""

    def put_network(self, hosts):
        self.put("net.py", NET, hosts)

    def assert_logs(self, ranks):
        logs = self.at("head", "log_output", "1")
        self.assertEqual(sorted(os.listdir(logs)),
                         sorted(f"rank.{rank:0{len(str(ranks - 1))}}" for rank in range(ranks)))
        learnt = set()
        for rank in os.listdir(logs):
            with open(os.path.join(logs, rank, "stdout"), encoding="utf-8") as file:
                text = file.read()
            self.assertRegex(text, r"^epoch: 0, step: 0, loss is \d")
            self.assertIn(f"of {ranks}", text)  # said on stderr, which goes along
            learnt |= {line for line in text.splitlines() if line.startswith("weights")}
        self.assertEqual(len(learnt), 1, learnt)

    def test_001_one_machine_with_eight_cards(self):
        self.put_network(["head"])
        done = self.types("export DATA_PATH=./MNIST_Data/train/\nmpirun -n 8 --oversubscribe "
                          "--output-filename log_output --merge-stderr-to-stdout python net.py")
        self.assertEqual(done.text.count("epoch: 1, step: 20"), 8, done)
        self.assert_logs(8)

    def test_001_hosts_on_the_command_line(self):
        self.put_network(["head", *NODES[:2]])
        self.put("run_mpirun_1.sh", RUN_1.format(self.lab.address("node1"),
                                                 self.lab.address("node2")), ["head"])
        self.assertEqual(self.types("bash run_mpirun_1.sh").text.count("epoch: 1, step: 20"), 16)
        self.assert_logs(16)

    def test_001_hosts_in_a_file(self):
        self.put_network(["head", *NODES[:2]])
        self.put("run_mpirun_2.sh", RUN_2, ["head"])
        self.put("hostfile", f"node1 slots=8\n{self.lab.address('node2')} slots=8\n", ["head"])
        self.types("bash run_mpirun_2.sh ./hostfile")
        self.assert_logs(16)

    def test_001_a_rank_may_fail_and_the_others_go_on(self):
        done = self.types("mpirun --allow-run-as-root -mca orte_abort_on_non_zero_status 0 "
                          "-bind-to none -n 4 -H node1:2,node2:2 bash -c "
                          "'[ $RANK != 1 ] || exit 3; echo went on $RANK'", code=3)
        self.assertEqual(done.lines, [f"went on {rank}" for rank in (0, 2, 3)], done)



@unittest.skipIf(REASON, REASON)
@unittest.skipIf(MISSING, f"missing (tools/setup demo test installs them): {MISSING}")
class MessagePassing(SeedCase):
    """Document 004: message passing between two nodes, with four workers."""

    HEARD = sorted([f"Rank 0 sent data to Rank {peer}" for peer in (1, 2, 3)] +
                   [f"Rank {rank} has received data from rank 0" for rank in (1, 2, 3)])

    def setUp(self):
        super().setUp()
        with open(os.path.join(ROOT, "examples", "message_passing.py"), encoding="utf-8") as file:
            self.put("message-passing/main.py", file.read(), NODES[:2])

    def heard(self, *texts):
        return sorted(line for text in texts for line in text.splitlines() if line)

    def test_004_torch_distributed_launch_on_each_node(self):
        line = ("muster launch --nproc_per_node=2 --nnodes=2 --node_rank={} --master_addr={} "
                "--master_port=1234 message-passing/main.py --backend=gloo")
        started = [self.shell(line.format(number, self.lab.address("node1")), host)
                   for number, host in enumerate(NODES[:2])]
        done = [one.finish(90) for one in started]
        self.assertEqual([one.code for one in done], [0, 0], [str(one) for one in done])
        self.assertEqual(self.heard(*(one.text for one in done)), self.HEARD)
        self.assertEqual(self.heard(done[1].text),
                         [line for line in self.HEARD if line[:6] in ("Rank 2", "Rank 3")])

    def test_004_mpirun_on_the_master_node(self):
        first, second = (self.lab.address(name) for name in NODES[:2])
        done = self.types(
            f"mpirun -np 4 -H {first}:2,{second}:2 -x MASTER_ADDR={first} -x MASTER_PORT=1234 "
            "-x PATH -bind-to none -map-by slot -mca pml ob1 -mca btl ^openib "
            "python3 message-passing/main.py --backend=gloo --names=openmpi", "node1")
        self.assertEqual(self.heard(done.text), self.HEARD, done)


# What a program of document 003 takes as given, and how it ends.
PROGRAM = """
from muster import Environment, Experiment, ScriptRunConfig, Workspace
from muster.runconfig import MpiConfiguration, PyTorchConfiguration, TensorflowConfiguration
ws, compute_target = Workspace.from_config(), "cluster"
pytorch_env = tf_env = Environment.get(workspace=ws, name="AzureML-PyTorch-1.6-GPU")
def config(**more):
    return ScriptRunConfig(source_directory="./src", compute_target=compute_target,
                           environment=pytorch_env, **more)
{}
run = Experiment(ws, "experiment_name").submit(run_config)
code = run.wait()
print(run.logs(), end="")
raise SystemExit(code)
"""


@unittest.skipIf(REASON, REASON)
@unittest.skipIf(MISSING, f"missing (tools/setup demo test installs them): {MISSING}")
class DistributedTraining(SeedCase):
    """Document 003: programs that submit jobs of each kind."""

    def runs(self, program, **scripts):
        for name, text in scripts.items():
            self.put(f"src/{name}.py", text)
        self.put("submit.py", PROGRAM.format(program), ["head"])
        return self.types(f"PYTHONPATH={ROOT}/python python submit.py")

    def test_003_mpi_per_process(self):
        self.assert_trained(self.runs(
            "run_config = config(script='train.py', distributed_job_config=MpiConfiguration("
            "process_count_per_node=4, node_count=2))", train=TRAIN_MPI), 2, 4)

    def test_003_mpi_runs_one_on_each_node_by_default(self):
        self.assert_trained(self.runs(
            "run_config = config(script='train.py', "
            "distributed_job_config=MpiConfiguration(node_count=2))", train=TRAIN_MPI), 2, 1)

    def test_003_mpi_with_azures_helper(self):
        helped = TRAIN.replace(
            "dist.init", "from aml_mpienv import set_environment_variables_for_nccl_backend\n"
            "set_environment_variables_for_nccl_backend()\ndist.init", 1)
        done = self.runs(
            "run_config = config(script='train.py', distributed_job_config=MpiConfiguration("
            "process_count_per_node=2, node_count=2))", train=helped,
            aml_mpienv=data("aml_mpienv_003.py"))
        self.assert_trained(done, 2, 2)

    def test_003_the_customised_launch_py(self):
        done = self.runs(
            "run_config = config(script='launch.py', arguments=['--nproc_per_node', 4, "
            "'--use_env', 'example.py'], distributed_job_config=MpiConfiguration("
            "process_count_per_node=1, node_count=2))", example=TRAIN,
            launch=data("aml_launch_003.py"), aml_mpienv=data("aml_mpienv_003.py"))
        # As launch.py says when nobody has said otherwise.
        self.assert_trained(done, 2, 4, threads=1)

    def test_003_pytorch_per_process(self):
        done = self.runs(
            "run_config = config(script='train.py', arguments=['--epochs', 50, '--local_rank', "
            "'$LOCAL_RANK'], distributed_job_config=PyTorchConfiguration(process_count=8, "
            "node_count=2))", train=TRAIN)
        self.assert_trained(done, 2, 4)

    def test_003_torch_distributed_launch_on_two_nodes(self):
        done = self.runs(
            "launch_cmd = ['python -m torch.distributed.launch --nproc_per_node 4 --nnodes 2 \\\n"
            "   --node_rank $NODE_RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT \\\n"
            "   --use_env train.py --epochs 50']\n"
            "run_config = config(command=launch_cmd, "
            "distributed_job_config=PyTorchConfiguration(node_count=2))", train=TRAIN)
        self.assert_trained(done, 2, 4, threads=1)

    def test_003_torch_distributed_launch_on_one_node(self):
        done = self.runs(
            "launch_cmd = ['python -m torch.distributed.launch --nproc_per_node 4 \\\n"
            "   --use_env train.py --epochs 50']\nrun_config = config(command=launch_cmd)",
            train=TRAIN)
        self.assert_trained(done, 1, 4, threads=1)

    def test_003_tensorflow_workers(self):
        done = self.runs(
            "run_config = config(script='train.py', distributed_job_config="
            "TensorflowConfiguration(worker_count=2, parameter_server_count=0))", train=MIRRORED)
        self.assertEqual(done.lines, ["[0] worker 0 met ['worker 1']",
                                      "[1] worker 1 met ['worker 0']"])

    def test_003_tensorflow_parameter_servers_share_two_nodes(self):
        self.put("muster.yml", "targets: {cluster: {hosts: ['node1:1', 'node2:1'], "
                 "without: [environment]}}\n", ["head"])
        done = self.runs(
            "run_config = config(script='train.py', distributed_job_config="
            "TensorflowConfiguration(worker_count=2, parameter_server_count=1))",
            train="import os\nos.environ['MAGIC'] = '-'\n" + SERVED)
        self.assertEqual(
            [line.split(",")[0] for line in done.lines],
            ["[0] worker 0 on node1", "[1] worker 1 on node2", "[2] ps 0 on node1"], done)

    def test_003_a_port_that_is_set_wins(self):
        job = ("muster: 1\ncommand: [env]\ndistribution: {type: pytorch, node_count: 2}\n"
               "compute: cluster\n")
        ports = []
        for more in ("", "environment_variables: {MASTER_PORT: 6105}\n"):
            self.put("job.yml", job + more, NODES)
            self.put("job.yml", job + more, ["head"])
            lines = self.types("muster submit job.yml").lines
            ports.append({line for line in lines if line.startswith("MASTER_PORT=")})
        self.assertEqual(len(ports[0]), 1)
        self.assertNotEqual(ports[0], ports[1])
        self.assertEqual(ports[1], {"MASTER_PORT=6105"})


if __name__ == "__main__":
    run_tests()
