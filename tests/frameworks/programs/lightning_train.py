"""PyTorch Lightning's Trainer with DDP: --devices processes on each of --nodes nodes."""

import argparse
import datetime

import failing
import pytorch_lightning as lightning
import torch
from lightning_fabric.plugins.environments import mpi
from pytorch_lightning.strategies import DDPStrategy
from seen import CLASSES, PIXELS, fashion, tell
from torch.utils.data import DataLoader, TensorDataset


class Dense(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(PIXELS, CLASSES)
        self.losses = []

    def training_step(self, batch, _):
        failing.step()
        loss = torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])
        self.losses.append(loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.02)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--devices", type=int, required=True)
    words.add_argument("--nodes", type=int, required=True)
    words.add_argument("--without-mpi4py", action="store_true", help="as where it is not installed")
    options = words.parse_args()
    if options.without_mpi4py:
        mpi._MPI4PY_AVAILABLE = False
    failing.before_meeting()
    lightning.seed_everything(1)
    images, labels = fashion()
    data = DataLoader(TensorDataset(torch.from_numpy(images), torch.from_numpy(labels)), 32)
    trainer = lightning.Trainer(
        accelerator="cpu", devices=options.devices, num_nodes=options.nodes,
        strategy=DDPStrategy(timeout=datetime.timedelta(seconds=failing.patience)),
        max_epochs=2, logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False)
    model = Dense()
    trainer.fit(model, data)
    tell("lightning", trainer.global_rank, trainer.world_size,
         [part.detach().numpy() for part in model.parameters()], model.losses,
         local=trainer.local_rank, node=trainer.node_rank,
         environment=type(trainer.strategy.cluster_environment).__name__)


if __name__ == "__main__":
    main()
