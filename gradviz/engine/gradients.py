"""backward() and grad(), what tensors have of them, and hooks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.backward import Pass
from gradviz.engine.dtypes import Size, dtype_of
from gradviz.engine.graph import RemovableHandle, add_hook
from gradviz.engine.state import state, warn
from gradviz.engine.sweep import Sweep
from gradviz.engine.tensor import Tensor, constant, current, extra_of
from gradviz.ops.fitting import Gradient
from gradviz.ops.promotion import cast

CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which "
    "can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to "
    "use this function, make sure to reset the .grad fields of your parameters to None after use to break the cycle "
    "and avoid the leak."
)

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors,
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Tensors | None = None,
) -> None:
    """Send gradients back from tensors to the leaves they depend on, and add them to the leaves' `.grad`.

    Args:
        tensors: where to start.
        grad_tensors: the v of v·J, one for each tensor and of its shape; may be left out for tensors of one element.
        retain_graph: whether the graph can be run again; as create_graph where None.
        create_graph: whether the pass itself is recorded, for derivatives of higher order.
        inputs: the leaves whose `.grad` is added to; all where None.

    Raises:
        RuntimeError: no or a wrong v, nothing that requires grad, a graph that was freed or changed.
    """
    outputs = _tuple(tensors)
    sweep = _start(outputs, grad_tensors if grad_tensors is not None else grad_variables, retain_graph, create_graph)
    if create_graph and inputs is None:
        warn(CYCLE)
    if inputs is None:
        _run(Pass(sweep))
        return
    asked = _tuple(inputs)
    if not asked:
        raise RuntimeError("`inputs` argument to `backward` cannot be empty.")
    work = Pass(sweep, {current(x) for x in asked})
    _run(work)
    for x in asked:
        if (g := work.found.get(current(x))) is not None:
            work.add_to_grad(x, g, current(x))


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """The gradients of outputs with respect to inputs, v·J; no `.grad` is touched.

    Returns:
        One tensor for each input, or None for one that the outputs do not depend on, where that is allowed.

    Raises:
        RuntimeError: as `backward`, and for an input that does not require grad or is not used.
    """
    asked = _tuple(inputs)
    if is_grads_batched:
        return _batched(_tuple(outputs), asked, grad_outputs, retain_graph, create_graph, allow_unused)
    sweep = _start(_tuple(outputs), grad_outputs, retain_graph, create_graph)
    sweep.kind = "grad"
    for x in asked:
        if not current(x).tracked:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    work = Pass(sweep, {current(x) for x in asked})
    _run(work)
    found: list[Any] = []
    for number, x in enumerate(asked):
        g = work.found.get(current(x))
        if g is None and materialize_grads:
            g = np.zeros_like(current(x).array)
        elif g is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {number} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        found.append(g if g is None or isinstance(g, Tensor) else constant(g))
    return tuple(found)


def _batched(
    outputs: tuple[Tensor, ...],
    inputs: tuple[Tensor, ...],
    grad_outputs: Any,
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool | None,
) -> tuple[Tensor, ...]:
    """One pass for each row of v, the results on top of one another."""
    seeds = [current(v).array for v in _tuple(grad_outputs)]
    rows = []
    for row in range(len(seeds[0])):
        keep = True if row < len(seeds[0]) - 1 else retain_graph
        v = [constant(seed[row]) for seed in seeds]
        rows.append(grad(outputs, inputs, v, keep, create_graph, allow_unused=allow_unused))
    return tuple([constant(np.stack([current(row[i]).array for row in rows])) for i in range(len(inputs))])


def _run(work: Pass) -> None:
    """Run a pass, and tell whoever records; also what ran of one that failed."""
    if state.on_begin is not None:
        state.on_begin(work.sweep)
    try:
        work.run()
    finally:
        if state.on_sweep is not None:
            state.on_sweep(work.sweep)


def _tuple(x: Any) -> tuple[Any, ...]:
    return (x,) if isinstance(x, Tensor) else tuple(x)


def _start(outputs: tuple[Tensor, ...], given: Any, retain_graph: bool | None, create_graph: bool) -> Sweep:
    """A pass made ready, its arguments checked."""
    if isinstance(given, Tensor) or given is None:
        given = (given,) if given is not None else (None,) * len(outputs)
    elif not isinstance(given, Iterable):
        raise TypeError(f"'{type(given).__name__}' object is not iterable")
    given = tuple(given)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    keep = create_graph if retain_graph is None else retain_graph
    entries = tuple([current(y) for y in outputs])
    sweep = Sweep(entries, (), keep, create_graph)
    try:
        sweep.seeds = tuple([_seed_at(sweep, i, v) for i, v in enumerate(given)])
        for number, sweep.at in enumerate(entries):
            if not sweep.at.tracked:
                raise RuntimeError(f"element {number} of tensors does not require grad and does not have a grad_fn")
    except (RuntimeError, TypeError) as error:
        sweep.seeds, sweep.error = (), error
        if state.on_sweep is not None:
            state.on_sweep(sweep)
        raise
    sweep.at = None
    return sweep


def _seed_at(sweep: Sweep, number: int, v: Tensor | None) -> Gradient:
    """The v of one output of a pass, which is at that output meanwhile."""
    sweep.at = sweep.outputs[number]
    return _seed(number, sweep.at, v, sweep.create_graph)


def _seed(number: int, y: Tensor, v: Tensor | None, create_graph: bool) -> Gradient:
    """The v of one output; ones where none was given and the output has one element."""
    if v is None:
        if y.array.size != 1 and y.tracked:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        ones = np.ones_like(y.array)[()]
        return constant(ones) if create_graph else ones
    if not isinstance(v, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(v).__name__}")
    now = current(v)
    if now.array.shape != y.array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{number}] has a shape of {Size(now.array.shape)} and output[{number}] has "
            f"a shape of {Size(y.array.shape)}."
        )
    array = cast(now.array, y.array.dtype)
    if not create_graph:
        return array
    return now if array is now.array else constant(array)


# ---- what tensors have of it ------------------------------------------------------------------------------------


def tensor_backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Send `gradient` back from this tensor; see `torch.autograd.backward`."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


tensor_backward.__name__, tensor_backward.__qualname__ = "backward", "Tensor.backward"  # for Python's messages

NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations."
)


def get_grad(x: Tensor) -> Tensor | None:
    """The `.grad` of a tensor."""
    extra = x.extra
    now = current(x)
    if (
        now.op is not None
        and now.tracked
        and not (extra is not None and (extra.retains_grad or extra.grad is not None))
    ):
        warn(NOT_A_LEAF)
    return None if extra is None else extra.grad


def set_grad(x: Tensor, value: Tensor | None) -> None:
    """Give a tensor another `.grad`.

    Raises:
        TypeError, RuntimeError: no tensor, or one of another shape or dtype.
    """
    if value is None:
        if x.extra is not None:
            x.extra.grad = None
        return
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    given, own = current(value).array, current(x).array
    if given.shape != own.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(given.shape)}' to a tensor of size '{list(own.shape)}'. "
            "Please ensure that the gradient and the tensor are the same size"
        )
    if given.dtype != own.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{dtype_of(given.dtype).type_name.lower()}' to a tensor with "
            f"grad_dtype '{dtype_of(own.dtype).type_name}'. The gradient must match the tensor's grad_dtype (defaults "
            "to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
            "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match."
        )
    extra_of(x).grad = value


def retain_grad(self: Tensor) -> None:
    """Keep the gradient that comes in here, although this is no leaf."""
    now = current(self)
    if not now.tracked:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if now.op is None:
        return
    extra_of(self).retains_grad = True
    extra = extra_of(now)
    extra.retains_grad = True
    if now is not self:
        extra.owner = self


def register_hook(self: Tensor, hook: Any) -> RemovableHandle:
    """Call hook(gradient) when the gradient of this tensor is whole; what it returns replaces the gradient."""
    now = current(self)
    if not now.tracked:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    extra = extra_of(self if now.op is None else now)
    if extra.hooks is None:
        extra.hooks = OrderedDict()
    state.has_leaf_hooks |= now.op is None
    return add_hook(extra.hooks, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Any) -> RemovableHandle:
    """Call hook(leaf) after a pass has added to the leaf's `.grad`."""
    now = current(self)
    if not now.tracked:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if now.op is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    extra = extra_of(self)
    if extra.late_hooks is None:
        extra.late_hooks = {}
    state.has_leaf_hooks = True
    return add_hook(extra.late_hooks, hook)
