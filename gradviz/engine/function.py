"""A custom autograd Function: an op whose forward and backward the user wrote.

Knows nothing of how they are run: the script reader (or a Python caller) hands in two callables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.engine.backward import modified
from gradviz.engine.op import Op
from gradviz.engine.shapes import broadcasts, unbroadcast
from gradviz.engine.storage import version
from gradviz.engine.tensor import Tensor, constant
from gradviz.errors import ScriptError, TorchError


class Context:
    """The `ctx` of a custom Function.

    Attributes:
        saved: what `save_for_backward` was given, with the `versions` of their memory at that time.
        needs: `needs_input_grad`, one bool per argument of `apply`.
        attributes: what the user set on ctx.
    """

    def __init__(self, needs: tuple[bool, ...]) -> None:
        self.needs = needs
        self.saved: tuple[Tensor | None, ...] = ()
        self.versions: tuple[int, ...] = ()
        self.attributes: dict[str, Any] = {}
        self.dirty: tuple[Tensor, ...] = ()
        self.not_differentiable: tuple[Tensor, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for the backward pass.

        Raises:
            TorchError: something else than a tensor or None.
        """
        for number, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TorchError(
                    f"save_for_backward can only save variables, but argument {number} is of type "
                    f"{type(tensor).__name__}",
                    kind="TypeError",
                    hint="Set it on ctx instead: ctx.n = n.",
                )
        self.saved = tensors
        self.versions = tuple(0 if tensor is None else version(tensor) for tensor in tensors)


def apply_function(
    name: str,
    arguments: Sequence[Any],
    forward: Callable[[Context, Sequence[Any]], Any],
    backward: Callable[[Context, Tensor], Any],
) -> Any:
    """Run a custom Function and record it as one node.

    Args:
        name: the class's name; the node is called `<name>Backward`.
        arguments: all arguments of `apply`, tensors or not.
        forward: runs the user's forward with a ctx and the arguments; returns its result.
        backward: runs the user's backward with the ctx and the incoming gradient.

    Raises:
        TorchError: a result that is no tensor, or wrong gradients later in the backward pass.
    """
    tensors = [x for x in arguments if isinstance(x, Tensor)]
    tape = tensors[0].tape if tensors else None
    ctx = Context(tuple(isinstance(x, Tensor) and x.requires_grad for x in arguments))
    if tape is None:
        return forward(ctx, arguments)
    with tape.grad_mode(False):
        result = forward(ctx, arguments)
    if isinstance(result, tuple):
        raise ScriptError(
            f"'{name}.forward' returns several tensors, which is not supported",
            hint="Return one tensor, e.g. with torch.stack or torch.cat.",
        )
    if not isinstance(result, Tensor):
        return result
    if not (tape.grad_enabled and any(ctx.needs)) or result.dtype.kind != "f":
        return result
    return _node(name, arguments, result, ctx, forward, backward)


def _node(
    name: str,
    arguments: Sequence[Any],
    result: Tensor,
    ctx: Context,
    forward: Callable[[Context, Sequence[Any]], Any],
    backward: Callable[[Context, Tensor], Any],
) -> Tensor:
    tape = result.tape
    tensors = [x for x in arguments if isinstance(x, Tensor)]

    def joint(g: Tensor, needs: tuple[bool, ...]) -> tuple[Any, ...]:
        check_versions(ctx)
        return _checked(name, backward(ctx, g), arguments, needs)

    def again(arrays: Sequence[Any]) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        given = iter(arrays)
        inside = [constant(next(given), tape) if isinstance(x, Tensor) else x for x in arguments]
        fresh = Context(ctx.needs)
        with tape.grad_mode(False):
            y = forward(fresh, inside)

        def vjp(v: Any) -> tuple[Any, ...]:
            with tape.grad_mode(False):
                sent = _checked(name, backward(fresh, constant(v, tape)), inside, needs)
            return tuple(None if g is None else g.data for g in sent)

        return y.data, vjp

    needs = tuple(x.requires_grad for x in tensors)
    op = Op(
        name=name,
        symbol="ƒ",
        forward=lambda *_: None,
        vjp=(),
        inputs=tuple(f"x{i}" for i in range(len(tensors))),
        formula=tuple(f"{name}.backward(g)" for _ in tensors),
        equation=f"y = {name}(…)",
        node=f"{name}Backward",
        saves=frozenset({"saved"}) if ctx.saved else frozenset(),
        joint=joint,
        again=again,
    )
    # The user may return an input itself; the node needs a tensor of its own.
    fresh = result.index < 0 and not result.requires_grad and all(result is not x for x in arguments)
    out = result if fresh else constant(result.data, tape)
    out.inputs = tuple(x.index if x.index >= 0 else tape.enter(x) for x in tensors)
    out.requires_grad = True
    out.op = op
    out.index = len(tape.entries)
    tape.entries.append(out)
    return out


def check_versions(ctx: Context) -> None:
    """Raise if something that ctx saved was changed in place since."""
    for tensor, at_saving in zip(ctx.saved, ctx.versions, strict=True):
        if tensor is not None and version(tensor) != at_saving:
            raise modified(tensor, tensor, version(tensor), at_saving)


def _checked(name: str, returned: Any, arguments: Sequence[Any], needs: tuple[bool, ...]) -> tuple[Any, ...]:
    """One gradient per tensor argument out of what the user's backward returned."""
    gradients = returned if isinstance(returned, tuple) else (returned,)
    extra = gradients[len(arguments) :]
    if len(gradients) < len(arguments) or any(g is not None for g in extra):
        raise TorchError(
            f"function {name}Backward returned an incorrect number of gradients (expected {len(arguments)}, got "
            f"{len(gradients)})",
            hint="backward returns one value for every argument of forward, None where there is no gradient.",
        )
    sent: list[Any] = []
    for number, (x, g) in enumerate(zip(arguments, gradients, strict=False)):
        if g is not None and not isinstance(g, Tensor):
            raise TorchError(f"expected Variable or None (got {type(g).__name__})")
        if not isinstance(x, Tensor):
            continue
        sent.append(_fitted(name, number, x, g) if g is not None and needs[len(sent)] else None)
    return tuple(sent)


def _fitted(name: str, number: int, x: Tensor, g: Tensor) -> Tensor:
    if g.shape != x.shape:
        if not broadcasts(x.shape, g.shape):
            raise TorchError(
                f"Function {name}Backward returned an invalid gradient at index {number} - got {list(g.shape)} but "
                f"expected shape compatible with {list(x.shape)}",
                hint="The gradient of an input has the shape of that input.",
            )
        g = constant(unbroadcast(g.data, x.shape), g.tape)
    return g if g.dtype is x.dtype else constant(g.data.astype(x.dtype), g.tape)
