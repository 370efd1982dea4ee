"""Fits a line to this rank's share of some points: the train.py that the job files name."""

import argparse
import json
import os
import random
import socket
import time

# Names of the same number with different launchers.
RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
SIZE = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")


def number(names, default):
    return int(next((os.environ[name] for name in names if name in os.environ), default))


def points(folder, rank, size):
    if folder:
        path = os.path.join(folder, "points.txt")
        with open(path, encoding="utf-8") as file:
            everything = [tuple(map(float, line.split())) for line in file]
    else:
        dice = random.Random(7)
        everything = [(x / 100, 2 * x / 100 + 1 + dice.gauss(0, 0.01)) for x in range(100)]
    return everything[rank::size]


def fit(share, epochs, rate):
    slope = offset = 0.0
    for _ in range(epochs):
        for x, y in share:
            wrong = slope * x + offset - y
            slope -= rate * wrong * x
            offset -= rate * wrong
    loss = sum((slope * x + offset - y) ** 2 for x, y in share) / max(1, len(share))
    return slope, offset, loss


def serve(address, visitors):
    """A minimal parameter server: accepts one connection from each worker."""
    host, _, port = address.rpartition(":")
    with socket.create_server((host.strip("[]"), int(port))) as door:
        for _ in range(visitors):
            door.accept()[0].close()


def visit(address, seconds=60):
    host, _, port = address.rpartition(":")
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((host.strip("[]"), int(port)), seconds).close()
        except ConnectionRefusedError:  # it does not listen yet
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def meet_servers(config):
    """Workers connect to the parameter servers, as in TensorFlow."""
    cluster, task = config["cluster"], config["task"]
    servers = cluster.get("ps", [])
    if task["type"] == "ps":
        workers = sum(len(tasks) for role, tasks in cluster.items() if role != "ps")
        serve(servers[task["index"]], workers)
    else:
        for address in servers:
            visit(address)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", "--training_data", default="", help="folder with points.txt")
    parser.add_argument("--epochs", "--max_epochs", type=int, default=1)
    parser.add_argument("--rate", "--learning_rate", type=float, default=0.1)
    parser.add_argument("--model", "--model_output", default="", help="folder for model.json")
    parser.add_argument("--language", default="")
    parser.add_argument("--magic", default="")
    parser.add_argument("--local_rank", type=int, default=0)
    return parser.parse_args()


def main():
    args = arguments()
    rank, size = number(RANK, 0), number(SIZE, 1)
    slope, offset, loss = fit(points(args.data, rank, size), args.epochs, args.rate)
    said = "".join(f", {name} {value}" for name, value in
                   (("language", args.language), ("magic", args.magic)) if value)
    print(f"rank {rank} of {size}: loss {loss:.4f}{said}", flush=True)
    if args.model and rank == 0:
        os.makedirs(args.model, exist_ok=True)
        with open(os.path.join(args.model, "model.json"), "w", encoding="utf-8") as file:
            json.dump({"slope": slope, "offset": offset}, file)
    if "TF_CONFIG" in os.environ:
        meet_servers(json.loads(os.environ["TF_CONFIG"]))


if __name__ == "__main__":
    main()
