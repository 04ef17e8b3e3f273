"""`backward()` and `autograd.grad()`: the checks PyTorch makes, the sweep, and what becomes of `.grad`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, c_name, type_name
from gradviz.imitation.engine.hooks.on_nodes import register
from gradviz.imitation.engine.inference import refuse_requires_grad
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.retained import retain
from gradviz.imitation.engine.memory.sharing import own_copy
from gradviz.imitation.engine.memory.untracked import is_untracked
from gradviz.imitation.engine.memory.views import is_unread, let_views_follow, refuse_behind, renew
from gradviz.imitation.engine.passes.accumulate import add_to_grad
from gradviz.imitation.engine.passes.backward import free, sweep
from gradviz.imitation.engine.passes.by_node import NodePass
from gradviz.imitation.engine.passes.memories import Views, writes
from gradviz.imitation.engine.passes.seed_views import view_of_seed
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import Tape, Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

SCALAR_ONLY = "grad can be implicitly created only for scalar outputs"
GIVE_V = (
    "backward() needs the v of v·J here: pass a tensor of shape {shape}, e.g. y.backward(torch.ones_like(y)), or take "
    "y.sum()."
)

REFERENCE_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)


def seeds_for(outputs: Sequence[Tensor], given: Sequence[Any]) -> tuple[Any, ...]:
    """The v of v·J for each output, checked and in the output's dtype.

    Raises:
        TorchError: v is missing for an output that is not scalar, or has another shape.
    """
    if len(outputs) > len(given):
        raise TorchError(f"got {len(outputs)} tensors and {len(given)} gradients")
    seeds = []
    for number, (output, v) in enumerate(zip(outputs, given, strict=False)):  # PyTorch takes no notice of more
        if v is None:
            if output.requires_grad and output.data.size != 1:
                raise TorchError(SCALAR_ONLY, hint=GIVE_V.format(shape=list(output.shape)))
            seeds.append(np.ones(output.shape, output.dtype)[()])
        elif not isinstance(v, Tensor):
            raise TorchError(
                f"gradients can be either Tensors or None, but got {type(v).__name__}",
                kind="TypeError",
                hint="Wrap v with torch.tensor(...).",
            )
        elif v.shape != output.shape:
            raise TorchError(
                f"Mismatch in shape: grad_output[{number}] has a shape of torch.Size({list(v.shape)}) and "
                f"output[{number}] has a shape of torch.Size({list(output.shape)}).",
                hint="v must have the shape of the output; it is not broadcast.",
            )
        else:
            # A copy where the memory is shared: v may be changed later, the record may not.
            shared = v.extra is not None and v.extra.storage is not None
            seeds.append(np.array(v.data, output.dtype)[()] if shared else v.data.astype(output.dtype, copy=False))
    return tuple(seeds)


def _roots(outputs: Sequence[Tensor]) -> tuple[int, ...]:
    for number, output in enumerate(outputs):
        if not output.requires_grad or is_untracked(output):
            refuse_behind(output)
            raise TorchError(
                f"element {number} of tensors does not require grad and does not have a grad_fn",
                hint="Give an input requires_grad=True; item(), detach(), torch.tensor(x), comparisons and no_grad() "
                "cut the way from it, and a gradient has one of its own with create_graph=True only.",
            )
    return tuple(output.index if output.index >= 0 else output.tape.enter(output) for output in outputs)


def backward(
    outputs: Sequence[Tensor],
    gradients: Sequence[Any],
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | None = None,
) -> SweepRecord:
    """v·J from the outputs to the leaves, added to their `.grad`.

    Args:
        outputs: tensors to start from.
        gradients: v for each output, of its shape; None means 1 for an output of one element.
        retain_graph: keep the saved tensors for another pass; by default as create_graph.
        create_graph: record the pass itself, so that it can be differentiated.
        inputs: accumulate into these only.

    Returns:
        What was done; it also stands in the tape's `sweeps`.

    Raises:
        TorchError: as PyTorch does, in its words.
    """
    # PyTorch forms the seeds before it looks for a graph, so a missing v is reported first.
    seeds = seeds_for(outputs, gradients)
    tape = outputs[0].tape
    keep = create_graph if retain_graph is None else retain_graph
    record = SweepRecord(_roots(outputs), seeds, keep, create_graph)
    wanted = None if inputs is None else [_position(x) for x in inputs]
    for x in inputs or ():
        retain_grad(x)
    if create_graph:
        warn(REFERENCE_CYCLE, once=True)
    if create_graph or tape.by_node or wanted is not None or tape.trace is not None:
        with tape.grad_mode(create_graph):
            NodePass(tape, record, wanted, given=gradients, accumulates=True).run()
    else:
        try:
            sweep(tape, record)
        except TorchError:  # once more as PyTorch goes: leaves that were ready before it failed have their gradient
            again = SweepRecord(record.outputs, seeds, keep, create_graph)
            with tape.grad_mode(False):
                NodePass(tape, again, given=gradients, accumulates=True).run()
            raise
        _accumulate(tape, record, gradients)
    tape.sweeps.append(record)  # not before: a pass that failed is no sweep
    if not keep:
        free(tape, record)
    return record


def _position(x: Tensor) -> int:
    return x.index if x.index >= 0 else x.tape.enter(x)


def _accumulate(tape: Tape, record: SweepRecord, given: Sequence[Any]) -> None:
    for position, g in record.leaves.items():
        leaf = _owner(tape.entries[position])
        if leaf.requires_grad:  # it may have been turned off since
            before, after = add_to_grad(leaf, g, record.seeds, given, writes(record, tape, position))
            record.accumulated.append((position, before, after))


def _owner(entry: Tensor) -> Tensor:
    return entry.extra.owner if entry.extra is not None and entry.extra.owner is not None else entry


def grad(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grad_outputs: Sequence[Any],
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """v·J with respect to the inputs, returned instead of accumulated.

    Raises:
        TorchError: an input that does not require grad, or is not used by the outputs.
    """
    seeds = seeds_for(outputs, grad_outputs)
    tape, roots = inputs[0].tape, _roots(outputs)
    for x in inputs:
        if not x.requires_grad:
            raise TorchError("One of the differentiated Tensors does not require grad")
    keep = create_graph if retain_graph is None else retain_graph
    record = SweepRecord(roots, seeds, keep, create_graph)
    wanted = [_position(x) for x in inputs]
    record.wanted = tuple(wanted)
    ran = NodePass(tape, record, wanted, given=grad_outputs, accumulates=False)
    if outputs:
        with tape.grad_mode(create_graph):
            ran.run()
        tape.sweeps.append(record)
    if not keep:
        free(tape, record)
    results: list[Tensor | None] = []
    views = Views(record, tape)
    for number, (x, position) in enumerate(zip(inputs, wanted, strict=True)):
        g = ran.found.get(position)
        if g is None and not (allow_unused or materialize_grads):
            raise TorchError(
                f"The differentiated Tensor at index {number} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        if g is None:
            results.append(constant(np.zeros(x.shape, x.dtype)[()], tape) if materialize_grads else None)
            continue
        seed = ran.given_as(g)
        if seed is not None:
            results.append(seed)
            continue
        seen = view_of_seed(g, seeds, grad_outputs)
        if seen is not None:
            results.append(seen)
            continue
        result = g if isinstance(g, Tensor) else constant(g, tape)
        result.more.shared_grad, result.more.late = True, writes(record, tape, position)
        if result.op is None and (result.data.base is not None or result.data.size < 2):
            result.data, result.more.shared_grad = own_copy(result.data), False
            if views.has(position):
                _let_look(result, None if create_graph else "no_grad")
        results.append(result)
    return tuple(results)


def _let_look(result: Tensor, creation: str | None) -> None:
    """Let a gradient that repeats or reorders numbers be the view that it is in PyTorch, in memory of its own."""
    whole = result.data if result.data.base is None else result.data.base
    while isinstance(getattr(whole, "base", None), np.ndarray):
        whole = whole.base
    if whole is result.data:
        result.data = whole.view()
    result.more.creation = creation
    base = constant(whole.reshape(()) if whole.size == 1 else whole, result.tape)
    base.more.late = result.more.late
    storage.share(base, result)


def retain_grad(tensor: Tensor) -> None:
    """Let a tensor that is no leaf keep its gradient in `.grad`.

    Raises:
        TorchError: it takes no gradient.
    """
    if not tensor.requires_grad:
        raise TorchError("can't retain_grad on Tensor that has requires_grad=False")
    if is_unread(tensor):
        return  # PyTorch takes it for a leaf
    renew(tensor)
    if tensor.op is not None:
        retain(tensor)
        tensor.tape.by_node = True


def register_hook(tensor: Tensor, hook: Any) -> Callable[[], Any]:
    """Call `hook` with each gradient that comes to the tensor; what it returns takes its place.

    Returns:
        How to remove it.
    """
    if not tensor.requires_grad:
        raise TorchError("cannot register a hook on a tensor that doesn't require gradient")
    more = tensor.more
    if not more.hooks:  # with a hook PyTorch has asked for the node before, and does not ask again
        renew(tensor)
    if more.hooks is None:
        more.hooks = {}
    tensor.tape.by_node = True
    return register(more.hooks, hook)


def set_requires_grad(tensor: Tensor, value: bool, *, by_method: bool = False) -> None:
    """`tensor.requires_grad = value`, or `requires_grad_(value)`.

    Raises:
        TorchError: not floating point, or turned off on a tensor that is no leaf.
    """
    if value and tensor.dtype.kind not in FLOATING:
        kinds = "floating point dtype" if by_method else "floating point and complex dtype"
        raise TorchError(f"only Tensors of {kinds} can require gradients", hint="Write 1. for 1, or use .float().")
    if is_untracked(tensor):
        return
    if not tensor.is_leaf:
        if value and by_method:
            return
        way_out = (
            ""
            if value
            else (
                " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach()."
            )
        )
        raise TorchError(f"you can only change requires_grad flags of leaf variables.{way_out}")
    if value:
        refuse_requires_grad(tensor)
    if value == tensor.requires_grad:
        return
    if tensor.index >= 0:
        storage.leave_stand_in(tensor, counts=False, keep_value=False)
    tensor.requires_grad = value
    if value:
        tensor.tape.enter(tensor)
    let_views_follow(tensor)


def set_grad(tensor: Tensor, grad: Any) -> None:
    """`tensor.grad = grad`.

    Raises:
        TorchError: not a tensor, or of another shape or dtype.
    """
    if grad is None:
        tensor.more.grad = None
        return
    if not isinstance(grad, Tensor):
        raise TorchError(
            f"assigned grad expected to be a Tensor or None but got grad of type {kind_name(grad)}",
            kind="TypeError",
        )
    if grad is tensor:
        raise TorchError("can't assign Variable as its own grad")
    if grad.dtype != tensor.dtype:
        given = c_name(grad.dtype)
        raise TorchError(
            f"attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype "
            f"'{type_name(tensor.dtype)}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
            "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
            "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match."
        )
    if grad.shape != tensor.shape:
        raise TorchError(
            f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    tensor.more.grad = grad
