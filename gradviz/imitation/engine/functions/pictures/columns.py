"""`unfold` and `fold`: the windows of a picture as columns, and columns added up to a picture."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.functions.arguments import ints, need, node_has_sizes, refuse_whole, size_at
from gradviz.imitation.engine.functions.pictures.convolution import each
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.rules.pictures.convolution import out_size
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.errors import TorchError

Ints = tuple[int, ...]


def _both(name: str, given: Any) -> Ints:
    """The height and width of what is given for both or for each."""
    if isinstance(given, list | tuple) and len(given) != 2:
        raise TorchError(f"It is expected {name} equals to 2, but got size {len(given)}")
    return each(given, 2)


def _how(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> dict[str, Ints]:
    found = {"kernel": _both("kernel_size", kernel_size), "dilation": _both("dilation", dilation)}
    found |= {"padding": _both("padding", padding), "stride": _both("stride", stride)}
    for name, (h, w) in found.items():
        if name == "padding" and min(h, w) < 0:
            raise TorchError(f"padding should be non-negative, but got pad_height: {h} pad_width: {w}")
        if name != "padding" and min(h, w) <= 0:
            raise TorchError(
                f"{name}{' size' if name == 'kernel' else ''} should be greater than zero, but got {name}_height: {h} "
                f"{name}_width: {w}"
            )
    return found


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    x = need("im2col", input)
    how = _how(kernel_size, dilation, padding, stride)
    node_has_sizes(x, -1, -2)
    if x.ndim < 3:
        size_at(x, max(x.ndim, 1))
    if x.ndim > 4 or 0 in x.shape[x.ndim == 4 :]:
        raise TorchError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(x.shape)}"
        )
    size = x.shape[-2:]
    out = out_size(size, how["kernel"], how["stride"], how["padding"], how["dilation"])
    if min(out) < 1:
        pairs = {name: f"({h}, {w})" for name, (h, w) in how.items()}
        raise TorchError(
            f"Given input with spatial size {_pair(size)}, kernel_size={pairs['kernel']}, dilation={pairs['dilation']},"
            f" padding={pairs['padding']}, calculated shape of the array of sliding blocks as {_pair(out)}, but its "
            "components must be at least one."
        )
    check_size((*x.shape[:-2], *how["kernel"], *out))
    if x.dtype.kind != "b":
        refuse_whole(x, "im2col_out_cpu")
    return apply(OPS["im2col"], (x,), size=size, **how)


def _pair(size: Ints) -> str:
    return f"({size[0]}, {size[1]})"


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:  # fmt: skip
    x = need("col2im", input)
    size = _both("output_size", ints((output_size,)) if isinstance(output_size, list | tuple) else output_size)
    how = _how(kernel_size, dilation, padding, stride)
    if x.ndim not in (2, 3) or 0 in x.shape[-2:]:
        raise TorchError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(x.shape)}"
        )
    area = prod(how["kernel"])
    if x.shape[-2] % area:
        raise TorchError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={x.shape[-2]} and kernel_size={_pair(how['kernel'])}."
        )
    blocks = out_size(size, how["kernel"], how["stride"], how["padding"], how["dilation"])
    if min(blocks) < 0 or x.shape[-1] != prod(blocks):
        pairs = {name: f"({h}, {w})" for name, (h, w) in how.items()}
        raise TorchError(
            f"Given output_size={_pair(size)}, kernel_size={pairs['kernel']}, dilation={pairs['dilation']}, "
            f"padding={pairs['padding']}, stride={pairs['stride']}, expected size of input's dimension 2 to match the "
            f"calculated number of sliding blocks {blocks[0]} * {blocks[1]} = {prod(blocks)}, but got "
            f"input.size(2)={x.shape[-1]}."
        )
    check_size((*x.shape[:-2], x.shape[-2] // area, *size))
    refuse_whole(x, "col2im_out_cpu")
    return apply(OPS["col2im"], (x,), size=size, **how)


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {"unfold": unfold, "fold": fold}
