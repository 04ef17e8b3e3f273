"""A vocabulary from the files of a folder, embeddings of it, and gradients written to a file and read again."""

import collections
import glob
import json
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn

folder = Path(__file__).resolve().parent / "words"
texts = {path.name: path.read_text().split() for path in sorted(folder.glob("*.txt"))}
print(texts, [os.path.splitext(os.path.basename(p))[0] for p in sorted(glob.glob("words/*.txt"))])
counts = collections.Counter(word for words in texts.values() for word in words)
numbers = {word: i for i, (word, _) in enumerate(counts.most_common())}

torch.manual_seed(1)
table = nn.Embedding(len(numbers), 2)
loss = torch.stack([table(torch.tensor([numbers[w] for w in words])).sum() for words in texts.values()]).prod()
loss.backward()
print(loss, table.weight.grad)

np.save("gradient.npy", table.weight.grad.numpy())
print(np.load("gradient.npy").shape, np.abs(np.load("gradient.npy")).max().round(4))
with open("words/first.txt", "a") as file:  # one that is there already
    file.write("and slept\n")
print(Path("words/first.txt").read_text().split()[-2:])
shutil.copy("words/second.txt", "copy.txt")
with tempfile.TemporaryDirectory() as place:
    (Path(place) / "numbers.json").write_text(json.dumps(numbers))
    print(sorted(json.loads((Path(place) / "numbers.json").read_text()))[:3], os.path.getsize("copy.txt"))
try:
    open("no_such_file.txt")
except FileNotFoundError as error:
    print(type(error).__name__, error.filename)
