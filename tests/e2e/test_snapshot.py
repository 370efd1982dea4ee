"""Snapshots of a job's code: ranks run in a copy that stays as it was, and reruns run what ran."""

# rooms: snapshot blobs store cli
# attacks

import json
import os
import random
import shutil
import socket
import stat
import subprocess
import unittest

from support import BAD_FILE, MUSTER, PYTHON, ROOT, UNTIL_GO, USAGE, Case, no_small_disk, run_tests

JOB = """muster: 1
code: src
command: ${{inputs.do}}
inputs:
  do: cat a.txt
"""


class SnapshotCase(Case):
    def setUp(self):
        super().setUp()
        self.write("job.yml", JOB)
        self.put("a.txt", "then\n")

    def put(self, name, content="", mode=0o644):
        os.makedirs(os.path.dirname(self.path("src", name)), exist_ok=True)
        return self.write(os.path.join("src", name), content, mode)

    def told(self, command, *words, code=0, **more):
        done = self.start(*words, command=(MUSTER, command), **more).finish()
        self.assertEqual(done.code, code, done)
        return done

    def submit(self, do, *words, code=0, **more):
        return self.told("submit", "job.yml", "--set", "inputs.do=" + do, *words, code=code, **more)

    def show(self, run="last"):
        return json.loads(self.told("show", run, "--json").text)

    def files(self):
        """Of the last run's copy, with their folders."""
        code = self.show()["code"]
        return {os.path.relpath(os.path.join(folder, name), code)
                for folder, folders, names in os.walk(code) for name in folders + names}

    def blobs(self):
        return [os.path.join(folder, name) for folder, _, names
                in os.walk(self.path(".local/state/muster/runs/.blobs"))
                for name in names if len(name) == 62]


class Copies(SnapshotCase):
    def test_what_is_edited_meanwhile_changes_nothing(self):
        do = f'echo > "$DIR/ready.0"; {UNTIL_GO}; cat a.txt sub/b.txt'
        self.put("sub/b.txt", "b\n")
        job = self.start("submit", "job.yml", "--set", "inputs.do=" + do, command=(MUSTER,))
        self.wait_for_files(["ready.0"])
        self.put("a.txt", "now\n")
        os.unlink(self.path("src", "sub", "b.txt"))
        self.write("go", "")
        done = job.finish()
        self.assertEqual((done.code, done.text), (0, "then\nb\n"), done)

    def test_a_rerun_runs_what_ran(self):
        self.submit("cat a.txt")
        first = self.show()["run"]
        self.put("a.txt", "now\n")
        self.assertEqual(self.told("rerun", first).text, "then\n")
        shutil.rmtree(self.path("src"))
        self.assertEqual(self.told("rerun", "last").text, "then\n")
        self.put("a.txt", "fresh\n")
        self.assertEqual(self.told("rerun", "--fresh-code", first).text, "fresh\n")
        self.assertEqual(self.told("rerun", first).text, "then\n")

    def test_what_ranks_write_stays_in_the_record(self):
        self.submit("echo made > made.txt; echo changed > a.txt; pwd")
        run = self.show()
        self.assertEqual(run["code"], run["folder"] + "/code")
        self.assertEqual(self.told("logs", "last").text.split()[-1], run["code"])
        with open(run["code"] + "/made.txt", encoding="utf-8") as file:
            self.assertEqual(file.read(), "made\n")
        self.assertIn(f"\ncode        {run['code']}\n", self.told("show", "last").text)
        self.assertEqual(os.listdir(self.path("src")), ["a.txt"])
        self.assertEqual(self.read("src", "a.txt"), b"then\n")
        self.assertEqual(self.told("rerun", "last", "--json", "--detach").code, 0)
        self.told("wait", "last")
        self.assertEqual(self.told("report", run["run"]).code, 0)

    def test_modes_and_times_are_kept(self):
        self.put("run.sh", "#!/bin/sh\necho ran\n", 0o755)
        os.utime(self.path("src", "a.txt"), ns=(0, 1234567890123456789))
        self.assertEqual(self.submit("./run.sh; stat -c %Y a.txt").text, "ran\n1234567890\n")

    def test_all_ranks_share_the_copy(self):
        self.write("job.yml", JOB + "distribution: {type: mpi, node_count: 2, "
                   "process_count_per_node: 2}\n")
        self.submit("touch by.$OMPI_COMM_WORLD_RANK", "--fake-nodes", "2")
        self.assertEqual(self.files(), {"a.txt", "by.0", "by.1", "by.2", "by.3"})

    def test_a_launcher_in_the_command_runs_there(self):
        self.put("who.sh", "#!/bin/sh\necho $OMPI_COMM_WORLD_RANK $(basename $PWD)\n", 0o755)
        done = self.submit("mpirun -np 2 ./who.sh", "--fake-nodes", "2")
        self.assertEqual(sorted(done.lines), ["0 code", "1 code"], done)

    def test_equal_files_are_kept_once(self):
        self.put("again.txt", "then\n")
        self.submit("true")
        self.submit("true")
        self.assertEqual(len(self.blobs()), 1)
        self.assertEqual(stat.S_IMODE(os.stat(self.blobs()[0]).st_mode), 0o400)

    def test_nobody_else_may_read_it(self):
        self.submit("true")
        records = self.path(".local/state/muster/runs")
        for folder in (records, records + "/.blobs", self.show()["code"]):
            self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700, folder)

    def test_a_damaged_blob_is_told(self):
        self.submit("true")
        blob, = self.blobs()
        os.chmod(blob, 0o600)
        with open(blob, "w", encoding="utf-8") as file:
            file.write("thin\n")
        done = self.told("rerun", "last", code=BAD_FILE)
        self.assertRegex(done.errors, "was damaged, and has been removed\n.*--fresh-code")
        self.assertEqual(self.submit("cat a.txt").text, "then\n")

    def test_no_half_record_is_left(self):
        self.submit("true")
        os.unlink(self.blobs()[0])
        self.told("rerun", "last", code=BAD_FILE)
        left = os.listdir(self.path(".local/state/muster/runs"))
        self.assertEqual([name for name in left if name.startswith(".new-")], [])


class Clones(SnapshotCase):
    """On a disk whose file system lets files share blocks."""

    def test_what_is_copied_shares_its_blocks(self):
        if reason := no_small_disk():
            self.skipTest(reason)
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        make = next(filter(None, (shutil.which(f"mkfs.{one}", path=path)
                                  for one in ("btrfs", "xfs"))), None)
        if not make or not shutil.which("filefrag", path=path):
            self.skipTest("needs mkfs.btrfs or mkfs.xfs, and filefrag")
        script = (f'truncate -s 400M image; {make} -q image; mkdir disk; mount -o loop image disk\n'
                  'cp -r job.yml src disk; cd disk; head -c 5000000 /dev/urandom > src/large\n'
                  f'MUSTER_RECORDS="$PWD/runs" {MUSTER} submit job.yml; sync\n'
                  'find . -type f -size +4000k -exec filefrag -v {} +\n')
        done = self.start(command=("unshare", "-m", "sh", "-ec", script),
                          env=self.environment(PATH=path)).finish()
        self.assertEqual(done.code, 0, done)
        files = done.text.split("Filesystem type")[-1].split("File size of ")[1:]
        self.assertEqual(len(files), 3, "the file, what is kept of it, and the copy")
        for one in files:
            self.assertIn("shared", one)


class RunFolders(SnapshotCase):
    """A job of Azure ML's finds ./outputs and ./logs in its working folder."""

    JOB = ("code: src\ncommand: test -d outputs && touch logs/made && ls -A outputs\n"
           "distribution: {type: mpi, process_count_per_instance: 1}\n")

    def test_they_are_there(self):
        self.write("job.yml", self.JOB)
        self.told("submit", "job.yml")
        self.assertEqual(self.files(), {"a.txt", "logs", "outputs", "logs/made"})
        self.told("rerun", "last")
        self.assertEqual(self.files(), {"a.txt", "logs", "outputs", "logs/made"})

    def test_those_of_the_code_stay_as_they_are(self):
        self.put("outputs/x")
        self.write("job.yml", self.JOB)
        self.assertEqual(self.told("submit", "job.yml").text, "x\n")

    def test_on_every_node_and_for_launchers_in_the_command(self):
        self.write("job.yml", "code: src\ncommand: mpirun -np 2 touch outputs/of.$$\n"
                   "resources: {instance_count: 2}\ndistribution: {type: mpi}\n")
        self.told("submit", "job.yml", "--fake-nodes", "2")

    def test_an_output_named_artifacts_is_where_they_lie(self):
        self.write("job.yml", "code: src\ncommand: echo x > outputs/x && ls "
                   "${{outputs.artifacts}}/outputs\noutputs: {artifacts: {type: custom_model}}\n")
        self.assertEqual(self.told("submit", "job.yml").text, "x\n")
        self.assertEqual(self.show()["outputs"], {"artifacts": self.show()["code"]})
        self.told("validate", "job.yml")

    def test_without_a_copy_artifacts_are_an_output_like_others(self):
        job = ("command: echo x > ${{outputs.artifacts}}/x\n"
               "outputs: {artifacts: {type: uri_folder}}\n")
        for more, words in (("", ()), ("code: src\n", ("--no-snapshot",))):
            self.write("job.yml", job + more)
            self.told("submit", "job.yml", *words)
            for again in (False, True):
                if again:
                    self.told("rerun", "last")
                run = self.show()
                place = run["folder"] + "/outputs/artifacts"
                self.assertEqual(run["outputs"], {"artifacts": place})
                self.assertTrue(os.path.isfile(place + "/x"), run)

    def test_a_job_of_musters_own_form_has_none(self):
        self.submit("mkdir outputs")
        self.assertEqual(self.files(), {"a.txt", "outputs"})


class Logged(SnapshotCase):
    """What ranks log through MLflow lies in the record, and is shown."""

    JOB = ("code: src\ncommand: python3 -m muster log.py\n"
           "distribution: {type: mpi, process_count_per_instance: 2}\n")
    LOG = ("import os, mlflow\nmlflow.log_metric('loss', 4.0)\n"
           "mlflow.log_metric('loss', 0.5 + int(os.environ['RANK']))\n"
           "mlflow.log_param('lr', 0.1)\n")

    def environment(self, **more):
        return super().environment(PYTHONPATH=os.path.join(ROOT, "python"), **more)

    def setUp(self):
        super().setUp()
        self.put("log.py", self.LOG)
        self.write("job.yml", self.JOB)

    def test_of_a_submitted_job(self):
        self.told("submit", "job.yml")
        run = self.show()
        self.assertEqual((run["metrics"], run["params"]), ({"loss": 0.5}, {"lr": "0.1"}))
        text = self.told("show", "last").text
        self.assertRegex(text, r"\nmetric      loss=0\.5 \(step \d\)\nparam       lr=0\.1\n")

    def test_unless_somebody_says_where(self):
        other = "file://" + self.path("other")
        for env, job in (({"MLFLOW_TRACKING_URI": other}, ""),
                         ({}, f"environment_variables: {{MLFLOW_TRACKING_URI: '{other}'}}\n")):
            self.write("job.yml", self.JOB + job)
            self.told("submit", "job.yml", env=self.environment(**env))
            self.assertNotIn("metrics", self.show())
            self.assertTrue(os.listdir(self.path("other")))
            shutil.rmtree(self.path("other"))

    def test_explain_shows_it(self):
        text = self.told("explain", "job.yml").text
        self.assertRegex(text, r"MLFLOW_TRACKING_URI=file://\S+/<run>/mlruns ")
        text = self.told("explain", "job.yml", "--dialects", "^mlflow").text
        self.assertNotIn("MLFLOW_TRACKING_URI", text)

    def test_where_no_record_can_be_made(self):
        self.write("job.yml", "command: env | grep -c ^MLFLOW_TRACKING_URI\n")
        self.write("file", "")
        done = self.start("submit", "job.yml", command=(MUSTER,),
                          env=self.environment(MUSTER_RECORDS=self.path("file/runs"))).finish()
        self.assertEqual((done.code, done.text), (1, "0\n"), done)


class Removed(SnapshotCase):
    def test_rm_takes_contents_that_no_other_record_names(self):
        self.put("b.txt", "both\n")
        self.submit("true")
        first = self.show()["run"]
        self.put("a.txt", "now\n")
        self.submit("true")
        self.assertEqual(len(self.blobs()), 3)
        self.told("rm", first)
        self.assertEqual(len(self.blobs()), 2)
        self.assertEqual(self.told("rerun", "last").code, 0)
        self.told("rm", "--older-than", "0s", "--yes")
        self.assertEqual(self.blobs(), [])

    def test_folders_within_each_other_go_at_any_depth(self):
        """More of them than a process may have open."""
        deep = (f"{PYTHON} -c \"import os; [(os.mkdir('d'), os.chdir('d')) "
                "for _ in range(1200)]\"")
        self.submit(deep)
        self.told("rm", "last")
        self.submit(deep)
        told = json.loads(self.told("gc", "--older-than", "0s", "--json").text)
        self.assertEqual((told["records"]["count"], told["failed"]), (1, []))
        left = os.listdir(self.path(".local/state/muster/runs"))
        self.assertEqual([name for name in left if name.startswith((".gone-", "2"))], [])

    def test_what_runs_keeps_its_own(self):
        do = f'echo > "$DIR/ready.0"; {UNTIL_GO}; cat a.txt'
        self.submit("true")
        first = self.show()["run"]
        job = self.start("submit", "job.yml", "--set", "inputs.do=" + do, command=(MUSTER,))
        self.wait_for_files(["ready.0"])
        self.told("rm", first)
        self.assertEqual(len(self.blobs()), 1)
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)
        self.assertEqual(self.told("rerun", "last").code, 0)
        # A run that has begun keeps nobody from removing what others named.
        self.put("a.txt", "now\n")
        self.submit("true")
        other = self.show()["run"]
        os.unlink(self.path("go"))
        os.unlink(self.path("ready.0"))
        self.put("a.txt", "then\n")
        job = self.start("submit", "job.yml", "--set", "inputs.do=" + do, command=(MUSTER,))
        self.wait_for_files(["ready.0"])
        self.told("rm", other)
        self.assertEqual(len(self.blobs()), 1)
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)


class InPlace(SnapshotCase):
    def check(self, *words):
        done = self.submit("pwd; touch made", *words)
        self.assertEqual(done.text.strip(), os.path.realpath(self.path("src")))
        self.assertTrue(os.path.exists(self.path("src", "made")))
        self.assertIsNone(self.show()["code"])

    def test_as_the_command_line_asks(self):
        self.check("--no-snapshot")
        self.put("a.txt", "now\n")
        self.assertEqual(self.told("rerun", "last").lines, [os.path.realpath(self.path("src"))])

    def test_as_the_job_file_asks(self):
        self.write("job.yml", JOB + "snapshot: false\n")
        self.check()

    def test_without_a_code_folder(self):
        self.write("job.yml", JOB.replace("code: src\n", ""))
        self.assertEqual(self.submit("pwd").text.strip(), os.path.realpath(self.folder))
        self.assertIsNone(self.show()["code"])


class Limits(SnapshotCase):
    def setUp(self):
        super().setUp()
        self.put("data/one.bin", b"x" * 700_000)
        self.put("data/two.bin", b"x" * 700_000)
        self.put("model.bin", b"x" * 500_000)

    def test_too_much_names_the_largest(self):
        done = self.submit("true", "--snapshot-limit", "1MB", code=BAD_FILE)
        self.assertRegex(done.errors, r"the code in \S*/src has 1\.9 MB, more than the 1\.0 MB "
                         r"of a snapshot; the largest: data \(1\.4 MB\), model\.bin \(500 kB\), "
                         r"a\.txt")
        self.assertIn("--snapshot-limit", done.errors)
        self.assertEqual(json.loads(self.told("ps", "--json").text), [])
        self.assertEqual(self.told("explain", "job.yml", "--snapshot-limit", "1MB",
                                   code=BAD_FILE).text, "")

    def test_folders_that_are_nested_too_deep_are_named(self):
        self.put("d/" * 400 + "file")
        done = self.submit("true", code=BAD_FILE)
        self.assertRegex(done.errors, r"cannot read the code in \S*/src/d/d/\S*\.\.\.: "
                         "nested more than 256 folders deep")
        self.assertIn(".amlignore", done.errors)
        self.put(".amlignore", "d/\n")
        self.submit("true")

    def test_what_raises_it(self):
        self.submit("true", "--snapshot-limit", "2MB")
        self.write("job.yml", JOB + "snapshot_limit: 1MB\n")
        self.submit("true", code=BAD_FILE)
        self.submit("true", "--snapshot-limit", "2MB")
        self.put(".amlignore", "data/\n")
        self.submit("true")
        self.assertEqual(self.files(), {".amlignore", "a.txt", "model.bin"})

    def test_what_is_no_size(self):
        self.submit("true", "--snapshot-limit", "much", code=USAGE)
        self.write("job.yml", JOB + "snapshot_limit: 2 potatoes\n")
        done = self.submit("true", code=BAD_FILE)
        self.assertIn("snapshot_limit must be a size, not '2 potatoes'", done.errors)


class Told(SnapshotCase):
    def test_explain_says_what_would_be_copied(self):
        self.put("data/x", "12345")
        self.put(".gitignore", "*.log\n")
        self.put("b.log")
        os.symlink("/etc/hosts", self.path("src", "hosts"))
        text = self.told("explain", "job.yml").text
        self.assertRegex(text, r"\ncode\n  \S*/src: 3 files, 16 bytes, of which the run gets a copy"
                         r"\n  links .*: hosts -> /etc/hosts\n")
        told = json.loads(self.told("explain", "job.yml", "--json").text)
        self.assertEqual((told["code"]["files"], told["code"]["bytes"]), (3, 16))
        self.assertEqual(told["apps"][0]["workdir"],
                         self.path(".local/state/muster/runs/<run>/code"))
        self.assertEqual(self.blobs(), [])

    def test_links_that_lead_out(self):
        self.write("data.txt", "data\n")
        os.makedirs(self.path("src", "sub"))
        os.symlink("../data.txt", self.path("src", "data"))
        os.symlink("../../data.txt", self.path("src", "sub", "deep"))
        os.symlink("../a.txt", self.path("src", "sub", "inside"))
        done = self.submit("cat data sub/deep sub/inside")
        self.assertEqual(done.text, "data\ndata\nthen\n")
        there = os.path.realpath(self.path("data.txt"))
        self.assertIn("muster: links in the code that lead out of its folder stay links to that "
                      f"place: data -> {there}, sub/deep -> {there}\n", done.errors)
        self.assertEqual(os.readlink(self.show()["code"] + "/sub/inside"), "../a.txt")

    def test_what_is_no_file(self):
        os.mkfifo(self.path("src", "pipe"))
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path("src", "socket"))
        self.addCleanup(listener.close)
        self.put("odd\nname", "x")
        self.put("\x1b[31mred", "x")
        done = self.submit("ls")
        self.assertEqual(done.lines, ["a.txt"])
        self.assertEqual(len(done.errors.splitlines()), 1, done)
        for what in ("pipe (a fifo)", "socket (a socket)", r"odd\nname", r"\x1b[31mred"):
            self.assertIn(what, done.errors)

    def test_a_folder_that_cannot_be_read(self):
        if os.geteuid() == 0:
            self.skipTest("root reads everything")
        os.makedirs(self.path("src", "closed"), 0)
        done = self.submit("true", code=BAD_FILE)
        self.assertRegex(done.errors, r"src/closed: Permission denied\n +hint: .*\.amlignore")

    def test_a_manifest_that_was_changed(self):
        self.submit("true")
        with open(self.show()["folder"] + "/code.manifest", "a", encoding="utf-8") as file:
            file.write("l 4 /etc ../out\n")
        done = self.told("rerun", "last", code=BAD_FILE)
        self.assertIn("line 3 of the snapshot makes no sense", done.errors)

    def test_the_records_are_no_part_of_it(self):
        env = self.environment(MUSTER_RECORDS=self.path("src", "runs"))
        self.submit("true", env=env)
        self.assertEqual(self.submit("ls", env=env).lines, ["a.txt"])


class Changing(SnapshotCase):
    def test_each_copy_of_a_file_that_changes_is_one_state_of_it(self):
        """A writer replaces its content in place; what is copied is what was there at one time."""
        path = self.put("busy", "a" * 300_000)
        writer = self.start("-c", f"while :; do for c in a b; do head -c 300000 /dev/zero | "
                            f"tr '\\0' $c > {path}.new; mv {path}.new {path}; done; done",
                            command=("/bin/sh",))
        for _ in range(10):
            done = self.submit("fold -w1 busy | sort -u | wc -l; wc -c < busy")
            self.assertEqual(done.lines, ["1", "300000"], done)
        writer.send(9)


class Ignores(SnapshotCase):
    PATTERNS = ["*.o", "/a", "b/", "a/b", "**/c", "a/**", "a/**/c", "!c", "!/a", "!*.o", "?",
                "[ab]", "[!a]*", "a*", "*b", "!b/", "c.o", "/a/", "\\!x", "!a/b/c", "# no", "x  ",
                "a/*", "!a/b", "*", "!*/", "**/b/", "b/**", "[[:alpha:]].o", "a.[!o]"]
    NAMES = ["a", "b", "c", "a.o", "c.o", "!x", "x", "ab", "a.h"]

    def tree(self, dice):
        shutil.rmtree(self.path("src"))
        for _ in range(dice.randint(5, 25)):
            parts = [dice.choice(self.NAMES) for _ in range(dice.randint(1, 4))]
            folder = self.path("src", *parts[:-1])
            try:
                os.makedirs(folder, exist_ok=True)
                with open(os.path.join(folder, parts[-1]), "w", encoding="utf-8"):
                    pass
            except OSError:
                continue  # a file where a folder should be, or the other way round
        for folder, _, _ in list(os.walk(self.path("src"))):
            if folder == self.path("src") or dice.random() < 0.2:
                rules = [dice.choice(self.PATTERNS) for _ in range(dice.randint(1, 5))]
                with open(os.path.join(folder, ".gitignore"), "w", encoding="utf-8") as file:
                    file.write("\n".join(rules) + "\n")

    def git(self, *words):
        return subprocess.run(["git", "-c", "safe.directory=*", *words], cwd=self.path("src"),
                              env=self.environment(), check=True, stdout=subprocess.PIPE).stdout

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_they_are_read_as_git_reads_them(self):
        seed = random.randrange(2**32)
        dice = random.Random(seed)
        for _ in range(40):
            self.tree(dice)
            self.submit("true")
            code = self.show()["code"]
            ours = {path for path in self.files() if not os.path.isdir(os.path.join(code, path))}
            self.git("init", "-q")
            listed = self.git("ls-files", "-z", "--others", "--exclude-standard").decode()
            self.assertEqual(ours, set(filter(None, listed.split("\0"))), f"seed {seed}")


if __name__ == "__main__":
    run_tests()
