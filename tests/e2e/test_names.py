"""Names of what lies in a cloud: muster.yml and --set say what they mean here."""

# rooms: job front cli

import os

from pipeline_case import PipelineCase
from support import BAD_FILE, run_tests

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
        done = self.submit(file="pipeline.yml", code=BAD_FILE)
        self.assertIn("pipeline.yml:6:22: the component 'azureml:train_model:3' is registered in "
                      "Azure ML, where muster cannot reach it\n  hint: did you mean train_modle? "
                      "If not, name its file: component: ./FILE.yml, or components: {train_model: "
                      "./FILE.yml} in muster.yml\n", done.complaints)


if __name__ == "__main__":
    run_tests()
