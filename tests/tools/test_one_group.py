"""tools/one_group: the command's code, and no group left behind."""

import glob
import subprocess
import unittest

from tool_case import ROOT

TOOL = ROOT / "tools" / "one_group"


def own_groups():
    with open("/proc/self/cgroup", encoding="ascii") as file:
        return {line for line in file if ":cpu" in line or ",cpu" in line}


def run(*words):
    return subprocess.run([TOOL, *words], stdout=subprocess.PIPE, text=True, check=False)


class OneGroup(unittest.TestCase):
    def test_the_code_is_the_commands(self):
        for code in (0, 7):
            self.assertEqual(run("sh", "-c", f"exit {code}").returncode, code)

    def test_words_are_handed_on(self):
        self.assertEqual(run("printf", "%s|", "a b", "", "*").stdout, "a b||*|")

    def test_the_group_is_the_commands_own_and_goes(self):
        done = run("sh", "-c", "echo $PPID; cat /proc/self/cgroup; "
                               "cat /sys/fs/cgroup/cpu/muster-tests-$PPID/cgroup.procs")
        pid, *lines = done.stdout.splitlines(keepends=True)
        group = f":/muster-tests-{pid.strip()}\n"
        moved = [line for line in lines if line.endswith(group)]
        if moved:
            self.assertIn(pid, lines, "the tool itself is there, too")
        else:
            self.assertLessEqual(own_groups(), set(lines), "neither is there anything to escape")
        self.assertEqual(glob.glob(f"/sys/fs/cgroup/cpu/muster-tests-{pid.strip()}"), [])


if __name__ == "__main__":
    unittest.main()
