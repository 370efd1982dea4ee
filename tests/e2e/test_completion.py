"""What a person is offered by Tab: of runs that are on record, and at a terminal in a real zsh."""

# rooms: cli front

import json
import os
import pty
import shlex
import shutil
import subprocess
import unittest

from support import MUSTER, WAIT_SECONDS, Case, run_tests, until

# Whatever the completion offers goes to a file, too, and a last line when it is done.
OBSERVED = """
autoload -Uz compinit
compinit -D -u
source $DIR/_muster
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (($#hits)) && print -rl -- $hits >> $DIR/offered
  builtin compadd "$@"
}
done_offering() { print done > $DIR/ended; }
comppostfuncs=(done_offering)
PROMPT=
: > $DIR/ready
"""

BASH = """. <(muster completion bash)
compopt() { :; }
COMP_WORDS=(muster show "$1") COMP_CWORD=2
_muster
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = """muster completion fish | source
complete -C "muster show $argv[1]" | cut -f1
"""


class OfRuns(Case):
    """What is offered is what the other commands understand."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.symlink(MUSTER, self.path("bin", "muster"))

    def environment(self, **more):
        return super().environment(PATH=f"{self.path('bin')}:/usr/bin:/bin", **more)

    def of(self, *words):
        done = self.start(*words[1:], command=(words[0],)).finish()
        self.assertEqual(done.code, 0, done)
        return done.text.splitlines()

    def job(self, text):
        self.of("muster", "submit", self.write("job.yml", text + "command: 'true'\n"))

    def test_only_what_finds_one_run_is_offered(self):
        self.succeeds("true", env=self.environment(MUSTER_RECORD="yes"))
        for name in ("twice", "twice", "my first", "it's", "-n"):
            self.job(f"name: {name}\nexperiment_name: lines\n")
        names = {line.split("\t")[0] for line in self.of("muster", "completion", "runs")}
        self.assertEqual({name for name in names if not name.startswith("2")},
                         {"it's", "my first", "lines/it's", "lines/my first", "lines/-n"})
        self.assertEqual(len(names), 11)
        for name in names:
            self.of("muster", "show", name)
        self.assertEqual(self.of("bash", "-c", BASH, "bash", "tr"), [])
        self.assertEqual(self.of("bash", "-c", BASH, "bash", "my"), ["my\\ first"])
        self.assertEqual(self.of("bash", "-c", BASH, "bash", "it"), ["it\\'s"])
        if shutil.which("fish"):
            self.assertEqual(self.of("fish", "--no-config", "-c", FISH, "my"), ["my first"])

    def test_without_any_run(self):
        self.assertEqual(self.of("muster", "completion", "runs"), [])
        self.assertEqual(self.of("bash", "-c", BASH, "bash", ""), ["last"])

    @unittest.skipUnless(shutil.which("fish"), "there is no fish here")
    def test_fish_knows_files_with_blanks(self):
        self.write("my job.yml", "command: 'true'\n")
        os.mkdir(self.path("a folder"))
        for begun, whole in (("my", "my job.yml"), ("a", "a folder/")):
            offered = self.of("fish", "--no-config", "-c", FISH.replace("show", "submit"), begun)
            self.assertEqual(offered, [whole])


# Writes the line as it stands to a file, at Control-G.
SHOWN = """PS1=
. <(muster completion bash)
shown() { printf %s "$READLINE_LINE" > "$DIR/part" && mv "$DIR/part" "$DIR/line"; }
bind -x '"\\C-g": shown'
: > "$DIR/ready"
"""


class AtAPrompt(Case):
    """A shell that somebody types to, at a terminal of its own; each in a new one."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.symlink(MUSTER, self.path("bin", "muster"))

    def typed_to(self, shell, begin, keys, end):
        """Types the keys once `begin` is read, up to a file of the name `end`."""
        for name in ("ready", end):
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))
        self.write("begin", begin)
        ours, theirs = pty.openpty()
        env = self.environment(PATH=f"{self.path('bin')}:/usr/bin:/bin", TERM="dumb")
        process = subprocess.Popen(shell, cwd=self.folder, env=env, stdin=theirs, stdout=theirs,
                                   stderr=theirs, start_new_session=True)
        os.close(theirs)
        os.set_blocking(ours, False)
        said = []

        def there(name):
            try:
                while part := os.read(ours, 65536):
                    said.append(part)
            except BlockingIOError:
                pass
            return os.path.exists(self.path(name))

        try:
            os.write(ours, f"source {shlex.quote(self.path('begin'))}\n".encode())
            until(lambda: f"a prompt: {b''.join(said)}", lambda: there("ready"))
            os.write(ours, keys)
            until(lambda: f"an end of {keys}: {b''.join(said)}", lambda: there(end))
        finally:
            process.kill()
            process.wait(WAIT_SECONDS)
            os.close(ours)


class OfBash(AtAPrompt):
    def completed(self, line):
        """What becomes of it by Tab."""
        self.typed_to(["bash", "--norc", "-i"], SHOWN, line.encode() + b"\t\x07", "line")
        return self.read("line").decode()

    def test_files_with_blanks(self):
        for name in ("my job.yml", "it's.yml", "a$b.yml", "back\\slash.yml"):
            self.write(name, "command: 'true'\n")
        os.makedirs(self.path("a folder", "below"))
        os.makedirs(self.path("logs d"))
        for line, whole in (("submit my", "submit my\\ job.yml "),
                            ("submit my\\ j", "submit my\\ job.yml "),
                            ("submit 'my", "submit 'my job.yml' "),
                            ('submit "my j', 'submit "my job.yml" '),
                            ("submit it", "submit it\\'s.yml "),
                            ("submit a\\$", "submit a\\$b.yml "),
                            ("submit a\\ fo", "submit a\\ folder/"),
                            ("submit a\\ folder/", "submit a\\ folder/below/"),
                            ("submit ~/my", "submit ~/my\\ job.yml "),
                            ("submit --target x my", "submit --target x my\\ job.yml "),
                            ("export slurm my", "export slurm my\\ job.yml "),
                            ("run --logs l", "run --logs logs\\ d/"),
                            ("run --logs=l", "run --logs=logs\\ d/"),
                            ("run --hostfile m", "run --hostfile my\\ job.yml ")):
            with self.subTest(line):
                self.assertEqual(self.completed("muster " + line), "muster " + whole)


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh here")
class OfZsh(AtAPrompt):
    """Each line in a zsh of its own: what it offers is the same at any time."""

    def offered(self, line):
        if os.path.exists(self.path("offered")):
            os.unlink(self.path("offered"))
        self.write("_muster", subprocess.run([MUSTER, "completion", "zsh"], check=True,
                                             capture_output=True, timeout=WAIT_SECONDS).stdout)
        self.typed_to(["zsh", "-f", "-i"], OBSERVED, line.encode() + b"\t", "ended")
        if not os.path.exists(self.path("offered")):
            return set()
        return set(self.read("offered").decode().splitlines())

    def test_commands(self):
        self.assertEqual(self.offered("muster comp"), {"completion"})
        self.assertEqual(self.offered("muster completion "), {"bash", "zsh", "fish"})
        self.assertEqual(self.offered("muster help expo"), {"export"})

    def test_words_of_export(self):
        self.write("job.yml", "command: 'true'\n")
        self.assertEqual(self.offered("muster export slu"), {"slurm"})
        self.assertEqual(self.offered("muster export slurm jo"), {"job.yml"})
        self.assertEqual(self.offered("muster export slurm --outp"), {"--output"})

    def test_options_and_their_values(self):
        self.assertIn("--tag", self.offered("muster run --ta"))
        self.assertEqual(self.offered("muster run --on-failure "), {"abort", "continue"})
        self.assertEqual(self.offered("muster run --on-failure="), {"abort", "continue"})

    def test_values_with_a_colon(self):
        offered = self.offered("muster run --map-by dist:")
        self.assertIn("dist:auto", offered)
        self.assertEqual({word for word in offered if not word.startswith("dist:")}, set())

    def test_hosts_that_ssh_knows(self):
        os.mkdir(self.path(".ssh"))
        self.write(".ssh/config", "Host node1 node2 *.site !x\n  HostName a\n")
        self.write(".ssh/known_hosts", "|1|hash= ssh-rsa A\nbigone,10.0.0.7 ssh-rsa A\n")
        self.assertEqual(self.offered("muster run -H node1,b"), {"bigone"})
        self.assertEqual(self.offered("muster mpirun --host n"), {"node1", "node2"})

    def test_runs(self):
        for _ in range(2):
            self.succeeds("-n", "1", "true", env=self.environment(MUSTER_RECORD="yes"))
        offered = self.offered("muster show ")
        self.assertIn("last", offered)
        self.assertEqual(len(offered), 3, offered)

    def test_names_of_jobs(self):
        for name in ("back\\slash", "a:b"):
            self.write("job.yml", f"name: {json.dumps(name)}\ncommand: 'true'\n")
            self.assertEqual(self.start("job.yml", command=(MUSTER, "submit")).finish().code, 0)
        self.assertEqual(self.offered("muster show ba"), {"back\\\\slash"}, "as it is typed")
        self.assertEqual(self.offered("muster show a:"), {"a:b"})

    def test_hosts_of_a_user(self):
        os.mkdir(self.path(".ssh"))
        self.write(".ssh/config", "Include more\nHost node1\n")
        self.write(".ssh/more", "Host bigone\n")
        self.assertEqual(self.offered("muster run -H node1,me@b"), {"bigone"})

    def test_files_and_programs(self):
        self.write("job.yml", "command: true\n")
        self.assertEqual(self.offered("muster submit jo"), {"job.yml"})
        self.write("my job.yml", "command: true\n")
        self.assertEqual(self.offered("muster submit my"), {"my\\ job.yml"}, "as it is typed")
        self.write("program-of-this-test", "#!/bin/sh\n", 0o755)
        self.assertEqual(self.offered("muster run -n 2 ./prog"), {"program-of-this-test"})


if __name__ == "__main__":
    run_tests()
