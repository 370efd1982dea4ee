"""Causes in words: what happened, where, why, and what to do about it."""

# rooms: process probe link host view

import os
import shutil
import subprocess
import sys
import unittest

import own
from support import (CANNOT_START, MUSTER, PYTHON, UNREACHABLE, Case, LabCase, lab_or_skip,
                     run_tests, until)

REASON = lab_or_skip()
INTERNAL = 247
ROOT = os.geteuid() == 0
MIB = 1 << 20

# Takes as many MiB of memory as it is told, and touches each page.
TAKE = "import sys; kept = [b'x' * (1 << 20) for _ in range(int(sys.argv[1]))]"
# Writes beyond what its file system can hold, through a mapping.
MAP = """
import mmap, sys
size = int(sys.argv[1]) << 20
with open('/dev/shm/mapped', 'wb+') as file:
    file.truncate(size)
    mmap.mmap(file.fileno(), size).write(b'x' * size)
"""
HELLO_MPI = r"""
#include <mpi.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  return MPI_Finalize();
}
"""


def removed(folder):
    """Whether this control group is gone; it cannot be removed while a process is in it."""
    try:
        os.rmdir(folder)
    except OSError:
        return False
    return True


class Programs(Case):
    """A program that is there and cannot be started."""

    def refused(self, content, *patterns):
        self.write("train", content, 0o755)
        done = self.muster("-n", "2", "./train")
        self.assert_refused(done, CANNOT_START, *patterns)
        self.assertNotIn("No such file", done.errors)

    def test_line_ends_of_windows(self):
        for line in ("#!/bin/sh", "#!/usr/bin/env python3"):
            self.refused(f"{line}\r\necho\r\n", f"`{line}\\\\r`", "Windows", "hint: sed -i")

    def test_the_line_that_names_a_missing_interpreter_is_quoted(self):
        self.refused("#!/opt/nowhere/python -u\n", "`#!/opt/nowhere/python -u`", "is not there")
        self.refused("#!/usr/bin/env pythonx\n", "`#!/usr/bin/env pythonx`", "pythonx, .*on PATH")

    def test_a_script_without_its_line(self):
        self.refused("echo hi\n", "no `#!` line", "hint: .*sh ./train")
        self.refused("", "train is empty")

    def test_another_processor(self):
        with open("/bin/true", "rb") as file:
            program = bytearray(file.read())
        machine = {62: "x86_64", 183: "aarch64"}
        own = program[18]
        program[18] = next(number for number in machine if number != own)
        self.refused(bytes(program), f"a program for {machine[program[18]]}, ", "this host is")

    def test_another_c_library(self):
        with open("/bin/true", "rb") as file:
            program = file.read()
        loaders = (b"/lib64/ld-linux-x86-64.so.2", b"/lib/ld-linux-aarch64.so.1")
        loader = next(name for name in loaders if name in program)
        other = loader.replace(b"linux", b"musl0")
        self.refused(program.replace(loader, other), f"needs {other.decode()}, which is not there")

    def test_a_missing_library(self):
        self.write("lib.c", "int f(void) { return 0; }")
        self.write("main.c", "int f(void); int main(void) { return f(); }")
        for words in (["-shared", "-fPIC", "lib.c", "-o", "libgone.so"],
                      ["main.c", "-L.", "-lgone", "-o", "prog"]):
            subprocess.run(["cc", *words], cwd=self.folder, check=True)
        os.unlink(self.path("libgone.so"))
        done = self.muster("-n", "1", "./prog")
        self.assertEqual(done.code, 127, done)
        self.assertRegex(done.errors, r"muster: rank 0 on \S+ exited with code 127 .*libgone\.so")
        self.assertRegex(done.errors, r"hint: the library is missing on \S+")


class Limits(Case):
    """Limits of muster's own: never an uncaught exception, and a word on how to raise them."""

    def limited(self, *words, limit, within=()):
        return self.muster(*words, command=[*within, "prlimit", *limit, MUSTER, "run"])

    def test_descriptors(self):
        for most in range(4, 24):
            done = self.limited("-n", "2", "true", limit=[f"--nofile={most}"])
            with self.subTest(most=most):
                if done.code == 0:
                    continue
                self.assertEqual(done.code, INTERNAL, done)
                self.assertRegex(done.errors, rf"Too many open files \(at most {most}\)|"
                                              rf"into the limit of {most} open files")
                self.assertRegex(done.errors, r"hint: `ulimit -Hn` is")

    def test_descriptors_of_many_ranks(self):
        done = self.limited("-n", "50", "sleep", self.mark, limit=["--nofile=64"])
        self.assertEqual(done.code, INTERNAL, done)
        self.assertRegex(done.errors, r"\d+ of 50 ranks here fit into the limit of 64 open files")
        self.assertIn("hint: `ulimit -Hn` is 64", done.errors)

    @unittest.skipIf(REASON, REASON)
    def test_processes_of_fake_nodes(self):
        os.chmod(self.folder, 0o777)
        # The kernel counts a user's dead processes, too, until somebody waits for them, and the
        # machine's init may take its time. So the user is one that nobody else is, and each run
        # has a process namespace: nothing of it is left when the namespace's init has ended.
        user = str(own.users())
        alone = ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh",
                 "setpriv", "--reuid", user, "--clear-groups"]
        seen = set()
        for most in range(1, 40):
            done = self.limited("--fake-nodes", "2", "-n", "2", "true", within=alone,
                                limit=[f"--nproc={most}"])
            with self.subTest(most=most):
                seen.add(done.code)
                if done.code == 0:
                    break
                self.assertEqual(done.code, INTERNAL, done)
                self.assertRegex(done.errors,
                                 r"error: fake-[01](, fake-1)?: .*no more processes are allowed")
                self.assertRegex(done.errors, rf"hint: `ulimit -u` allows this user {most} ")
        self.assertEqual(seen, {0, INTERNAL}, done)

    @unittest.skipUnless(ROOT, "needs root, to make a control group")
    def test_processes_of_a_control_group(self):
        group = f"/sys/fs/cgroup/pids/muster-{self.mark}"
        try:
            os.mkdir(group)
        except OSError as error:
            print(f"SKIPPED: no control group of processes can be made: {error}", file=sys.stderr)
            self.skipTest("no control group of processes can be made here")
        # An agent that the head kills at once leaves a guard, which takes a moment to see it.
        self.addCleanup(until, "an empty control group", lambda: removed(group))
        with open(f"{group}/pids.max", "w", encoding="ascii") as file:
            file.write("3")
        enter = f'echo $$ > {group}/cgroup.procs && exec "$@"'
        done = self.muster("--fake-nodes", "2", "true",
                           command=["sh", "-c", enter, "sh", MUSTER, "run"])
        self.assertEqual(done.code, INTERNAL, done)
        self.assertIn(f"hint: {group}/pids.max allows 3 processes", done.errors)


@unittest.skipIf(REASON, REASON)
class Hosts(LabCase):
    """Programs that another system's loader and libraries do not take, on a host behind ssh."""

    @classmethod
    def setUpClass(cls):
        cls.lab_of(1)

    def changed(self, program, old, new):
        """A copy in which the first of these words is another of the same length."""
        self.assertEqual(len(old), len(new))
        with open(program, "rb") as file:
            content = file.read()
        self.assertIn(old, content)
        return self.write("changed", content.replace(old, new, 1), 0o755)

    def small_program(self):
        """One that needs the system's loader and libraries, as muster itself does not."""
        self.write("main.c", "#include <stdio.h>\nint main(void) { return puts(\"x\") < 0; }")
        subprocess.run(["cc", "main.c", "-o", "prog"], cwd=self.folder, check=True)
        return self.path("prog")

    def test_an_agent_that_the_host_cannot_load(self):
        """A muster that somebody has built with shared libraries."""
        loader = b"/lib64/ld-linux-x86-64.so.2"
        program = self.small_program()
        for old, new, words in (
                (b"libc.so.6", b"libc.so.9", r"its system cannot load muster \(.*libc\.so\.9"),
                (b"GLIBC_2.34", b"GLIBC_9.34", r"its system cannot load muster \(.*GLIBC_9\.34"),
                (loader, loader.replace(b"linux", b"musl0"), r"lacks its loader|another kind of")):
            with self.subTest(new=new):
                agent = self.changed(program, old, new)
                done = self.launch("-H", "node1", "--agent-path", agent, "true")
                self.assert_refused(done, UNREACHABLE, r"error: node1: ", words)

    def test_a_program_that_the_host_cannot_load(self):
        program = self.changed(self.small_program(), b"GLIBC_2.34", b"GLIBC_9.34")
        done = self.launch("-H", "node1:2", program)
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"muster: rank \d on node1 exited with code 1 .*GLIBC_9\.34")
        self.assertRegex(done.errors, r"hint: node1 has older system libraries")

    def test_a_script_that_the_host_cannot_start(self):
        script = self.write("script", "#!/usr/bin/nowhere\n", 0o755)
        done = self.launch("-H", "head:1,node1:1", script)
        self.assert_refused(done, CANNOT_START, "`#!/usr/bin/nowhere`",
                            r"error: (head, node1|head|node1): the first line of ")


class Carriers(Case):
    def test_a_command_that_takes_hosts_for_files(self):
        done = self.muster("--ssh-command", "cat", "-H", "nohost", "true")
        self.assert_refused(done, UNREACHABLE, "nohost: cat takes the host's name for a file",
                            "hint: --ssh-command names")

    def test_a_command_that_echoes_what_it_hears(self):
        self.write("echoes", "#!/bin/sh\nexec cat\n", 0o755)
        done = self.muster("--ssh-command", "./echoes", "--start-timeout", "1", "-H", "nohost",
                           "true")
        self.assert_refused(done, UNREACHABLE, "nohost: no answer within 1 s",
                            r"does `./echoes nohost true` return by itself\?")


def memory_group(name):
    """The folder of a new control group with a limit of 64 MiB; None where none can be made."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        lines = [line.rstrip("\n").split(":", 2) for line in file]
    for _, controllers, path in lines:
        if controllers not in ("", "memory"):
            continue
        folder = f"/sys/fs/cgroup/{controllers}{path.rstrip('/')}/{name}"
        limit = "memory.limit_in_bytes" if controllers else "memory.max"
        try:
            os.mkdir(folder)
        except OSError:
            continue
        try:
            with open(f"{folder}/{limit}", "w", encoding="ascii") as file:
                file.write(str(64 * MIB))
            return folder
        except OSError:
            os.rmdir(folder)
    return None


class OutOfMemory(Case):
    def setUp(self):
        super().setUp()
        self.group = memory_group(f"muster-{self.mark}")
        if self.group is None:
            print("SKIPPED: no memory control group can be made here", file=sys.stderr)
            self.skipTest("no memory control group can be made here")
        self.addCleanup(until, "an empty control group", lambda: removed(self.group))

    def confined(self, *words):
        enter = f'echo $$ > {self.group}/cgroup.procs && exec "$@"'
        return self.muster(*words, command=["sh", "-c", enter, "sh", MUSTER, "run"])

    def assert_told(self, done, code):
        self.assertEqual(done.code, code, done)
        self.assertRegex(done.errors,
                         r"1 process of this job was killed this way on \S+: control group "
                                      rf"{self.group} may use 64 MiB; ")

    def test_the_limit_of_the_group_is_named(self):
        done = self.confined("-n", "1", PYTHON, "-S", "-c", TAKE, "200")
        self.assert_told(done, 137)
        self.assertRegex(done.errors, r"^muster: rank 0 on \S+ was killed by signal 9 \(SIGKILL\): "
                                      r"the kernel's out-of-memory killer killed it \(pid")

    def test_what_a_shell_hands_on(self):
        done = self.confined("-n", "1", "sh", "-c", f'{PYTHON} -S -c "$0" 200; exit $?', TAKE)
        self.assert_told(done, 137)
        done = self.confined("-n", "1", "sh", "-c", f'{PYTHON} -S -c "$0" 200; exit 3', TAKE)
        self.assert_told(done, 3)

    def test_a_person_is_not_taken_for_the_kernel(self):
        for start in (self.confined, self.muster):
            done = start("-n", "1", "sh", "-c", "kill -KILL $$")
            self.assertEqual(done.code, 137, done)
            self.assertIn("sent by some process, perhaps by the rank itself, not by the kernel's "
                          "out-of-memory killer", done.errors)


@unittest.skipUnless(ROOT, "needs root, to mount file systems of its own")
class FileSystems(Case):
    """In a mount namespace where `place` is a file system with these options."""

    def mounted(self, place, options, *words, command=(MUSTER, "run"), **more):
        os.makedirs(place, exist_ok=True)
        script = f'mount -t tmpfs -o {options} tmpfs {place} && exec "$@"'
        return self.muster(*words, command=["unshare", "-m", "sh", "-c", script, "sh", *command],
                           **more)

    def mpi(self, library):
        compiler = shutil.which(f"mpicc.{library}")
        if not compiler:
            self.skipTest(f"mpicc.{library} is missing")
        source = self.write("hello.c", HELLO_MPI)
        subprocess.run([compiler, source, "-o", self.path(library)], check=True)
        return self.path(library)

    def test_mpi_is_warned_of_a_small_one(self):
        program = self.mpi("mpich")
        done = self.mounted("/dev/shm", "size=4m", "-n", "4", program)
        self.assertNotEqual(done.code, 0, done)
        self.assertRegex(done.errors, r"(?m)^muster: warning: /dev/shm of \S+ has 4 MiB, . of them "
                                      r"free: its 4 MPI ranks need about 17 MiB there; ")
        self.assertRegex(done.errors, r"hint: /dev/shm on \S+ has 4 MiB")
        done = self.mounted("/dev/shm", "size=64m", "-n", "4", program)
        self.assertEqual(done.code, 0, done)
        self.assertNotIn("/dev/shm", done.errors)
        done = self.mounted("/dev/shm", "size=4m", "-n", "4", "true")
        self.assertNotIn("/dev/shm", done.errors, "no MPI program")

    def test_a_read_only_one_is_named(self):
        done = self.mounted("/dev/shm", "ro", "-n", "2", self.mpi("openmpi"))
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertRegex(done.errors, r"cannot make /dev/shm/muster-\w+: Read-only file system")
        self.assertRegex(done.errors, r"hint: MPI ranks share memory there")

    def test_a_bus_error_is_explained(self):
        done = self.mounted("/dev/shm", "size=1m", "-n", "1", PYTHON, "-S", "-c", MAP, "8")
        self.assertEqual(done.code, 135, done)
        self.assertRegex(done.errors, r"hint: /dev/shm on \S+ has 1 MiB, \d of them free now: ")

    def test_data_loaders_are_warned_of_what_containers_get(self):
        command = (MUSTER, "torchrun", "--no-python", "--nproc-per-node", "1")
        done = self.mounted("/dev/shm", "size=64m", "true", command=command)
        self.assertEqual(done.code, 0, done)
        self.assertRegex(done.errors, r"^muster: warning: /dev/shm of \S+ has 64 MiB, 64 of them "
                                      r"free: little for data loaders and NCCL")
        done = self.mounted("/dev/shm", "size=1g", "true", command=command)
        self.assertEqual((done.code, done.err), (0, b""), done)

    def test_a_read_only_home_is_told_once(self):
        home = self.path("home")
        env = self.environment(HOME=home)
        told = r"^muster: cannot keep a record in \S+: Read-only file system(; .*)?\n$"
        done = self.mounted(home, "ro", "echo", "x", env=env)
        self.assertEqual((done.code, done.out), (0, b"x\n"), done)
        self.assertRegex(done.errors, told)
        self.write("job.yml", "command: echo x\n")
        done = self.mounted(home, "ro", "job.yml", command=(MUSTER, "submit"), env=env)
        self.assertEqual((done.code, done.out), (0, b"x\n"), done)
        self.assertRegex(done.errors, told.split("(")[0])
        self.assertEqual(done.errors.count("cannot keep a record"), 1)


if __name__ == "__main__":
    run_tests()
