# Everything that somebody puts between the brackets by mistake.
import numpy as np
import torch

a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def f():
    pass


class Place:
    pass


for index in (
    [1, torch.randn], [1, f], [f], ["a"], [1, "a"], [1.5], [1, 2.5], [Place()], [{}], [1, {}], f, Place(), "a", {}, 1.5,
    [[1, "a"]], {1}, (1, f), (slice(None), [0, "b"]), [0, -1], [True, False],
):
    try:
        print(a[index])
    except (IndexError, RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
    try:
        a[index] = 1
        print(a)
    except (IndexError, RuntimeError, TypeError) as e:
        print(type(e).__name__, e)

for index in (
    np.array([0, float]), np.array(["a"]), np.array([0.0, 1.0]), np.array([1, 0]), np.array([True, False]), np.array([None]),
    np.array([1, 0], dtype=np.uint8), np.array([1], dtype=np.int16), np.array([0, 1], dtype=object),
):
    try:
        print(a[index])
    except (IndexError, TypeError) as e:
        print(type(e).__name__, e)
