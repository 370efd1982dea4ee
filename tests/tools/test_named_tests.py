"""Tests that documents name are there: what a document says of them cannot outlive them."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tests_of(scripts):
    """The names of a script's tests, by the script's name."""
    return {name: set(re.findall(r"(?m)^ +def (test_\w+)", text))
            for name, text in scripts.items()}


def gone(text, tests):
    """What a document names that is not there: scripts, and tests that stand behind one in its
    line or table; "the same" is the script named last."""
    wrong, script = [], ""
    for number, line in enumerate(text.split("\n"), 1):
        for word in re.findall(r"`(?:[\w/]+/)?(test_\w+(?:\.py)?)`", line):
            if word.endswith(".py"):
                script = word
                if word not in tests:
                    wrong.append(f"{number}: there is no {word}")
            elif word not in tests.get(script, ()):
                wrong.append(f"{number}: {script or 'no script'} has no {word}")
    return wrong


class NamedTests(unittest.TestCase):
    def test_what_is_gone_is_told(self):
        tests = tests_of({"test_a.py": "class A:\n    def test_one(self):\n        pass\n"})
        self.assertEqual(gone("`tests/e2e/test_a.py`, `test_one`\nthe same, `test_one`", tests), [])
        self.assertEqual(gone("`test_b.py`\n`test_a.py`, `test_two`", tests),
                         ["1: there is no test_b.py", "2: test_a.py has no test_two"])

    def test_documents(self):
        scripts = {path.name: path.read_text(encoding="utf-8")
                   for path in (ROOT / "tests").rglob("test_*.py")}
        for path in sorted((ROOT / "docs").rglob("*.md")):
            with self.subTest(str(path.relative_to(ROOT))):
                self.assertEqual(gone(path.read_text(encoding="utf-8"), tests_of(scripts)), [])

    def test_each_kind_of_notebook_names_its_test(self):
        """The table of HACKING.md has a script in each row, or "the same"."""
        text = (ROOT / "docs" / "HACKING.md").read_text(encoding="utf-8")
        section = text.split("## Notebooks of Azure ML\n")[1].split("\n## ")[0]
        rows = [line for line in section.split("\n") if line.startswith("| ")][2:]
        self.assertGreater(len(rows), 10)
        for row in rows:
            self.assertRegex(row, r"\| (v1|v2|both) \| (`test_\w+\.py`|the same, `test_\w+`)")


if __name__ == "__main__":
    unittest.main()
