"""accelerate's own smallest loop; the world is what its PartialState finds."""

import datetime

import failing
import torch
from accelerate import Accelerator
from accelerate.utils import InitProcessGroupKwargs, set_seed
from seen import CLASSES, PIXELS, fashion, tell
from torch.utils.data import DataLoader, TensorDataset


def main():
    failing.before_meeting()
    patience = InitProcessGroupKwargs(timeout=datetime.timedelta(seconds=failing.patience))
    accelerator = Accelerator(cpu=True, kwargs_handlers=[patience])
    set_seed(1)
    images, labels = fashion()
    data = DataLoader(TensorDataset(torch.from_numpy(images), torch.from_numpy(labels)), 32)
    model = torch.nn.Linear(PIXELS, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    model, optimizer, data = accelerator.prepare(model, optimizer, data)
    losses = []
    for _ in range(2):
        for rows, wanted in data:
            failing.step()
            loss = torch.nn.functional.cross_entropy(model(rows), wanted)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            losses.append(loss.item())
    plain = accelerator.unwrap_model(model)
    tell("accelerate", accelerator.process_index, accelerator.num_processes,
         [part.detach().numpy() for part in plain.parameters()], losses,
         local=accelerator.local_process_index, kind=accelerator.distributed_type.value)
    # Else threads of gloo may outlive what they need: "terminate called", by luck.
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
