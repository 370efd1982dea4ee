"""What muster says names only options that the front end has which says it."""

# rooms: front machine link head host plan view spec process pmix

import functools
import glob
import os
import re
import subprocess

from support import MUSTER, ROOT, Case, run_tests

# Who starts ranks on hosts, and so says what is said in rooms that all of them share.
STARTERS = "run mpirun mpiexec.hydra torchrun launch horovodrun deepspeed submit rerun lead"
# Of what these start, another command line has the options that variables are left out with, and
# simulated nodes; a rerun's has its hosts, too.
OF_THE_COMMAND = {"rerun": {"--unset", "--dialects", "--fake-nodes", "-H", "--hostfile"},
                  "lead": {"--unset", "--dialects", "--fake-nodes"}}

# What not all starters say: a file or a room of src, who says it, and which of its options are
# meant, if not all. "with X": it is said where X was typed, by whoever has X. What a rerun is told
# of that is for the line that it starts again; horovodrun takes mpirun's in --mpi-args.
SAID_BY = [
    ("batch/slurm_refusal.cpp", "submit", "--without"),
    ("blobs", "submit explain", ""),
    ("cli/adopt.cpp", "ps", ""),
    ("cli/image_store.cpp", "run submit", "--image-from-here"),
    ("cli/list.cpp", "ps", "--watch"),
    ("cli/meant_record.cpp", "logs stop rm wait", "--foreign"),
    ("cli/package_tools.cpp", "submit", "--without"),
    ("cli/run.cpp", "with --detach", "--detach"),
    ("cli/scheduled.cpp", "logs", "--tail"),
    ("container", "run submit explain", ""),
    ("front/container_options.cpp", "run submit explain", "--image"),
    ("front/container_options.hpp", "run submit explain", "--container-option"),
    ("front/hosts.cpp", "run mpirun torchrun launch lead submit", "-H --hostfile"),
    ("front/inner_request.cpp", "torchrun", "--nnodes"),
    ("front/mapping_words.cpp", "with --map-by", ""),
    ("front/memory_words.cpp", "with --mem-bind", ""),
    ("head/gloo_server.cpp", "horovodrun", ""),
    ("head/hold_meeting.cpp", "torchrun launch", ""),
    ("head/peers.cpp", "torchrun launch", ""),
    ("host/outer_agent.cpp", "run submit", "--container-option"),
    ("host/program.cpp", "with --workdir", "--workdir"),
    ("job/check_batch.cpp", "submit", "--detach"),
    ("job/graph_values.cpp", "submit explain validate export", ""),
    ("job/layout.cpp", "submit explain export", ""),
    ("job/other_files.cpp", "submit explain validate export", ""),
    ("job/target.cpp", "run", "-H --bind-to"),
    ("job/values.cpp", "submit explain validate export", ""),
    ("job", "submit explain", ""),
    ("kubernetes", "export", ""),
    ("link/handshake.cpp", "torchrun launch", "--rdzv-id"),
    ("machine/company.hpp", "torchrun launch", "--nnodes --node-rank --master-port --rdzv-conf"),
    ("machine/company.hpp", "join", "--node"),
    ("machine/company.hpp", "lead", "--listen"),
    ("machine/run.cpp", "horovodrun", "--network-interface --mpi"),
    ("machine/run_wireup.cpp", "with --init-timeout", "--init-timeout"),
    ("plan/binding.cpp", "with --bind-to", ""),
    ("plan/capacity.cpp", "with --map-by", "--map-by"),
    ("plan/capacity.cpp", "with --nolocal", "--nolocal -H --hostfile"),
    ("plan/devices.cpp", "with --share-gpus", "--share-gpus"),
    ("plan/distance.cpp", "with --map-by", ""),
    ("plan/forwarded.cpp", "with -x", "-x"),
    ("plan/gpu_binding.cpp", "with --numa-binding", "--numa-binding"),
    ("plan/gpu_binding.cpp", "with --bind-to", "--bind-to"),
    ("plan/gpu_binding.cpp", "mpiexec.hydra", "-bind-to"),
    ("plan/inventory.cpp", "run submit", "--per-node"),
    ("plan/place.cpp", "with --map-by", "--map-by --bind-to"),
    ("plan/ranking.cpp", "with --rank-by", ""),
    ("plan/remedy.cpp", "run mpirun", "--oversubscribe"),
    ("plan/remedy.cpp", "run submit", "--per-node"),
    ("process/terminal.cpp", "with --unbuffered", "--unbuffered"),
    ("spec/check.cpp", "with -x", "-x"),
    ("spec/roles.cpp", "run", "--role"),
    ("spec/word_lines.cpp", "mpirun", "-x -mca"),
    ("spec/word_lines.cpp", "mpirun mpiexec.hydra", "-n"),
    ("view/plan_table.cpp", "explain", "--all-ranks"),
]

# Folders of src/front, and whose words are read there.
OWN = {"run": ["run"], "mpirun": ["mpirun"], "hydra": ["mpiexec.hydra"],
       "torch": ["torchrun", "launch"], "horovod": ["horovodrun"], "deepspeed": ["deepspeed"],
       "job": ["submit", "explain", "validate", "schema", "export"], "called": ["lead", "join"],
       "record": ["ps", "logs", "rm", "gc", "rerun", "graph", "show", "wait", "stop", "report",
                  "reindex"]}

# Options of other launchers, words of shells: no sentences.
TABLES = ["cli/completion.cpp", "front/elsewhere.cpp", "front/fronts.cpp"]

# What another program is told, not muster: from its name to the end of the clause.
PROGRAMS = ["muster [a-z.]+", "srun", "sbatch", "salloc", "scontrol", "squeue", "scancel", "sinfo",
            "sacctmgr", "qsub", "qrsh", "qstat", "qacct", "qhost", "qconf", "qmod", "podman",
            "docker", "container's", "container gets", "ssh", "scp", "ssh command", "kubectl",
            "pip", "conda", "flux", "apt-get", "rm", "kill", "usermod", "chmod", "ulimit", "ss",
            "df", "ls", "sed", "dmesg", "head -", "quota", "ip", "env", "uname", "mpirun",
            "torchrun", "nvidia-smi"]
# "--slurm-option qos= and -p of muster run": OfferedCommands, a unit test, looks these up.
WITH_OWNER = r"(--?[\w-]+(( and)? [a-z]+=)*( and|,)? )+of (sbatch|muster [a-z]+)"
OTHERS = re.compile(rf"`[^`]*`|(?<=--container-option )--\w+|{WITH_OWNER}|(?<![\w-])("
                    + "|".join(PROGRAMS) + r")\b[^,;()]*")
# How words for shells begin, and those of other programs that are looked for.
SCRIPT = (" --", " -a $$", "(-o=", "(--output=", "( --", "(pbs_track", "; ", "exec ", "trap ",
          " sh ", "#!", "-pe ", "nvalid ")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
OPTION = re.compile(r"(?<![\w=/{.\[-])--?[A-Za-z][\w-]*")


def sentences(path):
    """The literals of a C++ file that are more than a word; those in a row are one."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"(?m)^\s*(//|#).*$", "", file.read())
    for run in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        sentence = "".join(LITERAL.findall(run.group()))
        is_script = "/bin/sh" in sentence or sentence.startswith(SCRIPT)
        is_table = all(word.startswith("-") for word in sentence.split())
        if re.search(r"[a-z]\w+ +\S+", sentence) and not is_script and not is_table:
            yield sentence


def named(sentence):
    return {word.rstrip("-") for word in OPTION.findall(OTHERS.sub(" ", sentence))}


class Hints(Case):
    @staticmethod
    @functools.cache
    def options(front):
        text = subprocess.run([MUSTER, front, "--help", "all"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        listed = [line for line in text.splitlines() if line.startswith("  -")]
        names = {name for line in listed for name in OPTION.findall(line)}
        if front == "mpiexec.hydra":  # takes any number of dashes
            names |= {"--" + name.lstrip("-") for name in names}
        return names

    def audience(self, who):
        """The front ends of a row, each with its options."""
        names = who.split()
        if names[0] == "with":
            names = [one for one in STARTERS.split() if names[1] in self.options(one)]
        return {name: self.options(name) | OF_THE_COMMAND.get(name, set()) for name in names}

    def wrong_words(self, path, used):
        """What a file names to a front end that lacks it; `used`: rows that were looked at."""
        file = os.path.relpath(path, os.path.join(ROOT, "src"))
        rows = [row for row in SAID_BY if row[0] == file]
        rows += [row for row in SAID_BY if row[0] == os.path.dirname(file)]
        for sentence in sentences(path):
            for word in sorted(named(sentence)):
                row = next((one for one in rows if not one[2] or word in one[2].split()),
                           (file, STARTERS, ""))
                used.add(row)
                lack = [front for front, has in self.audience(row[1]).items() if word not in has]
                if lack:
                    yield f"{file}: no {word} of {' '.join(lack)}: {sentence}"

    def test_what_is_said_by_several(self):
        self.assertTrue(all(len(one) > 10 for one in self.audience(STARTERS).values()))
        used = set()
        wrong = [line for path in glob.glob(os.path.join(ROOT, "src", "*", "*.[ch]pp"))
                 if os.path.relpath(path, os.path.join(ROOT, "src")) not in TABLES
                 for line in self.wrong_words(path, used)]
        self.assertFalse(wrong, "\n" + "\n".join(sorted(wrong)))
        self.assertEqual([row for row in SAID_BY if row not in used], [], "nobody says it any more")

    def test_what_each_says_of_its_own(self):
        wrong = []
        for folder, fronts in OWN.items():
            options = set().union(*(self.options(front) for front in fronts))
            for path in glob.glob(os.path.join(ROOT, "src", "front", folder, "*.[ch]pp")):
                for sentence in sentences(path):
                    for word in named(sentence) - options:
                        wrong.append(f"{path}: no {word}: {sentence}")
        self.assertEqual(wrong, [])

    def said(self, *words):
        done = self.start(*words, command=(MUSTER,)).finish()
        self.assertEqual(done.code, 240, done)
        return done.errors

    def test_a_line_that_lacks_the_command(self):
        self.assertIn("hint: to start a program: muster run -n 2 sh -c 'exit 0'\n",
                      self.said("-n", "2", "sh", "-c", "exit 0"))
        self.assertIn("hint: to start a program: muster run -n 4 python3 x.py\n",
                      self.said("python3", "x.py"))
        self.assertIn("hint: did you mean: muster submit job.yml\n", self.said("sumbit", "job.yml"))

    def test_options_that_a_job_has_in_its_file(self):
        for words, hint in ((("-n", "4"), "--nodes and --per-node override it"),
                            (("-x", "A=1"), "environment_variables: {NAME: VALUE} in the job")):
            for command in ("submit", "explain"):
                self.assertIn(hint, self.said(command, *words, "job.yml"))

    def test_help_of_a_command(self):
        for name in ("run", "mpirun", "gc"):
            asked = self.succeeds("help", name, command=(MUSTER,))
            self.assertEqual(asked.text, self.succeeds(name, "--help", command=(MUSTER,)).text)
        done = self.muster("help", "runn", command=(MUSTER,))
        self.assertEqual((done.code, done.complaints), (
            2, "muster: error: no help for runn: there is no such command\n"
               "  hint: did you mean: muster run\n"))
        done = self.muster("help", "zebra", command=(MUSTER,))
        self.assertIn("hint: muster help lists all commands", done.complaints)

    def test_commands_that_are_called_differently_here(self):
        for word, here in (("list", "muster ps"), ("status", "muster show RUN"),
                           ("log", "muster logs"), ("kill", "muster stop RUN"),
                           ("msrun", "muster run"), ("accelerate", "accelerate launch"),
                           ("scancel", "muster stop RUN")):
            self.assertRegex(self.said(word), rf"unknown command {word}\n  hint: .*{here}")

    def test_values_that_are_nearly_right(self):
        for words, near in ((("run", "--bind-to", "cor"), "core"),
                            (("mpirun", "--map-by", "nmua:PE=2"), "numa"),
                            (("mpiexec.hydra", "-bind-to", "sockett"), "socket"),
                            (("ps", "--state", "faild"), "failed")):
            done = self.muster(*words, "true", command=(MUSTER,))
            self.assertIn(f"\n  hint: did you mean {near}?\n", done.errors)
        self.assertNotIn("did you mean", self.said("run", "-x", "B_NOT_SET_ANYWHERE", "true"))


if __name__ == "__main__":
    run_tests()
