"""What PyTorch asks of a window before it pools, in its order and words, and the size of what comes out.

Source: aten/src/ATen/native/Pool.h. One axis is asked for itself by `max_pool1d`, and as a picture of one row else.
"""

from __future__ import annotations

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError

Ints = tuple[int, ...]
COUNTS = {2: "two", 3: "three"}


def _out(n: int, k: int, s: int, p: int, d: int, is_ceil: bool) -> int:
    if s == 0:
        raise TorchError("stride should not be zero")
    if p < 0:
        raise TorchError(f"pad must be non-negative, but got pad: {p}")
    if p > int(((k - 1) * d + 1) / 2):
        raise TorchError(
            f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}"
        )
    room = n + 2 * p - d * (k - 1) - 1
    m = (room + (s - 1 if is_ceil else 0)) // s + 1
    return m - 1 if is_ceil and (m - 1) * s >= n + p else m


def one_for_each_axis(name: str, axes: int, **numbers: Ints) -> None:
    """Raise where a list does not have as many numbers as there are axes."""
    for told, given in numbers.items():
        if len(given) != axes:
            rest = "be omitted, a single int," if told == "stride" else "be a single int,"
            rest = rest if name == "avg_pool3d" else f"either {rest}"
            raise TorchError(f"{name}: {told} must {rest} or a tuple of {COUNTS[axes]} ints")


def one_number(name: str, told: str, numbers: Ints) -> int:
    """The number of a list of one.

    Raises:
        TorchError: it has another length.
    """
    if len(numbers) != 1:
        raise TorchError(f"{name}() argument '{told}' should contain one int (got {len(numbers)})")
    return numbers[0]


def pooled_size(
    name: str, x: Tensor, axes: int, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, is_ceil: bool
) -> Ints:
    """The spatial size of the result.

    Args:
        name: of the function, e.g. "max_pool2d".

    Raises:
        TorchError: too few axes, too wide a border, or a window that does not fit.
    """
    one_for_each_axis(name, axes, kernel_size=kernel, stride=stride, padding=padding, dilation=dilation)
    _check_axes(name, x, axes)
    given = zip(x.shape[-axes:], kernel, stride, padding, dilation, strict=True)
    out = tuple(_out(n, k, s, p, d, is_ceil) for n, k, s, p, d in given)
    _check_positive(kernel, "kernel size", "k")
    _check_positive(stride, "stride", "d")
    _check_positive(dilation, "dilation", "dilation")
    _check_size(name, x, axes)
    if name == "avg_pool3d" and any(n < k for n, k in zip(x.shape[-3:], kernel, strict=True)):
        size, window = _lettered("", x.shape[-3:]), _lettered("k", kernel)
        raise TorchError(f"input image ({size}) smaller than kernel size ({window})")
    if any(n < 1 for n in out):
        old, new = ("x".join(map(str, (x.shape[-axes - 1], *size))) for size in (x.shape[-axes:], out))
        raise TorchError(f"Given input size: ({old}). Calculated output size: ({new}). Output size is too small")
    return out


def _check_axes(name: str, x: Tensor, axes: int) -> None:
    if name == "avg_pool2d":  # which looks for channels first
        if x.ndim < 3:
            text = f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got -3)"
            empty = "Dimension specified as -3 but tensor has no dimensions"
            raise TorchError(text if x.ndim else empty, kind="IndexError")
    elif x.ndim not in (axes + 1, axes + 2):
        raise TorchError(f"non-empty {axes + 1}D or {axes + 2}D (batch mode) tensor expected for input")


def _check_positive(numbers: Ints, told: str, letter: str) -> None:
    if any(n <= 0 for n in numbers):
        text = _lettered(letter, numbers)
        raise TorchError(f"{told} should be greater than zero, but got {text}")


def _lettered(letter: str, numbers: Ints) -> str:
    names = "THW"[-len(numbers) :]
    return " ".join(f"{letter}{name}: {n}" for name, n in zip(names, numbers, strict=True))


def _check_size(name: str, x: Tensor, axes: int) -> None:
    size = f"[{', '.join(map(str, x.shape))}]"
    if axes == 2:
        if x.ndim not in (3, 4) or 0 in x.shape[x.ndim - 3 :]:
            raise TorchError(
                "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:" + size
            )
        return
    called = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else name
    if 0 in x.shape[x.ndim - 4 :]:  # of which PyTorch names the length, for the place
        raise TorchError(
            f"{called}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{size} and non-batch dimension 0 has length zero!"
        )


def check_one_axis(x: Tensor, width: int, step: int, border: int, spread: int) -> None:
    """Raise where `max_pool1d` does not take an input or a window."""
    if x.ndim not in (2, 3) or 0 in x.shape[-2:]:
        raise TorchError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"[{', '.join(map(str, x.shape))}]"
        )
    for told, number in (("kernel_size", width), ("stride", step)):
        if number <= 0:
            raise TorchError(f"max_pool1d() {told} must be greater than zero, but got {number}")
    if border < 0:
        raise TorchError(f"max_pool1d() padding must be non-negative, but got {border}")
    if border > width // 2:
        raise TorchError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={border} and "
            f"kernel_size={width}"
        )
    if spread <= 0:
        raise TorchError(f"max_pool1d() dilation must be greater than zero, but got {spread}")
    room = x.shape[-1] + 2 * border - spread * (width - 1) - 1
    if room // step + 1 <= 0:
        raise TorchError(f"max_pool1d() Invalid computed output size: {room // step + 1}")
