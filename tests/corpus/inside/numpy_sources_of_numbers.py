"""Generators by their sources of bits, arrays that may not be written, and other corners of numpy."""
import numpy as np
import torch

rng = np.random.Generator(np.random.PCG64(42))
print(rng.normal(size=2), rng, np.random.SeedSequence(5))
rng = np.random.default_rng([1, 2])
grid = np.arange(6).reshape(2, 3)
print(rng.integers(10, size=3), rng.bytes(3), rng.permuted(grid, axis=1))
rng.shuffle(grid, axis=1)
print(grid, [child.random() for child in np.random.default_rng(1).spawn(2)])
print(np.random.SeedSequence(1).spawn(2)[1].generate_state(2), np.random.Generator(np.random.MT19937(3)))
print(np.random.RandomState(np.random.MT19937(np.random.SeedSequence(1))).rand(), np.random.RandomState([1, 2]).rand())
weights = np.zeros(3)
weights.flags["WRITEABLE"] = False
try:
    weights[0] = 1
except ValueError as error:
    print(error)
weights = np.ones(3)
weights.setflags(write=False)
print(weights.flags.writeable, np.broadcast(np.ones((2, 1)), np.ones(3)).shape, list(np.broadcast([1, 2], [[3], [4]])))
print(np.isdtype(np.float32, "real floating"), np.iterable([1]), np.astype(np.arange(2), np.float32), np.kaiser(4, 8.6))
print(np.char.center(["a", "bc"], 5), np.char.zfill(["1"], 3), np.char.replace(["aab"], "a", "x"))
print(np.apply_over_axes(np.sum, np.arange(8).reshape(2, 2, 2), [0, 2]), np.require([1, 2], np.float32))
values = np.arange(5)
np.place(values, values > 2, [44, 55])
print(values, np.linalg.tensorsolve(np.eye(4).reshape(2, 2, 2, 2), np.ones((2, 2))), torch.from_numpy(values))
try:
    np.testing.assert_array_less([1, 2], [1, 3])
except AssertionError as error:
    print(error)
np.asarray_chkfinite([1, np.nan])
