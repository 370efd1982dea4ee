"""A rank that never joins the others is named, where no MPI tells: by its sockets, or by the store.

The programs below stand in for the frameworks: rank 0 listens where torch's store would, the others
connect there and stay; a worker of TensorFlow listens at its own port; a rank of Horovod puts its
address into gloo's store. Rank 1 does not.
"""

# rooms: host probe machine view gloo

import signal

from support import MUSTER, PYTHON, TIMEOUT, Case, run_tests

STORE = """
import os, signal, socket, time
at = os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT'])
rank = os.environ['RANK']
if rank == '0':
    server = socket.create_server(('', at[1]))
while rank == '2':
    try:
        client = socket.create_connection(at)
        break
    except ConnectionRefusedError:
        time.sleep(0.01)
open('joined.' + rank, 'w').close()
signal.pause()
"""
SERVER = """
import json, os, signal, socket
config = json.loads(os.environ['TF_CONFIG'])
index = config['task']['index']
if index != 1:
    port = int(config['cluster']['worker'][index].rpartition(':')[2])
    server = socket.create_server(('', port))
signal.pause()
"""
HOROVOD = """
import http.client, os, signal
env = lambda name: os.environ['HOROVOD_' + name]
if env('RANK') == '1':
    raise SystemExit(0)
at = env('GLOO_RENDEZVOUS_ADDR'), int(env('GLOO_RENDEZVOUS_PORT'))
connection = http.client.HTTPConnection(*at, timeout=60)
connection.request('PUT', '/global/' + env('RANK'), 'here')
assert connection.getresponse().status == 200
signal.pause()
"""
STORE_REACHED = "connected to rank 0 (MASTER_PORT)"
NEVER = "muster: rank 1 never {}, while other ranks waited for it\n"


class Joining(Case):
    def never_joins(self, program, words, *options):
        self.write("t.py", program)
        done = self.muster("--oversubscribe", "--init-timeout", "3", *options, PYTHON, "t.py")
        self.assertEqual(done.code, TIMEOUT, done)
        self.assertIn(f"not all ranks {words} within --init-timeout 3 s of the first", done.errors)
        self.assertIn(NEVER.format(words), done.errors)

    def test_torchs_store_is_not_reached(self):
        for place in (), ("--fake-nodes", "3"):
            with self.subTest(place=place):
                self.never_joins(STORE, STORE_REACHED, "--wireup", "none", "-n", "3", *place)

    def test_behind_a_shell(self):
        """The rank is the shell; what has the socket is its child."""
        self.write("run.sh", f"{PYTHON} t.py\ntrue\n")
        self.write("t.py", STORE)
        done = self.muster("--oversubscribe", "--init-timeout", "3", "--wireup", "none", "-n", "3",
                           "sh", "run.sh")
        self.assertIn(NEVER.format(STORE_REACHED), done.errors)

    def test_a_worker_does_not_serve(self):
        self.never_joins(SERVER, "started its server (TF_CONFIG)", "--role", "worker=3")

    def test_an_interrupt_of_torchrun_names_it(self):
        """Whoever has come by then is not missing, though nobody has looked since."""
        self.write("t.py", STORE)
        job = self.start("--nproc_per_node", "3", "--no_python", PYTHON, "t.py",
                         command=(MUSTER, "torchrun"))
        self.wait_for_files([f"joined.{rank}" for rank in range(3)])
        job.send(signal.SIGINT)
        self.assertIn(NEVER.format(STORE_REACHED), job.finish().errors)

    def test_nobody_is_missed_where_all_have_come(self):
        self.write("t.py", STORE.replace("rank == '2'", "rank != '0'"))
        job = self.start("--nproc_per_node", "3", "--no_python", PYTHON, "t.py",
                         command=(MUSTER, "torchrun"))
        self.wait_for_files([f"joined.{rank}" for rank in range(3)])
        job.send(signal.SIGINT)
        self.assertNotIn("never connected", job.finish().errors)

    def test_a_rank_ends_without_horovods_init(self):
        self.write("t.py", HOROVOD)
        done = self.muster("-np", "2", PYTHON, "t.py", command=(MUSTER, "horovodrun"))
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"muster: rank 1 on \S+ aborted .*ended without calling "
                         r"hvd\.init\(\) while other ranks waited for it")


run_tests()
