"""`torch.nn.grad`: the gradients of a convolution as functions, without a backward pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.pictures.convolution import checked, each
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.rules.pictures.convolution import out_size
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError

Ints = tuple[int, ...]
INPUT, WEIGHT = 0, 1
"""Which gradient of a convolution's node."""


def _stand_in(v: Tensor, size: Any) -> Tensor:
    """A tensor of that size which takes no memory: of what is differentiated the size alone counts."""
    return constant(np.broadcast_to(np.zeros((), v.dtype), tuple(int(n) for n in size)), v.tape)


def _gradient(output: int, v: Tensor, x: Tensor, w: Tensor, params: dict[str, Any]) -> Tensor:
    """Checked as PyTorch checks a convolution, and then that v has the shape of what it gives."""
    axes = len(params["stride"])
    given = {name: params[name] for name in ("stride", "padding", "dilation")}
    checked(f"conv{axes}d", x, w, None, given, params["groups"])
    wanted = (x.shape[0], w.shape[0], *out_size(x.shape[2:], w.shape[2:], **given))
    for axis, n in enumerate(wanted):
        if v.ndim != len(wanted) or v.shape[axis] != n:
            got = f"{v.ndim}" if v.ndim != len(wanted) else f"{v.ndim} and tensor.size[{axis}] = {v.shape[axis]}"
            raise TorchError(
                f"Expected a tensor of dimension {len(wanted)} and tensor.size[{axis}] == {n} but got: dimension {got}",
                hint="grad_output has the shape of the convolution's result.",
            )
    return apply(OPS[f"conv{axes}d_backward"], (v, x, w), **params, output=output)


def _functions(axes: int) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    def shared(stride: Any, padding: Any, dilation: Any, groups: int) -> dict[str, Any]:
        if isinstance(padding, str):
            raise TorchError(
                "Overloaded torch operator invoked from Python failed to match any schema:\n"
                "aten::convolution_backward() Expected a value of type 'List[int]' for argument 'padding' but instead "
                "found type 'tuple'.",
                hint="Give the padding as numbers.",
            )
        turned = {"stride": stride, "padding": padding, "dilation": dilation}
        return {name: each(value, axes) for name, value in turned.items()} | {"groups": groups}

    def of_input(
        input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        v, w = need(of_input.__name__, grad_output), need(of_input.__name__, weight)
        return _gradient(INPUT, v, _stand_in(v, input_size), w, shared(stride, padding, dilation, groups))

    def of_weight(
        input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        v, x = need(of_weight.__name__, grad_output), need(of_weight.__name__, input)
        return _gradient(WEIGHT, v, x, _stand_in(v, weight_size), shared(stride, padding, dilation, groups))

    of_input.__name__, of_weight.__name__ = f"conv{axes}d_input", f"conv{axes}d_weight"
    return of_input, of_weight


GRADIENTS: dict[str, Callable[..., Tensor]] = {f.__name__: f for axes in (1, 2, 3) for f in _functions(axes)}
"""The members of `torch.nn.grad`."""
