"""Horovod's optimizer on a dense layer of torch; its ranks meet through MPI or through gloo."""

import horovod.torch as hvd
import torch
from seen import CLASSES, PIXELS, batches, fashion, tell


def main():
    hvd.init()
    rank, world = hvd.rank(), hvd.size()
    torch.manual_seed(rank)  # all begin differently, until the first has told what it has
    model = torch.nn.Linear(PIXELS, CLASSES)
    optimizer = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.02),
                                         named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    images, labels = (torch.from_numpy(each)[rank::world] for each in fashion())
    losses = []
    for rows, wanted in batches(images, labels):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(rows), wanted)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    tell("horovod", rank, world, [part.detach().numpy() for part in model.parameters()], losses,
         local=hvd.local_rank(), local_size=hvd.local_size(), cross=hvd.cross_rank(),
         cross_size=hvd.cross_size(), mpi=hvd.mpi_enabled(), gloo=hvd.gloo_enabled())


if __name__ == "__main__":
    main()
