# 2 layer net, numpy only -> then the same with torch
import numpy as np
import torch

np.random.seed(42)
np.set_printoptions(precision=4, suppress=True)

class Tensor:
    """mini autodiff on ndarrays"""
    __array_priority__ = 1000
    def __init__(self, data, requires_grad=False, parents=(), name=None):
        self.data = np.asarray(data, dtype=np.float64)
        self.requires_grad = requires_grad
        self.grad = np.zeros_like(self.data) if requires_grad else None
        self.parents = parents
        self.backward_fn = None
        self.name = name
    @staticmethod
    def _unbroadcast(g, shape):
        while g.ndim > len(shape): g = g.sum(axis=0)
        for i, n in enumerate(shape):
            if n == 1: g = g.sum(axis=i, keepdims=True)
        return g
    def _new(self, data, *parents):
        return Tensor(data, any(p.requires_grad for p in parents), parents)
    def __add__(self, o):
        o = o if isinstance(o, Tensor) else Tensor(o)
        out = self._new(self.data + o.data, self, o)
        def bw(g):
            if self.requires_grad: self.grad += Tensor._unbroadcast(g, self.data.shape)
            if o.requires_grad: o.grad += Tensor._unbroadcast(g, o.data.shape)
        out.backward_fn = bw
        return out
    def __mul__(self, o):
        o = o if isinstance(o, Tensor) else Tensor(o)
        out = self._new(self.data * o.data, self, o)
        def bw(g):
            if self.requires_grad: self.grad += Tensor._unbroadcast(g * o.data, self.data.shape)
            if o.requires_grad: o.grad += Tensor._unbroadcast(g * self.data, o.data.shape)
        out.backward_fn = bw
        return out
    def __matmul__(self, o):
        out = self._new(self.data @ o.data, self, o)
        def bw(g):
            if self.requires_grad: self.grad += g @ o.data.T
            if o.requires_grad: o.grad += self.data.T @ g
        out.backward_fn = bw
        return out
    def __sub__(self, o): return self + (o * -1 if isinstance(o, Tensor) else Tensor(-np.asarray(o)))
    def __radd__(self, o): return self + o
    def relu(self):
        out = self._new(np.maximum(self.data, 0), self)
        def bw(g): self.grad += g * (self.data > 0)
        out.backward_fn = bw
        return out
    def mean(self):
        out = self._new(self.data.mean(), self)
        def bw(g): self.grad += g * np.ones_like(self.data) / self.data.size
        out.backward_fn = bw
        return out
    def backward(self):
        order, seen = [], set()
        def visit(t):
            if id(t) in seen: return
            seen.add(id(t))
            for p in t.parents: visit(p)
            order.append(t)
        visit(self)
        for t in order:
            if t.parents and t.requires_grad: t.grad = np.zeros_like(t.data)
        self.grad = np.ones_like(self.data)
        for t in reversed(order):
            if t.backward_fn: t.backward_fn(t.grad)
    def __repr__(self): return f"Tensor({self.data}, shape={self.data.shape}, grad={'yes' if self.requires_grad else 'no'})"
    def __getattr__(self, n):
        if n in ("shape", "T", "ndim", "dtype"): return getattr(self.data, n)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {n!r}")

X = np.random.randn(6, 3)
y = (X[:, 0] * X[:, 1] > 0).astype(float).reshape(-1, 1)
print("X =", X, "\ny =", y.ravel(), y.dtype, y.shape)
W1 = Tensor(np.random.randn(3, 4) * np.sqrt(2 / 3), True, name="W1"); b1 = Tensor(np.zeros((1, 4)), True)
W2 = Tensor(np.random.normal(0, .5, size=(4, 1)), True); b2 = Tensor(np.zeros(1), True)
hist = []
for it in range(20):
    h = (Tensor(X) @ W1 + b1).relu()
    out = h @ W2 + b2
    diff = out - y
    loss = (diff * diff).mean()
    for p in (W1, b1, W2, b2): p.grad = np.zeros_like(p.data)
    loss.backward()
    for p in (W1, b1, W2, b2): p.data -= 0.1 * p.grad
    hist.append(float(loss.data))
    if it % 5 == 0: print(f"iter {it:3d}: loss = {loss.data:.6f}", loss)
print(W1, W1.T.shape, W1.dtype, b1.grad, b2)
print(np.array(hist)); print(np.array(hist[:3], dtype=np.float32))
Xt = torch.from_numpy(X); w = torch.tensor(W1.data, requires_grad=True)
l = ((Xt @ w).clamp(min=0) ** 2).mean(); l.backward()
print(l, l.item(), w.grad.numpy(), w.grad.dtype)
np.testing.assert_allclose(w.grad.numpy(), w.grad, rtol=1e-6)
print(np.allclose(w.grad, w.grad.numpy() + 1e-9), isinstance(l.item(), float), type(np.float64(3) * torch.ones(2)), type(torch.ones(2) * np.float64(3)))
print(np.float64(2) + torch.ones(2), torch.ones(2) - np.ones(2), np.ones(2, dtype=np.float32) * torch.ones(2))
try: W1.foo
except AttributeError as e: print(e)
try: print(np.array([1., 2.]) @ np.ones((3, 2)))
except ValueError as e: print(e)
try: np.ones(2) + np.ones(3)
except ValueError as e: print(e)
try: w.numpy()
except RuntimeError as e: print(e)
print(np.argmax(X, axis=1), X.max(0), X[X > 1], X[[0, 2]][:, ::-1], np.where(X > 0, 1, -1), sep="\n")
print(X.mean(), X.std(axis=0), np.round(X, 1)[0], np.linalg.norm(X), X.T.shape, X.sum(keepdims=True))
print(np.arange(12).reshape(3, 4), np.eye(2, dtype=int), np.zeros((2, 0)), np.array([True, False]), np.array(["a", "bcd"]), np.array([1 + 2j, 3]), np.array(5), np.array([]), sep="\n")
print(repr(np.arange(3)), repr(np.float32(1.5)), repr(np.ones((2, 2), np.float32)), [np.float64(1.0), np.int64(3)], np.bool_(True), repr(np.array([1, None])) if False else "")
