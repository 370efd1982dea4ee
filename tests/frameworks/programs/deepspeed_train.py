"""DeepSpeed's engine on a dense layer, for processors (gloo)."""

import argparse
import datetime

import deepspeed
import failing
import torch
from seen import CLASSES, PIXELS, batches, fashion, tell


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--local_rank", type=int, default=-1)
    deepspeed.add_config_arguments(words)
    words.parse_args()
    failing.before_meeting()
    deepspeed.init_distributed("gloo", timeout=datetime.timedelta(seconds=failing.patience))
    torch.manual_seed(1)
    model = torch.nn.Linear(PIXELS, CLASSES)
    engine, *_ = deepspeed.initialize(
        model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.02),
        config={"train_micro_batch_size_per_gpu": 32})
    rank, world = deepspeed.comm.get_rank(), deepspeed.comm.get_world_size()
    images, labels = (torch.from_numpy(each)[rank::world] for each in fashion())
    losses = []
    for rows, wanted in batches(images, labels):
        failing.step()
        loss = torch.nn.functional.cross_entropy(engine(rows), wanted)
        engine.backward(loss)
        engine.step()
        losses.append(loss.item())
    tell("deepspeed", rank, world, [part.detach().numpy() for part in engine.module.parameters()],
         losses, local=deepspeed.comm.get_local_rank())
    # Else threads of gloo may outlive what they need: "terminate called", by luck.
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
