"""The rows of sockets: what a rank waits for beside connections of others that say nothing."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time

import mpi_rows

IDLE = 3_000

# Makes idle connections to a path, or to a host's port, says so, and keeps them. Not the process
# that measures: starting programs would take that one longer for each descriptor that it has.
HOLD = """
import resource, signal, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
*at, count = sys.argv[1:]

def connect():
    if len(at) == 2:
        return socket.create_connection(at)
    link = socket.socket(socket.AF_UNIX)
    link.connect(at[0])
    return link

idle = [connect() for _ in range(int(count))]
print(flush=True)
signal.pause()
"""
HELD = f"""
import subprocess, sys

def held(*at):
    child = subprocess.Popen([sys.executable, "-c", {HOLD!r}, *map(str, at)],
                             stdout=subprocess.PIPE)
    assert child.stdout.readline(), "a connection has failed"
    return child
"""

# Rank 0 puts and gets a key of Horovod's store, alone and then beside idle connections.
RANK = """
import json, os, resource, socket, statistics, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
at = (os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"], int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"]))

def ask():
    begin = time.monotonic()
    with socket.create_connection(at) as link:
        link.sendall(b"PUT /global/0 HTTP/1.1\\r\\nContent-Length: 1\\r\\n\\r\\nx")
        assert link.recv(100).startswith(b"HTTP/1.0 200"), "the store has refused"
    return 1000 * (time.monotonic() - begin)

alone = [ask() for _ in range(20)]
idle = [socket.create_connection(at) for _ in range(int(sys.argv[1]))]
beside = [ask() for _ in range(20)]
with open(sys.argv[2], "w") as file:
    json.dump([statistics.median(alone), beside[0], statistics.median(beside)], file)
"""


# A launcher in a rank asks the head above it for hosts, alone and then beside idle connections.
LAUNCHER = HELD + """
import json, os, statistics, subprocess, sys, time

def start():
    begin = time.monotonic()
    subprocess.run([sys.argv[3], "run", "-n", "2", "/bin/true"], check=True, close_fds=True)
    return 1000 * (time.monotonic() - begin)

alone = [start() for _ in range(10)]
idle = held(os.environ["MUSTER_HEAD"], sys.argv[1])
beside = [start() for _ in range(10)]
idle.kill()
with open(sys.argv[2], "w") as file:
    json.dump([statistics.median(alone), beside[0], statistics.median(beside)], file)
"""


# A rank's program joins the PMIx server of its host, alone and then beside idle connections.
PMIX = HELD + """
import json, os, re, statistics, subprocess, sys, time
at = re.search(r"tcp4://([0-9.]+):([0-9]+)", os.environ["PMIX_SERVER_URI41"])

def join():
    begin = time.monotonic()
    subprocess.run([sys.argv[4]], check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.monotonic() - begin)

join()  # the first one starts the server
alone = [join() for _ in range(10)]
idle = held(at[1], at[2], sys.argv[1])
beside = [join() for _ in range(10)]
idle.kill()
with open(sys.argv[2], "w") as file:
    json.dump([statistics.median(alone), beside[0], statistics.median(beside)], file)
"""


def pmix_row(bench, folder):
    what = f"a rank joins its PMIx server beside {IDLE:,} idle connections / alone"
    if bench.only and bench.only not in what:
        return
    program = mpi_rows.fence_program(folder)
    if program is None:
        return bench.row(what, "libpmix-dev is missing")
    rank_row(bench, folder, what, PMIX, ["run", "-n", "1"], "< 100 ms more", program)


def rank_row(bench, folder, what, text, words, first_goal, *more):
    """A program, which a rank runs, measures alone, and the first and the median beside."""
    if bench.only and bench.only not in what:
        return
    program = os.path.join(folder, "asks.py")
    with open(program, "w", encoding="ascii") as file:
        file.write(text)
    found = os.path.join(folder, "asked.json")
    words = [bench.muster, *words, sys.executable, program, str(IDLE), found, bench.muster, *more]
    if subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode:
        return bench.row(what, "fails", "1")
    with open(found, encoding="ascii") as file:
        alone, first, beside = json.load(file)
    bench.row(what, f"{beside / alone:.2f} ({beside:.2f} / {alone:.2f} ms)", "1")
    bench.row("  the first one", f"{first:.2f} ms", first_goal)


def meeting_ms(place, idle, first, second):
    """From the start of the second command to the end of the first, which awaits it there."""
    waits = subprocess.Popen(first, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stranger = None
    while not stranger:
        try:
            stranger = socket.create_connection(place)
        except ConnectionRefusedError:
            time.sleep(0.01)
    others = subprocess.Popen([sys.executable, "-c", HOLD, *map(str, place), str(idle - 1)],
                              stdout=subprocess.PIPE)
    assert others.stdout.readline(), "a connection has failed"
    begin = time.monotonic()
    comes = subprocess.Popen(second, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    code = waits.wait()
    took = 1000 * (time.monotonic() - begin)
    comes.wait()
    others.kill()
    others.communicate()
    stranger.close()
    return took if code == 0 else None


# Stands before srun: where agents are to call a port, it opens idle connections to that port first,
# and notes when srun may begin.
SRUN = """#!{python}
import resource, socket, subprocess, sys, time
begin = None
if "--input=all" in sys.argv:
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    begin = sys.stdin.buffer.readline()
    at = ("127.0.0.1", int(begin.split()[-3]))
    idle = [socket.create_connection(at) for _ in range({idle})]
    with open({note!r}, "w") as file:
        file.write(repr(time.monotonic()))
sys.exit(subprocess.run([{srun!r}, *sys.argv[1:]], input=begin).returncode)
"""


def step_ms(bench, lab, inside, folder, idle):
    """From the start of an srun to the end of the run whose agents it starts, in a job of Slurm."""
    before, note = os.path.join(folder, "before-srun"), os.path.join(folder, "srun-began")
    os.makedirs(before, exist_ok=True)
    with open(os.path.join(before, "srun"), "w", encoding="utf-8") as file:
        file.write(SRUN.format(python=sys.executable, idle=idle, note=note,
                               srun=shutil.which("srun")))
    os.chmod(file.name, 0o755)
    if os.path.exists(note):
        os.remove(note)
    done = subprocess.run(lab.lab.command(bench.run("--no-record", "/bin/true")), check=False,
                          env={**inside, "PATH": f"{before}:{inside['PATH']}"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    ended = time.monotonic()
    if done.returncode or not os.path.exists(note):
        return None
    with open(note, encoding="ascii") as file:
        return 1000 * (ended - float(file.read()))


def step_row(bench, lab, inside, folder):
    """Of slurm_rows, in the environment of a job of several hosts."""
    door_row(bench, folder, "agents come to the port of a Slurm step",
             lambda _, folder, idle: step_ms(bench, lab, inside, folder, idle))


def free_place():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()


def join_ms(muster, folder, idle):
    """From the call of a host that joins to the end of the command for which hosts are held."""
    secret = os.path.join(folder, "secret")
    with open(secret, "w", encoding="ascii") as file:
        file.write("0123456789abcdef" * 2)
    os.chmod(secret, 0o600)
    place = free_place()
    at = f"{place[0]}:{place[1]}"
    return meeting_ms(place, idle,
                      [muster, "lead", "--listen", at, "--nodes", "1", "--secret-file", secret,
                       "--", "/bin/true"], [muster, "join", at, "--secret-file", secret])


def torchrun_ms(muster, _, idle):
    """From the start of node 1 to the end of a job of two nodes."""
    place = free_place()
    nodes = [[muster, "torchrun", "--nnodes", "2", "--node_rank", str(node), "--nproc_per_node",
              "1", "--master_addr", place[0], "--master_port", str(place[1]), "--no_python",
              "/bin/true"] for node in range(2)]
    return meeting_ms(place, idle, *nodes)


def door_row(bench, folder, what, measured_ms):
    what = f"{what} beside {IDLE:,} idle connections / one"
    if bench.only and bench.only not in what:
        return
    found = [(measured_ms(bench.muster, folder, IDLE), measured_ms(bench.muster, folder, 1))
             for _ in range(min(bench.pairs, 5))]
    bench.ratios(what, [tuple(one and one / 1000 for one in pair) for pair in found], "1")


def rows(bench, folder):
    rank_row(bench, folder, f"a rank asks Horovod's store beside {IDLE:,} idle connections / alone",
             RANK, ["horovodrun", "--gloo", "-np", "1"], "< 100 ms")
    rank_row(bench, folder, f"a launcher in a rank starts beside {IDLE:,} idle connections / alone",
             LAUNCHER, ["run", "--fake-nodes", "2", "-n", "1"], "< 100 ms more")
    pmix_row(bench, folder)
    door_row(bench, folder, "a host joins", join_ms)
    door_row(bench, folder, "node 1 of torchrun comes", torchrun_ms)
