# what is inside grad_fn?  (blog post companion code)
import torch

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a ** 3 - b ** 2
print(Q.grad_fn)
print(Q.grad_fn.next_functions)


def walk(fn, depth=0, seen=None):
    seen = seen if seen is not None else set()
    if fn is None:
        print("  " * depth + "None")
        return
    print("  " * depth + fn.name(), "(again)" if fn in seen else "")
    if fn in seen:
        return
    seen.add(fn)
    for nxt, idx in fn.next_functions:
        walk(nxt, depth + 1, seen)


walk(Q.grad_fn)
acc = Q.grad_fn.next_functions[0][0].next_functions[0][0].next_functions[0][0]
print(acc, acc.variable is a, acc.variable)
print(Q.grad_fn._saved_alpha, [n for n in dir(Q.grad_fn) if n.startswith("_saved")])
powb = Q.grad_fn.next_functions[1][0]
print(powb._saved_exponent, powb._saved_self, powb._raw_saved_self)
print(sorted(n for n in dir(powb) if not n.startswith("__")))
print(powb.metadata, powb._sequence_nr() - Q.grad_fn._sequence_nr() < 0)
powb.metadata["note"] = "squared"
print(powb.metadata)
print(powb._input_metadata)
print(powb.next_functions == Q.grad_fn.next_functions[1][0].next_functions)
h = powb.register_hook(lambda gi, go: print("hook", gi, go))
ph = powb.register_prehook(lambda go: print("prehook", go))
Q.sum().backward()
h.remove(); ph.remove()
try:
    powb._saved_self
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    powb._saved_foo
except AttributeError as e:
    print(type(e).__name__, e)
try:
    powb._saved_exponent = 3
except AttributeError as e:
    print(type(e).__name__, e)

x = torch.randn(3, 4, requires_grad=True)
ops = {
    "sum": x.sum(), "mean": x.mean(1), "max": x.max(), "maxdim": x.max(0)[0], "t": x.t(), "view": x.view(4, 3),
    "reshape": x.t().reshape(-1), "slice": x[1:], "select": x[0], "index": x[[0, 2]], "mask": x[x.detach() > -10],
    "expand": x[:, :1].expand(3, 4), "cat": torch.cat([x, x]), "stack": torch.stack([x, x]), "split": x.split(2, 1)[0],
    "unbind": x.unbind()[1], "softmax": x.softmax(-1), "logsoftmax": x.log_softmax(-1), "lse": x.logsumexp(0),
    "norm": x.norm(), "std": x.std(), "var": x.var(0), "cumsum": x.cumsum(0), "prod": x.prod(), "mm": x @ x.t(),
    "mv": x @ x[0], "clamp": x.clamp(0, 1), "where": torch.where(x > 0, x, x * 2), "leaky": torch.nn.functional.leaky_relu(x),
    "gelu": torch.nn.functional.gelu(x), "permute": x.permute(1, 0), "squeeze": x[None].squeeze(0), "clone": x.clone(),
    "double": x.double(), "topk": x.topk(2)[0], "sort": x.sort()[0], "gather": x.gather(1, torch.zeros(3, 1).long()),
    "einsum": torch.einsum("ij,kj->ik", x, x), "flip": x.flip(0), "roll": x.roll(1), "tril": x.tril(), "diag": x.diagonal(),
    "repeat": x.repeat(2, 1), "abs": x.abs(), "pow": 2 ** x, "div": 1 / x, "atan2": torch.atan2(x, x),
}
for k, v in ops.items():
    saved = {n[7:]: getattr(v.grad_fn, n) for n in dir(v.grad_fn) if n.startswith("_saved_")}
    short = {n: (tuple(s.shape) if isinstance(s, torch.Tensor) else s) for n, s in saved.items()}
    print(f"{k:10s} {type(v.grad_fn).__name__:24s} {short}")
y = x.detach()
print(y.grad_fn, y.is_leaf, y.requires_grad)
print(x.view(-1)._is_view(), x.view(-1)._base is x, x._base)
g = torch.autograd.graph.get_gradient_edge(x)
print(g.node.name(), g.output_nr)
print(torch.autograd.graph.get_gradient_edge(ops["sum"]).node is ops["sum"].grad_fn)
try:
    torch.autograd.graph.get_gradient_edge(y)
except RuntimeError as e:
    print(e)
