"""Where ranks' memory comes from: what the kernel says of each rank, and what a refusal looks like.

A kernel that refuses is made by a filter of system calls (seccomp), such as containers have.
"""

# rooms: front plan host process probe

import os
import unittest

from support import CANNOT_START, MUSTER, PYTHON, USAGE, Case, run_tests

# The policy of the process itself stands at every mapping that has none of its own.
TELL = r"sed -n '1s/^[^ ]* \([^ ]*\).*/\1/p' /proc/self/numa_maps"
POLICIES = {"none": "default", "local": "local", "interleave": "interleave:0",
            "interleave:0": "interleave:0", "bind:0": "bind:0"}
MPIRUN = [MUSTER, "mpirun"]
HYDRA = [MUSTER, "mpiexec.hydra"]

# Forbids set_mempolicy to itself and to all that it becomes: x86-64's and arm64's number of it.
REFUSED = r"""
import ctypes, os, platform, struct, sys
number = {"x86_64": 238, "aarch64": 237}[platform.machine()]
LOAD, EQUAL, RETURN, ALLOW, REFUSE = 0x20, 0x15, 0x06, 0x7fff0000, 0x00050001
code = b"".join(struct.pack("HBBI", *one) for one in (
    (LOAD, 0, 0, 0), (EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)))
held = ctypes.create_string_buffer(code)
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
program = Program(4, ctypes.addressof(held))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


def numa_nodes():
    try:
        with open("/sys/devices/system/node/has_memory", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


@unittest.skipIf(numa_nodes() != "0" or not os.path.exists("/proc/self/numa_maps"),
                 "written for a machine with one NUMA node, and a kernel that knows of it")
class MemoryBinding(Case):
    def told(self, *words, **more):
        done = self.succeeds(*words, "sh", "-c", TELL, **more)
        return done.lines, done

    def test_each_rank_gets_the_policy(self):
        for wish, policy in POLICIES.items():
            for place in ((), ("--fake-nodes", "2")):
                with self.subTest(wish=wish, place=place):
                    lines, done = self.told("-n", "2", *place, "--mem-bind", wish)
                    self.assertEqual(lines, [policy] * 2, done)

    def test_a_bound_ranks_memory_is_bound_too(self):
        lines, done = self.told("-n", "1", "--bind-to", "core", "--mem-bind", "bind:0")
        self.assertEqual(lines, ["bind:0"], done)

    def test_ranks_that_are_started_again_have_it_again(self):
        program = f'{TELL}; [ "$MUSTER_RESTART_COUNT" = 1 ]'
        done = self.succeeds("-n", "1", "--max-restarts", "1", "--mem-bind", "bind:0", "sh", "-c",
                             program)
        self.assertEqual(done.lines, ["bind:0"] * 2, done)

    def test_one_numa_node_is_told_of_once(self):
        _, done = self.told("-n", "2", "--fake-nodes", "2", "--mem-bind", "interleave")
        self.assertEqual(done.complaints, "muster: binding memory changes nothing on fake-0 and 1 "
                                          "more host: there is one NUMA node\n", done)

    def test_a_dry_run_shows_it(self):
        done = self.succeeds("-n", "1", "--mem-bind", "interleave", "--dry-run", "true")
        self.assertIn("from all NUMA nodes of its host, page by page in turn", done.text)
        self.assertIn("notice: binding memory changes nothing on", done.text)
        done = self.succeeds("-n", "1", "-H", "far:1", "--mem-bind", "bind:3", "--dry-run", "true")
        self.assertIn("from NUMA node 3, and from no other", done.text)

    def test_a_node_that_is_not_there(self):
        for place in ((), ("--fake-nodes", "2")):
            done = self.muster("-n", "1", *place, "--mem-bind", "bind:0,5", "true")
            self.assert_refused(done, USAGE, "there is no memory for this job on NUMA node 5, only "
                                             "on 0")

    def test_the_words_of_mpirun(self):
        parameter = "hwloc_base_mem_alloc_policy"
        lines, done = self.told("-n", "1", "-mca", parameter, "local_only", command=MPIRUN)
        self.assertEqual(lines, ["bind:0"], done)
        lines, done = self.told("-n", "1", "-mca", parameter, "none", command=MPIRUN)
        self.assertEqual(lines, ["default"], done)
        lines, done = self.told("-n", "1", "--mem-bind", "local", command=MPIRUN)
        self.assertEqual(lines, ["local"], done)

    def test_the_words_of_hydra(self):
        policies = {"none": "default", "firsttouch": "local", "nexttouch": "default",
                    "bind:0": "bind:0", "bind:": "bind:0", "interleave:0": "interleave:0"}
        for wish, policy in policies.items():
            with self.subTest(wish):
                lines, done = self.told("-n", "1", "-membind", wish, command=HYDRA)
                self.assertEqual(lines, [policy], done)


@unittest.skipIf(numa_nodes() == "", "a kernel without NUMA")
class RefusingKernel(Case):
    """As in a container whose rules forbid set_mempolicy."""

    def refused(self, *command):
        return [PYTHON, "-c", REFUSED, *command]

    def test_nothing_starts_and_a_hint_says_what_helps(self):
        for place in ((), ("--fake-nodes", "2")):
            done = self.muster("-n", "1", *place, "--mem-bind", "local", "true",
                               command=self.refused(MUSTER, "run"))
            self.assert_refused(done, CANNOT_START, "if-supported",
                                r"memory cannot be bound: the kernel refuses it "
                                r"\(Operation not permitted\)")

    def test_if_supported_runs_without_and_says_so(self):
        done = self.succeeds("-n", "2", "--fake-nodes", "2", "--mem-bind", "local:if-supported",
                             "echo", "ran", command=self.refused(MUSTER, "run"))
        self.assertEqual(done.lines, ["ran"] * 2, done)
        self.assertIn("muster: fake-0, fake-1: memory is not bound there: the kernel refuses it "
                      "(Operation not permitted)\n", done.complaints)

    def test_a_dry_run_foresees_it(self):
        said = "refuses to bind memory (Operation not permitted): "
        for how, then in (("", "the job would not start"),
                          (":if-supported", "ranks here would run without")):
            done = self.succeeds("-n", "1", "--mem-bind", "local" + how, "--dry-run", "true",
                                 command=self.refused(MUSTER, "run"))
            self.assertIn(said + then, done.text)

    def test_a_job_that_binds_no_memory_does_not_care(self):
        done = self.succeeds("-n", "1", "echo", "ran", command=self.refused(MUSTER, "run"))
        self.assertEqual((done.lines, done.complaints), (["ran"], ""), done)

    def test_mpirun_does_as_its_parameter_says(self):
        policy = ["-mca", "hwloc_base_mem_alloc_policy", "local_only"]
        action = ["-mca", "hwloc_base_mem_bind_failure_action"]
        mpirun = self.refused(*MPIRUN)
        said = "memory is not bound there"
        done = self.succeeds("-n", "1", *policy, "echo", "ran", command=mpirun)
        self.assertIn(said, done.complaints)
        done = self.succeeds("-n", "1", *policy, *action, "silent", "echo", "ran", command=mpirun)
        self.assertNotIn(said, done.complaints)
        done = self.muster("-n", "1", *action, "error", *policy, "echo", "ran", command=mpirun)
        self.assertNotEqual(done.code, 0, done)
        self.assertIn("memory cannot be bound", done.errors)


if __name__ == "__main__":
    run_tests()
