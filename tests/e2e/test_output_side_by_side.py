"""mpirun of Open MPI, mpiexec of MPICH, and ours: the same options make the same lines and files.

Compared are the lines of both streams and of all files, in any order: ranks run side by side. The
time in a prefix becomes a word.
"""

# rooms: front head machine view

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from support import MUSTER, Case, run_tests

OPEN_MPI = shutil.which("mpirun.openmpi")
HYDRA = shutil.which("mpiexec.hydra")

TALK = 'echo "out <$0> & \tmore"; echo "err of a rank" >&2; echo; echo last'

# Each with the number of ranks.
OPEN_MPI_LINES = [
    (2, ""), (2, "--tag-output"), (1, "--timestamp-output"), (2, "--tag-output --timestamp-output"),
    (2, "--xml"), (1, "--xml --tag-output --timestamp-output"), (2, "--merge-stderr-to-stdout"),
    (2, "--output-filename D"), (10, "--output-filename D:nocopy"),
    (2, "--output-filename D:nojobid,nocopy --tag-output"),
    (2, "--output-filename D/deep --merge-stderr-to-stdout --tag-output"),
    (2, "--output-filename D --xml --merge-stderr-to-stdout"),
    (2, "-mca orte_tag_output 1"),
    (1, "-mca orte_timestamp_output 1"), (1, "-mca orte_xml_output 1")]

HYDRA_LINES = [
    (2, ""), (12, "-l"), (2, "-prepend-rank"), (2, "-prepend-pattern '[%r:%g:%p:%t%%] '"),
    (2, "-outfile-pattern o.%r.%g.%p"), (2, "-errfile-pattern e.%r -l"),
    (2, "-outfile-pattern all -l"), (2, "-outfile-pattern o.%r -errfile-pattern e.%r"),
    (2, "-output-from 1"), (2, "-l -output-from 0"),
    (1, "-hosts localhost:1 -launcher fork -prepend-pattern '%h %p '")]

TRIES = 20
TIME = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}")


def lines_of(text):
    return sorted(TIME.sub("TIME", text).split("\n"))


def files_in(folder):
    """{path: lines} of all files."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, encoding="utf-8") as file:
                found[os.path.relpath(path, folder)] = lines_of(file.read())
    return found


class SideBySide(Case):
    def seen(self, command, ranks, options):
        """What a person sees, and what is left behind."""
        with tempfile.TemporaryDirectory(dir=self.folder) as own:
            work = os.path.join(own, "work")
            os.mkdir(work)
            words = [*command, "-n", str(ranks), *shlex.split(options), "sh", "-c", TALK, "it"]
            environment = {"PATH": os.environ["PATH"], "HOME": own, "TMPDIR": own}
            done = subprocess.run(words, cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=60, check=False)
            return (done.returncode, lines_of(done.stdout), lines_of(done.stderr), files_in(work))

    def compare(self, theirs, ours, table):
        for ranks, options in table:
            with self.subTest(options):
                seen = self.seen(ours, ranks, options)
                # On a busy machine the originals now and then cut a line or lose one: they are
                # asked again, we are not.
                for _ in range(TRIES):
                    expected = self.seen(theirs, ranks, options)
                    if seen == expected:
                        break
                self.assertEqual(seen, expected)

    @unittest.skipUnless(OPEN_MPI, "there is no mpirun.openmpi here")
    def test_open_mpi(self):
        self.compare((OPEN_MPI, "--allow-run-as-root", "--oversubscribe"), (MUSTER, "mpirun"),
                     OPEN_MPI_LINES)

    @unittest.skipUnless(HYDRA, "there is no mpiexec.hydra here")
    def test_hydra(self):
        self.compare((HYDRA,), (MUSTER, "mpiexec.hydra"), HYDRA_LINES)


if __name__ == "__main__":
    run_tests()
