"""How far the trained line is from the points to test with."""

import argparse
import os

import torch

words = argparse.ArgumentParser(description=__doc__)
words.add_argument("--data", required=True)
words.add_argument("--model", required=True)
told = words.parse_args()

model = torch.nn.Linear(1, 1)
model.load_state_dict(torch.load(os.path.join(told.model, "line.pt")))
with open(os.path.join(told.data, "test.csv"), encoding="utf-8") as file:
    points = torch.tensor([[float(word) for word in line.split(",")] for line in file])
with torch.no_grad():
    error = (model(points[:, :1]) - points[:, 1:]).abs().mean().item()
print(f"y = {model.weight.item():.2f} x + {model.bias.item():.2f}, mean error {error:.3f}")
