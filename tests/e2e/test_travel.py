"""Code and outputs travel: hosts without a shared folder get a job's code and give back its files.

Each host and the head has a disk of its own, see seed_case.
"""

# rooms: cli blobs snapshot link store
# long
# attacks

import json
import os
import re
import shutil

from seed_case import CODE_JOB as JOB
from travel_case import HOME, SERVE, TravelCase, ssh_until_after
from support import BAD_FILE, CANNOT_START, MUSTER, run_tests, until

OUTPUT = 248


def bytes_of(folder):
    """That the files below it take on the disk; some may go meanwhile."""
    total = 0
    for top, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(top, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


class Data(TravelCase):
    """Inputs and checkpoints go to the hosts, too."""

    def test_inputs_that_are_downloaded(self):
        self.put("data/a/x", "x\n", ["head"])
        self.put("data/one.csv", "1,2\n", ["head"])
        job = JOB.replace("outputs:", "inputs:\n"
                          "  all: {type: uri_folder, path: data, mode: download}\n"
                          "  one: {type: uri_file, path: data/one.csv, mode: download}\noutputs:")
        do = "cat ${{inputs.all}}/a/x ${{inputs.one}}; echo more >> ${{inputs.all}}/a/x; " \
             "basename ${{inputs.one}}"
        done = self.does(do, job=job)
        self.assertEqual(sorted(done.lines), ["1,2"] * 2 + ["one.csv"] * 2 + ["x"] * 2, done)
        with open(self.at("head", "data/a/x"), "rb") as file:
            self.assertEqual(file.read(), b"x\n", "a host has a copy of its own")
        self.put("data/a/x", "y\n", ["head"])
        done = self.does(do, job=job)
        self.assertEqual(sorted(done.lines), ["1,2"] * 2 + ["one.csv"] * 2 + ["y"] * 2, done)

    def test_inputs_that_are_fetched(self):
        self.put("data/one.csv", "1,2\n", ["head"])
        self.put("serve.py", SERVE, ["head"])
        job = JOB.replace("outputs:", "inputs:\n  one: {type: uri_file, path: 'http://127.0.0.1:"
                          "PORT/data/one.csv'}\noutputs:")
        serve = "python3 serve.py > /dev/null 2>&1 & until [ -s served ]; do sleep 0.05; done; " \
                "sed -i s/PORT/$(cat served)/ job.yml;"
        done = self.does("echo $(cat ${{inputs.one}}) $(basename ${{inputs.one}})",
                         "; code=$?; kill $!; exit $code", job=job, env=serve)
        self.assertEqual(done.lines, ["1,2 one.csv"] * 2, done)

    def test_an_input_that_is_not_there(self):
        job = JOB.replace("outputs:", "inputs:\n"
                          "  all: {type: uri_folder, path: dta, mode: download}\noutputs:")
        done = self.does("ls ${{inputs.all}}", job=job, code=BAD_FILE)
        self.assertRegex(done.errors, r"the input \S+/dta is not there")
        self.assertEqual(self.show()["state"], "failed")

    def test_checkpoints_that_are_rotated(self):
        job = JOB.replace("node_count: 2}", "node_count: 1}\ncheckpoints: true")
        do = "cd $MUSTER_CHECKPOINTS; ls; n=$(ls | wc -l); mkdir -p d; touch d/a$n; rm -f step*; " \
             "touch step$$; exit 5"
        self.does(do, "-H", "node2:1", job=job, code=5)
        one = self.types("muster rerun last", code=5).lines
        two = self.types("muster rerun last", code=5).lines
        self.assertEqual((len(one), len(two)), (2, 2), (one, two))
        self.assertNotEqual(one, two)

    def test_checkpoints_come_home_and_go_out_again(self):
        job = JOB.replace("outputs:", "checkpoints: true\noutputs:")
        do = "[ $RANK = 0 ] || exit 0; cd $MUSTER_CHECKPOINTS; echo . >> all; n=$(wc -l < all); " \
             "cp all n$n; ln -sfn n$n latest; cat latest; exit 5"
        self.assertEqual(self.does(do, job=job, code=5).lines, ["."])
        self.assertEqual(self.types("muster rerun last", code=5).lines, ["."] * 2)
        self.assertEqual(self.types("muster rerun last", code=5).lines, ["."] * 3)
        home = os.path.join(self.show()["folder"], "checkpoints")
        self.assertEqual(sorted(os.listdir(self.lab.path("head", home))),
                         ["all", "latest", "n1", "n2", "n3"])
        self.assertEqual(os.readlink(self.lab.path("head", home + "/latest")), "n3")


class Code(TravelCase):
    def test_hosts_get_the_code_where_the_record_has_it(self):
        done = self.does("./sub/run.sh; cat a.txt; pwd")
        code = self.show()["code"]
        self.assertEqual(sorted(done.lines), sorted(["node1 code", "node2 code", "then", "then",
                                                     code, code]), done)
        self.assertEqual(done.complaints, "")

    def logins(self, does):
        """To which hosts ssh is called meanwhile, in the order of their names."""
        self.put("bin/ssh", f'#!/bin/sh\necho "$*" >> {self.home}/logins\n'
                 f'exec /usr/bin/{self.by_address()} "$@"\n', ["head"], 0o755)
        self.put("logins", "", ["head"])
        does()
        with open(self.at("head", "logins"), encoding="utf-8") as file:
            return sorted(re.search(r" (node\d) ", line)[1] for line in file)

    def test_a_job_logs_in_to_each_host_once(self):
        do = "cat a.txt > ${{outputs.model}}/$RANK; cat a.txt; "
        self.put("src/a.txt", self._testMethodName, ["head"])
        self.assertEqual(self.logins(lambda: self.does(do)), ["node1", "node2"],
                         "for contents, ranks, outputs")
        self.assertEqual(self.from_record("outputs", "model", "1").decode(), self._testMethodName)
        self.assertEqual(self.logins(lambda: self.does(do + "exit $RANK", code=1)),
                         ["node1", "node2"])
        self.assertEqual(self.from_record("outputs", "model", "1").decode(), self._testMethodName)

    def test_hosts_that_are_asked_for_their_hardware(self):
        run = "muster run -n 2 --per-node 1 --bind-to core -H node1,node2 hostname"
        self.assertEqual(self.logins(lambda: self.types(run)), ["node1", "node2"])

    def test_a_launcher_in_the_command_logs_in_no_more(self):
        do = "mpirun -np 2 --map-by node sh -c 'echo $(hostname) > ${{outputs.model}}/$RANK'"
        self.assertEqual(self.logins(lambda: self.does(do)), ["node1", "node2"])
        self.assertEqual(self.from_record("outputs", "model", "1").decode(), "node2\n")

    def test_each_content_comes_once(self):
        self.put("src/once.txt", self._testMethodName, ["head"])
        self.does("cat a.txt")
        before = self.cached("node1")
        self.assertGreaterEqual(len(before), 3)
        self.does("cat a.txt")
        self.assertEqual(self.cached("node1"), before)
        self.put("src/once.txt", self._testMethodName + " again", ["head"])
        self.assertIn(f"{self._testMethodName} again", self.does("cat once.txt").text)
        after = self.cached("node1")
        self.assertEqual(len(after), len(before) + 1)
        self.assertEqual({name: after[name] for name in before}, before)

    def test_a_rerun_runs_what_ran(self):
        self.does("cat a.txt")
        self.put("src/a.txt", "now\n", ["head"])
        self.assertEqual(self.types("muster rerun last").lines, ["then"] * 2)
        self.assertEqual(self.types("muster rerun --fresh-code last").lines, ["now"] * 2)

    def test_a_damaged_cache_is_found_and_mended(self):
        self.put("src/a.txt", self._testMethodName, ["head"])
        self.does("cat a.txt")
        top = self.lab.path("node2", HOME + "/.cache/muster/.blobs")
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    text = file.read()
                if text == self._testMethodName.encode():
                    os.chmod(path, 0o600)
                    with open(path, "wb") as file:
                        file.write(b"x" * len(text))
        done = self.does("cat a.txt")
        self.assertEqual(done.lines, [self._testMethodName] * 2)

    def test_a_launcher_in_the_command(self):
        done = self.does("mpirun -np 2 --map-by node ./sub/run.sh")
        self.assertEqual(sorted(done.lines), ["node1 code", "node2 code"], done)

    def test_a_launcher_whose_words_tell_nothing(self):
        do = "mpirun -np $(echo 2) --map-by node sh -c './sub/run.sh; pwd > $(hostname)'"
        for words in ("", "-H node1:1,node2:1"):
            with self.subTest(words):
                done = self.does(do, words)
                self.assertEqual(sorted(done.lines), ["node1 code", "node2 code"], done)
                self.assertEqual(done.errors.count("which hosts"), 1, done)
                self.assertIn("muster: which hosts the launcher in the command will use cannot be "
                              "told: code goes to, and outputs come from, those of the job\n",
                              done.errors)
                code = self.show()["code"]
                for host in ("node1", "node2"):
                    self.assertEqual(self.from_record("code", host), f"{code}\n".encode())

    def test_a_host_that_cannot_take_it(self):
        records = f"{self.home}/.local"
        with open(self.lab.path("node2", records), "w", encoding="utf-8"):
            pass  # a file where a folder would have to be
        done = self.does("cat a.txt", code=None)
        self.assertNotEqual(done.code, 0, done)
        self.assertNotIn("then", done.text)
        self.assertRegex(done.errors, r"node2: cannot make \S*/runs/.*: \w+")
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertNotRegex(done.errors, r"rank \d|set by the rank", "nobody has started one")
        self.assertEqual(self.show()["state"], "failed")

    def test_a_host_whose_disk_is_full(self):
        self.types(f"mkdir -p {HOME}/.cache; mount -t tmpfs -o size=1m none {HOME}/.cache", "node2")
        self.addCleanup(self.types, f"umount {HOME}/.cache", "node2")
        with open(self.at("head", "src", "data.bin"), "wb") as file:
            file.write(os.urandom(3_000_000))
        done = self.does("cat a.txt", code=OUTPUT)
        self.assertNotIn("then", done.text)
        self.assertEqual(len(re.findall("No space left", done.errors)), 1, done)
        self.assertRegex(done.errors, r"(?m)^muster: error: node2: cannot write to "
                         rf"{HOME}/\.cache/muster/\.blobs: No space left on device$")

    def test_a_folder_that_others_could_fill_is_not_used(self):
        records = f"{self.home}/.local/state/muster/runs"
        for change in ("chmod 777 $folder", "chown 65534 $folder",
                       "rmdir $folder; ln -s /tmp $folder"):
            with self.subTest(change):
                # The record is here before the errand goes to a host: its name is known.
                self.put("late", "#!/bin/sh\n"
                         f"folder={records}/$(ls {records} | grep ^2 | tail -n 1)\n"
                         'case "$*" in *"node2 exec "*)'
                         f' /usr/bin/{self.by_address()} node2 "mkdir -p $folder; {change}";;\n'
                         'esac\nexec ssh "$@"\n', ["head"], 0o755)
                done = self.does("cat a.txt", code=None,
                                 env=f"MUSTER_SSH_COMMAND={self.home}/late")
                self.assertNotEqual(done.code, 0, done)
                self.assertNotIn("then", done.text)

    def test_much_code_does_not_block_pings(self):
        data = os.urandom(30_000_000)
        with open(self.at("head", "src", "data.bin"), "wb") as file:
            file.write(data)
        done = self.does("sha256sum < data.bin")
        self.assertEqual(len(set(done.lines)), 1, done)
        self.assertEqual(len(done.lines), 2, done)

    def test_it_is_as_private_as_at_home(self):
        self.does("true")
        run = self.show()["folder"]
        for host in ("head", "node1"):
            self.assertEqual(os.stat(self.lab.path(host, run)).st_mode & 0o777, 0o700, host)
            cache = self.lab.path("node1", HOME + "/.cache/muster/.blobs")
            self.assertEqual(os.stat(cache).st_mode & 0o777, 0o700)


class Home(TravelCase):
    def test_outputs_come_home_byte_for_byte(self):
        self.does("cd ${{outputs.model}}; head -c 3000000 /dev/urandom > of.$(hostname); "
                  "mkdir empty sub; printf '#!/bin/sh\\n' > sub/x; chmod 755 sub/x; "
                  "touch -d @1234567890 sub/x; ln -s sub/x link")
        run = self.show()["folder"]
        for host in ("node1", "node2"):
            name = f"outputs/model/of.{host}"
            self.assertEqual(self.from_record(name), self.from_record(name, host=host))
        home = self.lab.path("head", run + "/outputs/model")
        self.assertEqual(sorted(os.listdir(home)),
                         ["empty", "link", "of.node1", "of.node2", "sub"])
        self.assertEqual(os.readlink(home + "/link"), "sub/x")
        facts = os.stat(home + "/sub/x")
        self.assertEqual((facts.st_mode & 0o777, int(facts.st_mtime)), (0o755, 1234567890))

    def test_modes_come_home(self):
        self.does("cd ${{outputs.model}}; mkdir -m 2775 open; mkdir -m 700 own; "
                  "echo $(hostname) > own/$(hostname); chmod 4755 own/*; echo > open/fixed; "
                  "chmod 444 open/fixed; mkdir -m 750 $PWD/../../code/made; "
                  "echo > ../../code/made/x")
        home = self.lab.path("head", self.show()["folder"])
        for name, mode in (("outputs/model/open", 0o775), ("outputs/model/own", 0o700),
                           ("outputs/model/own/node1", 0o755), ("code/made", 0o750),
                           ("outputs/model/own/node2", 0o755),
                           ("outputs/model/open/fixed", 0o444)):
            self.assertEqual(oct(os.stat(f"{home}/{name}").st_mode & 0o7777), oct(mode), name)

    def test_they_need_no_more_than_twice_their_room(self):
        """On the disk of the head, while they come."""
        self.put("job.yml", JOB + "head -c 60000000 /dev/urandom > ${{outputs.model}}/$(hostname)",
                 ["head"])
        job = self.shell("muster submit job.yml")
        runs = self.lab.path("head", f"{self.home}/.local/state/muster/runs")
        seen = {0}
        while job.popen.poll() is None:
            seen.add(bytes_of(runs))
        done = job.finish()
        self.assertEqual(done.code, 0, done)
        kept = bytes_of(self.lab.path("head", self.show()["folder"]))
        self.assertGreater(kept, 120_000_000)
        self.assertTrue(any(5_000_000 < one < kept for one in seen), "it was seen as it came")
        self.assertLess(max(seen), 2 * kept + 5_000_000)

    def test_what_ranks_write_in_their_folder_comes_home(self):
        self.does("echo $(hostname) > by.$(hostname); echo new >> a.txt; rm sub/run.sh")
        self.assertEqual(self.from_record("code", "by.node1"), b"node1\n")
        self.assertEqual(self.from_record("code", "by.node2"), b"node2\n")
        self.assertEqual(self.from_record("code", "a.txt"), b"then\nnew\n")
        self.assertFalse(os.path.exists(self.lab.path("head", self.show()["folder"] + "/mark")))
        self.assertNotIn(".travel", os.listdir(self.lab.path("head", self.show()["folder"])))

    def test_a_terminal_shows_how_much_has_come(self):
        job = "muster: 1\ncode: src\noutputs:\n  model:\ncommand: |\n  "
        do = "head -c {0} /dev/urandom > ${{{{outputs.model}}}}/x"
        with open(self.at("head", "src", "data.bin"), "wb") as file:
            file.write(os.urandom(25_000_000))
        self.put("job.yml", job + do.format(100_000_000), ["head"])
        text = self.types("script -qec 'muster submit job.yml -H node1:1' /dev/null").text
        self.assertRegex(text, r"\r\x1b\[Kmuster: \S+ \S+ of 25 MB sent to the hosts\r")
        self.assertRegex(text, r"\r\x1b\[Kmuster: \S+ MB of 100 MB of the outputs have come\r")
        self.assertEqual(text.rsplit("\r", 1)[-1], "\x1b[K", text[-200:])
        os.unlink(self.at("head", "src", "data.bin"))
        self.put("job.yml", job + do.format(10_000_000), ["head"])
        text = self.types("script -qec 'muster submit job.yml -H node1:1' /dev/null").text
        self.assertNotIn("\x1b[K", text)

    def test_where_bytes_differ_the_lowest_rank_wins(self):
        done = self.does("hostname > ${{outputs.model}}/who; hostname > who; "
                         "echo same > ${{outputs.model}}/same")
        self.assertEqual(self.from_record("outputs/model/who"), b"node1\n")
        self.assertEqual(self.from_record("outputs/model.conflicts/node2/who"), b"node2\n")
        self.assertEqual(self.from_record("code/who"), b"node1\n")
        self.assertEqual(self.from_record("code.conflicts/node2/who"), b"node2\n")
        self.assertEqual(self.from_record("outputs/model/same"), b"same\n")
        self.assertRegex(done.errors, r"NAME\.conflicts/node2.*: code/who, outputs/model/who\n")

    def test_from_a_host_whose_muster_is_replaced_meanwhile(self):
        """As an upgrade does it: the program that runs there has another name from then on."""
        shutil.copy(MUSTER, self.at("node1", "agent"))
        self.does("echo kept > ${{outputs.model}}/who; echo exit 1 > new; chmod 755 new; "
                  f"mv new {self.home}/agent", "-H node1:1",
                  job=JOB.replace("node_count: 2", "node_count: 1"),
                  env=f"MUSTER_AGENT_PATH={self.home}/agent")
        self.assertEqual(self.from_record("outputs/model/who"), b"kept\n")

    def test_nothing_leaves_the_record(self):
        self.put("victim", "mine", ["head"])
        done = self.does("cd ${{outputs.model}}; ln -s ../../../../victim up; mkfifo pipe; "
                         f"[ $(hostname) = node2 ] || ln -s {self.home} out; "
                         "[ $(hostname) = node1 ] || { mkdir out; echo theirs > out/victim; }")
        model = self.lab.path("head", self.show()["folder"] + "/outputs/model")
        self.assertEqual(sorted(os.listdir(model)), ["out"])
        self.assertEqual(os.listdir(model + "/out"), ["victim"])
        with open(self.at("head", "victim"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        self.assertIn("links that lead out of the record were not taken from node1: "
                      "outputs/model/out, outputs/model/up\n", done.errors)

    def test_a_disk_that_is_full_at_home(self):
        """Whether there is no room for what comes, or for the files that it holds."""
        small = f"{self.home}/small"
        self.types(f"mkdir {small}; mount -t tmpfs none {small}")
        self.addCleanup(self.types, f"umount {small}")
        for size in ("1m", "3m"):
            with self.subTest(size):
                self.types(f"mount -o remount,size={size} {small}")
                done = self.does("head -c 2000000 /dev/urandom > ${{outputs.model}}/$(hostname)",
                                 "-H", "node1:1", code=OUTPUT, env=f"MUSTER_RECORDS={small}/runs",
                                 job="muster: 1\noutputs:\n  model:\ncommand: |\n  ")
                told = (rf"the outputs of node1 could not be fetched: cannot write to {small}/\S+: "
                        "No space left on device$")
                self.assertEqual(len(re.findall("No space left", done.errors)), 1, done)
                self.assertRegex(done.errors, f"(?m){told}")
                self.assertNotIn("the ranks continue", done.errors)
                self.assertIn(f"hint: what was written there is in {small}/runs/", done.errors)
                self.types(f"rm -r {small}/runs")
        self.types(f"mount -o remount,size=20m {small}")
        env = f"MUSTER_RECORDS={small}/runs"
        self.does("cd $MUSTER_CHECKPOINTS; [ -e old ] || { echo first > old; exit 0; }\n"
                  "  head -c 2000000 /dev/urandom > new", "-H", "node1:1", env=env,
                  job="muster: 1\ncheckpoints: true\ncommand: |\n  ")
        self.types(f"mount -o remount,size=2m {small}")
        done = self.types(f"{env} muster rerun last", code=OUTPUT)
        self.assertRegex(done.errors, f"(?m){told}")
        self.assertEqual(self.types(f"find {small}/runs -name old -type f -exec cat {{}} +").lines,
                         ["first"], "checkpoints of before stay as they were")

    def test_holes_stay_holes(self):
        job = "muster: 1\noutputs:\n  model:\ncommand: |\n  "
        self.does("cd ${{outputs.model}}; truncate -s 50M sparse; echo end >> sparse",
                  "-H", "node1:1", job=job)
        home = self.lab.path("head", self.show()["folder"] + "/outputs/model/sparse")
        facts = os.stat(home)
        self.assertEqual(facts.st_size, (50 << 20) + 4)
        self.assertLess(facts.st_blocks * 512, 1 << 20)

    def test_what_cannot_come_is_named(self):
        job = "muster: 1\noutputs:\n  model:\ncommand: |\n  "
        done = self.does("cd ${{outputs.model}}; echo > fine; mkfifo pipe; "
                         "python -c 'import socket; socket.socket(1).bind(\"s\")'",
                         "-H", "node1:1", job=job)
        told = "not fetched: node1: outputs/model/pipe (a fifo), node1: outputs/model/s (a socket)"
        self.assertEqual(done.complaints, f"muster: warning: {told}\n")
        self.assertIn(f"\nwarning     {told}\n", self.types("muster show last").text)
        done = self.does("cd ${{outputs.model}}; echo > fine; printf x > \"$(printf 'a\\nb')\"",
                         "-H", "node1:1", job=job, code=248)
        told = (r"1 of the outputs could not be fetched: node1: outputs/model/a\nb "
                "(a name with control characters, or too long)")
        self.assertIn(told, done.errors)
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"], run["cause"]), ("failed", 248, told))
        self.assertEqual(self.from_record("outputs/model/fine"), b"\n")

    def test_they_come_home_from_a_failed_run(self):
        self.does("hostname > ${{outputs.model}}/$(hostname); [ $(hostname) = node1 ] || exit 3",
                  code=3)
        self.assertEqual(self.from_record("outputs/model/node2"), b"node2\n")
        self.assertEqual(self.show()["state"], "failed")

    def test_without_code(self):
        self.does("hostname > ${{outputs.model}}/$(hostname)", job=JOB.replace("code: src\n", ""))
        self.assertEqual(self.from_record("outputs/model/node2"), b"node2\n")

    def test_a_run_whose_outputs_are_lost_is_not_complete(self):
        self.put("once", ssh_until_after(1, "ssh.kill(); sys.exit(255)"), ["head"],
                 0o755)
        self.put("flaky", '#!/bin/sh\nmkdir used 2> /dev/null || exit 255\nexec ./once "$@"\n',
                 ["head"], 0o755)
        job = "muster: 1\noutputs:\n  model:\ncommand: |\n  "
        done = self.does("echo > ${{outputs.model}}/there", "-H", "node1:1", code=248, job=job,
                         env=f"MUSTER_SSH_COMMAND={self.home}/flaky")
        self.assertIn("the outputs of node1 could not be fetched", done.errors)
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"]), ("failed", 248))
        self.assertIn("could not be fetched", run["cause"])
        self.types("muster wait last", code=248)

    def test_waiting_means_that_all_is_home(self):
        self.does("hostname > ${{outputs.model}}/$(hostname)", "--detach")
        self.types("muster wait last")
        self.assertEqual(self.from_record("outputs/model/node2"), b"node2\n")


METRICS = """type: sweep
trial:
  command: sh $DIR/src/log.sh ${{search_space.x}}
  distribution: {type: pytorch}
  resources: {instance_count: 2}
sampling_algorithm: grid
search_space: {x: {type: choice, values: [4, 2, 3]}}
objective: {goal: minimize, primary_metric: val/loss}
"""

# What MLflow would write for each of two ranks; that of rank 0 comes last.
LOG = """folder=${MLFLOW_TRACKING_URI#file://}/0; run=$folder/run$RANK
mkdir -p $run/metrics/val $run/tags
hostname > $folder/meta.yaml
[ $RANK = 0 ] && sleep 0.5
printf $RANK > $run/tags/muster.rank
echo "1700000000000 $(($1 + 10 * RANK)) 0" > $run/metrics/val/loss
"""


class Metrics(TravelCase):
    """A trial's metrics come home at its end, and the sweep is judged by them."""

    def test_of_hosts_without_a_shared_folder(self):
        self.put("src/log.sh", LOG, ["node1", "node2", "node3", "node4"])
        done = self.does("", job=METRICS.replace("$DIR", self.home))
        self.assertIn("the best of 3 trials is trial_1: val/loss 2 with x=2", done.errors)
        self.assertNotIn("conflicts", done.errors)
        for rank in "01":
            path = f"steps/trial_0/mlruns/0/run{rank}/tags/muster.rank"
            self.assertEqual(self.from_record(path), rank.encode())
        self.assertEqual(self.show()["best"],
                         {"step": "trial_1", "metric": "val/loss", "value": 2})

    def test_of_any_job_with_the_folders_that_it_expects(self):
        """Azure ML's contract: ./outputs and ./logs are there, are kept and come home."""
        self.put("src/log.sh", LOG + "echo $RANK > outputs/of.$RANK; echo $RANK > logs/of.$RANK\n",
                 ["head"])
        done = self.does("", job="code: src\ncommand: sh log.sh 3\n"
                         "distribution: {type: pytorch}\nresources: {instance_count: 2}\n")
        self.assertNotIn("conflicts", done.errors)
        for rank in "01":
            for folder in ("outputs", "logs"):
                self.assertEqual(self.from_record(f"code/{folder}/of.{rank}"),
                                 rank.encode() + b"\n")
        self.assertEqual(self.show()["metrics"], {"val/loss": 3})
        self.assertIn("\nmetric      val/loss=3 (step 0)\n", self.types("muster show last").text)


PIPELINE = """$schema: https://azuremlschemas.azureedge.net/latest/pipelineJob.schema.json
type: pipeline
jobs:
  prepare:
    type: command
    command: mkdir ${{outputs.data}}/sub && echo 42 > ${{outputs.data}}/sub/x && hostname
    outputs:
      data: {type: uri_folder}
  train:
    type: command
    code: src
    command: >-
      cat a.txt ${{inputs.data}}/sub/x; hostname > ${{outputs.model}}/$(hostname)
    distribution: {type: mpi, process_count_per_instance: 1}
    resources: {instance_count: 2}
    inputs:
      data: ${{parent.jobs.prepare.outputs.data}}
    outputs:
      model: {type: uri_folder}
  evaluate:
    type: command
    command: ls ${{inputs.model}}
    inputs:
      model: ${{parent.jobs.train.outputs.model}}
"""


class Steps(TravelCase):
    def test_what_a_step_makes_goes_to_the_hosts_of_the_next(self):
        self.put("job.yml", PIPELINE, ["head"])
        done = self.types("muster submit job.yml")
        text = self.types("muster logs last").text
        self.assertEqual(text.count("42"), 2, (done, text))
        self.assertEqual(text.count("then"), 2, text)
        for host in ("node1", "node2"):
            self.assertRegex(text, f"(?m)evaluate.*{host}$")


    def test_the_folder_in_which_a_step_ran_is_an_output(self):
        self.put("job.yml", "type: pipeline\njobs:\n  make:\n    code: src\n"
                 "    command: echo 42 > outputs/x\n"
                 "    outputs: {artifacts: {type: custom_model}}\n"
                 "  use:\n    command: cat ${{inputs.run}}/outputs/x ${{inputs.run}}/a.txt\n"
                 "    inputs: {run: '${{parent.jobs.make.outputs.artifacts}}'}\n", ["head"])
        for hosts in ("node1:1,node2:1", "node1:1"):
            with self.subTest(hosts):
                done = self.types(f"muster submit job.yml -H {hosts}")
                self.assertEqual(done.lines[-2:], ["use: 42", "use: then"], done)

    def test_links_arrive_as_what_they_lead_to(self):
        self.put("src/best.sh", "echo best\n", ["head"])
        self.put("job.yml", "type: pipeline\njobs:\n  make:\n    code: src\n    command: >-\n"
                 "      rmdir ${{outputs.data}}; mkdir $HOME/big && echo 42 > $HOME/big/x;\n"
                 "      ln -s $HOME/big ${{outputs.data}};\n"
                 "      ln -s ../../code/best.sh ${{outputs.model}}/a;\n"
                 "      ln -s $PWD/best.sh ${{outputs.model}}/b\n"
                 "    outputs: {data: {}, model: {}}\n"
                 "  use:\n    command: >-\n"
                 "      hostname; cat ${{inputs.data}}/x; for i in a b;\n"
                 "      do sh ${{inputs.model}}/$i; done\n"
                 "    inputs:\n      data: ${{parent.jobs.make.outputs.data}}\n"
                 "      model: ${{parent.jobs.make.outputs.model}}\n", ["head"])
        for hosts in ("node1:1,node2:1", "node1:1"):
            with self.subTest(hosts):
                done = self.types(f"muster submit job.yml -H {hosts}")
                text = self.types("muster logs last").text
                self.assertEqual(text.count("best\n"), 2, (done, text))
                self.assertIn("42", text)
                for host in ("node1", "node2"):
                    self.types("rm -rf big $HOME/big", host=host)

    def test_an_input_stays_while_others_get_it_as_well(self):
        read = "for i in $(seq 300); do cat ${{inputs.data}}/x; done"
        steps = "".join(f"  s{i}:\n    command: {read}\n    inputs: &in\n"
                        "      data: ${{parent.jobs.make.outputs.data}}\n" for i in range(4))
        self.put("job.yml", "type: pipeline\njobs:\n  make:\n    command: >-\n"
                 "      echo 42 > ${{outputs.data}}/x\n    outputs: {data: {}}\n"
                 + steps.replace("&in", ""), ["head"])
        done = self.types("muster submit job.yml -H node1:4")
        self.assertEqual(done.text.count(": 42\n"), 4 * 300, done)


class Secrets(TravelCase):
    SECRET = "hush-4711"

    def test_they_reach_ranks_and_stand_nowhere(self):
        job = JOB.replace("code: src\n", "code: src\nsecrets: [MY_KEY, MY_TOKEN]\n")
        self.does("[ $(echo $MY_KEY$MY_TOKEN$OTHER | wc -c) = 29 ] || "
                  "echo $MY_KEY > ${{outputs.model}}/bad; ls ${{outputs.model}}", "--secret OTHER",
                  job=job, env=f"MY_KEY=2hush-4711 MY_TOKEN={self.SECRET} OTHER={self.SECRET}")
        run = self.lab.path("head", self.show()["folder"])
        for folder, _, names in os.walk(run):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(self.SECRET.encode(), file.read(), name)

    def test_explain_does_not_show_them(self):
        self.put("job.yml", JOB.replace("code:", "secrets: MY_KEY\ncode:") + "true", ["head"])
        done = self.types(f"MY_KEY={self.SECRET} muster explain job.yml")
        self.assertNotIn(self.SECRET, done.text)
        self.assertIn("  MY_KEY=<secret>  (job file)\n", done.text)

    def test_one_that_is_not_set(self):
        done = self.does("true", code=BAD_FILE, job=JOB.replace("code:", "secrets: MY_KEY\ncode:"))
        self.assertEqual(done.errors.count("error"), 1, done)
        self.assertIn("job.yml:2:10: the secret 'MY_KEY' is not set here\n  hint: export MY_KEY=",
                      done.errors)


class Shared(TravelCase):
    def test_hosts_that_see_the_record_get_nothing(self):
        before = self.cached("node1")
        env = f"MUSTER_RECORDS={self.folder}/runs "
        self.put("src/a.txt", self._testMethodName + "\n", ["head"])
        done = self.does("cat a.txt; hostname > ${{outputs.model}}/$(hostname)", env=env)
        self.assertEqual(done.lines, [self._testMethodName] * 2)
        run = json.loads(self.types(f"{env} muster show last --json").text)
        self.assertEqual(sorted(os.listdir(run["outputs"]["model"])), ["node1", "node2"])
        self.assertEqual(self.cached("node1"), before)


if __name__ == "__main__":
    run_tests()
