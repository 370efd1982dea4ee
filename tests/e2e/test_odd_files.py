"""What a step has written is copied and read: fifos, sockets, devices, holes, full disks."""

# rooms: cli blobs process front sweep
# attacks

import json
import os
import stat

from pipeline_case import PipelineCase
from support import BAD_FILE, CANNOT_START, MUSTER, no_small_disk, run_tests

OUTPUT = 248
NO_ROOM = "No space left on device"
GIGABYTE = 1 << 30

# make completes, and use fails until there is a file `go`.
TWO = """type: pipeline
jobs:
  make:
    command: sh $DIR/make.sh ${{outputs.made}}
    outputs: {made: {type: uri_folder}}
  use:
    command: test -e $DIR/go && ls ${{inputs.made}}
    inputs: {made: "${{parent.jobs.make.outputs.made}}"}
"""
ODD = """cd "$1"
echo text > plain; chmod 640 plain
mkdir sub; mkfifo sub/pipe
python3 -c 'import socket; socket.socket(1).bind("s")'
[ $(id -u) != 0 ] || mknod null c 1 3
truncate -s 1G sparse; printf end | dd of=sparse bs=1 seek=1G conv=notrunc 2> /dev/null
ln -s /dev/zero zeros
"""

VALUE = """type: pipeline
jobs:
  count:
    command: %s
    outputs: {s: {type: string}}
  tell:
    command: echo "${{inputs.s}}"
    inputs:
      s: {type: string, path: "${{parent.jobs.count.outputs.s}}"}
"""


SWEEP = """type: sweep
trial: {command: "head -c 2600000 /dev/urandom > ${{outputs.model}}/big; echo loss = 1"}
outputs: {model: {type: uri_folder, path: disk/out}}
sampling_algorithm: grid
search_space: {x: {type: choice, values: [1]}}
objective: {goal: minimize, primary_metric: loss}
limits: {max_total_trials: 1}
metrics_from: output
"""
CHECKPOINTS = """muster: 1
checkpoints: true
command: head -c 2600000 /dev/urandom > $MUSTER_CHECKPOINTS/big; exit 1
"""
PACKAGES = """muster: 1
environment: {conda: {dependencies: [%s]}}
command: "true"
"""
# Fills the disk.
CONDA = """#!/bin/sh
while [ "$1" != -p ]; do shift; done
mkdir -p "$2/bin"
exec cp /dev/zero "$2/bin/python"
"""


def on_small_disk(script):
    """A command that runs this in a mount namespace of its own, where $DIR/disk holds 4 MiB."""
    return ("unshare", "-m", "sh", "-ec",
            'mount -t tmpfs -o size=4m none "$DIR/disk"; export MUSTER_RECORDS="$DIR/disk/runs"\n'
            + script)


class Reruns(PipelineCase):
    def setUp(self):
        super().setUp()
        self.write("two.yml", TWO)
        self.write("make.sh", ODD)
        self.submit(file="two.yml", code=1)

    def outputs(self):
        return self.show("last/make")["outputs"]["made"]

    def test_what_is_no_file_is_named_and_left_out(self):
        before = self.outputs()
        self.write("go", "")
        done = self.told("rerun", "last")
        self.assertEqual(self.steps(), {"make": "reused", "use": "completed"})
        made = self.outputs()
        self.assertNotEqual(made, before)
        self.assertEqual(sorted(os.listdir(made)), ["plain", "sparse", "sub", "zeros"])
        self.assertEqual(os.listdir(made + "/sub"), [])
        self.assertRegex(done.errors, r"(?m)^make: muster: not copied from \S+/outputs: .*"
                         r"made/s \(a socket\), made/sub/pipe \(a fifo\)$")
        if os.geteuid() == 0:
            self.assertIn("made/null (a device)", done.errors)

    def test_links_stay_links_and_modes_are_kept(self):
        self.write("go", "")
        self.told("rerun", "last")
        self.assertEqual(os.readlink(self.outputs() + "/zeros"), "/dev/zero")
        facts = os.stat(self.outputs() + "/plain")
        self.assertEqual(stat.S_IMODE(facts.st_mode), 0o640)

    def test_holes_stay_holes(self):
        self.write("go", "")
        self.told("rerun", "last")
        with open(self.outputs() + "/sparse", "rb") as file:
            facts = os.fstat(file.fileno())
            self.assertEqual(facts.st_size, GIGABYTE + 3)
            self.assertLess(facts.st_blocks * 512, 1 << 20)
            file.seek(GIGABYTE)
            self.assertEqual(file.read(), b"end")


class Kinds(PipelineCase):
    """What is neither a file nor a folder is no output, whoever reads it."""

    STEP = ("type: pipeline\njobs:\n"
            "  a: {command: 'sh $DIR/a.sh ${{outputs.o}}', outputs: {o: {type: %s}}}\n"
            "  b: {command: test -e $DIR/go, inputs: {o: '${{parent.jobs.a.outputs.o}}'}}\n")
    # A socket's path may have 107 bytes.
    BOUND = "cd $(dirname $1); python3 -c 'import socket; socket.socket(1).bind(\"o\")'\n"
    ODD = [("mkfifo ${1%/}\n", "a fifo"), (BOUND, "a socket"),
           *([("mknod ${1%/} c 1 3\n", "a device")] if os.geteuid() == 0 else [])]

    def test_a_step_fails_that_leaves_one(self):
        for kind in ("uri_file", "uri_folder"):
            self.write("kinds.yml", self.STEP % kind)
            for script, what in self.ODD:
                with self.subTest(kind, what=what):
                    self.write("a.sh", "[ ! -d $1 ] || rmdir $1\n" + script)
                    done = self.submit(file="kinds.yml", code=1)
                    self.assertRegex(done.errors, rf"a failed after [^:]*: its output o is {what}, "
                                     r"not a file or a folder \(\S+/steps/a/outputs/o\)")
                    self.assertEqual(self.steps(), {"a": "failed", "b": "blocked"})

    def test_it_is_run_again_and_not_copied(self):
        self.write("kinds.yml", self.STEP % "uri_file")
        self.write("a.sh", "mkfifo $1\n")
        self.write("go", "")
        self.submit(file="kinds.yml", code=1)
        self.write("a.sh", "echo > $1\n")
        self.told("rerun", "last")
        self.assertEqual(self.steps(), {"a": "completed", "b": "completed"})


class Values(PipelineCase):
    """An output of type string is a file with text, and nothing else is taken for an empty one."""

    def refused(self, command, why):
        self.write("value.yml", VALUE % command)
        done = self.submit(file="value.yml", code=BAD_FILE)
        self.assertRegex(done.errors, r"tell\.inputs\.s: cannot read the value in "
                         rf"\S+/count/outputs/s: {why}\n")
        self.assertRegex(done.errors, r"hint: write the value as text")
        self.assertEqual(self.steps(), {"count": "completed", "tell": "failed"})

    def test_what_is_no_value(self):
        for command, why in (("mkdir ${{outputs.s}}", "it is a folder"),
                             ("ln -s /dev/zero ${{outputs.s}}", "it is a device"),
                             ("truncate -s 2G ${{outputs.s}}",
                              r"it has 2\.1 GB, and a value may have 1\.0 MB")):
            with self.subTest(command):
                self.refused(command, why)

    def test_a_link_to_what_never_ends(self):
        """Whoever opened a FIFO would wait for its writer."""
        os.mkfifo(self.path("pipe"))
        self.refused("ln -s $DIR/pipe ${{outputs.s}}", "it is a fifo")

    def test_a_step_fails_that_leaves_no_file(self):
        odd = [("mkfifo", "", "a fifo")]
        if os.geteuid() == 0:
            odd.append(("mknod", " c 1 3", "a device"))
        for program, words, what in odd:
            with self.subTest(what):
                self.write("value.yml", VALUE % f"{program} ${{{{outputs.s}}}}{words}")
                done = self.submit(file="value.yml", code=1)
                self.assertRegex(done.errors, rf"count failed after [^:]*: its output s is {what}, "
                                 r"not a file or a folder \(\S+/steps/count/outputs/s\)")
                self.assertEqual(self.steps(), {"count": "failed", "tell": "blocked"})

    def test_what_decides(self):
        self.write("choice.yml", "type: pipeline\njobs:\n"
                   "  judge: {command: 'ln -s /dev/zero ${{outputs.o}}', "
                   "outputs: {o: {type: boolean, is_control: true}}}\n"
                   "  yes: {command: echo yes}\n"
                   "  choose: {type: if_else, condition: '${{parent.jobs.judge.outputs.o}}', "
                   "true_block: '${{parent.jobs.yes}}'}\n")
        done = self.submit(file="choice.yml", code=1)
        self.assertRegex(done.errors, r"judge failed after [^:]*: its output o decides what runs "
                         r"next: cannot read the value in \S+/o: it is a device")

    def test_items(self):
        self.write("items.yml", "type: pipeline\njobs:\n"
                   "  list: {command: 'mkdir ${{outputs.all}}', outputs: {all: {type: string}}}\n"
                   "  each: {command: 'echo ${{inputs.n}}', inputs: {n: {type: integer}}}\n"
                   "  loop: {type: parallel_for, body: '${{parent.jobs.each}}', "
                   "items: '${{parent.jobs.list.outputs.all}}'}\n")
        done = self.submit(file="items.yml", code=BAD_FILE)
        self.assertRegex(done.errors, r"each: cannot read the value in \S+/all: it is a folder\n")


class FullDisk(PipelineCase):
    def setUp(self):
        super().setUp()
        if reason := no_small_disk():
            self.skipTest(reason)
        os.mkdir(self.path("disk"))
        self.write("two.yml", TWO)
        self.write("make.sh", 'echo a > "$1/a"; head -c 2600000 /dev/urandom > "$1/b"\n')

    def test_outputs_that_do_not_fit_are_told_with_path_and_reason(self):
        """Half a copy does not stay, and the next rerun has the room again."""
        script = (f"{MUSTER} submit two.yml && exit 9\n"
                  f"{MUSTER} rerun last 2> errors && exit 9\necho $?\n"
                  "find disk/runs/2*/steps/make/outputs -type f -exec basename {} ';' | sort\n"
                  f"{MUSTER} show last/make --json\n"
                  "mount -o remount,size=20m disk; : > go\n"
                  f"{MUSTER} rerun last > later\n{MUSTER} show last/make --json\n")
        done = self.start(command=on_small_disk(script)).finish()
        self.assertEqual(done.code, 0, done)
        *lines, failed, reused = done.text.splitlines()
        self.assertEqual(lines, [str(OUTPUT), "a", "b"], done)
        errors = self.read("errors").decode()
        told = rf"cannot copy \S+/make/outputs/made/b to \S+/make/outputs: {NO_ROOM}"
        self.assertRegex(errors, rf"(?m)^muster: make failed with exit code {OUTPUT} after \S+ s: "
                         rf"{told}$")
        self.assertNotIn("make: muster", errors, "it is told once")
        failed, reused = json.loads(failed), json.loads(reused)
        self.assertEqual((failed["state"], failed["exit_code"]), ("failed", OUTPUT))
        self.assertRegex(failed["cause"], f"^{told}$")
        self.assertEqual(reused["state"], "completed")
        self.assertEqual(reused["reused_from"], failed["reused_from"])
        self.assertEqual(self.read("later"), b"use: a\nuse: b\n")

    def codes(self, script, **more):
        """The exit codes of its commands, and the files that it tells of at its end."""
        done = self.start(command=on_small_disk(script), env=self.environment(**more)).finish()
        self.assertEqual(done.code, 0, done)
        words = done.text.split()
        return [int(word) for word in words if word.isdigit()], \
            sorted(word for word in words if not word.isdigit()), done.errors

    def test_code_that_does_not_fit_leaves_no_record(self):
        os.mkdir(self.path("src"))
        self.write("src/big", os.urandom(5_000_000))
        self.write("code.yml", "muster: 1\ncode: src\ncommand: ls\n")
        codes, files, errors = self.codes(
            f"{MUSTER} submit code.yml || echo $?; cd disk/runs; find . -path ./.blobs -prune "
            "-o -print; find .blobs -name 'new-*'\n")
        self.assertEqual((codes, files), ([OUTPUT], ["."]))
        self.assertRegex(errors, r"^muster: error: cannot write to \S+/disk/runs/\.blobs: "
                         rf"{NO_ROOM}\n$")

    def test_a_sweep_s_output_that_does_not_fit_at_its_path(self):
        self.write("sweep.yml", SWEEP)
        codes, files, errors = self.codes(
            f"{MUSTER} submit sweep.yml > said || echo $?; find disk -name '*out*' -not -name "
            "'std*' -not -name outputs; find disk -name big\n")
        self.assertEqual(codes, [OUTPUT])
        kept, = files
        self.assertRegex(kept, "^disk/runs/[^/]+/steps/trial_0/outputs/model/big$")
        self.assertRegex(errors, r"(?m)^muster: the output model of trial_0 is not kept as the "
                         rf"sweep's: cannot copy {self.folder}/{kept} to \S+/disk/out: {NO_ROOM}$")

    def test_checkpoints_that_do_not_fit_stay_where_they_are(self):
        self.write("job.yml", CHECKPOINTS)
        codes, files, errors = self.codes(
            f"{MUSTER} submit job.yml || echo $?\n"
            "cd disk/runs; run=$(ls); mv $run ../../kept; ln -s ../../kept $run\n"
            "cd ../..; head -c 2600000 /dev/zero > disk/fill\n"
            f"{MUSTER} rerun last || echo $?\n"
            "find disk -name checkpoints; find disk kept -name big\n"
            f"rm disk/fill; {MUSTER} rerun last || echo $?; find disk kept -name big\n")
        self.assertEqual(codes, [1, OUTPUT, 1])
        self.assertRegex(" ".join(files), "^disk/runs/[^/]+/checkpoints/big kept/checkpoints/big$")
        self.assertRegex(errors, r"(?m)^muster: error: cannot copy \S+/checkpoints/big to "
                         rf"\S+/disk/runs/\S+/checkpoints: {NO_ROOM}$")

    def test_packages_that_do_not_fit(self):
        self.write("pip.yml", PACKAGES % "python")
        self.write("conda.yml", PACKAGES % "mkl")
        os.mkdir(self.path("bin"))
        self.write("bin/conda", CONDA, 0o755)
        codes, files, errors = self.codes(
            f"conda() {{ PATH=$DIR/bin:$PATH {MUSTER} submit conda.yml || echo $?; }}; conda\n"
            "for size in 1M 4k; do dd if=/dev/zero of=disk/$size bs=$size || :; done\n"
            f"conda; {MUSTER} submit pip.yml || echo $?\n"
            "find disk/muster/environments ! -name '*.lock'\n", XDG_CACHE_HOME=self.path("disk"))
        self.assertEqual((codes, files), ([CANNOT_START] * 3, ["disk/muster/environments"]))
        folder = r"\S+/disk/muster/environments/\w+"
        told = (rf"python3 cannot make a virtual environment in {folder}: .*{NO_ROOM}",
                rf"conda could not make the environment: .*{folder}/bin/python'?: {NO_ROOM}",
                rf"cannot write {folder}\.yml: {NO_ROOM}")
        for line in told:
            self.assertRegex(errors, rf"{line}\n  hint: `muster gc -H HOST` makes room there")


if __name__ == "__main__":
    run_tests()
