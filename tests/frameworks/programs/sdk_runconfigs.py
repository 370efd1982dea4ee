"""Saves run configurations with Azure ML's SDK v1, in DIR/.azureml.

    sdk_runconfigs.py DIR
"""

import os
import sys

from azureml.core import Environment, RunConfiguration, ScriptRunConfig
from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.runconfig import (MpiConfiguration, PyTorchConfiguration,
                                    TensorflowConfiguration)

FOLDER = sys.argv[1]
ARGUMENTS = ["--epochs", 3, "two words", "$RANK", "${A}!", "$5"]
DISTRIBUTIONS = {
    "single": None,
    "mpi": MpiConfiguration(process_count_per_node=2, node_count=2),
    "pytorch": PyTorchConfiguration("Nccl", 4, 2),
    "pytorch_default": PyTorchConfiguration(node_count=2),
    "tensorflow": TensorflowConfiguration(worker_count=2, parameter_server_count=1),
}


def environment():
    made = Environment("mine")
    made.docker.base_image = "registry/train:2"
    made.environment_variables = {"A": "b"}
    made.python.conda_dependencies = CondaDependencies.create(pip_packages=["six"])
    return made


def main():
    os.makedirs(os.path.join(FOLDER, ".azureml"), exist_ok=True)
    for name, spread in DISTRIBUTIONS.items():
        config = ScriptRunConfig(FOLDER, "train.py", ARGUMENTS, compute_target="gpu-cluster",
                                 environment=environment(), distributed_job_config=spread,
                                 max_run_duration_seconds=600).run_config
        config.script, config.arguments = "train.py", ARGUMENTS
        config.save(path=FOLDER, name=name)
    RunConfiguration(command="echo rank $EXAMPLE_ENV_VAR").save(path=FOLDER, name="command")


main()
