"""What another user of the same host can do to a running MPI job: nothing."""

import os
import socket
import subprocess
import unittest

from mpi_programs import OPEN_MPI
from support import PYTHON, READY, UNTIL_GO, Case, descendants, run_tests

STRANGER = 65534  # nobody: has no account to make, owns nothing

# Connects, greets as a rank would with the third word (none: it only begins to), and prints what
# became of it.
SPEAK = r"""
import socket, struct, sys
try:
    made = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=2)
    made.settimeout(2)
    name = sys.argv[2].encode() + b"\0"
    greeting = struct.pack("=IIII", 0, 0, 64 + len(name), 0) + b"\0" * 64 + name
    made.sendall(greeting if len(name) > 1 else b"\0" * 4)
    words = made.recv(4096)
    print("answered" if words else "closed")
except TimeoutError:
    print("open" if "made" in globals() else "unreachable")
except (BrokenPipeError, ConnectionResetError):
    print("closed")
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
        before = set(os.listdir("/dev/shm"))
        wait = READY + UNTIL_GO
        self.job = self.start("-n", "2", OPEN_MPI.program("waits"), "sh", "-c", wait)
        self.wait_for_files(["ready.0", "ready.1"])
        self.fresh = sorted(set(os.listdir("/dev/shm")) - before)
        own = descendants(self.job.pid) | {self.job.pid}
        self.ranks = [pid for pid in own if "PMIX_RANK" in environment_of(pid)]
        self.server = [pid for pid in own if b"pmix-server" in self.words_of(pid)]
        self.own = own

    def words_of(self, pid):
        return read_proc(pid, "cmdline")

    def as_user(self, user, code, *words):
        done = subprocess.run([PYTHON, "-I", "-c", code, *words],
                              user=user, group=user, extra_groups=[], cwd="/",
                              capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def ends_well(self):
        self.write("go", "")
        done = self.job.finish()
        self.assertEqual(done.code, 0, done)

    def test_the_pmix_server_does_not_listen_to_others(self):
        self.assertEqual(len(self.server), 1)
        nspace = environment_of(self.ranks[0])["PMIX_NAMESPACE"]
        ports = listening(self.server[0])
        self.assertEqual(set(ports.values()), {"127.0.0.1"})
        # The library's own port is unreachable for everybody; the other one is for our own user.
        self.assertEqual(sorted(self.speaks(port, "") for port in ports), ["open", "unreachable"])
        # A stranger is turned away there, even one who has guessed the secret name.
        for name in ("", nspace, nspace + "-server"):
            heard = sorted(self.speaks(port, name, STRANGER) for port in ports)
            self.assertEqual(heard, ["closed", "unreachable"], name)
        self.ends_well()

    def speaks(self, port, name, user=0):
        return self.as_user(user, SPEAK, str(port), name)

    def test_nothing_else_listens(self):
        for pid in self.own - set(self.server) - set(self.ranks):
            self.assertEqual(listening(pid), {}, self.words_of(pid))
        self.ends_well()

    def test_files_and_processes_are_closed_to_others(self):
        self.assertTrue(self.fresh, "no scratch folder in /dev/shm: what does this test see?")
        paths = [os.path.join("/dev/shm", name) for name in self.fresh]
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
