"""Lines that write a result into a tensor that is there (out=), broadcast in place, or give a tensor other memory."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

from tests.programs.leaves import is_float, numbers
from tests.programs.writer import Writer

INTO = (
    "torch.add({0}, {1}, out={2})", "torch.mul({0}, {1}, out={2})", "torch.sub({0}, {1}, alpha=2, out={2})", "torch.div({0}, {1}, out={2})", "torch.matmul({0}, {1}, out={2})", "torch.exp({0}, out={2})",
    "torch.sum({0}, 0, out={2})", "torch.mean({0}, 0, keepdim=True, out={2})", "torch.cat([{0}, {1}], out={2})", "torch.stack([{0}, {1}], out={2})", "torch.sin({0}, out={2})", "torch.sigmoid({0}, out={2})",
    "torch.maximum({0}, {1}, out={2})", "torch.clamp({0}, -0.5, 0.5, out={2})", "torch.abs({0}, out={2})", "torch.pow({0}, 2, out={2})", "torch.where({0} > 0, {0}, {1}, out={2})", "torch.gt({0}, {1}, out={2})",
    "torch.mm({0}, {1}, out={2})", "torch.cumsum({0}, 0, out={2})", "torch.neg({0}, out={2})", "torch.tanh({0}, out={2})", "torch.index_select({0}, 0, torch.tensor([0, 0]), out={2})", "torch.zeros(2, 3, out={2})",
    "torch.ones_like({0}).add({1}, out={2})", "torch.sqrt({0}.abs(), out={2})", "torch.addmm({0}, {1}, {1}, out={2})", "torch.arange(3, out={2})", "torch.prod({0}, 0, out={2})", "torch.argmax({0}, out={2})",
)  # fmt: skip
MEMORY = (
    "{0}.data = torch.ones(5)", "{0}.data = {0}.data.view(-1)", "{0}.data = {0}.data.float()", "{0}.data = {1}.data.clone()", "{0}.data = {1}", "{0}.data += 1", "{0}.data[0].mul_(3)", "{0}.data.copy_({1})",
    "{0}.data.fill_(0.25)", "{0}.data = torch.zeros_like({0})", "{0}.detach()[0] = 2", "{0}.detach().mul_({1}.detach())", "{0}.set_({1})", "{0}.resize_(2, 2)", "{0}.resize_as_({1})", "{0}.data = {0}.data[:1]",
    "{0}.data = None", "{0}.data.sub_({0}.grad)", "{0}.data = {0}.data.t()", "{0}.detach().numpy()[...] = 1",
)  # fmt: skip
BROADCAST = (
    "{0}.add_({1})", "{0}.mul_({1})", "{0}.sub_({1}, alpha=0.5)", "{0}.copy_({1})", "{0} += {1}", "{0} *= {1}", "{0}.div_({1}.abs() + 1)", "{0}.masked_fill_({1} > 0, 0.5)", "{0}.lerp_({1}, {1})", "{0}.addcmul_({1}, {1})",
    "{0}.addcdiv_({1}, {1}.abs() + 1)", "{0}.pow_({1}.detach())", "{0}.fill_({1}.sum())", "{0}.atan2_({1})", "{0}.clamp_({1}, {1} + 1)", "{0}.clamp_(min={1})", "{0}.where_({1} > 0, {1})", "{0}.masked_scatter_({1} > 0, {1})",
)  # fmt: skip
SIDES = ((3,), (1,), (), (1, 3), (2, 1), (2, 3), (1, 1), (4,), (2, 2, 3), (0,))


def into(w: Writer) -> None:
    """A result written into a tensor that is there."""
    if (name := w.any()) is None:
        return
    text = w.pick(INTO).format(name, w.any() or name, out := _out(w))
    if w.chance(0.4):
        text = f"with torch.no_grad():\n    {text}"
    w.add(text, f"show({out!r}, {out})", f"print({out}._version)", keeps_errors=0.4)


def _out(w: Writer) -> str:
    if w.chance(0.4):
        return w.any() or "t1"
    dtype = w.pick(("float64",) * 5 + ("float32", "int64", "bool"))
    return w.let(f"torch.{w.pick(('zeros', 'ones'))}({w.pick(SIDES)}, dtype=torch.{dtype})") or "t1"


def memory(w: Writer) -> None:
    """Other memory for a tensor, or a change behind the back of the graph."""
    if name := w.any(is_float):
        other = w.any() or name
        w.add(w.pick(MEMORY).format(name, other), f"show({name!r}, {name})", f"print({name}._version)")
        w.add(f"show({other!r}, {other})")


def broadcast_change(w: Writer) -> None:
    """A change in place by a tensor of another shape, of a result or of a view of one."""
    if (name := w.any(is_float)) is None:
        return
    shape = w.pick(SIDES)
    made = f"torch.tensor({numbers(w.random, shape)}, dtype=torch.float64, requires_grad=True)"
    by = w.let(made if 0 not in shape else "torch.zeros(0, dtype=torch.float64)")
    target = w.pick((name, name, f"{name}[0]", f"{name}[1:]", f"{name}.t()", f"{name}[..., :1]"))
    w.add(w.pick(BROADCAST).format(target, by), f"show({name!r}, {name})", f"graph({name})", keeps_errors=0.5)
