"""Names of what lies in a cloud: muster.yml and --set say what they mean here."""

# rooms: job front cli

import json
import os
import subprocess

from pipeline_case import PipelineCase
from support import BAD_FILE, MUSTER, PYTHON, ROOT, WAIT_SECONDS, run_tests

TRAIN = """
type: command
name: train_model
inputs: {data: {type: uri_folder}}
command: cat ${{inputs.data}}/word
environment: azureml:sklearn:1
"""

PIPELINE = """
type: pipeline
inputs:
  rows: {type: uri_folder, path: "azureml:rows@latest"}
jobs:
  first: {component: "azureml:train_model:3", inputs: {data: "${{parent.inputs.rows}}"}}
  second:
    component: azureml:train_model@latest
    inputs: {data: {path: "azureml://datastores/blob/paths/words/more"}}
"""

NAMES = """
components: {train_model: ./parts/train.yml}
data:
  rows: rows
  "azureml://datastores/blob/paths/": store/
targets: {local: {without: environment}}
"""


class NamesCase(PipelineCase):
    def setUp(self):
        super().setUp()
        for path, text in {"parts/train.yml": TRAIN, "pipeline.yml": PIPELINE,
                           "muster.yml": NAMES, "rows/word": "rows\n",
                           "store/words/more/word": "more\n", "other/word": "other\n"}.items():
            os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
            self.write(path, text)


class Map(NamesCase):
    def test_a_pipeline_made_for_the_cloud_runs_here(self):
        done = self.submit(file="pipeline.yml")
        self.assertEqual(sorted(done.text.splitlines()), ["first: rows", "second: more"], done)
        self.assertEqual(self.told("validate", "pipeline.yml").text,
                         "pipeline.yml: a pipeline, nothing wrong; it has 2 steps\n")
        self.told("rerun", "last")

    def test_a_plan_as_json_has_the_names(self):
        plan = json.loads(self.told("explain", "pipeline.yml", "--json").text)
        self.assertEqual(plan["names"], {
            "azureml:train_model:3": self.path("parts/train.yml"),
            "azureml:train_model@latest": self.path("parts/train.yml"),
            "azureml:rows@latest": self.path("rows"),
            "azureml://datastores/blob/paths/words/more": self.path("store/words/more")})
        self.write("job.yml", "type: command\ncommand: x\n"
                   "inputs: {a: {type: uri_folder, path: 'azureml:rows:2'}}\n")
        plan = json.loads(self.told("explain", "job.yml", "--json").text)
        self.assertEqual(plan["names"], {"azureml:rows:2": self.path("rows")})

    def test_outputs_go_to_a_store_that_has_a_place_here(self):
        self.write("out.yml", """
type: pipeline
settings: {default_datastore: "azureml:blob"}
outputs:
  all: {type: uri_file, path: "azureml://datastores/blob/paths/all/${{name}}.txt"}
jobs:
  one:
    command: echo one > ${{outputs.o}}/word
    outputs:
      o: {path: "azureml://datastores/${{default_datastore}}/paths/parts/${{name}}"}
  two:
    command: cat ${{inputs.i}}/word > ${{outputs.o}}
    inputs: {i: "${{parent.jobs.one.outputs.o}}"}
    outputs: {o: "${{parent.outputs.all}}"}
""")
        for words in (("submit", "out.yml"), ("rerun", "last/two")):
            done = self.told(*words)
            self.assertNotIn("no effect here: muster cannot reach", done.errors)
            run = self.show()["run"]
            self.assertEqual(self.read(f"store/all/{run}.txt"), b"one\n")
        parts = os.listdir(self.path("store/parts"))
        self.assertEqual([name.rpartition(".")[2] for name in parts], ["one", "one"])

    def test_outputs_of_a_single_job_go_there_as_well(self):
        self.write("out.yml", "type: command\ncommand: echo x > ${{outputs.o}}/word\n"
                   "outputs: {o: {path: 'azureml://datastores/blob/paths/${{name}}'}, "
                   "p: {path: './here-${{name}}'}}\n")
        self.submit(file="out.yml")
        run = self.show()
        self.assertEqual(self.read(f"store/{run['run']}/word"), b"x\n")
        self.assertEqual(run["outputs"]["p"], self.path(f"here-{run['run']}"))

    def test_the_command_line_wins_and_a_plan_tells_who_said_it(self):
        done = self.submit("--set", "data.rows=other", file="pipeline.yml")
        self.assertIn("first: other", done.text.splitlines(), done)
        told = self.told("explain", "pipeline.yml", "--set", "data.rows=other").complaints
        file = self.path("muster.yml")
        self.assertEqual(told.splitlines(), [
            f"muster: azureml:train_model:3 is {self.path('parts/train.yml')} "
            f"(components.train_model, {file}:2:14)",
            f"muster: azureml:train_model@latest is {self.path('parts/train.yml')} "
            f"(components.train_model, {file}:2:14)",
            f"muster: azureml:rows@latest is {self.path('other')} (--set data.rows)",
            "muster: azureml://datastores/blob/paths/words/more is "
            f"{self.path('store/words/more')} (data.azureml://datastores/blob/paths/, {file}:5:3)"])

    def test_an_unknown_name_shows_what_to_write(self):
        self.write("muster.yml", NAMES.replace("train_model", "train_modle"))
        self.write("parts/train.yml", TRAIN.replace("name: train_model\n", ""))
        done = self.submit(file="pipeline.yml", code=BAD_FILE)
        self.assertIn("pipeline.yml:6:22: the component 'azureml:train_model:3' is registered in "
                      "Azure ML, where muster cannot reach it\n  hint: did you mean train_modle? "
                      "If not, name its file: component: ./FILE.yml, or components: {train_model: "
                      "./FILE.yml} in muster.yml\n", done.complaints)


    def test_a_version_or_a_label_that_is_not_there(self):
        self.write("muster.yml", 'data: {"rows:1": rows, "rows:2": rows}\n')
        job = "type: command\ncommand: cat ${{inputs.x}}\ninputs: {x: {path: 'azureml:rows%s', " \
              "type: uri_folder}}\n"
        for asked, hint in ((":3", "known versions of rows: 1, 2; name a"),
                            ("@lates", "did you mean rows@latest? If not, name a")):
            self.write("job.yml", job % asked)
            done = self.told("validate", "job.yml", code=BAD_FILE)
            self.assertIn(f"hint: {hint}", done.errors)

    def test_an_entry_that_leads_to_another_name(self):
        job = "type: command\ncommand: 'true'\nenvironment: azureml:here:1\n"
        self.write("job.yml", job)
        done = self.told("explain", "job.yml", "--set", "environments.here=azureml:other:1",
                         code=BAD_FILE)
        self.assertIn("azureml:here:1 leads to where muster cannot reach it: 'azureml:other:1'",
                      done.errors)
        self.write("pipeline.yml", "type: pipeline\njobs:\n"
                   "  a: {component: 'https://example.org/a.yml'}\n")
        done = self.told("validate", "pipeline.yml", code=BAD_FILE)
        self.assertIn("pipeline.yml:3:18: the component 'https://example.org/a.yml' is an address",
                      done.errors)

    def test_a_plan_shows_the_image(self):
        self.write("job.yml", "type: command\ncommand: 'true'\nenvironment: azureml:here:1\n")
        words = ("job.yml", "--set", "environments.here=example.org/image:1", "--target", "local")
        self.write("muster.yml", "targets: {other: {slots: 1}}\n")
        self.assertIn(", image example.org/image:1: bash", self.told("explain", *words).text)
        plan = json.loads(self.told("explain", *words, "--json").text)
        self.assertEqual(plan["apps"][0]["image"], "example.org/image:1")


class Files(NamesCase):
    def test_names_are_found_in_files_beside_the_pipeline(self):
        self.write("muster.yml", "targets: {local: {without: environment}}\n"
                   "data: {'azureml://datastores/blob/paths/': store/}\n")
        self.write("parts/rows.yml", "name: rows\nversion: 4\ntype: uri_folder\npath: ../rows\n")
        done = self.submit(file="pipeline.yml")
        self.assertEqual(sorted(done.text.splitlines()), ["first: rows", "second: more"], done)
        os.remove(self.path("parts/train.yml"))
        os.remove(self.path("parts/rows.yml"))
        again = self.told("rerun", "last").complaints
        self.assertIn("muster: first reused", again, "the files of then are remembered")

    def test_two_of_one_name_are_told(self):
        self.write("muster.yml", "targets: {local: {without: environment}}\n")
        os.makedirs(self.path("more"))
        self.write("more/other.yml", TRAIN)
        done = self.submit(file="pipeline.yml", code=BAD_FILE)
        self.assertIn(f"two files are called 'train_model': {self.path('more/other.yml')} and "
                      f"{self.path('parts/train.yml')}\n  hint: say which: components: "
                      "{train_model: ./FILE.yml} in muster.yml\n", done.complaints)


class Outputs(PipelineCase):
    def test_those_of_a_run_are_inputs_of_another(self):
        self.write("make.yml", "type: pipeline\nname: maker\n"
                   "outputs: {words: {type: uri_folder}}\njobs:\n"
                   "  a: {command: 'mkdir ${{outputs.w}}/b; echo made > ${{outputs.w}}/b/c', "
                   "outputs: {w: '${{parent.outputs.words}}'}}\n")
        self.submit(file="make.yml")
        run = self.show()["run"]
        address = "azureml://jobs/{}/outputs/{}"
        job = ("type: command\ncommand: cat ${{inputs.x}}\n"
               "inputs: {x: {type: uri_file, path: '%s/paths/b/c'}}\n")
        for told in ((run, "words"), (run + "/a", "w"), ("maker", "words")):
            self.write("use.yml", job % address.format(*told))
            self.assertEqual(self.submit(file="use.yml").text, "made\n")
        for told, why in (((run, "wrods"), f"the run {run} has no output 'wrods'\n"
                                           "  hint: did you mean words?\n"),
                          (("nix", "words"), "no run nix")):
            self.write("use.yml", job % address.format(*told))
            done = self.submit(file="use.yml", code=BAD_FILE)
            self.assertIn("use.yml:3:36: the input x: " + why, done.complaints)
        self.write("use.yml", (job % address.format(run, "words")).replace("b/c", "b/d"))
        self.assertIn(f"the input x: the run {run} has not made ",
                      self.submit(file="use.yml", code=BAD_FILE).complaints)

    def test_artifacts_that_another_step_took_are_those_of_any_run(self):
        """What lies in its code, else what lies in its record."""
        os.mkdir(self.path("src"))
        self.write("make.yml", "type: pipeline\njobs:\n"
                   "  a:\n    code: src\n    outputs: {w: {type: uri_folder}}\n"
                   "    command: echo code > outputs/x; echo record > ${{outputs.w}}/x\n"
                   "  b: {command: 'ls ${{inputs.run}}/outputs', "
                   "inputs: {run: '${{parent.jobs.a.outputs.artifacts}}'}}\n")
        self.assertEqual(self.submit(file="make.yml").text, "b: x\n")
        run = self.show()["run"]
        job = ("type: command\ncommand: cat ${{inputs.x}}\ninputs: {x: {type: uri_file, path: "
               f"'azureml://jobs/{run}/a/outputs/artifacts/paths/outputs/%s'}}}}\n")
        for path, text in (("x", "code\n"), ("w/x", "record\n")):
            self.write("use.yml", job % path)
            self.assertEqual(self.submit(file="use.yml").text, text)
        self.write("use.yml", job % "y")
        self.assertIn(f"the input x: the run {run}/a has no 'outputs/y'",
                      self.submit(file="use.yml", code=BAD_FILE).complaints)


PROGRAM = """
from azure.ai.ml import Input, MLClient, command
from azure.ai.ml.dsl import pipeline
from azure.ai.ml.entities import Data
from azureml.core import Dataset, Workspace
client = MLClient()
train = client.components.get("train_model", label="latest")
rows = client.data.get("rows", version="7")
print(train.name, rows.path, rows.type, Dataset.get_by_name(Workspace(), "rows").whole_path())
print(client.data.get("typed").path)
client.data.create_or_update(Data(name="kept", path="other"))
client.data.create_or_update(Data(name="rows", path="other"))
print(client.data.get("kept").path, client.data.get("rows").path)

@pipeline(compute="local")
def whole():
    train(data=Input(path=rows.path))
    train(data=Input(path=client.data.get("kept").id))
client.jobs.stream(client.jobs.create_or_update(whole()).name)
for kind, name in ((client.data, "nosuch"), (client.components, "nosuch")):
    try:
        kind.get(name, "3")
    except Exception as error:
        print(type(error).__name__, error)
"""


class Programs(NamesCase):
    def test_clients_know_what_job_files_know(self):
        self.write("program.py", PROGRAM)
        env = self.environment(MUSTER=MUSTER, PYTHONPATH=os.path.join(ROOT, "python"),
                               MUSTER_RECORDS=self.path("records"))
        done = subprocess.run([PYTHON, "-m", "muster", "--set", "data.typed=other", "program.py"],
                              cwd=self.folder, env=env, capture_output=True, text=True,
                              timeout=WAIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows, other = self.path("rows"), self.path("other")
        told = done.stdout.splitlines()
        self.assertEqual(told[:3], [f"train_model {rows} uri_folder {rows}", other,
                                    f"{other} {rows}"])
        self.assertEqual(sorted(line.split(": ")[1] for line in told[3:5]), ["other", "rows"])
        self.assertEqual(told[5::2], [
            "ResourceNotFoundError program.py:22: no data 'nosuch' of version '3' is known here",
            "ResourceNotFoundError program.py:22: no component 'nosuch' of version '3' is known "
            "here"])
        self.assertIn("--set components.nosuch=...", told[8])
        self.assertNotIn("no effect", done.stderr)


if __name__ == "__main__":
    run_tests()
