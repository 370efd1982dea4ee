"""`muster horovodrun`: what its ranks find, and the store through which gloo's ranks meet.

MEET does what Horovod's C++ does in gloo mode (horovod/common/gloo/gloo_context.cc, http_store.cc,
and gloo's rendezvous::Context::connectFullMesh): for each communicator it puts its own address
under its rank, polls until those of all others are there, connects to each, and says DELETE.
"""

# rooms: front gloo head
# attacks

import json
import os
import socket
import subprocess
import unittest

from front_case import FrontCase, LabFrontCase
from support import MUSTER, PYTHON, WAIT_SECONDS, Case, lab_or_skip, run_tests

REASON = lab_or_skip()
MPI4PY = os.path.isdir("/usr/lib/python3/dist-packages/mpi4py")

STORE = """
import fcntl, http.client, os, socket, struct, sys, time
at = (os.environ['HOROVOD_GLOO_RENDEZVOUS_ADDR'], int(os.environ['HOROVOD_GLOO_RENDEZVOUS_PORT']))
env = lambda name: os.environ['HOROVOD_' + name]

def ask(method, path, body=None):
    connection = http.client.HTTPConnection(*at, timeout=60)
    connection.request(method, path, body)
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer
"""
MEET = STORE + """
def address_of(interface):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        asked = struct.pack('256s', interface.encode())
        return socket.inet_ntoa(fcntl.ioctl(probe.fileno(), 0x8915, asked)[20:24])

def wait_for(path):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        status, body = ask('GET', path)
        if status == 200:
            return body.decode()
        assert status == 404, status
        time.sleep(0.01)
    raise SystemExit(f'nobody has put {path}')

def meet(scope, rank, size):
    server = socket.create_server((address_of(env('GLOO_IFACE')), 0))
    host, port = server.getsockname()
    assert ask('PUT', f'/{scope}/{rank}', f'{host}:{port}')[0] == 200
    for peer in range(rank):
        where = wait_for(f'/{scope}/{peer}').split(':')
        with socket.create_connection((where[0], int(where[1])), 60) as talk:
            talk.sendall(str(rank).encode())
    met = sorted(int(server.accept()[0].recv(9)) for _ in range(rank + 1, size))
    assert met == list(range(rank + 1, size)), met
    assert ask('DELETE', f'/{scope}/{rank}')[0] == 200

meet('global', int(env('RANK')), int(env('SIZE')))
meet('local_' + env('HOSTNAME'), int(env('LOCAL_RANK')), int(env('LOCAL_SIZE')))
meet('cross_' + env('LOCAL_RANK'), int(env('CROSS_RANK')), int(env('CROSS_SIZE')))
print('met', env('RANK'), env('CROSS_RANK'), env('CROSS_SIZE'))
"""

# What a stranger might send, and what the ranks must not notice.
STRANGERS = STORE + """
idle = [socket.create_connection(at) for _ in range(50)]
for one in idle[:10]:
    one.sendall(b'GET /global')

def answer(text):
    with socket.create_connection(at, 60) as talk:
        talk.sendall(text)
        return int(talk.makefile('rb').readline().split()[1])

print(answer(b'\\x16\\x03\\x01 nonsense\\r\\n\\r\\n'), answer(b'POST /a/b HTTP/1.1\\r\\n\\r\\n'),
      answer(b'GET /a/b/c HTTP/1.1\\r\\n\\r\\n'), answer(b'PUT /a/b HTTP/1.1\\r\\n\\r\\n'),
      answer(b'PUT /a/b HTTP/1.1\\r\\nContent-Length: 99999999\\r\\n\\r\\n'),
      answer(b'GET /a/b HTTP/1.1\\r\\n' + b'X: ' + b'y' * 9000))
assert ask('PUT', '/a/b', b'x' * (1 << 20)) == (200, b'')
assert ask('GET', '/a/b') == (200, b'x' * (1 << 20))
assert ask('DELETE', '/a/b') == (200, b'')
assert ask('GET', '/a/b') == (404, b'')
try:
    socket.create_connection(('127.0.0.2', at[1]), 60)
    print('it listens elsewhere, too')
except ConnectionRefusedError:
    print('port', at[1])
"""



# Puts until it is told that there is no more room, and prints how many bytes were taken.
FILL = STORE + """
taken = 0
while taken < 1 << 26 and ask('PUT', f'/own/{taken}', b'x' * (1 << 16))[0] == 200:
    taken += 1 << 16
print('taken', taken)
"""

# Somebody who is not of the job puts a value, three times.
PUT = """
import socket, sys
for _ in range(3):
    try:
        with socket.create_connection((sys.argv[1], int(sys.argv[2])), 60) as talk:
            talk.sendall(b'PUT /global/0 HTTP/1.1\\r\\nContent-Length: 1\\r\\n\\r\\nx')
            print(talk.recv(99)[:12])
    except ConnectionError:
        print(b'')
"""
# Each rank says where the store is, waits, and looks whether anything has got in.
WAIT = STORE + """
with open(os.path.join(os.environ['DIR'], 'at.' + env('RANK')), 'w') as file:
    file.write('%s %s' % at)
os.rename(file.name, os.path.join(os.environ['DIR'], 'at'))
while not os.path.exists(os.path.join(os.environ['DIR'], 'go')):
    time.sleep(0.01)
print('found', ask('GET', '/global/0')[0])
"""


class OneMachine(FrontCase):
    name = "horovodrun"

    def test_ranks_meet_through_gloo(self):
        done = self.succeeds("-np", "3", "--gloo", PYTHON, "-c", MEET)
        self.assertEqual([line[-9:] for line in done.lines],
                         [f"met {rank} 0 1" for rank in range(3)])
        done = self.succeeds("-np", "4", "--fake-nodes", "2", PYTHON, "-c", MEET)
        self.assertEqual([line[-9:] for line in done.lines],
                         ["met 0 0 2", "met 1 0 2", "met 2 1 2", "met 3 1 2"])

    def test_two_names_of_this_machine_are_two_hosts_for_gloo(self):
        hosts = f"localhost:2,{socket.gethostname()}:1"
        shows = ("sh", "-c", "echo $HOROVOD_HOSTNAME $HOROVOD_LOCAL_RANK $HOROVOD_LOCAL_SIZE "
                             "$HOROVOD_CROSS_RANK $HOROVOD_CROSS_SIZE")
        done = self.succeeds("-np", "3", "--gloo", "-H", hosts, *shows)
        self.assertEqual([line.split(":", 1)[1] for line in done.lines],
                         ["localhost 0 2 0 2", "localhost 1 2 0 1",
                          f"{socket.gethostname()} 0 1 1 2"])
        done = self.succeeds("-np", "3", "--gloo", "-H", hosts, PYTHON, "-c", MEET)
        self.assertEqual([line[-9:] for line in done.lines],
                         ["met 0 0 2", "met 1 0 1", "met 2 1 2"])
        done = self.succeeds("-np", "3", "--mpi", "-H", hosts, *shows)
        self.assertEqual([line.split(":", 1)[1] for line in done.lines],
                         [f"localhost {rank} 3 0 1" for rank in range(3)])

    def test_the_seeds_line(self):
        self.write("train.py", MEET)
        os.mkdir(self.path("bin"))
        os.symlink(PYTHON, self.path("bin", "python"))
        hosts = self.write("azureml_hostfile", "localhost slots=16\n")
        path = f"{self.path('bin')}:{os.path.dirname(self.link)}:{self.environment()['PATH']}"
        env = self.environment(AZUREML_MPI_HOSTFILE=hosts, PATH=path)
        line = "horovodrun -np 16 --hostfile $AZUREML_MPI_HOSTFILE python train.py"
        done = Case.start(self, line, command=("sh", "-c"), env=env).finish()
        self.assertEqual((done.code, len(done.lines)), (0, 16), done)

    def test_variables_of_gloo_and_of_mpi(self):
        show = "import json, os; print('\\n' + json.dumps(dict(os.environ)))"
        def environment(*words):
            done = self.succeeds("-np", "1", *words, PYTHON, "-c", show)
            return json.loads(done.text[done.text.index("{"):])
        gloo = environment("--gloo", "--network-interface", "lo")
        self.assertEqual({name: gloo.get("HOROVOD_" + name) for name in (
            "RANK", "SIZE", "CONTROLLER", "CPU_OPERATIONS", "GLOO_IFACE", "GLOO_RENDEZVOUS_ADDR")},
            {"RANK": "0", "SIZE": "1", "CONTROLLER": "gloo", "CPU_OPERATIONS": "gloo",
             "GLOO_IFACE": "lo", "GLOO_RENDEZVOUS_ADDR": "127.0.0.1"})
        self.assertEqual(gloo["NCCL_SOCKET_IFNAME"], "lo")
        self.assertEqual(gloo["PYTHONUNBUFFERED"], "1")
        mpi = environment("--mpi", "--tcp", "--mpi-args=-x A=1 -mca coll ^hcoll")
        self.assertFalse([name for name in mpi if name.startswith("HOROVOD_GLOO")])
        self.assertNotIn("HOROVOD_CONTROLLER", mpi)
        self.assertEqual((mpi["A"], mpi["OMPI_MCA_coll"], mpi["OMPI_MCA_pml"], mpi["OMPI_MCA_btl"],
                          mpi["NCCL_IB_DISABLE"]), ("1", "^hcoll", "ob1", "^openib", "1"))
        either = environment()
        self.assertIn("HOROVOD_GLOO_RENDEZVOUS_PORT", either)
        self.assertNotIn("HOROVOD_CONTROLLER", either)

    def test_strangers_are_answered_and_do_no_harm(self):
        done = self.succeeds("-np", "1", "--gloo", PYTHON, "-c", STRANGERS)
        first, second = [line[line.rindex("]") + 1:].lstrip("<stdout>: ")
                         for line in done.text.splitlines()]
        self.assertEqual(first, "400 405 400 411 413 431")
        self.assertRegex(second, r"^port \d+$")

    def test_no_rank_fills_the_memory(self):
        done = self.succeeds("-np", "1", "--gloo", PYTHON, "-c", FILL)
        taken = int(done.text.split()[-1])
        self.assertGreater(taken, 1 << 20)
        self.assertLess(taken, 3 << 20)

    @unittest.skipIf(os.geteuid() != 0, "becoming another user needs root")
    def test_another_user_is_turned_away(self):
        job = self.start("-np", "1", "--gloo", PYTHON, "-c", WAIT)
        self.wait_for_files(["at"])
        at = self.read("at").decode().split()
        tried = subprocess.run([PYTHON, "-c", PUT, *at], user=65534, group=65534, extra_groups=[],
                               cwd="/", capture_output=True, text=True, timeout=WAIT_SECONDS,
                               check=True)
        self.write("go", "")
        done = job.finish()
        self.assertEqual(tried.stdout, "b''\n" * 3)
        self.assertEqual(done.code, 0, done)
        self.assertIn("found 404", done.text)
        told = [line for line in done.errors.splitlines() if "was refused" in line]
        self.assertEqual(told, ["muster: a connection to Horovod's store was refused: another user "
                                "connects from " + at[0]])

    def test_tuning_from_line_and_config_file(self):
        config = self.write("hvd.yaml",
                            "params:\n  fusion_threshold_mb: 32\n  cycle_time_ms: 3.5\n"
                            "autotune:\n  enabled: true\n  warmup_samples: 4\n")
        done = self.succeeds("-np", "1", "--config-file", config, "--fusion-threshold-mb", "16",
                             "--log-level", "INFO", "sh", "-c",
                             "echo = $HOROVOD_FUSION_THRESHOLD $HOROVOD_CYCLE_TIME "
                             "$HOROVOD_AUTOTUNE $HOROVOD_AUTOTUNE_WARMUP_SAMPLES "
                             "$HOROVOD_LOG_LEVEL")
        self.assertTrue(done.text.endswith("= 16777216 3.5 1 4 INFO\n"), done)

    def test_the_line_goes_before_the_variables_of_a_job(self):
        """As for Horovod itself; what ranks are numbered with is nobody's to set."""
        self.write("job.yml", "type: command\n"
                   "environment_variables: {HOROVOD_CYCLE_TIME: 7, HOROVOD_RANK: 9, OTHER: x}\n"
                   "command: horovodrun -np 1 --cycle-time-ms 2 sh -c "
                   "'echo = $HOROVOD_CYCLE_TIME $HOROVOD_RANK $OTHER'\n")
        done = Case.start(self, "job.yml", command=(MUSTER, "submit")).finish()
        self.assertEqual(done.code, 0, done)
        self.assertTrue(done.text.endswith("= 2 0 x\n"), done)
        self.assertEqual(done.errors, "")

    def test_output_in_files(self):
        self.succeeds("-np", "2", "--output-filename", "out", "sh", "-c", "echo $RANK; echo e >&2")
        for rank in range(2):
            self.assertIn(str(rank).encode(), self.read("out", f"rank.{rank}", "stdout"))
            self.assertIn(b"e", self.read("out", f"rank.{rank}", "stderr"))

    def test_wrong_words_start_nothing(self):
        config = self.write("bad.yaml", "params:\n  cycle_time: 3\n")
        for words, code, *patterns in (
                (["true"], 2, "-np is missing"),
                (["-np", "2", "-H", "a,b:1", "true"], 1, "a does not tell its slots"),
                (["-np", "2", "--min-np", "1", "true"], 1, "--min-np"),
                (["-np", "1", "--config-file", config, "true"], 1,
                 r"bad.yaml:2:3: there is no 'cycle_time' in params", "cycle_time_ms"),
                (["-np", "1", "--network-interface", "nope0", "true"], 244, "nope0")):
            self.assert_refused(self.muster(*words), code, *patterns)

    @unittest.skipUnless(MPI4PY, "no mpi4py here")
    def test_horovod_with_mpi_finds_its_ranks(self):
        program = ("from mpi4py import MPI; import os; c = MPI.COMM_WORLD; "
                   "assert c.rank == int(os.environ['HOROVOD_RANK']); print(c.allreduce(1))")
        for words in ([], ["--mpi"]):
            done = self.succeeds("-np", "2", *words, PYTHON, "-c", program)
            self.assertEqual([line[-1] for line in done.lines], ["2", "2"])


@unittest.skipIf(REASON, REASON)
class TwoHosts(LabFrontCase):
    name = "horovodrun"

    @classmethod
    def setUpClass(cls):
        cls.lab_of(3)

    def test_ranks_meet_through_gloo(self):
        self.write("hosts", "node1 slots=2\nnode2 slots=2\n")
        for hosts in (["-H", "node1:2,node2:2"], ["-hostfile", "hosts"]):
            done = self.launches("-np", "4", *hosts, "--gloo", PYTHON, "-c", MEET)
            self.assertEqual([line[-9:] for line in done.lines],
                             ["met 0 0 2", "met 1 0 2", "met 2 1 2", "met 3 1 2"])

    def test_two_names_of_a_host_are_two_hosts_for_gloo(self):
        config = self.lab.write_ssh_config("detour", extra="Host detour\n  HostName node1\n")
        self.write(os.path.join("bin", "ssh"),
                   f'#!/bin/sh\nexec /usr/bin/ssh -F {config} "$@"\n', 0o755)
        done = self.launches("-np", "2", "-H", "detour:1,node1:1", "--gloo", PYTHON, "-c", MEET)
        self.assertEqual([line[-9:] for line in done.lines], ["met 0 0 2", "met 1 1 2"])

    def test_a_host_that_is_not_of_the_job_is_turned_away(self):
        job = self.start_in_lab("-np", "2", "-H", "node1:1,node2:1", "--gloo", PYTHON, "-c", WAIT)
        self.wait_for_files(["at"])
        at = self.read("at").decode().split()
        said = {host: self.lab.run([PYTHON, "-c", PUT, *at], host=host)[1].decode()
                for host in ("node3", "node2")}
        self.write("go", "")
        done = job.finish()
        self.assertEqual(said["node3"], "b''\n" * 3)
        self.assertEqual(said["node2"], "b'HTTP/1.0 200'\n" * 3)
        self.assertEqual((done.code, done.text.count("found 200")), (0, 2), done)
        told = [line for line in done.errors.splitlines() if "was refused" in line]
        self.assertEqual(told, ["muster: a connection to Horovod's store was refused: "
                                f"{self.lab.address('node3')} is not a host of this job"])

    def test_the_store_listens_where_the_hosts_see_this_machine(self):
        done = self.launches("-np", "1", "-H", "node2:1", "--gloo", "sh", "-c",
                             "echo at $HOROVOD_GLOO_RENDEZVOUS_ADDR $HOROVOD_GLOO_IFACE")
        self.assertIn(f"at {self.lab.address('head')} ", done.text)


if __name__ == "__main__":
    run_tests()
