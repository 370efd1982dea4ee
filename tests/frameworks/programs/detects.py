"""What frameworks take their world for, by their own rules, in the rank that this is.

    detects.py NAME...       of torch, lightning, transformers, accelerate, deepspeed, jax,
                             tensorflow, mpi4py

Prints one line of JSON: {rule: answer}; an answer is a word, or numbers by name. A rule that fails
answers with its exception.
"""

import importlib
import json
import os
import re
import sys
import warnings

warnings.filterwarnings("ignore")


def torch():
    import torch.distributed as dist
    return {"torch: is_torchelastic_launched": dist.is_torchelastic_launched()}


def lightning():
    from lightning_fabric.plugins import environments
    from pytorch_lightning import Trainer
    classes = (environments.TorchElasticEnvironment, environments.SLURMEnvironment,
               environments.LSFEnvironment, environments.MPIEnvironment)
    found = [one.__name__ for one in classes if one.detect()]
    chosen = Trainer(accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
                     enable_progress_bar=False, enable_model_summary=False)
    chosen = chosen._accelerator_connector.cluster_environment
    numbers = {"rank": chosen.global_rank(), "world": chosen.world_size(),
               "local": chosen.local_rank(), "node": chosen.node_rank()}
    starts = not chosen.creates_processes_externally
    return {"lightning: detect": " ".join(found) or "none",
            "lightning: environment": type(chosen).__name__,
            "lightning: starts processes": starts,
            **({} if starts else {"lightning: place": numbers})}


def transformers():
    from transformers import TrainingArguments
    read = TrainingArguments(output_dir=".", use_cpu=True, report_to=[])
    return {"transformers: parallel mode": read.parallel_mode.name,
            "transformers: place": {"rank": read.process_index, "world": read.world_size,
                                    "local": read.local_process_index}}


def accelerate():
    from accelerate import PartialState
    state = PartialState(cpu=True)
    return {"accelerate: type": state.distributed_type.name,
            "accelerate: place": {"rank": state.process_index, "world": state.num_processes,
                                  "local": state.local_process_index}}


def deepspeed():
    """The rule of comm.init_distributed(), which itself would compile for minutes."""
    from deepspeed.comm.comm import in_aml, in_aws_sm, mpi_discovery
    needed = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_RANK"}
    if needed <= set(os.environ):
        asked = "nobody"
    else:
        asked = "Azure ML" if in_aml() else "SageMaker" if in_aws_sm() else "MPI"
    if asked == "MPI":
        mpi_discovery(verbose=False)
    numbers = {"rank": int(os.environ["RANK"]), "world": int(os.environ["WORLD_SIZE"]),
               "local": int(os.environ["LOCAL_RANK"])}
    return {"deepspeed: asks": asked, "deepspeed: place": numbers}


def jax():
    from jax._src.clusters import cluster
    import jax as whole  # pylint: disable=unused-import
    found = [one for one in cluster.ClusterEnv._cluster_types
             if not one.opt_in_only_method and one.is_env_present()]
    answers = {"jax: clusters": " ".join(one.__name__ for one in found) or "none"}
    if found:
        answers["jax: place"] = {"rank": found[0].get_process_id(),
                                 "world": found[0].get_process_count(),
                                 "local": found[0].get_local_process_id()}
    return answers


def tensorflow():
    from tensorflow import distribute
    read = distribute.cluster_resolver.TFConfigClusterResolver()
    spec = {kind: len(hosts) for kind, hosts in read.cluster_spec().as_dict().items()}
    numbers = {**spec, "index": read.task_id} if spec else {}
    return {"tensorflow: TF_CONFIG": f"{read.task_type} of {numbers}" if spec else "none"}


def mpi4py():
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    return {"mpi4py: place": {"rank": world.Get_rank(), "world": world.Get_size()}}


def answers_of(name):
    try:
        return globals()[name]()
    except Exception as error:  # pylint: disable=broad-exception-caught
        first = re.sub(r"\d{2,}", "N", str(error).partition("\n")[0])
        return {name: f"{type(error).__name__}: {first}"}


def main(names):
    told = {}
    for name in names:
        told.update(answers_of(name))
    os.write(1, f"DETECTS {json.dumps(told)}\n".encode())


main(sys.argv[1:])
