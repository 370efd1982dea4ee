"""tools/passed.py: what has passed is known again, in any checkout, until something has changed."""

import os
import unittest
from unittest import mock

from tool_case import ToolCase

import passed
from passed import Passed, files_in


class Known(ToolCase):
    def setUp(self):
        super().setUp()
        patch = mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))
        patch.start()
        self.addCleanup(patch.stop)
        self.outside = str(self.write("system.hpp", "outside"))
        self.one, self.other = self.checkout("one"), self.checkout("other")

    def checkout(self, name):
        root = self.folder / name
        (root / "src").mkdir(parents=True)
        (root / "src/a.hpp").write_text("a")
        return root

    def keep(self, root):
        Passed(root).keep(f"check -I{root}/src", [f"{root}/src/../src/a.hpp", self.outside])

    def has(self, root, question="check"):
        return Passed(root).has(f"{question} -I{root}/src")

    def test_only_what_has_passed(self):
        self.assertFalse(self.has(self.one))
        self.keep(self.one)
        self.assertTrue(self.has(self.one))
        self.assertFalse(self.has(self.one, "another check"))

    def test_in_another_checkout(self):
        self.keep(self.one)
        self.assertTrue(self.has(self.other))
        (self.other / "src/a.hpp").write_text("b")
        self.assertFalse(self.has(self.other))
        self.assertTrue(self.has(self.one))

    def test_until_a_file_changes_or_goes(self):
        self.keep(self.one)
        self.write("system.hpp", "changed")
        self.assertFalse(self.has(self.one))
        self.write("system.hpp", "outside")
        self.assertTrue(self.has(self.one))
        (self.one / "src/a.hpp").unlink()
        self.assertFalse(self.has(self.one))

    def test_several_states(self):
        self.keep(self.one)
        (self.one / "src/a.hpp").write_text("b")
        self.keep(self.one)
        self.assertTrue(self.has(self.one))
        self.assertTrue(self.has(self.other))

    def test_what_read_a_file_that_is_gone_is_not_kept(self):
        Passed(self.one).keep("check", [str(self.folder / "gone.hpp")])
        self.assertFalse(Passed(self.one).has("check"))

    def test_a_broken_entry_is_none(self):
        self.keep(self.one)
        (entry,) = (self.folder / "cache/muster-lint").iterdir()
        entry.write_text("{")
        self.assertFalse(self.has(self.one))

    def test_old_entries_go(self):
        with mock.patch.object(passed, "ENTRIES", 2):
            for number in range(3):
                Passed(self.one).keep(f"check {number}", [self.outside])
                (entry,) = (one for one in (self.folder / "cache/muster-lint").iterdir()
                            if one.stat().st_mtime > 1000)
                os.utime(entry, (number, number))
        self.assertEqual([Passed(self.one).has(f"check {number}") for number in range(3)],
                         [False, True, True])


class Dependencies(unittest.TestCase):
    def test_a_rule_of_make(self):
        self.assertEqual(files_in("a.o: a.cpp /usr/b.hpp \\\n  with\\ blank.hpp\n"),
                         ["a.cpp", "/usr/b.hpp", "with blank.hpp"])


if __name__ == "__main__":
    unittest.main()
