"""MPI_Comm_spawn: more ranks while a job runs, with Open MPI's real programs and with PMI itself.

Debian's MPICH 4.0.2 is built without spawning: its MPI_Comm_spawn fails before it asks anybody,
under its own mpiexec too. So PMI-1 and PMI-2 are spoken by a small client, in MPICH's words.
"""

# rooms: machine pmi pmix head
# long

import functools
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from own_place import own_shared_memory
from support import PYTHON, Case, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()
SHARED = "other jobs of this machine use the same /dev/shm"
COMPILER = "mpicc.openmpi"
MPI4PY = os.path.isdir("/usr/lib/python3/dist-packages/mpi4py")

# Words: the mode, then the children's count, or what the mode needs.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static int sum_of_ones(MPI_Comm comm) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

static int appnum(void) {
  int *number = NULL, found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  return found ? *number : -1;
}

static int merged_sum(MPI_Comm inter, int high) {
  MPI_Comm all;
  MPI_Intercomm_merge(inter, high, &all);
  const int sum = sum_of_ones(all);
  MPI_Comm_free(&all);
  return sum;
}

static void child(MPI_Comm parent, const char* mode) {
  char folder[4096], host[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_processor_name(host, &length);
  printf("child %d of %d app %d world %s host %s sum %d in %s\n", rank, size, appnum(),
         getenv("OMPI_COMM_WORLD_SIZE"), host, merged_sum(parent, 1),
         getcwd(folder, sizeof folder));
  fflush(stdout);
  if (!strcmp(mode, "dies") && rank == 1) exit(6);
  if (!strcmp(mode, "dies")) pause();
  MPI_Comm_disconnect(&parent);
}

static MPI_Comm start(char* program, char* mode, int count, MPI_Info info) {
  MPI_Comm children;
  char* words[] = {mode, NULL};
  MPI_Comm_spawn(program, words, count, info, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  return children;
}

static void spawn(char* program, char* mode, int count, MPI_Info info) {
  MPI_Comm children = start(program, mode, count, info);
  printf("parent %d sum %d\n", rank, merged_sum(children, 0));
  fflush(stdout);
  if (!strcmp(mode, "dies")) pause();
  MPI_Comm_disconnect(&children);
}

static void with_info(char* program, char* key, char* value, int count) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  spawn(program, "plain", count, info);
}

static void two_programs(char* program) {
  MPI_Comm children;
  char *programs[] = {program, program}, *words[] = {"plain", NULL};
  char** all_words[] = {words, words};
  int counts[] = {1, 2};
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm_spawn_multiple(2, programs, all_words, counts, infos, 0, MPI_COMM_WORLD, &children,
                          MPI_ERRCODES_IGNORE);
  printf("parent %d sum %d\n", rank, merged_sum(children, 0));
  MPI_Comm_disconnect(&children);
}

static void refused(const char* program) {
  MPI_Comm children;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int error = MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
                                   MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  printf("%s, and the parent goes on\n", error == MPI_SUCCESS ? "started" : "refused");
}

static void universe(void) {
  int *slots = NULL, found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &slots, &found);
  printf("universe %d\n", found ? *slots : -1);
}

// Two spawned worlds that know each other only by a port.
static void meet(char* program) {
  MPI_Comm first = start(program, "accept", 1, MPI_INFO_NULL);
  char port[MPI_MAX_PORT_NAME];
  MPI_Recv(port, sizeof port, MPI_CHAR, 0, 0, first, MPI_STATUS_IGNORE);
  MPI_Comm second = start(program, "connect", 1, MPI_INFO_NULL);
  MPI_Send(port, sizeof port, MPI_CHAR, 0, 0, second);
  MPI_Comm_disconnect(&first);
  MPI_Comm_disconnect(&second);
}

static void meeting(MPI_Comm parent, int accepts) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm other;
  if (accepts) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, sizeof port, MPI_CHAR, 0, 0, parent);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
  } else {
    MPI_Recv(port, sizeof port, MPI_CHAR, 0, 0, parent, MPI_STATUS_IGNORE);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
  }
  printf("%s sum %d\n", accepts ? "accepted" : "connected", merged_sum(other, accepts));
  MPI_Comm_disconnect(&other);
  MPI_Comm_disconnect(&parent);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* mode = words[1];
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL && !strcmp(mode, "nested")) {
    printf("middle sum %d\n", merged_sum(parent, 1));
    fflush(stdout);
    spawn(words[0], "plain", 2, MPI_INFO_NULL);
    MPI_Comm_disconnect(&parent);
  } else if (parent != MPI_COMM_NULL && !strcmp(mode, "accept")) {
    meeting(parent, 1);
  } else if (parent != MPI_COMM_NULL && !strcmp(mode, "connect")) {
    meeting(parent, 0);
  } else if (parent != MPI_COMM_NULL) {
    child(parent, mode);
  } else if (!strcmp(mode, "nested")) {
    spawn(words[0], "nested", 1, MPI_INFO_NULL);
  } else if (!strcmp(mode, "info")) {
    for (int times = count > 4 ? atoi(words[4]) : 1; times > 0; --times) {
      with_info(words[0], words[2], words[3], 2);
    }
  } else if (!strcmp(mode, "two")) {
    two_programs(words[0]);
  } else if (!strcmp(mode, "missing")) {
    refused("/there/is/no/such/program");
  } else if (!strcmp(mode, "refused")) {
    refused(words[0]);
  } else if (!strcmp(mode, "universe")) {
    universe();
  } else if (!strcmp(mode, "meet")) {
    meet(words[0]);
  } else {
    spawn(words[0], mode, atoi(words[2]), MPI_INFO_NULL);
  }
  MPI_Finalize();
  return 0;
}
"""

PYTHON_PARENT = """
import sys
from mpi4py import MPI
parent = MPI.Comm.Get_parent()
if parent == MPI.COMM_NULL:
    children = MPI.COMM_SELF.Spawn(sys.executable, args=[sys.argv[0]], maxprocs=3)
    print("parent got", sorted(children.gather(None, root=MPI.ROOT)))
    children.Disconnect()
else:
    parent.gather(parent.rank * 10, root=0)
    parent.Disconnect()
"""

# Speaks PMI as MPICH does; a parent spawns two worlds' worth of children, who fence and tell.
PMI_CLIENT = r"""
import os, socket, sys
fd = int(os.environ["PMI_FD"])
link = socket.socket(fileno=fd)
reader = link.makefile("r", newline="\n")
rank, size = int(os.environ["PMI_RANK"]), int(os.environ["PMI_SIZE"])

def ask(line):
    link.sendall((line + "\n").encode())
    return dict(word.split("=", 1) for word in reader.readline().split() if "=" in word)

def frame(text):
    link.sendall(b"%6d%s" % (len(text), text.encode()))
    length = int(reader.read(6))
    return dict(word.split("=", 1) for word in reader.read(length).split(";") if "=" in word)

two = sys.argv[1] == "2"
ask("cmd=init pmi_version=%d pmi_subversion=%d" % ((2, 0) if two else (1, 1)))
if two:
    me = frame("cmd=fullinit;pmijobid=x;pmirank=%d;threaded=FALSE;" % rank)
    appnum = me["appnum"]
else:
    appnum = ask("cmd=get_appnum")["appnum"]
    kvs = ask("cmd=get_my_kvsname")["kvsname"]

def put(key, value):
    if two:
        return frame("cmd=kvs-put;key=%s;value=%s;" % (key, value))
    return ask("cmd=put kvsname=%s key=%s value=%s" % (kvs, key, value))

def get(key):
    if two:
        return frame("cmd=kvs-get;jobid=;srcid=-1;key=%s;" % key).get("value", "nothing")
    return ask("cmd=get kvsname=%s key=%s" % (kvs, key))["value"]

def fence():
    frame("cmd=kvs-fence;") if two else ask("cmd=barrier_in")

def spawn(program, counts):
    if two:
        text = "cmd=spawn;ncmds=%d;preputcount=1;" % len(counts)
        text += "ppkey0=PARENT_ROOT_PORT_NAME;ppval0=port#1;"
        for count in counts:
            text += "subcmd=%s;maxprocs=%d;argc=2;argv0=%s;argv1=2;infokeycount=0;" % (
                program, count, sys.argv[0])
        return frame(text)
    text = ""
    for number, count in enumerate(counts):
        text += "mcmd=spawn\nnprocs=%d\nexecname=%s\ntotspawns=%d\nspawnssofar=%d\n" % (
            count, program, len(counts), number + 1)
        text += "argcnt=2\narg1=%s\narg2=1\n" % sys.argv[0]
        text += "preput_num=1\npreput_key_0=PARENT_ROOT_PORT_NAME\npreput_val_0=port#1\n"
        text += "info_num=0\nendcmd\n"
    link.sendall(text.encode())
    return dict(word.split("=", 1) for word in reader.readline().split() if "=" in word)

put("card-%d" % rank, "of-%d" % rank)
fence()
other = get("card-%d" % (size - 1))
if os.environ.get("PMI_SPAWNED"):
    print("child %d of %d app %s port %s last %s" % (
        rank, size, appnum, get("PARENT_ROOT_PORT_NAME"), other))
elif rank == 0:
    refused = spawn("/there/is/no/such/program", [1])["rc"]
    print("refused" if refused != "0" else "started")
    print("spawned rc", spawn(sys.executable, [1, 2])["rc"])
sys.stdout.flush()
frame("cmd=finalize;") if two else ask("cmd=finalize")
"""


FOLDER = tempfile.TemporaryDirectory(prefix="muster-spawn-")  # goes with this process


@functools.cache
def compiled():
    """The path of the program."""
    source, program = (os.path.join(FOLDER.name, name) for name in ("spawn.c", "spawn"))
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    subprocess.run([COMPILER, source, "-o", program], check=True)
    return program


class Programs:
    def assert_family(self, done, parents, children):
        """All parents and children have met; returns the children's lines."""
        self.assertEqual(done.code, 0, done)
        total = parents + children
        for rank in range(parents):
            self.assertIn(f"parent {rank} sum {total}", done.lines, done)
        found = [line for line in done.lines if line.startswith("child ")]
        self.assertEqual(len(found), children, done)
        for rank, line in enumerate(found):
            self.assertRegex(
                line, rf"^child {rank} of {children} .* world {children} .* sum {total} ")
        return found


@unittest.skipUnless(shutil.which(COMPILER), f"{COMPILER} is missing: libopenmpi-dev has it")
class Spawn(Programs, Case):
    def setUp(self):
        super().setUp()
        self.program = compiled()

    def test_children_of_one_parent_and_of_several(self):
        for parents, children in ((1, 1), (1, 4), (2, 3)):
            done = self.muster("--oversubscribe", "-n", str(parents), self.program, "plain",
                               str(children))
            self.assert_family(done, parents, children)

    def test_fake_nodes(self):
        done = self.muster("--fake-nodes", "2", "-n", "2", self.program, "plain", "4")
        self.assert_family(done, 2, 4)

    def test_idle_nodes_take_children_and_are_named_when_one_dies(self):
        done = self.muster("--fake-nodes", "4", "-n", "1", self.program, "plain", "3")
        self.assert_family(done, 1, 3)
        done = self.muster("--fake-nodes", "3", "-n", "1", self.program, "dies", "2")
        self.assertEqual(done.code, 6, done)
        self.assertRegex(done.errors, "rank 1 of spawned job 2 on fake-2 exited with code 6")

    def test_nodes_take_children_again_when_all_there_have_ended(self):
        done = self.muster("--fake-nodes", "2", "-n", "1", self.program, "info", "host", "fake-1",
                           "5")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.lines.count("parent 0 sum 3"), 5, done)

    def test_children_on_idle_nodes_spawn_and_meet(self):
        done = self.muster("--fake-nodes", "4", "-n", "1", self.program, "nested")
        self.assertIn("middle sum 2", done.lines, done)
        self.assertIn("parent 0 sum 3", done.lines, done)
        self.assertEqual(done.code, 0, done)
        done = self.muster("--fake-nodes", "3", "-n", "1", self.program, "meet")
        self.assertEqual((done.code, done.lines), (0, ["accepted sum 2", "connected sum 2"]), done)

    def test_several_programs_have_their_numbers(self):
        done = self.muster("--oversubscribe", "-n", "2", self.program, "two")
        children = self.assert_family(done, 2, 3)
        self.assertEqual([line.split()[5] for line in children], ["0", "1", "1"])

    def test_children_spawn(self):
        done = self.muster("--oversubscribe", "-n", "1", self.program, "nested")
        self.assertIn("middle sum 2", done.lines, done)
        self.assertIn("parent 0 sum 2", done.lines, done)
        self.assertIn("parent 0 sum 3", done.lines, done)
        self.assertEqual(done.code, 0, done)

    def test_worlds_meet_through_a_port(self):
        done = self.muster("--oversubscribe", "-n", "1", self.program, "meet")
        self.assertEqual((done.code, done.lines), (0, ["accepted sum 2", "connected sum 2"]), done)

    def test_the_folder_is_the_one_asked_for(self):
        os.mkdir(self.path("other"))
        done = self.muster("--oversubscribe", "-n", "1", self.program, "info", "wdir",
                           self.path("other"))
        for line in self.assert_family(done, 1, 2):
            self.assertTrue(line.endswith("/other"), done)

    def test_a_child_that_dies_ends_the_job_and_is_named(self):
        done = self.muster("--oversubscribe", "-n", "2", self.program, "dies", "2")
        self.assertEqual(done.code, 6, done)
        self.assertRegex(done.errors, r"(?m)^muster: rank 1 of spawned job 2 on \S+ exited with "
                                      r"code 6")
        self.assertRegex(done.errors, "the 3 other ranks were ended")

    def test_a_missing_program_is_the_parents_error_and_is_told(self):
        done = self.muster("-n", "1", self.program, "missing")
        self.assertEqual((done.code, done.lines), (0, ["refused, and the parent goes on"]), done)
        self.assertRegex(done.errors, "MPI_Comm_spawn by rank 0 failed: no program /there/is/no")

    def test_hosts_cannot_be_added(self):
        done = self.muster("-n", "1", self.program, "info", "add-host", "elsewhere")
        self.assertNotEqual(done.code, 0, done)
        self.assertRegex(done.errors, "failed: the info key add-host is not supported")

    def test_the_universe_has_all_slots(self):
        done = self.succeeds("-H", "localhost:7", "-n", "1", self.program, "universe")
        self.assertEqual(done.lines, ["universe 7"])

    def test_tags_and_logs_tell_worlds_apart(self):
        done = self.muster("--oversubscribe", "--tag", "--logs", "logs", "-n", "1", self.program,
                           "plain", "2")
        self.assertEqual(done.code, 0, done)
        starts = sorted(line.split(" of ")[0] for line in done.lines)
        self.assertEqual(starts, ["[0] parent 0 sum 3", "[2:0] child 0", "[2:1] child 1"], done)
        self.assertTrue(self.read("logs", "rank.0", "stdout").startswith(b"parent 0"))
        self.assertTrue(self.read("logs", "2", "rank.1", "stdout").startswith(b"child 1"))

    def test_nothing_is_left(self):
        if SHARED:
            self.skipTest(SHARED)
        self.muster("--oversubscribe", "-n", "1", self.program, "plain", "2")
        self.muster("--oversubscribe", "-n", "1", self.program, "dies", "2")
        self.assertEqual(os.listdir("/dev/shm"), [])

    @unittest.skipUnless(MPI4PY, "python3-mpi4py is missing")
    def test_mpi4py(self):
        script = self.write("parent.py", PYTHON_PARENT)
        done = self.succeeds("--oversubscribe", "-n", "1", PYTHON, script)
        self.assertEqual(done.lines, ["parent got [0, 10, 20]"])


class Pmi(Case):
    def expect(self, version, *words):
        script = self.write("client.py", PMI_CLIENT)
        done = self.muster(*words, "-n", "2", PYTHON, script, version)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.lines, [
            "child 0 of 3 app 0 port port#1 last of-2",
            "child 1 of 3 app 1 port port#1 last of-2",
            "child 2 of 3 app 1 port port#1 last of-2",
            "refused", "spawned rc 0"], done)
        self.assertRegex(done.errors, "MPI_Comm_spawn by rank 0 failed: .*no program /there/is/no")

    def test_pmi_1(self):
        self.expect("1", "--oversubscribe")
        self.expect("1", "--fake-nodes", "2")
        self.expect("1", "--fake-nodes", "5")

    def test_pmi_2(self):
        self.expect("2", "--oversubscribe")
        self.expect("2", "--fake-nodes", "4", "--per-node", "2")


@unittest.skipIf(REASON, REASON)
@unittest.skipUnless(shutil.which(COMPILER), f"{COMPILER} is missing")
class SpawnOnHosts(Programs, LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(3)

    def setUp(self):
        super().setUp()
        self.program = compiled()

    def test_children_fill_the_slots_of_all_hosts(self):
        hosts = ",".join(f"{name}:2" for name in self.lab.names)
        done = self.launch("-H", hosts, "--map-by", "node", "-n", "3", self.program, "plain", "3")
        children = self.assert_family(done, 3, 3)
        self.assertEqual(len({line.split()[9] for line in children}), 3, done)

    def test_children_go_where_they_are_asked_for(self):
        last = self.lab.names[-1]
        done = self.launch("-H", ",".join(self.lab.names), self.program, "info", "host", last)
        for line in self.assert_family(done, 3, 2):
            self.assertIn(f" host {last} ", line)

    def test_hosts_take_children_again_when_all_there_have_ended(self):
        first, second, _ = self.lab.names
        done = self.launch("-H", f"{first},{second}", "-n", "1", self.program, "info", "host",
                           second, "3")
        self.assertEqual(done.code, 0, done)
        found = [line for line in done.lines if line.startswith("child ")]
        self.assertEqual([f" host {second} " in line for line in found], [True] * 6, done)

    def test_idle_hosts_take_children_and_are_in_the_record(self):
        names = self.lab.names
        records = self.path("records")
        done = self.launch("-H", ",".join(names), "-n", "1", self.program, "plain", "2",
                           env=self.environment(MUSTER_RECORDS=records))
        children = self.assert_family(done, 1, 2)
        self.assertEqual([line.split()[9] for line in children], names[1:], done)
        run = os.listdir(records)[0]
        with open(os.path.join(records, run, "report.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["hosts"], names)

    def test_the_head_is_a_host_without_ranks(self):
        first = self.lab.names[0]
        done = self.launch("-H", f"{first},localhost", "-n", "1", self.program, "plain", "1")
        child, = self.assert_family(done, 1, 1)
        self.assertNotIn(f" host {first} ", child)

    def test_children_on_idle_hosts_know_their_interface(self):
        first, second, _ = self.lab.names
        script = self.write("parent.py", PYTHON_PARENT)
        done = self.launch("-H", f"{first},{second}", "--verbose", "-n", "1", PYTHON, script)
        self.assertEqual((done.code, done.lines), (0, ["parent got [0, 10, 20]"]), done)
        self.assertRegex(done.errors, rf"(?m)^muster: {second}: ranks talk over \S+ at \S+: ssh")

    def test_a_host_that_cannot_be_reached_is_the_parents_error(self):
        first = self.lab.names[0]
        done = self.launch("-H", f"{first},nowhere.invalid", "-n", "1", self.program, "refused")
        self.assertEqual((done.code, done.lines), (0, ["refused, and the parent goes on"]), done)
        self.assertRegex(done.errors, "MPI_Comm_spawn by rank 0 failed: nowhere.invalid: ")

    def test_a_child_that_dies_on_an_idle_host_ends_the_job(self):
        first, second, _ = self.lab.names
        done = self.launch("-H", f"{first},{second}:2", "-n", "1", self.program, "dies", "2")
        self.assertEqual(done.code, 6, done)
        self.assertRegex(done.errors, f"rank 1 of spawned job 2 on {second} exited with code 6")


if __name__ == "__main__":
    SHARED = own_shared_memory()
    run_tests()
