"""Causes in words: what happened, where, why, and what to do about it."""

import os
import subprocess
import unittest

from support import CANNOT_START, MUSTER, UNREACHABLE, Case, run_tests

INTERNAL = 247


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

    def limited(self, *words, limit, user=False):
        command = ["prlimit", *limit]
        if user:
            command = ["setpriv", "--reuid", "54321", "--clear-groups", *command]
        return self.muster(*words, command=[*command, MUSTER, "run"])

    def test_descriptors(self):
        for most in range(4, 24):
            done = self.limited("-n", "2", "true", limit=[f"--nofile={most}"])
            with self.subTest(most=most):
                if done.code == 0:
                    continue
                self.assertEqual(done.code, INTERNAL, done)
                self.assertRegex(done.errors, rf"Too many open files \(at most {most}\)")
                self.assertRegex(done.errors, r"hint: `ulimit -Hn` is")

    def test_descriptors_of_many_ranks(self):
        done = self.limited("-n", "50", "sleep", self.mark, limit=["--nofile=64"])
        self.assertEqual(done.code, INTERNAL, done)
        self.assertRegex(done.errors, r"rank \d+ could not be started: .*Too many open files")
        self.assertIn("hint: `ulimit -Hn` is 64", done.errors)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be another user")
    def test_processes_of_fake_nodes(self):
        os.chmod(self.folder, 0o777)
        seen = set()
        for most in range(1, 12):
            done = self.limited("--fake-nodes", "2", "-n", "2", "true", user=True,
                                limit=[f"--nproc={most}"])
            with self.subTest(most=most):
                seen.add(done.code)
                if done.code == 0:
                    break
                self.assertEqual(done.code, INTERNAL, done)
                self.assertRegex(done.errors, r"error: fake-\d: .*no more processes are allowed")
                self.assertRegex(done.errors, rf"hint: `ulimit -u` allows this user {most} ")
        self.assertEqual(seen, {0, INTERNAL})


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
                            r"does `./echoes nohost true` end by itself\?")


if __name__ == "__main__":
    run_tests()
