"""Data-parallel training of one dense layer (28x28 pixels to 10 classes) on Fashion-MNIST.

PyTorch DistributedDataParallel over gloo, on CPUs. Rank, world size and rendezvous address come
from the launcher's environment variables; without a launcher it trains as a single process. The
batch of one step (--batch) is shared by all ranks, so the result does not depend on their number.
"""

import argparse
import gzip
import os
import time

import numpy
import torch
import torch.distributed as dist
from torch import nn

PIXELS = 28 * 28
CLASSES = 10


class Network(nn.Module):
    """The network of MindSpore's mpirun tutorial: dense layer, weights normal(0.01), bias zero.

    The tutorial applies a ReLU to the logits. A class whose logit is negative for every image then
    gets no gradient, so unlucky initial weights lose a class: of eight seeds, two ended near 0.76,
    the others at 0.81 to 0.82. --relu gives that network. The default is the dense layer alone,
    which ends between 0.81 and 0.82 with each of these seeds.
    """

    def __init__(self, relu):
        super().__init__()
        self.dense = nn.Linear(PIXELS, CLASSES)
        self.last = nn.ReLU() if relu else nn.Identity()
        nn.init.normal_(self.dense.weight, std=0.01)
        nn.init.zeros_(self.dense.bias)

    def forward(self, images):
        return self.last(self.dense(images))


def read_idx(folder, name, header):
    """Returns the bytes of a file in MNIST's format, without its header."""
    with gzip.open(os.path.join(folder, name)) as file:
        return numpy.frombuffer(file.read(), dtype=numpy.uint8, offset=header)


def read_part(folder, part):
    """Returns images as rows of floats, normalised as usual for MNIST, and labels."""
    pixels = read_idx(folder, f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, PIXELS)
    labels = read_idx(folder, f"{part}-labels-idx1-ubyte.gz", 8)
    images = torch.from_numpy(pixels.astype(numpy.float32))
    images.div_(255.0).sub_(0.1307).div_(0.3081)
    return images, torch.from_numpy(labels.astype(numpy.int64))


def read_words():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=256, help="images per step, on all ranks")
    parser.add_argument("--rate", type=float, default=0.015, help="learning rate")
    parser.add_argument("--relu", action="store_true", help="ReLU on the logits, as in the tutorial")
    return parser.parse_args()


def train_epoch(model, optimizer, images, labels, order, batch, rank, size):
    """Trains one epoch, each rank on its share of each batch; returns the mean loss."""
    loss_of = nn.CrossEntropyLoss()
    total = torch.zeros(())
    steps = len(order) // batch
    for step in range(steps):
        mine = order[step * batch:(step + 1) * batch][rank::size]
        loss = loss_of(model(images[mine]), labels[mine])
        optimizer.zero_grad()
        loss.backward()  # DistributedDataParallel averages the gradients of all ranks here
        optimizer.step()
        total += loss.detach()
    dist.all_reduce(total)
    return total.item() / (steps * size)


def accuracy(model, images, labels, rank, size):
    """Returns the fraction of images classified correctly; each rank tests its share."""
    with torch.no_grad():
        hits = (model(images[rank::size]).argmax(dim=1) == labels[rank::size]).sum()
    dist.all_reduce(hits)
    return hits.item() / len(labels)


def train(words, rank, size):
    torch.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Network(words.relu))
    optimizer = torch.optim.SGD(model.parameters(), lr=words.rate)
    images, labels = read_part(words.data, "train")
    for epoch in range(words.epochs):
        began = time.monotonic()
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(epoch))
        loss = train_epoch(model, optimizer, images, labels, order, words.batch, rank, size)
        if rank == 0:
            print(f"epoch {epoch + 1}: loss {loss:.4f}, {time.monotonic() - began:.1f} s")
    result = accuracy(model, *read_part(words.data, "t10k"), rank, size)
    if rank == 0:
        print(f"accuracy {result:.4f} on {size} rank{'s' if size > 1 else ''}")


def as_rank(work, words):
    """Joins the process group of this job and calls work(words, rank, size)."""
    rank, size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if words.batch % size != 0:
        raise SystemExit(f"--batch {words.batch} cannot be shared evenly by {size} ranks")
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "0")  # without a launcher: any port
    dist.init_process_group("gloo", rank=rank, world_size=size)
    work(words, rank, size)
    dist.destroy_process_group()


if __name__ == "__main__":
    as_rank(train, read_words())
