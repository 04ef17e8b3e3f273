"""What every program begins with: how it shows tensors, graphs and the order of a backward pass."""

PRELUDE = """\
import copy
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

def show(name, t):
    if not isinstance(t, torch.Tensor):
        print(name, t)
        return
    node = None if t.grad_fn is None else t.grad_fn.name()
    print(name, t.dtype, tuple(t.shape), t.is_leaf, t.requires_grad, node, t.tolist())

def show_grad(name, t):
    g = t.grad
    print(name + ".grad", None if g is None else (g.dtype, tuple(g.shape), g.requires_grad, g.tolist()))

def nodes_of(t):
    nodes = [] if t.grad_fn is None else [t.grad_fn]
    for node in nodes:
        for other, _ in node.next_functions:
            if other is not None and other not in nodes:
                nodes.append(other)
    return nodes

def graph(t):
    nodes = nodes_of(t)
    for node in nodes:
        edges = [(None if other is None else nodes.index(other), slot) for other, slot in node.next_functions]
        print(node.name(), edges)

def said(gs):
    return [None if g is None else (g.dtype, g.tolist()) for g in gs]

def watch(t):
    for node in nodes_of(t):
        node.register_prehook(lambda gs, name=node.name(): print("step", name, said(gs)))
    return nodes_of(t)

class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, k=2):
        ctx.save_for_backward(a, b)
        ctx.k = k
        return a * b * k
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        print("needs", ctx.needs_input_grad, said([g]))
        return g * b * ctx.k, g * a * ctx.k, None

class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        small = (a < 0.5).to(a.dtype)
        ctx.mark_non_differentiable(small)
        ctx.save_for_backward(small)
        return a * 3, small
    @staticmethod
    def backward(ctx, g, unused):
        print("pair", said([g, unused]))
        return g * 3

class Changes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        a.mul_(2)
        return a
    @staticmethod
    def backward(ctx, g):
        return g * 2

class Late(torch.autograd.Function):
    @staticmethod
    def forward(a, k):
        return a.exp() * k, a * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        a, k = inputs
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(output[0])
        ctx.k = k
    @staticmethod
    def backward(ctx, g, h):
        print("late", said([g, h]))
        grown, = ctx.saved_tensors
        total = None
        if g is not None:
            total = g * grown
        if h is not None:
            total = h * ctx.k if total is None else total + h * ctx.k
        return total, None

class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, how):
        ctx.how = how
        return a * 1
    @staticmethod
    def backward(ctx, g):
        if ctx.how == "few":
            return g
        if ctx.how == "many":
            return g, None, g
        if ctx.how == "shape":
            return torch.ones(5), None
        if ctx.how == "type":
            return g.to(torch.float32), None
        if ctx.how == "none":
            return None, None
        raise ValueError("no gradient of this")

class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a
    @staticmethod
    def backward(ctx, g):
        print("same", said([g]))
        return g * 2

class Sight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.shape = a.shape
        return a.view(-1)
    @staticmethod
    def backward(ctx, g):
        return g.reshape(ctx.shape) * 3

class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.exp()
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        a, = ctx.saved_tensors
        return g * a.exp()

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b, a + b
    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        print("twice", ctx.needs_input_grad, said([g, h]))
        return (g * b + h if ctx.needs_input_grad[0] else None), (g * a + h if ctx.needs_input_grad[1] else None)

class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.sin()
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            a = ctx.saved_tensors[0].detach().requires_grad_()
            out, = torch.autograd.grad(a.sin().sum(), a, create_graph=True)
        return g * out

class Saves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, what):
        out = a.tanh()
        ctx.what, ctx.inner = what, a * 2
        if what != "none":
            ctx.save_for_backward({"input": a, "output": out, "inner": ctx.inner}[what])
        return out
    @staticmethod
    def backward(ctx, g):
        print(len(ctx.saved_tensors), ctx.what, [t.requires_grad for t in ctx.saved_tensors])
        return g * ctx.inner, None
"""
