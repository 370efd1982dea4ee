"""Prints the scalars that TensorBoard itself finds below a folder: tensorboard_reads.py FOLDER."""

import json
import sys

from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer


def main(folder):
    found = EventMultiplexer().AddRunsFromDirectory(folder)
    found.Reload()
    print(json.dumps({run: {tag: [[one.step, one.value] for one in found.Scalars(run, tag)]
                            for tag in tags["scalars"]}
                      for run, tags in found.Runs().items()}))


main(sys.argv[1])
