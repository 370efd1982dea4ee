"""What Jupyter's notebooks have beside Python: !, %, %% and ?, as IPython carries them out."""

# rooms: front job cli

import os
import re
import subprocess

from python_case import PythonCase
from support import PYTHON, WAIT_SECONDS, run_tests


class Magics(PythonCase):
    maxDiff = None

    def shows(self, *cells):
        """What a notebook prints, and what it says."""
        done = self.notebook(*cells)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.splitlines(), done.stderr.splitlines()

    def test_what_a_command_prints_is_a_list(self):
        told, _ = self.shows(
            "found = !printf 'a 1\\nb 2\\n'\n"
            "print(found, found.n == 'a 1\\nb 2', found.s, found.l)",
            "print(found.grep('B'), found.fields(0))\nx, y = !printf '1\\n2'\nprint(x + y)",
            "if True:\n    inner = !exit 3\n    print(inner)",
            "def f(name):\n    got = !echo {name.upper()} $name\n    return got\nf('q')",
            "!!echo captured", "!exit 4", "_exit_code")
        self.assertEqual(told, ["['a 1', 'b 2'] True a 1 b 2 ['a 1', 'b 2']",
                                "['b 2'] ['a', 'b']", "12", "[]", "['Q q']", "['captured']", "4"])

    def test_names_in_commands(self):
        told, _ = self.shows(
            "import os\nn = 3\nwords = ['x', 'y']\nos.environ['OWN'] = 'shell'",
            "!echo {n * 2} {words[0]} {words[1:]} $n $os.sep '$n' $$n",
            "!echo $OWN ${OWN} {n}",  # the line is the shell's own
            "!echo {{n}} {n}", "!echo one \\\n  two \\\n  {n}\nprint(n)",
            "!printf '%s\\n' a | awk '{print $1}'", "%env THERE=$n\n%env THERE",
            "%env OTHER two words\n!echo $OTHER")
        self.assertEqual(told, ["6 x [y] 3 / $n", "shell shell {n}", "{n} 3", "one two 3", "3", "a",
                                "env: THERE=3", "'3'", "env: OTHER=two words", "two words"])

    def test_only_lines_that_begin_a_statement_are_commands(self):
        told, _ = self.shows(
            "text = '''\n!echo no\n%cd /\nx?\n'''\nprint(len(text))\n!echo yes",
            "value = (7\n% 4)\nprint(value)\n!echo yes", "print('a'\n      '!b')\n!true")
        self.assertEqual(told, ["19", "yes", "3", "yes", "a!b"])

    def test_help_is_one_line(self):
        told, said = self.shows("def mine():\n    'Does it.\\n\\nMore.'\nmine?", "?mine", "mine??",
                                "nosuch?\nprint(1)", "len?", "?\n%time?")
        self.assertEqual(told[:5], ["mine: Does it."] * 3 + ["Object `nosuch` not found.", "1"])
        self.assertTrue(told[5].startswith("len: "), told)
        self.assertEqual(len(said), 1, said)

    def test_magics_that_are_carried_out(self):
        os.makedirs(self.path("books/sub"))
        self.write("books/sub/note", "")
        self.write("books/more.py", "import sys\nmade = sys.argv[1:]\nprint(__name__)\n")
        told, said = self.shows(
            "%time kept = 6 * 7\nprint(kept)", "%time 1 + 1", "%timeit -n 3 -r 2 sum([1, 2])",
            "%%time\ninner = kept + 1\ninner", "%%timeit -n 2 -r 2\nsum([1])",
            "%run more.py a 'b c'\nprint(made)", "%cd sub\n%ls", "%pwd", "%cd ..",
            "%%capture out\nprint('hidden')\n!echo shell\n7", "print(repr(out.stdout))",
            "%%script python3 -\nprint('other')", "%%writefile 'two words.txt'\nx",
            "titled = 'two words'", "%%file '{titled}.txt'\ny", "%%bash -s given\necho $1",
            "%%writefile -a more.py\nmore = 1\n")
        timed = [line for line in told if re.match(r"(CPU times|Wall time): ", line)]
        per_loop = [line for line in told if line.endswith("loops each)")]
        self.assertEqual((len(timed), len(per_loop)), (6, 2), told)
        self.assertEqual([line for line in told if line not in timed + per_loop], [
            "42", "2", "43", "__main__", "['a', 'b c']", "note",
            repr(self.path("books/sub")), "'hidden\\nshell\\n7\\n'", "other",
            "Writing two words.txt", "Overwriting two words.txt", "given", "Appending to more.py"])
        self.assertEqual(said, [])

    def test_magics_that_do_nothing_are_named_once(self):
        told, said = self.shows("%matplotlib inline\n%load_ext x", "for _ in range(2):\n    %who",
                                "%%html\n<b>", "%conda install nosuch",
                                "from IPython.display import HTML, display\ndisplay(HTML('<b>'))\n"
                                "display('text', [1])\nfrom IPython.core.display import Image")
        self.assertEqual(told, ["text", "[1]"])
        self.assertEqual([re.sub(r"muster: book.ipynb\[cell (\d)\]:(\d): ", r"\1:\2 ", line)
                          for line in said], [
            "2:1 %matplotlib has no effect here", "2:2 %load_ext has no effect here",
            "3:2 %who has no effect here", "4:1 %%html has no effect here",
            "5:1 %conda install nosuch has no effect here: there is no conda on PATH",
            "6:2 HTML(...) has no effect here: only a page can show it"])

    def test_what_muster_stands_in_for_is_not_installed(self):
        self.write("bin/pip", "#!/bin/sh\necho pip \"$@\"\n", 0o755)
        told, said = self.shows("!pip install azure-ai-ml azureml-core==1.5",
                                "!pip install -U azure-identity 'azureml-core>=1' left-pad end "
                                ">/dev/stdout",
                                "%pip --version", "pip install azure-ai-ml", "!pip list")
        self.assertEqual(told[0], "pip install -U left-pad end")
        self.assertEqual(told[-1], "pip list")
        self.assertEqual(len(said), 3, said)
        self.assertIn("azure-ai-ml, azureml-core==1.5 is not installed: muster stands in for it",
                      said[0])

    def test_other_languages_are_refused(self):
        for metadata, language in (({"kernelspec": {"language": "R", "name": "ir"}}, "R"),
                                   ({"language_info": {"name": "julia"}}, "julia")):
            done = self.notebook("x <- 1", metadata=metadata)
            self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (
                240, f"muster: error: book.ipynb:1: book.ipynb is a notebook of {language}, and "
                     "muster carries out those of Python"))
        done = self.notebook("print(1)", metadata={"kernelspec": {"language": "python"}})
        self.assertEqual(done.stdout, "1\n", done.stderr)

    def test_mistakes_in_magics(self):
        for cell, told in (("%run nosuch.py", "%run: there is no file 'nosuch.py'"),
                           ("%%script\nx", "%%script names no program that is here"),
                           ("%timeit -n many pass", "-n has 'many', which is not a number")):
            done = self.notebook("x = 1", cell)
            self.assertEqual(done.returncode, 240, done.stderr)
            self.assertEqual(done.stderr.splitlines()[0],
                             f"muster: error: book.ipynb[cell 3]:1: {told}")

    def test_without_a_program_the_usage_is_shown(self):
        done = subprocess.run([PYTHON, "-m", "muster"], cwd=self.folder, env=self.for_python(),
                              capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"(?s)^usage: python3 -m muster .*\n"
                         r"for example: python3 -m muster --fake-nodes 2 submit_it\.py")


if __name__ == "__main__":
    run_tests()
