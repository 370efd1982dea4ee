"""muster in the place of MPICH's mpiexec: the same words, ranks, variables, output and codes."""

# rooms: front pmi plan

import os
import re
import shutil
import subprocess
import unittest

from front_case import FrontCase, LabFrontCase, environment_of
from support import PYTHON, lab_or_skip, run_tests

REASON = lab_or_skip()
MPI4PY = os.path.isdir("/usr/lib/python3/dist-packages/mpi4py")

SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char** words) {
  int rank, size, sum;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (count > 1 && !strcmp(words[1], "abort") && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 7);
  printf("%d of %d: %d\n", rank, size, sum);
  MPI_Finalize();
  return 0;
}
"""

# Where a rank is: its number, its host, its number and company there.
WHERE = ('echo "$PMI_RANK of $PMI_SIZE: ${HOROVOD_HOSTNAME:-$MPIR_CVAR_CH3_INTERFACE_HOSTNAME} '
         '$MPI_LOCALRANKID of $MPI_LOCALNRANKS"')

# What only one of the two gives to ranks, and why.
OURS_ALONE = {  # the words of other frameworks, so that any of them finds its ranks
    "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE",
    "NODE_RANK", "ROLE_RANK", "ROLE_NAME", "ROLE_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}
THEIRS_ALONE = {
    "HYDI_CONTROL_FD",                    # Hydra's own channel to its proxy
    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME"}   # MPICH finds its address itself


class Hydra(FrontCase):
    name = "mpiexec.hydra"


class Words(Hydra):
    def test_a_line_that_makes_no_sense_starts_nothing(self):
        touch = ["touch", self.path("started")]
        for words, pattern in (
                (["-n"], "-n needs a value"), (["-n", "0"], "-n must be"),
                (["-n", "two"], "-n must be"), (["-n", "1", "-np", "1"], "-np is given twice"),
                (["-ppn", "99999999999"], "-ppn must be"), (["-launcher", "ll"], "ssh, rsh, fork"),
                (["-launcher", "lsf"], "inside a LSF job"),
                (["-bind-to", "pci:0"], "PCI addresses"), (["-nn", "2"], "unknown option"),
                (["-hosts", "a", "-f", "b"], "hosts are given"), (["-usize", "big"], "-usize must"),
                (["-rankmap", "0,7", "-hosts", "a"], "host 7"), (["-env", "A"], "two values"),
                (["-configfile", "none"], "cannot open"), (["-f", "none"], "cannot open")):
            whole = words in (["-n"], ["-env", "A"])
            done = self.muster(*words, *([] if whole else touch))
            self.assert_refused(done, 255, pattern)
        self.assertFalse(os.path.exists(self.path("started")))

    def test_help_and_version_are_printed(self):
        for words in (["-help"], ["-h"], ["--HELP"]):
            self.assertIn("-prepend-rank", self.succeeds(*words).text)
        # Horovod and accelerate tell launchers by this text.
        self.assertTrue(self.succeeds("--version").text.startswith("HYDRA build details:"))

    def test_a_file_of_programs(self):
        self.write("programs", "-n 1 -env A 1 sh -c 'echo one $A'  # first\n-n 2 echo two\n")
        done = self.succeeds("-configfile", "programs")
        self.assertEqual(done.lines, ["one 1", "two", "two"])

    def test_a_backslash_at_the_end_of_a_line_continues_it(self):
        """As the standard of MPI has it in its form of such a file; options may come first."""
        show = self.write("show.sh", '#!/bin/sh\nprintf "[%s]" "$@"; echo\n', 0o755)
        for text, lines in (
                (f"# ocean and air\n-n 1 {show} ocean --years 2\n-n 2 {show} air \\\n"
                 f"     --levels 40\n-n 1 {show} last\n",
                 ["[air][--levels][40]", "[air][--levels][40]", "[last]", "[ocean][--years][2]"]),
                (f'-l\n-n 1 {show} ping "20 x" \\\n  tail\n\n-n 1 {show} pong 100\n',
                 ["[0] [ping][20 x][tail]", "[1] [pong][100]"]),
                (f"-n 1 {show} a \\\r\n  b\r\n", ["[a][b]"]),
                (f"-n 1 {show} the end \\", ["[the][end]"])):
            with self.subTest(text):
                self.write("programs", text)
                self.assertEqual(self.succeeds("-configfile", "programs").lines, lines)

    def test_variables_of_the_environment_count(self):
        self.write("hosts", "a:2\nb:1\n")
        env = self.environment(HYDRA_HOST_FILE="hosts", HYDRA_LAUNCHER="fork")
        self.assertEqual(len(self.succeeds("echo", "here", env=env).lines), 3)
        env = self.environment(MPIEXEC_TIMEOUT="1")
        self.assertEqual(self.muster("sleep", self.mark, env=env).code, 255)

    def test_a_slurm_step_for_each_host(self):
        self.write("srun", '#!/bin/sh\necho "$@" >> "$DIR/called"\n'
                   'while [ "$1" != /bin/sh ]; do shift; done\nexec "$@"\n', 0o755)
        env = self.environment(HYDRA_LAUNCHER_EXTRA_ARGS="--account=some")
        done = self.succeeds("-launcher", "slurm", "-launcher-exec", self.path("srun"),
                             "-hosts", "n1,n2:2", "sh", "-c", WHERE, env=env)
        self.assertEqual(done.lines,
                         ["0 of 3: n1 0 of 1", "1 of 3: n2 0 of 2", "2 of 3: n2 1 of 2"])
        calls = sorted(self.read("called").decode().splitlines())
        self.assertEqual(len(calls), 2)
        for host, call in zip(("n1", "n2"), calls):
            self.assertRegex(call, f"^--account=some --nodes=1 --ntasks=1 --nodelist={host} ")

    def test_fake_nodes(self):
        done = self.succeeds("-fake-nodes", "2", "-ppn", "2", "-n", "6", "sh", "-c", WHERE)
        where = {line.split()[3] for line in done.lines}
        self.assertEqual((len(done.lines), where), (6, {"fake-0", "fake-1"}))

    def test_a_dry_run_starts_nothing(self):
        done = self.succeeds("-dry-run", "-hosts", "x:2,y", "-n", "4", "touch",
                             self.path("started"))
        hosts = re.findall(r"(?m)^ +\d+  (\w)", done.text)
        self.assertEqual(hosts, ["x", "x", "y", "x"])
        self.assertFalse(os.path.exists(self.path("started")))


class SideBySide(Hydra):
    """The same words to both; stdout in any order of lines."""

    def both(self, *words, env=None):
        code, out, _ = self.original(*words, env=env, program="mpiexec.mpich")
        done = self.muster(*words, env=env)
        return (code, sorted(out.splitlines())), (done.code, done.lines)

    def same(self, *words, env=None):
        theirs, ours = self.both(*words, env=env)
        self.assertEqual(ours, theirs, words)
        return ours

    def test_where_ranks_are(self):
        self.write("hosts", "# some\none:2\none:1\ntwo user=root\n")
        for words in (["-n", "3"], ["-ppn", "2"], ["-hosts", "x:2,y:1", "-n", "4"],
                      ["-hosts", "x,y,z", "-n", "7"], ["-hosts", "x:2,y:3"],
                      ["-hosts", "x:2,y:1", "-ppn", "3", "-n", "8"],
                      ["-hosts", "x:3,y", "-ppn", "1"],
                      ["-f", "hosts", "-n", "9"], ["--HostFile=hosts"],
                      ["-hosts", "x:3,y:1,z:2", "-order-nodes", "UP", "-n", "5"],
                      ["-hosts", "x:3,y:1,z:2", "-order-nodes", "DOWN", "-n", "5"]):
            with self.subTest(words):
                code, lines = self.same("-launcher", "fork", *words, "sh", "-c", WHERE)
                self.assertEqual(code, 0)
                self.assertTrue(lines)

    def test_a_host_written_again_differs_on_purpose(self):
        """Ranks are on the same hosts, but one host is one node: its ranks share its memory."""
        for words in (["-hosts", "x,y,x"], ["-hosts", "x:2,y,x", "-n", "7"],
                      ["-hosts", "x,y,x", "-ppn", "2"]):
            theirs, ours = self.both("-launcher", "fork", *words, "sh", "-c", WHERE)
            hosts = [[line.rsplit(" ", 3)[0] for line in lines] for _, lines in (theirs, ours)]
            self.assertEqual(hosts[0], hosts[1])
            self.assertNotEqual(theirs, ours)

    def test_programs_beside_each_other(self):
        for words in (["-n", "1", "echo", "a", ":", "-n", "2", "echo", "b"],
                      ["-launcher", "fork", "-hosts", "x:2,y", "echo", "a", ":", "echo", "b"],
                      ["-n", "1", "-wdir", "/", "pwd", ":", "-n", "1", "pwd"],
                      ["-n", "1", "sh", "-c", "echo a$X", ":", "-genv", "X", "3", "-n", "1", "sh",
                       "-c", "echo b$X"]):
            self.same(*words)

    def test_variables(self):
        show = ["sh", "-c", "echo $A-$B-$C"]
        env = self.environment(C="c")
        for words in (["-env", "A", "1", "-genv", "B", "2"], ["-genv", "A=1", "-env", "A=2"],
                      ["-env", "A", "1", "-env", "A", "2"], ["---GENV=B=x y"], ["-genvall"]):
            self.same(*words, "-n", "2", *show, env=env)

    def test_ranks_see_the_same_world(self):
        code, theirs, _ = self.original("-n", "2", "env", program="mpiexec.mpich")
        self.assertEqual(code, 0)
        ours = self.succeeds("-n", "2", "env").text
        theirs, ours = environment_of(theirs), environment_of(ours)
        self.assertEqual(set(theirs) - set(ours), THEIRS_ALONE)
        self.assertLessEqual(OURS_ALONE, set(ours) - set(theirs))
        for name in ("PMI_SIZE", "MPI_LOCALNRANKS", "GFORTRAN_UNBUFFERED_PRECONNECTED", "PATH",
                     "HOME", "DIR"):
            self.assertEqual(ours[name], theirs[name], name)

    def test_none_of_the_environment_differs_on_purpose(self):
        """Hydra's proxy on this machine inherits all of it anyway; muster leaves it behind."""
        env = self.environment(SECRET="1")
        theirs, ours = self.both("-genvnone", "-n", "1", "sh", "-c", "echo $SECRET-$HOME", env=env)
        self.assertEqual(theirs[1], [f"1-{self.folder}"])
        self.assertEqual(ours[1], [f"-{self.folder}"])
        self.assertEqual(self.same("-genvlist", "SECRET", "-n", "1", "sh", "-c", "echo $SECRET",
                                   env=env)[1], ["1"])

    def test_each_program_has_what_it_is_told_of_the_environment(self):
        """On another host, whose own environment has neither variable.

        Hydra 4.0.2 never finds the last one of its environment, which is neither of them here."""
        rsh = self.write("rsh", '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nshift\n'
                                'exec env -i HOME=/account PATH=/usr/bin:/bin sh -c "$*"\n', 0o755)
        env = self.environment(A="1", B="2", LAST="3")
        shows = ("sh", "-c", "echo $0: $A,$B")
        for words in (("-n", "1", "-envnone", *shows, "a", ":", "-n", "1", *shows, "b"),
                      ("-n", "1", *shows, "a", ":", "-n", "1", "-envlist", "A", *shows, "b"),
                      ("-genvnone", "-n", "1", "-envall", *shows, "a", ":", "-n", "1", *shows, "b"),
                      ("-genvlist", "B", "-n", "1", *shows, "a", ":", "-n", "1", "-envlist", "A",
                       *shows, "b", ":", "-n", "1", "-env", "A", "3", *shows, "c")):
            reached = ("-launcher", "ssh", "-launcher-exec", rsh, "-hosts", "node7")
            code, out, _ = self.original(*reached, *words, env=env)
            done = self.muster(*reached, *words, env=env)
            self.assertEqual((done.code, sorted(done.lines)), (code, sorted(out.splitlines())))

    def test_ranks_beyond_reason_differ_on_purpose(self):
        """Hydra takes -n 0 and -n two for no -n at all; muster says that they are wrong."""
        for count in ("0", "two"):
            theirs, ours = self.both("-n", count, "echo", "hi")
            self.assertEqual(theirs, (0, ["hi"]))
            self.assertEqual(ours, (255, []))

    def test_standard_input_goes_to_rank_0(self):
        read = 'test $PMI_RANK = 0 && text=$(cat); echo "$text $PMI_RANK"'
        words = ("-n", "2", "sh", "-c", read)
        code, out, _ = self.original(*words, program="mpiexec.mpich", stdin=b"some text")
        done = self.muster(*words, stdin=b"some text")
        for lines in ((code, sorted(out.splitlines())), (done.code, done.lines)):
            self.assertEqual(lines, (0, [" 1", "some text 0"]))

    def test_hidden_devices(self):
        self.same("-g", "0", "-n", "2", "sh", "-c", "echo $PMI_RANK:$CUDA_VISIBLE_DEVICES")


class Mpi(Hydra):
    def program(self):
        if not shutil.which("mpicc.mpich"):
            self.skipTest("mpicc.mpich is missing: libmpich-dev has it")
        with open(self.path("ranks.c"), "w", encoding="ascii") as file:
            file.write(SOURCE)
        subprocess.run(["mpicc.mpich", self.path("ranks.c"), "-o", self.path("ranks")], check=True)
        return self.path("ranks")

    def test_programs_of_mpich_find_their_world(self):
        program = self.program()
        for words in (["-n", "3"], ["-launcher", "fork", "-hosts", "x:2,y", "-n", "3"],
                      ["-launcher", "fork", "-hosts", "x,y", "-rankmap", "1,0,1"]):
            done = self.succeeds(*words, program)
            self.assertEqual(done.lines, [f"{rank} of 3: 3" for rank in range(3)])
        done = self.succeeds("-n", "1", program, ":", "-n", "2", program)
        self.assertEqual(done.lines, [f"{rank} of 3: 3" for rank in range(3)])

    def test_an_abort_gives_its_code(self):
        self.assertEqual(self.muster("-n", "2", self.program(), "abort").code, 7)


@unittest.skipIf(REASON, REASON)
class TwoHosts(LabFrontCase):
    name = "mpiexec.hydra"

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def test_ranks_are_on_their_hosts(self):
        self.write("hosts", "node1:2\nnode2:1 user=root\n")
        done = self.launches("-f", "hosts", "-n", "4", "-genv", "A", "x y", "sh", "-c",
                             'echo "$PMI_RANK $(hostname) $A"')
        self.assertEqual(done.lines, ["0 node1 x y", "1 node1 x y", "2 node2 x y", "3 node1 x y"])

    def test_the_launcher_may_be_named(self):
        done = self.launches("-launcher-exec", self.lab.ssh_command, "-hosts", "node2", "hostname")
        self.assertEqual(done.out, b"node2\n")

    def test_hosts_here_can_be_skipped(self):
        done = self.launches("-skip-launch-node", "-hosts", "head:2,node1", "-n", "2", "hostname")
        self.assertEqual(done.lines, ["node1", "node1"])

    def test_nothing_of_the_environment_travels(self):
        env = self.environment(SECRET="1")
        done = self.launches("-genvnone", "-hosts", "node1", "env", env=env)
        self.assertNotIn("SECRET", environment_of(done.text))

    @unittest.skipUnless(MPI4PY, "no mpi4py")
    def test_mpi_between_hosts(self):
        done = self.launches("-hosts", "node1,node2", "-n", "3", PYTHON, "-c",
                             "from mpi4py import MPI; w = MPI.COMM_WORLD; "
                             "print(w.rank, w.allreduce(w.rank))")
        self.assertEqual(done.lines, ["0 3", "1 3", "2 3"])


if __name__ == "__main__":
    run_tests()
