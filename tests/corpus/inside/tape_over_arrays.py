"""A numpy tensor with a tape, checked against torch (minitorch style)."""
from __future__ import annotations
import numpy as np
import torch
from typing import Callable, Optional, Sequence, Union
from contextlib import contextmanager

Arrayish = Union[float, list, np.ndarray]

class Config:
    grad = True

@contextmanager
def no_grad():
    old, Config.grad = Config.grad, False
    try:
        yield
    finally:
        Config.grad = old

class Function:
    def __init__(self, *parents: "Tensor"):
        self.parents = parents
        self.saved: tuple = ()
    def save(self, *xs): self.saved = xs
    def forward(self, *xs): raise NotImplementedError(f"forward not implemented for {type(self)}")
    def backward(self, g): raise NotImplementedError(f"backward not implemented for {type(self).__name__}")
    @classmethod
    def apply(cls, *xs, **kw):
        xs = [x if isinstance(x, Tensor) else Tensor(x) for x in xs]
        ctx = cls(*xs)
        out = Tensor(ctx.forward(*[x.data for x in xs], **kw), requires_grad=any(x.requires_grad for x in xs))
        if out.requires_grad and Config.grad:
            out._ctx = ctx
        return out

def register(name: str, fn=None):
    def deco(c):
        setattr(Tensor, name, lambda *a, **k: c.apply(*a, **k))
        if name in "add mul sub matmul truediv pow".split():
            setattr(Tensor, f"__{name}__", getattr(Tensor, name))
            setattr(Tensor, f"__r{name}__", lambda self, o: c.apply(o, self))
        return c
    return deco(fn) if fn else deco

class Tensor:
    __slots__ = ("data", "grad", "requires_grad", "_ctx", "name")
    __array_ufunc__ = None
    def __init__(self, data: Arrayish, requires_grad: bool = False, name: Optional[str] = None):
        self.data = np.array(data, dtype=np.float32)
        self.grad: Optional[Tensor] = None
        self.requires_grad = requires_grad
        self._ctx: Optional[Function] = None
        self.name = name
    @property
    def shape(self): return self.data.shape
    @classmethod
    def randn(cls, *shape, seed=None, **kw): return cls(np.random.default_rng(seed).standard_normal(shape), **kw)
    @staticmethod
    def zeros(*shape): return Tensor(np.zeros(shape))
    def item(self): return self.data.item()
    def __len__(self): return len(self.data)
    def __getitem__(self, k): return Tensor(self.data[k])
    def __repr__(self):
        return f"<Tensor {self.data.round(3)!r} grad={self.grad.data.tolist() if self.grad else None}{' fn=' + type(self._ctx).__name__ if self._ctx else ''}>"
    def toposort(self):
        def walk(node, seen, out):
            seen.add(id(node))
            if node._ctx:
                [walk(p, seen, out) for p in node._ctx.parents if id(p) not in seen]
                out.append(node)
            return out
        return walk(self, set(), [])
    def backward(self):
        assert self.shape == (), f"backward needs a scalar, not {self.shape}"
        self.grad = Tensor(1.0)
        for t in reversed(self.toposort()):
            gs = t._ctx.backward(t.grad.data)
            for p, g in zip(t._ctx.parents, gs if isinstance(gs, tuple) else (gs,)):
                if g is None or not p.requires_grad: continue
                assert g.shape == p.shape, f"grad shape {g.shape} != {p.shape} in {type(t._ctx).__name__}"
                p.grad = Tensor(g) if p.grad is None else Tensor(p.grad.data + g)

def unb(g, shape):
    g = g.sum(tuple(range(g.ndim - len(shape))))
    return g.sum(tuple(i for i, (a, b) in enumerate(zip(g.shape, shape)) if a != b), keepdims=True) if g.shape != shape else g

@register("add")
class Add(Function):
    def forward(self, a, b): self.save(a.shape, b.shape); return a + b
    def backward(self, g): return unb(g, self.saved[0]), unb(g, self.saved[1])
@register("mul")
class Mul(Function):
    def forward(self, a, b): self.save(a, b); return a * b
    def backward(self, g): a, b = self.saved; return unb(g * b, a.shape), unb(g * a, b.shape)
@register("matmul")
class MatMul(Function):
    def forward(self, a, b): self.save(a, b); return a @ b
    def backward(self, g): return g @ self.saved[1].T, self.saved[0].T @ g
@register("relu")
class ReLU(Function):
    def forward(self, x): self.save(x); return np.maximum(x, 0)
    def backward(self, g): return g * (self.saved[0] > 0)
@register("logsoftmax")
class LogSoftmax(Function):
    def forward(self, x):
        out = x - (m := x.max(1, keepdims=True)) - np.log(np.exp(x - m).sum(1, keepdims=True)); self.save(out); return out
    def backward(self, g): return g - np.exp(self.saved[0]) * g.sum(1, keepdims=True)
@register("mean")
class Mean(Function):
    def forward(self, x): self.save(x.shape); return np.asarray(x.mean())
    def backward(self, g): s = self.saved[0]; return np.broadcast_to(g / np.prod(s), s).astype(np.float32)
register("noback", type("NoBack", (Function,), {"forward": lambda self, x: x}))

w = Tensor.randn(3, 4, seed=0, requires_grad=True, name="w"); b = Tensor([[0.1, -0.1, 0.2, 0]], True); x = Tensor.randn(5, 3, seed=1); t = np.eye(4, dtype=np.float32)[[0, 1, 2, 3, 0]]
loss = ((x @ w + b).relu().logsoftmax() * (-4 * t)).mean(); loss.backward()
wt, bt = torch.tensor(w.data, requires_grad=True), torch.tensor(b.data, requires_grad=True)
lt = torch.nn.functional.cross_entropy((torch.tensor(x.data) @ wt + bt).relu(), torch.tensor([0, 1, 2, 3, 0])); lt.backward()
print(f"{loss.item():.5f} {lt.item():.5f}", np.allclose(w.grad.data, wt.grad, atol=1e-6), np.allclose(b.grad.data, bt.grad.numpy(), atol=1e-6))
print(b, w.grad.data.dtype, [type(n._ctx).__name__ for n in loss.toposort()], sep="\n")
with no_grad(): print((x @ w)._ctx, Config.grad)
print(Config.grad, 2 * Tensor([1., 2.]) + 1, Tensor.zeros(2)[0], len(x), repr(Tensor(3)))
for f in (lambda: (x @ w).backward(), lambda: x @ Tensor.zeros(2, 2), lambda: Tensor([1.], True).noback().mean().backward(), lambda: setattr(w, "foo", 1), lambda: w.sigmoid(), lambda: x + Tensor.zeros(4, 4), lambda: Function().forward(), lambda: Tensor("abc"), lambda: x - 1, lambda: np.ones(3) + x):
    try: print(f())
    except Exception as e: print(f"{type(e).__name__}: {e}")
