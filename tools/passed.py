"""Checks that have passed are not made again: each is known by all that it reads.

An entry is a file in ~/.cache/muster-lint (or below $XDG_CACHE_HOME), named after the question: the
tool, its version, its options, the text that is checked. It lists the files that were read beside
that text, with their contents' hashes, once for each state in which the check has passed. Paths in
this checkout count as relative to it, so that one checkout has what another one has checked.
"""

import hashlib
import json
import os
import pathlib
import re
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = 8  # of one entry, the newest ones
ENTRIES = 1000  # some 40 MB; those that were used longest ago go


def cache_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(cache) / "muster-lint"


def files_in(dependencies):
    """The prerequisites of a make rule, as compilers write it."""
    _, _, listed = dependencies.replace("\\\n", " ").partition(":")
    return [word.replace("\\ ", " ") for word in re.findall(r"(?:\\ |\S)+", listed)]


class Passed:
    """What has passed. Files are hashed once for each object of this class."""

    def __init__(self, root=ROOT):
        self._root = f"{root}/"
        self._hashes = {}

    def _hash(self, name):
        if name not in self._hashes:
            path = name if name.startswith("/") else self._root + name
            try:
                with open(path, "rb") as file:
                    self._hashes[name] = hashlib.blake2b(file.read(), digest_size=12).hexdigest()
            except OSError:
                self._hashes[name] = ""
        return self._hashes[name]

    def _entry(self, question):
        text = question.replace(self._root, "").encode()
        return cache_folder() / hashlib.sha256(text).hexdigest()[:32]

    @staticmethod
    def _states(entry):
        try:
            return json.loads(entry.read_text())
        except (OSError, ValueError):
            return []

    def has(self, question):
        """Whether it has passed with all files as they are now."""
        entry = self._entry(question)
        for state in self._states(entry):
            if all(self._hash(name) == known for name, known in state.items()):
                entry.touch()
                return True
        return False

    def keep(self, question, files):
        """It has passed, and has read these."""
        names = {os.path.normpath(name).removeprefix(self._root) for name in files}
        state = {name: self._hash(name) for name in sorted(names)}
        if "" in state.values():
            return  # generated for the moment: nobody could tell whether it has changed
        entry = self._entry(question)
        others = [one for one in self._states(entry) if one != state]
        entry.parent.mkdir(parents=True, exist_ok=True)
        descriptor, path = tempfile.mkstemp(dir=entry.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump([state, *others][:STATES], file)
        os.replace(path, entry)
        self._make_room(entry.parent)

    @staticmethod
    def _make_room(folder):
        """Other processes may do so at the same time."""
        used = {}
        for one in folder.iterdir():
            try:
                used[one] = one.stat().st_mtime
            except FileNotFoundError:
                pass
        for one in sorted(used, key=lambda one: -used[one])[ENTRIES:]:
            one.unlink(missing_ok=True)
