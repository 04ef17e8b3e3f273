"""A small training run as people write it: options, a log, data and layers in files beside it, a saved model."""

import argparse
import csv
import json
import logging
import os
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

import layers
from layers import make_net

HERE = os.path.dirname(os.path.abspath(__file__))
log = logging.getLogger("train")


class Points(Dataset):
    def __init__(self, path, names):
        with open(path, newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.names = names

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return torch.tensor([float(row[n]) for n in self.names]), torch.tensor([float(row["label"])])


def read_options(argv=None):
    parser = argparse.ArgumentParser(description="Train on points")
    parser.add_argument("--data", default="points.csv", type=str, help="a file of points")
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args([] if argv is None else argv)
    with open(os.path.join(HERE, "options.json")) as file:
        options = json.load(file)
    options.update({k: v for k, v in vars(given).items() if v is not None})
    return options


def main():
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    torch.manual_seed(0)
    options = read_options()
    log.info("options %s", json.dumps(options, sort_keys=True))
    assert os.path.exists(options["data"]) and not os.path.exists("model.pt")
    points = Points(options["data"], options["names"])
    log.info("%d points from %s", len(points), os.path.basename(options["data"]))
    net = make_net(options["hidden"])
    log.info("%d parameters", layers.count(net))
    optimizer = torch.optim.SGD(net.parameters(), lr=options["rate"])
    history = []
    for step in range(options["steps"]):
        for x, t in DataLoader(points, batch_size=3):
            loss = F.binary_cross_entropy_with_logits(net(x), t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        history.append(round(loss.item(), 4))
        log.debug("never shown")
    log.info("losses %s", history)

    torch.save(net.state_dict(), "model.pt")
    Path("runs").mkdir(exist_ok=True)
    with open(os.path.join("runs", "history.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["step", "loss"])
        writer.writerows(enumerate(history))
    print(Path("runs/history.csv").read_text().splitlines())
    again = make_net(options["hidden"])
    again.load_state_dict(torch.load("model.pt"))
    x, _ = points[0]
    print(torch.equal(again(x), net(x)), sorted(p.name for p in Path().iterdir() if p.suffix in (".csv", ".pt")))


if __name__ == "__main__":
    main()
