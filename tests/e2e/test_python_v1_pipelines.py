"""Pipelines of Azure ML's SDK v1: their steps, what these hand on, and their parameters."""

# rooms: front job cli

import json

from support import USAGE, run_tests
from v1_case import LOGS, SWEEP, V1, V1Case

PIPELINE = """
from azureml.data import OutputFileDatasetConfig
from azureml.pipeline.core import Pipeline, PipelineData, PipelineParameter
from azureml.pipeline.steps import CommandStep, PythonScriptStep
prepared = PipelineData("prepared", ws.get_default_datastore())
count = PipelineParameter(name="count", default_value=10)
prepare = PythonScriptStep("prepare.py", name="prepare data", source_directory="src",
                           arguments=["--to", prepared, "--count", count], outputs=[prepared],
                           compute_target="gpu-cluster", allow_reuse=False)
model = OutputFileDatasetConfig(name="model")
job = ScriptRunConfig("src", command=["python3 show.py", prepared, model],
                      compute_target="gpu-cluster",
                      distributed_job_config=MpiConfiguration(node_count=2))
train = CommandStep(name="train", runconfig=job, inputs=[prepared])
last = PythonScriptStep("show.py", name="last", source_directory="src",
                        arguments=[model.as_input("trained")], compute_target="gpu-cluster")
after = PythonScriptStep("show.py", name="after", source_directory="src", arguments=["src"],
                         compute_target="gpu-cluster")
after.run_after(last)
"""
COUNTS = """
from azureml.core.runconfig import PyTorchConfiguration
from azureml.pipeline.core import Pipeline, PipelineParameter
from azureml.pipeline.steps import MpiStep, PythonScriptStep
nodes = PipelineParameter("nodes", 2)
mpi = MpiStep("mpi", "src", "show.py", ["x"], "gpu-cluster", node_count=nodes,
              process_count_per_node=PipelineParameter("per_node", 1), use_gpu=True,
              pip_packages=["image-of-mine"], custom_docker_image="mine:1",
              environment_variables={"one": nodes})
words = dict(source_directory="src", compute_target="gpu-cluster")
"""
SUBMITS = """
pipeline = Pipeline(workspace=ws, steps=[after, last, train, prepare])
run = experiment.submit(pipeline, pipeline_parameters={"count": 12})
run.wait_for_completion()
print(run.get_status(), [step.name for step in run.get_steps()])
step = run.find_step_run("prepare data")[0]
step.get_output_data("prepared").download("fetched")
print(open("fetched/prepared/count").read(), step.get_metrics())
"""
MODULE = """
from azureml.pipeline.core import Module, ModuleVersion, Pipeline, PipelineData, PipelineParameter
from azureml.pipeline.core.graph import InputPortDef, OutputPortDef, ParamDef
from azureml.pipeline.core.module import Module as AsModule
from azureml.pipeline.steps import ModuleStep
assert AsModule is Module
try:
    module = Module.get(ws, name="sums")
except Exception:
    module = Module.create(ws, name="sums", description="adds")
    first = module.publish_python_script(
        "sum.py", "from numbers", inputs=[], outputs=[OutputPortDef("sum", label="a sum")],
        params={"start": 5, "unused": ParamDef("unused", 7)}, version="1", source_directory="src")
    number = InputPortDef("number", is_optional=False)
    total = OutputPortDef("sum", default_datastore_mode="mount")
    module.publish_python_script(
        "sum.py", "from a file", [number], [total], version="1.10", is_default=True,
        source_directory="src", arguments=["--to", total, "--file", number])
    module.publish_python_script("sum.py", "is higher", [number], [total], version="1.9",
                                 source_directory="src")
"""
SUM = """
import os, sys
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
found = int(words.get("--number", 0))
if "--file" in words:
    found = int(open(words["--file"]).read())
with open(words["--to"], "w") as file:
    file.write(str(found + int(os.environ.get("AML_PARAMETER_start", 1))))
print({name: one for name, one in os.environ.items() if name.startswith("AML_PARAMETER_")})
"""
PREPARE = """
import os, sys
from azureml.core import Run
_, to, _, count = sys.argv[1:]
with open(os.path.join(to, "count"), "w") as file:
    file.write(count)
Run.get_context().log("count", int(count))
"""
SHOW = """
import os, sys
words = sys.argv[1:]
print("rank", os.environ["RANK"], "sees", sorted(os.listdir(words[0])) if "/" in words[0] else "")
if len(words) > 1:
    open(os.path.join(words[1], "of" + os.environ["RANK"]), "w").close()
"""


class Pipelines(V1Case):
    def setUp(self):
        super().setUp()
        self.write("src/prepare.py", PREPARE)
        self.write("src/show.py", SHOW)

    def test_steps_hand_on_what_they_make(self):
        done = self.runs(V1 + PIPELINE + SUBMITS)
        lines = done.stdout.splitlines()
        self.assertEqual(sorted(lines[:-2]), [
            "after: rank 0 sees ", "last: rank 0 sees ['of0', 'of1']",
            "train: [0] rank 0 sees ['count']", "train: [1] rank 1 sees ['count']"])
        self.assertEqual(lines[-3], "after: rank 0 sees ")
        self.assertEqual(lines[-2:], [
            "Completed ['prepare data', 'train', 'last', 'after']", "12 {'count': 12}"])

    def test_a_sweep_is_a_step(self):
        self.write("src/train.py", LOGS)
        done = self.python(V1 + SWEEP.split("swept =")[0] + """
from azureml.pipeline.core import Pipeline
from azureml.pipeline.steps import HyperDriveStep, HyperDriveStepRun
older = HyperDriveStep(name="tune", hyperdrive_run_config=sweep)
assert older.step_keys({}) == HyperDriveStep("tune", sweep).step_keys({})
run = experiment.submit(Pipeline(ws, [older]))
run.wait_for_completion()
print(run.get_status(), [step["state"] for step in run.details()["steps"]])
swept = HyperDriveStepRun(run.find_step_run("tune")[0])
print(swept.get_best_run_by_primary_metric().get_metrics()["lr"],
      [one["hyperparameters"] for one in swept.get_children_sorted_by_primary_metric()])
HyperDriveStepRun(step_run=next(swept.get_children()))
""", "-m", "muster")
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-2:], [
            "Completed ['completed']", "3 [{'lr': '3'}, {'lr': '2'}, {'lr': '1'}]"])
        self.assertRegex(done.stderr, r"\S+/tune/trial_0 is not a sweep")

    def test_counts_may_be_parameters_of_the_pipeline(self):
        self.write("src/requirements.txt", "six\n")
        done = self.runs(V1 + COUNTS + """
def counts(keys):
    found = keys["jobs"]["mpi"]
    return found["resources"], found["distribution"], keys.get("inputs")
pipeline = Pipeline(ws, [mpi])
print(*counts(pipeline.keys({})))
print(*counts(pipeline.keys({"nodes": "3", "per_node": 4})))
print(pipeline.keys({})["jobs"]["mpi"]["environment"]["image"])
nccl = ScriptRunConfig("src", "show.py", distributed_job_config=PyTorchConfiguration(
    process_count=4, node_count=2)).run_config
other = PythonScriptStep("show.py", "other", arguments=["--nodes", nodes], runconfig=nccl,
                         runconfig_pipeline_params={"NodeCount": nodes}, **words)
keys = Pipeline(ws, [other]).keys({"nodes": 4})
print(keys["inputs"], keys["jobs"]["other"]["resources"])
run = experiment.submit(Pipeline(ws, [mpi]), pipeline_parameters={"nodes": 1, "per_node": 2})
run.wait_for_completion()
""")
        *told, one, other = done.stdout.splitlines()  # ranks speak in any order
        self.assertEqual([*told, *sorted((one, other))], [
            "{'instance_count': 2} {'type': 'mpi', 'process_count_per_instance': 1} "
            "{'nodes': '2'}",
            "{'instance_count': 3} {'type': 'mpi', 'process_count_per_instance': 4} "
            "{'nodes': '3'}",
            "mine:1", "{'nodes': '4'} {'instance_count': 4}",
            "mpi: [0] rank 0 sees ", "mpi: [1] rank 1 sees "])

    def test_wrong_counts(self):
        for line, *told in (
                ("PythonScriptStep('show.py', runconfig_pipeline_params={'NodeCont': nodes}, "
                 "**words)", "has no 'NodeCont'", "did you mean NodeCount?"),
                ("PythonScriptStep('show.py', runconfig_pipeline_params={'NodeCount': 2}, "
                 "**words)", "NodeCount of runconfig_pipeline_params is 2"),
                ("Pipeline(ws, [mpi]).keys({'nodes': 'two'})",
                 "the parameter 'nodes' is 'two', which is not a count"),
                ("Pipeline(ws, [mpi]).keys({'nodez': 2})", "no parameter 'nodez'",
                 "did you mean nodes?")):
            self.refused(V1 + COUNTS + line + "\n", *told)

    def test_steps_that_are_needed_belong_to_the_pipeline(self):
        done = self.runs(V1 + PIPELINE + "for step in after, train:\n"
                         "    print(sorted(Pipeline(ws, [step]).keys({})['jobs']))\n")
        self.assertEqual(done.stdout.splitlines(), [
            "['after', 'last', 'prepare_data', 'train']", "['prepare_data', 'train']"])

    def test_a_sweep_reads_files(self):
        self.write("src/train.py", LOGS.replace('parser.add_argument("--lr"', """
parser.add_argument("--data")
print(sorted(os.listdir(parser.parse_known_args()[0].data)))
parser.add_argument("--lr\""""))
        older = SWEEP.split("swept =")[0].replace("run_config=src", "estimator=src")
        done = self.runs(V1 + older.replace("HyperDriveConfig", "HyperDriveRunConfig") + """
from azureml.pipeline.core import Pipeline
from azureml.pipeline.steps import HyperDriveStep
data = ws.get_default_datastore().upload("src", "code")
step = HyperDriveStep("tune", sweep, estimator_entry_script_arguments=["--data", data],
                      inputs=[data])
run = experiment.submit(Pipeline(ws, [step]))
run.wait_for_completion()
print(run.get_status())
""")
        self.assertEqual(done.stdout.splitlines()[-1], "Completed")
        self.assertEqual(done.stdout.count("'train.py'"), 3)

    def test_versions_of_modules_are_steps(self):
        self.write("src/sum.py", SUM)
        self.runs(V1 + MODULE)
        done = self.runs(V1 + MODULE + """
first = ModuleVersion.get(ws, module.module_version_list()[0].module_version_id)
words = dict(runconfig=RunConfiguration(), compute_target="gpu-cluster")
one, two, three = [PipelineData(name, ws.get_default_datastore(), is_directory=False)
                   for name in ("one", "two", "three")]
start = PipelineParameter("start", default_value=17)
steps = [ModuleStep(module_version=first, outputs_map={"sum": one}, name="first", **words,
                    arguments=["--to", one, "--number", "2", "--start", start]),
         ModuleStep(module, inputs_map={"number": one}, outputs_map={"sum": two},
                    params={"more": "x"}, **words),
         ModuleStep(module, "1.9", inputs_map={"number": two}, outputs_map={"sum": three},
                    arguments=["--to", three, "--file", two], **words)]
run = experiment.submit(Pipeline(workspace=ws, steps=steps))
run.wait_for_completion()
print([step.name for step in run.get_steps()])
for step in run.get_steps():
    step.get_output_data("sum").download(step.id.split("/")[1])
    print(open(step.id.split("/")[1] + "/sum").read())
first.disable()
print(module.resolve().version, module.default_version, first.status, first.module().name)
module._say("default", None)
print(module.resolve().version, [one.version for one in Module.get_versions(ws, "sums")])
""")
        self.assertEqual(done.stdout.splitlines(), [
            "first: {'AML_PARAMETER_start': '17', 'AML_PARAMETER_unused': '7'}",
            "sums: {'AML_PARAMETER_more': 'x'}", "sums_1: {}",
            "['first', 'sums', 'sums']", "19", "20", "21",
            "1.10 1.10 Disabled sums", "1.10 ['1', '1.10', '1.9']"])

    def test_what_a_module_reads_has_the_names_of_its_ports(self):
        self.write("src/reads.py", "from azureml.core import Run\nimport os, sys\n"
                   "found = Run.get_context().input_datasets\n"
                   "print(sorted(found), found['file'] == sys.argv[1], sys.argv[2])\n")
        self.write("src/table.py", "import sys\n"
                   "with open(sys.argv[1] + '/t.csv', 'w') as file:\n    file.write('a\\n1\\n')\n")
        self.write("src/x.txt", "x")
        done = self.runs(V1 + """
from azureml.data import OutputFileDatasetConfig
from azureml.data.data_reference import DataReference
from azureml.pipeline.core import Module, Pipeline
from azureml.pipeline.core.graph import InputPortDef
from azureml.pipeline.steps import ModuleStep, PythonScriptStep
store = ws.get_default_datastore()
store.upload("src", "kept")
file, made = DataReference(store, "own_name", "kept"), OutputFileDatasetConfig("made")
makes = PythonScriptStep("table.py", arguments=[made], source_directory="src",
                         compute_target="gpu-cluster")
ports = [InputPortDef("file"), InputPortDef("rows")]
version = Module.create(ws, "reads", "").publish_python_script(
    "reads.py", "", ports, [], arguments=[ports[0], "from the module"], source_directory="src")
wired = dict(inputs_map={"file": file, "rows": made.as_input("other")}, module_version=version,
             compute_target="gpu-cluster")
steps = [ModuleStep(**wired), ModuleStep(arguments=[file, "from the step"], **wired)]
assert [sorted(step.data()) for step in steps] == [["file"], ["file"]]
experiment.submit(Pipeline(ws, [makes, *steps])).wait_for_completion()
""")
        self.assertEqual(sorted(done.stdout.splitlines()), [
            "reads: ['file', 'rows'] True from the module",
            "reads_1: ['file', 'rows'] True from the step"])

    def test_names_of_modules(self):
        """A name may be free again, and a version has one without being given it."""
        self.write("src/sum.py", SUM)
        done = self.runs(V1 + """
from azureml.pipeline.core import Module
def publish(module, **more):
    return module.publish_python_script("sum.py", "", [], [], source_directory="src", **more)
module = Module.create(ws, "Add and multiply", "")
print([publish(module, version="2", is_default=True).version, publish(module).version])
same = Module.get(ws, name="Add and multiply")
print(same.id == module.id, Module.get(ws, module_id=module.id).name, same.default_version)
same.set_name("as it was")
print(Module.create(ws, "Add and multiply", "").module_version_list(),
      len(Module.get(ws, name="as it was").module_version_list()))
""")
        self.assertEqual(done.stdout.splitlines(), [
            "['2', '3']", "True Add and multiply 2", "[] 2"])

    def test_wrong_modules(self):
        self.write("src/sum.py", SUM)
        self.runs(V1 + MODULE)
        for line, *told in (
                ("Module.create(ws, 'sums', '')", "a module 'sums' already", "Module.get(",
                 "set_name("),
                ("module.publish_python_script('sum.py', '', [], [], version='1.9', "
                 "source_directory='src')", "has a version '1.9' already"),
                ("module.publish_python_script('sun.py', '', [], [])", "no script 'sun.py'"),
                ("module.resolve('1.8')", "has no version '1.8'", "did you mean 1.9?"),
                ("ModuleStep()", "either module or module_version"),
                ("ModuleStep(module, inputs_map={'numbr': PipelineData('x')})", "names 'numbr'",
                 "did you mean number?"),
                ("ModuleStep(module, inputs_map={'number': PipelineData('x')})", "lacks 'sum'"),
                ("Module.get(ws, name='sum')", "there is no module 'sum'", "did you mean sums?")):
            done = self.python(V1 + MODULE + line + "\n", "-m", "muster")
            self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
            for text in told:
                self.assertIn(text, done.stderr)

    def test_a_notebook_is_a_job_and_a_step(self):
        self.write_notebook("src/deep/book.ipynb", "n = 1\nprepared = name = ''",
                            "print(n, name, prepared and open(prepared + '/count').read())",
                            "!echo shell\nn",
                            tags=["parameters"])
        done = self.runs(V1 + PIPELINE + """
from azureml.contrib.notebook import (AzureMLNotebookHandler, NotebookRunConfig,
                                      NotebookRunnerStep)
config = NotebookRunConfig("src", "deep/book.ipynb", output_notebook="outputs/book.ipynb",
                           parameters={"n": [2], "name": "it's \\"3\\""},
                           handler=AzureMLNotebookHandler(timeout=60))
config.run_config.target = "gpu-cluster"
experiment.submit(config).wait_for_completion(show_output=True)
step = NotebookRunnerStep("book", config, None, "gpu-cluster", {"n": count}, [prepared],
                          output_notebook_pipeline_data_name="printed")
run = experiment.submit(Pipeline(ws, [prepare, step]), pipeline_parameters={"count": 12})
run.wait_for_completion()
run.find_step_run("book")[0].get_output_data("printed").download(".")
""")
        self.assertEqual(done.stdout.splitlines(), [
            """[2] it's "3" """, "shell", "[2]", """book: 12 it's "3" 12""", "book: shell",
            "book: 12"])
        self.assertIn("NotebookRunConfig(handler=...) has no effect here", done.stderr)
        with open(self.path("printed/outputs/book.ipynb"), encoding="utf-8") as file:
            first, injected, *others = json.load(file)["cells"][1:]
        self.assertEqual((first["outputs"], first["execution_count"]), ([], 1))
        self.assertTrue("".join(injected["source"]).startswith("# Parameters\nn = 12\n"))
        self.assertEqual([one["outputs"] for one in others], [
            [{"output_type": "stream", "name": "stdout", "text": text}]
            for text in ("12 it's \"3\" 12\n", "shell\n12\n")])

    def test_wrong_pipelines(self):
        for line, *told in (
                ("Pipeline(ws, [train], resolve_closure=False).validate()",
                 "reads prepared, which no step of the pipeline makes"),
                ("Pipeline(ws, [prepare]).submit('x', {'cuont': 1})", "did you mean count?"),
                ("Pipeline(ws, [prepare]).publish('x')", "Pipeline.publish is not supported"),
                ("PythonScriptStep('a.py', arguments=[prepared])",
                 "neither an input nor an output"),
                ("PipelineData('x', is_direktory=True)", "did you mean is_directory?"),
                ("from azureml.pipeline.steps import HyperDriveStep; HyperDriveStep('x', "
                 "hyperdrive_config=1, hyperdrive_run_config=1)",
                 "has no parameter 'hyperdrive_run_config'"),
                ("Pipeline(ws, [])", "the pipeline has no step")):
            done = self.python(V1 + PIPELINE + line + "\n", "-m", "muster")
            self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
            for text in told:
                self.assertIn(text, done.stderr)

    def test_components_become_a_pipeline_one_by_one(self):
        done = self.runs("""
from azure.ml.component import Component, Pipeline
train = Component.from_yaml(None, yaml_file="components/imagecnn-train/entry.spec.yaml")
first = train(script_arg_0=1, script_arg_1="two words")
pipeline = Pipeline(nodes=[first], name="whole", default_compute="gpu-cluster")
run = pipeline.submit(experiment_name="component")
run.wait_for_completion(show_output=True)
print(run.get_status())
""")
        self.assertIn("1 two words", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "Completed")


if __name__ == "__main__":
    run_tests()
