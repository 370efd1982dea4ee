"""Writes files of jobs that Azure ML's SDK v2, or muster in its place, describes.

    sdk_jobs.py DIR
"""

import os
import sys

from azure.ai.ml import (Input, MpiDistribution, Output, PyTorchDistribution,
                         TensorFlowDistribution, command, dsl, load_component)
from azure.ai.ml.entities import BuildContext, CommandComponent, Environment
from azure.ai.ml.parallel import RunFunction, parallel_run_function
from azure.ai.ml.sweep import (BanditPolicy, Choice, LogUniform, MedianStoppingPolicy,
                               RandomSamplingAlgorithm, TruncationSelectionPolicy, Uniform)

FOLDER = os.path.abspath(sys.argv[1])
SOURCE = os.path.join(FOLDER, "src")
SPEC = """
type: command
name: train
version: 1
inputs:
  n: {type: integer}
  data: {type: uri_folder, optional: true}
outputs: {model: {type: uri_folder}}
command: echo ${{inputs.n}} $[[${{inputs.data}}]] > ${{outputs.model}}/n
environment: {image: "registry/train:2"}
distribution: {type: pytorch, process_count_per_instance: 2}
resources: {instance_count: 2}
"""
DISTRIBUTIONS = {
    "single": (None, 1),
    "mpi": (MpiDistribution(process_count_per_instance=2), 2),
    "mpi_default": (MpiDistribution(), 2),
    "pytorch": (PyTorchDistribution(process_count_per_instance=2), 2),
    "tensorflow": (TensorFlowDistribution(worker_count=2, parameter_server_count=1), 3),
}
ENVIRONMENTS = {
    "image": Environment(name="e", image="registry/train:2"),
    "conda": Environment(name="e", image="registry/train:2",
                         conda_file={"name": "e", "dependencies": ["python=3.11"]}),
    "built": Environment(name="e", build=BuildContext(path=SOURCE)),
    "named": "AzureML-pytorch@latest",
}


def write(name, job):
    job.dump(os.path.join(FOLDER, f"{name}.yml"))


def commands():
    for name, (spread, nodes) in DISTRIBUTIONS.items():
        write(name, command(
            command="echo ${{inputs.epochs}} ${{inputs.lr}} ${{inputs.word}} ${{inputs.data}} "
                    "${{outputs.model}} $RANK",
            inputs={"epochs": 10, "lr": 0.5, "word": "two words",
                    "data": Input(type="uri_folder", path=SOURCE)},
            outputs={"model": Output(type="uri_folder")},
            environment=ENVIRONMENTS["named"], environment_variables={"A": "b", "N": "3"},
            code=SOURCE, instance_count=nodes, distribution=spread, timeout=3600,
            compute="gpu-cluster", description="of a test"))
    for name, environment in ENVIRONMENTS.items():
        write(f"environment_{name}", command(command="true", code=SOURCE,
                                             environment=environment, compute="gpu-cluster"))


def sweeps():
    policies = [BanditPolicy(slack_factor=0.5, evaluation_interval=2),
                BanditPolicy(slack_amount=1), MedianStoppingPolicy(delay_evaluation=3),
                TruncationSelectionPolicy(truncation_percentage=20)]
    for number, policy in enumerate(policies):
        job = command(command="echo ${{inputs.x}} ${{inputs.rate}} ${{inputs.kept}}",
                      inputs={"x": 1, "rate": 0.5, "step": 1.0, "kept": "as it is"},
                      environment=ENVIRONMENTS["named"], code=SOURCE, compute="gpu-cluster")
        varied = job(x=Choice([1, 2, 3]), rate=Uniform(min_value=0, max_value=1),
                     step=LogUniform(min_value=-3, max_value=0))
        sweep = varied.sweep(primary_metric="loss", goal="minimize", compute="gpu-cluster",
                             sampling_algorithm=RandomSamplingAlgorithm(seed=3, rule="sobol"),
                             early_termination_policy=policy)
        sweep.set_limits(max_total_trials=4, max_concurrent_trials=2, timeout=600,
                         trial_timeout=100)
        write(f"sweep_{number}", sweep)


def pipeline():
    path = os.path.join(FOLDER, "train.component.yml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SPEC)
    train = load_component(path)
    look = command(name="look", command="ls ${{inputs.model}}",
                   inputs={"model": Input(type="uri_folder")},
                   environment=ENVIRONMENTS["named"], compute="gpu-cluster")

    @dsl.pipeline(compute="gpu-cluster", description="of a test")
    def whole():
        first = train(n=3)
        first.environment_variables = {"A": "b"}
        last = look(model=first.outputs.model)
        last.set_limits(timeout=60)
        return {"model": first.outputs.model}
    write("pipeline", whole())


def dictionaries():
    job = command(command="true", code=SOURCE, environment=ENVIRONMENTS["named"],
                  compute="gpu-cluster",
                  distribution={"type": "PyTorch", "process_count_per_instance": 1})
    job.resources = {"instance_count": 2}
    job.distribution.process_count_per_instance = 2
    write("dictionaries", job)


def nested():
    made = CommandComponent(
        name="made", command="echo ${{inputs.n}} ${{inputs.fast}} > ${{outputs.kept}}/n",
        environment=ENVIRONMENTS["named"],
        inputs={"n": Input(type="integer"), "fast": Input(type="boolean", default=True),
                "data": Input(type="uri_folder", optional=True)},
        outputs={"kept": Output(type="uri_folder")})
    score = parallel_run_function(
        name="with_score", inputs={"data": Input(type="uri_folder")},
        outputs={"rows": Output(type="uri_file")}, input_data="${{inputs.data}}",
        mini_batch_size="2", max_concurrency_per_instance=2, instance_count=2,
        retry_settings={"max_retries": 2, "timeout": 60}, mini_batch_error_threshold=1,
        task=RunFunction(code=SOURCE, entry_script="score.py",
                         program_arguments="--word seen", environment=ENVIRONMENTS["named"],
                         append_row_to="${{outputs.rows}}"))

    @dsl.pipeline()
    def part(data: Input(type="uri_folder"), n: int = 3):
        first = made(n=n, data=data)
        second = made(n=4)
        return {"kept": first.outputs.kept, "other": second.outputs.kept}

    @dsl.pipeline(compute="gpu-cluster")
    def whole(data):
        one = part(data=data)
        two = part(data=one.outputs.kept, n=5)
        rows = score(data=two.outputs.kept)
        rows.inputs.data.mode = "ro_mount"
        return {"rows": rows.outputs.rows, "other": one.outputs.other}
    job = whole(data=Input(type="uri_folder", path=SOURCE))
    job.outputs.rows.type = "uri_file"
    write("nested", job)


def without_annotations():
    step = command(
        name="step", command="echo ${{inputs.n}} ${{inputs.flag}} ${{inputs.word}} "
        "$[[${{inputs.rate}}]] $[[${{inputs.data}}]] > ${{outputs.kept}}/said; "
        "cat ${{outputs.kept}}/said",
        inputs={"n": Input(type="integer", default=3), "flag": Input(type="boolean", default=True),
                "word": Input(type="string", default="a b"),
                "rate": Input(type="number", optional=True),
                "data": Input(type="uri_folder", optional=True)},
        outputs={"kept": Output(type="uri_folder")}, environment=ENVIRONMENTS["named"],
        compute="gpu-cluster")

    @dsl.pipeline()
    def inmost(flag, word, rate, data):
        inner = step(flag=flag, word=word, rate=rate, data=data)
        return {"kept": inner.outputs.kept}

    @dsl.pipeline()
    def part(flag, word, rate, data=None, n=5):
        first = inmost(flag, word, rate, data)
        second = step(flag=flag, rate=0, n=n)
        second.outputs.kept.mode = "upload"
        return {"kept": first.outputs.kept}

    # In the order of their names, in which the SDK writes them.
    @dsl.pipeline(compute="gpu-cluster")
    def whole(flag, data, nothing=None, word="x: y", zero="0", also=True):
        one = part(flag, word, 0.5, data)
        two = part(also, zero, 2)
        use = step(n=0, flag=True, word="1", rate=1.5, data=one.outputs.kept)
        wait = step(n=1, flag=False, word="true", data=two.outputs.kept, rate=nothing)
        wait.set_limits(timeout=60)
        return {"kept": use.outputs.kept}
    write("without_annotations", whole(False, data=Input(type="uri_folder", path=SOURCE)))


os.makedirs(SOURCE, exist_ok=True)
with open(os.path.join(SOURCE, "Dockerfile"), "w", encoding="utf-8") as dockerfile:
    dockerfile.write("FROM scratch\n")
with open(os.path.join(SOURCE, "score.py"), "w", encoding="utf-8") as script:
    script.write("def run(batch): return batch\n")
commands()
sweeps()
pipeline()
dictionaries()
nested()
without_annotations()
