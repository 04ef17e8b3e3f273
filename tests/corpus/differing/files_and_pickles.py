"""What a script writes, the same script reads again: open, pickle, json, csv; and numpy's reductions of an object."""

import copy
import csv
import io
import json
import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn

warnings.simplefilter("ignore", ResourceWarning)
with open("log.txt", "w") as f:
    print(f, f.name, f.mode, f.closed)
    f.write("epoch 1\nepoch 2\n")
    print("loss", 0.5, file=f)
    f.writelines(["a\n", "b"])
print(f.closed)
with open("log.txt", encoding="utf-8") as f:
    for number, line in enumerate(f):
        print(number, repr(line))
with open("log.txt", "a") as f:
    f.write("\nend")
print(open("log.txt").read().splitlines(), open("log.txt").readlines()[-1], os.path.getsize("log.txt"))
f = open("log.txt")
print(f.readline(), f.tell(), f.read(5), f.seek(0), f.readline(), sep="|")
f.close()
for what in (
    lambda: open("none.txt"), lambda: f.read(), lambda: open("log.txt", "q"), lambda: open("log.txt").write("x"),
    lambda: open("b.bin", "wb").write("x"), lambda: open("b.txt", "w").write(b"x"), lambda: open("c.txt", "w").read(),
    lambda: open("log.txt", "x"), lambda: pickle.loads(b""), lambda: pickle.loads("abc"), lambda: os.remove("none"),
    lambda: pickle.dumps(i for i in [1]), lambda: json.load(open("log.txt")), lambda: pickle.dump(1, "x"),
    lambda: pickle.dumps(os), lambda: pickle.dumps(lambda x: x),
):  # fmt: skip
    try:
        print(what())
    except Exception as e:
        print(type(e).__name__, e)
try:
    open("data.csv")
except OSError as e:
    print(e.errno, e.strerror, e.filename)

with open("config.json", "w") as f:
    json.dump({"lr": 0.1, "sizes": [2, 3]}, f, indent=2)
print(open("config.json").read(), json.load(open("config.json"))["sizes"])
Path("note.txt").write_text("kept")
print(Path("note.txt").read_text(), Path("note.txt").exists(), sorted(os.listdir(".")))
with open("table.csv", "w", newline="") as f:
    writer = csv.writer(f)
    writer.writerow(["epoch", "loss"])
    writer.writerows([[1, 0.5], ["x,y", None]])
with open("table.csv") as f:
    print(*csv.DictReader(f), sep="\n")


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


class Cached:
    def __init__(self, n):
        self.n, self.cache = n, {"big": list(range(n))}

    def __getstate__(self):
        print("getstate")
        return {"n": self.n}

    def __setstate__(self, state):
        print("setstate", state)
        self.n, self.cache = state["n"], None


p = Point(1, torch.tensor([1.0, 2.0]))
both = [p, p, {"again": p}]
back = pickle.loads(pickle.dumps(both))
print(back, back[0] is back[1], back[2]["again"] is back[0], back[0] is p)
c = pickle.loads(pickle.dumps(Cached(3)))
print(c.n, c.cache, copy.deepcopy(Cached(2)).cache, copy.copy([Cached])[0] is Cached)
buffer = io.BytesIO()
pickle.dump({"a": (1, 2)}, buffer)
pickle.dump(np.arange(3), buffer)
buffer.seek(0)
print(pickle.load(buffer), pickle.load(buffer), buffer.read())
with open("model.pkl", "wb") as f:
    pickle.dump(nn.Linear(2, 1), f)
with open("model.pkl", "rb") as f:
    model = pickle.load(f)
print(model, [tuple(q.shape) for q in model.parameters()], all(q.is_leaf for q in model.parameters()))
w = torch.ones(2, requires_grad=True)
(w * 2).sum().backward()
again = pickle.loads(pickle.dumps(w))
print(again, again.grad, w.grad)


def outer():
    class Local:
        pass

    return Local()


for what in (outer(), outer):
    try:
        print(pickle.loads(pickle.dumps(what)) is what)
    except AttributeError as e:
        print(e)


class Array:
    def __init__(self, data):
        self.data = np.asarray(data, dtype=float)

    shape = property(lambda self: self.data.shape)

    def sum(self, axis=None, out=None):
        return f"own sum over {axis}"

    def mean(self, **given):
        return given

    def max(self):
        return self.data.max()

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i]


a = Array([3.0, 1.0])
print(np.sum(a), np.sum(a, axis=0), np.mean(a), np.shape(a), np.std(a), np.exp(Array([0.0])), np.argmax(a))
try:
    np.max(a)
except TypeError as e:
    print(e)

import os
import torch

for save, load, value in ((torch.save, torch.load, {"w": torch.ones(2)}), (np.save, np.load, np.arange(3))):
    with open("kept.bin", "wb") as f:
        save(value, f) if save is torch.save else save(f, value)
    with open("./kept.bin", "rb") as f:
        print(load(f))
    print(load("kept.bin"), load(os.path.join(".", "kept.bin")), os.path.exists("./kept.bin"))
torch.save(torch.zeros(1), "./a.pt")
os.rename("a.pt", "b.pt")
with open("b.pt", "rb") as f:
    print(torch.load(f), os.path.exists("./a.pt"))
