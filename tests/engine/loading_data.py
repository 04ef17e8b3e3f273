"""Data sets gone through in all ways, one text per batch; for PyTorch and for the engine."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np

Pair = namedtuple("Pair", "a b")

SAMPLES: tuple[list[Any], ...] = (
    [1, 2, 3], [1.5, 2.5], ["a", "b"], [True, False], [(1, 2.0), (3, 4.0)], [Pair(1, 2.0), Pair(3, 4.0)],
    [np.ones(2), np.zeros(2)], [np.float32(1), np.float32(2)], [[1, 2], [3]], [None, None],
    [([1, 2], "z"), ([3, 4], "y")],
    [{"x": np.ones(2), "y": 1}, {"x": np.zeros(2), "y": 2}],
)  # fmt: skip


def texts(library: Any) -> Iterator[str]:
    """What comes out, in one run of random numbers from seed 0 on."""
    library.manual_seed(0)
    data = library.utils.data
    x = library.arange(10.0).reshape(10, 1)
    rows = data.TensorDataset(x, x * 2)

    class Items(data.Dataset):
        def __init__(self, items: list[Any]) -> None:
            self.items = items

        def __len__(self) -> int:
            return len(self.items)

        def __getitem__(self, index: int) -> Any:
            return self.items[index]

    class Stream(data.IterableDataset):
        def __iter__(self) -> Iterator[int]:
            return iter(range(5))

    yield repr((len(rows), rows[2], rows[1:3], len(rows + rows), (rows + rows)[12], (rows + rows)[-1]))
    own = library.Generator().manual_seed(1)
    for options in (
        {"batch_size": 4, "shuffle": True}, {"batch_size": 4, "shuffle": True, "drop_last": True}, {"batch_size": 3},
        {"batch_size": 5, "shuffle": True, "generator": own}, {"batch_size": None},
        {"batch_sampler": data.BatchSampler(data.SequentialSampler(rows), 4, True)},
        {"batch_size": 2, "sampler": data.RandomSampler(rows, replacement=True)},
        {"batch_size": 6, "collate_fn": lambda batch: [pair[0].item() for pair in batch]},
    ):  # fmt: skip
        loader = data.DataLoader(rows, **options)
        yield repr((options.keys(), len(loader), list(loader)))
    for lengths in ([7, 3], [0.8, 0.2], [0.33, 0.33, 0.34]):
        parts = data.random_split(rows, lengths)
        yield repr([part.indices for part in parts])
        yield repr(list(data.DataLoader(parts[0], 3, shuffle=True)))
    yield repr(data.random_split(rows, [6, 4], generator=library.Generator().manual_seed(42))[0].indices)
    yield repr((next(iter(data.DataLoader(rows, 2, shuffle=True))), library.rand(1)))
    for sampler in (
        data.RandomSampler(range(5)), data.RandomSampler(range(5), True), data.RandomSampler(range(5), True, 70),
        data.RandomSampler(range(5), num_samples=13), data.SubsetRandomSampler([5, 6, 7]),
        data.WeightedRandomSampler([0.1, 0.5, 0.4], 10), data.WeightedRandomSampler([0.1, 0.5, 0.4], 2, False),
        data.BatchSampler(range(7), 3, False),
    ):  # fmt: skip
        yield repr((len(sampler), list(sampler)))
    for items in SAMPLES:
        yield _answer(lambda items=items: list(data.DataLoader(Items(items), 2)))
        yield _answer(lambda items=items: list(data.DataLoader(Items(items), None)))
    yield repr([list(data.DataLoader(Stream(), 2, drop_last=drop)) for drop in (True, False)])
    for wrong in (
        lambda: data.DataLoader(Stream(), shuffle=True), lambda: data.DataLoader(rows, 0), lambda: data.Dataset()[0],
        lambda: data.DataLoader(rows, 2, shuffle=True, sampler=data.SequentialSampler(range(9))).sampler,
        lambda: data.DataLoader(rows, batch_size=None, drop_last=True), lambda: data.TensorDataset(x, x[:3]),
        lambda: data.random_split(rows, [1, 2]), lambda: data.random_split(rows, [0.5, 0.6]),
        lambda: data.DataLoader(Items([]), shuffle=True), lambda: len(data.DataLoader(Stream())),
        lambda: data.ConcatDataset([]),
        lambda: data.WeightedRandomSampler([1.0], 0),
    ):  # fmt: skip
        yield _answer(wrong)
    yield repr(library.rand(2))


def _answer(call: Any) -> str:
    try:
        return repr(call())
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return re.sub(r"<.*? object at .*?>|<locals>\.\w+|module '.*'|'.*' object", "...", text)
