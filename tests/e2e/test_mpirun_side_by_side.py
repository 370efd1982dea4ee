"""Open MPI's own mpirun and ours, asked for the same map: same hosts, slots, order and ranks.

Nothing is launched: both only plan. Where we differ on purpose, the reason stands beside the line.
"""

# rooms: front plan spec
# long

import concurrent.futures
import itertools
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from own_place import own_network
from support import MUSTER, WAIT_SECONDS, run_tests

THEIRS = shutil.which("mpirun.openmpi")

FILES = {
    "three": "a slots=4\nb slots=2\nc slots=2\n",
    "capped": "a slots=2 max_slots=2\nb slots=2\n",
    "bare": "a\nb slots=2\n",
    "twice": "a slots=2\na slots=2\n",
    "counted": "a\na\nb slots=1\n",
    "comments": "# ours\na slots = 2 // two\n/* none\n of it */ b count=1\n",
    "local": "localhost slots=2\nb slots=2\n",
    "late": "b slots=2\nlocalhost slots=2\n",
    "only_max": "a max_slots=3\n",
    "wrong_max": "a slots=3 max_slots=2\n",
    "unknown_key": "a slotz=3\n",
    "apps": "-n 1 -H a:3 true\n-n 2 -H a:3 true\n",
}

LISTS = ["-H a:2,b:2", "-H a,b", "-H a:1,b:3,c:2", "-H a:2 -H b:2", "-H a,b,a:3,c",
         "--hostfile three", "-hostfile local"]
COUNTS = ["", "-n 1", "-np 3", "-n 4", "-n 9"]
POLICIES = ["", "--map-by node", "-map-by slot", "--oversubscribe", "--bynode",
            "--map-by slot:OVERSUBSCRIBE", "-N 1", "--map-by ppr:2:node"]

ALONE = [
    "-H b:1,localhost:1", "-H b:2,localhost:2 -n 3", "--hostfile late", "--hostfile late -n 3",
    "--hostfile capped -n 4", "--hostfile capped -n 5", "--hostfile twice",
    "--hostfile counted -n 3",
    "--hostfile comments", "--hostfile only_max", "--hostfile wrong_max", "--hostfile unknown_key",
    "--hostfile three -H b", "--hostfile three -H b:1,a:9", "--hostfile three -H c:2,a:3 -n 4",
    "--hostfile three -H +n1,+n2", "--hostfile three -H +e -n 3", "--hostfile three -H zz",
    "--hostfile no-such-file", "--hostfile three --hostfile three", "-H a:2 --nooversubscribe -n 3",
    "-H a:2 --oversubscribe --nooversubscribe -n 1", "-H a:2 -n 0", "-H a:2 -n 1 -n 2",
    "-H a:2,b:2 --map-by :OVERSUBSCRIBE -n 6", "-H a:2 --map-by foo", "-H a:2 --map-by slot:foo",
    "-H a:2 -ppn 2", "-H a:2 --no-such-option", "-H a:2 -mca btl self -mca btl self",
    "-H a:2 --bind-to foo", "-H a:2 --rank-by foo", "-H a:2,b:2 --rank-by node", "-H a:2 -pernode",
    "-H a:3,b:3 --map-by ppr:1:node -n 3", "-H a:2,b:2 --map-by s", "-H a:2,b:2 --map-by no",
    "-H a:2,b:2 -n 3 --npernode 2", "-H a:4,b:4 --map-by seq", "-H localhost:2,b:2 --nolocal",
    "-H a:2,b:2 -mca rmaps_base_mapping_policy node -n 3", "--app apps",
    "-H a:2,b:2 -n 1 true : -n 2", "-H a:2,b:2 -n 1 true : -n 4", "-H a:2 -n 1 true : -H b:2 -n 2",
    "-H a:2 -x", "-H", "-n", "-H a:2 --timeout x", "-H a:2 -n x",
]

# A line that Open MPI takes otherwise, and why we do not follow.
ON_PURPOSE = {
    "-H a:4,b:4 --map-by seq":
        "without -n Open MPI asks for all slots; one for each entry is meant",
    "-H localhost:2,b:2 --nolocal": "Open MPI asks for the slots that it may not use, too",
}


def lines():
    """Unbound, since Open MPI takes hosts that are not there for copies of this one."""
    every = itertools.product(LISTS, COUNTS, POLICIES)
    listed = [" ".join(filter(None, [*words, "-bind-to none"])) for words in every]
    # Every seventh: all policies meet all lists and all counts.
    return listed[::7] + ALONE


def mapped(text, own_names):
    """[(host, slots, [ranks])] of a map; this machine is "here" whatever it is called."""
    hosts = []
    for line in text.splitlines():
        node = re.match(r" Data for node: (\S+)\tNum slots: (\d+)", line)
        rank = re.search(r"Process rank: (\d+)", line)
        if node:
            name = "here" if node[1] in own_names else node[1]
            hosts.append((name, int(node[2]), []))
        elif rank:
            hosts[-1][2].append(int(rank[1]))
    return hosts


def verdict(line, theirs, ours, is_on_purpose, texts):
    """A complaint about these maps, or nothing."""
    differs = theirs != ours
    if differs == is_on_purpose:
        return None
    if not differs:
        return f"{line}: no longer differs"
    return f"{line}\n  theirs {theirs}\n  ours   {ours}\n  {texts}"


@unittest.skipUnless(THEIRS, "there is no mpirun.openmpi here")
class SideBySide(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="muster-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in FILES.items():
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.own_names = {"localhost", "127.0.0.1", os.uname().nodename,
                          os.uname().nodename.split(".")[0]}

    def asked(self, command, line):
        words = [*command, "--do-not-launch", "--display-map", *shlex.split(line)]
        if not line.endswith(("-H", "-n", "-x")):
            words.append("true")
        # Two of Open MPI's mpirun get into each other's way in one TMPDIR.
        with tempfile.TemporaryDirectory(prefix="muster-e2e-") as own:
            environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "TMPDIR": own}
            done = subprocess.run(words, cwd=self.folder, env=environment, timeout=WAIT_SECONDS,
                                  check=False, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True)
        return mapped(done.stdout, self.own_names), done.stdout + done.stderr

    def compare(self, line):
        """A complaint, or nothing. An empty map is a refusal: Open MPI's codes do not tell."""
        theirs, said = self.asked((THEIRS, "--allow-run-as-root"), line)
        ours, told = self.asked((MUSTER, "mpirun"), line)
        return verdict(line, theirs, ours, line in ON_PURPOSE, [said[:200], told[:200]])

    def test_the_same_map(self):
        table = lines()
        self.assertGreaterEqual(len(table), 60)
        # Open MPI's mpirun takes half a second, of which it is idle for nine tenths.
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            complaints = [one for one in pool.map(self.compare, table) if one]
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))

    def bindings(self, *command):
        """What --report-bindings says of each bound rank; theirs keeps silent about others."""
        with tempfile.TemporaryDirectory(prefix="muster-e2e-") as own:
            environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "TMPDIR": own}
            done = subprocess.run([*command, "--report-bindings", "true"], cwd=self.folder,
                                  env=environment, timeout=WAIT_SECONDS, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(re.findall(r"MCW rank (\d+ bound .*)", done.stderr)), done.stderr

    @unittest.skipUnless(os.geteuid() == 0, "a network of its own needs root")
    def test_the_same_default_binding(self):
        """Ours in a network of its own, where no other job of muster holds cores."""
        for ranks, bound in (("1", 1), ("2", 2), (str(os.cpu_count() + 1), 0)):
            theirs, said = self.bindings(THEIRS, "--allow-run-as-root", "--oversubscribe", "-n",
                                         ranks)
            self.assertEqual(len(theirs), bound, said)
            ours, told = self.bindings("unshare", "--net", MUSTER, "mpirun", "--bind-to", "default",
                                       "--do-not-launch", "--oversubscribe", "-n", ranks)
            self.assertEqual(ours, theirs, told)


if __name__ == "__main__":
    own_network()  # so nobody is asked for the names of hosts that are not there
    run_tests()
