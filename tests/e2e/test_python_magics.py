"""What Jupyter's notebooks have beside Python: !, %, %% and ?, as IPython carries them out."""

# rooms: front job cli

import json
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

    def test_parameters(self):
        """Behind their defaults, or before all cells."""
        told = ("-p", "n=-2", "-p", "words=[1, 'a']", "-p", "text=two words", "-p", "digits='07'",
                "-p", "is_on=True")
        shown = "[-2, [1, 'a'], 'two words', '07', True]\n"
        cells = ("n = 1", "[n, words, text, digits, is_on]")
        self.write_notebook("books/book.ipynb", *cells, tags=["parameters"])
        self.assertEqual(self.carried_out(*told).stdout, shown)
        self.write_notebook("books/book.ipynb", *cells)
        self.assertEqual(self.carried_out(*told).stdout, shown.replace("-2", "1"))
        done = self.carried_out("-p", "a-b=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-p: takes NAME=VALUE, not 'a-b=1'", done.stderr)
        done = self.python("print(1)\n", "-m", "muster", "-p", "n=1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("is not a notebook\n  hint: give its arguments behind its name", done.stderr)

    def written(self, *cells, **more):
        """Outputs of the cells in the notebook that is written, and what the program says."""
        self.write_notebook("books/book.ipynb", *cells, **more)
        done = self.carried_out("-o", "made/out.ipynb")
        with open(self.path("made/out.ipynb"), encoding="utf-8") as file:
            return [one["outputs"] for one in json.load(file)["cells"][1:]], done

    def test_a_notebook_with_what_its_cells_print(self):
        """Each has its own, also if another one has made the stream's user."""
        outputs, done = self.written(
            "import logging, sys\nlogging.basicConfig(format='%(message)s')\nstream = sys.stdout",
            "logging.warning('logged')\nprint('printed', sys.stdout.encoding, file=stream)",
            "1 / 0", "print('never')")
        self.assertEqual((done.returncode, done.stdout), (1, "printed utf-8\n"))
        self.assertIn("logged\n", done.stderr)
        self.assertEqual(outputs, [
            [], [{"output_type": "stream", "name": "stderr", "text": "logged\n"},
                 {"output_type": "stream", "name": "stdout", "text": "printed utf-8\n"}],
            [{"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero",
              "traceback": []}], []])
        outputs, done = self.written("import os\nos.chdir('/')", "print('there')")
        self.assertEqual((done.returncode, outputs[1][0]["text"]), (0, "there\n"), done.stderr)
        self.write("books/book.ipynb", "{")
        self.assertIn("is not a Jupyter notebook of format 4",
                      self.carried_out("-o", "out.ipynb").stderr)

    def test_where_no_notebook_can_be_written(self):
        """That is told before a cell is carried out; the notebook's own file can be."""
        self.write_notebook("books/book.ipynb", "print('carried out')")
        for file, why in (("books", "Is a directory"), ("", "No such file or directory"),
                          ("books/book.ipynb/out", "File exists")):
            done = self.carried_out("-o", file)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (
                2, "", f"muster: error: -o: {file!r} cannot be written: {why}\n"
                "  hint: it is the file to which the notebook is written\n"))
        done = self.python("print(1)\n", "-m", "muster", "-o", "out.ipynb")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"-o: \S+program\.py is not a notebook\n")
        for times in 1, 2:
            done = self.carried_out("-o", "books/book.ipynb")
            self.assertEqual((done.returncode, done.stdout), (0, "carried out\n"), times)
        with open(self.path("books/book.ipynb"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["cells"][1]["outputs"][0]["text"], "carried out\n")

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

    def test_a_file_where_the_notebook_prints_keeps_what_it_has_said(self):
        order = r"(?s)\Abefore\nwritten.*after\n?\Z"
        told, _ = self.shows("print('before')", "%%writefile /dev/stdout\nwritten",
                             "print('after')")
        self.assertRegex("\n".join(told), order)
        self.shows("import os\n_ = os.dup2(os.open('log', os.O_WRONLY | os.O_CREAT), 1)",
                   "print('before')", "%%writefile log\nwritten", "print('after')")
        self.assertRegex(self.read("books/log").decode(), order)

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

    def test_mistakes_are_shown_with_the_users_own_lines(self):
        os.makedirs(self.path("books"), exist_ok=True)
        self.write("books/bad.py", "def inner():\n    raise KeyError('on purpose')\ninner()\n")
        self.write("books/broken.py", "def f(:\n")
        asynchronous = "async def f():\n    raise KeyError(3)\n\nawait f()"
        cases = (("\ndef f(:\n  pass", "SyntaxError", ["book.ipynb[cell 3]:2: def f(:"]),
                 ("1\n%run bad.py", "KeyError", ["book.ipynb[cell 3]:2: %run bad.py",
                                                 "bad.py:3: inner()",
                                                 "bad.py:2: raise KeyError('on purpose')"]),
                 ("%run broken.py", "SyntaxError", ["book.ipynb[cell 3]:1: %run broken.py",
                                                    "broken.py:1: def f(:"]),
                 ("2\n%time 1/0", "ZeroDivisionError", ["book.ipynb[cell 3]:2: %time 1/0"]),
                 ("2\n%time (1", "SyntaxError", ["book.ipynb[cell 3]:2: %time (1"] * 2),
                 ("2\n%timeit 1/0", "ZeroDivisionError", ["book.ipynb[cell 3]:2: %timeit 1/0"]),
                 ("\n%%timeit\n1/0", "ZeroDivisionError", ["book.ipynb[cell 3]:2: %%timeit"]),
                 ("%%capture\n%%time\n1/0", "ZeroDivisionError", [
                     "book.ipynb[cell 3]:1: %%capture", "book.ipynb[cell 3]:2: %%time",
                     "book.ipynb[cell 3]:3: 1/0"]),
                 (asynchronous, "KeyError", ["book.ipynb[cell 3]:4: await f()",
                                             "book.ipynb[cell 3]:2: raise KeyError(3)"]),
                 ("x = !echo\n  !echo", "IndentationError", ["book.ipynb[cell 3]:2: !echo"]))
        for cell, error, places in cases:
            done = self.notebook("x = 1", cell)
            found = re.findall(r'File "(.*)", line (\d+).*\n    (.*)', done.stderr)
            self.assertEqual([f"{name}:{line}: {text}" for name, line, text in found], places,
                             done.stderr)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertTrue(done.stderr.splitlines()[-1].startswith(error + ":"), done.stderr)

    def test_a_program_that_raises_shows_only_its_own_lines(self):
        for text, places in (("def f(:\n", ["program.py:1"]), ("1\n1/0", ["program.py:2"]),
                             ("try:\n    1/0\nexcept Exception as e:\n    raise KeyError from e",
                              ["program.py:2", "program.py:4"])):
            done = self.python(text, "-m", "muster")
            found = re.findall(r'File ".*?([^/]*)", line (\d+)', done.stderr)
            self.assertEqual([":".join(one) for one in found], places, done.stderr)
            self.assertEqual(done.returncode, 1, done.stderr)

    def test_what_a_cell_does_without_a_sign(self):
        os.makedirs(self.path("books/sub"))
        self.write("books/sub/note", "")
        told, said = self.shows("cd sub", "ls", "  pwd", "cd -", "mkdir made\n", "!ls -d made",
                                "ls = 3", "ls", "%time?", "matplotlib inline",
                                "x = 1\nls -d made\nx")
        self.assertEqual(told, ["note", repr(self.path("books/sub")), "made", "3",
                                "Object `%time` not found.", "made", "1"])
        self.assertEqual(said, ["muster: book.ipynb[cell 11]:1: %matplotlib has no effect here"])

    def test_await_and_futures_in_cells(self):
        told, _ = self.shows(
            "from __future__ import annotations\nimport asyncio\nready = asyncio.Event()",
            "task = asyncio.ensure_future(ready.wait())\nawait asyncio.sleep(0)",
            "ready.set()\nawait task", "def f(x: NoSuchName): pass\nf.__annotations__",
            "async def g():\n    async with asyncio.Lock():\n        return 'inner'\nawait g()")
        self.assertEqual(told, ["True", "{'x': 'NoSuchName'}", "'inner'"])

    def test_the_shell_of_a_notebook(self):
        told, said = self.shows(
            "n = 4\nget_ipython().system('echo {n}')",
            "def f(m):\n    return get_ipython().getoutput('echo $m')\nf(5).s",
            "get_ipython().run_line_magic('env', 'OWN=6')\nget_ipython().magic('%env OWN')",
            "get_ipython().run_cell_magic('bash', '-s given', 'echo $1')",
            "from IPython import get_ipython as other\nother() is get_ipython()",
            "'IPKernelApp' in get_ipython().config", "!")
        self.assertEqual(told, ["4", "'5'", "env: OWN=6", "'6'", "given", "True", "False"])
        self.assertEqual(said, [
            "muster: book.ipynb[cell 8]:1: ! has no effect: it names no command"])

    def test_what_is_no_program_of_python(self):
        self.write("job.yml", "command: true\n")
        self.write("tool", "#!/bin/sh\ntrue\n", 0o755)
        for name, told, hint in (
                ("job.yml", "is a job file, and python3 -m muster runs programs of Python",
                 "muster submit job.yml"),
                ("tool", "is not a program of Python", "muster run -n 1 ./tool"),
                ("src", "is a folder", "name the program in it"),
                ("nosuch.py", "there is no program nosuch.py", "")):
            done = subprocess.run([PYTHON, "-m", "muster", name], cwd=self.folder,
                                  env=self.for_python(), capture_output=True, text=True,
                                  timeout=WAIT_SECONDS, check=False)
            first, _, second = done.stderr.partition("\n")
            self.assertIn(told, first)
            self.assertEqual((done.returncode, second), (2, f"  hint: {hint}\n" if hint else ""))

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
        os.makedirs(self.path("books"))
        self.write("books/ends.py", "raise SystemExit('no data')")
        for cell, told in (("%run nosuch.py", "%run: there is no file 'nosuch.py'"),
                           ("%run ends.py", "%run ends.py: the script exited with 'no data'"),
                           ("%%script\nx", "%%script names no program that is here"),
                           ("%cd nosuch", "%cd nosuch: No such file or directory"),
                           ("%env NO_SUCH", "%env NO_SUCH: the environment has no NO_SUCH"),
                           ("%%writefile\nx", "%%writefile names no file"),
                           ("%%writefile no/such\nx",
                            "%%writefile no/such: No such file or directory"),
                           ("%tme 1", "there is no magic %tme"), ("%", "there is no magic %"),
                           ("%%tme\n1", "muster cannot carry out a cell of %%tme"),
                           ("get_ipython().run_line_magic('tme', '1')",
                            "there is no magic %tme"),
                           ("get_ipython().nosuch()", "get_ipython() has no 'nosuch'"),
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
