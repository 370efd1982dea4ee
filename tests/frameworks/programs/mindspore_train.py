"""MindSpore's data parallel training on processors, with a scheduler beside the workers."""

import os

import mindspore as ms
import numpy
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init
from seen import CLASSES, PIXELS, batches, fashion, tell


def main():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_device("CPU")
    init()
    if os.environ.get("MS_ROLE") == "MS_SCHED":
        return
    rank, world = get_rank(), get_group_size()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True,
                                 device_num=world)
    images, labels = (each[rank::world] for each in fashion())
    layer = nn.Dense(PIXELS, CLASSES, weight_init="zeros", bias_init="zeros")
    loss_of = nn.CrossEntropyLoss()
    optimizer = nn.SGD(layer.trainable_params(), learning_rate=0.02)
    reduce = nn.DistributedGradReducer(optimizer.parameters, mean=True, degree=world)
    gradient_of = ms.value_and_grad(lambda rows, wanted: loss_of(layer(rows), wanted), None,
                                    optimizer.parameters)
    losses = []
    for rows, wanted in batches(images, labels.astype(numpy.int32)):
        loss, gradients = gradient_of(ms.Tensor(rows), ms.Tensor(wanted))
        optimizer(reduce(gradients))
        losses.append(float(loss.asnumpy()))
    tell("mindspore", rank, world, [each.asnumpy() for each in layer.trainable_params()], losses,
         numbers={name: os.environ.get(name) for name in ("RANK_ID", "RANK_SIZE", "DEVICE_ID")})


if __name__ == "__main__":
    main()
