"""What a node saves, under PyTorch's names, and the hooks around it: pack when it is saved, unpack when it is read.

While hooks are set, the tape's list of entries is one that packs what each new entry saves; so recording costs nothing
where there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.inference import are_all, refuse_saving
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory.sharing import Beside
from gradviz.imitation.engine.memory.storage import counter_of, version
from gradviz.imitation.engine.nodes import head
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.tensor import Tape, Tensor, constant
from gradviz.errors import TorchError

USUAL = {"x": "self", "a": "self", "b": "other", "y": "result", "w": "weight", "c": "condition"}

NAMES = {
    op: dict(pair.split("=") for pair in names.split())
    for op, names in {
        "pow_tensor": "b=exponent", "rpow": "x=exponent", "mm": "b=mat2", "bmm": "b=mat2", "mv": "b=vec",
        "dot": "b=tensor", "vdot": "b=other", "addmm": "a=mat1 b=mat2", "addmm_scaled": "a=mat1 b=mat2",
        "baddbmm": "a=batch1 b=batch2", "addbmm": "a=batch1 b=batch2", "addmv": "a=mat b=vec", "addr": "a=vec1 b=vec2",
        "addcmul": "a=tensor1 b=tensor2", "addcdiv": "a=tensor1 b=tensor2", "det": "x=A", "slogdet": "x=A",
        "inv": "y=inverse", "cholesky": "y=L", "solve": "a=A", "solve_vector": "a=A", "lerp": "b=end",
        "cdist": "a=x1 b=x2", "euclidean_dist": "a=x1 b=x2", "trilinear": "a=i1 w=i2 b=i3", "matmul": "b=mat2",
        **dict.fromkeys(("layer_norm", "group_norm", "batch_norm", "batch_norm_given"), "x=input"),
        **dict.fromkeys((f"{kind}_norm{given}_plain" for kind in ("layer", "group", "batch")
                         for given in ("", "_given")), "x=input"),
        **dict.fromkeys((f"conv{kind}{n}d{plain}" for kind in ("", "_transpose") for n in "123"
                         for plain in ("", "_plain")), "x=input"),
    }.items()
}  # fmt: skip

IN_PLACE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)


def torch_name(op: Op, name: str) -> str:
    """PyTorch's name of what a node saves, e.g. "self" for x."""
    return NAMES.get(op.name, {}).get(name, USUAL.get(name, name))


class Hooks(NamedTuple):
    """`pack` is given each tensor when it is saved; `unpack` what that gave, when it is read."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


class Packed(NamedTuple):
    """What the pack hook gave for a saved tensor."""

    value: Any
    unpack: Callable[[Any], Any]

    def read(self) -> Tensor:
        """The tensor again.

        Raises:
            TorchError: the unpack hook gave something else.
        """
        found = self.unpack(self.value)
        if not isinstance(found, Tensor):
            raise TorchError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {kind_name(found)}",
                kind="TypeError",
            )
        return found


class PackingList(list[Tensor]):
    """Entries of a tape; what a new one saves goes through the hooks."""

    def __init__(self, entries: list[Tensor], hooks: Hooks) -> None:
        super().__init__(entries)
        self.hooks = hooks

    def append(self, entry: Tensor) -> None:
        """Add an entry and pack what its node saves: inputs by name, then the result."""
        super().append(entry)
        op = entry.op
        if op is not None and op.joint is None and op.saves and op.name not in PLACES_FIRST:
            self.pack(entry, op)

    def pack(self, entry: Tensor, op: Op) -> None:
        """Pack what a node saves of its inputs and its result."""
        sources = [self[i] for i in entry.inputs]
        for name in _kept(op, sources):
            x = entry if name == "y" else sources[op.inputs.index(name)]
            if _is_number(x):
                continue
            shown = twin(x, x.data) if x is entry else head(x) if x.op is None else x
            entry.tape.packed.setdefault(entry.index, {})[name] = packed(shown, self.hooks)


PLACES_FIRST = (
    "gather", "take", "masked_select", "scatter_reduce", "index_reduce", "index_add", "index_copy", "put",
)  # fmt: skip
"""Ops whose places or mask PyTorch packs before the input: for them `keep` packs all."""


def _kept(op: Op, sources: list[Tensor]) -> list[str]:
    """What a node saves, in the order in which PyTorch does."""
    needs = [x.requires_grad for x in sources] + [False] * (len(op.inputs) - len(sources))
    kept = [name for name in op.saves if name != "index" and op.keeps(name, needs)]
    return sorted(kept, key=lambda name: (name == "y", torch_name(op, name)))


def save_before_failing(op: Op, sources: list[Tensor]) -> None:
    """Save the inputs that a node would save, as PyTorch does before it looks at their sizes: hooks see them.

    Raises:
        TorchError: one of them was made in inference mode.
    """
    tape = sources[0].tape
    if not tape.grad_enabled or not any(x.requires_grad for x in sources) or are_all(sources):
        return
    hooks = current(tape)
    for name in _kept(op, sources):
        if name in op.inputs[: len(sources)]:
            x = sources[op.inputs.index(name)]
            refuse_saving(x)
            if hooks is not None and not _is_number(x):
                packed(x, hooks)


SAVED_FIRST = (
    "mm", "bmm", "mv", "dot", "vdot", "addmm", "addmv", "addr", "baddbmm", "lerp", "addcmul", "addcdiv", "cross",
    "solve", "atan2", "xlogy", "hypot", "fmod", "logaddexp", "dist", "where", "det", "logsumexp", "prod", "cumprod",
    "std", "var", "layer_norm", "conv1d", "conv2d", "conv3d",
)  # fmt: skip
"""Functions of tensors that are an op each, whose inputs PyTorch saves before it looks at anything else of them."""

PRODUCTS = {(2, 2): "mm", (1, 1): "dot", (2, 1): "mv", (3, 3): "bmm"}
"""What `matmul` is, by the dims of both."""


def refused_saving(name: str, arguments: Sequence[Any]) -> TorchError | None:
    """Why PyTorch cannot save what it saves before a call fails over sizes; hooks see what it saves.

    Args:
        name: of the function that failed.
        arguments: tensors and others.
    """
    sources = [x for x in arguments if isinstance(x, Tensor)]
    if name == "matmul" and len(sources) > 1:
        name = PRODUCTS.get((sources[0].ndim, sources[1].ndim), name)
    if name == "linear" and len(sources) > 1 and sources[0].ndim and sources[1].ndim == 2:
        x, weight, *bias = sources
        rows = twin(x, x.data.reshape(-1, x.shape[-1]))
        name, sources = "addmm" if bias else "mm", [*bias, rows, twin(weight, weight.data.T)]
    op = OPS[name] if name in SAVED_FIRST else None
    if op is None or not 0 < len(sources) <= len(op.inputs):
        return None
    if len(sources) < len(op.inputs) and op.inputs[-1] in op.saves:  # a number stands for it, which is another op
        return None
    try:
        save_before_failing(op, sources)
    except TorchError as error:
        return error
    return None


FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward."
)
ALREADY = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
    "allowed at a time."
)


def pack_now(entry: Tensor, shown: str, hooks: Hooks) -> None:
    """Set hooks for one tensor that a node has saved, by PyTorch's name of it; it is packed at once.

    Raises:
        TorchError: it was freed, or has hooks.
    """
    tape, op = entry.tape, entry.op
    assert op is not None
    name = next(name for name in op.saves if torch_name(op, name) == shown)
    kept = tape.packed.setdefault(entry.index, {})
    if entry.index in tape.freed:
        raise TorchError(FREED)
    if name in kept:
        raise TorchError(ALREADY)
    x = entry if name == "y" else tape.entries[entry.inputs[op.inputs.index(name)]]
    kept[name] = packed(constant(x.data, tape), hooks)  # detached by now, as in PyTorch
    tape.by_node = True


def keep(out: Tensor, **given: Tensor | None) -> Tensor:
    """Note what the node of a result has saved beside its inputs: places, a mask, weights; None is left out.

    A change of it is told of as one of an input is, and hooks see it. What they give in its place is not read: the
    numbers are among the params.

    Args:
        given: by PyTorch's names.
    """
    if out.op is not None:
        tape, hooks = out.tape, current(out.tape)
        kept = {name: x for name, x in sorted(given.items()) if x is not None}
        for name, x in kept.items():
            counter_of(x).is_kept = True
            if hooks is not None:
                tape.packed.setdefault(out.index, {})[name] = packed(x, hooks)
        if isinstance(tape.entries, PackingList) and out.op.name in PLACES_FIRST:
            tape.entries.pack(out, out.op)
        tape.beside[out.index] = tuple(Beside(name, x, counter_of(x), version(x)) for name, x in kept.items())
    return out


def _is_number(x: Tensor) -> bool:
    """Whether it stands for a Python number next to a tensor, of which PyTorch's hooks are told nothing."""
    return x.op is None and x.extra is None and not x.ndim and not x.requires_grad


def packed(x: Tensor, hooks: Hooks) -> Packed:
    """A tensor through the pack hook.

    Raises:
        TorchError: the hook changed it in place.
    """
    before = version(x)
    with x.tape.grad_mode(False):
        value = hooks.pack(x)
    if version(x) != before:
        raise TorchError(IN_PLACE)
    return Packed(value, hooks.unpack)


def current(tape: Tape) -> Hooks | None:
    """The hooks that are set."""
    return tape.entries.hooks if isinstance(tape.entries, PackingList) else None


def set_hooks(tape: Tape, hooks: Hooks | None) -> None:
    """Set the hooks, or none. Passes go node by node from now on, for a node may have something to unpack."""
    tape.entries = list(tape.entries) if hooks is None else PackingList(tape.entries, hooks)
    if hooks is not None:
        tape.by_node = True


def unpacked(tensor: Tensor, name: str) -> Tensor | None:
    """What the node of a tensor saved under a name of the rule table; None where no hook was set when it did."""
    found = tensor.tape.packed.get(tensor.index, {}).get(name)
    return None if found is None else found.read()


def restored(entry: Tensor, sources: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """An entry and its inputs with what the unpack hooks give in the place of what was saved."""
    op = entry.op
    assert op is not None
    found = {name: value.read() for name, value in entry.tape.packed[entry.index].items()}
    changed = list(sources)
    for name, x in found.items():
        if name in op.inputs:
            slot = op.inputs.index(name)
            changed[slot] = twin(sources[slot], x.data)
    return (twin(entry, found["y"].data) if "y" in found else entry), changed


def twin(x: Tensor, data: Any) -> Tensor:
    """Another object with the place of a tensor in the graph."""
    other = constant(data, x.tape)
    other.op, other.inputs, other.params, other.index = x.op, x.inputs, x.params, x.index
    other.requires_grad = x.requires_grad
    return other
