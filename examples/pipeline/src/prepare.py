"""Points near the line y = 3 x - 1, always the same: some to train with, some to test with."""

import argparse
import os
import random

words = argparse.ArgumentParser(description=__doc__)
words.add_argument("--points", type=int, required=True)
words.add_argument("--data", required=True, help="the folder to write to")
told = words.parse_args()

dice = random.Random(7)
for name, count in (("train", told.points), ("test", told.points // 4)):
    with open(os.path.join(told.data, name + ".csv"), "w", encoding="utf-8") as file:
        for _ in range(count):
            x = dice.uniform(-1, 1)
            file.write(f"{x:.6f},{3 * x - 1 + dice.gauss(0, 0.05):.6f}\n")
print(f"{told.points} points to train with, {told.points // 4} to test with")
