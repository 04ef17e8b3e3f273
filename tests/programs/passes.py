"""Lines that differentiate: passes, gradients, hooks on tensors and nodes, custom Functions, grad modes."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

from gradviz.imitation.engine.tensor import Tensor
from tests.programs.leaves import is_float, numbers
from tests.programs.writer import Writer


def takes_gradient(t: Tensor) -> bool:
    """Whether a pass can reach it."""
    return t.requires_grad


def is_result(t: Tensor) -> bool:
    """Whether it has a backward node."""
    return t.requires_grad and not t.is_leaf


def is_leaf(t: Tensor) -> bool:
    """Whether a pass accumulates in it."""
    return t.requires_grad and t.is_leaf


def _output(w: Writer) -> str | None:
    return w.any(is_result) or w.any(takes_gradient) if w.chance(0.93) else w.any()


def _show_grads(w: Writer) -> None:
    for name in w.tensors(lambda t: t.requires_grad and (t.is_leaf or t.grad is not None)):
        w.add(f"show_grad({name!r}, {name})")


def backward(w: Writer) -> None:
    """A pass, and where the gradients are afterwards."""
    out = _output(w)
    if out is None:
        return
    t = w.value(out)
    seed = w.pick(
        (
            "",
            "",
            f"torch.ones_like({out})",
            f"torch.tensor({numbers(w.random, t.shape)}, dtype={out}.dtype)",
            "torch.ones(2)",
            "torch.tensor(2.0)",
        )
    )
    keywords = [seed] if seed and (w.chance(0.7) or t.shape) else []
    keywords += [text for text, p in (("retain_graph=True", 0.45), ("create_graph=True", 0.08)) if w.chance(p)]
    if w.chance(0.1) and (leaves := w.tensors(takes_gradient)):
        keywords.append(f"inputs=[{', '.join(w.random.sample(leaves, min(len(leaves), 2)))}]")
    target = (
        out
        if t.shape == () or seed or w.chance(0.15)
        else f"{out}.{w.pick(('sum()', 'mean()', 'sum()', 'pow(2).sum()'))}"
    )
    if w.chance(0.3):
        w.add(f"held = watch({out})")
    if w.chance(0.15):
        w.add(f"graph({out})")
    w.add(f"{target}.backward({', '.join(keywords)})", keeps_errors=0.6)
    _show_grads(w)


def grad(w: Writer) -> None:
    """torch.autograd.grad, with what may be left out, unused, or differentiated again."""
    out, inputs = _output(w), w.tensors(takes_gradient)
    if out is None or not inputs:
        return
    chosen = w.random.sample(inputs, min(len(inputs), w.random.randint(1, 3)))
    t = w.value(out)
    given = [
        out if t.shape == () or w.chance(0.4) else f"{out}.sum()",
        chosen[0] if len(chosen) == 1 else f"[{', '.join(chosen)}]",
    ]
    if given[0] == out and (t.shape or w.chance(0.2)):
        given.append(w.pick((f"torch.ones_like({out})", f"grad_outputs=[2 * torch.ones_like({out})]", "torch.ones(5)")))
    for text, p in (
        ("allow_unused=True", 0.4),
        ("retain_graph=True", 0.4),
        ("create_graph=True", 0.4),
        ("materialize_grads=True", 0.05),
    ):
        if w.chance(p):
            given.append(text)
    if w.add(
        f"gs = torch.autograd.grad({', '.join(given)})", "for g in gs:\n    show('g', g)", keeps_errors=0.6
    ) and w.chance(0.7):
        w.let(f"gs[{w.random.randrange(len(chosen))}]")


HOOKS = (
    "lambda g: show('hook', g)", "lambda g: g * 2", "lambda g: None", "lambda g: g.clamp(-0.5, 0.5)", "lambda g: torch.ones(5)", "lambda g: g.float()", "lambda g: g.mul_(2)", "lambda g: 1.0",
    "lambda g: g.detach()", "lambda g: g + {0}", "lambda g: print('hook of {0}', tuple(g.shape), g.requires_grad)", "lambda g: g.sum()", "lambda g: g.expand(2, *g.shape)",
)  # fmt: skip


def hook(w: Writer) -> None:
    """A hook on a tensor, or one less."""
    name = w.any(takes_gradient) if w.chance(0.95) else w.any()
    if name is None:
        return
    choice = w.random.random()
    if choice < 0.6:
        w.add(
            f"hook_{name} = {name}.register_hook({w.pick(HOOKS[:4] if w.chance(0.6) else HOOKS).format(name)})",
            keeps_errors=0.6,
        )
    elif choice < 0.75:
        w.add(f"{name}.retain_grad()", f"print({name}.retains_grad)", keeps_errors=0.6)
    elif choice < 0.85:
        w.add(f"hook_{name}.remove()", keeps_errors=0.1)
    else:
        text = w.pick(
            ("show_grad('post', p)", "p.grad.mul_(2)", "setattr(p, 'grad', None)", "p.data.sub_(p.grad)", "1")
        )
        w.add(f"{name}.register_post_accumulate_grad_hook(lambda p: {text})", keeps_errors=0.6)


NODE_HOOKS = (
    "register_hook(lambda gi, go: print('node', said(gi), said(go)))", "register_prehook(lambda go: print('before', said(go)))", "register_hook(lambda gi, go: tuple(None if g is None else g * 2 for g in gi))",
    "register_prehook(lambda go: tuple(None if g is None else g * 3 for g in go))", "register_hook(lambda gi, go: None)", "register_hook(lambda gi, go: gi[:1])", "register_prehook(lambda go: go + go)",
    "register_hook(lambda gi, go: tuple(torch.ones(5) for g in gi))", "register_hook(lambda gi, go: 1)",
)  # fmt: skip


def node_hook(w: Writer) -> None:
    """A hook on a backward node, before or after it."""
    if name := w.any(is_result):
        node = f"{name}.grad_fn" if w.chance(0.8) else f"{name}.grad_fn.next_functions[0][0]"
        w.add(f"{node}.{w.pick(NODE_HOOKS[:4] if w.chance(0.7) else NODE_HOOKS)}", keeps_errors=0.5)


FUNCTIONS = (
    "Both.apply({0}, {1})", "Both.apply({0}, {1}, 3)", "Both.apply({0}, {0})", "Both.apply({0}, {1}.detach())", "Pair.apply({0})[0]", "Pair.apply({0})[1]", "Changes.apply({0})", "Changes.apply({0} * 1)",
    "Changes.apply(({0} * 1)[0])", "Late.apply({0}, 2)[0]", "Late.apply({0}, 2)[1]", "sum(Late.apply({0}, 0.5))", "Wrong.apply({0}, 'few')", "Wrong.apply({0}, 'many')", "Wrong.apply({0}, 'shape')",
    "Wrong.apply({0}, 'type')", "Wrong.apply({0}, 'none')", "Wrong.apply({0}, 'raise')", "Changes.apply({0}.view(-1))", "Both.apply({0}, 2)",
)  # fmt: skip


def custom(w: Writer) -> None:
    """A custom Function, one that is right or one that is not."""
    if name := w.any(is_float):
        w.let(w.pick(FUNCTIONS).format(name, w.any(is_float) or name))


MODES = (
    "torch.no_grad()",
    "torch.no_grad()",
    "torch.enable_grad()",
    "torch.inference_mode()",
    "torch.set_grad_enabled(False)",
    "torch.inference_mode(False)",
)
IN_MODES = (
    "{2} = {0} * 2", "{2} = {0}.view(-1)", "{2} = {0} + {1}", "{2} = {0}[0]", "{2} = ({0} * {1}).requires_grad_()", "{2} = {0}.clone()", "{2} = {0}.detach()",
    "{2} = torch.ones(2, requires_grad=True) * 2", "{2} = torch.tensor([1.0, 2.0], dtype=torch.float64)",
)  # fmt: skip


def mode(w: Writer) -> None:
    """Something done where gradients are recorded, or not."""
    if (name := w.any()) is None:
        return
    new = w.fresh()
    line = w.pick(IN_MODES).format(name, w.any(), new)
    w.add(f"with {w.pick(MODES)}:\n    {line}\n    print(torch.is_grad_enabled())", f"show({new!r}, {new})")


CLEARING = (
    "{0}.grad = None", "{0}.grad.zero_()", "{0}.grad = torch.ones_like({0})", "{0}.grad = torch.ones(5)", "{0}.grad = {0}.detach().float()", "{0}.grad *= 2", "{0}.grad.add_(1)", "{0}.grad = 1",
    "{0}.grad = {0}", "torch.optim.SGD([{0}], lr=0.1).step()", "torch.optim.SGD([{0}], lr=0.1, momentum=0.9).zero_grad()", "torch.optim.Adam([{0}], lr=0.1).step()", "{0}.grad.detach_()", "del {0}.grad",
    "print({0}.grad is {0}.grad, {0}.grad)", "nn.utils.clip_grad_norm_([{0}], 0.5)",
)  # fmt: skip


def clear(w: Writer) -> None:
    """A gradient set, cleared or used."""
    name = w.any(is_leaf) if w.chance(0.9) else w.any()
    if name is not None:
        w.add(w.pick(CLEARING).format(name), f"show({name!r}, {name})", f"show_grad({name!r}, {name})")


LOOKS = (
    "graph({0})", "print({0})", "print({0}.grad_fn)", "print({0}.grad_fn.next_functions)", "print({0}._base is None, {0}._is_view(), {0}.is_contiguous(), {0}.storage_offset())", "print({0}.grad_fn.name(), {0}.output_nr)",
    "print({0}.grad_fn._saved_self)", "print({0}.grad_fn._saved_result)", "print({0}.grad_fn._saved_other)", "print({0}.grad)", "print({0}.numpy())", "print({0}.item())", "print(float({0}), int({0}))", "print(bool({0}))",
    "print(len({0}), {0}.numel(), {0}.dim())", "print([v for v in {0}])", "print({0}.tolist())", "print(torch.equal({0}, {1}), torch.allclose({0}, {1}))", "print({0}.data_ptr() == {1}.data_ptr())",
    "print({0}.grad_fn.metadata)", "print(repr({0}.detach()))", "print(f'{{{0}:.3f}}')", "print(torch.autograd.functional.jacobian(lambda v: v * 2, {0}))", "print(torch.func.grad(lambda v: (v * v).sum())({0}))",
    "print(torch.autograd.functional.vjp(torch.sin, {0}, torch.ones_like({0})))", "print(torch.autograd.functional.hessian(lambda v: (v ** 3).sum(), {0}))", "print(torch.func.jvp(torch.exp, ({0},), ({0},)))",
    "print({0}.requires_grad, {0}.is_leaf, {0}.retains_grad)", "print(torch.result_type({0}, {1}), ({0} == {1}).all())",
)  # fmt: skip


def look(w: Writer) -> None:
    """Something printed."""
    if name := w.any():
        w.add(w.pick(LOOKS).format(name, w.any()))
