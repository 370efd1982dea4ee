"""Training that survives a failure: all ranks are restarted and continue from a checkpoint.

The network and images of train.py, in steps instead of epochs. Rank 0 writes a checkpoint every few
steps. In the first round the last rank raises an exception in step --fail-at; with `muster run
--max-restarts 1` a second round follows and continues from the last checkpoint. Batches are drawn
from the step's number, so the result is the same as without a failure.
"""

import argparse
import os

import torch
from torch import nn

from train import Network, accuracy, as_rank, read_part


def read_words():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--batch", type=int, default=256, help="images per step, on all ranks")
    parser.add_argument("--rate", type=float, default=0.05, help="learning rate")
    parser.add_argument("--checkpoint", default="checkpoint.pt", help="file, shared by all ranks")
    parser.add_argument("--every", type=int, default=10, help="steps between two checkpoints")
    parser.add_argument("--fail-at", type=int, default=40, help="step; 0: no failure")
    return parser.parse_args()


def load(path, model, optimizer):
    """Returns the number of steps done."""
    if not os.path.exists(path):
        return 0
    saved = torch.load(path)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    return saved["steps"]


def save(path, model, optimizer, steps):
    """Writes atomically: the file gets its name when it is complete."""
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "steps": steps}
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def train(words, rank, size):
    restarts = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
    torch.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Network(False))
    optimizer = torch.optim.SGD(model.parameters(), lr=words.rate, momentum=0.5)
    loss_of = nn.CrossEntropyLoss()
    images, labels = read_part(words.data, "train")
    done = load(words.checkpoint, model, optimizer)
    if rank == 0:
        print(f"round {restarts + 1} begins after step {done}", flush=True)
    for step in range(done + 1, words.steps + 1):
        if step == words.fail_at and restarts == 0 and rank == size - 1:
            raise RuntimeError(f"a fault in step {step}")
        drawn = torch.randint(len(labels), (words.batch,),
                              generator=torch.Generator().manual_seed(step))
        mine = drawn[rank::size]
        optimizer.zero_grad()
        loss_of(model(images[mine]), labels[mine]).backward()
        optimizer.step()
        if rank == 0 and step % words.every == 0:
            save(words.checkpoint, model, optimizer, step)
    result = accuracy(model, *read_part(words.data, "t10k"), rank, size)
    if rank == 0:
        print(f"accuracy {result:.4f} on {size} rank{'s' if size > 1 else ''}")


if __name__ == "__main__":
    as_rank(train, read_words())
