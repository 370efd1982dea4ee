"""What another user of the same host can do to a running MPI job: nothing."""

# rooms: pmix host process
# attacks

import os
import re
import socket
import subprocess
import unittest

from mpi_programs import OPEN_MPI
from support import (PYTHON, READY, WAIT_SECONDS, Case, Running, descendants, run_tests, until)

STRANGER = 65534  # nobody: has no account to make, owns nothing

# Connects, greets as a rank would with the third word (none: it only begins to), and prints what
# became of it: once the other side has done something, or when its own stdin ends.
SPEAK = r"""
import select, socket, struct, sys
try:
    made = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=2)
except TimeoutError:  # nobody's process has a part in it: the kernel has dropped what was sent
    sys.exit("unreachable")
try:
    name = sys.argv[2].encode() + b"\0"
    greeting = struct.pack("=IIII", 0, 0, 64 + len(name), 0) + b"\0" * 64 + name
    made.sendall(greeting if len(name) > 1 else b"\0" * 4)
    if made not in select.select([made, sys.stdin], [], [])[0]:
        sys.exit("open")
    sys.exit("answered" if made.recv(4096) else "closed")
except (BrokenPipeError, ConnectionResetError):
    sys.exit("closed")
"""
TRY = r"""
import os, sys
done = []
def attempt(what, call):
    try:
        call()
        done.append(what)
    except OSError:
        pass
for path in sys.argv[2:]:
    attempt("read " + path, lambda: os.listdir(path) if os.path.isdir(path) else open(path).read(1))
    attempt("enter " + path, lambda: os.chdir(path))
    attempt("write " + path, lambda: open(path + "/x", "w"))
for pid in sys.argv[1].split(","):
    attempt("descriptors of " + pid, lambda: os.listdir("/proc/%s/fd" % pid))
    attempt("wire-up of " + pid, lambda: open("/proc/%s/fd/3" % pid, "r+b", buffering=0))
    attempt("environment of " + pid, lambda: open("/proc/%s/environ" % pid, "rb").read(1))
    attempt("memory of " + pid, lambda: open("/proc/%s/mem" % pid, "rb"))
print(done)
"""


def read_proc(pid, name):
    """Nothing of a process that has ended since it was listed."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def environment_of(pid):
    entries = read_proc(pid, "environ").decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def listening(pid):
    """Ports at which a process listens on TCP."""
    inodes = set()
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except (FileNotFoundError, ProcessLookupError):
        numbers = []
    for number in numbers:
        try:
            link = os.readlink(f"/proc/{pid}/fd/{number}")
        except OSError:
            continue
        if link.startswith("socket:["):
            inodes.add(link[8:-1])
    ports = {}
    with open("/proc/net/tcp", encoding="ascii") as table:
        for line in list(table)[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                address, port = fields[1].split(":")
                ports[int(port, 16)] = socket.inet_ntoa(bytes.fromhex(address)[::-1])
    return ports


@unittest.skipUnless(os.geteuid() == 0, "becoming another user needs root")
@unittest.skipIf(OPEN_MPI.missing(), OPEN_MPI.missing())
class Strangers(Case):
    """Two ranks stay in their world until the stranger has tried everything."""

    def setUp(self):
        super().setUp()
        # A rank that polls would have children, whose pids soon belong to others.
        os.mkfifo(self.path("go"))
        wait = READY + 'read line < "$DIR/go"; true'
        self.job = self.start("-n", "2", OPEN_MPI.program("waits"), "sh", "-c", wait)
        self.wait_for_files(["ready.0", "ready.1"])
        own = descendants(self.job.pid) | {self.job.pid}
        self.ranks = [pid for pid in own if "PMIX_RANK" in environment_of(pid)]
        self.server = [pid for pid in own if b"pmix-server" in self.words_of(pid)]
        self.own = own

    def words_of(self, pid):
        return read_proc(pid, "cmdline")

    def in_shared_memory(self):
        """Paths in /dev/shm that the job's processes map or are told in their environment."""
        paths = set()
        for pid in self.own:
            for name in ("maps", "environ"):
                paths |= set(re.findall(rb"/dev/shm/[^/\0\n ]+", read_proc(pid, name)))
        return sorted(path.decode() for path in paths)

    def start_as(self, user, code, *words):
        pipe = subprocess.PIPE
        one = subprocess.Popen([PYTHON, "-I", "-c", code, *words], user=user, group=user,
                               extra_groups=[], cwd="/", stdin=pipe, stdout=pipe, stderr=pipe,
                               text=True)
        self.running.append(Running(one))
        return one

    def as_user(self, user, code, *words):
        done = self.start_as(user, code, *words)
        out, err = done.communicate(timeout=WAIT_SECONDS)
        self.assertEqual((done.returncode, err), (0, ""))
        return out.strip()

    def ends_well(self):
        with open(self.path("go"), "w", encoding="ascii") as file:
            print("\n", file=file, flush=True)  # an empty line for each rank
            done = self.job.finish()
        self.assertEqual(done.code, 0, done)

    def test_the_pmix_server_does_not_listen_to_others(self):
        self.assertEqual(len(self.server), 1)
        nspace = environment_of(self.ranks[0])["PMIX_NAMESPACE"]
        ports = listening(self.server[0])
        self.assertEqual(set(ports.values()), {"127.0.0.1"})
        # The library's own port is unreachable for everybody; the other one is for our own user.
        ours = [self.start_as(0, SPEAK, str(port), "") for port in ports]
        # A stranger is turned away there, even one who has guessed the secret name.
        for name in ("", nspace, nspace + "-server"):
            theirs = [self.start_as(STRANGER, SPEAK, str(port), name) for port in ports]
            until("strangers are turned away", lambda: all(one.poll() for one in theirs))
            self.assertEqual(self.heard(theirs), ["closed", "unreachable"], name)
        self.assertEqual(self.heard(ours), ["open", "unreachable"])
        self.ends_well()

    def heard(self, speakers):
        """What each says once its stdin ends."""
        return sorted(one.communicate(timeout=WAIT_SECONDS)[1].strip() for one in speakers)

    def test_nothing_else_listens(self):
        for pid in self.own - set(self.server) - set(self.ranks):
            self.assertEqual(listening(pid), {}, self.words_of(pid))
        self.ends_well()

    def test_files_and_processes_are_closed_to_others(self):
        paths = self.in_shared_memory()
        self.assertTrue(paths, "no scratch folder in /dev/shm: what does this test see?")
        pids = ",".join(str(pid) for pid in self.own)
        self.assertEqual(self.as_user(STRANGER, TRY, pids, *paths), "[]")
        self.assertIn("environment of", self.as_user(0, TRY, pids, *paths))  # it does try
        self.ends_well()

    def test_no_secret_stands_on_a_command_line(self):
        variables = environment_of(self.ranks[0])
        for pid in self.own:
            for name in ("PMIX_NAMESPACE", "PMIX_SERVER_TMPDIR"):
                self.assertNotIn(variables[name].encode(), self.words_of(pid))
        self.ends_well()


if __name__ == "__main__":
    run_tests()
