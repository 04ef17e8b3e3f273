"""What functions are given as `dim` and as sizes, in one form and checked."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

from gradviz.engine.dtypes import type_name_of


def out_of_range(dim: int, ndim: int) -> IndexError:
    """PyTorch's error for a dim that a tensor does not have."""
    limit = max(ndim, 1)
    return IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")


def dim_within(dim: Any, ndim: int) -> int:
    """A dim counted from the front; a tensor of no dims takes 0 and -1, as if it had one.

    Raises:
        IndexError: the tensor does not have it.
        TypeError: it is no whole number.
    """
    at: int = operator.index(dim)
    limit = ndim or 1
    if not -limit <= at < limit:
        raise out_of_range(at, ndim)
    return at if at >= 0 else at + limit


def dims_within(dims: Iterable[Any], ndim: int) -> tuple[int, ...]:
    """Several dims counted from the front.

    Raises:
        IndexError: the tensor does not have one of them.
        RuntimeError: one stands there twice.
    """
    found = tuple([dim_within(dim, ndim) for dim in dims])
    if len(set(found)) != len(found):
        twice = next(dim for dim in found if found.count(dim) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return found


def sizes_of(given: Sequence[Any], function: str, name: str = "size") -> tuple[int, ...]:
    """Sizes given one by one, f(2, 3), or as one sequence, f((2, 3)).

    Raises:
        TypeError: one is no whole number.
    """
    sizes = given[0] if len(given) == 1 and isinstance(given[0], tuple | list) else given
    try:
        return tuple([operator.index(size) for size in sizes])
    except TypeError:
        wrong = next(size for size in sizes if not hasattr(size, "__index__"))
        raise TypeError(
            f"{function}(): argument '{name}' (position 1) must be tuple of ints, not {type_name_of(wrong)}"
        ) from None


def with_inferred(sizes: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Sizes for a number of elements, -1 replaced by what remains.

    Raises:
        RuntimeError: they do not fit the number of elements, or -1 stands there twice.
    """
    known = math.prod([size for size in sizes if size != -1])
    unknown = sizes.count(-1)
    if unknown > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(size < -1 for size in sizes):
        raise RuntimeError(f"invalid shape dimension {min(sizes)}")
    if known == count and not unknown:
        return sizes
    if not unknown or (known and count % known):
        raise RuntimeError(f"shape '{list(sizes)}' is invalid for input of size {count}")
    if not known:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(sizes)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    return tuple([count // known if size == -1 else size for size in sizes])
