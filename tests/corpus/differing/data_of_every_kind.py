# What may be the data of a tensor? Everything that has items and a length.
from collections import OrderedDict, deque, namedtuple

import numpy as np
import torch


class Pair:
    def __len__(self):
        return 2

    def __getitem__(self, i):
        if i >= 2:
            raise IndexError(i)
        return i + 0.5


class NoLength:
    def __getitem__(self, i):
        return 1


class Row(list):
    pass


Point = namedtuple("Point", "x y")
loop = [1]
loop[0] = loop


def show(make):
    try:
        found = make()
        print(found, found.dtype)
    except Exception as e:
        print(type(e).__name__, "|", e)


for data in (
    range(3), [range(2), range(2, 4)], (range(2),), deque([1, 2]), Pair(), [Pair(), Pair()], bytearray(b"ab"),
    Row([1, 2]), Point(1, 2.5), [Point(1, 2), Point(3, 4)], [Row([1]), (2,)], [[], []],
    [np.array(1.5), 2], [[np.ones(2)], [np.zeros(2)]], [torch.tensor(1.0), 2],
):
    for make in (torch.tensor, torch.FloatTensor):
        show(lambda: make(data))

for data in (
    NoLength(), loop, {1: 2}, OrderedDict(), {1, 2}, frozenset({1}), {1: 2}.keys(), zip([1], [2]), map(int, "12"),
    "12", ["ab", [1, 2]], [[1, 2], "ab"], [[1, 2], 3], [3, [1, 2]], [3.5, [1, 2]], [[1, 2], range(3)],
    [[1, 2], None], [None, 1], None, object, [1, {2: 3}], [[[1, 2], [3]], [[1, 2], [3, 4]]],
    [torch.ones(2), [1.0, 2.0]], [[1], [2, 3]], [[1, 2], (3, "a")],
):
    for make in (torch.tensor, torch.FloatTensor):
        show(lambda: make(data))

print(torch.zeros(1).new_tensor(range(3)), torch.as_tensor(range(2, 4)), torch.LongTensor(range(3)))
print(torch.tensor(range(3), dtype=torch.float32, requires_grad=True))
