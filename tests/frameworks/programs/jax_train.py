"""JAX with one process a rank, which finds where to meet by itself."""

import os

import failing
import jax
import jax.numpy as jnp
from jax.experimental import multihost_utils
from seen import CLASSES, PIXELS, batches, fashion, tell


def loss_of(parameters, rows, labels):
    scores = jax.nn.log_softmax(rows @ parameters[0] + parameters[1])
    return -scores[jnp.arange(labels.shape[0]), labels].mean()


def main():
    failing.before_meeting()
    patience = {"initialization_timeout": failing.patience}
    if "OMPI_MCA_orte_hnp_uri" in os.environ:
        jax.distributed.initialize(**patience)
    else:  # ranks without MPI
        jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]),
                                   process_id=int(os.environ["JAX_PROCESS_ID"]), **patience)
    rank, world = jax.process_index(), jax.process_count()
    images, labels = (each[rank::world] for each in fashion())
    parameters = [jnp.zeros((PIXELS, CLASSES)), jnp.zeros(CLASSES)]
    step = jax.jit(jax.value_and_grad(loss_of))
    losses = []
    for batch in batches(images, labels):
        failing.step()
        loss, gradients = step(parameters, *batch)
        gradients = multihost_utils.process_allgather(gradients)
        parameters = [old - 0.02 * new.mean(axis=0) for old, new in zip(parameters, gradients)]
        losses.append(loss.item())
    tell("jax", rank, world, parameters, losses, devices=jax.device_count())


if __name__ == "__main__":
    main()
