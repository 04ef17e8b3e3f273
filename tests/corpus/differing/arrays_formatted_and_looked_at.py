# Arrays in other words: formatters, windows over memory, polynomials, generators of numbers by name.
import sys

import numpy as np
import torch

a = np.arange(12.0).reshape(3, 4)
v = np.array([3, 1, 2])

print(np.array2string(a, separator=", ", prefix="data = "))
print(np.array2string(a / 7, formatter={"float_kind": lambda x: "%.2f" % x}))
with np.printoptions(precision=2, suppress=True, formatter={"float": "{: 0.3f}".format}) as options:
    print(np.array([1.23456, -2.5]), options["precision"])
print(np.get_printoptions()["precision"], np.get_printoptions()["formatter"])
np.set_printoptions(3, linewidth=200, threshold=sys.maxsize)
print(a / 3, np.arange(1100)[-3:])
np.set_printoptions(precision=8, threshold=1000, legacy="1.25")
print([np.float64(1.5)])
np.set_printoptions(legacy=False)
for attempt in ({"foo": 1}, {"precision": "a"}):
    try:
        np.set_printoptions(**attempt)
    except TypeError as e:
        print(e)

for wrong in ("a", 2.0, (2, 2.0), -1):
    try:
        np.zeros(wrong)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)

signal = np.arange(6)
windows = np.lib.stride_tricks.sliding_window_view(signal, 3)
print(windows, windows.flags.writeable)
rows = np.lib.stride_tricks.as_strided(signal, (2, 3), (16, 8))
print(rows, rows.strides)
part = a[1:]
part[0, 0] = -1
print(part.base is a, a[1, 0], 3.0 in a, 99 in a)
a.shape = (4, 3)
print(a.shape, a.view(np.int64).dtype, v.view().base is v, v.tobytes()[:2])
v.flags.writeable = False
try:
    v[0] = 5
except ValueError as e:
    print(e)
try:
    a.shape = (5, 5)
except ValueError as e:
    print(e)

fit = np.poly1d(np.polyfit([0, 1, 2, 3], [1, 3, 7, 13], 2).round(6))
print(fit)
p = np.poly1d([1.0, -2.0, 0.0, 3.0])
print(p(2), p.order, p.deriv(), p.integ().coeffs, (p * p).coeffs, p + 1, p[0], sep="\n")
print(repr(np.poly1d([1, 2])), np.poly1d([1, -3, 2]).roots, np.poly1d([2]))

rng = np.random.default_rng(7)
old = np.random.RandomState(3)
print(rng, old, isinstance(rng, np.random.Generator), isinstance(old, np.random.RandomState))
print(rng.normal(size=2), old.randn(2))
print(np.sin, np.add, [f.__name__ for f in (np.sin, np.mean)])

print(torch.arange(np.int64(3)), torch.full((2,), np.int64(7)), torch.clamp(torch.arange(3.0), np.float64(0.5)))
t = torch.ones(4)
shared = t.numpy()
shared.shape = (2, 2)
shared[0, 0] = 9
print(t, shared.shape, t.numpy() is t.numpy())
print(np.finfo(np.float32))
