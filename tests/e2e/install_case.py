"""What tests of `make install` share: it runs without building anew, and what it adds is listed."""

import os
import subprocess

from support import MUSTER, ROOT, Case

# Of a user's shell, in which muster is not yet on PATH.
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
def files_of(folder):
    """Each file with what changes when it is written to."""
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            about = os.lstat(path)
            found[os.path.relpath(path, folder)] = (about.st_size, about.st_mtime_ns)
    return found


PACKAGE = {name for name in files_of(os.path.join(ROOT, "python", "muster"))
           if name.endswith((".py", ".typed"))}


PAGES = {name for name in os.listdir(os.path.join(ROOT, "docs", "manual"))
         if name.endswith(".1")}


class InstallCase(Case):
    def install(self, prefix):
        """`make install` of the program under test; returns the package's folder below prefix."""
        before = files_of(prefix)
        # "build" counts as done: tests run what was built.
        done = subprocess.run(["make", "-C", ROOT, "-o", "build", "install", f"PREFIX={prefix}"],
                              env={"PATH": PATH, "HOME": self.path()}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        after = files_of(prefix)
        self.assertEqual({name: after.get(name) for name in before}, before)
        new = set(after) - set(before)
        folders = {os.path.dirname(name) for name in new if name.endswith("/py.typed")}
        self.assertEqual(len(folders), 1, new)
        folder = folders.pop()
        self.assertEqual(new, {"bin/muster", *(f"{folder}/{name}" for name in PACKAGE),
                               *(f"share/man/man1/{name}" for name in PAGES)})
        return os.path.join(prefix, folder)

    def answer(self, *words, **variables):
        # The SDK takes the folder in which a program starts for the job's code: it holds nothing.
        os.makedirs(self.path("work"), exist_ok=True)
        done = subprocess.run(words, cwd=self.path("work"),
                              env={"PATH": PATH, "HOME": self.path(), **variables},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def version(self):
        return self.answer(MUSTER, "--version")
