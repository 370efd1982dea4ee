"""A umask that takes every right, or none: what muster makes its user can use, and nobody else
writes to it; what ranks make is as the umask says."""

# rooms: cli head host process store
# attacks

import os
import stat

import own
from seed_case import CODE_JOB, NODES
from support import CANNOT_START, MUSTER, PYTHON, ROOT, TIMEOUT, run_tests
from lab import HOME  # which support has put on the path
from travel_case import TravelCase
from test_where_output_goes import JOB, PIPELINE, SWEEP, RecordedCase

# What a rank makes there has the modes that its umask leaves.
FAILS = """\
code: src
outputs: {made: {type: uri_folder}}
command: |
  echo said; : > ${{outputs.made}}/file; mkdir ${{outputs.made}}/folder; exit 4
"""

CHECKPOINTS = """muster: 1
checkpoints: true
command: |
  umask 022; echo . >> $MUSTER_CHECKPOINTS/runs; wc -l < $MUSTER_CHECKPOINTS/runs
  [ $(wc -l < $MUSTER_CHECKPOINTS/runs) = 2 ]
"""
PACKAGES = """muster: 1
environment: {conda: {dependencies: [mkl]}}
command: cat $CONDA_PREFIX/said
"""
# Makes what conda would, as far as a rank sees it.
CONDA = f"""#!/bin/sh
while [ "$1" != -p ]; do shift; done
mkdir -p "$2/bin"
ln -s {PYTHON} "$2/bin/python"
echo there > "$2/said"
"""

TWO = "muster: 1\ndistribution: {type: mpi, node_count: 2}\n"
# A login that says what its umask is. Capabilities would let root use what it has no right to.
RC = f"{HOME}/.bashrc"
LOGIN = """umask %o
exec setpriv --bounding-set=-dac_override,-dac_read_search sh -c "$BASH_EXECUTION_STRING"
"""

# What a program makes by the Python package, and that it can read all of it again.
MAKES = """import os, sys
from muster.mlflow_artifacts import copied, put_folder, put_text
from muster.mlflow_client import create_experiment
from muster.models import Model
from muster.record import add_notes
from muster.registers import Register
from muster.tracking import DEFAULT, Store
Register("schedules").put("daily", "1", {"path": "a"})
Register("schedules").change("daily", "1", lambda said: {**said, "path": "b"})
for one in range(2):
    model = Model.register(None, "src", "net")
    store = Store("made/mlruns", "run", DEFAULT)
    store.param("a/b", "1")
    store.write("tags", f"tag{one}/below", "1")
    store.append("loss/train", "1 2 3\\n")
    store.call(f"attempt {one}")
    add_notes(sys.argv[1], "tags", {str(one): "set"})
put_text(store, "said", "texts/a.txt")
put_folder(store, "src", "copy")
store.end("FINISHED")
os.environ["MLFLOW_TRACKING_URI"] = "made/mlruns"
create_experiment("other", tags={"why": "none"})
model.download("made/models/net")
copied("src", "made/copied")
copied("src/a", "made/one/file")
temporary = copied("src", None)
def fails(error):
    raise error
for top in ("made", temporary, os.environ["MUSTER_RECORDS"]):
    for folder, _, names in os.walk(top, onerror=fails):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                file.read()
            os.remove(os.path.join(folder, name))
"""


class Masks(RecordedCase):
    """As a user for whom modes count, as they do not for root."""

    def setUp(self):
        super().setUp()
        self.write("job.yml", JOB)
        self.write("pipeline.yml", PIPELINE)
        os.mkdir(self.path("tmp"))
        os.mkdir(self.path("src"))
        self.write("src/a", "code\n")
        self.who = {}
        if os.getuid() == 0:
            user = own.users()
            self.who = {"user": user, "group": user, "extra_groups": []}
            for name in ("", "tmp", "src", "src/a", "job.yml", "pipeline.yml"):
                os.chown(self.path(name), user, user)
        os.chmod(self.folder, 0o755)

    def masked(self, umask, *words, code=0, **more):
        env = self.environment(TMPDIR=self.path("tmp"), MUSTER_RECORDS=self.path("state/records"),
                               **more)
        done = self.start(*words, command=(MUSTER,), env=env, umask=umask, **self.who).finish()
        self.assertEqual(done.code, code, (oct(umask), words, done))
        self.assertTrue(code == CANNOT_START or "cannot" not in done.errors, done)
        return done

    def assert_mode_of_all(self):
        """The user reads all that muster has made, and nobody else writes to it."""
        self.assertEqual(os.listdir(self.path("tmp")), [])
        self.assertEqual(os.stat(self.path("state")).st_mode & 0o022, 0)
        for folder, folders, names in os.walk(self.path("state")):
            for name in {*folders, *names} - {"file", "folder"}:  # a rank has made those
                mode = os.lstat(os.path.join(folder, name)).st_mode
                rights = 0o700 if stat.S_ISDIR(mode) else 0o400
                if not stat.S_ISLNK(mode):
                    self.assertEqual((mode & rights, mode & 0o002), (rights, 0), name)

    def test_all_that_muster_makes_can_be_used_and_nobody_else_writes_to_it(self):
        for umask in (0o777, 0o277, 0o077, 0o000):
            with self.subTest(oct(umask)):
                logs = f"logs.{umask:o}"
                self.masked(umask, "run", "-n", "1", "--logs", logs, "echo", "kept")
                self.assertEqual(self.read(logs, "rank.0", "stdout"), b"kept\n")
                self.masked(umask, "run", "--fake-nodes", "2", "-n", "2", "true")
                self.assertEqual(self.masked(umask, "submit", "job.yml").text, "from the job\n")
                if not umask & 0o700:  # the ranks' own files are made as the user says
                    done = self.masked(umask, "submit", "pipeline.yml")
                    self.assertIn("second: kept\n", done.text)
                self.assert_mode_of_all()

    def test_runs_that_fail_leave_nothing_that_their_user_cannot_remove(self):
        self.write("fails.yml", FAILS)
        os.chmod(self.path("fails.yml"), 0o644)
        for umask in (0o777, 0o277, 0o077, 0o000):
            with self.subTest(oct(umask)):
                for words, code in (
                        (["-n", "2", "sh", "-c", "echo said; exit 3"], 3),
                        (["--fake-nodes", "2", "-n", "2", "sh", "-c", "kill -9 $$"], 137),
                        (["-n", "1", "--timeout", "0.2", "sleep", self.mark], TIMEOUT),
                        (["-n", "1", "no-such-program"], CANNOT_START)):
                    self.masked(umask, "run", *words, code=code)
                self.masked(umask, "submit", "fails.yml", code=4)
                self.assert_mode_of_all()
                self.assertIn("said", self.masked(umask, "logs", "last").text)
                self.assertIn("exited with code 4", self.masked(umask, "report", "last").text)
                self.masked(umask, "rm", "--yes", "--older-than", "0s")
                left = [name for name in os.listdir(self.path("state/records")) if name[0] != "."]
                self.assertEqual(left, [])

    def test_what_other_runs_go_on_from_can_be_used(self):
        """Ranks that say so themselves make files that others can read."""
        for name, text in (("own.yml", PIPELINE.replace("command: ", "command: umask 022; ")),
                           ("checkpoints.yml", CHECKPOINTS)):
            self.write(name, text)
        for umask in (0o777, 0o277, 0o077, 0o000):
            with self.subTest(oct(umask)):
                done = self.masked(umask, "submit", "own.yml")
                self.assertIn("second: kept\n", done.text)
                self.masked(umask, "rerun", "last")
                best = self.path(f"best.{umask:o}")
                self.write("sweep.yml", SWEEP.replace("command: ", "command: umask 022; ") % best)
                self.masked(umask, "submit", "sweep.yml")
                self.assertEqual(self.read(best), b"made 2\n")
                done = self.masked(umask, "submit", "checkpoints.yml", code=1)
                self.assertEqual(done.text, "1\n")
                self.assertEqual(self.masked(umask, "rerun", "last").text, "2\n")
                self.assert_mode_of_all()
                self.masked(umask, "gc", "--older-than", "0s")
                self.masked(umask, "rm", "--yes", "--older-than", "0s")
                left = [name for name in os.listdir(self.path("state/records")) if name[0] != "."]
                self.assertEqual(left, [])

    def test_packages_can_be_used(self):
        self.write("packages.yml", PACKAGES)
        os.mkdir(self.path("bin"))
        self.write("bin/conda", CONDA, 0o755)
        for umask in (0o777, 0o277, 0o077, 0o000):
            with self.subTest(oct(umask)):
                cache = self.path(f"cache.{umask:o}")
                for _ in ("made", "found"):
                    done = self.masked(umask, "submit", "packages.yml", XDG_CACHE_HOME=cache,
                                       PATH=f"{self.path('bin')}:/usr/bin:/bin")
                    self.assertEqual(done.text, "there\n")
                for folder, _, _ in os.walk(cache):
                    mode = os.stat(folder).st_mode
                    self.assertEqual((mode & 0o700, mode & 0o002), (0o700, 0), folder)

    def test_ranks_have_the_user_s(self):
        self.write("umask.yml", "command: umask\n")
        self.write("steps.yml", "type: pipeline\njobs:\n  one: {command: umask}\n")
        for umask in (0o777, 0o027, 0o000):
            with self.subTest(oct(umask)):
                for words in (("run", "-n", "1", "sh", "-c", "umask"), ("submit", "umask.yml"),
                              ("submit", "steps.yml"),
                              ("run", "--fake-nodes", "1", "-n", "1", "sh", "-c", "umask")):
                    done = self.masked(umask, *words)
                    self.assertEqual(int(done.text.replace("one: ", ""), 8), umask, words)
                self.masked(umask, "run", "-d", "-n", "1", "sh", "-c", "umask")
                self.masked(umask, "wait", "last")
                told = self.masked(umask, "logs", "last").text
                self.assertEqual(int(told.replace("[0] ", ""), 8), umask)

    def test_programs_can_use_all_that_the_python_package_makes(self):
        program = self.write("makes.py", MAKES)
        for umask in (0o777, 0o277, 0o077, 0o000):
            with self.subTest(oct(umask)):
                folder = self.path(f"at.{umask:o}")
                os.makedirs(os.path.join(folder, "src/below"))
                for name in ("src/a", "src/below/b"):
                    self.write(os.path.join(folder, name), "code\n")
                for place, _, names in os.walk(folder):
                    for name in (".", *names):
                        os.chown(os.path.join(place, name), self.who.get("user", -1), -1)
                env = self.environment(
                    PYTHONPATH=os.path.join(ROOT, "python"), PYTHONDONTWRITEBYTECODE="1",
                    MUSTER=MUSTER, MUSTER_RECORDS=os.path.join(folder, "records"),
                    TMPDIR=self.path("tmp"))
                done = self.start(program, folder, command=(PYTHON,), env=env, cwd=folder,
                                  umask=umask, **self.who).finish()
                self.assertEqual((done.code, done.errors), (0, ""), done)


class Hosts(TravelCase):
    """Hosts whose login shell has the umask, and whose user modes count for, root or not."""

    def setUp(self):
        super().setUp()
        for host in NODES:
            self.addCleanup(os.remove, self.lab.path(host, RC))
        self.put("bin/conda", CONDA, NODES, 0o755)

    def log_in_with(self, umask):
        for host in NODES:
            with open(self.lab.path(host, RC), "w", encoding="utf-8") as file:
                file.write(LOGIN % umask)

    def assert_modes(self, host):
        """The user uses what muster has made there, and nobody else writes to it."""
        for top in (f"{HOME}/.cache", self.home + "/.local"):
            for folder, _, names in os.walk(self.lab.path(host, top)):
                for name in (".", *names):
                    mode = os.lstat(os.path.join(folder, name)).st_mode
                    wanted = 0o700 if stat.S_ISDIR(mode) else 0o400
                    if not stat.S_ISLNK(mode):
                        self.assertEqual((mode & wanted, mode & 0o002), (wanted, 0),
                                         os.path.join(host, folder, name))

    def test_all_that_travels_can_be_used(self):
        job = CODE_JOB.replace("outputs:", "checkpoints: true\noutputs:")
        do = ("umask 022; cat a.txt; ./sub/run.sh; mkdir ${{outputs.model}}/$RANK; "
              "cp a.txt ${{outputs.model}}/$RANK/model; cd $MUSTER_CHECKPOINTS; "
              "[ $RANK = 0 ] || exit 0; echo . >> all; wc -l < all; [ $(wc -l < all) = 2 ]")
        for umask in (0o777, 0o277, 0o077, 0o000):
            with self.subTest(oct(umask)):
                self.log_in_with(umask)
                self.put("src/a.txt", f"{umask:o}\n", ["head"])  # comes there each time
                said = [f"{umask:o}"] * 2 + ["node1 code", "node2 code"]
                done = self.does(do, job=job, code=1)
                # Rank 1 is ended, whatever it has said by then.
                self.assertGreaterEqual(set(done.lines), {"1", f"{umask:o}", "node1 code"}, done)
                done = self.types("muster rerun last")
                self.assertEqual(done.lines, sorted(["2", *said]), done)
                self.assertNotIn("cannot", done.errors)
                for rank in "01":
                    self.assertEqual(self.from_record("outputs", "model", rank, "model"),
                                     f"{umask:o}\n".encode())
                for host in ("node1", "node2"):
                    self.assert_modes(host)

    def test_packages_can_be_used(self):
        for umask in (0o777, 0o277, 0o077, 0o000):
            with self.subTest(oct(umask)):
                self.log_in_with(umask)
                packages = PACKAGES.replace("muster: 1\n", TWO).replace("mkl", f"mkl={umask}")
                for _ in ("made", "found"):
                    self.put("job.yml", packages, ["head"])
                    done = self.types("muster submit job.yml -H node1:1,node2:1")
                    self.assertEqual(done.text, "there\n" * 2, done)
                for host in ("node1", "node2"):
                    self.assert_modes(host)

    def test_ranks_have_the_one_of_their_host(self):
        for umask in (0o777, 0o027, 0o000):
            with self.subTest(oct(umask)):
                self.log_in_with(umask)
                self.put("job.yml", TWO + "command: umask\n", ["head"])
                for words in ("run -H node1,node2 -n 2 sh -c umask",
                              "submit job.yml -H node1:1,node2:1"):
                    done = self.types(f"muster {words}")
                    self.assertEqual([int(line, 8) for line in done.lines], [umask] * 2, done)
                    self.assert_hosts_clean()


if __name__ == "__main__":
    run_tests()
