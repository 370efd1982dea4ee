"""Fits a line with DistributedDataParallel over gloo: each rank has its share of the points."""

import argparse
import os

import torch
import torch.distributed as dist

words = argparse.ArgumentParser(description=__doc__)
words.add_argument("--data", required=True)
words.add_argument("--model", required=True, help="the folder to write to")
words.add_argument("--epochs", type=int, default=60)
told = words.parse_args()

torch.set_num_threads(1)
torch.manual_seed(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
with open(os.path.join(told.data, "train.csv"), encoding="utf-8") as file:
    points = torch.tensor([[float(word) for word in line.split(",")] for line in file])
mine = points[: len(points) // size * size][rank::size]

model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
for epoch in range(told.epochs):
    loss = torch.nn.functional.mse_loss(model(mine[:, :1]), mine[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0 and epoch % 20 == 0:
        print(f"epoch {epoch}: loss {loss.item():.4f}", flush=True)
if rank == 0:
    torch.save(model.module.state_dict(), os.path.join(told.model, "line.pt"))
dist.destroy_process_group()
