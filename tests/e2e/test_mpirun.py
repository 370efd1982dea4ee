"""The command lines that people bring from Open MPI's mpirun, run for real."""

# rooms: front plan head

import json
import os
import re
import subprocess
import unittest

from support import MUSTER, PYTHON, ROOT, Case, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()
MPIRUN = (MUSTER, "mpirun")

NET = """
import os, sys
print('epoch of rank', os.environ['OMPI_COMM_WORLD_RANK'], 'of', os.environ['OMPI_COMM_WORLD_SIZE'])
print('a warning', file=sys.stderr)
"""


class Mpirun(Case):
    def link(self, name="mpirun"):
        path = self.path(name)
        if not os.path.lexists(path):
            os.symlink(MUSTER, path)
        return (path,)

    def mpirun(self, *words, **more):
        """Through `muster mpirun` and through a link: both must do the same."""
        first = self.muster(*words, command=MPIRUN, **more)
        second = self.muster(*words, command=self.link(), **more)
        self.assertEqual((first.code, first.lines), (second.code, second.lines),
                         f"{first}\n{second}")
        return second

    def test_mindspore_on_one_machine(self):
        self.write("net.py", NET)
        done = self.mpirun("-n", "8", "--output-filename", "log_output",
                           "--merge-stderr-to-stdout", PYTHON, "net.py")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.lines, [f"epoch of rank {rank} of 8" for rank in range(8)])
        for rank in range(8):
            text = self.read("log_output", "1", f"rank.{rank}", "stdout").decode()
            self.assertIn(f"epoch of rank {rank} of 8\n", text)

    def test_unbound_ranks_with_variables_and_parameters(self):
        done = self.mpirun("-np", "4", "-H", "localhost:2,127.0.0.1:2",
                           "-x", "MASTER_ADDR=10.1.2.3", "-x", "MASTER_PORT=1234", "-x", "PATH",
                           "-bind-to", "none", "-map-by", "slot", "-mca", "pml", "ob1",
                           "-mca", "btl", "^openib", "sh", "-c",
                           "echo $MASTER_ADDR $MASTER_PORT $OMPI_MCA_pml $OMPI_MCA_btl")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.lines, ["10.1.2.3 1234 ob1 ^openib"] * 4)
        self.assertEqual(done.err, b"", done)

    def test_a_hostfile_named_by_a_variable_and_root(self):
        self.write("hosts", "localhost slots=16\n")
        done = self.mpirun("-np", "16", "--allow-run-as-root", "--hostfile", self.path("hosts"),
                           "-bind-to", "none", "-map-by", "slot", "-x", "NCCL_DEBUG=INFO",
                           "sh", "-c", "echo $NCCL_DEBUG")
        self.assertEqual((done.code, done.lines), (0, ["INFO"] * 16), done)

    def test_ranks_for_each_node_of_a_job_whatever_stands_first(self):
        """A mapping does not undo how many a node gets, wherever it is written."""
        show = "sh -c 'echo $OMPI_COMM_WORLD_RANK $OMPI_COMM_WORLD_LOCAL_RANK of " \
               "$OMPI_COMM_WORLD_LOCAL_SIZE'"
        for words in ("-N 1 -np 2 --map-by slot", "--map-by slot -N 1 -np 2"):
            self.write("job.yml", f"muster: 1\ncommand: |\n  mpirun {words} {show}\n"
                       "distribution: {type: mpi, node_count: 2, process_count_per_node: 2}\n")
            done = self.start("submit", "job.yml", "--fake-nodes", "2", command=(MUSTER,)).finish()
            self.assertEqual((done.code, sorted(done.lines)), (0, ["0 0 of 1", "1 0 of 1"]), done)

    def test_a_parameter_against_aborting(self):
        done = self.mpirun("-n", "2", "-mca", "orte_abort_on_non_zero_status", "0", "true")
        self.assertEqual(done.code, 0, done)

    def test_a_program_of_the_working_folder_needs_no_dot(self):
        path = self.write("hello", "#!/bin/sh\necho hello from $PWD\n")
        os.chmod(path, 0o755)
        done = self.mpirun("-n", "2", "hello")
        self.assertEqual((done.code, done.lines), (0, [f"hello from {self.folder}"] * 2), done)

    def test_the_first_rank_reads_standard_input(self):
        done = self.mpirun("-n", "2", "sh", "-c", "sed s/^/$OMPI_COMM_WORLD_RANK:/",
                           stdin=b"one\ntwo\n")
        self.assertEqual((done.code, done.lines), (0, ["0:one", "0:two"]), done)

    def test_several_programs(self):
        done = self.mpirun("-n", "1", "-x", "WHO=first", "sh", "-c", "echo $WHO $RANK", ":",
                           "-n", "2", "-wdir", "/", "sh", "-c", "echo $PWD $RANK")
        self.assertEqual((done.code, done.lines), (0, ["/ 1", "/ 2", "first 0"]), done)
        self.write("apps", "-n 1 echo a # first\n-n 2 echo b\n")
        done = self.mpirun("--app", "apps")
        self.assertEqual((done.code, done.lines), (0, ["a", "b", "b"]), done)

    def test_exit_codes(self):
        for words, code in ((("-n", "2", "sh", "-c", "exit 3"), 3),
                            (("-n", "2", "sh", "-c", "kill -SEGV $$"), 139),
                            (("-n", "2", "--no-such-option", "true"), 1),
                            (("-n",), 1),
                            ((), 1),
                            (("-n", "3", "-H", "localhost:2", "true"), 1),
                            (("-n", "3", "-nooversubscribe", "-H", "localhost:2", "true"), 1),
                            (("-n", "3", "-oversubscribe", "-H", "localhost:2", "true"), 0)):
            self.assertEqual(self.mpirun(*words).code, code, words)

    def test_many_short_ranks_never_hang(self):
        for ranks in ("64", "1000"):
            done = self.muster("-n", ranks, "--oversubscribe", "/bin/true", command=self.link())
            self.assertEqual(done.code, 0, done)

    def test_every_name_of_it(self):
        for name in ("mpirun", "mpiexec", "orterun", "prterun", "mpirun.openmpi",
                     "mpiexec.openmpi"):
            done = self.muster("--version", command=self.link(name))
            what = "OpenRTE" if name.endswith(".openmpi") else "Open MPI"
            self.assertTrue(done.text.startswith(f"{name} ({what}) 4.1.4\n"), done)

    def test_a_map_without_a_launch(self):
        done = self.muster("-H", "no-such-host:2,other:1", "--do-not-launch", "--display-map",
                           "true", command=MPIRUN)
        self.assertEqual(done.code, 0, done)
        self.assertIn(" Data for node: no-such-host\tNum slots: 2\tMax slots: 0\tNum procs: 2\n",
                      done.text)

    def test_a_rankfile_alone_is_the_list_of_hosts(self):
        """And says how many ranks there are."""
        hosts = ["far-b", "far-a", "far-d", "far-c"]
        self.write("ranks", "".join(f"rank {rank}={host} slot=0\n"
                                    for rank, host in enumerate(hosts)))
        for words, expected in (((), hosts), (("-np", "2"), hosts[:2])):
            done = self.muster("--rankfile", "ranks", *words, "--do-not-launch", "--display-map",
                               "hostname", command=MPIRUN)
            self.assertEqual(done.code, 0, done)
            found = re.findall(r"Data for node: (\S+)\t.*Num procs: 1\n"
                               r" \tProcess OMPI jobid: \S+ App: 0 Process rank: (\d+) ", done.text)
            self.assertEqual(found, [(host, str(rank)) for rank, host in enumerate(expected)], done)
            self.assertEqual(done.text.count("Process rank:"), len(expected), done)

    def test_notices_are_one_line_each(self):
        done = self.mpirun("-n", "1", "--report-uri", "-", "-x", "NO_SUCH_VARIABLE", "true")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(len(done.errors.splitlines()), 2, done)
        self.assertEqual(self.mpirun("-q", "-n", "1", "--report-uri", "-", "true").err, b"")

    def test_the_line_goes_before_variables(self):
        show = ("-np", "1", "sh", "-c", "echo $OMPI_MCA_btl $OMPI_COMM_WORLD_RANK")
        env = self.environment(OMPI_MCA_btl="vader", OMPI_COMM_WORLD_RANK="7")
        for words, told in (((), "vader 0"), (("-mca", "btl", "self"), "self 0")):
            done = self.muster(*words, *show, command=self.link(), env=env)
            self.assertEqual((done.code, done.text, done.errors), (0, told + "\n", ""), words)

    def test_a_word_of_another_launcher_is_told_with_ours(self):
        for word in ("-genv", "-env"):
            done = self.mpirun(word, "A", "1", "-np", "1", "true")
            self.assert_refused(done, 1, f"unknown option '{word}'",
                                "mpirun calls it -x NAME=VALUE")

    @unittest.skipUnless(os.path.exists("/usr/bin/mpirun.openmpi"), "there is no Open MPI here")
    def test_a_real_mpi_program_finds_its_world(self):
        code = "from mpi4py import MPI; c = MPI.COMM_WORLD; print(c.allreduce(c.rank), c.size)"
        if subprocess.call([PYTHON, "-c", "import mpi4py"], stderr=subprocess.DEVNULL) != 0:
            self.skipTest("there is no mpi4py here")
        done = self.muster("-n", "4", "-mca", "btl", "self,tcp", "-mca", "pml", "ob1", PYTHON, "-c",
                           code, command=self.link())
        self.assertEqual((done.code, done.lines), (0, ["6 4"] * 4), done)


@unittest.skipIf(REASON, REASON)
class Orders(Case):
    """Options of placement in every order, against what Open MPI 4.1.4 itself makes of them."""

    RECORDED = os.path.join(ROOT, "tests", "data", "launchers", "open_mpi_orders.txt")
    # What 4.1.4 does there, and why it is not done here.
    OTHERWISE = {
        # It checks its pattern only where nothing else is said, and so puts more ranks on the last
        # host than each was to have.
        ("too many", re.compile(r"-np 4 .*(-N 1|-pernode)")),
        # Beside the parameter, it takes the mapping of one and the numbering of the other.
        ("of two minds", re.compile(r"-np 4 (?=.*policy)(?=.*--map-by (node|ppr:2))")),
        # The hardware of such hosts is asked for, and these are none.
        ("hardware", re.compile("core|socket|PE=")),
    }

    def layout(self, words):
        done = self.muster("--hostfile", "hosts", *words, "--bind-to", "none", "--do-not-launch",
                           "--display-map", "hostname", command=MPIRUN)
        if done.code != 0:
            return None
        ranks, node = {}, None
        for line in done.text.splitlines():
            if found := re.search(r"Data for node: (\S+)", line):
                node = found[1]
            if found := re.search(r"Process rank: (\d+)", line):
                ranks[int(found[1])] = node
        return " ".join(ranks[rank] for rank in sorted(ranks))

    def test_are_those_of_open_mpi(self):
        self.write("hosts", "n1 slots=4\nn2 slots=4\n")
        compared = 0
        with open(self.RECORDED, encoding="utf-8") as file:
            recorded = [line.rstrip("\n").rsplit(": ", 1) for line in file if line[0] != "#"]
        for words, told in recorded:
            if not told.startswith("n") or any(why[1].search(words) for why in self.OTHERWISE):
                continue
            compared += 1
            with self.subTest(words=words):
                self.assertEqual(self.layout(words.split()), told)
        self.assertGreater(compared, 200)

    def test_more_than_the_pattern_holds_is_refused(self):
        self.write("hosts", "n1 slots=4\nn2 slots=4\n")
        for words in ("-N 1", "-pernode", "--map-by slot -N 1", "-N 1 --map-by node",
                      "--map-by ppr:1:node"):
            with self.subTest(words=words):
                self.assertIsNone(self.layout(["-np", "4", *words.split()]))


class OnTwoHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def test_sixteen_ranks_on_two_hosts(self):
        self.write("hosts", "node1 slots=8\nnode2 slots=8\n")
        agent = ("-mca", "plm_rsh_agent", self.lab.ssh_command)
        for where in (("-H", "node1:8,node2:8"), ("--hostfile", "hosts")):
            done = self.launches("-n", "16", *where, *agent, "sh", "-c",
                                 "echo $OMPI_COMM_WORLD_RANK on $(hostname)", command=MPIRUN)
            expected = sorted(f"{rank} on node{1 + rank // 8}" for rank in range(16))
            self.assertEqual(done.lines, expected, done)

    def on_hosts(self, *words):
        """What each rank prints: its number, its host and the cpus that it may run on."""
        tell = ("import os, socket; print(os.environ['OMPI_COMM_WORLD_RANK'], "
                "socket.gethostname(), sorted(os.sched_getaffinity(0)))")
        done = self.launches("-mca", "plm_rsh_agent", self.lab.ssh_command, *words, PYTHON, "-c",
                             tell, command=MPIRUN)
        self.assertEqual(done.code, 0, done)
        return [line.split(" ", 2) for line in done.lines]

    def test_hosts_are_asked_how_many_cores_they_have(self):
        self.write("bare", "node1\nnode2\n")
        cores = os.cpu_count()
        for words in (["--hostfile", "bare"], ["-H", "node1:*,node2:auto"]):
            ranks = self.on_hosts(*words)
            self.assertEqual([(int(rank), host) for rank, host, _ in ranks],
                             [(rank, f"node{1 + rank // cores}") for rank in range(2 * cores)])

    def test_ranks_are_bound_by_the_topology_of_their_hosts(self):
        cpus = sorted(os.sched_getaffinity(0))
        each = self.on_hosts("-H", "node1:2,node2:2", "--map-by", "ppr:1:core", "--bind-to", "core")
        for host in ("node1", "node2"):
            bound = [json.loads(set_of) for _, at, set_of in each if at == host]
            self.assertEqual(sorted(sum(bound, [])), cpus, each)
        spread = self.on_hosts("-H", "node1:2,node2:2", "-n", "4", "--map-by", "node",
                               "--bind-to", "hwthread", "--rank-by", "slot")
        self.assertEqual([host for _, host, _ in spread], ["node1", "node1", "node2", "node2"])
        self.assertTrue(all(len(json.loads(set_of)) == 1 for _, _, set_of in spread), spread)

    def test_an_unreachable_host_is_named_while_it_is_asked(self):
        done = self.launch("-mca", "plm_rsh_agent", self.lab.ssh_command, "-H", "node1,nosuch",
                           "--bind-to", "core", "true", command=MPIRUN)
        self.assertNotEqual(done.code, 0, done)
        self.assertIn("nosuch", done.errors)
        self.assertEqual(len([line for line in done.errors.splitlines() if "error" in line]), 1,
                         done)


if __name__ == "__main__":
    run_tests()
