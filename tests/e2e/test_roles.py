"""TensorFlow's and MindSpore's roles: ranks find each other by the variables that their role gives.

The programs below stand in for the frameworks: they listen at the very port that they are told, and
call those whom their framework would call.
"""

# rooms: front plan probe host

import json
import unittest

from support import (MUSTER, PYTHON, READY, UNTIL_GO, USAGE, Case, LabCase, lab_or_skip, run_tests)

REASON = lab_or_skip()

# A rank of tf.distribute: a server at its own port of the cluster, and calls to others.
PEER = """
import json, os, socket, sys, threading
config = json.loads(os.environ['TF_CONFIG'])
cluster, task = config['cluster'], config['task']
name = f"{task['type']} {task['index']}"

def at(endpoint):
    host, port = endpoint.rsplit(':', 1)
    return host.strip('[]'), int(port)

def call(endpoint):
    for _ in range(6000):
        try:
            with socket.create_connection(at(endpoint), 60) as peer:
                peer.sendall(name.encode() + b'\\n')
                return peer.makefile().readline().strip()
        except ConnectionRefusedError:
            __import__('time').sleep(0.01)
    raise SystemExit(f'nobody listens at {endpoint}')

def answer(server, count):
    heard = []
    while count is None or len(heard) < count:
        with server.accept()[0] as peer:
            heard.append(peer.makefile().readline().strip())
            peer.sendall(name.encode() + b'\\n')
    return sorted(heard)

def listen():
    host, port = at(cluster[task['type']][task['index']])
    return socket.create_server((host, port), family=socket.AF_INET6 if ':' in host
                                else socket.AF_INET)
"""

# All workers alike, as under MultiWorkerMirroredStrategy: each hears of each.
MIRRORED = PEER + """
server = listen()
others = [one for one in cluster['worker'] if one != cluster['worker'][task['index']]]
heard = []
thread = threading.Thread(target=lambda: heard.extend(answer(server, len(others))))
thread.start()
met = sorted(call(one) for one in others)
thread.join()
assert met == heard, (met, heard)
print(name, 'met', met)
"""

# One directs, workers and servers wait for it for ever, as under ParameterServerStrategy.
DIRECTED = PEER + """
if task['type'] == 'chief':
    print('chief met', sorted(call(one) for kind in ('worker', 'ps') for one in cluster[kind]))
elif task['type'] == 'evaluator':
    print(name, 'sees', sorted(cluster))
else:
    answer(listen(), None)
"""


class OneHost(Case):
    def shapes(self, words):
        done = self.succeeds(*words, "--role", "worker=4", PYTHON, "-c", MIRRORED)
        self.assertEqual(done.lines, [
            f"worker {own} met {[f'worker {one}' for one in range(4) if one != own]}"
            for own in range(4)])
        done = self.succeeds(*words, "--role", "chief=1", "--role", "worker=2", "--role", "ps=2",
                             "--role", "evaluator=1", PYTHON, "-c", DIRECTED)
        self.assertEqual(done.lines, ["chief met ['ps 0', 'ps 1', 'worker 0', 'worker 1']",
                                      "evaluator 0 sees ['chief', 'ps', 'worker']"])
        self.assertNotIn("ended with", done.errors, done)

    def test_both_shapes_on_this_machine(self):
        self.shapes([])

    def test_both_shapes_on_fake_nodes(self):
        self.shapes(["--fake-nodes", "3"])

    def test_the_variable_is_as_the_guide_has_it(self):
        done = self.succeeds("--role", "worker=2", "sh", "-c", 'echo "$TF_CONFIG"')
        for index, config in enumerate(sorted(map(json.loads, done.text.splitlines()),
                                              key=lambda one: one["task"]["index"])):
            ports = [one.removeprefix("127.0.0.1:") for one in config["cluster"]["worker"]]
            self.assertEqual(len({int(port) for port in ports}), 2)
            self.assertEqual(config, {
                "cluster": {"worker": [f"127.0.0.1:{port}" for port in ports]},
                "task": {"type": "worker", "index": index}, "environment": "cloud"})

    def test_two_jobs_never_share_a_port(self):
        program = READY.replace("ready", "ready.$JOB") + UNTIL_GO + '; echo "$TF_CONFIG"'
        jobs = [self.start("-x", f"JOB={job}", "--role", "worker=8", "sh", "-c", program)
                for job in "ab"]
        self.wait_for_files([f"ready.{job}.{rank}" for job in "ab" for rank in range(8)])
        self.write("go", "")
        ports = []
        for job in jobs:
            done = job.finish()
            self.assertEqual(done.code, 0, done)
            ports += json.loads(done.text.splitlines()[0])["cluster"]["worker"]
        self.assertEqual(len(set(ports)), 16, ports)

    def test_each_role_may_have_its_program(self):
        done = self.succeeds("--role", "worker=2", "-x", "A=1", "sh", "-c", "echo work $RANK $A $B",
                             ":", "--role", "ps=1", "-x", "B=2", "sh", "-c",
                             "echo serve $RANK $A $B")
        self.assertEqual(done.lines, ["serve 2 1 2", "work 0 1", "work 1 1"])

    def test_a_failing_worker_is_the_cause_though_servers_are_ended(self):
        done = self.muster("--role", "worker=1", "sh", "-c", "exit 3", ":", "--role", "ps=1",
                           "sleep", self.mark)
        self.assertEqual(done.code, 3, done)
        self.assertIn("rank 0", done.errors)

    def test_wrong_roles_start_nothing(self):
        for words, *patterns in ((["--role", "wroker=2"], "no role 'wroker'", "worker"),
                                 (["--role", "worker=2", "-n", "2"],
                                  "-n and --role cannot be combined"),
                                 (["--role", "MS_WORKER=2"], "scheduler", "MS_SCHED=1"),
                                 (["--role", "worker=x"], "--role must be a whole number")):
            done = self.muster(*words, "sh", "-c", "echo started")
            self.assert_refused(done, USAGE, *patterns)


class MindSpore(Case):
    """The scheduler listens, workers and scheduler meet there: MindSpore's dynamic start."""

    MEET = """
import os, socket
at = (os.environ['MS_SCHED_HOST'], int(os.environ['MS_SCHED_PORT']))
count = int(os.environ['MS_WORKER_NUM'])
if os.environ['MS_ROLE'] == 'MS_SCHED':
    assert 'MS_NODE_ID' not in os.environ
    server = socket.create_server(at)
    print('scheduler met', sorted(int(server.accept()[0].recv(9)) for _ in range(count)))
else:
    for _ in range(6000):
        try:
            socket.create_connection(at, 60).sendall(os.environ['MS_NODE_ID'].encode())
            break
        except ConnectionRefusedError:
            __import__('time').sleep(0.01)
    else:
        raise SystemExit(f'nobody listens at {at}')
"""

    def test_workers_find_their_scheduler(self):
        for words in ([], ["--fake-nodes", "2"]):
            done = self.succeeds(*words, "--role", "MS_SCHED=1", "--role", "MS_WORKER=4", PYTHON,
                                 "-c", self.MEET)
            self.assertEqual(done.lines, ["scheduler met [0, 1, 2, 3]"])

    def test_ranks_of_an_mpirun_in_a_worker_are_of_no_cluster(self):
        """Neither where muster has started the worker, nor where msrun has."""
        names = "env | grep -E '^(MS_|RANK_ID|RANK_SIZE|DEVICE_ID)'; echo $OMPI_COMM_WORLD_SIZE"
        inner = f'{MUSTER} mpirun --oversubscribe -np 2 sh -c "$NAMES"'
        env = self.environment(NAMES=names)
        done = self.succeeds("--role", "MS_SCHED=1", "true", ":", "--role", "MS_WORKER=1", "sh",
                             "-c", inner, env=env)
        self.assertEqual(done.lines, ["2", "2"])
        env.update(MS_ROLE="MS_WORKER", MS_SCHED_HOST="127.0.0.1", MS_SCHED_PORT="8118",
                   MS_WORKER_NUM="1", MS_NODE_ID="0", RANK_ID="0", RANK_SIZE="1", DEVICE_ID="0")
        done = self.muster("--oversubscribe", "-np", "2", "sh", "-c", names, env=env,
                           command=(MUSTER, "mpirun"))
        self.assertEqual((done.code, done.lines), (0, ["2", "2"]))

    def test_msrun_in_a_rank_numbers_its_workers_itself(self):
        """A stand-in for msrun; MindSpore would take Open MPI's numbers for the workers'."""
        msrun = self.write("msrun", "#!/bin/sh\nenv | grep ^OMPI_COMM_WORLD_\necho $RANK\n", 0o755)
        self.assertEqual(self.succeeds("-n", "2", msrun, "--worker_num", "8").lines, ["0", "1"])
        told = self.succeeds("--dry-run", "--env", "-n", "2", msrun).text
        self.assertIn("the workers that msrun starts in the rank", told)

    def test_without_roles_nothing_speaks_of_a_scheduler(self):
        done = self.succeeds("env")
        self.assertNotIn("\nMS_", done.text)


@unittest.skipIf(REASON, REASON)
class TwoHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def test_both_shapes(self):
        done = self.launches("-H", "node1:2,node2:2", "--role", "worker=4", PYTHON, "-c", MIRRORED)
        self.assertEqual(len(done.lines), 4, done)
        done = self.launches("-H", "node1:3,node2:3", "--role", "ps=2", "--role", "worker=2",
                             "--role", "chief=1", "--role", "evaluator=1", PYTHON, "-c", DIRECTED)
        self.assertEqual(done.lines, ["chief met ['ps 0', 'ps 1', 'worker 0', 'worker 1']",
                                      "evaluator 0 sees ['chief', 'ps', 'worker']"])

    def test_the_addresses_are_those_of_the_hosts(self):
        done = self.launches("-H", "node1:1,node2:1", "--role", "worker=2", "sh", "-c",
                             'echo "$TF_CONFIG"')
        hosts = [one.rsplit(":", 1)[0]
                 for one in json.loads(done.text.splitlines()[0])["cluster"]["worker"]]
        self.assertEqual(hosts, [self.lab.address("node1"), self.lab.address("node2")])

    def test_mindspore(self):
        done = self.launches("-H", "node1:2,node2:3", "--role", "MS_WORKER=4", "--role",
                             "MS_SCHED=1", PYTHON, "-c", MindSpore.MEET)
        self.assertEqual(done.lines, ["scheduler met [0, 1, 2, 3]"])


if __name__ == "__main__":
    run_tests()
