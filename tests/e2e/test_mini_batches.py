"""Parallel steps: a function that is called with files in small batches, by many processes."""

# rooms: job pipeline cli

import functools
import os
import shutil

from pipeline_case import PipelineCase
from support import BAD_FILE, run_tests

PARALLEL = """type: pipeline
inputs:
  numbers: {type: uri_folder, path: numbers}
outputs:
  rows: {type: uri_file}
jobs:
  score:
    type: parallel
    mini_batch_size: "%(size)s"
    error_threshold: %(items)s
    mini_batch_error_threshold: %(batches)s
    max_concurrency_per_instance: 2
    resources: {instance_count: 2}
    retry_settings: {max_retries: 1, timeout: %(timeout)s}
    inputs:
      numbers: ${{parent.inputs.numbers}}
      word: {type: string, default: two words}
    input_data: ${{inputs.numbers}}
    outputs:
      rows: ${{parent.outputs.rows}}
    task:
      type: run_function
      code: src
      entry_script: score.py
      program_arguments: --word "${{inputs.word}}"
      append_row_to: ${{outputs.rows}}
"""

SCORE = """import os, sys
def init():
    assert sys.argv[1:] == ["--word", "two words"], sys.argv
def run(batch):
    rows = []
    for path in batch:
        number = int(open(path).read())
        %s
        rows.append(f"{number} {number ** 2}")
    return rows
"""


class MiniBatches(PipelineCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("numbers"))
        os.mkdir(self.path("src"))
        for number in range(9):
            self.write(f"numbers/f{number}", str(number))

    def parallel(self, size="2", items="-1", batches="-1", timeout=600):
        self.write("p.yml", PARALLEL % {"size": size, "items": items, "batches": batches,
                                        "timeout": timeout})

    def scores(self, line="", size="2", items="-1", batches="-1", timeout=600, **more):
        self.write("src/score.py", SCORE % line)
        self.parallel(size, items, batches, timeout)
        return self.submit("--fake-nodes", "2", file="p.yml", **more)

    def rows(self):
        with open(self.show()["outputs"]["rows"], encoding="utf-8") as file:
            return [int(line.split()[0]) for line in file]

    def test_all_files_in_their_order(self):
        done = self.scores()
        self.assertIn("score: 5 of 5 mini-batches completed, 0 items failed\n", done.errors)
        self.assertEqual(self.rows(), list(range(9)))

    def test_batches_of_bytes(self):
        self.scores(size="3b")
        self.assertEqual(self.rows(), list(range(9)))
        self.scores(size="1kb")
        self.assertEqual(self.rows(), list(range(9)))

    def test_a_batch_that_fails_is_tried_again(self):
        once = "if number == 4 and not os.path.exists(mark := os.environ['DIR'] + '/mark'): " \
               "open(mark, 'w').close(); raise RuntimeError('once')"
        done = self.scores(once, batches="0")
        self.assertIn("RuntimeError: once", done.errors)
        self.assertEqual(self.rows(), list(range(9)))

    def test_failures_up_to_the_thresholds(self):
        fails = "if number in (4, 7): raise RuntimeError('no')"
        self.scores(fails, size="1", items="2")
        self.assertEqual(self.rows(), [0, 1, 2, 3, 5, 6, 8])
        done = self.scores(fails, size="1", items="1", code=1)
        self.assertIn("2 items have failed, and 1 may\n", done.errors)
        done = self.scores(fails, size="1", batches="1", code=1)
        self.assertIn("2 mini-batches have failed, and 1 may\n", done.errors)

    def test_items_without_a_row_have_failed(self):
        done = self.scores("if number % 2: continue", items="4")
        self.assertIn("4 items failed", done.errors)
        self.scores("if number % 2: continue", items="3", code=1)

    def test_a_call_that_takes_too_long_fails(self):
        done = self.scores("if number == 8: import time; time.sleep(3600)", size="1",
                           timeout=2)
        self.assertIn("run() took longer than the timeout", done.errors)
        self.assertEqual(self.rows(), list(range(8)))

    def test_a_script_that_leaves_ends_the_step(self):
        done = self.scores("if number == 3: sys.exit(0)", size="1", code=1)
        self.assertIn("the entry script has ended its process with 0", done.errors)

    def test_a_call_that_takes_exceptions_still_ends(self):
        sleeps = "\n        ".join((
            "if number == 8:", "    import time", "    try: time.sleep(3600)",
            "    except Exception: time.sleep(3600)"))
        self.scores(sleeps, size="1", timeout=2)
        self.assertEqual(self.rows(), list(range(8)))

    def test_a_stranger_at_the_port_gets_nothing(self):
        """It comes before the ranks: one asks as a rank did, one guesses, one says nothing."""
        self.write("src/score.py", """import os, socket
def init():
    if os.environ["RANK"] != "0":
        return
    address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    global silent
    silent = socket.create_connection(address, 10)
    for words in ('{"rows": ["evil"], "error": ""}\\n' * 3, "0" * 64 + "\\n" + "0" * 32 + "\\n"):
        with socket.create_connection(address, 10) as other:
            other.sendall(words.encode())
            said = b""
            try:
                while more := other.recv(4096):
                    said += more
            except ConnectionError:
                pass
            print("said", len(said.splitlines()), b"numbers" in said, flush=True)
    assert "MUSTER_MINI_BATCHES_SECRET" not in os.environ
def run(batch):
    return [open(path).read() for path in batch]
""")
        self.parallel(items="0", batches="0")
        done = self.submit("--fake-nodes", "2", file="p.yml")
        self.assertEqual(done.text.count("score: said 1 False\n"), 2, done)
        self.assertIn("score: 5 of 5 mini-batches completed, 0 items failed\n", done.errors)
        self.assertEqual(self.rows(), list(range(9)))

    def test_paths_may_have_quotes(self):
        records = self.path("it's $HOME `x` \"quoted\"")
        self.environment = functools.partial(self.environment, MUSTER_RECORDS=records)
        self.scores()
        self.assertEqual(self.rows(), list(range(9)))
        self.assertTrue(self.show()["outputs"]["rows"].startswith(records))

    def test_no_data_at_all(self):
        shutil.rmtree(self.path("numbers"))
        done = self.scores(code=BAD_FILE)
        self.assert_refused(done, BAD_FILE, r"score needs \S+/numbers, which is not there")

    def test_a_script_that_cannot_begin_ends_the_step(self):
        self.write("src/score.py", "def init():\n    raise ValueError('no model')\n")
        self.parallel(size="1")
        done = self.submit("--fake-nodes", "2", file="p.yml", code=1)
        self.assertRegex(done.errors, r"score failed with exit code 1.*ValueError: no model")


if __name__ == "__main__":
    run_tests()
