"""What muster says names only options that the front end has which says it."""

# rooms: front machine link head host plan view spec process pmix

import glob
import os
import re
import subprocess

from support import MUSTER, ROOT, Case, run_tests

# Who starts ranks on hosts, and so says what the rooms say that all of them share.
STARTERS = ["run", "mpirun", "mpiexec.hydra", "torchrun", "launch", "horovodrun", "deepspeed",
            "submit", "rerun", "lead"]
# Of what these start, another command line has the options that variables are left out with, and
# simulated nodes.
OF_THE_COMMAND = {"rerun": {"--unset", "--dialects", "--fake-nodes"},
                  "lead": {"--unset", "--dialects", "--fake-nodes"}}
SHARED = ["machine", "link", "head", "host", "plan", "view", "spec", "process", "pmix"]

# Folders of src/front, and whose words are read there.
OWN = {"run": ["run"], "mpirun": ["mpirun"], "hydra": ["mpiexec.hydra"],
       "torch": ["torchrun", "launch"], "horovod": ["horovodrun"], "deepspeed": ["deepspeed"],
       "job": ["submit", "explain", "validate", "schema", "export"], "called": ["lead", "join"],
       "record": ["ps", "logs", "rm", "gc", "rerun", "graph", "show", "wait", "stop", "report",
                  "reindex"]}

# Said only where an option of the kind was typed, or by a front end that has it.
ONLY_WHERE_TYPED = {
    "--map-by": "placement", "--rank-by": "placement", "--bind-to": "placement",
    "--nolocal": "placement", "--rankfile": "placement",
    "--host": "hosts", "--hostfile": "hosts", "-H": "hosts",
    "--per-node": "muster run and submit", "--gpus-per-rank": "muster run",
    "--share-gpus": "all that deal out devices, which job files do not",
    "--oversubscribe": "roles, which muster run and submit have", "--role": "roles",
    "--notice": "notices, which muster run and submit have",
    "--stdin": "muster run", "--init-timeout": "muster run", "--timeout": "muster run",
    "--grace": "muster run", "-n": "counts of ranks", "-x": "variables",
    "--clean-env": "muster run", "--wireup": "muster run",
    "--network-interface": "horovodrun", "--mpi": "horovodrun",
    "--numa-binding": "torchrun", "--all-ranks": "explain",
    "--nnodes": "torchrun", "--node-rank": "torchrun", "--master-port": "torchrun",
    "--rdzv-conf": "torchrun", "--rdzv-id": "torchrun", "--rdzv-secret-file": "torchrun",
    "--node": "muster join", "--listen": "muster lead",
    "--container-option": "containers, which muster run and submit have",
    "--unbuffered": "terminals, which muster run and submit have",
    "--shm-size": "containers", "--no-record": "muster run",
    "--workdir": "all but job files, which have words of their own",
}

# What another program is told, not muster: from its name to the end of the clause.
PROGRAMS = ["muster [a-z.]+", "srun", "sbatch", "salloc", "scontrol", "squeue", "scancel", "qsub",
            "qrsh", "podman", "docker", "container's", "ssh", "scp", "ssh command", "kubectl",
            "pip", "conda", "flux", "apt-get", "rm", "kill", "usermod", "chmod", "ulimit", "ss",
            "df", "sed", "dmesg", "head -", "quota", "ip", "env", "mpirun", "torchrun"]
OTHERS = re.compile(r"`[^`]*`|--[a-z-]+ of sbatch|(?<![\w-])(" + "|".join(PROGRAMS)
                    + r")\b[^,;()]*")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
OPTION = re.compile(r"(?<![\w=/{.-])--?[A-Za-z][\w-]*")
LONG = re.compile(r"(?<![\w=/{.-])--[A-Za-z][\w-]*")


def sentences(path):
    """The literals of a C++ file that are more than a word; those in a row are one."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"(?m)^\s*(//|#).*$", "", file.read())
    for run in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        sentence = "".join(LITERAL.findall(run.group()))
        is_script = "/bin/sh" in sentence or sentence.startswith((" --", "( --"))
        if re.search(r"[A-Za-z]\w+ +\S+ ", sentence) and not is_script:
            yield sentence


def named(sentence, form):
    return {word.rstrip("-") for word in form.findall(OTHERS.sub(" ", sentence))}


class Hints(Case):
    @staticmethod
    def options(front):
        text = subprocess.run([MUSTER, front, "--help", "all"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        listed = [line for line in text.splitlines() if line.startswith("  -")]
        return {name for line in listed for name in OPTION.findall(line)}

    def test_what_all_of_them_say(self):
        options = {front: self.options(front) | OF_THE_COMMAND.get(front, set())
                   for front in STARTERS}
        self.assertTrue(all(len(one) > 10 for one in options.values()), options)
        wrong = []
        for room in SHARED:
            for path in glob.glob(os.path.join(ROOT, "src", room, "*.[ch]pp")):
                for sentence in sentences(path):
                    for word in named(sentence, LONG) - set(ONLY_WHERE_TYPED):
                        lack = [front for front, known in options.items() if word not in known]
                        if lack:
                            wrong.append(f"{path}: {lack} have no {word}: {sentence}")
        self.assertEqual(wrong, [])

    def test_what_each_says_of_its_own(self):
        wrong = []
        for folder, fronts in OWN.items():
            options = set().union(*(self.options(front) for front in fronts))
            for path in glob.glob(os.path.join(ROOT, "src", "front", folder, "*.[ch]pp")):
                for sentence in sentences(path):
                    for word in named(sentence, OPTION) - options:
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
