"""The rows of Ctrl-C in all that is read, hashed, copied, fetched, sent or waited for besides what
signal_rows and copy_rows have: at some moments of each loop, the longest time to the command's end.
"""

import contextlib
import hashlib
import http.server
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import signal_rows

MANY = 20_000            # files of a loop that counts them
SOME = 10_000            # files that go to hosts, too
HOLE = 16 << 30          # bytes to be hashed: without an end, as far as a row goes
SENT = 192 << 20         # bytes of a hole that is sent: zeros to whoever reads it
FETCHED = 256 << 20
PARTS = (0.9, 0.75, 0.55, 0.35, 0.15)   # of what the whole takes
SOON = (0.3, 0.5, 0.7, 1.0, 1.3)        # seconds of what has no end
WHOLE_S = 120
DEAF_S = 5
GOAL = "< 100 ms"

CODE = """muster: 1
code: {0}
command: "true"
"""
NODES = "distribution: {type: mpi, node_count: 2}\n"
CHECKPOINTS = """muster: 1
checkpoints: true
command: "true"
"""
INPUT = """type: command
command: "true"
inputs: {{rows: {{type: uri_file, path: "{0}"}}}}
"""
DIGEST = """data: {{rows: {{path: "{0}", sha256: {1}}}}}
"""
NAMED = """type: command
command: "true"
inputs: {rows: {type: uri_file, path: "azureml:rows:1"}}
"""
HASHED = """type: pipeline
inputs: {{rows: {{type: uri_file, path: {0}}}}}
jobs:
  make:
    component: {1}
    inputs: {{rows: "${{{{parent.inputs.rows}}}}"}}
"""
COMPONENT = """$schema: commandComponent
is_deterministic: true
code: none
inputs: {rows: {type: uri_file}}
command: echo ${{inputs.rows}} > ${{outputs.made}}/path
outputs: {made: }
"""
SWEEP = """type: sweep
trial:
  command: "cd ${{{{outputs.made}}}} && seq {0} | xargs touch && echo loss=1"
outputs: {{made: {{path: {1}}}}}
search_space: {{x: {{type: choice, values: [1]}}}}
sampling_algorithm: grid
objective: {{goal: minimize, primary_metric: loss}}
metrics_from: output
"""
OUTPUT = """muster: 1
outputs: {{made: }}
command: cd ${{{{outputs.made}}}} && seq {0} | xargs touch
"""
BUILT = """muster: 1
environment: {build: {path: context}}
command: "true"
"""
STEPS = """type: pipeline
jobs: {only: {type: command, environment: {build: {path: context}}, command: "true"}}
"""
CONDA = """muster: 1
environment:
  conda: {dependencies: [python, mkl]}
command: "true"
"""
# A container runtime, or conda, that has nothing and needs for ever.
ENDLESS = """#!/bin/sh
case "$1 $2" in
  "image inspect") echo "Error: no such image" >&2; exit 125 ;;
  "info"*|"version"*|"--version"*) echo 4.3.1; exit 0 ;;
esac
while :; do echo "works on it"; sleep 0.01; done
"""


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def hole(path, size):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.truncate(size)


def files(folder, count):
    """Small ones, each with a content of its own."""
    for i in range(count):
        if i % 1000 == 0:
            os.makedirs(os.path.join(folder, str(i)), exist_ok=True)
        with open(os.path.join(folder, str(i - i % 1000), f"f{i}"), "w", encoding="ascii") as file:
            file.write(str(i))


def wait(popen, seconds):
    """Whether it has ended by then."""
    try:
        popen.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def kill(popen, send):
    send(signal.SIGKILL)
    popen.wait()


class Here:
    """Starts commands on this machine, with records of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.records = os.path.join(folder, "records")
        self.environment = dict(os.environ, MUSTER_RECORDS=self.records, MUSTER_RECORD="yes",
                                XDG_CACHE_HOME=os.path.join(folder, "cache"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def start(self, words):
        popen = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env=self.environment, cwd=self.folder)
        return popen, popen.send_signal

    def clear(self):
        for name in ("records", "cache"):
            shutil.rmtree(self.path(name), ignore_errors=True)


class There:
    """Starts them on the head of a lab, whose hosts share no folder with it."""

    def __init__(self, hosts, folder):
        self.hosts, self.folder = hosts, folder
        self.home = hosts.environment()["HOME"]
        self.records = hosts.path("head", self.home + "/.local/state/muster/runs")
        self.environment = hosts.environment(MUSTER_SSH_COMMAND=hosts.ssh_command,
                                             MUSTER_RECORD="yes")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def start(self, words):
        started = self.hosts.start(words, env=self.environment, cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        return started.popen, started.send

    def clear(self):
        for name in self.hosts.hosts():
            for path in (".local/state/muster", ".cache/muster"):
                shutil.rmtree(self.hosts.path(name, f"{self.home}/{path}"), ignore_errors=True)


class Loop:
    """One row: a command, and what has to be there before each start of it."""

    def __init__(self, bench, place, what, words, make=None):
        self.bench, self.place, self.make = bench, place, make
        self.row, self.words = f"{what}: from Ctrl-C to the end", words
        self.is_wanted = not bench.only or bench.only in self.row

    def _start(self):
        if self.make:
            self.make()
        return self.place.start(self.words)

    def _whole_s(self):
        """None: it fails, or takes too long."""
        popen, send = self._start()
        begin = time.monotonic()
        if wait(popen, WHOLE_S):
            return time.monotonic() - begin if popen.returncode == 0 else None
        kill(popen, send)
        return None

    def _heard_ms(self, after_s):
        """None, and how long it took: it had ended before."""
        popen, send = self._start()
        begin = time.monotonic()
        if wait(popen, after_s):
            return None, time.monotonic() - begin
        begin = time.monotonic()
        send(signal.SIGINT)
        if wait(popen, DEAF_S):
            return 1000 * (time.monotonic() - begin), None
        kill(popen, send)
        return float("inf"), None

    def measure(self, moments=None):
        """At these seconds after the start; else at parts of the time that the whole takes."""
        if not self.is_wanted:
            return
        self.place.clear()
        try:
            whole_s = None if moments else self._whole_s()
            if not moments and whole_s is None:
                return self.bench.row(self.row, "fails", GOAL)
            found = {}
            for moment in moments or PARTS:
                after_s = moment if moments else moment * whole_s
                found[after_s], took_s = self._heard_ms(after_s)
                whole_s = took_s or whole_s  # what it needs now that caches are warm
            self.tell({after_s: ms for after_s, ms in found.items() if ms is not None}, whole_s)
        finally:
            self.place.clear()

    def tell(self, found, whole_s):
        if not found:
            return self.bench.row(self.row, "had ended", GOAL)
        at, worst = max(found.items(), key=lambda one: one[1])
        if worst == float("inf"):
            return self.bench.row(self.row, f"not within {DEAF_S} s, at {at:.1f} s", GOAL)
        of = f" of {whole_s:.1f}" if whole_s else ""
        self.bench.row(self.row, f"{worst:.1f} ms at {at:.1f}{of} s, worst of {len(found)}", GOAL)


class Server(http.server.ThreadingHTTPServer):
    """Gives /zeros, and /never, of which nothing comes."""

    def __init__(self, size):
        self.over = threading.Event()
        over = self.over

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(size))
                self.end_headers()
                if self.path == "/never":
                    return over.wait()
                piece = bytes(1 << 20)
                with contextlib.suppress(OSError):
                    for _ in range(size // len(piece)):
                        self.wfile.write(piece)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.daemon_threads = True
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.server_close()

    def address(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"


def code_row(bench, here):
    loop = Loop(bench, here, f"code of {MANY:,} files is copied", [bench.muster, "submit", "c.yml"])
    if loop.is_wanted:
        files(here.path("code"), MANY)
        write(here.path("c.yml"), CODE.format("code"))
        loop.measure()
        shutil.rmtree(here.path("code"))


def checkpoint_row(bench, here):
    """On another disk than the record that takes them over."""
    loop = Loop(bench, here, f"checkpoints, {MANY:,} files, are copied from another disk",
                [bench.muster, "rerun", "last"])
    if not loop.is_wanted:
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as disk:
        if os.stat(disk).st_dev == os.stat(here.folder).st_dev:
            return bench.row(loop.row, "there is no other disk", GOAL)

        def make():
            here.clear()
            write(here.path("p.yml"), CHECKPOINTS)
            here.start([bench.muster, "submit", "p.yml"])[0].wait()
            run, = [name for name in os.listdir(here.records) if name[0] != "."]
            shutil.rmtree(os.path.join(disk, "run"), ignore_errors=True)
            shutil.move(os.path.join(here.records, run), os.path.join(disk, "run"))
            os.symlink(os.path.join(disk, "run"), os.path.join(here.records, run))
            files(os.path.join(disk, "run", "checkpoints"), MANY)
        loop.make = make
        loop.measure()


def fetch_rows(bench, here):
    here.environment["no_proxy"] = "127.0.0.1"
    submit = [bench.muster, "submit", "f.yml"]
    comes = Loop(bench, here, f"an input of {FETCHED >> 20} MiB is fetched", submit, here.clear)
    silent = Loop(bench, here, "an input is fetched from a server that is silent", submit)
    digest = Loop(bench, here, "an input with a digest, 16 GiB, is copied", submit)
    with Server(FETCHED) as server:
        write(here.path("f.yml"), INPUT.format(server.address("/zeros")))
        comes.measure()
        write(here.path("f.yml"), INPUT.format(server.address("/never")))
        silent.measure(SOON)
        if digest.is_wanted:
            digest_row(here, server, digest)


def digest_row(here, server, loop):
    """Nobody comes to its end, where the digest would be found to be wrong."""
    digest = hashlib.sha256(b"").hexdigest()
    loop.make = lambda: hole(os.path.join(here.records, ".blobs", digest[:2], digest[2:]), HOLE)
    write(here.path("muster.yml"), DIGEST.format(server.address("/never"), digest))
    write(here.path("f.yml"), NAMED)
    loop.measure(SOON)
    os.remove(here.path("muster.yml"))


def gc_row(bench, here):
    Loop(bench, here, f"gc removes {signal_rows.CONTENTS:,} contents", [bench.muster, "gc"],
         lambda: signal_rows.make_contents(here.records)).measure()


def key_row(bench, here):
    loop = Loop(bench, here, "a step's input of 16 GiB is hashed, for its reuse",
                [bench.muster, "submit", "k.yml"])
    if loop.is_wanted:
        hole(here.path("rows"), HOLE)
        write(here.path("none", "file"), "")
        component = write(here.path("k.component.yml"), COMPONENT)
        write(here.path("k.yml"), HASHED.format(here.path("rows"), component))
        loop.measure(SOON)
        os.remove(here.path("rows"))


def sweep_row(bench, here):
    loop = Loop(bench, here, f"the best trial's output, {MANY:,} files, is copied",
                [bench.muster, "submit", "s.yml"],
                lambda: shutil.rmtree(here.path("made"), ignore_errors=True))
    write(here.path("s.yml"), SWEEP.format(MANY, here.path("made")))
    loop.measure()


def software_rows(bench, here):
    """Programs that never end stand for those that make, build or pull."""
    submit = [bench.muster, "submit"]
    tools = here.path("tools")
    for name in ("conda", "podman"):
        write(os.path.join(tools, name), ENDLESS, 0o755)
    before = here.environment["PATH"]
    here.environment["PATH"] = f"{tools}:{before}"
    conda = write(here.path("e.yml"), CONDA)
    Loop(bench, here, "conda makes an environment", [*submit, conda]).measure(SOON)
    write(here.path("context", "Dockerfile"), "FROM scratch\n")
    of = {"a job": write(here.path("job.yml"), BUILT), "a step": write(here.path("p.yml"), STEPS)}
    for name, file in of.items():
        Loop(bench, here, f"the image of {name} is built", [*submit, file]).measure(SOON)
    hole(here.path("context", "data"), HOLE)
    for name, file in of.items():
        Loop(bench, here, f"16 GiB from which the image of {name} is built are hashed",
             [*submit, file]).measure(SOON)
    run = [bench.muster, "run", "-n", "1", "--image", "registry.example/none:1"]
    Loop(bench, here, "an image is pulled", [*run, "true"]).measure(SOON)
    Loop(bench, here, "an image is pulled here, to be sent",
         [*run, "--image-from-here", "true"]).measure(SOON)
    here.environment["PATH"] = before


def rows(bench, folder):
    folder = os.path.join(folder, "heard")
    os.makedirs(folder)
    here = Here(folder)
    code_row(bench, here)
    checkpoint_row(bench, here)
    fetch_rows(bench, here)
    gc_row(bench, here)
    key_row(bench, here)
    sweep_row(bench, here)
    software_rows(bench, here)


def count_files(what):
    return f"{what}, {SOME:,} files and {SENT >> 20} MiB"


def sent_code(folder):
    files(folder, SOME)
    hole(os.path.join(folder, "zeros"), SENT)


def code_to_hosts(bench, there, on):
    loop = Loop(bench, there, count_files("code goes to two of 4 ssh hosts"),
                [bench.muster, "submit", there.path("c.yml"), *on], there.clear)
    if loop.is_wanted:
        sent_code(there.path("code"))
        write(there.path("c.yml"), CODE.format("code") + NODES)
        loop.measure()
        shutil.rmtree(there.path("code"))


def checkpoints_to_hosts(bench, there, on):
    """Out to them and home again, with files that a rank writes."""
    loop = Loop(bench, there, count_files("checkpoints go to two of 4 ssh hosts, and come home"),
                [bench.muster, "rerun", "last"])
    if not loop.is_wanted:
        return

    def make():
        there.clear()
        write(there.path("p.yml"), CHECKPOINTS + NODES)
        there.start([bench.muster, "submit", there.path("p.yml"), *on])[0].wait()
        run, = [name for name in os.listdir(there.records) if name[0] != "."]
        sent_code(os.path.join(there.records, run, "checkpoints"))
    loop.make = make
    loop.measure()


def outputs_from_hosts(bench, there):
    on = ["-H", "node1:1"]
    write(there.path("o.yml"), OUTPUT.format(SOME))
    Loop(bench, there, f"{SOME:,} files come home from one of 4 ssh hosts",
         [bench.muster, "submit", there.path("o.yml"), *on], there.clear).measure()
    write(there.path("s.yml"), SWEEP.format(SOME, there.home + "/made"))
    made = there.hosts.path("head", there.home + "/made")
    Loop(bench, there, f"the best trial's {SOME:,} files come home from one of 4 ssh hosts",
         [bench.muster, "submit", there.path("s.yml"), *on],
         lambda: shutil.rmtree(made, ignore_errors=True)).measure()


def host_rows(bench, folder, hosts):
    """`hosts`: of the lab; the head and each of them have a home folder of their own."""
    folder = os.path.join(folder, "heard-there")
    os.makedirs(folder, exist_ok=True)
    there = There(hosts, folder)
    on = ["-H", "node1:1,node2:1"]
    code_to_hosts(bench, there, on)
    checkpoints_to_hosts(bench, there, on)
    outputs_from_hosts(bench, there)
