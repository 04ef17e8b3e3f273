"""Lines of several steps: views of views, several results of one op, loops, regions of one grad mode, many passes."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

from tests.programs.leaves import CHANGES, VIEWS, is_float
from tests.programs.passes import HOOKS, is_leaf, is_result, takes_gradient
from tests.programs.writer import Writer

SEVERAL = (
    "{0}.unbind(0)", "{0}.unbind(-1)", "{0}.split(1)", "{0}.split(2, -1)", "{0}.chunk(2)", "{0}.chunk(2, -1)", "{0}.tensor_split(2)", "torch.split({0}, [1, 2], -1)", "{0}.max(0)", "{0}.sort(0)", "{0}.topk(1)",
    "torch.var_mean({0})", "torch.std_mean({0}, 0)", "torch.broadcast_tensors({0}, {1})", "{0}.min(-1)", "{0}.median(-1)", "torch.meshgrid({0}, {1}, indexing='ij')", "{0}.cummax(0)", "Late.apply({0}, 2)", "Pair.apply({0})",
    "Twice.apply({0}, {1})", "torch.aminmax({0})", "{0}.mode(0)", "{0}.kthvalue(1, 0)", "torch.frexp({0})", "{0}.unsafe_split(1)", "torch.linalg.slogdet({0})", "torch.unique({0}, return_counts=True)", "{0}.hsplit(1)", "{0}",
)  # fmt: skip


def view_of_view(w: Writer) -> None:
    """A view by two to four steps, changed at once now and then, and what that did to the tensor."""
    if (name := w.any()) is None:
        return
    text = name
    for _ in range(w.random.randint(2, 4)):
        text = w.pick(VIEWS).format(text) if text.count(name) == 1 else text
    new = w.let(text)
    if new is not None and w.chance(0.5):
        w.add(w.pick(CHANGES[:12]).format(new, w.any() or new), f"show({new!r}, {new})", keeps_errors=0.4)
        w.add(f"show({name!r}, {name})", f"graph({name})")


def several(w: Writer) -> None:
    """Two results of one op under names of their own."""
    if name := w.any():
        a, b = w.fresh(), w.fresh()
        text = w.pick(SEVERAL).format(name, w.any() or name)
        w.add(f"{a}, {b}, *_ = {text}", f"show({a!r}, {a})", f"show({b!r}, {b})")


REGIONS = ("torch.no_grad()", "torch.no_grad()", "torch.enable_grad()", "torch.inference_mode()", "torch.set_grad_enabled(False)", "torch.autograd.set_grad_enabled(True)",
           "torch.autograd.detect_anomaly()", "torch.autograd.graph.save_on_cpu()", "torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t)",
           "torch.autograd.graph.saved_tensors_hooks(lambda t: print('packed', tuple(t.shape)) or t, lambda t: print('unpacked') or t)",
           "torch.autograd.graph.disable_saved_tensors_hooks('none here')")  # fmt: skip
IN_REGION = (
    "{2} = {0} * {1}", "{2} = {0}.view(-1)", "{2} = {0}[0]", "{0}.add_(1)", "{0}.mul_({1})", "{2} = {0}.detach()", "{2} = ({0} * 2).exp()", "{0}[0] = 0.5", "{2} = {0}.clone().requires_grad_()", "{2} = {0}.t()", "{0}.zero_()",
    "{2} = {0} @ {1}", "({0} * {1}).sum().backward()", "{2} = torch.autograd.grad(({0} * {0}).sum(), {0})[0]", "{0}.grad = None", "{2} = torch.zeros(3, requires_grad=True)", "{2} = Both.apply({0}, {1})", "{0} -= 0.1 * {1}",
    "with torch.enable_grad():\n        {2} = {0} * 3", "with torch.no_grad():\n        {2} = {0} * 3", "{0}.requires_grad_()", "{2} = {0}.sum()", "{2} = {0}.expand(2, 3)", "{0}.detach_()", "{2} = {0}.split(1)[0]",
)  # fmt: skip


def region(w: Writer) -> None:
    """One to three statements in a region, and what is done with their results outside."""
    if (name := w.any()) is None:
        return
    new, lines = w.fresh(), []
    for _ in range(w.random.randint(1, 3)):
        first = w.any() if w.chance(0.7) else name
        lines.append("    " + w.pick(IN_REGION).format(first, w.any() or name, new))
    head = w.pick(REGIONS) if w.chance(0.85) else f"{w.pick(REGIONS[:6])}, {w.pick(REGIONS[:6])}"
    w.add("\n".join((f"{new} = {name}", f"with {head}:", *lines)), f"show({new!r}, {new})", keeps_errors=0.4)
    if w.chance(0.4):
        w.add(w.pick(CHANGES[:24]).format(new, w.any() or new), f"show({new!r}, {new})", keeps_errors=0.4)
    w.add(f"show({name!r}, {name})")


LOOPS = (
    "for i in range(3):\n    {0} = {0} * {1}\n    show('{0}', {0})", "for i in range(2):\n    ({0} * {1}).sum().backward(retain_graph=True)\n    show_grad('{0}', {0})",
    "out = {0}\nfor i in range(2):\n    out, = torch.autograd.grad(out.sum(), {0}, create_graph=True)\n    show('out', out)\n    graph(out)", "for row in {0}:\n    show('row', row)", "for i, row in enumerate({0}):\n    row.mul_(i + 2)",
    "out = ({0} * {1}).sin().sum()\nfor keep in (True, True, False, False):\n    out.backward(retain_graph=keep)\n    show_grad('{0}', {0})", "out = {0}.pow(3).sum()\nfor i in range(3):\n    out = torch.autograd.grad(out, {0}, create_graph=True)[0].sum()\n    show('out', out)",
    "opt = torch.optim.SGD([{0}], lr=0.1, momentum=0.9)\nfor i in range(3):\n    opt.zero_grad()\n    loss = ({0} * {1}).pow(2).sum()\n    loss.backward()\n    opt.step()\n    show('loss', loss)",
    "opt = torch.optim.Adam([{0}], lr=0.1)\nfor i in range(3):\n    opt.zero_grad(set_to_none=False)\n    loss = ({0} * {1}).tanh().sum()\n    loss.backward()\n    opt.step()\n    show('{0}', {0})",
    "def closure(v):\n    return (v * {1}).exp().sum()\nprint(torch.autograd.functional.jacobian(closure, {0}))", "out = {0}.clone()\nfor i in range(len(out)):\n    out[i] = out[i - 1] * 2\nshow('out', out)\ngraph(out)",
    "out = torch.zeros(3, dtype=torch.float64)\nfor i in range(3):\n    out[i] = {0}.sum() * i\nshow('out', out)\ngraph(out)", "{0}.register_hook(lambda g: print('a', g.tolist()))\n{0}.register_hook(lambda g: g * 2)\n({0} * {1}).sum().backward()\nshow_grad('{0}', {0})",
    "total = sum(v.sum() for v in ({0}, {1}))\ntotal.backward()\nshow_grad('{0}', {0})", "g = torch.autograd.grad({0}.exp().sum(), {0}, create_graph=True)[0]\n(g * {1}).sum().backward()\nshow_grad('{0}', {0})",
    "g = {0}.grad\n({0} * 2).sum().backward()\nprint(g is {0}.grad)\nshow_grad('{0}', {0})\nshow('g', g)", "{0}.sum().backward()\n{0}.grad[0] = 5\n{0}.sum().backward()\nshow_grad('{0}', {0})",
    "{0}.sum().backward(create_graph=True)\n{0}.pow(2).sum().backward()\nshow_grad('{0}', {0})", "print(torch.autograd.gradcheck(lambda v: (v * v).sum(), ({0},), raise_exception=False))",
)  # fmt: skip


def loop(w: Writer) -> None:
    """Several lines over one or two tensors: loops, closures, passes one after another."""
    if name := w.any(is_leaf) or w.any(takes_gradient):
        w.add(w.pick(LOOPS).format(name, w.any() or name), f"show({name!r}, {name})", keeps_errors=0.5)


PASSES = (
    "torch.autograd.backward([{0}, {1}], [torch.ones_like({0}), torch.ones_like({1})], retain_graph={3})", "torch.autograd.backward([{0}.sum(), {1}.sum()])", "torch.autograd.backward({0}, torch.ones_like({0}), inputs={2})",
    "print(torch.autograd.grad([{0}, {1}], {2}, [torch.ones_like({0}), torch.ones_like({1})], allow_unused=True, retain_graph={3}))", "print(torch.autograd.grad({0}.sum() + {1}.sum(), {2}, create_graph={3}))",
    "print(torch.autograd.grad([{0}.sum(), {1}.sum()], [{2}], grad_outputs=[None, torch.tensor(2.0, dtype={1}.dtype)], allow_unused={3}))", "print(torch.autograd.grad({0}, {2}, torch.eye({0}.numel(), dtype={0}.dtype).view(-1, *{0}.shape), is_grads_batched=True, retain_graph={3}))",
    "torch.autograd.backward([{0}, {0}], [torch.ones_like({0})] * 2, retain_graph={3})", "print(torch.autograd.grad({0}.sum(), {0}))", "{0}.backward({1}, retain_graph={3})", "{0}.sum().backward(torch.tensor(3.0, dtype={0}.dtype), retain_graph={3}, inputs=[{2}])",
    "print(torch.autograd.grad({0}.sum(), ({2}, {2}), retain_graph={3}))", "{0}.retain_grad()\n{0}.sum().backward(retain_graph={3})\nshow_grad('{0}', {0})", "torch.autograd.backward(({0} * {1}).sum(), create_graph={3})",
)  # fmt: skip


def passes(w: Writer) -> None:
    """A pass from several outputs, for several inputs, with seeds given or left out."""
    outs = [w.any(is_result) or w.any() for _ in range(2)]
    target = w.any(is_leaf) or w.any()
    if None in outs or target is None:
        return
    w.add(w.pick(PASSES).format(*outs, target, w.chance(0.6)), keeps_errors=0.6)
    for name in w.tensors(lambda t: t.requires_grad and (t.is_leaf or t.grad is not None)):
        w.add(f"show_grad({name!r}, {name})")


MULTI = (
    "lambda gs: print('all', said(gs))", "lambda gs: None", "lambda gs: show('first', gs[0]) if gs[0] is not None else print('none')",
)  # fmt: skip


def changing_hooks(w: Writer) -> None:
    """Hooks where a tensor was changed in place before or after, several on one tensor, or one on several."""
    if (name := w.any(is_result)) is None:
        return
    hooks = [w.pick(HOOKS[:4]).format(name) for _ in range(2)]
    lines = w.pick(
        (
            f"{name}.register_hook({hooks[0]})\n{w.pick(CHANGES[:12]).format(name, w.any())}\n{name}.register_hook({hooks[1]})",
            f"v = {name}.view(-1)\nv.register_hook({hooks[0]})\nv.mul_(2)\n{name}.register_hook({hooks[1]})",
            f"a = {name}.register_hook({hooks[0]})\nb = {name}.register_hook({hooks[1]})\na.remove()",
            f"{name}.retain_grad()\n{name}.register_hook({hooks[0]})\n{name}.mul_(2)",
            f"h = torch.autograd.graph.register_multi_grad_hook(({name}, {w.any(takes_gradient)}), {w.pick(MULTI)})",
            f"h = torch.autograd.graph.register_multi_grad_hook(({name}, {w.any(takes_gradient)}), lambda g: show('any', g), mode='any')",
            f"with torch.no_grad():\n    {name}.register_hook({hooks[0]})\n    {name}.mul_(2)",
            f"{name}.grad_fn.register_prehook(lambda gs: (gs[0] * 2,))\n{name}.grad_fn.register_hook(lambda gi, go: print('done', said(gi)))\n{name}.register_hook({hooks[1]})",
        )
    )
    w.add(
        lines, f"show({name!r}, {name})", f"({name} * 2).sum().backward(retain_graph={w.chance(0.7)})", keeps_errors=0.5
    )
    for leaf in w.tensors(lambda t: t.requires_grad and (t.is_leaf or t.grad is not None)):
        w.add(f"show_grad({leaf!r}, {leaf})")


MADE = (
    "Same.apply({0})", "Sight.apply({0})", "Once.apply({0})", "Twice.apply({0}, {1})[0]", "Twice.apply({0}, {1})[1]", "Inner.apply({0})", "Sight.apply({0}).mul_(2)", "Same.apply({0}).add_(1)", "sum(Twice.apply({0}, {0}))",
    "Saves.apply({0}, 'input')", "Saves.apply({0}, 'output')", "Saves.apply({0}, 'none')", "Saves.apply({0}, 'inner')", "Both.apply({0}, {1}).sum().backward()", "torch.autograd.grad(Once.apply({0}).sum(), {0}, create_graph=True)[0]",
    "torch.autograd.grad(Both.apply({0}, {1}).sum(), {0}, create_graph=True)[0]", "torch.autograd.grad(Inner.apply({0}).sum(), {0}, create_graph=True)[0]", "Same.apply({0}.view(-1))", "Changes.apply(Sight.apply({0} * 1))",
)  # fmt: skip


def custom_views(w: Writer) -> None:
    """A custom Function that returns what it is given, a view of it, several results, or is differentiated again."""
    if name := w.any(is_float):
        w.let(w.pick(MADE).format(name, w.any(is_float) or name))
