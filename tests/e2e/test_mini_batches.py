"""Parallel steps: a function that is called with files in small batches, by many processes."""

# rooms: job pipeline cli

import errno
import functools
import os
import shutil

from pipeline_case import PipelineCase
from support import BAD_FILE, MUSTER, run_tests, until

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

# Rank 2, on the other host, ends when it is told to.
LATE = """
import atexit
def leave():
    if os.environ["RANK"] == "2":
        open(os.path.join(os.environ["DIR"], "go")).close()
        print("late words", file=sys.stderr)
atexit.register(leave)
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

    def test_a_task_of_older_files(self):
        self.write("src/score.py", SCORE % "")
        self.write("p.yml", (PARALLEL % {"size": "2", "items": "-1", "batches": "-1",
                                         "timeout": 600})
                   .replace("type: run_function", "type: function")
                   .replace("program_arguments:", "args:"))
        self.submit("--fake-nodes", "2", file="p.yml")
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
        done = self.scores(fails, size="1", items="2")
        self.assertEqual(self.rows(), [0, 1, 2, 3, 5, 6, 8])
        self.assertRegex(done.errors, r"muster: score completed after .*: 2 of 9 mini-batches "
                         r"failed, within mini_batch_error_threshold: -1; 2 items failed, within "
                         r"error_threshold: 2; the first error: RuntimeError: no\n")
        self.assertIn("within error_threshold: 2", self.told("show", "last").text)
        for more, told in (({"items": "1"}, "2 items failed, and error_threshold allows 1"),
                           ({"batches": "1"},
                            "2 mini-batches failed, and mini_batch_error_threshold allows 1")):
            done = self.scores(fails, size="1", code=1, **more)
            told += "; the first error: RuntimeError: no"
            self.assertIn(f"score: {told}\n", done.errors)
            self.assertRegex(done.errors, r"muster: score failed with exit code 1 after .*: "
                             rf"rank 0 on .* exited with code 1 \(pid \d+\): {told}\n")
            self.assertIn(told, self.show()["cause"])

    def test_options_of_azures_runner_among_the_arguments(self):
        self.write("src/score.py", "import sys\ndef run(batch):\n"
                   "    assert '--task_overhead_timeout' in sys.argv\n"
                   "    assert not any(path.endswith(('f1', 'f5')) for path in batch)\n"
                   "    return [path[-1] for path in batch]\n")

        def submitted(arguments, code=0):
            text = PARALLEL % {"size": "1", "items": "-1", "batches": "-1", "timeout": 600}
            text = text.replace('--word "${{inputs.word}}"',
                                f"--task_overhead_timeout 9 {arguments}")
            text = text.replace('    mini_batch_size: "1"\n', "")
            self.write("p.yml", text)
            return self.submit("--fake-nodes", "2", file="p.yml", code=code).errors

        self.assertIn("--task_overhead_timeout: no effect here", submitted("--other 1"))
        self.assertIn("2 mini-batches failed, and mini_batch_error_threshold allows 1",
                      submitted("--allowed_failed_percent 20", code=1))
        self.assertIn("1 mini-batch failed, and mini_batch_error_threshold allows none",
                      submitted("--allowed_failed_count 0 --allowed_failed_percent 50", code=1))
        self.assertIn("3 of 5 mini-batches completed",
                      submitted("--mini_batch_size 2 --allowed_failed_percent 50"))
        self.assertIn("allowed_failed_count: invalid int value",
                      submitted("--allowed_failed_count some", code=1))

    def test_items_without_a_row_have_failed(self):
        done = self.scores("if number % 2: continue", items="4")
        self.assertRegex(done.errors, r"muster: score completed after .*: 4 items failed, within "
                         r"error_threshold: 4; run\(\) returned no row for them\n")
        self.scores("if number % 2: continue", items="3", code=1)

    def without(self, *keys):
        """Of p.yml."""
        with open(self.path("p.yml"), encoding="utf-8") as file:
            lines = [line for line in file if line.split(":")[0].strip() not in keys]
        self.write("p.yml", "".join(lines))

    def test_a_step_whose_every_batch_failed_has_failed(self):
        fails = "raise RuntimeError('no')"
        self.write("src/score.py", SCORE % fails)
        self.parallel()
        self.without("mini_batch_error_threshold")
        done = self.submit("--fake-nodes", "2", file="p.yml")
        self.assertRegex(done.errors, r"muster: score completed after .*: 5 of 5 mini-batches "
                         r"failed, within mini_batch_error_threshold: -1 \(the default\); 9 items "
                         r"failed, within error_threshold: -1; the first error: RuntimeError: no\n")
        self.without("error_threshold")
        done = self.submit("--fake-nodes", "2", file="p.yml", code=1)
        self.assertIn("every mini-batch failed; to accept that, write "
                      "mini_batch_error_threshold: -1", done.errors)
        self.assertIn("every mini-batch failed", self.show()["cause"])
        done = self.scores(fails)  # both are -1
        self.assertIn("score: 0 of 5 mini-batches completed, 9 items failed\n", done.errors)

    def lets_go(self):
        """Whoever waits at the fifo; whether there was somebody."""
        try:
            os.close(os.open(self.path("go"), os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            self.assertEqual(error.errno, errno.ENXIO, error)
            return False
        return True

    def test_what_others_print_later_does_not_hide_it(self):
        self.write("src/score.py", SCORE % "raise RuntimeError('no')" + LATE)
        self.parallel()
        os.mkfifo(self.path("go"))
        running = self.start("p.yml", "--fake-nodes", "2", command=(MUSTER, "submit"))
        running.until_said(b"5 of 5 mini-batches failed, within ")
        until("rank 2 is about to leave", self.lets_go)
        done = running.finish()
        self.assertEqual(done.code, 0, done)
        self.assertRegex(done.errors, "(?s)score: late words\n"
                                      ".*muster: score completed after .*: 5 of 5 mini-batches ")

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

    def test_run_may_take_what_is_known_of_its_batch(self):
        self.write("src/score.py", "def run(batch, context):\n"
                   "    assert context.partition_key_value is None\n"
                   "    return [str(context.minibatch_index)] * len(batch)\n")
        self.parallel()
        self.submit("--fake-nodes", "2", file="p.yml")
        self.assertEqual(sorted(set(self.rows())), list(range(5)))

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

    def test_a_script_without_run_ends_the_step(self):
        self.write("src/score.py", "def rnu(batch):\n    return batch\n")
        self.parallel()
        done = self.submit("--fake-nodes", "2", file="p.yml", code=1)
        self.assertIn("score.py has no function run(mini_batch)", done.errors)

    def test_a_script_that_cannot_begin_ends_the_step(self):
        self.write("src/score.py", "def init():\n    raise ValueError('no model')\n")
        self.parallel(size="1")
        done = self.submit("--fake-nodes", "2", file="p.yml", code=1)
        self.assertRegex(done.errors, r"score failed with exit code 1.*ValueError: no model")


TABLE_STEP = """type: pipeline
inputs:
  table: {type: mltable, path: table}
outputs:
  rows: {type: uri_file}
jobs:
  score:
    type: parallel
    mini_batch_size: %s
    max_concurrency_per_instance: 2
    inputs: {table: "${{parent.inputs.table}}"}
    input_data: ${{inputs.table}}
    outputs: {rows: "${{parent.outputs.rows}}"}
    task: {type: run_function, code: src, entry_script: score.py,
           append_row_to: "${{outputs.rows}}"}
"""
# A row for each row of the table, or for each path.
TABLE_SCORE = """def run(batch):
    if hasattr(batch, "columns"):
        return [f"{len(batch)} " + " ".join(f"{name}={value}" for name, value in row.items())
                for row in batch.to_dict("records")]
    return [path.rsplit("table/", 1)[1] for path in batch]
"""


class Tables(PipelineCase):
    """Data of type mltable: what its MLTable file names, as the package mltable reads it."""

    def setUp(self):
        super().setUp()
        # Debian's Python has Debian's pandas and PyYAML.
        self.environment = functools.partial(self.environment,
                                             PATH=f"/usr/bin:{os.environ['PATH']}")
        for folder in ("src", "table", "table/d", "table/d/sub"):
            os.mkdir(self.path(folder))
        self.write("src/score.py", TABLE_SCORE)
        self.write("table/d/one.csv", 'a,b\n1,x\n,NA\n3,"q,r"\n')
        self.write("table/d/sub/two.csv", "a,b\n5,y\n")
        self.write("table/other.csv", "a,b\n9,z\n")

    def rows_of(self, table, size="1mb", code=0):
        self.write("table/MLTable", "type: mltable\n" + table)
        self.write("p.yml", TABLE_STEP % size)
        done = self.submit(file="p.yml", code=code)
        if code:
            return done
        with open(self.show()["outputs"]["rows"], encoding="utf-8") as file:
            return file.read().splitlines()

    def delimited(self, **options):
        said = ", ".join(f"{name}: {value}" for name, value in options.items())
        return ("paths: [{folder: ./d}]\n"
                "transformations:\n- read_delimited: {%s}\n" % said)

    def test_files_that_it_does_not_name_are_no_data(self):
        self.assertEqual(self.rows_of("paths: [{file: other.csv}, {pattern: './d/*.csv'}]\n",
                                      size="1"), ["other.csv", "d/one.csv"])

    def test_a_batch_is_rows(self):
        self.assertEqual(self.rows_of(self.delimited()),
                         ["4 a=1.0 b=x", "4 a=nan b=NA", "4 a=3.0 b=q,r", "4 a=5.0 b=y"])
        self.assertEqual(self.rows_of(self.delimited(empty_as_string="true",
                                                     infer_column_types="false")),
                         ["4 a=1 b=x", "4 a= b=NA", "4 a=3 b=q,r", "4 a=5 b=y"])
        self.assertEqual(self.rows_of(self.delimited(header="no_header"))[:2],
                         ["6 Column1=a Column2=b", "6 Column1=1 Column2=x"])
        self.assertEqual(self.rows_of(self.delimited(header="from_first_file"))[2:],
                         ["5 a=3 b=q,r", "5 a=a b=b", "5 a=5 b=y"])
        self.assertEqual(self.rows_of(self.delimited() + "- keep_columns: [b]\n")[3:],
                         ["4 b=y"])

    def types_of(self, *files, how="read_delimited"):
        """Of the columns, as run() is given them in each batch."""
        shutil.rmtree(self.path("table/d"))
        os.mkdir(self.path("table/d"))
        for number, text in enumerate(files):
            self.write(f"table/d/f{number}", text)
        self.write("src/score.py", "def run(batch):\n    return [' '.join(f'{n}={t}' for n, t in "
                   "batch.dtypes.items())] * len(batch)\n")
        lines = self.rows_of("paths: [{folder: ./d}]\ntransformations: [%s: {}]\n" % how, size="1b")
        return sorted(set(lines))

    def test_paths_in_place_of_rows_are_told(self):
        """Where pandas is not: in the report, and by show."""
        os.mkdir(self.path("bin"))
        self.write("bin/python3", '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n')
        os.chmod(self.path("bin/python3"), 0o755)
        self.environment = functools.partial(self.environment,
                                             PATH=f"{self.path('bin')}:/usr/bin:/bin")
        table = '{"paths": [{"folder": "./d"}], "transformations": [{"read_delimited": {}}]}'
        self.write("table/MLTable", table)
        self.write("p.yml", TABLE_STEP % "1mb")
        told = r"pandas is not installed on \S+: run\(\) was given paths of files instead of rows"
        done = self.submit(file="p.yml")
        self.assertRegex(done.errors, rf"muster: score completed after .*: {told}\n")
        self.assertRegex(self.told("show", "last").text, told)

    def test_a_column_has_the_same_type_in_all_batches(self):
        found = self.types_of("a,b,c,d,e\n1,1,x,True,1\n", "a,b,c,d,e\n2,2.5,,False,\n",
                              "a,b,c,d,e\n3,4,5,True,x\n")
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], "^a=int64 b=float64 c=(object|str) d=bool e=(object|str)$")
        self.assertRegex(self.types_of("a,b\n1,2\n", "a,c\n2,3\n")[0], "^a=int64 b=float64")
        found = self.types_of('{"a": 1, "b": "x"}\n', '{"a": 2.5, "b": "y"}\n',
                              how="read_json_lines")
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("a=float64"), found)

    def test_a_frame_that_is_returned_is_a_line_for_each_row(self):
        self.write("src/score.py", "import pandas\ndef run(batch):\n"
                   "    return pandas.DataFrame({'a': ['x\\u2028y', 'two\\nlines', 'a b'], "
                   "'n': [1, 2, 3]})[:len(batch)]\n")
        self.write("table/MLTable", self.delimited())
        self.write("p.yml", TABLE_STEP % "1mb")
        done = self.submit(file="p.yml")
        self.assertIn("1 of 1 mini-batch completed, 1 item failed", done.errors)
        with open(self.show()["outputs"]["rows"], encoding="utf-8") as file:
            self.assertEqual(file.read(), 'x\u2028y 1\n"two\nlines" 2\n"a b" 3\n')

    def test_a_large_file_is_cut_between_lines(self):
        lines = [f"{number},{'x' * (number % 50)}" for number in range(500)]
        self.write("table/d/one.csv", "a,b\n" + "\n".join(lines))  # the last one has no end
        rows = self.rows_of(self.delimited(empty_as_string="true"), size="1kb")
        values = [(line.split()[1], line.split("b=")[1]) for line in rows]
        self.assertEqual(values[:-1], [(f"a={n}", "x" * (n % 50)) for n in range(500)])
        self.assertLess(max(int(line.split()[0]) for line in rows), 300)

    def test_rows_are_the_same_whatever_the_size(self):
        self.write("table/d/one.csv",
                   "a,b\n" + "".join(f'{number},"x\ny"\n' for number in range(300)))
        for size in ("1kb", "1mb"):
            rows = self.rows_of(self.delimited() + "- keep_columns: a\n", size=size)
            self.assertEqual([line.split()[1] for line in rows[:-1]],
                             [f"a={number}" for number in range(300)])

    def test_fields_that_have_no_column(self):
        self.write("table/d/one.csv", "a,b\n1,ann,\n2,bob,\n")
        self.assertEqual(self.rows_of(self.delimited())[0], "3 a=1 b=ann")
        self.write("table/d/one.csv", "a,b\n1,2,3\n4,5,6\n")
        done = self.rows_of(self.delimited(), code=1)
        self.assertIn("ParserWarning: Length of header", done.errors)

    def partitioned(self, keys, rows, code=0, how=None):
        """What each call of run() has seen of a table that is cut by the values of its columns."""
        shutil.rmtree(self.path("table/d"))
        os.mkdir(self.path("table/d"))
        for number, text in enumerate(rows):
            self.write(f"table/d/f{number}.csv", text)
        self.write("src/score.py", "def run(batch, mini_batch_context):\n"
                   "    key = mini_batch_context.partition_key_value\n"
                   "    assert isinstance(mini_batch_context.minibatch_index, int)\n"
                   "    seen = ','.join(str(value) for value in batch['n'])\n"
                   "    return [f'{key} {seen}'] * len(batch)\n")
        self.write("table/MLTable", "type: mltable\n" + (how or self.delimited()))
        self.write("p.yml", (TABLE_STEP % "1b").replace(
            "    mini_batch_size: 1b\n", f"    partition_keys: {keys}\n"))
        done = self.submit(file="p.yml", code=code)
        if code:
            return done
        self.assertNotIn("partition_keys", done.errors)
        with open(self.show()["outputs"]["rows"], encoding="utf-8") as file:
            return list(dict.fromkeys(file.read().splitlines()))

    def test_a_batch_for_each_value_of_the_partition_keys(self):
        self.assertEqual(
            self.partitioned("[shop, brand]", ["shop,brand,n\n2,x,1\n1,x,2\n2,y,3\n",
                                               "shop,brand,n\n1,x,4\n2,x,5\n"]),
            ["{'shop': 2, 'brand': 'x'} 1,5", "{'shop': 1, 'brand': 'x'} 2,4",
             "{'shop': 2, 'brand': 'y'} 3"])

    def test_a_partition_key_without_a_value_is_one_as_well(self):
        self.assertEqual(self.partitioned("[shop]", ["shop,n\na,1\n,2\na,3\n"]),
                         ["{'shop': 'a'} 1,3", "{'shop': nan} 2"])

    def test_columns_of_paths(self):
        for shop, day in (("a", "2024/01/31"), ("b", "2024/02/01")):
            os.makedirs(self.path("table", "by", shop, day))
            self.write(f"table/by/{shop}/{day}/data.csv", "n\n1\n")
        table = ("paths: [{folder: ./by}]\ntransformations:\n"
                 "- read_delimited: {include_path_column: %s}\n"
                 "- extract_columns_from_partition_format: %s\n- drop_columns: [Path]\n")
        form = "'/{shop}/{day:yyyy/MM/dd}/data.csv'"
        rows = ["2 shop=a day=2024-01-31 00:00:00 n=1", "2 shop=b day=2024-02-01 00:00:00 n=1"]
        self.assertEqual(self.rows_of(table % ("true", form)), rows)
        self.assertEqual(self.rows_of(table % ("true", "{partition_format: %s}" % form)), rows)
        table = (table % ("false", form)).replace("- drop_columns: [Path]\n", "")
        self.assertEqual(self.partitioned("[shop]", [], how=table),
                         ["{'shop': 'a'} 1", "{'shop': 'b'} 1"])
        done = self.rows_of(table.replace("yyyy/MM", "MM/yyyy"), code=1)
        self.assertIn("table/by/a/2024/01/31/data.csv does not fit the partition format "
                      "/{shop}/{day:MM/yyyy/dd}/data.csv", done.errors)
        done = self.rows_of(table.replace("{shop}", "{n}"), code=1)
        self.assertIn("table/by/a/2024/01/31/data.csv has a column n, which its path says as well",
                      done.errors)
        done = self.rows_of(table.replace("{shop}", "{day}"), code=1)
        self.assertIn("/{day}/{day:yyyy/MM/dd}/data.csv names the column day twice", done.errors)

    def test_partition_keys_need_rows_that_have_them(self):
        done = self.partitioned("[shop, brnd]", ["shop,brand,n\n1,x,2\n"], code=1)
        self.assertIn("partition_keys: the table has no column brnd; it has shop, brand, n",
                      done.errors)
        done = self.partitioned("[shop]", ["shop,n\n1,2\n"], code=1, how="paths: [{folder: d}]\n")
        self.assertIn("partition_keys needs rows, and MLTable does not say how they are read",
                      done.errors)

    def test_the_description_is_no_data(self):
        self.assertEqual(self.rows_of("paths: [{folder: .}]\n", size="1"),
                         ["other.csv", "d/one.csv", "d/sub/two.csv"])

    def test_no_data_is_no_success(self):
        done = self.rows_of("paths: [{pattern: './*.nope'}]\n", code=1)
        self.assertRegex(done.errors, r"there is no data: \S+/table")

    def test_sizes_that_are_none(self):
        for size in ("0", "abc", "1tb"):
            done = self.rows_of(self.delimited(), size=size, code=BAD_FILE)
            self.assertIn("mini_batch_size must be a number of files, or of bytes such as 10kb, "
                          f"not '{size}'", done.errors)

    def test_what_cannot_be_followed_is_refused(self):
        for table, words in (
                (self.delimited() + "- filter: col('a') > 2\n",
                 "muster cannot follow the transformation filter; it knows read_delimited"),
                (self.delimited(path_column="p"), "muster cannot follow path_column of"),
                (self.delimited(header="some"), "the header must be one of"),
                ("paths: [{file: 'azureml://datastores/x/paths/y'}]\n",
                 "only files, folders and patterns of this host can be read"),
                ("paths: [", "MLTable: while parsing"),
                ("paths: [{folder: ./d}]\ntransformations: [{keep_columns: a}]\n",
                 "keep_columns must come after one of read_delimited, read_json_lines"),
                ("paths: [{file: none.csv}]\n", "there is no")):
            done = self.rows_of(table, code=1)
            self.assertIn(words, done.errors)
        os.remove(self.path("table/MLTable"))
        self.assertIn("MLTable, which an input of type mltable needs",
                      self.submit(file="p.yml", code=1).errors)


if __name__ == "__main__":
    run_tests()
