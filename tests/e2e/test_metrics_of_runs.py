"""Where ranks log metrics: in the record of each run that keeps one, and nowhere else."""

# rooms: cli plan head store

import json
import os
import re
import shlex

from support import MUSTER, Case, run_tests
from test_detection import SSH

PRINT = ("sh", "-c", 'echo "<$MLFLOW_TRACKING_URI>$MLFLOW_ALLOW_FILE_STORE"')
# As soon as it runs, what MLflow would write.
LOG = """run=${MLFLOW_TRACKING_URI#file://}/0/run
mkdir -p "$run/metrics" "$run/params"
echo "1700000000000 0.5 3" > "$run/metrics/loss"
printf 0.1 > "$run/params/lr"
"""


class Metrics(Case):
    def environment(self, **more):
        return super().environment(MUSTER_RECORDS=self.path("records"), **more)

    def told(self, *words, **more):
        done = self.start(*words, command=(MUSTER,), env=self.environment(**more)).finish()
        self.assertEqual(done.code, 0, done)
        return done

    def seen(self, *words, **more):
        return self.told(*words, *PRINT, **more).lines

    def record(self):
        return json.loads(self.told("show", "last", "--json").text)

    def test_they_stand_in_the_record(self):
        for words in (["run", "-n", "1"], ["run", "--detach", "-n", "1"],
                      ["run", "--fake-nodes", "1", "-n", "1"], ["mpirun", "-n", "1"],
                      ["mpiexec.hydra", "-n", "1"], ["torchrun", "--no_python"],
                      ["horovodrun", "-np", "1"]):
            with self.subTest(words=words):
                self.told(*words, "sh", "-c", LOG, MUSTER_RECORD="yes")
                self.told("wait", "last")
                record = self.record()
                self.assertEqual((record["metrics"], record["params"]),
                                 ({"loss": 0.5}, {"lr": "0.1"}))
                self.assertIn("\nmetric      loss=0.5 (step 3)\n", self.told("show", "last").text)

    def test_each_run_has_its_own(self):
        for words in (["run", "-n", "2"], ["mpirun", "-n", "2"],
                      ["mpirun", "-H", "localhost:2", "-n", "2"]):
            first, other = self.seen(*words, MUSTER_RECORD="yes")
            self.assertEqual(first, other)
            folder = self.record()["folder"]
            self.assertEqual(first, f"<file://{folder}/mlruns>true")
            self.assertNotIn("mlruns", os.listdir(self.record()["folder"]))

    def test_runs_that_keep_no_record_have_none(self):
        """Nor do those whose record cannot be kept."""
        self.write("file", "")
        for words, more in ((["run", "--no-record", "-n", "1"], {}),
                            (["run", "-n", "1"], {"MUSTER_RECORD": "no"}),
                            (["mpirun", "-n", "1"], {}), (["torchrun", "--no_python"], {}),
                            (["run", "-n", "1"], {"HOME": "", "MUSTER_RECORDS": ""})):
            env = {**self.environment(), **more}
            done = self.start(*words, *PRINT, command=(MUSTER,), env=env).finish()
            self.assertEqual((done.code, done.lines), (0, ["<>"]), done)
        env = {**self.environment(), "MUSTER_RECORDS": self.path("file/records")}
        done = self.start("run", "-n", "1", *PRINT, command=(MUSTER,), env=env).finish()
        self.assertEqual((done.code, done.lines), (0, ["<>true"]), done)

    def test_what_the_user_says_counts(self):
        own = "http://127.0.0.1:1"
        for words, more in ((["run", "-n", "1"], {"MLFLOW_TRACKING_URI": own}),
                            (["run", "-n", "1", "-x", "MLFLOW_TRACKING_URI=" + own], {}),
                            (["mpirun", "-n", "1", "-x", "MLFLOW_TRACKING_URI=" + own],
                             {"MUSTER_RECORD": "yes"})):
            self.assertEqual(self.seen(*words, **more), [f"<{own}>"])
        # A run or an experiment that is named by its number is where MLflow has it.
        for name in ("MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID"):
            self.assertEqual(self.seen("run", "-n", "1", **{name: "1"}), ["<>"])
            self.assertEqual(self.seen("run", "-n", "1", "-x", name + "=1"), ["<>"])
        for words in (["--dialects", "^mlflow"], ["--unset", "MLFLOW_TRACKING_URI"]):
            self.assertEqual(self.seen("run", "-n", "1", *words), ["<>"])

    def test_other_hosts_would_keep_it_to_themselves(self):
        """They need not see the record, and nothing of a run is copied back."""
        os.mkdir(self.path("bin"))
        self.write("bin/ssh", SSH, 0o755)
        path = f"{self.path('bin')}:/usr/bin:/bin"
        for hosts, there in (("localhost:1,n2:1", 1), ("n1:1,n2:1", 0)):
            seen = self.seen("run", "-n", "2", "-H", hosts, PATH=path)
            self.assertEqual(sorted(line == "<>" for line in seen), [False] * there +
                             [True] * (2 - there))

    def test_nor_does_a_launcher_in_a_rank_take_it_there(self):
        os.mkdir(self.path("bin"))
        # As sshd does, it hands nothing on.
        self.write("bin/ssh", SSH.replace("\nexec", "\nunset MLFLOW_TRACKING_URI "
                                          "MLFLOW_ALLOW_FILE_STORE\nexec"), 0o755)
        path = f"{self.path('bin')}:/usr/bin:/bin"
        inner = f"{PRINT[2]}; {MUSTER} run -n 2 -H localhost:1,n2:1 {shlex.join(PRINT)}"
        done = self.told("run", "-n", "1", "sh", "-c", inner, PATH=path)
        said = sorted(done.lines)
        self.assertEqual(said[0], "<>", said)
        self.assertEqual(said[1], said[2])
        self.assertRegex(said[1], "<file://.*/mlruns>true")

    def test_a_dry_run_shows_it(self):
        line = r"\n  MLFLOW_TRACKING_URI=file://\S+/records/<run>/mlruns  \(MLflow\)\n"
        self.assertRegex(self.told("run", "--dry-run", "--env", "-n", "1", "true").text, line)
        for words in (["run", "--no-record"], ["mpirun"], ["run", "-H", "n1,n2"]):
            text = self.told(*words, "--dry-run", *(["--env"] if words[0] == "run" else []), "-n",
                             "2", "true").text
            self.assertFalse(re.search("MLFLOW_TRACKING_URI", text), text)


if __name__ == "__main__":
    run_tests()
