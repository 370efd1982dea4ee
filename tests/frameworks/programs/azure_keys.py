"""Files of jobs, components and what they name, with each key of azure-ai-ml's own schemas.

One document for each key, each form of its value and each word that it may be, with nothing else
but what has to be there. They are printed as JSON: [{kind, key, document, taken}], with a `key`
such as resources.instance_count, inputs.*.mode=download (a word of several) or partition_keys[].
`taken` says whether azure-ai-ml itself loads the document from a file of this folder; steps of
pipelines, which take long to load, have null there.
"""

import json
import pathlib

from azure_loads import loaded  # first: it silences what follows
from azure.ai.ml import (load_component, load_compute, load_data, load_environment, load_job,
                         load_model)
from azure.ai.ml._schema._sweep import SweepJobSchema
from azure.ai.ml._schema.assets.data import DataSchema
from azure.ai.ml._schema.assets.environment import EnvironmentSchema
from azure.ai.ml._schema.assets.model import ModelSchema
from azure.ai.ml._schema.component import (CommandComponentSchema, ParallelComponentSchema,
                                           SparkComponentSchema)
from azure.ai.ml._schema.compute.aml_compute import AmlComputeSchema
from azure.ai.ml._schema.compute.compute_instance import ComputeInstanceSchema
from azure.ai.ml._schema.compute.kubernetes_compute import KubernetesComputeSchema
from azure.ai.ml._schema.compute.synapsespark_compute import SynapseSparkComputeSchema
from azure.ai.ml._schema.compute.virtual_machine_compute import VirtualMachineComputeSchema
from azure.ai.ml._schema.core import fields as own
from azure.ai.ml._schema.job import CommandJobSchema, ParallelJobSchema, SparkJobSchema
from azure.ai.ml._schema.pipeline import PipelineJobSchema
from azure.ai.ml._schema.pipeline.pipeline_component import PipelineComponentSchema
from azure.ai.ml.constants._common import BASE_PATH_CONTEXT_KEY
from marshmallow import fields

STEP = {"type": "command", "command": "true", "environment": "azureml:thing:1"}
TASK = {"type": "run_function", "code": ".", "entry_script": "batch.py",
        "environment": "azureml:thing:1"}
BATCHES = {"type": "parallel", "task": TASK, "input_data": "${{inputs.one}}",
           "mini_batch_size": "1", "inputs": {"one": {"type": "uri_folder"}}}
SWEEP = {"sampling_algorithm": "random", "objective": {"goal": "minimize",
                                                       "primary_metric": "loss"},
         "limits": {"max_total_trials": 2}}
# What the service asks for beside what the schemas require.
BESIDE = {
    "command job": STEP, "command component": STEP,
    "pipeline job": {"jobs": {"one": STEP}}, "pipeline component": {"jobs": {"one": STEP}},
    "parallel job": BATCHES, "parallel component": BATCHES,
    "sweep job": {"trial": {"command": "true ${{search_space.one}}",
                            "environment": "azureml:thing:1"}, **SWEEP,
                  "search_space": {"one": {"type": "choice", "values": [1, 2]}}},
    "environment": {"image": "debian"}, "data": {"type": "uri_folder"},
    "model": {"type": "custom_model", "path": "."},
}
# A component whose input and output a step may give, or not.
PORTS = {"inputs": {"one": {"type": "string", "optional": True}},
         "outputs": {"one": {"type": "uri_folder"}}}
GIVEN = {"inputs": {"one": "1"}}
# The same, of what steps consist of, by the class of its schema.
BESIDE_STEP = {
    "CommandSchema": {"component": {**STEP, **PORTS}, **GIVEN},
    "ParallelSchema": {"component": BATCHES, **GIVEN},
    "PipelineSchema": {"component": {"type": "pipeline", "jobs": {"one": STEP}, **PORTS}},
    "AnonymousCommandComponentSchema": PORTS, "AnonymousParallelComponentSchema": BATCHES,
    "PipelineParallelJobSchema": {**BATCHES, **GIVEN},
    "ComponentParallelTaskSchema": TASK,
    "SweepSchema": {"trial": {**STEP, **PORTS, "command": "true $[[${{inputs.one}}]]"}, **SWEEP,
                    "search_space": {"one": {"type": "choice", "values": [1, 2]}}},
}
KINDS = {
    "command job": CommandJobSchema, "sweep job": SweepJobSchema,
    "pipeline job": PipelineJobSchema, "parallel job": ParallelJobSchema,
    "spark job": SparkJobSchema, "command component": CommandComponentSchema,
    "parallel component": ParallelComponentSchema, "spark component": SparkComponentSchema,
    "pipeline component": PipelineComponentSchema, "environment": EnvironmentSchema,
    "data": DataSchema, "model": ModelSchema, "aml compute": AmlComputeSchema,
    "instance compute": ComputeInstanceSchema, "kubernetes compute": KubernetesComputeSchema,
    "spark compute": SynapseSparkComputeSchema, "machine compute": VirtualMachineComputeSchema,
}
LOADERS = {"job": load_job, "component": load_component, "environment": load_environment,
           "data": load_data, "model": load_model, "compute": load_compute}
# What the laws of a search space need.
LAW = {"min_value": 1, "max_value": 2, "mu": 1, "sigma": 1, "q": 1, "upper": 2}
BESIDE_ALL = {"type", "values", "slack_factor", *LAW}
# Steps that muster refuses by their type, whatever else they say.
ONLY_AZURE = {"automl", "spark", "import", "data_transfer"}
# Texts and numbers that the schemas leave to the service.
TEXTS = {"conda_file": "conda.yml", "nodes": "all", "shm_size": "2g", "timeout": 60,
         "mini_batch_size": "1", "docker_args": "--rm",
         "max_retries": 2, "logbase": "e", "slack_factor": 0.1,
         "min": 0, "max": 9, **LAW}
PLAIN = [(own.VersionField, "3"), (fields.Boolean, True), (fields.Integer, 2),
         (fields.Float, 0.5), (own.LocalPathField, "."), (own.ArmStr, "azureml:thing:1"),
         (own.RegistryStr, "azureml://registries/azureml/environments/thing/versions/1"),
         (fields.Url, "https://example.org/thing"),
         (own.GitStr, "git+https://example.org/thing"), (fields.Field, "text")]


def samples(field, key):
    """(Words about it, value) of a field that has no keys of its own."""
    if isinstance(field, own.StringTransformedEnum) and len(field.allowed_values) > 1:
        return [(f"={word}", word) for word in field.allowed_values]
    if isinstance(field, own.StringTransformedEnum):
        return [("", field.allowed_values[0])]
    if key in TEXTS:
        return [("", TEXTS[key])]
    return [("", next(value for kind, value in PLAIN if isinstance(field, kind)))]


def values(field, key, owners=()):
    """(Path below the field, value of the field) for everything that the field may be."""
    if isinstance(field, own.ExperimentalField):
        field = field.experimental_field
    if isinstance(field, own.UnionField):
        for one in field._union_fields:  # pylint: disable=protected-access
            yield from values(one, key, owners)
    elif isinstance(field, fields.Nested):
        if type(field.schema) not in owners:
            yield from entries(field.schema, (*owners, type(field.schema)))
    elif isinstance(field, fields.Dict):
        for path, value in values(field.value_field or fields.String(), key, owners):
            name = "two" if "ChoiceSchema" in [one.__name__ for one in owners] else "one"
            yield f".*{path}", {name: value}
    elif isinstance(field, fields.List):
        for path, value in values(field.inner, key, owners):
            yield f"[]{path}", [value]
    else:
        yield from samples(field, key)


def keys_of(schema):
    return {field.data_key or name: field for name, field in schema.fields.items()
            if not field.dump_only}


def entries(schema, owners):
    """(Path, map) for each key of a schema, beside those that it requires."""
    needed = required(schema, owners)
    if not keys_of(schema):
        yield "", {}
    for key, field in keys_of(schema).items():
        for path, value in values(field, key, owners):
            yield f".{key}{path}", {**needed, key: value}


def required(schema, owners):
    beside = BESIDE_STEP.get(type(schema).__name__, {})
    needed = {key: next(values(field, key, owners))[1] for key, field in keys_of(schema).items()
              if (field.required or key in BESIDE_ALL) and key not in beside}
    return {**beside, **needed}


def step_of(document):
    """The type of the step that the document is about, or nothing."""
    step = document.get("jobs", {}).get("one", STEP)
    return None if step is STEP else step.get("type", "command")


def is_new(kind, node, key):
    """Whether no other document says it: a step says the same in each kind of pipeline."""
    return not node or kind == "pipeline job" and (node not in ONLY_AZURE or key == "type")


def is_taken(kind, document):
    file = pathlib.Path("document.yml")
    file.write_text(json.dumps(document), encoding="ascii")
    return loaded(LOADERS[kind.split()[-1]], file) is not None


def documents(kind):
    schema = KINDS[kind](context={BASE_PATH_CONTEXT_KEY: pathlib.Path(".")})
    beside = BESIDE.get(kind, {})
    for path, said in entries(schema, (type(schema),)):
        first = path[1:].partition(".")[0].partition("=")[0].partition("[")[0]
        whole = {**said, **{name: value for name, value in beside.items() if name != first}}
        node = step_of(whole)
        key = path[1:].removeprefix("jobs.*.") if node else path[1:]
        if is_new(kind, node, key):
            yield {"kind": f"{node} step" if node else kind, "key": key, "document": whole,
                   "taken": None if node else is_taken(kind, whole)}


if __name__ == "__main__":
    print(json.dumps([one for kind in KINDS for one in documents(kind)]))
