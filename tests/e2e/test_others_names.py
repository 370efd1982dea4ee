"""Another user holds the names by which jobs of muster claim cpus, or ports: jobs start all the
same."""

# rooms: probe host plan
# attacks

import os
import unittest

import own
from support import MUSTER, PYTHON, Case, run_tests

# Carries out a command while a user holds the names of all cpus; with "circles" also, for each
# socket of the machine, names that would lead from that socket's claim back to it. With "ports":
# those of all ports instead.
HOLDING = """
import os, socket, subprocess, sys
user, names, words = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
if names == "ports":  # which leaves ports above these to jobs, few enough to hold them all
    with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as range_of_kernel:
        range_of_kernel.write("1024 65000")
is_held, tells = os.pipe()
stays, lets_go = os.pipe()
if os.fork() == 0:
    os.close(lets_go)
    os.setgid(user)
    os.setuid(user)
    held = []
    def hold(name):
        held.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        held[-1].bind(b"\\0" + name.encode())
    with open("/proc/net/unix") as file:
        inodes = {line.split()[6] for line in file.readlines()[1:]}
    for port in range(65001, 1 << 16) if names == "ports" else ():
        hold(f"muster-port-{port}")
    for cpu in range(os.cpu_count()) if names != "ports" else ():
        hold(f"muster-cpu-{cpu}")
        for inode in inodes if names == "circles" else ():
            hold(f"{inode} @muster-cpu-{cpu}-of-{inode}")
            hold(f"\\n0: 2 0 0 2 1 {inode} @muster-cpu-{cpu}-of-{inode}")
            hold(f"\\n0: 2 0 0 2 1 {inode} @muster-cpu-{cpu}")
    os.write(tells, b"x")
    os.read(stays, 1)
    os._exit(0)
os.close(stays)
os.close(tells)
if not os.read(is_held, 1):
    sys.exit("the names could not be held")
sys.exit(subprocess.run(words).returncode)
"""


@unittest.skipIf(os.getuid() != 0, "only root can make a network, and be another user")
class NamesOfAnotherUser(Case):
    """In a network of their own: names belong to one, and those of other tests are not touched."""

    def held(self, names, *words):
        return self.start(str(own.users()), names, MUSTER, *words,
                          command=("unshare", "-n", PYTHON, "-c", HOLDING)).finish()

    def test_a_job_starts_unbound_and_says_so(self):
        for names in ("cpus", "circles"):
            with self.subTest(names):
                done = self.held(names, "run", "-n", "2", "--bind-to", "core", "echo", "x")
                self.assertEqual((done.code, done.text), (0, "x\nx\n"), done)
                self.assertRegex(done.complaints, r"^muster: ranks on \S+ are not bound: other "
                                 r"jobs of muster are bound to cpus? \S+ there$")

    def test_who_does_not_bind_does_not_care(self):
        for words in (("run", "-n", "2", "echo", "x"),
                      ("mpirun", "-np", "2", "--bind-to", "none", "echo", "x"),
                      ("torchrun", "--nproc-per-node", "2", "--no-python", "echo", "x")):
            done = self.held("cpus", *words)
            self.assertEqual((done.code, done.text), (0, "x\nx\n"), done)
            self.assertNotIn("bound", done.errors)

    def test_a_port_is_found_without_a_name(self):
        """For ranks to meet at; nobody listens there in this test."""
        ports = "echo $MASTER_PORT"
        for words in (("run", "-n", "2", "sh", "-c", ports),
                      ("run", "-n", "2", "--fake-nodes", "2", "sh", "-c", ports),
                      ("mpirun", "-np", "2", "sh", "-c", ports),
                      ("torchrun", "--nproc-per-node", "2", "--no-python", "sh", "-c", ports)):
            with self.subTest(words):
                done = self.held("ports", *words)
                self.assertEqual((done.code, "port" in done.errors), (0, False), done)
                first, second = done.lines
                self.assertEqual(first, second, "ranks meet at one port")
                self.assertGreater(int(first), 65000, "its name is another user's")


if __name__ == "__main__":
    run_tests()
