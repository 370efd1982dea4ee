"""Rank 0 sends a tensor to every other rank: the message-passing example of Lambda's tutorial.

The tutorial has two versions, one for torch.distributed.launch and one for mpirun, which differ
in the environment variables that they read. muster sets both; --names chooses.
"""

import argparse
import os

import torch
import torch.distributed as dist

NAMES = {
    "torch": ("LOCAL_RANK", "WORLD_SIZE", "RANK"),
    "openmpi": ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
}


def run(backend, local_rank, world_size, world_rank):
    tensor = torch.zeros(1)
    if backend == "nccl":  # needs its tensors on a GPU
        tensor = tensor.to(torch.device(f"cuda:{local_rank}"))
    if world_rank == 0:
        for receiver in range(1, world_size):
            dist.send(tensor=tensor, dst=receiver)
            print(f"Rank 0 sent data to Rank {receiver}")
    else:
        dist.recv(tensor=tensor, src=0)
        print(f"Rank {world_rank} has received data from rank 0")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--local_rank", type=int, help="passed by torch.distributed.launch; unused")
    parser.add_argument("--backend", default="gloo", choices=["nccl", "gloo"])
    parser.add_argument("--names", default="torch", choices=sorted(NAMES))
    words = parser.parse_args()
    local_rank, world_size, world_rank = (int(os.environ[name]) for name in NAMES[words.names])
    dist.init_process_group(words.backend, rank=world_rank, world_size=world_size)
    run(words.backend, local_rank, world_size, world_rank)
    dist.barrier()  # no rank exits while another still communicates with it
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
