"""PyTorch's own DistributedDataParallel on processors (gloo)."""

import datetime

import failing
import torch
from seen import CLASSES, PIXELS, batches, fashion, tell


def main(hear=lambda rank, step, loss: None):
    """`hear` is told each loss."""
    failing.before_meeting()
    torch.distributed.init_process_group(
        "gloo", timeout=datetime.timedelta(seconds=failing.patience))
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    torch.manual_seed(1)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(PIXELS, CLASSES))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    images, labels = (torch.from_numpy(each)[rank::world] for each in fashion())
    losses = []
    for step, (rows, wanted) in enumerate(batches(images, labels)):
        failing.step()
        loss = torch.nn.functional.cross_entropy(model(rows), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        hear(rank, step, losses[-1])
    tell("ddp", rank, world, [part.detach().numpy() for part in model.parameters()], losses)
    # Else threads of gloo may outlive what they need: "terminate called", by luck.
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
