"""The rows of sockets: what a rank waits for beside connections of others that say nothing."""

import json
import os
import resource
import socket
import subprocess
import sys
import time

IDLE = 3_000

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
LAUNCHER = """
import json, os, resource, socket, statistics, subprocess, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)

def start():
    begin = time.monotonic()
    subprocess.run([sys.argv[3], "run", "-n", "2", "/bin/true"], check=True, close_fds=True)
    return 1000 * (time.monotonic() - begin)

def connect():
    link = socket.socket(socket.AF_UNIX)
    link.connect(os.environ["MUSTER_HEAD"])
    return link

alone = [start() for _ in range(10)]
idle = [connect() for _ in range(int(sys.argv[1]))]
beside = [start() for _ in range(10)]
with open(sys.argv[2], "w") as file:
    json.dump([statistics.median(alone), beside[0], statistics.median(beside)], file)
"""


def rank_row(bench, folder, what, text, words, first_goal):
    """A program, which a rank runs, measures alone, and the first and the median beside."""
    if bench.only and bench.only not in what:
        return
    program = os.path.join(folder, "asks.py")
    with open(program, "w", encoding="ascii") as file:
        file.write(text)
    found = os.path.join(folder, "asked.json")
    words = [bench.muster, *words, sys.executable, program, str(IDLE), found, bench.muster]
    if subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode:
        return bench.row(what, "fails", "1")
    with open(found, encoding="ascii") as file:
        alone, first, beside = json.load(file)
    bench.row(what, f"{beside / alone:.2f} ({beside:.2f} / {alone:.2f} ms)", "1")
    bench.row("  the first one", f"{first:.2f} ms", first_goal)


def join_ms(muster, folder, idle):
    """From the call of a host that joins to the end of the command for which hosts are held."""
    secret = os.path.join(folder, "secret")
    with open(secret, "w", encoding="ascii") as file:
        file.write("0123456789abcdef" * 2)
    os.chmod(secret, 0o600)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = free.getsockname()
    at = f"{place[0]}:{place[1]}"
    lead = subprocess.Popen([muster, "lead", "--listen", at, "--nodes", "1", "--secret-file",
                             secret, "--", "/bin/true"], stderr=subprocess.DEVNULL)
    strangers = []
    while not strangers:
        try:
            strangers.append(socket.create_connection(place))
        except ConnectionRefusedError:
            time.sleep(0.01)
    strangers += [socket.create_connection(place) for _ in range(idle - 1)]
    begin = time.monotonic()
    joins = subprocess.Popen([muster, "join", at, "--secret-file", secret],
                             stderr=subprocess.DEVNULL)
    code = lead.wait()
    took = 1000 * (time.monotonic() - begin)
    joins.wait()
    for one in strangers:
        one.close()
    return took if code == 0 else None


def door_row(bench, folder):
    what = f"a host joins beside {IDLE:,} idle connections / one"
    if bench.only and bench.only not in what:
        return
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit[1], 2 * IDLE + 1000), limit[1]))
    found = [(join_ms(bench.muster, folder, IDLE), join_ms(bench.muster, folder, 1))
             for _ in range(min(bench.pairs, 5))]
    resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    bench.ratios(what, [tuple(one and one / 1000 for one in pair) for pair in found], "1")


def rows(bench, folder):
    rank_row(bench, folder, f"a rank asks Horovod's store beside {IDLE:,} idle connections / alone",
             RANK, ["horovodrun", "--gloo", "-np", "1"], "< 100 ms")
    rank_row(bench, folder, f"a launcher in a rank starts beside {IDLE:,} idle connections / alone",
             LAUNCHER, ["run", "--fake-nodes", "2", "-n", "1"], "< 100 ms more")
    door_row(bench, folder)
