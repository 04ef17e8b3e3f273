"""What `interpolate` refuses: sizes that are no numbers, or none, and pictures without anything in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError

_AXES = ("D", "H", "W")


def _is_length(n: Any) -> bool:
    return isinstance(n, int | np.integer) or (isinstance(n, Tensor) and n.dtype.kind in "iu")


def check_lengths(size: Any) -> None:
    """Raise for several sizes with something else among them.

    Raises:
        TorchError: what they are.
    """
    if isinstance(size, list | tuple) and not all(map(_is_length, size)):
        kinds = ", ".join(f"<class '{kind_name(n)}'>" for n in size)
        raise TorchError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
            f"with types [{kinds}]",
            kind="TypeError",
        )


def kernel_of(mode: str, axes: int, antialias: bool) -> str:
    """The name of PyTorch's function for a mode."""
    name = "_upsample_nearest_exact" if mode == "nearest-exact" else f"upsample_{mode}"
    return f"_{name}{axes}d_aa" if antialias else f"{name}{axes}d"


def check_one_length(size: Any, mode: str, axes: int, antialias: bool) -> None:
    """Raise for a size that is no whole number, which is repeated for each axis and read by the kernel alone.

    Raises:
        TorchError: the forms that the kernel has.
    """
    sizes = size if isinstance(size, list | tuple) else [size] * axes
    if _is_length(sizes[0]) and not isinstance(sizes[0], bool):
        return
    if mode == "area":
        found = f"must be tuple of ints, but found element of type {kind_name(sizes[0])} at pos 0"
        raise TorchError(f"adaptive_avg_pool{axes}d(): argument 'output_size' (position 2) {found}", kind="TypeError")
    weighs = "nearest" not in mode
    corners, kept = (", bool align_corners", ", bool") if weighs else ("", "")
    scales = [f"float scales{end} = None" for end in ([f"_{a.lower()}" for a in _AXES[-axes:]] if axes > 1 else [""])]
    kinds = ", ".join(map(kind_name, sizes))
    found = f"tuple of ({kinds}{',' * (axes == 1)})" if isinstance(sizes, tuple) else f"list of [{kinds}]"
    start = "(Tensor input, tuple of ints output_size"
    raise TorchError(
        f"{kernel_of(mode, axes, antialias)}() received an invalid combination of arguments - got "
        f"(Tensor, {kind_name(sizes)}{kept}, NoneType), but expected one of:\n"
        f" * {start}{corners}, tuple of floats scale_factors)\n"
        "      didn't match because some of the arguments have invalid types: "
        f"(Tensor, !{found}!{kept}, !NoneType!)\n"
        f" * {start}{corners}, {', '.join(scales)}, *, Tensor out = None)\n",
        kind="TypeError",
        hint="A size is a whole number, e.g. int(1.5 * n).",
    )


def check_picture(x: Tensor, new: tuple[int, ...]) -> None:
    """Raise for a picture without pixels or channels, and for a new size without pixels.

    Raises:
        TorchError: the sizes.
    """
    old = x.shape[2:]
    if min(*old, *new) <= 0:
        before, after = (
            ", ".join(f"{a}: {n}" for a, n in zip(_AXES[-len(old) :], sizes, strict=True)) for sizes in (old, new)
        )
        joined = " and output" if len(old) == 1 else " output"
        raise TorchError(f"Input and output sizes should be greater than 0, but got input ({before}){joined} ({after})")
    if not x.shape[1]:
        raise TorchError(f"Non-empty {x.ndim}D data tensor expected but got a tensor with sizes {list(x.shape)}")
