"""The rows of sockets: what a rank waits for beside connections of others that say nothing."""

import json
import os
import subprocess
import sys

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


def rows(bench, folder):
    what = f"a rank asks Horovod's store beside {IDLE:,} idle connections / alone"
    if bench.only and bench.only not in what:
        return
    program = os.path.join(folder, "ask.py")
    with open(program, "w", encoding="ascii") as file:
        file.write(RANK)
    found = os.path.join(folder, "asked.json")
    words = ["horovodrun", "--gloo", "-np", "1", sys.executable, program, str(IDLE), found]
    if subprocess.run([bench.muster, *words], stderr=subprocess.DEVNULL, check=False).returncode:
        return bench.row(what, "fails", "1")
    with open(found, encoding="ascii") as file:
        alone, first, beside = json.load(file)
    bench.row(what, f"{beside / alone:.2f} ({beside:.2f} ms / {alone:.2f} ms)", "1")
    bench.row("  the first question", f"{first:.2f} ms", "< 100 ms")
