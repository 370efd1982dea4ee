"""Datasets and datastores of SDK v1 are folders and files of this machine, under names."""

# rooms: front job cli

import os
import re

from python_case import TARGETS, PythonCase
from support import USAGE, run_tests

START = """
import os
from azureml.core import Dataset, Datastore, Experiment, Run, ScriptRunConfig, Workspace
from azureml.core.runconfig import MpiConfiguration
from azureml.data.datapath import DataPath
ws = Workspace.from_config()
store = ws.get_default_datastore()
"""
READS = """
import os, sys
from azureml.core import Run
run = Run.get_context()
for word in sys.argv[1:]:
    print(word.split("/")[-1], sorted(os.listdir(word)) if os.path.isdir(word) else
          open(word).read().split(), flush=True)
found = run.input_datasets
print({name: os.path.exists(one) if isinstance(one, str) else one.to_pandas_dataframe()["b"].sum()
       for name, one in sorted(found.items())})
"""


class Datasets(PythonCase):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("data/below"))
        self.write("data/one.csv", "a,b\n1,2\n")
        self.write("data/below/two.csv", "a,b\n3,4\n")
        self.write("src/reads.py", READS)

    def refused(self, program, *told):
        done = self.python(START + program, "-m", "muster")
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        line = (START + program).rstrip().count("\n") + 1
        self.assertTrue(done.stderr.startswith(f"muster: error: program.py:{line}: "), done.stderr)
        for text in told:
            self.assertIn(text, done.stderr)

    def test_uploads_are_copies_and_nothing_is_replaced_unasked(self):
        uploads = ("data = Dataset.File.upload_directory('data', (store, 'mnist'))\n"
                   "store.upload('data', target_path='mnist', show_progress=False)\n"
                   "store.upload_files(['data/below/two.csv'], 'data', 'other')\n"
                   "store.upload_files(['data/below/two.csv'], target_path='flat')\n")
        done = self.runs(START + uploads + """
print(data.to_path(), sorted(os.listdir(data.download('copies')[0].rsplit('/', 1)[0])))
print(store.download('all', prefix='other'), os.listdir('all/other/below'))
some = Dataset.File.from_files([(store, 'mnist/**/*.csv'), DataPath(store, 'flat/two.csv')])
print(len(some.to_path()), len(some.take(2).to_path()), len(some.skip(2).to_path()))
with data.mount() as mounted:
    print(sorted(os.listdir(mounted.mount_point)))
""")
        self.assertEqual(done.stdout.splitlines(), [
            "['/one.csv', '/below/two.csv'] ['below', 'one.csv']", "1 ['two.csv']", "3 2 1",
            "['below', 'one.csv']"])
        self.write("data/one.csv", "a,b\n5,6\n")
        for call in ("Dataset.File.upload_directory('data', (store, 'mnist'))",
                     "store.upload('data', 'mnist')",
                     "store.upload_files(['data/one.csv'], 'data', 'mnist')"):
            self.refused(call + "\n", f"{self.path('stores/workspaceblobstore/mnist/one.csv')} is "
                         "there already, with something else in it\n  hint: use overwrite=True")
        self.runs(START + "store.upload('data', 'mnist', overwrite=True)\n"
                  "assert '5,6' in open(store.place('mnist/one.csv')).read()\n")

    def test_names_are_those_of_sdk_v2(self):
        self.runs(START + """
from azure.ai.ml import MLClient
from azure.ai.ml.entities import Data
data = Dataset.File.upload_directory('data', DataPath(store, 'mnist'))
first = data.register(ws, 'lines', description='of a test', tags={'k': 'v'})
again = data.register(workspace=ws, name='lines')
assert (first.version, again.version, again.tags, again.id) == (1, 1, {'k': 'v'}, 'lines:1')
table = Dataset.Tabular.from_delimited_files(path=[(store, 'mnist/one.csv')])
assert table.register(ws, 'lines', create_new_version=True).version == 2
assert type(Dataset.get_by_name(ws, 'lines')).__name__ == 'TabularDataset'
assert Dataset.get_by_name(ws, name='lines', version=1).to_path()[0] == '/one.csv'
assert Dataset.get_by_id(ws, 'lines:1').description == 'of a test'
assert list(ws.datasets) == ['lines']
client = MLClient(None, 'a', 'b', 'c')
assert client.data.get('lines', 1).path == store.place('mnist')
client.data.create_or_update(Data(name='theirs', path='data', type='uri_folder'))
assert len(Dataset.get_by_name(ws, 'theirs').to_path()) == 2
Dataset.get_by_name(ws, 'theirs').unregister_all_versions()
assert 'theirs' not in Dataset.get_all(ws)
""")
        self.refused("Dataset.Tabular.from_parquet_files((store, 'mnist/one.csv'))"
                     ".register(ws, 'lines')\n", "there is a dataset 'lines' already\n  hint: use "
                     "create_new_version=True")
        self.refused("Dataset.get_by_name(ws, 'nosuch')\n", "no data 'nosuch' is known here")

    def test_scripts_read_them(self):
        done = self.runs(START + """
import pandas
data = Dataset.File.upload_directory('data', (store, 'mnist'))
table = Dataset.Tabular.from_delimited_files((store, 'mnist/*.csv'))
assert list(table.to_pandas_dataframe().columns) == ['a', 'b']
one = Dataset.File.from_files((store, 'mnist/one.csv')).register(ws, 'first')
job = ScriptRunConfig('src', 'reads.py', compute_target='gpu-cluster', arguments=[
    data.as_named_input('all').as_mount(), one.as_download(),
    store.path('mnist/below', 'below').as_mount(),
    table.as_named_input('table')])
run = Experiment(ws, 'reads').submit(job)
run.wait_for_completion(show_output=True)
""")
        self.assertEqual(done.stdout.splitlines(), [
            "mnist ['below', 'one.csv']", "one.csv ['a,b', '1,2']", "below ['two.csv']",
            "one.csv ['a,b', '1,2']",
            "{'all': True, 'below': True, 'first': True, 'table': 2}"])

    def test_paths_say_columns(self):
        for shop, month in (("a", "01"), ("b", "02")):
            os.makedirs(self.path("data/by", shop, "2024", month))
            self.write(f"data/by/{shop}/2024/{month}/x.csv", "b\n1\n")
        self.write("src/reads.py", """
from azureml.core import Run
table = Run.get_context().input_datasets['table'].to_pandas_dataframe()
print(list(table.columns), [f'{row.shop} {row.day:%Y-%m-%d} {row.b}' for row in table.itertuples()])
""")
        done = self.runs(START + """
form = '/{shop}/{day:yyyy/MM}/x.csv'
files = Dataset.File.from_files('data/by', partition_format=form)
print(files.partition_keys, files.get_partition_key_values(['shop']), len(files.take(1).to_path()))
table = Dataset.Tabular.from_delimited_files('data/by/*/*/*/x.csv', partition_format=form,
                                             include_path=True)
print(list(table.to_pandas_dataframe().columns))
job = ScriptRunConfig('src', 'reads.py', compute_target='gpu-cluster', arguments=[
    Dataset.Tabular.from_delimited_files('data/by', partition_format=form).as_named_input('table')])
Experiment(ws, 'reads').submit(job).wait_for_completion(show_output=True)
""")
        self.assertEqual(done.stdout.splitlines(), [
            "['shop', 'day'] [{'shop': 'a'}, {'shop': 'b'}] 1", "['Path', 'shop', 'day', 'b']",
            "['shop', 'day', 'b'] ['a 2024-01-01 1', 'b 2024-02-01 1']"])

    TABLE = """
import pandas
table = pandas.DataFrame({'a.b': ['1', '2'], 3: [1, 2]}, index=[7, 8])
def lacking(*_, **__): raise ImportError('no pyarrow')
"""

    def test_a_table_of_the_program_is_registered(self):
        done = self.runs(START + self.TABLE + """
pandas.DataFrame.to_parquet = lacking
first = Dataset.Tabular.register_pandas_dataframe(table, store, 'mine', 'of a test', {'k': 'v'})
again = Dataset.Tabular.register_pandas_dataframe(
    dataframe=table, target=(store, 'tables'), name='mine', show_progress=False)
print(first.version, again.version, first.description, first.tags, type(again).__name__)
print(os.path.relpath(first.files()[0], store.place()).split('/')[::2],
      os.path.relpath(again.files()[0], store.place()).split('/')[::2])
print(Dataset.get_by_name(ws, 'mine').to_pandas_dataframe().to_dict('list'))
pandas.DataFrame.to_parquet = lambda self, path, index: self.to_pickle(path)
pandas.read_parquet = pandas.read_pickle
last = Dataset.Tabular.register_pandas_dataframe(
    table, DataPath(store, 'exact'), 'mine', make_target_path_unique=False)
print(last.files() == [store.place('exact/dataframe.parquet')], last.version)
print(Dataset.get_by_name(ws, 'mine').to_pandas_dataframe().to_dict('list'))
""")
        self.assertEqual(done.stdout.splitlines(), [
            "1 2 of a test {'k': 'v'} TabularDataset",
            "['managed-dataset', 'dataframe.csv'] ['tables', 'dataframe.csv']",
            "{'a_b': [1, 2], '3': [1, 2]}", "True 3", "{'a_b': ['1', '2'], '3': [1, 2]}"])
        for text in ("the column a.b is kept as a_b", "the table is kept as CSV"):
            self.assertIn(text, done.stderr)
        for call, told in (
                ("register_pandas_dataframe([1], store, 'x')", "is list, which is not a DataFrame"),
                ("register_spark_dataframe(None, store, 'x')", "is not supported\n  hint: use "
                 "register_pandas_dataframe(dataframe.toPandas(), ...)")):
            self.refused(f"Dataset.Tabular.{call}\n", told)

    def test_a_script_resumes_from_a_path(self):
        self.write("src/words.py",
                   "import os, sys\nprint(sys.argv[1:-1], os.listdir(sys.argv[-1]))\n")
        done = self.runs(START + """
from azureml.train.estimator import Estimator
store.upload('data/below', 'saved')
for job in (ScriptRunConfig('src', 'words.py', arguments=['--lr', 1], compute_target='gpu-cluster',
                            resume_from=DataPath(store, 'saved')),
            Estimator('src', entry_script='words.py', script_params={'--lr': 1},
                      compute_target='gpu-cluster', resume_from=DataPath(store, 'saved'))):
    run = Experiment(ws, 'reads').submit(job)
    run.wait_for_completion(show_output=True)
""")
        self.assertEqual(done.stdout.splitlines(),
                         ["['--lr', '1', '--resume-from'] ['two.csv']"] * 2)

    def test_details_name_what_a_run_has_made(self):
        done = self.runs(START + """
from azure.ai.ml import MLClient, Output, command
from azureml.core import Run
job = MLClient.from_config().jobs.create_or_update(command(
    command='echo a,b > ${{outputs.table}}/t.csv', outputs={'table': Output()}))
run = Run.get(ws, job.name)
run.wait_for_completion()
made, = run.get_details()['outputDatasets']
print(made['outputType'], made['outputDetails'], made['dataset'].to_path())
""")
        self.assertEqual(done.stdout.splitlines()[-1],
                         "RunOutput {'outputName': 'table'} ['/t.csv']")

    def test_datasets_of_one_job_have_names_of_their_own(self):
        done = self.runs(START + """
job = ScriptRunConfig('src', 'reads.py', compute_target='gpu-cluster', arguments=[
    Dataset.File.from_files('data').as_mount(), Dataset.File.from_files('data/below').as_mount()])
run = Experiment(ws, 'reads').submit(job)
run.wait_for_completion(show_output=True)
""")
        self.assertEqual(done.stdout.splitlines()[:2], ["data ['below', 'one.csv']",
                                                        "below ['two.csv']"])
        self.assertEqual(done.stdout.count("True"), 2)
        self.refused("ScriptRunConfig('src', 'reads.py', arguments=[Dataset.File.from_files(one)"
                     ".as_named_input('x') for one in ('data', 'data/one.csv')]).keys()\n",
                     "two datasets of the job are called 'x'")

    def test_steps_and_sweeps_read_them(self):
        done = self.runs(START + """
from azureml.pipeline.core import Pipeline, PipelineData
from azureml.pipeline.steps import PythonScriptStep
from azureml.train.estimator import Estimator
from azureml.train.hyperdrive import (GridParameterSampling, HyperDriveConfig, PrimaryMetricGoal,
                                      choice)
data = Dataset.File.upload_directory('data', (store, 'mnist')).as_named_input('all').as_mount()
step = PythonScriptStep('reads.py', source_directory='src', arguments=[data], inputs=[data],
                        compute_target='gpu-cluster', allow_reuse=False)
run = Experiment(ws, 'reads').submit(Pipeline(ws, steps=[step]))
run.wait_for_completion(show_output=False)
print(run.find_step_run('reads.py')[0].logs(), end='')
old = Estimator('src', entry_script='reads.py', compute_target='gpu-cluster', inputs=[data])
run = Experiment(ws, 'reads').submit(old)
run.wait_for_completion()
print(run.logs(), end='')
sweep = HyperDriveConfig(run_config=ScriptRunConfig('src', command=['ls', data, '; true'],
                                                    compute_target='gpu-cluster'),
                         hyperparameter_sampling=GridParameterSampling({'n': choice(1)}),
                         primary_metric_name='x', primary_metric_goal=PrimaryMetricGoal.MINIMIZE,
                         max_total_runs=1)
print(sweep.keys()['inputs']['all']['type'], 'inputs' in sweep.keys()['trial'])
""")
        self.assertEqual(done.stdout.splitlines(), [
            "mnist ['below', 'one.csv']", "{'all': True}",
            "{'all': True}", "uri_folder False"])

    def test_a_notebook_of_two_steps_with_tables_between(self):
        os.mkdir(self.path("books"))
        self.write("books/muster.yml", TARGETS)
        done = self.notebook(
            START + "os.makedirs('code', exist_ok=True)\nos.makedirs('raw', exist_ok=True)",
            "%%writefile raw/one.csv\na,b\n1,2\n",
            "%%writefile code/prepare.py\nimport os, sys\n"
            "os.makedirs(sys.argv[2], exist_ok=True)\n"
            "for name in os.listdir(sys.argv[1]):\n"
            "    with open(os.path.join(sys.argv[1], name)) as file:\n        text = file.read()\n"
            "    with open(os.path.join(sys.argv[2], name), 'w') as file:\n"
            "        file.write(text + '3,4\\n')\n",
            "%%writefile code/train.py\nfrom azureml.core import Run\nrun = Run.get_context()\n"
            "table = run.input_datasets['prepared'].to_pandas_dataframe()\n"
            "run.log('sum', int(table['b'].sum()))\n",
            "from azureml.core.compute import AmlCompute, ComputeTarget\n"
            "found = ws.compute_targets\nname = 'gpu-cluster'\n"
            "target = found[name] if name in found and found[name].type == 'AmlCompute' else None\n"
            "print(target.name, target.provisioning_state)",
            "from azureml.data import OutputFileDatasetConfig\n"
            "from azureml.pipeline.core import Pipeline\n"
            "from azureml.pipeline.steps import PythonScriptStep\n"
            "raw = Dataset.File.upload_directory('raw', (store, 'raw'))\n"
            "prepared = OutputFileDatasetConfig(destination=(store, 'out/{run-id}'))"
            ".register_on_complete(name='prepared')\n"
            "first = PythonScriptStep(name='prepare step', script_name='prepare.py', arguments=["
            "raw.as_named_input('raw').as_mount(), prepared], source_directory='code', "
            "compute_target=target, allow_reuse=True)",
            "src = ScriptRunConfig('code', 'train.py', compute_target=target)\n"
            "table = prepared.read_delimited_files().as_input(name='prepared')\n"
            "second = PythonScriptStep(name='train step', arguments=[table], "
            "source_directory=src.source_directory, "
            "script_name=src.script, runconfig=src.run_config)",
            "run = Experiment(ws, 'two').submit(Pipeline(ws, steps=[first, second]))\n"
            "run.wait_for_completion(show_output=False);",
            "run.find_step_run('train step')[0].get_metrics()",
            "details = run.find_step_run('prepare step')[0].get_details()\n"
            "read = details['inputDatasets'][0]['dataset']\nread.to_path()",
            "read.register(ws, 'raw', description='of a test', create_new_version=True).version")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([line for line in done.stdout.splitlines() if "Writing" not in line], [
            "gpu-cluster Succeeded", "{'sum': 6}", "['/one.csv']", "1"])

    def test_a_pipeline_is_given_another_dataset(self):
        done = self.runs(START + """
from azureml.data.dataset_consumption_config import DatasetConsumptionConfig
from azureml.pipeline.core import Pipeline, PipelineParameter
from azureml.pipeline.steps import PythonScriptStep
usual = Dataset.File.from_files('data/one.csv')
files = DatasetConsumptionConfig('files', PipelineParameter('which', usual)).as_mount()
table = DatasetConsumptionConfig('table', PipelineParameter(
    'tables', Dataset.Tabular.from_delimited_files('data/one.csv')))
step = PythonScriptStep('reads.py', 'read', source_directory='src', arguments=[files, table],
                        inputs=[files, table], compute_target='gpu-cluster', allow_reuse=False)
pipeline = Pipeline(ws, steps=[step])
for values in ({}, {'which': Dataset.File.from_files('data'),
                    'tables': Dataset.Tabular.from_delimited_files('data/below/two.csv')}):
    run = Experiment(ws, 'given').submit(pipeline, pipeline_parameters=values)
    run.wait_for_completion(show_output=False)
    print(run.find_step_run('read')[0].logs(), end='')
""")
        self.assertEqual(done.stdout.splitlines(), [
            "one.csv ['a,b', '1,2']", "one.csv ['a,b', '1,2']", "{'files': True, 'table': 2}",
            "data ['below', 'one.csv']", "two.csv ['a,b', '3,4']", "{'files': True, 'table': 4}"])
        self.refused("from azureml.pipeline.core import Pipeline, PipelineParameter\n"
                     "from azureml.data.dataset_consumption_config import "
                     "DatasetConsumptionConfig as Read\n"
                     "from azureml.pipeline.steps import PythonScriptStep\n"
                     "usual = Dataset.File.from_files('data')\n"
                     "one = Read('x', PipelineParameter('which', usual))\n"
                     "step = PythonScriptStep('reads.py', source_directory='src', inputs=[one])\n"
                     "Pipeline(ws, steps=[step]).submit('x', {'which': 3})\n",
                     "the parameter 'which' is 3, which is not a dataset")

    def test_models_are_those_of_sdk_v2(self):
        self.write("src/makes.py", "import os\nos.makedirs('outputs/net')\n"
                   "open('outputs/net/weights', 'w').write('w')\n")
        done = self.runs(START + """
from azure.ai.ml import MLClient
from azureml.core.model import Model
run = Experiment(ws, 'models').submit(ScriptRunConfig('src', 'makes.py',
                                                      compute_target='gpu-cluster'))
run.wait_for_completion()
whole = run.register_model('net', model_path='outputs/net/', tags={'stage': 'dev'},
                           datasets=[('data', None)])
print(whole.id, os.listdir(whole.download('copy')), sorted(ws.models))
one = run.register_model(model_name='net', model_path='outputs/net/weights')
print(one.version, open(Model.get_model_path('net')).read(), Model(ws, 'net', version=1).tags)
mine = Model.register(workspace=ws, model_path='data/one.csv', model_name='mine',
                      tags={'area': 'x', 'n': 1}, description='of a test')
print([m.id for m in Model.list(ws, tags=['area'])], [m.id for m in Model.list(ws, latest=True)],
      [m.id for m in Model.list(workspace=ws, name='net', tags=[['stage', 'dev']])])
print(MLClient(None, 'a', 'b', 'c').models.get('net', '2').path == one.url, mine.description)
one.delete()
print(Model(ws, 'net').version)
from azureml.core import Environment
env = Environment('x')
env.spark.precache_packages = False
""")
        self.assertEqual(done.stdout.splitlines(), [
            "net:1 ['weights'] ['net']", "2 w {'stage': 'dev'}",
            "['mine:1'] ['mine:1', 'net:2'] ['net:1']", "True of a test", "1"])
        model = "from azureml.core.model import Model\n"
        self.refused(model + "Model(ws, 'nosuch')\n", "no model 'nosuch' is known here")
        self.refused(model + "Model.deploy(ws, 'x', [])\n", "Model.deploy is not supported")

    def test_a_script_is_called_with_files_in_batches(self):
        self.write("src/score.py", """
import argparse, os
def init():
    global side
    parser = argparse.ArgumentParser()
    parser.add_argument("--side")
    side = sorted(os.listdir(parser.parse_args().side))
def run(mini_batch):
    return [f"{os.path.basename(one)} {side}" for one in mini_batch]
""")
        given = """
from azureml.core import Environment
from azureml.pipeline.core import Pipeline, PipelineData
from azureml.pipeline.steps import ParallelRunConfig, ParallelRunStep, PythonScriptStep
data = Dataset.File.upload_directory('data', (store, 'mnist'))
side = Dataset.File.from_files('data/below').as_named_input('side').as_mount()
rows = PipelineData('rows', store)
config = ParallelRunConfig(source_directory='src', entry_script='score.py', mini_batch_size='1',
                           error_threshold=10, output_action='append_row', node_count=2,
                           environment=Environment('any'), compute_target='gpu-cluster',
                           process_count_per_node=1, run_invocation_timeout=30,
                           append_row_file_name='all.txt')
"""
        done = self.runs(START + given + """
step = ParallelRunStep('score', config, [data.as_named_input('files')], output=rows,
                       arguments=['--side', side], side_inputs=[side], allow_reuse=False)
run = Experiment(ws, 'batches').submit(Pipeline(ws, steps=[step]))
run.wait_for_completion(show_output=False)
run.find_step_run('score')[0].get_output_data('rows').download('here')
print(open('here/rows/all.txt').read(), end='')
""")
        rows = ["one.csv ['two.csv']", "two.csv ['two.csv']"]
        self.assertEqual(sorted(done.stdout.splitlines()), rows)
        done = self.runs(START + given + """
from azureml.pipeline.core import PipelineParameter
config.mini_batch_size = PipelineParameter('size', '1')
config.node_count = PipelineParameter('nodes', 1)
config.process_count_per_node = PipelineParameter(name='processes', default_value=2)
step = ParallelRunStep('score', config, [data], output=rows, arguments=['--side', side],
                       side_inputs=[side], allow_reuse=False)
for values in ({}, {'size': '2', 'nodes': 2}):
    run = Experiment(ws, 'batches').submit(Pipeline(ws, steps=[step]), pipeline_parameters=values)
    run.wait_for_completion(show_output=True)
    print(run.find_step_run('score')[0].details()['ranks'], 'ranks')
""")
        said = re.findall(r"\d of \d mini-batch|\d ranks", done.stdout + done.stderr)
        self.assertEqual(sorted(said), ["1 of 1 mini-batch", "2 of 2 mini-batch", "2 ranks",
                                        "4 ranks"])
        for call, told in (
                ("ParallelRunStep('score', config, [data, side])", "has 2 things"),
                ("ParallelRunStep('score', config, [Dataset.Tabular.from_delimited_files("
                 "'data/one.csv')])", "cannot cut a table into mini-batches")):
            self.refused(given + call + "\n", told)
        self.runs(START + given + """
from azureml.contrib.pipeline.steps import ParallelRunStep as Older
step = dict(name='score', parallel_run_config=config, inputs=[data], output=rows)
assert Older(**step, models=['x']).step_keys({}) == ParallelRunStep(**step).step_keys({})
""")

    def test_addresses_are_what_muster_yml_says(self):
        self.write("muster.yml", TARGETS + """
data:
  "https://there/sets/": data/
  "azureml://datastores/public/paths/": data/
""")
        done = self.runs(START + """
from azureml.core.dataset import Dataset as Same
several = Dataset.File.from_files(['https://there/sets/one.csv', 'https://there/sets/below'])
for pattern in ('*', '*.csv', '**/*.csv', 'bel*/two.csv'):
    print(Dataset.File.from_files(f'https://there/sets/{pattern}').to_path())
print(several.to_path(), Same.Tabular.from_delimited_files('https://there/sets/one.csv').files())
public = Datastore.register_azure_blob_container(
    workspace=ws, datastore_name='public', container_name='box', account_name='they',
    sas_token='x', overwrite=True)
print(public.place('below'), Dataset.File.from_files(public.path('below')).to_path())
share = Datastore.register_azure_file_share(ws, 'share', 'files', 'they', account_key='x')
share.upload('data')
share.set_as_default()
print(ws.get_default_datastore().name, Dataset.File.from_files((share, '*.csv')).to_path())
""")
        self.assertEqual(done.stdout.splitlines(), [
            "['/below/two.csv', '/one.csv']", "['/one.csv']", "['/below/two.csv', '/one.csv']",
            "['/two.csv']",
            f"['/one.csv', '/below/two.csv'] ['{self.path('data/one.csv')}']",
            f"{self.path('data/below')} ['/two.csv']", "share ['/one.csv']"])
        self.assertIn(f"the datastore share is the folder {self.path('stores/share')}; nothing "
                      "comes from Azure, but data: {", done.stderr)

    def test_a_dataset_that_is_not_known_can_be_made(self):
        self.runs(START + """
from azureml.core.model import Model
from azureml.exceptions import ModelNotFoundException, UserErrorException, WebserviceException
from azureml.core.datastore import UserErrorException as Same
try:
    Dataset.get_by_name(ws, 'lines')
except UserErrorException as error:
    assert Same is UserErrorException and 'no data' in str(error)
    Dataset.File.from_files('data').register(ws, 'lines')
Dataset.get_by_name(ws, 'lines')
for kind in ModelNotFoundException, WebserviceException:
    try:
        Model(ws, 'nosuch')
        raise SystemExit('found')
    except kind:
        pass
try:
    raise UserErrorException('mine')
except UserErrorException as error:
    assert str(error).endswith('mine')
""")

    def test_a_path_and_how_it_is_read(self):
        done = self.runs(START + """
from azureml.data.datapath import DataPathComputeBinding
from azureml.pipeline.core import Pipeline, PipelineParameter
from azureml.pipeline.core.graph import DataPath as Same
from azureml.pipeline.steps import PythonScriptStep
store.upload('data', 'mnist')
which = PipelineParameter('which', DataPath(store, 'mnist'))
pair = (which, DataPathComputeBinding(mode='mount'))
step = PythonScriptStep('reads.py', 'read', source_directory='src', arguments=[pair],
                        inputs=[pair], compute_target='gpu-cluster', allow_reuse=False)
for values in ({}, {'which': Same(store, 'mnist/one.csv')}):
    run = Experiment(ws, 'given').submit(Pipeline(ws, steps=[step]), pipeline_params=values)
    run.wait_for_completion(show_output=False)
    print(run.find_step_run('read')[0].logs().splitlines()[0])
print(DataPath(store, 'mnist').create_data_reference('one').data_reference_name, store)
""")
        self.assertEqual(done.stdout.splitlines(), [
            "mnist ['below', 'one.csv']", "one.csv ['a,b', '1,2']",
            "one Datastore(workspace=Workspace(name='muster', location='here'), "
            "name='workspaceblobstore')"])

    def test_what_is_not_here_is_told(self):
        for program, told in (
                ("Dataset.File.from_files('https://x/y.csv')", "is not a path of this machine\n"
                 "  hint: download it, then name the file, or where it lies: data: "
                 '{"https://x/": FOLDER} in muster.yml'),
                ("Dataset.File.from_files('https://x/a/*/y.csv')",
                 'or where it lies: data: {"https://x/a/": FOLDER} in muster.yml'),
                ("Dataset.File.from_files((store, 'nosuch'))",
                 f"there is no {self.path('stores/workspaceblobstore/nosuch')}"),
                ("Dataset.File.from_files('data', partition_format='{a}/{d:yyyy}/x.csv')",
                 "does not fit partition_format '{a}/{d:yyyy}/x.csv'"),
                ("Dataset.File.from_files('data', partition_format='x.csv')",
                 "partition_format 'x.csv' names no column"),
                ("Dataset.File.from_files('data', partition_format='{a}/{b}/{a}.csv')",
                 "partition_format '{a}/{b}/{a}.csv' names the column a twice"),
                ("store.upload('nosuch')", "there is no folder 'nosuch'"),
                ("store.path('../../x').whole_path()", "leads out of the datastore"),
                ("Datastore.register_azure_sql_database(ws, 'x')", "is not supported\n  hint: "
                 "a datastore is a folder of this machine"),
                ("Datastore.register_azure_blob_container(ws, 'x', 'box')", "missing a required "
                 "argument: 'account_name'"),
                ("Dataset.Tabular.from_delimited_files('data/one.csv').take(3)",
                 "TabularDataset.take is not supported\n  hint: to_pandas_dataframe()")):
            self.refused(program + "\n", told)

    def test_what_stands_beside_a_path_is_told(self):
        for path in ("'x'", "None", "3", "ws"):
            self.refused(f"""
from azureml.data.datapath import DataPathComputeBinding
from azureml.pipeline.steps import PythonScriptStep
pair = ({path}, DataPathComputeBinding())
PythonScriptStep('reads.py', source_directory='src', inputs=[pair], compute_target='gpu-cluster')
""", "beside a DataPathComputeBinding is not a path")


if __name__ == "__main__":
    run_tests()
