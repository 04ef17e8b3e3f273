"""Homework: small functions with their examples.

>>> square(3)
9
"""

import doctest
import gzip
import pickle
import threading
from fractions import Fraction
from numbers import Integral, Number, Real

import numpy as np
import torch


def square(x):
    """The square of x.

    >>> [square(i) for i in range(4)]
    [0, 1, 4, 9]
    >>> square(1.5)
    2.25
    >>> square("a")
    Traceback (most recent call last):
        ...
    TypeError: can't multiply sequence by non-int of type 'str'
    >>> square(torch.tensor([1.0, 2.0]))
    tensor([1., 4.])
    """
    return x * x


class Stack:
    """A stack.

    >>> s = Stack()
    >>> for item in (1, 2):
    ...     s.push(item)
    >>> s.pop(), len(s)
    (2, 1)
    >>> s
    Stack([1])
    """

    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        """
        >>> Stack().pop()
        Traceback (most recent call last):
            ...
        IndexError: pop from empty list
        """
        return self.items.pop()

    def __len__(self):
        return len(self.items)

    def __repr__(self):
        return f"Stack({self.items})"

    def __reversed__(self):
        return Stack_reversed(self)


class Stack_reversed:
    def __init__(self, stack):
        self.stack = stack

    def __repr__(self):
        return f"reversed {self.stack}"


def gradient(w):
    """
    >>> gradient(2.0)  # doctest: +ELLIPSIS
    tensor(...)
    >>> print(f"{gradient(3.0):.1f}")
    27.0
    """
    x = torch.tensor(w, requires_grad=True)
    (x**3).backward()
    return x.grad


print(doctest.testmod())
result = doctest.testmod(verbose=False)
print(result.failed, result.attempted, __doc__.splitlines()[0])


def propagate(w, b, X, Y):
    A = 1 / (1 + np.exp(-(np.dot(w.T, X) + b)))
    db = np.sum(A - Y) / X.shape[1]
    assert db.dtype == float
    assert np.squeeze(np.array([[db]])).shape == ()
    return db


print(propagate(np.ones((2, 1)), 0.5, np.array([[1.0, -2.0], [3.0, 0.5]]), np.array([[1, 0]])))
print(np.arange(3).dtype == int, np.zeros(1).dtype == "f8", np.zeros(1).dtype == "no dtype", np.ones(1).dtype != np.float32)
numbers = (1, 2.5, True, 1j, Fraction(1, 2), np.float32(1), np.int64(1), "a")
for kind in (Number, Real, Integral):
    print([isinstance(x, kind) for x in numbers])

stack = Stack()
stack.push(7)
print(reversed(stack))
for attempt in (
    lambda: "%d" % stack,
    lambda: "%.2f" % stack,
    lambda: divmod(stack, 2),
    lambda: np.sum([1], axes=0),
    lambda: np.arange(),
    lambda: np.mean(),
    lambda: type("Both", (int, str), {}),
    lambda: type("Twice", (Stack, Stack), {}),
    lambda: (x for x in missing),
    lambda: b"\xff".decode(),
    lambda: 2.0**10000,
):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__, "|", e, "|", len(e.args))
