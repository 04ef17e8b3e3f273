"""Tensors as PyTorch prints them: `repr(tensor)`, `f"{tensor:.2f}"`, `torch.Size([2, 3])`, `torch.float32`.

Knows arrays and print options; knows no graph. NumPy's arrays are printed by NumPy itself.
The text is that of PyTorch 2.13, checked against it character by character.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Any, TypedDict, Unpack

import numpy as np

from gradviz.imitation.engine.printing.numbers import number_texts
from gradviz.imitation.engine.printing.options import DEFAULT, PrintOptions, with_options
from gradviz.errors import TorchError

__all__ = ["DEFAULT", "PrintOptions", "dtype_text", "format_tensor", "size_text", "tensor_text", "with_options"]

Data = np.ndarray[Any, np.dtype[Any]] | np.generic


class TensorAttributes(TypedDict, total=False):
    """What a tensor's text tells besides its numbers; see `tensor_text`."""

    requires_grad: bool
    grad_fn: str | None
    options: PrintOptions
    prefix: str
    is_parameter: bool
    dtype: str | None
    default_dtype: str
    tangent: Any


def size_text(shape: Sequence[int]) -> str:
    """`repr(tensor.shape)`, e.g. "torch.Size([2, 3])"."""
    return f"torch.Size({list(shape)})"


def dtype_text(dtype: str | np.dtype[Any]) -> str:
    """`repr(tensor.dtype)`, e.g. "torch.float32"."""
    return f"torch.{dtype}"


def tensor_text(
    data: Data,
    *,
    requires_grad: bool = False,
    grad_fn: str | None = None,
    options: PrintOptions = DEFAULT,
    prefix: str = "tensor",
    is_parameter: bool = False,
    dtype: str | None = None,
    default_dtype: str = "float32",
    tangent: Any = None,
) -> str:
    """What `repr` gives for a tensor that holds `data`.

    Args:
        data: the values, of any shape; float, int, uint, bool or complex.
        requires_grad: shown as `requires_grad=True` where there is no `grad_fn`.
        grad_fn: name of the backward node, e.g. "PowBackward0", or None for a leaf.
        prefix: the word before the bracket: "tensor", or the class name of a subclass of Tensor.
        is_parameter: whether it is an `nn.Parameter`, which says so on a line of its own.
        dtype: the dtype's name where numpy has none for it ("bfloat16", with `data` in float32).
        default_dtype: the float dtype that is not shown; see `torch.set_default_dtype`.
        tangent: its forward derivative, or None.
    """
    array = np.asarray(data)
    # The opening bracket indents every further line by one.
    indent = len(prefix) + 1
    suffixes = _dtype_suffixes(array, dtype or str(array.dtype), default_dtype, options)
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    text = _with_suffixes(f"{prefix}({_contents(array, indent, options)}", suffixes, indent, options.linewidth)
    return f"Parameter containing:\n{text}" if is_parameter else text


def format_tensor(data: Data, spec: str, **attributes: Unpack[TensorAttributes]) -> str:
    """What `format(tensor, spec)` and an f-string give.

    A tensor of shape () is formatted as its Python number, whether or not it takes a gradient: `f"{t}"` of
    `tensor(0.5, requires_grad=True)` is "0.5". Any other tensor, and a parameter of any shape, is its `repr`.

    Args:
        attributes: as for `tensor_text`.

    Raises:
        TorchError: the number does not know `spec`, or `spec` is not empty and there is no single number.
    """
    is_parameter = attributes.get("is_parameter", False)
    if np.ndim(data) == 0 and not is_parameter and attributes.get("prefix", "tensor") == "tensor":
        try:
            return format(data.item(), spec)
        except (ValueError, OverflowError) as error:
            raise TorchError(str(error), kind=type(error).__name__) from None
    if spec:
        raise TorchError(f"unsupported format string passed to {_class_name(attributes)}.__format__", kind="TypeError")
    return tensor_text(data, **attributes)


def _class_name(attributes: TensorAttributes) -> str:
    if attributes.get("is_parameter", False):
        return "Parameter"
    prefix = attributes.get("prefix", "tensor")
    return "Tensor" if prefix == "tensor" else prefix


def _dtype_suffixes(array: np.ndarray[Any, Any], dtype: str, default: str, options: PrintOptions) -> list[str]:
    suffixes = []
    # [] alone would not tell (0, 3) from (0,), nor an int from a float.
    if (array.size == 0 and array.ndim != 1) or (array.size and not options.edgeitems):
        suffixes.append(f"size={array.shape}")
    if dtype != default and (array.size == 0 or dtype not in _unnamed_dtypes(default)):
        suffixes.append(f"dtype=torch.{dtype}")
    return suffixes


def _unnamed_dtypes(default: str) -> tuple[str, str, str]:
    return ("int64", "bool", "complex128" if default == "float64" else "complex64")


def _with_suffixes(text: str, suffixes: list[str], indent: int, linewidth: float) -> str:
    # A one-line tensor counts one character more than it has; PyTorch's breaks depend on it.
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


def _contents(array: np.ndarray[Any, Any], indent: int, options: PrintOptions) -> str:
    if array.size == 0:
        return "[]"
    is_cut = [False] * array.ndim
    if array.ndim and array.size > options.threshold:
        if not options.edgeitems:
            return "[...]"
        is_cut = [length > 2 * options.edgeitems for length in array.shape]
        array = _edges(array, is_cut, options.edgeitems)
    texts, width = number_texts(array, options)
    return _brackets(texts, array.shape, is_cut, width, indent, options)


def _edges(array: np.ndarray[Any, Any], is_cut: list[bool], edgeitems: int) -> np.ndarray[Any, Any]:
    # All axes at once: one axis after the other would copy most of a wide array.
    kept = [
        np.r_[:edgeitems, length - edgeitems : length] if cut else np.arange(length)
        for length, cut in zip(array.shape, is_cut, strict=True)
    ]
    result: np.ndarray[Any, Any] = array[np.ix_(*kept)]
    return result


def _brackets(
    texts: list[str], shape: tuple[int, ...], is_cut: list[bool], width: int, indent: int, options: PrintOptions
) -> str:
    """Group the texts by the last axis, then those rows by the axis before it, and so on outwards."""
    rank = len(shape)
    for axis in reversed(range(rank)):
        depth = rank - 1 - axis
        groups = _groups(texts, shape[axis], is_cut[axis], " ..." if depth == 0 else "...")
        margin = " " * (indent + axis + 1)
        if depth == 0:
            per_line = max(1, floor((options.linewidth - indent - axis) / (width + 2)))
            texts = [_row(group, per_line, margin) for group in groups]
        else:
            separator = "," + "\n" * depth + margin
            texts = ["[" + separator.join(group) + "]" for group in groups]
    return texts[0]


def _groups(texts: list[str], size: int, is_cut: bool, dots: str) -> list[list[str]]:
    groups = [texts[start : start + size] for start in range(0, len(texts), size)]
    if is_cut:
        for group in groups:
            group.insert(size // 2, dots)
    return groups


def _row(texts: list[str], per_line: int, margin: str) -> str:
    lines = [", ".join(texts[start : start + per_line]) for start in range(0, len(texts), per_line)]
    return "[" + (",\n" + margin).join(lines) + "]"
