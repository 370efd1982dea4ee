"""Nodes whose launchers are started separately, on hosts that cannot log in to each other."""

# rooms: front link head cli
# attacks

import glob
import json
import os
import re
import select
import signal
import socket
import subprocess
import unittest

import own
from own_place import own_network
from support import (MUSTER, PYTHON, READY, UNTIL_GO, Case, LabCase, Running, lab_or_skip,
                     run_tests, until)

REASON = lab_or_skip()
TORCH = os.path.isdir("/usr/lib/python3/dist-packages/torch")
SHOW = ('echo "$RANK of $WORLD_SIZE: $LOCAL_RANK of $LOCAL_WORLD_SIZE on $GROUP_RANK at '
        '$MASTER_ADDR:$MASTER_PORT threads ${OMP_NUM_THREADS:-none} $OWN $*"')

DDP = """import os, torch, torch.distributed as dist
torch.manual_seed(1)
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    torch.manual_seed(step * 10 + dist.get_rank())
    optimizer.zero_grad()
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
total = torch.tensor([sum(p.double().sum().item() for p in model.parameters())])
everyone = [torch.zeros(1) for _ in range(dist.get_world_size())]
dist.all_gather(everyone, total)
assert all(torch.equal(one, total) for one in everyone), everyone
print("trained", dist.get_rank(), dist.get_world_size())
"""

# A node 0 that gives orders to whoever joins: it knows the job's name, as anyone does, and asks
# nobody who he is. Its arguments: the port, and the secret.
LEADS = """import hashlib, hmac, socket, sys
def mac(text):
    return hmac.new(sys.argv[2].encode(), text.encode(), hashlib.sha256).hexdigest()
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
    while True:
        with listener.accept()[0] as node:
            node.sendall(("muster-meeting 1 " + "7" * 32 + chr(10)).encode())
            proof = node.makefile().readline().split()
            if len(proof) == 2:
                print("a node obeys", flush=True)
                node.sendall((mac("head " + proof[0] + " " + "7" * 32) + chr(10)).encode())
                node.recv(4)
"""

# A node that asks nobody who he is. Its arguments: the port, and the secret. It says that it is
# node 1 of 2, with one rank that runs "x", and prints what it is told.
JOINS = """import hashlib, hmac, socket, sys
def mac(text):
    return hmac.new(sys.argv[2].encode(), text.encode(), hashlib.sha256).hexdigest()
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as head:
    said = head.makefile()
    theirs, own = said.readline().split()[2], "7" * 32
    head.sendall((own + " " + mac("node " + theirs + " " + own) + chr(10)).encode())
    assert said.readline().strip() == mac("head " + own + " " + theirs)
    join = bytes((8, 1, 24, 2, 32, 2, 48, 1, 66, 1, 120))
    head.sendall(len(join).to_bytes(4, "little") + join)
    print(said.readline(), end="")
"""
OTHERS = "^refused it is another user's; --rdzv-secret-file"


def free_port():
    """Nobody else takes it meanwhile: see own_network below."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def was_closed(connection):
    """By the other side. What that has said before is read away."""
    while select.select([connection], [], [], 0)[0]:
        try:
            if not connection.recv(4096):
                return True
        except ConnectionResetError:
            return True
    return False


class Meeting(Case):
    """Both nodes on this machine; a node's own words tell it apart."""

    def setUp(self):
        super().setUp()
        self.port = str(free_port())
        self.write("show.sh", "#!/bin/sh\n" + SHOW + "\n", 0o755)

    def node(self, rank, *words, nodes=2, env=None, conf="join_timeout=600"):
        return self.start(*self.words(rank, nodes, conf), *words, command=(MUSTER, "torchrun"),
                          env=env)

    def words(self, rank, nodes=2, conf="join_timeout=600"):
        return ("--nnodes", str(nodes), "--node_rank", str(rank), "--master_addr", "127.0.0.1",
                "--master_port", self.port, "--rdzv_conf", conf)

    def refused(self, running, *patterns):
        done = running.finish()
        self.assertNotEqual(done.code, 0, done)
        self.assertEqual(done.out, b"", done)
        for pattern in patterns:
            self.assertRegex(done.errors, pattern, done)
        return done

    def test_each_node_brings_its_ranks_in_any_order(self):
        late = self.node(1, "--nproc_per_node", "2", "--no_python", "./show.sh", "b",
                         env=self.environment(OWN="second", OMP_NUM_THREADS="7"))
        early = self.node(0, "--no_python", "./show.sh", "a", env=self.environment(OWN="first"))
        first, second = early.finish(), late.finish()
        at = f"127.0.0.1:{self.port}"
        self.assertEqual((first.code, second.code), (0, 0), f"{first}\n{second}")
        self.assertEqual(first.lines, [f"0 of 3: 0 of 1 on 0 at {at} threads none first a"])
        self.assertEqual(second.lines, [f"1 of 3: 0 of 2 on 1 at {at} threads 7 second b",
                                        f"2 of 3: 1 of 2 on 1 at {at} threads 7 second b"])

    def test_ranks_have_the_stdin_of_their_own_node(self):
        nodes = []
        for rank in (0, 1):
            with open(self.write(f"in.{rank}", f"for node {rank}\n"), "rb") as file:
                nodes.append(self.start(*self.words(rank), "--no_python", "cat",
                                        command=(MUSTER, "torchrun"), stdin=file))
        for rank, node in enumerate(nodes):
            self.assertEqual(node.finish().lines, [f"for node {rank}"])

    def test_ranks_may_listen_at_the_port_of_the_meeting(self):
        self.write("store.py", "import os, socket\nat = (os.environ['MASTER_ADDR'], "
                   "int(os.environ['MASTER_PORT']))\nif os.environ['RANK'] == '0':\n"
                   "    with socket.create_server(at) as s:\n        s.accept()[0].send(b'x')\n"
                   "else:\n    import time\n    while True:\n        try:\n"
                   "            assert socket.create_connection(at).recv(1) == b'x'\n"
                   "            break\n        except ConnectionRefusedError:\n"
                   "            time.sleep(0.05)\n")
        nodes = [self.node(rank, "store.py") for rank in (0, 1)]
        for node in nodes:
            done = node.finish()
            self.assertEqual(done.code, 0, done)

    def test_a_failure_ends_all_with_a_report_on_each(self):
        fails = ("--no_python", "sh", "-c", "echo last words >&2; exit 3")
        waits = ("--no_python", "sleep", self.mark)
        for mine, other in ((fails, waits), (waits, fails)):
            nodes = [self.node(0, *mine), self.node(1, *other)]
            for node in nodes:
                done = node.finish()
                self.assertNotEqual(done.code, 0, done)
                self.assertRegex(done.errors, r"muster: rank [01] on \S+ exited with code 3", done)
                self.assertIn("last words", done.errors, done)

    def test_all_nodes_begin_another_round(self):
        self.write("fails_once.sh", "#!/bin/sh\n"
                   'echo "rank $RANK round $TORCHELASTIC_RESTART_COUNT"\n'
                   ': > $DIR/said.$RANK\n'
                   'if [ $RANK.$TORCHELASTIC_RESTART_COUNT = 1.0 ]; then\n'
                   '  while [ ! -e $DIR/said.0 ]; do sleep 0.01; done; exit 3\nfi\n'
                   f'[ $TORCHELASTIC_RESTART_COUNT = 1 ] || exec sleep {self.mark}\n', 0o755)
        nodes = [self.node(rank, "--max_restarts", "2", "-t", "1", "--log_dir", f"logs{rank}",
                           "--no_python", "./fails_once.sh") for rank in (0, 1)]
        for rank, node in enumerate(nodes):
            done = node.finish()
            self.assertEqual(done.code, 0, done)
            said = [f"rank {rank} round 0", f"rank {rank} round 1"]
            self.assertEqual([line.split("]:")[1] for line in done.lines], said, done)
            self.assertIn("restart 1", done.errors)
            kept = glob.glob(self.path(f"logs{rank}", "*", "attempt_*", "*", "stdout.log"))
            self.assertEqual([self.read(name) for name in sorted(kept)],
                             [f"{line}\n".encode() for line in said], kept)

    def test_a_node_that_cannot_keep_its_files_starts_nothing(self):
        self.write("taken", "")
        nodes = [self.node(0, "--no_python", "true"),
                 self.node(1, "-r", "3", "--log_dir", "taken", "--no_python", "true")]
        for node in nodes:
            self.refused(node, "error: .*cannot make .*taken/.*Not a directory")

    def test_one_that_never_comes_is_named(self):
        alone = self.node(1, "true", conf="join_timeout=0.2")  # and 10 s: node 0 knows more
        self.port = str(free_port())
        there = [self.node(0, "true", nodes=3, conf="join_timeout=10"),
                 self.node(1, "true", nodes=3)]
        for node in there:
            self.refused(node, "node 2 of 3 did not connect .* within 10 s")
        self.refused(alone, "no answer from node 0 at")

    def test_a_loopback_address_does_not_lead_to_another_host(self):
        """Whether it is node 0 that waits there or one that looks for it."""
        hint = ("hint: .*other hosts cannot reach a loopback address: give a name or address of "
                "node 0 that they know\n")
        at = f"localhost:{self.port}"
        ways = (("--master_addr", "127.0.0.1", "--master_port", self.port),
                ("--rdzv-endpoint", at), ("--rdzv-backend", "c10d", "--rdzv-endpoint", at))
        for words in ways:
            with self.subTest(words=words):
                number = () if "c10d" in words else ("--node-rank", "0")
                self.refused(self.alone(*number, *words), "node 1 of 2 did not connect", hint)
        self.refused(self.alone("--node-rank", "1", *ways[0]), "no answer from node 0 at", hint)

    def test_a_node_that_waits_at_a_loopback_address_is_told_so(self):
        """Not only at the end of its wait, which may be long."""
        for host in ("127.0.1.1", "localhost"):
            with self.subTest(host):
                node = self.alone("--node-rank", "1", "--rdzv-endpoint", f"{host}:{self.port}",
                                  timeout=600)
                node.until_said(f"; {host} is this machine itself: if node 0 runs elsewhere, give "
                                "a name or address of it".encode())
                node.send(signal.SIGINT)
                self.assertEqual(node.finish().code, 130)

    def alone(self, *words, timeout=1):
        return self.start("--nnodes", "2", *words, "--rdzv-conf", f"timeout={timeout}",
                          "--no-python", "true", command=(MUSTER, "torchrun"))

    def test_contradictions_and_strangers(self):
        head = self.node(0, "--no_python", "./show.sh")
        at = ("127.0.0.1", int(self.port))
        self.listening()
        with socket.create_connection(at) as stranger:
            stranger.sendall(b"GET / HTTP/1.0\r\n\r\n" + b"x" * 5000)
            try:
                while stranger.recv(4096):
                    pass
            except ConnectionResetError:
                pass
        silent = socket.create_connection(at)
        self.addCleanup(silent.close)
        self.refused(self.node(1, "--rdzv_id", "other", "true"), "another name or secret")
        self.refused(self.node(1, "true", nodes=3), "started for 3 nodes, node 0 for 2")
        self.refused(self.node(0, "true"), "cannot listen at .*in use", "another program uses")
        with socket.socket() as holder:
            holder.bind(("127.0.0.1", 0))
            holder.listen()
            self.port, other = str(holder.getsockname()[1]), self.port
            self.refused(self.node(0, "true"), "cannot listen at")
            self.port = other
        guest = self.node(1, "--no_python", "./show.sh")
        self.assertEqual((head.finish().code, guest.finish().code), (0, 0))

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_another_user_of_this_machine_is_no_node_unless_a_file_says_so(self):
        head = self.node(0, "--no_python", "./show.sh")
        self.listening()
        user = str(own.users())
        as_other = ("setpriv", "--reuid", user, "--clear-groups")
        other = self.start(*as_other, MUSTER, "torchrun", *self.words(1), "true",
                           command=("env", "HOME=/", "MUSTER_RECORDS="))
        self.refused(other, "it is another user's; --rdzv-secret-file FILE")
        other = self.start(*as_other, PYTHON, "-c", JOINS, self.port, "rdzv-id none",
                           command=("env", "HOME=/"))
        self.assertRegex(other.finish().text, OTHERS)
        guest = self.node(1, "--no_python", "./show.sh")
        done = head.finish()
        self.assertEqual((done.code, guest.finish().code), (0, 0), done)
        self.assertIn("a node that connected from 127.0.0.1 was refused: it is another user's",
                      done.errors)
        self.assertRegex(done.errors, r"muster: node 1 is \S+ \(127\.0\.0\.1, user \S.*\)\n")
        self.assertNotIn("could have joined", done.errors, "nobody else reaches a loopback")

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_another_user_is_told_by_ipv4_from_a_node_0_that_listens_everywhere(self):
        head = self.start("--nnodes", "2", "--node_rank", "0", "--master_addr", "::",
                          "--master_port", self.port, "--no_python", "./show.sh",
                          command=(MUSTER, "torchrun"))
        self.listening()
        other = self.start("setpriv", "--reuid", str(own.users()), "--clear-groups", PYTHON, "-c",
                           JOINS, self.port, "rdzv-id none", command=("env", "HOME=/"))
        self.assertRegex(other.finish().text, OTHERS)
        head.send(15)
        self.assertNotEqual(head.finish().code, 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_another_user_of_this_machine_gives_no_orders(self):
        leads = self.start("setpriv", "--reuid", str(own.users()), "--clear-groups", PYTHON, "-c",
                           LEADS, self.port, "rdzv-id none", command=("env", "HOME=/"))
        self.listening()
        self.refused(self.node(1, "--no_python", "./show.sh"),
                     f"node 0 at 127.0.0.1:{self.port}: it is another user's; --rdzv-secret-file")
        leads.send(15)
        self.assertEqual(leads.finish().out, b"", "nothing was shown to it")

    def listening(self):
        """Until node 0 listens."""
        def greeted():
            try:
                with socket.create_connection(("127.0.0.1", int(self.port))) as one:
                    one.sendall(b"7")  # who speaks is greeted at once
                    return one.recv(64)
            except ConnectionRefusedError:
                return b""
        until("node 0 to listen", greeted)

    def crowd(self, count):
        """So many connections: one that begins to speak, one that says nothing, and so on."""
        silent = []
        for _ in range(count):
            silent.append(socket.create_connection(("127.0.0.1", int(self.port))))
            self.addCleanup(silent[-1].close)
            if len(silent) % 2 == 1:
                silent[-1].sendall(b"7")
        return silent

    def test_silent_strangers_delay_nobody(self):
        """A node comes in at once, not when strangers have been silent for too long (10 s)."""
        visited, quiet = self.port, str(free_port())
        self.port = quiet
        alone = self.node(0, "true")
        self.listening()
        # On a busy machine any program may take so long: only one that always does waits for them.
        self.assertTrue(any(self.comes_in_first(visited, quiet) for _ in range(5)))
        alone.send(15)
        self.assertNotEqual(alone.finish().code, 0)

    def comes_in_first(self, visited, quiet):
        """Before a stranger has to leave who came before, to a node without other visitors."""
        self.port = visited
        head = self.node(0, "--no_python", "true")
        self.listening()
        self.port = quiet
        (clock,) = self.crowd(1)
        self.port = visited
        crowd = self.crowd(300)
        guest = self.node(1, "--no_python", "true")
        ends = [guest.finish(), head.finish()]
        self.assertEqual([end.code for end in ends], [0, 0], "\n".join(map(str, ends)))
        for one in crowd:
            one.close()
        return not was_closed(clock)

    def test_refusals_are_told_with_measure(self):
        head = self.node(0, "--no_python", "true")
        self.listening()
        for _ in range(200):
            with socket.create_connection(("127.0.0.1", int(self.port))) as one:
                one.sendall(b"let me in\n")
                one.recv(64)
        guest = self.node(1, "--no_python", "true", env=self.environment(USER="me"))
        ends = [guest.finish(), head.finish()]
        self.assertEqual([end.code for end in ends], [0, 0], "\n".join(map(str, ends)))
        told = [line for line in ends[1].errors.splitlines() if ": waiting at " not in line]
        self.assertEqual(told, [
            "muster: a node that connected from 127.0.0.1 was refused: its job has another name "
            "or secret", "muster: 200 connections were refused in all",
            f"muster: node 1 is {socket.gethostname()} (127.0.0.1, user me)"])

    def test_nodes_without_numbers(self):
        words = ["--nnodes", "3", "--rdzv_backend", "c10d", "--rdzv_id", "job-5",
                 "--rdzv_endpoint", f"127.0.0.1:{self.port}", "--no_python", "./show.sh"]
        nodes = [self.start(*words, command=(MUSTER, "torchrun")) for _ in range(3)]
        ends = [node.finish() for node in nodes]
        self.assertEqual([end.code for end in ends], [0, 0, 0], "\n".join(map(str, ends)))
        lines = sorted(line.split(" at ")[0] for end in ends for line in end.lines)
        self.assertEqual(lines, [f"{rank} of 3: 0 of 1 on {rank}" for rank in range(3)])

    def test_one_record_of_all_nodes(self):
        env = self.environment(MUSTER_RECORD="yes")
        nodes = [self.node(rank, "--no_python", "sh", "-c", READY + UNTIL_GO, env=env)
                 for rank in (0, 1)]
        self.wait_for_files(["ready.0", "ready.1"])
        listing = ("--all", "--json")

        def listed(state):
            done = self.start(*listing, command=(MUSTER, "ps")).finish()
            return [run for run in json.loads(done.text) if run["state"] == state]

        (run,) = until("the record of a run under way", lambda: listed("running"))
        self.assertEqual((run["ranks"], len(run["hosts"])), (2, 2), run)
        self.write("go", "")
        ends = [node.finish() for node in nodes]
        self.assertEqual([end.code for end in ends], [0, 0], "\n".join(map(str, ends)))
        (run,) = listed("completed")
        with open(os.path.join(run["folder"], "plan.json"), encoding="utf-8") as file:
            plan = json.load(file)
        self.assertEqual([node["reach"] for node in plan["nodes"]], ["here", "joined"], plan)
        kept = self.read(os.path.join(run["folder"], "events.jsonl")).decode()
        exits = [event for event in map(json.loads, kept.splitlines())
                 if event["event"] == "rank_ended"]
        self.assertEqual(sorted(event["rank"] for event in exits), [0, 1], kept)

    def test_verbose_nodes_tell_phases_and_what_is_withheld(self):
        env = self.environment(RANK="7")
        nodes = [self.node(rank, "--verbose", "--nproc_per_node", "2", "--no_python", "true",
                           env=env) for rank in (0, 1)]
        first, second = ends = [node.finish() for node in nodes]
        self.assertEqual([end.code for end in ends], [0, 0], "\n".join(map(str, ends)))
        for end in ends:
            self.assertIn("muster: OMP_NUM_THREADS=1 for each rank", end.errors)
            self.assertRegex(end.errors, r"muster: not passed on: RANK \(")
        self.assertRegex(first.errors, r"muster: .*: ranks talk over ")
        self.assertRegex(first.errors, r"muster: greeted .* ended [0-9.]+ s")
        self.assertNotIn("ssh", first.errors)

    def test_a_node_that_is_ended_ends_the_job(self):
        nodes = [self.node(rank, "--no_python", "sh", "-c", ': > "$DIR/ready.$RANK"; exec sleep '
                           + self.mark) for rank in (0, 1)]
        self.wait_for_files(["ready.0", "ready.1"])
        nodes[1].send(15)
        for node in nodes:
            self.assertNotEqual(node.finish().code, 0)


@unittest.skipIf(REASON, REASON)
class Hosts(LabCase):
    """Two hosts of a lab, and a real training job on them."""

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def node(self, name, rank, *words):
        env = self.environment(PYTHON_EXEC=PYTHON)
        line = [MUSTER, "torchrun", "--nnodes", "2", "--node_rank", str(rank), "--master_addr",
                self.lab.address("node1"), "--master_port", "29500", *words]
        started = self.lab.start(line, host=name, env=env, cwd=self.folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        self.running.append(Running(started.popen))
        return self.running[-1]

    def test_the_nodes_are_named_and_a_secret_file_is_offered(self):
        self.write("secret", "of these nodes\n", 0o600)
        for words in ((), ("--rdzv_secret_file", self.path("secret"))):
            nodes = [self.node("node2", 1, *words, "--no_python", "true"),
                     self.node("node1", 0, *words, "--no_python", "true")]
            ends = [node.finish() for node in nodes]
            self.assertEqual([end.code for end in ends], [0, 0], "\n".join(map(str, ends)))
            there = re.escape(self.lab.address("node2"))
            self.assertRegex(ends[1].errors, rf"muster: node 1 is node2 \({there}, user \S.*\)\n")
            self.assertEqual("--rdzv-secret-file FILE, the same on all nodes, keeps others out"
                             in ends[1].errors, not words, ends[1])
            self.assertNotIn("rdzv-secret-file", ends[0].errors)

    @unittest.skipUnless(TORCH, "there is no torch here")
    def test_ddp_over_gloo(self):
        self.write("ddp.py", DDP)
        nodes = [self.node("node2", 1, "ddp.py"), self.node("node1", 0, "ddp.py")]
        ends = [node.finish(300) for node in nodes]
        self.assertEqual([end.code for end in ends], [0, 0], "\n".join(map(str, ends)))
        self.assertEqual([end.text for end in ends], ["trained 1 2\n", "trained 0 2\n"])


if __name__ == "__main__":
    own_network()
    run_tests()
