"""Who notices that memory is looked at anew or changed, and which views may be changed: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

MARKS = {
    "a shape changed in place, other memory and detach_ are noticed by all who look into the memory": """
D = torch.float64
def nm(x):
    return None if x.grad_fn is None else x.grad_fn.name()[:16]
turns = [("t_", lambda x: x.t_()), ("set_", lambda x: x.set_(torch.ones(2, 2, dtype=D))), ("detach_", lambda x: x.detach_())]
kinds = [("self", lambda x: x), ("view", lambda x: x.view(2, -1)), ("detach", lambda x: x.detach()), ("data", lambda x: x.data), ("part", lambda x: x[:1])]
for tn, turn in turns:
    for who, get in kinds:
        for saved, sget in kinds:
            for base in ("res", "leaf"):
                l = torch.tensor([[1.0, 2], [3, 4]], dtype=D, requires_grad=True)
                x = l * 1 if base == "res" else l
                s = sget(x)
                w = torch.ones(tuple(s.shape), dtype=D, requires_grad=True)
                y = s * w
                v = get(x)
                other = x.view(-1)
                old = nm(s), nm(other)
                try:
                    turn(v)
                    print(tn, who, saved, x._version, s._version, v._version, other._version, nm(x), nm(s), nm(v), nm(other), tuple(v.shape))
                    y.sum().backward()
                    print(said([l.grad, w.grad]))
                except Exception as e:
                    print(tn, who, saved, type(e).__name__, str(e)[85:210])
""",
    "views made in a mode, and views of those, changed in place or behind their back": """
D = torch.float64
makes = {"no_grad": torch.no_grad, "inf": torch.inference_mode, "none": torch.enable_grad}
outer = {"unbind": lambda v: v.unbind(0)[1], "id": lambda v: v[:2], "further": lambda v: v.unbind(0)[0].view(-1), "last": lambda v: v.view(-1).split(1)[0]}
for mn, m in makes.items():
    for on, o in outer.items():
        for o2 in outer.values():
            for base in ("leaf", "res", "plain"):
                for m2n in ("no_grad", "none"):
                    l = torch.ones(4, 2, dtype=D, requires_grad=base != "plain")
                    x = l * 1 if base == "res" else l
                    out = []
                    try:
                        with m(): v = o(x)
                        w, w2 = o2(v), o2(v)
                        with makes[m2n]():
                            w.mul_(2)
                    except Exception as e:
                        out.append(str(e)[:90])
                    for y in (x, v, w2):
                        try: out.append((None if y.grad_fn is None else y.grad_fn.name()[:14], y.requires_grad))
                        except Exception as e: out.append(str(e)[:80])
                    print(mn, on, base, m2n, *out)
""",
    "memory exchanged, then a view without recording, then a change behind its back": """
t1 = torch.tensor(0.965, dtype=torch.float64, requires_grad=True)
t1.data = torch.ones(5)
with torch.no_grad(): t2 = t1[...]
t2.detach()[0] = 2
try: t2.grad_fn
except Exception as e: print(e)
""",
    "numbers drawn into a result: no gradient flows back, and they are drawn in the order of memory": """
D = torch.float64
for name in ("normal_", "uniform_", "exponential_", "bernoulli_", "cauchy_", "log_normal_", "random_", "geometric_"):
    a = (0.5,) if name in ("bernoulli_", "geometric_") else ()
    for part in (lambda x: x, lambda x: x[0], lambda x: x.t()):
        l = torch.ones(2, 3, dtype=D, requires_grad=True)
        x = l * 1
        s = x.exp()
        torch.manual_seed(0)
        getattr(part(x), name)(*a)
        graph(x)
        print(name, x.tolist(), x._version)
        x.sum().backward()
        print(l.grad.tolist())
        try: x[0].sum().add(s.sum()).backward()
        except Exception as e: print(str(e)[:80])
    for made in (lambda: torch.ones(2, requires_grad=True), lambda: torch.ones(2, requires_grad=True)[0], lambda: torch.ones(1).expand(3), lambda: torch.ones(2, dtype=torch.bool)):
        try: print(getattr(made(), name)(*a).shape)
        except Exception as e: print(name, type(e).__name__, e)
    torch.manual_seed(1)
    x = getattr(torch.zeros(5, 8, dtype=D)[:, :4].t(), name)(*a)
    print(x.tolist(), torch.rand(1))
for p in ([0.1, 0.5], [[0.1, 0.5], [0.3, 0.2], [0.9, 0.8]], [0.1, 0.5, 0.6], [0.1, 1.5]):
    for x in (torch.zeros(3, 2), torch.zeros(2, 3).t()):
        torch.manual_seed(2)
        try: print(x.bernoulli_(torch.tensor(p)))
        except Exception as e: print(type(e).__name__, str(e)[:150])
x = torch.ones(2, 3, dtype=D, requires_grad=True) * 2
p = torch.full((2, 3), 0.5, dtype=D, requires_grad=True)
x.bernoulli_(p)
graph(x)
x.sum().backward()
show_grad("p", p)
print(torch.ones(2, 3, dtype=D).bernoulli_(p).requires_grad)
for given in ((0, 0), (0, -1), (0.3, 0.5)):
    for kind in (torch.float32, torch.float16, torch.bfloat16, torch.int64):
        torch.manual_seed(3)
        try: print(torch.zeros(3, dtype=kind).log_normal_(*given))
        except Exception as e: print(type(e).__name__, e)
""",
}
