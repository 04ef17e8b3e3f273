"""tensordot in all its forms: dims of size 1 are summed right away, and what it refuses."""
import torch
def t(f):
    try: print(f().shape)
    except Exception as e: print(type(e).__name__, str(e)[:160])
a, b = torch.ones(2, 3), torch.ones(4, 3)
t(lambda: torch.tensordot(a, b, 1)); t(lambda: torch.tensordot(a, b, ([1], [0]))); t(lambda: torch.tensordot(a, b, ([-1], [-2])))
t(lambda: torch.tensordot(a, b, 2)); t(lambda: torch.tensordot(a, b, ([1, 0], [1]))); t(lambda: torch.tensordot(a, b, ([5], [0]))); t(lambda: torch.tensordot(a, b, ([1, 1], [1, 1])))
t(lambda: torch.tensordot(a, b, 3)); t(lambda: torch.tensordot(a, b, -1)); t(lambda: torch.tensordot(a, b, torch.tensor([[1],[0]]))); t(lambda: torch.tensordot(a, b, torch.tensor(1)))
t(lambda: torch.tensordot(a.double(), b, ([1], [1]))); t(lambda: torch.tensordot(a, torch.ones(1, 5), ([1], [0]))); t(lambda: torch.tensordot(a, b, "a"))
def chain(y):
    out = []
    nodes = [y.grad_fn]
    while nodes:
        n = nodes.pop()
        if n is None: continue
        out.append(n.name()); nodes += [m for m, _ in n.next_functions]
    return out
for s, r, d in [((2, 1), (1, 3), 1), ((2, 3), (1, 3), ([1], [0])), ((1, 2), (3, 2), ([0, 1], [0, 1])), ((3,), (3,), 1), ((1,), (1,), 1), ((1, 1), (1, 1), 2), ((2, 3), (2, 3), 2), ((2, 3, 1), (3, 1, 4), 2), ((2,), (3,), 0)]:
    p, q = torch.ones(s, requires_grad=True), torch.ones(r, requires_grad=True)
    y = torch.tensordot(p, q, d); y.sum().backward(); print(y.shape, chain(y), p.grad.flatten(), q.grad.shape)
t(lambda: torch.tensordot(torch.ones(0, 3), torch.ones(1, 3), ([0], [0])))
t(lambda: torch.tensordot(a.long(), torch.ones(1, 5).long(), ([1], [0])))
t(lambda: torch.tensordot(a, b, ([1], ["x"]))); t(lambda: torch.tensordot(a, b, 1.5)); t(lambda: torch.tensordot(a, b, ([1.0], [0]))); t(lambda: torch.tensordot(a, b, (1, 0))); t(lambda: torch.tensordot(a, b, ([1], [0], [0]))); t(lambda: torch.tensordot(a, b, torch.tensor([1, 2, 3])))
t(lambda: torch.tensordot(a, b, torch.tensor([1, 0])))
t(lambda: torch.tensordot(torch.tensor(2.), torch.tensor(3.), 0)); t(lambda: torch.tensordot(torch.tensor(2.), torch.tensor(3.), 1)); t(lambda: torch.tensordot(a, b, ((), ())))
p, q = torch.tensor(2., requires_grad=True), torch.tensor(3., requires_grad=True)
