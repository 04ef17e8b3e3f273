"""Arrays of objects: a scalar engine whose values stand in arrays of numpy."""

import math

import numpy as np
import torch


class Value:
    def __init__(self, data, parents=()):
        self.data = float(data)
        self.grad = 0.0
        self.parents = tuple(parents)
        self.rule = lambda: None

    @staticmethod
    def of(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value.of(other)
        out = Value(self.data + other.data, (self, other))

        def rule():
            self.grad += out.grad
            other.grad += out.grad

        out.rule = rule
        return out

    __radd__ = __add__

    def __mul__(self, other):
        other = Value.of(other)
        out = Value(self.data * other.data, (self, other))

        def rule():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.rule = rule
        return out

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-Value.of(other))

    def __truediv__(self, n):
        return self * (1.0 / n)

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def rule():
            self.grad += (1 - t * t) * out.grad

        out.rule = rule
        return out

    def __lt__(self, other):
        return self.data < Value.of(other).data

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for p in v.parents:
                    visit(p)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.rule()

    def __repr__(self):
        return f"Value({self.data:.4f})"


x = np.array([Value(1.0), Value(-2.0), Value(3.0)])
w = np.array([[Value(0.1 * i + 0.2 * j) for j in range(3)] for i in range(2)])
print(x, x.dtype, x.shape)
print(repr(w))
print(x + 1, 2 * x, x * np.array([1.0, 0.5, 0.25]), -x, x - x[0], sep="\n")
print(w @ x, np.dot(x, x), x.sum(), x.mean(), sep="\n")
h = np.tanh(w @ x)
loss = ((h - np.array([0.5, -0.5])) * (h - np.array([0.5, -0.5]))).sum()
loss.backward()
print(loss, [round(v.grad, 6) for v in w.ravel()], [round(v.grad, 6) for v in x])

tx = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64, requires_grad=True)
tw = torch.tensor([[0.1 * i + 0.2 * j for j in range(3)] for i in range(2)], dtype=torch.float64, requires_grad=True)
tloss = ((torch.tanh(tw @ tx) - torch.tensor([0.5, -0.5], dtype=torch.float64)) ** 2).sum()
tloss.backward()
print(tloss, tw.grad, tx.grad, sep="\n")

print(np.float64(2.0) * x[0], np.arange(3) * Value(2.0), np.sort(x), x < 0, x == x)
get = np.vectorize(lambda v: v.data)
print(get(w), get(x).dtype, np.vectorize(Value)(np.arange(2.0)), np.frompyfunc(Value, 1, 1)([1, 2]))
print(np.concatenate([x, [Value(9)]]), np.stack([x, x]).shape, w.T[0], w.reshape(3, 2).tolist()[0])
grid = np.empty((2, 2), dtype=object)
print(grid)
grid[0, 0], grid[1, 1] = Value(7), "seven"
grid[0, 1] = [1, 2]
print(grid, grid.size)
print(np.array([1, None, "a"]), np.array([[1, 2], [3]], dtype=object), np.array({"a": 1}))
print(np.array([10**20, 3], dtype=object) * 2, np.array(["a", "b"], dtype=object) + "c")
print(np.sum([Value(1), Value(2)]), np.prod(np.array([1, 2, 3], dtype=object)), np.cumsum(x[:2]))


class Priority:
    __array_priority__ = 100.0

    def __init__(self, data):
        self.data = np.asarray(data, dtype=float)

    def __rmul__(self, other):
        return f"rmul got {type(other).__name__} {other}"

    def __radd__(self, other):
        return f"radd got {type(other).__name__} {other}"


class Refuses:
    __array_ufunc__ = None

    def __rsub__(self, other):
        return f"rsub got {type(other).__name__}"


class AsArray:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0, 3.0])


print(np.arange(2.0) * Priority(1), np.float64(3) + Priority(1), np.ones(2) - Refuses())
print(np.ones(3) + AsArray(), np.sum(AsArray()), np.array(AsArray()))


class Plain:
    def __repr__(self):
        return "plain"


p = np.array([Plain(), Plain()])
for what in (
    lambda: p + p, lambda: p + 1, lambda: np.exp(p), lambda: np.exp(None), lambda: np.zeros(2) * None, lambda: -p,
    lambda: np.sqrt(np.array([4.0, 9.0], dtype=object)), lambda: p.max(), lambda: p.astype(float), lambda: p < 1,
    lambda: np.isnan(np.array([1, None])), lambda: torch.tensor(np.array([1, None])), lambda: np.zeros(2) + Refuses(),
):  # fmt: skip
    try:
        print(what())
    except Exception as e:
        print(type(e).__name__, e)


class Base:
    def __add__(self, other):
        return "Base.__add__"

    def __radd__(self, other):
        return "Base.__radd__"


class Derived(Base):
    def __radd__(self, other):
        return "Derived.__radd__"


class OnlyRight:
    def __radd__(self, other):
        return "never between two of one class"


print(Base() + Derived(), Derived() + Base(), 1 + Derived())
try:
    OnlyRight() + OnlyRight()
except TypeError as e:
    print(e)


class Asked:
    def __rmatmul__(self, other):
        return "asked"


class Never:
    pass


def product(left, right):
    try:
        print(left @ right)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)


product(np.float32(1.5), Asked())
product(Asked(), np.float32(1.5))
product(np.float32(1.5), Never())
product(Never(), np.ones(2))
product(np.ones(2), Never())
product(np.float32(1.5), np.ones(2))
