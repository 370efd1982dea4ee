"""Open MPI 5's own mpirun and ours, on a host that runs Debian 13: the same maps, and parameters
that come to the same in ranks, under the names of 4.1 and of 5.

Where the two versions differ, ours does what 4.1 does: test_mpirun_side_by_side compares with that.
"""

# rooms: front plan spec
# needs: debian13
# busy

import re
import shlex
import unittest

import test_mpirun_side_by_side as older
from lab import LOCAL  # which support has put on the path
from mpi_programs import SOURCES
from support import MUSTER, LabCase, run_tests
from test_debian13 import DEBIAN13, REASON

RANKFILE = "rank 0=a slot=0\nrank 1=a slot=1\nrank 2=b slot=0\n"

# Words that 5 has got, or still knows; the older table is asked, too.
LINES = [
    "-H a:4,b:4 -N 2", "-H a:4,b:4 -npernode 2", "-H a:4,b:4 --npernode 1", "-H a:4,b:4 -pernode",
    "-H a:4,b:4 --ppr 2:node", "-H a:4,b:4 -ppr 1:node -n 2", "-H a:2,b:2 --byslot -n 3",
    "-H a:2,b:2 -bynode -n 3", "-H a:2,b:2 --prtemca rmaps_default_mapping_policy node -n 3",
    "-H a:2,b:2 -N 1 -n 2", "-H a:2,b:2 -N 1 -n 3", "-H a:2,b:2 -c 3", "-H a:2,b:2 --np 3",
    "-H a:2,b:2 --n 3", "--host a:2,b:2 -n 3", "-machinefile three -N 1", "-H a:2,b:2 -n 5",
    "-H a:2,b:2 --rank-by slot --map-by node -n 4 -bind-to none",
    "-H a:2,b:2 --rank-by node --map-by slot -n 4 -bind-to none",
    "-H a:2,b:2 --rank-by fill --map-by slot -n 4", "-H a:2,b:2 --rank-by span --map-by node -n 4",
    "-H a:2,b:2 --map-by slot:span -n 3", "-H a:2,b:2 --map-by node:NOLOCAL",
    "-H localhost:2,b:2 --map-by slot:NOLOCAL", "-H a:2,b:2 -n 2 --display-allocation",
    "-H a:4 --cpus-per-proc 1 -n 2", "-H a:4 --map-by slot:PE=1 -n 2", "--hostfile three -n 6 -N 2",
    "--hostfile three --map-by node -n 5", "-H a:4,b:4 --rankfile ranks -n 3",
    "-H a:4,b:4 --map-by rankfile:FILE=ranks -n 3", "-H a:4,b:4 -rf ranks",
    "-H a:2,b:2 -mca rmaps_base_mapping_policy node", "--default-hostfile three -n 3",
    "-H a:2,b:2 -mca rmaps_base_oversubscribe 1 -n 6",
    "-H a:2,b:2 -mca rmaps_default_mapping_policy node -n 3", "-H a:2,b:2 -oversubscribe -n 5",
    "-H a:4,b:4 -npersocket 1", "-H a:4,b:4 --map-by ppr:1:package",
    "-H a:2,b:2 --map-by core -n 3 --bind-to none",
]

SINCE_4 = "4.1 does so"
BINDS = "5 binds in a map, too, and has too few cores here"
UNKNOWN = "what a has is not known in a dry run; 5 takes it for a copy of this machine"
DROPPED = "5 drops the parameter without a word"
# A line that 5 takes otherwise, and why we do not follow.
ON_PURPOSE = {
    "-H a:1,b:3,c:2 --bynode -bind-to none": "5 cannot map by node with different numbers of slots",
    "-H a:1,b:3,c:2 -n 4 --map-by node -bind-to none": SINCE_4,
    "-H a,b,a:3,c --map-by node -bind-to none":
        "5 cannot map by node with different numbers of slots",
    "--hostfile only_max": BINDS,
    "--hostfile three -H b:1,a:9": BINDS,
    "--app apps": BINDS,
    "--hostfile three -H +n1,+n2": SINCE_4,
    "--hostfile three -H +e -n 3": SINCE_4,
    "-H a:2 -n 1 -n 2": "5 takes the first number, 4.1 the last",
    "-H a:2,b:2 --map-by :OVERSUBSCRIBE -n 6": "5 puts all ranks on the first host",
    "-H a:2,b:2 -oversubscribe -n 5": "5 puts all ranks on the first host",
    "-H a:2 -mca btl self -mca btl self": "what is given twice is a mistake",
    "-H a:4,b:4 --map-by seq":
        "without -n Open MPI asks for all slots; one for each entry is meant",
    "-H a:2,b:2 -mca rmaps_base_mapping_policy node -n 3": DROPPED,
    "-H a:2,b:2 -mca rmaps_base_mapping_policy node": DROPPED,
    "-H a:2,b:2 -mca rmaps_base_oversubscribe 1 -n 6": DROPPED,
    "-H a:2,b:2 -mca rmaps_default_mapping_policy node -n 3":
        "5 only takes it as --prtemca, and says nothing",
    "-H a:2 --timeout x": "a mistake is told",
    "-H a:2 -n x": "a mistake is told",
    "-H a:4,b:4 -rf ranks": "5 has --rankfile only",
    "--default-hostfile three -n 3": "5 takes it for a name of its own and then ignores it",
    "-H a:4,b:4 -npersocket 1": UNKNOWN,
    "-H a:4,b:4 --map-by ppr:1:package": UNKNOWN,
    "-H a:2,b:2 --map-by core -n 3 --bind-to none": UNKNOWN,
}

# MCA parameters, and what comes to the same: names of 4.1 beside those of 5.
PARAMETERS = [
    "-mca btl vader,self", "-mca btl sm,self", "-mca btl ^vader", "-mca btl ^sm",
    "-mca pml ob1 -mca btl ^openib", "-mca pml ob1 -mca btl tcp,self",
    "-mca btl tcp,self -mca btl_tcp_if_include lo",
    "-mca btl vader,self -mca btl_vader_eager_limit 2048",
    "-mca btl sm,self -mca btl_sm_eager_limit 2048", "--gmca pml ob1 -mca mpi_yield_when_idle 1",
]
SHOWN = ["pml", "btl_sm_eager_limit", "btl_tcp_if_include", "mpi_yield_when_idle"]


def mapped(text):
    """[(host, slots, [ranks])] of a map of 5's or of ours; the head is "here"."""
    hosts = []
    for line in text.splitlines():
        node = re.match(r" ?Data for node: (\S+)\tNum slots: (\d+)", line)
        rank = re.search(r"Process rank: (\d+)", line)
        if node:
            here = node[1] in ("localhost", "127.0.0.1", "head")
            hosts.append(("here" if here else node[1], int(node[2]), []))
        elif rank:
            hosts[-1][2].append(int(rank[1]))
    return sorted(hosts) if len({host[0] for host in hosts}) == len(hosts) else hosts


@unittest.skipIf(REASON, REASON)
class OpenMpi5(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(0, roots={"head": DEBIAN13})

    def setUp(self):
        super().setUp()
        for name, text in {**older.FILES, "ranks": RANKFILE}.items():
            self.write(name, text)

    def run_in_head(self, *words):
        code, out, err = self.lab.run(words, env=self.environment(), cwd=self.folder)
        return code, out.decode(), err.decode()

    def compare(self, line):
        """A complaint, or nothing."""
        program = [] if line.endswith(("-H", "-n", "-x")) else ["true"]
        maps, texts = [], []
        for words in (["mpirun.openmpi", "--allow-run-as-root", "--display", "map"],
                      [MUSTER, "mpirun", "--display-map"]):
            _, out, err = self.run_in_head(*words, "--do-not-launch", *shlex.split(line), *program)
            maps.append(mapped(out))
            texts.append((out + err)[:300])
        return older.verdict(line, *maps, line in ON_PURPOSE, texts)

    def test_the_same_map(self):
        self.assertIn("Open MPI) 5.", self.run_in_head("mpirun.openmpi", "--version")[1])
        table = older.lines() + LINES
        self.assertLessEqual(set(ON_PURPOSE), set(table))
        complaints = [one for one in map(self.compare, table) if one]
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))

    def seen(self, command, line):
        """What a rank shows of its parameters, and the ways to send that it has chosen."""
        code, out, err = self.run_in_head(
            *command, *shlex.split(line), "-np", "2", "-mca", "btl_base_verbose", "100",
            f"{LOCAL}/parameters", *SHOWN)
        self.assertEqual(code, 0, (line, out, err))
        ways = re.findall(r"select: init of component (\w+) returned success", out + err)
        return sorted(re.findall(r"^\w+(?:=.*| is unknown)$", out, re.M)), sorted(set(ways))

    def test_parameters_come_to_the_same_in_ranks(self):
        code, _, err = self.run_in_head("mpicc.openmpi", f"{SOURCES}/parameters.c", "-o",
                                        f"{LOCAL}/parameters")
        self.assertEqual(code, 0, err)
        found = {}
        for line in PARAMETERS:
            with self.subTest(line):
                theirs = self.seen(["mpirun.openmpi", "--allow-run-as-root"], line)
                found[line] = self.seen([MUSTER, "mpirun"], line)
                self.assertEqual(found[line], theirs)
        for old, new in ((0, 1), (2, 3), (7, 8)):
            self.assertEqual(found[PARAMETERS[old]], found[PARAMETERS[new]])
        self.assertEqual(found["-mca btl vader,self"][1], ["self", "sm"])
        self.assertNotIn("sm", found["-mca btl ^vader"][1])
        self.assertIn("btl_sm_eager_limit=2048",
                      found["-mca btl vader,self -mca btl_vader_eager_limit 2048"][0])


if __name__ == "__main__":
    run_tests()
