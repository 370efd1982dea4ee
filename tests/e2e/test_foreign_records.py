"""A folder of records, or a cluster, that several users write to: nobody runs, stops or removes
what another one has put there without saying so."""

# rooms: cli cluster store front
# attacks

import base64
import fcntl
import json
import os
import re
import shutil
import unittest

import own
from support import BAD_FILE, MUSTER, PYTHON, ROOT, USAGE, Case, run_tests

STEPS = """\
type: pipeline
jobs:
  a:
    command: echo a > ${{outputs.o}}/file; echo a >> $DIR/ran
    outputs: {o: {type: uri_folder}}
  b:
    command: test -e $DIR/go
    inputs: {o: "${{parent.jobs.a.outputs.o}}"}
"""
CHECKPOINTS = """\
muster: 1
checkpoints: true
command: cat $MUSTER_CHECKPOINTS/file; echo mine > $MUSTER_CHECKPOINTS/file; exit 1
"""
JOB = "name: line\ncommand: echo mine >> $DIR/done\n"
PIPELINE = """\
type: pipeline
settings: {force_rerun: false}
jobs:
  only: {component: ./only.yml}
"""
ONLY = """\
$schema: commandComponent
is_deterministic: true
code: src
command: echo ran >> $DIR/done; echo x > ${{outputs.made}}/file
outputs: {made: {}}
"""


@unittest.skipIf(os.getuid() != 0, "only root can give files away")
class Foreign(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("shared"))
        os.chmod(self.path("shared"), 0o1777)
        self.write("job.yml", JOB)
        self.other = own.users()

    def environment(self, **more):
        return super().environment(MUSTER_RECORDS=self.path("shared"), **more)

    def told(self, *words, code=0):
        done = self.start(*words, command=(MUSTER,)).finish()
        self.assertEqual(done.code, code, done)
        return done

    def runs(self):
        return sorted(name for name in os.listdir(self.path("shared")) if name[0] != ".")

    def submitted(self, name="job.yml"):
        before = self.runs()
        self.told("submit", name)
        return [run for run in self.runs() if run not in before][0]

    def given_away(self):
        """A run that another user has put there, after mine."""
        run = self.submitted()
        os.chown(self.path("shared", run), self.other, self.other)
        return run

    def test_names_that_are_not_whole_mean_runs_of_mine(self):
        mine = self.submitted()
        self.given_away()
        for word in ("last", "line", mine[:4]):
            self.assertEqual(json.loads(self.told("show", word, "--json").text)["run"], mine)
        self.told("rerun", "last")
        self.assertEqual(len(self.read("done").splitlines()), 3)

    def test_without_one_of_mine_nothing_is_meant(self):
        run = self.given_away()
        for word in ("last", "line", run[:4]):
            done = self.told("rerun", word, code=USAGE)
            self.assertIn("is yours\n  hint: a run of another user is meant by its whole name\n",
                          done.errors)

    def test_names_that_another_user_may_have_registered_are_not_used(self):
        env = self.environment(PYTHONPATH=os.path.join(ROOT, "python"), PYTHONDONTWRITEBYTECODE="1")
        def program(words, code=0):
            words = f"from muster.registers import Register\ndata = Register('data')\n{words}"
            done = self.start("-c", words, command=(PYTHON,), env=env).finish()
            self.assertEqual(done.code, code, done)
            return done
        self.write("rows.csv", "1,2\n")
        program(f"data.put('rows', '1', {{'path': {self.path('rows.csv')!r}}})")
        self.write("named.yml", "command: cat ${{inputs.rows}}\n"
                   "inputs: {rows: {type: uri_file, path: 'azureml:rows:1'}}\n")
        self.assertEqual(self.told("submit", "named.yml").text, "1,2\n")
        register = self.path("shared", ".registered")
        wrong = f"muster: {register} is not a folder of yours alone, so its names are not used\n"
        for owner, mode in (self.other, 0o755), (os.getuid(), 0o777):
            os.chown(register, owner, owner)
            os.chmod(register, mode)
            for verb in "submit", "explain":
                done = self.told(verb, "named.yml", code=BAD_FILE)
                self.assertEqual((done.text, done.errors.count(wrong)), ("", 1), done)
            done = program("print(data.names(), data.find('rows'), list(data.all()))")
            self.assertEqual((done.text, done.errors), ("[] None []\n", wrong))
            for words in "data.put('rows', '1', {})", "data.add('rows', '1', {})":
                self.assertIn("nothing can be registered here", program(words, code=1).errors)
        os.chmod(register, 0o755)
        self.assertEqual(self.told("submit", "named.yml").text, "1,2\n")

    def test_it_is_shown_with_its_owner_and_left_alone(self):
        run = self.given_away()
        note = f"muster: {run} is a run of another user (uid {self.other})\n"
        for verb in ("show", "logs", "report", "wait"):
            self.assertIn(note, self.told(verb, run).errors, verb)
        for verb in ("rerun", "stop", "rm"):
            done = self.told(verb, run, code=USAGE)
            self.assert_refused(done, USAGE, f"{run} is a run of another user", "--foreign")
        self.assertEqual(len(self.read("done").splitlines()), 1)
        self.told("stop", "--foreign", run)
        self.told("rerun", "--foreign", run)
        self.assertEqual(len(self.read("done").splitlines()), 2)
        self.told("rm", "--foreign", run)
        self.assertNotIn(run, self.runs())

    def test_lists_tell_the_owner(self):
        mine = self.submitted()
        run = self.given_away()
        owner = f"uid {self.other}"
        for _ in range(2):  # the second time, the index has been asked
            lines = self.told("ps").lines
            self.assertTrue(any(run in line and f"({owner}) line" in line for line in lines), lines)
            self.assertTrue(any(mine in line and "uid" not in line for line in lines), lines)
            found = {one["run"]: one for one in json.loads(self.told("ps", "--json").text)}
            self.assertEqual(found[run]["owner"], owner)
            self.assertNotIn("owner", found[mine])
        self.assertIn(f"owner       {owner}", self.told("show", run).text)
        self.assertEqual(json.loads(self.told("show", "--json", run).text)["owner"], owner)

    def test_links_in_it_lead_nowhere(self):
        """To what only this user may read, as another user might plant them."""
        self.write("secret", "mine alone\n")
        secret = self.path("secret")
        for name in ("streams/rank.0/stdout", "streams/rank.0", "streams", "report.txt",
                     "report.json", "events.jsonl", "spec.json", "plan.json"):
            with self.subTest(name):
                run = self.given_away()
                place = self.path("shared", run, name)
                if os.path.exists(place):  # a run that ended well needs no report
                    os.rename(place, place + ".was")
                target = secret
                if os.path.isdir(place + ".was"):
                    target = self.path("elsewhere")
                    shutil.rmtree(target, ignore_errors=True)
                    os.makedirs(os.path.join(target, "rank.0"))
                    for file in ("stdout", "rank.0/stdout"):
                        self.write(os.path.join("elsewhere", file), "mine alone\n")
                os.symlink(target, place)
                for verb in ("show", "logs", "report", "wait", "graph"):
                    done = self.start(run, command=(MUSTER, verb)).finish()
                    self.assertNotIn("mine alone", done.text + done.errors, verb)
                self.start("--foreign", run, command=(MUSTER, "rm")).finish()
                self.assertEqual(self.read("secret"), b"mine alone\n")

    def steps_run(self):
        """A pipeline of another user, whose step b fails until there is a file `go`."""
        self.write("steps.yml", STEPS)
        self.told("submit", "steps.yml", code=1)
        run = self.runs()[-1]
        os.mkdir(self.path("secret"))
        self.write("secret/key", "mine alone\n")
        self.write("go", "")
        return run, self.path("shared", run, "steps/a/outputs/o")

    def run_again(self, run):
        """What step a has in the new run."""
        os.chown(self.path("shared", run), self.other, self.other)
        done = self.told("rerun", "--foreign", run)
        fresh, = (one for one in self.runs() if one != run)
        return done, self.path("shared", fresh, "steps/a/outputs/o")

    def test_links_that_lead_out_of_its_outputs_are_not_taken(self):
        run, outputs = self.steps_run()
        for name, target in (("absolute", self.path("secret")), ("above", "../../../.."),
                             ("through", "same/../../../../.."), ("same", "file"),
                             ("beside", "../o/file")):
            os.symlink(target, os.path.join(outputs, name))
        done, copied = self.run_again(run)
        self.assertEqual(sorted(os.listdir(copied)), ["beside", "file", "same"])
        left_out = ", ".join(f"o/{name} (a link that leads out of it)"
                             for name in ("above", "absolute", "through"))
        said, = re.findall(r"not copied from \S+/outputs: (.*)\n", done.errors)
        self.assertEqual(", ".join(sorted(said.split(", "))), left_out)
        self.assertEqual(self.read("ran"), b"a\n", "it is reused")

    def test_a_link_in_place_of_an_output_is_none(self):
        """The step runs again."""
        run, outputs = self.steps_run()
        shutil.rmtree(outputs)
        os.symlink(self.path("secret"), outputs)
        _, copied = self.run_again(run)
        self.assertFalse(os.path.islink(copied))
        self.assertEqual(os.listdir(copied), ["file"])
        self.assertEqual(self.read("ran"), b"a\na\n")
        self.assertEqual(os.listdir(self.path("secret")), ["key"])

    def test_a_link_in_place_of_checkpoints_is_none(self):
        self.write("job.yml", CHECKPOINTS)
        self.told("submit", "job.yml", code=1)
        run, = self.runs()
        place = self.path("shared", run, "checkpoints")
        shutil.rmtree(place)
        os.mkdir(self.path("secret"))
        self.write("secret/file", "mine alone\n")
        os.symlink(self.path("secret"), place)
        os.chown(self.path("shared", run), self.other, self.other)
        done = self.told("rerun", "--foreign", run, code=1)
        self.assertEqual(done.lines, [])
        self.assertIn(f"not taken over, since it is another user's link: {place}\n", done.errors)
        self.assertEqual(self.read("secret/file"), b"mine alone\n")

    def test_what_is_swept_up_is_mine(self):
        run = self.given_away()
        mine = self.submitted()
        done = self.told("gc", "--older-than", "0s")
        self.assertIn(f"muster: a run of other users in {self.path('shared')} stays\n", done.errors)
        self.assertEqual(self.runs(), [run], mine)
        self.submitted()
        self.told("rm", "--older-than", "0s", "--yes")
        self.assertEqual(self.runs(), [run])

    def test_what_another_user_offers_is_not_reused(self):
        self.write("pipeline.yml", PIPELINE)
        self.write("only.yml", ONLY.replace("$DIR", self.folder))
        os.mkdir(self.path("src"))
        first = self.submitted("pipeline.yml")
        self.told("submit", "pipeline.yml")
        self.assertEqual(len(self.read("done").splitlines()), 1, "reused")
        os.chown(self.path("shared", first), self.other, self.other)
        self.told("submit", "pipeline.yml")
        self.assertEqual(len(self.read("done").splitlines()), 2)
        os.chown(self.path("shared", ".steps"), self.other, self.other)
        done = self.told("submit", "pipeline.yml")
        self.assertEqual(len(self.read("done").splitlines()), 3)
        steps = self.path("shared", ".steps")
        self.assertIn(f"only is not reused later: {steps} is not a folder of yours alone\n",
                      done.errors)

    def test_a_queued_run_is_not_that_of_another_user(self):
        run = self.given_away()
        env = self.environment(MUSTER_QUEUED_RECORD=self.path("shared", run))
        done = self.muster("-n", "1", "true", env=env)
        self.assertIn("MUSTER_QUEUED_RECORD names no run of this batch job", done.errors)

    def queued(self, start):
        """A job that Slurm has begun so often before; its only run."""
        env = self.environment(SLURM_JOB_ID="7", SLURM_CLUSTER_NAME="c",
                               SLURM_RESTART_COUNT=str(start))
        done = self.start("submit", "job.yml", command=(MUSTER,), env=env).finish()
        self.assertEqual(done.code, 1, done)
        return done

    def test_a_job_that_is_queued_again_goes_on_from_a_run_of_mine(self):
        self.write("job.yml", CHECKPOINTS)
        self.queued(0)
        self.assertEqual(self.queued(1).lines, ["mine"])
        for run in self.runs():
            os.chown(self.path("shared", run), self.other, self.other)
        self.assertEqual(self.queued(2).lines, [])

    def test_a_job_that_is_queued_again_follows_no_link_of_another_user(self):
        self.write("job.yml", CHECKPOINTS)
        self.queued(0)
        links = self.path("shared", ".queued")
        self.assertEqual(os.stat(links).st_mode & 0o777, 0o700)
        link = os.path.join(links, os.listdir(links)[0])
        for evil in ("evil", "shared/evil"):
            os.makedirs(self.path(evil, "checkpoints"))
            self.write(f"{evil}/checkpoints/file", "evil\n")
        for start, target in enumerate((self.path("evil"), "../evil"), 1):
            os.remove(link)
            os.symlink(target, link)
            os.lchown(link, self.other, self.other)
            for one in os.listdir(links):
                if one != os.path.basename(link):
                    os.remove(os.path.join(links, one))
            self.assertNotIn("evil", self.queued(start).text)
        os.chown(links, self.other, self.other)
        done = self.queued(3)
        self.assertIn(f"{links} is not a folder of yours alone, so a job that is queued again does "
                      "not find its checkpoints\n", done.errors)
        self.assertEqual(done.lines, [])
        self.assertEqual(self.read("evil/checkpoints/file"), b"evil\n")
        self.assertEqual(self.read("shared/evil/checkpoints/file"), b"evil\n")

    def test_a_lock_of_another_user_is_not_waited_for(self):
        self.write("job.yml", CHECKPOINTS)
        self.told("submit", "job.yml", code=1)
        self.write("shared/.checkpoints", "")
        lock = self.path("shared", ".checkpoints")
        os.chown(lock, self.other, self.other)
        with open(lock, "r+b") as held:
            fcntl.lockf(held, fcntl.LOCK_EX)
            done = self.told("rerun", "last", code=1)
        self.assertEqual(done.lines, ["mine"])
        self.assertIn(f"{lock} is another user's", done.errors)

    def test_a_lock_that_only_the_owner_of_the_folder_may_open_is_passed_over(self):
        self.write("job.yml", CHECKPOINTS)
        self.write("shared/.checkpoints", "")
        lock = self.path("shared", ".checkpoints")
        os.chmod(lock, 0o600)
        os.chmod(self.folder, 0o777)
        user = {"user": self.other, "group": self.other, "extra_groups": []}
        started = self.start("submit", "job.yml", command=(MUSTER,), **user).finish()
        self.assertEqual(started.code, 1, started)
        again = self.start("rerun", "last", command=(MUSTER,), **user).finish()
        self.assertEqual((again.code, again.lines), (1, ["mine"]), again)
        self.assertIn(f"{lock} is another user's", again.errors)

    def kept_code(self):
        """A run with a snapshot of its code; the only blob."""
        os.mkdir(self.path("src"))
        self.write("src/a.txt", "kept\n")
        self.write("job.yml", "muster: 1\ncode: src\ncommand: cat a.txt\n")
        self.submitted()
        blobs = self.path("shared", ".blobs")
        folder, = (name for name in os.listdir(blobs) if len(name) == 2)
        name, = os.listdir(os.path.join(blobs, folder))
        return os.path.join(blobs, folder, name)

    def planted(self, target, place):
        """A link of another user; what was there lies at its end."""
        os.rename(place, target)
        os.symlink(target, place)
        os.lchown(place, self.other, self.other)

    def test_a_link_in_place_of_a_blob_leads_nowhere(self):
        blob = self.kept_code()
        self.planted(self.path("elsewhere"), blob)
        done = self.told("rerun", "last", code=BAD_FILE)
        self.assertEqual((done.text, done.errors.count("\n")), ("", 1), done)
        done = self.told("gc", "--older-than", "0s")
        self.assertIn(f"it stays: .blobs/{'/'.join(blob.split('/')[-2:])}\n", done.errors)
        self.assertEqual(self.told("submit", "job.yml").text, "kept\n")
        self.assertFalse(os.path.islink(blob))
        self.assertEqual(self.read("elsewhere"), b"kept\n")

    def test_nor_does_one_in_place_of_a_folder_of_blobs(self):
        blob = self.kept_code()
        self.planted(self.path("elsewhere"), os.path.dirname(blob))
        for verb in (("rerun", "last"), ("submit", "job.yml")):
            done = self.told(*verb, code=BAD_FILE)
            self.assertIn(f"{blob}: Not a directory\n", done.errors)
            self.assertEqual((done.text, done.errors.count("\n")), ("", 1), done)
        done = self.told("gc", "--older-than", "0s")
        self.assertIn(f"it stays: .blobs/{blob.split('/')[-2]}\n", done.errors)
        self.assertEqual(self.read("elsewhere", os.path.basename(blob)), b"kept\n")

    def test_a_hard_link_in_place_of_a_blob_changes_no_file(self):
        blob = self.kept_code()
        secret = self.write("secret", "mine\n", 0o640)
        for leaves in ("rerun", "last"), ("gc", "--older-than", "0s"):
            if os.path.exists(blob):
                os.remove(blob)
            os.link(secret, blob)
            before = os.stat(secret).st_mtime_ns
            done = self.told(*leaves, code=BAD_FILE if leaves[0] == "rerun" else 0)
            self.assertNotIn("mine", done.text)
            found = os.stat(secret)
            self.assertEqual((self.read("secret"), found.st_mode & 0o777, found.st_nlink),
                             (b"mine\n", 0o640, 1))
            self.assertEqual(found.st_mtime_ns, before)

    def test_a_store_of_another_user_is_not_used(self):
        blob = self.kept_code()
        store = self.path("shared", ".blobs")
        os.chown(store, self.other, self.other)
        for verb in (("rerun", "last"), ("submit", "job.yml")):
            done = self.told(*verb, code=BAD_FILE)
            self.assertEqual(done.errors, f"muster: error: {store} is another user's\n  hint: "
                             "set MUSTER_RECORDS to a folder of your own\n")
        done = self.told("gc", "--older-than", "0s")
        self.assertEqual(done.errors, f"muster: {store} is another user's and stays\n")
        self.assertEqual((self.runs(), os.path.exists(blob)), ([], True))

    def test_in_a_folder_of_mine_nothing_has_changed(self):
        os.chmod(self.path("shared"), 0o755)
        first = self.submitted()
        self.told("rerun", first)
        self.told("rm", "last")
        self.assertEqual(self.runs(), [first])


# Lists Secrets as kubectl does with muster's jsonpath; of nothing else there is any.
KUBECTL = """\
#!/bin/sh
case "$*" in
*" secrets "*) cat "$DIR/secrets" ;;
*get*) echo '{"items": []}' ;;
*) echo "$*" >> "$DIR/others" ;;
esac
"""


class ForeignInCluster(Case):
    """What others began in a namespace that all share."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.write("bin/kubectl", KUBECTL, 0o755)
        self.write("muster.yml", json.dumps({"targets": {
            "lab": {"kubernetes": {"image": "any"}}}}))
        self.write("job.yml", JOB)
        self.secrets = []

    def environment(self, **more):
        return super().environment(**{
            "MUSTER_RECORDS": self.path("records"), "USER": "ana",
            "PATH": self.path("bin") + ":" + os.environ["PATH"], **more})

    def told(self, *words, code=0, **more):
        done = self.start(*words, command=(MUSTER,), env=self.environment(**more)).finish()
        self.assertEqual(done.code, code, done)
        return done

    def begun_by(self, user, word, **more):
        """Such a run is in the cluster; returns its name."""
        run = f"20260102-03040{len(self.secrets)}.000-{word}"
        scheduler = {"kind": "kubernetes", "user": user,
                     "id": f"{word}-20260102-03040{len(self.secrets)}-000"}
        spec = {"run": run, "state": "starting", "created": "2026-01-02T03:04:05.000Z",
                "scheduler": scheduler, "command": ["true"],
                "asked": {"words": ["submit", "job.yml"], "folder": self.folder,
                          "files": [{"path": "job.yml", "text": JOB}]}, **more}
        self.secrets.append(base64.b64encode(json.dumps(spec).encode()).decode())
        self.write("secrets", "".join(line + "\n" for line in self.secrets))
        return run

    def runs(self):
        return [one["run"] for one in json.loads(self.told("ps", "--all", "--json").text)]

    def test_mine_are_taken_and_the_others_told_of(self):
        mine = self.begun_by("ana", "kufari")
        self.begun_by("ben", "sozunu")
        self.begun_by("ben", "lopeti")
        self.begun_by("", "nobody")
        done = self.told("ps", "--target", "lab")
        self.assertIn("muster: target lab also has 3 runs of other users (ben, unknown), left out "
                      "without --foreign\n", done.errors)
        self.assertEqual(self.runs(), [mine])
        self.assertNotIn("owner", json.loads(self.told("show", "last", "--json").text))

    def test_foreign_ones_are_shown_with_their_user_and_left_alone(self):
        mine = self.begun_by("ana", "kufari")
        run = self.begun_by("ben", "sozunu")
        listed = self.told("ps", "--target", "lab", "--foreign")
        self.assertNotIn("left out", listed.errors)
        self.assertEqual(self.runs(), [mine, run])
        for _ in range(2):
            lines = self.told("ps").lines
            self.assertTrue(any(run in line and "(ben) " in line for line in lines), lines)
        self.assertIn("owner       ben\n", self.told("show", run).text)
        self.assertEqual(json.loads(self.told("show", "last", "--json").text)["run"], mine)
        self.assertIn("sozunu", self.told("show", "sozunu", code=USAGE).errors)
        for verb in ("rerun", "stop", "rm"):
            done = self.told(verb, run, code=USAGE)
            self.assert_refused(done, USAGE, f"{run} is a run of another user .ben.", "--foreign")
        self.told("rm", "--older-than", "0s", "--yes")
        self.told("gc", "--older-than", "0s")
        self.assertEqual(self.runs(), [run])
        self.assertNotIn("sozunu", self.others())
        self.told("rm", "--foreign", run)
        self.assertIn("sozunu", self.others())
        self.assertEqual([name for name in os.listdir(self.path("records"))
                          if name.startswith(".foreign")], [])

    def others(self):
        """What kubectl was called for, beside looking."""
        return self.read("others").decode() if os.path.exists(self.path("others")) else ""

    def test_a_mark_without_a_record_goes(self):
        run = self.begun_by("ben", "sozunu")
        self.told("ps", "--target", "lab", "--foreign")
        shutil.rmtree(self.path("records", run))
        mark = self.path("records", ".foreign-" + run)
        self.told("gc")
        self.assertTrue(os.path.exists(mark))  # somebody may be about to make the record
        os.utime(mark, (0, 0))
        self.assertEqual(self.told("gc").errors, "")
        self.assertFalse(os.path.exists(mark))

    def test_root_is_somebody_else_on_each_machine(self):
        self.begun_by("root@elsewhere", "kufari")
        mine = self.begun_by(f"root@{os.uname().nodename}", "sozunu")
        self.told("ps", "--target", "lab", USER="root")
        self.assertEqual(self.runs(), [mine])

    def test_a_made_up_spec_writes_nothing_elsewhere(self):
        """Nor does it name objects of another run."""
        self.begun_by("ana", "kufari", run="20260102-x/../../outside")
        self.begun_by("ana", "sozunu", scheduler={"kind": "kubernetes", "id": "another",
                                                  "user": "ana"})
        self.begun_by("be\x1b[2Jn", "lopeti")
        done = self.told("ps", "--target", "lab")
        self.assertEqual(self.runs(), [])
        self.assertFalse(os.path.exists(self.path("outside")))
        self.assertNotIn("\x1b[2J", done.errors)


if __name__ == "__main__":
    run_tests()
