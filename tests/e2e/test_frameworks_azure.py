"""Azure ML's own SDK as the judge of how muster reads files of jobs and components."""

# rooms: job front cli
# needs: frameworks-azure-ai-ml

import collections
import concurrent.futures
import json
import os
import re
import subprocess
import unittest

from framework_case import PROGRAMS, python_of
from support import MUSTER, ROOT, Case, run_tests

GROUP = "azure-ai-ml"
FILES = os.path.join(ROOT, "tests", "frameworks", "azure-ai-ml.files")
CORPUS = [os.path.join(ROOT, "examples"), os.path.join(ROOT, "tests", "golden", "data")]
MISTAKES = ("/tests/golden/data/job/",  # each of these files has some
            "/tests/golden/data/pipeline/")  # or has not beside it what it names
KEYS = os.path.join(ROOT, "tests", "frameworks", "azure-ai-ml.keys")
REASON = None if python_of(GROUP) else f"`tools/frameworks {GROUP}` has not built its Python"
# Files that documents name.
NAMED = {"conda.yml": "dependencies: [python=3.11]\n", "batch.py": "", "text": "",
         "muster.yml": "environments: {thing: 'debian:12', text: 'debian:12'}\n"
                       "targets: {text: {fake_nodes: 8}, 'thing:1': {fake_nodes: 8}}\n"}


def answer(validated):
    """What muster says of a document, without its place in the file.

    An output that is named like a file of the test's own folder is no fault of the document.
    """
    told = [re.sub(r"^muster: (error: )?(document-\d+.yml:\d+:\d+: )?", "", line)
            for line in validated.stderr.splitlines()
            if line.startswith("muster: ") and "it would not start: the output" not in line]
    if validated.returncode:
        return "refused: " + told[0]
    silent = [re.sub(r"^.* has no effect here: ", "no effect: ", line) for line in told]
    return silent[0] if silent else "works"


@unittest.skipIf(REASON, REASON)
class Files(Case):
    """Documents made from the schemas of azure-ai-ml."""

    def setUp(self):
        super().setUp()
        for name, text in NAMED.items():
            self.write(name, text)

    def sdk(self, program, *words):
        """What a program of tests/frameworks prints as JSON; it runs in the test's folder."""
        done = subprocess.run([python_of(GROUP), os.path.join(PROGRAMS, program), *words],
                              cwd=self.folder, env=self.environment(), capture_output=True,
                              text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def muster(self, *words):
        return subprocess.run([MUSTER, *words], cwd=self.folder, env=self.environment(),
                              capture_output=True, text=True, timeout=60, check=False)

    def validated(self, number, document):
        name = f"document-{number}.yml"
        self.write(name, json.dumps(document))
        return self.muster("validate", name)

    def answers(self, documents):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(answer, pool.map(self.validated, range(len(documents)),
                                                  [one["document"] for one in documents])))

    def test_each_key_of_the_schemas_has_an_answer(self):
        documents = self.sdk("azure_keys.py")
        rows = collections.defaultdict(list)
        for one, said in zip(documents, self.answers(documents)):
            self.assertNotIn("unknown key", said, one)
            rows[one["kind"], one["key"]].append((one["taken"], said))
        lines = [f"{kind} | {key} | {self.joined(found)}" for (kind, key), found in
                 sorted(rows.items())]
        self.assert_golden(KEYS, lines)

    @staticmethod
    def joined(found):
        """One answer about all documents of a key: the best, of those that the SDK takes if any."""
        taken = [said for is_taken, said in found if is_taken is not False] or None
        said = "works" if "works" in (taken or []) else min(taken or [one for _, one in found])
        return f"{said} | {'refused' if taken is None else 'taken'}"

    def test_examples_and_files_of_other_tests(self):
        """What it takes and muster refuses are files with mistakes, which it does not look for."""
        found = [os.path.join(folder, name) for top in CORPUS for folder, _, names in os.walk(top)
                 for name in names if name.endswith((".yml", ".yaml"))]
        lines = []
        for file, kind in self.sdk("azure_files.py", *sorted(found)).items():
            said = answer(self.muster("validate", file)).replace(ROOT + "/", "")
            may_refuse = any(one in file for one in MISTAKES)
            self.assertTrue(not kind or may_refuse or "refused" not in said, (file, said))
            lines.append(f"{os.path.relpath(file, ROOT)} | {said} | {kind or 'refused'}")
        self.assert_golden(FILES, lines)

    def test_drawn_jobs_are_read_alike(self):
        """DRAWN=100..999 tries other files than those of every run."""
        first, _, last = os.environ.get("DRAWN", "1").partition("..")
        drawn = self.sdk("azure_reads.py", first, last or first)
        self.assertGreater(sum(one["taken"] is not None for one in drawn), len(drawn) // 2)
        for one in drawn:
            with self.subTest(text=one["text"]):
                self.assert_read_alike(one["text"], one["taken"])

    def assert_read_alike(self, text, taken):
        done = self.muster("explain", self.write("drawn.yml", text), "--fake-nodes", "5",
                           "--without", "environment")
        if taken is None:
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        ranks = re.findall(r"^ +\d+  fake-\d ", done.stdout, re.MULTILINE)
        limits = re.findall(r"MUSTER_DEADLINE=<start \+ (\d+) s>", done.stdout)
        self.assertEqual(len(ranks), taken["processes"])
        self.assertEqual(limits, [str(taken["timeout"])] if taken["timeout"] else [])
        given = dict(re.findall(r"^  (VAR\d)=(.*)  \(job file\)$", done.stdout, re.MULTILINE))
        given.update(zip(("in0", "in1", "in2"), self.echoed(done.stdout)))
        self.assertEqual(sorted(given), sorted(taken["values"]))
        for name, passed in taken["values"].items():
            self.assert_same_or_told(name, given[name], passed, done.stderr)

    @staticmethod
    def echoed(explained):
        return re.search("@(.*)@(.*)@(.*)@", explained).groups()

    def assert_same_or_told(self, name, given, passed, notices):
        told = re.search(f" {name} is passed as (.*), as written; Azure ML would pass (.*) \\(",
                         notices)
        if told:
            self.assertEqual(told.groups(), (given, passed))
            self.assertNotEqual(given, passed)
        elif given != passed:
            self.assertEqual(float(given.replace("_", "")), float(passed), name)


if __name__ == "__main__":
    run_tests()
