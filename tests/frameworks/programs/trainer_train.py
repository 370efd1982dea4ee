"""Hugging Face's Trainer on a dense layer; the world is what its TrainingArguments find."""

import tempfile

import failing
import torch
from seen import CLASSES, PIXELS, fashion, tell
from transformers import Trainer, TrainerCallback, TrainingArguments


class Dense(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.layer = torch.nn.Linear(PIXELS, CLASSES)

    def forward(self, images, labels):
        failing.step()
        scores = self.layer(images)
        return {"loss": torch.nn.functional.cross_entropy(scores, labels), "logits": scores}


class Losses(TrainerCallback):
    def __init__(self):
        self.values = []

    def on_log(self, args, state, control, logs=None, **_):
        if logs and "loss" in logs:
            self.values.append(logs["loss"])


def main():
    failing.before_meeting()
    images, labels = fashion()
    rows = [{"images": torch.from_numpy(image), "labels": int(label)}
            for image, label in zip(images, labels)]
    with tempfile.TemporaryDirectory() as folder:
        options = TrainingArguments(
            output_dir=folder, num_train_epochs=2, per_device_train_batch_size=32,
            learning_rate=0.01, logging_steps=4, save_strategy="no", report_to=[], use_cpu=True,
            ddp_backend="gloo", ddp_timeout=failing.patience, disable_tqdm=True, seed=1)
        losses = Losses()
        trainer = Trainer(model=Dense(), args=options, train_dataset=rows, callbacks=[losses])
        trainer.train()
    model = trainer.accelerator.unwrap_model(trainer.model)
    tell("trainer", options.process_index, options.world_size,
         [part.detach().numpy() for part in model.parameters()], losses.values,
         local=options.local_process_index, parallel=options.parallel_mode.value)
    # Else threads of gloo may outlive what they need: "terminate called", by luck.
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
