"""Jobs with a conda file: each host makes an environment of its packages once, and keeps it.

The package is a wheel that the test writes; pip finds it in a folder, and asks no index. conda
itself is a script that says what it was asked for.
"""

# rooms: cli job host link
# long
# attacks

import contextlib
import glob
import os
import re
import signal
import unittest
import zipfile

import own
from support import (BAD_FILE, CANNOT_START, MUSTER, PYTHON, ROOT, Case, LabCase, descendants,
                     lab_or_skip, run_tests, until)
from lab import HOME  # which support has put on the path

REASON = lab_or_skip()
MAKES_SECONDS = 300  # for the environments of a test, where each takes a busy machine half a minute
NAME = "musterpacked"
SAYS = (f"python -c 'import {NAME}, os, sys; "
        f"print({NAME}.SAYS, sys.prefix == os.environ[\"VIRTUAL_ENV\"])'")
# Makes what conda would, as far as a rank sees it, and writes down that it was called.
CONDA = f"""#!/bin/sh
echo "$@" >> "$DIR/conda.calls"
while [ $# -gt 0 ]; do
  case "$1" in -p) folder=$2 ;; -f) file=$2 ;; esac
  shift
done
mkdir -p "$folder/bin"
echo "Solving environment"
cat "$file" > "$folder/asked"
[ ! -e "$DIR/slow" ] || {{ : > "$DIR/making"; while [ -e "$DIR/slow" ]; do sleep 0.05; done; }}
[ ! -e "$DIR/broken" ] || {{ echo "NotFound error: $(cat "$DIR/broken")" >&2; exit 1; }}
ln -s {PYTHON} "$folder/bin/python"
"""

def wheel(folder, version="1.0"):
    """The smallest wheel that pip takes."""
    about = f"{NAME}-{version}.dist-info"
    files = {f"{NAME}.py": f"SAYS = 'packed {version}'\n",
             f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n",
             f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                               "Tag: py3-none-any\n"}
    record = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(os.path.join(folder, f"{NAME}-{version}-py3-none-any.whl"), "w") as out:
        for name, text in {**files, f"{about}/RECORD": record}.items():
            out.writestr(name, text)

def job(environment, command=SAYS, nodes=1):
    return (f"muster: 1\nenvironment:\n{environment}"
            f"distribution: {{type: mpi, node_count: {nodes}, process_count_per_node: 2}}\n"
            f"command: |\n  {command}\n")

PACKED = f"  conda: {{dependencies: [python>=3.8, pip, {{pip: [{NAME}]}}]}}\n"

class CondaFiles(Case):
    def environment(self, **more):
        return super().environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=self.path("wheels"), **more)

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("wheels"))

    def submit(self, text, *words, seconds=MAKES_SECONDS, **more):
        self.write("job.yml", text)
        return self.muster("job.yml", *words, seconds=seconds,
                           command=(MUSTER, "submit"), **more)

    def made(self):
        return glob.glob(self.path(".cache/muster/environments/*/.muster-complete"))

    def conda(self):
        os.makedirs(self.path("bin"), exist_ok=True)
        self.write("bin/conda", CONDA, 0o755)
        return self.environment(PATH=f"{self.path('bin')}:/usr/bin:/bin")

    def calls(self):
        try:
            return self.read("conda.calls").decode().splitlines()
        except FileNotFoundError:
            return []

    @unittest.skipIf(os.getuid() != 0, "only root can give files away")
    def test_what_another_user_has_put_into_a_shared_cache_is_not_executed(self):
        other = own.users()
        env = {**self.conda(), "XDG_CACHE_HOME": self.path("shared")}
        self.write("job.yml", job("  conda: {dependencies: [mkl]}\n", "python --version"))
        submit = (MUSTER, "submit")
        self.assertEqual(self.muster("job.yml", command=submit, env=env).code, 0)
        os.chmod(self.path("shared"), 0o1777)
        self.assertEqual(self.muster("job.yml", command=submit, env=env).code, 0, "all is mine")
        made, = glob.glob(self.path("shared/muster/environments/*/"))
        evil = os.path.join(made, "bin/python")
        os.remove(evil)
        with open(evil, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho evil\n")
        os.chmod(evil, 0o755)
        calls = self.read("conda.calls")
        cache = self.path("shared/muster")
        for path in (cache, os.path.join(cache, "environments"), made.rstrip("/")):
            with self.subTest(path):
                os.chown(path, other, other)
                done = self.muster("job.yml", command=submit, env=env)
                os.chown(path, 0, 0)
                self.assertEqual((done.code, done.text), (CANNOT_START, ""), done)
                self.assertIn(f"not using {path}: it is another user's", done.errors)
                os.chmod(path, 0o777)
                done = self.muster("job.yml", command=submit, env=env)
                os.chmod(path, 0o755)
                self.assertEqual((done.code, done.text), (CANNOT_START, ""), done)
                self.assertIn(f"not using {path}: others may write to it", done.errors)
        os.rename(cache, self.path("theirs"))
        os.symlink(self.path("theirs"), cache)
        os.chown(cache, other, other, follow_symlinks=False)
        os.chown(self.path("shared"), 1, 1)
        done = self.muster("job.yml", command=submit, env=env)
        self.assertEqual((done.code, done.text), (CANNOT_START, ""), done)
        self.assertIn(f"not using {cache}: it is a link of another user's", done.errors)
        os.chown(cache, 0, 0, follow_symlinks=False)
        self.assertEqual(self.muster("job.yml", command=submit, env=env).text, "evil\n" * 2,
                         "a link of my own is followed, and what it leads to is mine again")
        self.assertEqual(self.read("conda.calls"), calls)

    def test_a_cache_that_ones_own_group_could_write_to_is_closed(self):
        env = {**self.conda(), "XDG_CACHE_HOME": self.path("shared")}
        self.write("job.yml", job("  conda: {dependencies: [mkl]}\n", "python --version"))
        for folder in ("shared/muster", "shared/muster/environments"):
            os.makedirs(self.path(folder))
            os.chmod(self.path(folder), 0o775)
        done = self.muster("job.yml", command=(MUSTER, "submit"), env=env)
        self.assertEqual(done.code, 0, done)
        for folder in ("shared/muster", "shared/muster/environments"):
            self.assertEqual(os.stat(self.path(folder)).st_mode & 0o777, 0o755)

    @unittest.skipIf(os.getuid() != 0, "only root can give files away")
    def test_a_cache_in_a_folder_of_a_group_is_used_again(self):
        """What is made there has its group, and the umask would let that write."""
        env = {**self.conda(), "XDG_CACHE_HOME": self.path("shared")}
        os.mkdir(self.path("shared"))
        os.chown(self.path("shared"), 0, own.users())
        os.chmod(self.path("shared"), 0o2775)
        self.write("job.yml", job("  conda: {dependencies: [mkl]}\n", "python --version"))
        submit = ("sh", "-c", 'umask 002; exec "$@"', "sh", MUSTER, "submit")
        def submits(calls):
            done = self.muster("job.yml", command=submit, env=env)
            self.assertEqual(done.code, 0, done)
            self.assertEqual(len(self.calls()), calls)
        submits(calls=1)
        submits(calls=1)
        made, = glob.glob(self.path("shared/muster/environments/*/"))
        for folder in (made, self.path("shared/muster/environments"), self.path("shared/muster")):
            self.assertEqual(os.stat(folder).st_mode & 0o022, 0, folder)
        # As one leaves it that was killed before it had all.
        os.remove(os.path.join(made, ".muster-complete"))
        os.chmod(made, 0o2775)
        submits(calls=2)

    def test_a_cache_that_cannot_be_made_is_told_of(self):
        self.write("cache", "")
        self.write("job.yml", job("  conda: {dependencies: [mkl]}\n", "python --version"))
        env = {**self.conda(), "XDG_CACHE_HOME": self.path("cache")}
        done = self.muster("job.yml", command=(MUSTER, "submit"), env=env)
        self.assertEqual((done.code, done.text), (CANNOT_START, ""), done)
        self.assertIn(f"cannot make {self.path('cache/muster/environments')}: Not a directory\n",
                      done.errors)
        self.assertIn("hint: set XDG_CACHE_HOME to a folder that you may write to", done.errors)

    def test_pip_packages_are_made_once_and_come_first(self):
        wheel(self.path("wheels"))
        first = self.submit(job(PACKED), "--verbose")
        self.assertEqual(first.code, 0, first)
        self.assertEqual(first.lines, ["packed 1.0 True"] * 2, first)
        self.assertRegex(first.errors, r"muster: packages: venv /\S+ on 1 host, after")
        mark = self.made()
        self.assertEqual(len(mark), 1, mark)
        before = os.stat(os.path.dirname(mark[0]) + "/pyvenv.cfg").st_mtime_ns
        os.unlink(self.path("wheels", os.listdir(self.path("wheels"))[0]))  # nobody needs it again
        second = self.submit(job(PACKED), "--fake-nodes", "2")
        self.assertEqual((second.code, second.lines), (0, ["packed 1.0 True"] * 2), second)
        self.assertEqual(os.stat(os.path.dirname(mark[0]) + "/pyvenv.cfg").st_mtime_ns, before)
        self.assertEqual(self.made(), mark)

    def test_a_program_of_the_python_package_describes_them(self):
        wheel(self.path("wheels"))
        self.write("needs.txt", f"{NAME}\n")
        self.write("say.py", f"import {NAME}; print({NAME}.SAYS)\n")
        self.write("conda.yml", f"dependencies: [python, pip, {{pip: [{NAME}]}}]\n")
        self.write("program.py", """
from muster import Environment, Experiment, ScriptRunConfig, Workspace
from muster.environment import CondaDependencies
added = Environment("added")
added.python.conda_dependencies = CondaDependencies.create(pip_packages=["musterpacked"])
for one in (Environment.from_conda_specification("file", "conda.yml"),
            Environment.from_pip_requirements("listed", "needs.txt"), added):
    run = Experiment(Workspace(), "e").submit(ScriptRunConfig(".", "say.py", environment=one))
    assert run.wait() == 0, run.details()
    print(one.name, run.logs(), end="")
""")
        env = self.environment(MUSTER=MUSTER, PYTHONPATH=os.path.join(ROOT, "python"),
                               MUSTER_RECORDS=self.path("records"))
        done = self.muster("program.py", command=(PYTHON,), seconds=MAKES_SECONDS, env=env)
        self.assertEqual(done.lines, [f"{name} packed 1.0" for name in ("added", "file", "listed")],
                         done)

    def test_a_file_takes_in_files_of_requirements(self):
        wheel(self.path("wheels"), "1.0")
        wheel(self.path("wheels"), "2.0")
        os.mkdir(self.path("needs"))
        self.write("needs/conda.yml", "name: any\nchannels: [conda-forge]\ndependencies:\n"
                                      "  - python\n  - pip=20\n  - pip:\n    - -r more.txt\n")
        self.write("needs/more.txt", f"# of ours\n{NAME} < 2  # the first\n")
        done = self.submit(job("  conda_file: needs/conda.yml\n  name: mine\n"))
        self.assertEqual((done.code, done.lines), (0, ["packed 1.0 True"] * 2), done)
        self.write("needs/more.txt", f"{NAME}==2\n")
        done = self.submit(job("  conda_file: needs/conda.yml\n"))
        self.assertEqual((done.code, done.lines), (0, ["packed 2.0 True"] * 2), done)
        self.assertEqual(len(self.made()), 2)

    def test_what_pip_cannot_find_is_told(self):
        done = self.submit(job("  conda: {dependencies: [{pip: [no-such-thing-here]}]}\n"))
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertIn("this machine: pip could not make the environment: ERROR: ", done.errors)
        self.assertIn("no-such-thing-here", done.errors)
        self.assertIn("PIP_INDEX_URL", done.errors)
        self.assertEqual(self.made(), [])
        self.assertEqual(glob.glob(self.path(".cache/muster/environments/*/")), [])

    def test_what_only_conda_has_is_named(self):
        done = self.submit(job("  conda: {dependencies: [python, cudatoolkit=11, 'a::mkl>2']}\n"))
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertIn("this machine: there is no conda, and these packages cannot be had without "
                      "it: cudatoolkit, mkl\n", done.errors)
        self.assertIn("--without environment", done.errors)
        without = self.submit(job("  conda: {dependencies: [mkl]}\n", "echo well"),
                              "--without", "environment")
        self.assertEqual((without.code, without.lines), (0, ["well"] * 2), without)

    def test_no_python_of_that_version(self):
        done = self.submit(job("  conda: {dependencies: [python=2.4]}\n"))
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertIn("there is neither conda nor a Python =2.4", done.errors)

    def test_conda_makes_all_packages(self):
        env = self.conda()
        text = job("  conda: {channels: [c], dependencies: [mkl=1, {pip: ['x==1; a < \"3\"']}]}\n",
                   'echo $CONDA_PREFIX $(command -v python); cat "$CONDA_PREFIX/asked"')
        done = self.submit(text, env=env)
        self.assertEqual(done.code, 0, done)
        (mark,) = self.made()
        folder = os.path.dirname(mark)
        self.assertEqual(self.calls(), [f"env create -q -p {folder} -f {folder}.yml"])
        self.assertEqual(done.lines, sorted(
            [f"{folder} {folder}/bin/python",
             '{"channels": ["c"], "dependencies": ["mkl=1", {"pip": ["x==1; a < \\"3\\""]}]}'] * 2))
        self.assertFalse(os.path.exists(folder + ".yml"))
        self.write("broken", "mkl=2")
        text = job("  conda: {dependencies: [mkl=2]}\n")
        done = self.submit(text, env=env)
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertIn("conda could not make the environment: NotFound error: mkl=2",
                      done.errors)

    def wants_the_lock(self, run):
        """Whether a process of the run has opened it: that comes right before the wait for it."""
        environments = self.path(".cache/muster/environments/")
        for pid in (run.pid, *descendants(run.pid)):
            for path in glob.glob(f"/proc/{pid}/fd/*"):
                with contextlib.suppress(OSError):
                    if re.fullmatch(re.escape(environments) + r"[^/]+\.lock", os.readlink(path)):
                        return True
        return False

    def test_runs_that_begin_together_make_one(self):
        env = self.conda()
        self.write("job.yml", job("  conda: {dependencies: [mkl]}\n", "echo well"))
        self.write("slow", "")
        runs = [self.start("job.yml", command=(MUSTER, "submit"), env=env)
                for _ in range(3)]
        self.wait_for_files(["making"])
        until("all want the environment's lock", lambda: all(map(self.wants_the_lock, runs)))
        os.unlink(self.path("slow"))
        for one in runs:
            done = one.finish(MAKES_SECONDS)
            self.assertEqual((done.code, done.lines), (0, ["well"] * 2), done)
        self.assertEqual(len(self.calls()), 1, self.calls())

    def test_an_interrupted_one_is_made_anew(self):
        env = self.conda()
        text = job("  conda: {dependencies: [mkl]}\n", 'test -e "$CONDA_PREFIX/bin/python"')
        self.write("job.yml", text)
        self.write("slow", "")
        run = self.start("job.yml", command=(MUSTER, "submit"), env=env)
        self.wait_for_files(["making"])
        run.send(signal.SIGINT)
        self.assertEqual(run.finish().code, 128 + signal.SIGINT)
        self.assertEqual(self.made(), [])
        os.unlink(self.path("slow"))
        done = self.submit(text, env=env)
        self.assertEqual(done.code, 0, done)
        self.assertEqual((len(self.calls()), len(self.made())), (2, 1))

    def test_bad_files_are_told_with_their_places(self):
        cases = {"  conda_file: none.yml\n": r"job.yml:3:15: the conda file 'none.yml': ",
                 "  conda: {channels: [a]}\n": r"job.yml:3:10: dependencies is missing",
                 "  conda: {dependencies: [{pip: x}]}\n": r"pip must be a list, not ",
                 "  conda: {dependencies: [{pip: [-r gone.txt]}]}\n": r"takes in 'gone.txt'",
                 "  name: curated\n": r"cannot give the job its environment 'curated'"}
        for environment, pattern in cases.items():
            done = self.submit(job(environment))
            self.assertEqual(done.code, BAD_FILE, done)
            self.assertRegex(done.errors, pattern)

    def test_a_launcher_in_the_command_hands_it_on(self):
        env = self.conda()
        text = ("muster: 1\nenvironment:\n  conda: {dependencies: [mkl]}\n"
                "command: mpirun --oversubscribe -n 2 sh -c 'command -v python'\n")
        done = self.submit(text, env=env)
        self.assertEqual(done.code, 0, done)
        folder = os.path.dirname(self.made()[0])
        self.assertEqual(done.lines, [f"{folder}/bin/python"] * 2, done)

@unittest.skipIf(REASON, REASON)
class OnHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def made(self, host):
        return glob.glob(self.lab.path(host, HOME + "/.cache/muster/environments/*/pyvenv.cfg"))

    def submit(self, *words, seconds=MAKES_SECONDS, **more):
        return self.launch("job.yml", *words, seconds=seconds, **more,
                           command=[MUSTER, "submit"])

    def environment(self, **more):
        return super().environment(MUSTER_SSH_COMMAND=self.lab.ssh_command, PIP_NO_INDEX="1",
                                   PIP_FIND_LINKS=self.path("wheels"), **more)

    def test_each_host_makes_its_own_and_gc_bounds_it(self):
        os.mkdir(self.path("wheels"))
        wheel(self.path("wheels"))
        self.write("job.yml", job(PACKED, SAYS + "; hostname", nodes=2))
        done = self.submit("-H", "node1:2,node2:2")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.lines, ["node1"] * 2 + ["node2"] * 2 + ["packed 1.0 True"] * 4, done)
        self.assertEqual([len(self.made(host)) for host in ("head", "node1", "node2")], [0, 1, 1])
        gc = [MUSTER, "gc", "-H", "node1,node2"]
        env = self.environment(MUSTER_CACHE_BUDGET="1B")
        self.launches(command=gc, env=env)
        self.assertEqual(len(self.made("node1")), 1)  # used a moment ago
        mark = glob.glob(self.lab.path("node1", HOME + "/.cache/muster/environments/*/.m*"))[0]
        os.utime(mark, (1, 1))
        self.launches(command=gc, env=env)
        self.assertEqual([len(self.made(host)) for host in ("node1", "node2")], [0, 1])

    def test_a_host_that_has_no_room(self):
        """What is there of it is not taken for whole, and room heals it."""
        os.mkdir(self.path("wheels"))
        wheel(self.path("wheels"))
        self.write("job.yml", job(PACKED, nodes=2))
        cache = HOME + "/.cache/muster"
        self.lab.run(["mkdir", "-p", cache], host="node2")
        self.lab.run(["mount", "-t", "tmpfs", "-o", "size=16k,mode=755", "none", cache],
                     host="node2")
        self.addCleanup(self.lab.run, ["umount", "-l", cache], host="node2")
        for _ in range(2):
            done = self.submit("-H", "node1:2,node2:2")
            self.assertEqual((done.code, done.out), (CANNOT_START, b""), done)
            self.assertRegex(done.errors, rf"(?m)^muster: error: node2: [^\n]*{cache}/environments/"
                             r"[^\n]*No space left on device")
            self.assertRegex(done.errors, "hint: `muster gc -H HOST` makes room there")
            self.assertNotIn("error: node1", done.errors)
            left = self.lab.run(["ls", cache + "/environments"], host="node2")[1].decode().split()
            self.assertEqual([name for name in left if not name.endswith(".lock")], [])
        self.lab.run(["mount", "-o", "remount,size=200m", cache], host="node2")
        done = self.submit("-H", "node1:2,node2:2")
        self.assertEqual((done.code, done.lines), (0, ["packed 1.0 True"] * 4), done)

    def test_the_host_that_lacks_something_is_named(self):
        self.write("job.yml", job("  conda: {dependencies: [mkl]}\n", nodes=2))
        done = self.submit("-H", "node1:2,node2:2")
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertIn("node1, node2: there is no conda", done.errors)

if __name__ == "__main__":
    run_tests()
