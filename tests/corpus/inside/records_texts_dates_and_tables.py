# Arrays that hold no numbers alone: records, texts, dates; and tables written and read again.
import sys
from io import StringIO

import numpy as np
import torch

dt = np.dtype([("name", "U8"), ("age", np.int32), ("score", float)])
people = np.array([("Ann", 31, 88.5), ("Bob", 25, 92.25), ("Cy", 40, 70.0)], dtype=dt)
print(people, people.dtype.names, people["age"].mean(), dt.itemsize, sep="\n")
people["score"] += 1
people[1]["age"] = 26
print(people[people["score"] > 80]["name"], people[0], people[0]["name"], people[["name", "age"]][1])
print(np.sort(people, order="age")["name"], people.tolist()[0], [tuple(row) for row in people][-1])
x = np.zeros(2, dtype=[("a", int), ("b", float, (2,))])
x["a"] = [1, 2]
print(x, repr(x), x.dtype)
score = torch.from_numpy(people["score"].copy()).requires_grad_()
(score**2).sum().backward()
print(score.grad, torch.tensor(people["age"]))

words = np.array(["apple", "fig", "banana"])
print(words, words.dtype, words == "fig", np.char.upper(words), np.char.str_len(words), np.char.add(words, "!"))
print(np.array(["1.5", "2"]).astype(float), np.isin(words, ["fig"]), np.concatenate([words, ["kiwi"]]), np.str_("x"))

days = np.array(["2024-01-30", "2024-02-01"], dtype="datetime64[D]")
print(days, repr(days), np.diff(days), days[0] + np.timedelta64(5, "D"), np.datetime64("2024-02-28") + 2)
print(np.arange("2024-02-27", "2024-03-02", dtype="datetime64[D]"), days > np.datetime64("2024-01-31"))
print(np.arange(np.datetime64("2024-01-01"), np.datetime64("2024-01-04")), (days[1] - days[0]) / np.timedelta64(1, "D"))

np.savetxt(sys.stdout, np.eye(2), fmt="%.2f")
np.savetxt(sys.stdout, [[1, 2.5]], fmt="%g", delimiter=",", header="a,b")
np.save("weights.npy", np.arange(3))
np.savez("both.npz", a=np.ones(2), b=3)
both = np.load("both.npz")
print(np.load("weights.npy"), sorted(both), both["a"], both["b"])
print(both.files, {name: array.shape for name, array in both.items()}, "c" in both, len(both))
np.savetxt("table.csv", [[1, 2], [3, 4]], delimiter=",")
print(np.loadtxt("table.csv", delimiter=","), np.genfromtxt("table.csv", delimiter=",").shape)
print(np.loadtxt(StringIO("1 2\n3 4")), np.loadtxt(["1,2", "3,4"], delimiter=",", dtype=int))

for attempt in (
    lambda: np.load("data.npy"),
    lambda: np.loadtxt("data.txt"),
    lambda: people["foo"],
    lambda: people + 1,
    lambda: torch.from_numpy(people),
    lambda: torch.tensor(days),
):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__, "|", e)
