"""What a Jacobian looks like, named from its entries, and what backward does instead of building it.

The name is that of the entries as they are here: of the shape of the two arrays, and of where something else than 0
stands. Of a large Jacobian some rows are looked at. Knows no Qt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.formula.jacobian import can_broadcast
from gradviz.playback.product.jacobian import Jacobian, Matrix
from gradviz.recording import counted

Places = np.ndarray[Any, np.dtype[np.bool_]]

NUMBER = "one number"
IDENTITY = "identity"
DIAGONAL = "diagonal"
BROADCAST = "broadcast sum"
PERMUTATION = "permutation"
PICKED = "one-hot rows"
COPIED = "one-hot rows, repeated"
PLACED = "one-hot columns"
EQUAL_ROW = "one row, all equal"
ROW = "one row"
COLUMN = "one column"
BLOCKS = "equal blocks"
STRIPES = "equal stripes"
LOWER = "lower triangle"
UPPER = "upper triangle"
SINGLE = "one entry a row"
SPARSE = "sparse"
DENSE = "dense"
ZERO = "all 0"


class Structure(NamedTuple):
    """What a Jacobian looks like.

    Attributes:
        name: one of the names above.
        words: the name with its figures, "2 equal blocks of 3 × 2".
        cost: a sentence: what backward did, and how many numbers the matrix would have.
        block: the block that is repeated, where one is.
    """

    name: str
    words: str
    cost: str
    block: Matrix | None = None


def structure_of(jacobian: Jacobian, rows: Sequence[int], matrix: Matrix, *, moves: bool = False) -> Structure:
    """The structure as some or all of the rows show it.

    Args:
        jacobian: which is looked at.
        rows: the numbers of those rows.
        matrix: the rows themselves; of shape (len(rows), columns).
        moves: whether the op is known to do nothing but move elements, which some rows alone cannot tell.
    """
    height, width = jacobian.shape
    numbers = np.asarray(rows, dtype=np.int64)
    name = _of_few(jacobian, numbers, matrix)
    block = None
    if name == PERMUTATION and len(rows) < height and not moves:
        name = PICKED
    if not name and len(rows) == height:
        name, block = _of_blocks(matrix)
    name = name or _of_many(matrix, is_whole=len(rows) == height)
    words = name
    if block is not None:
        count = height // block.shape[0]
        what = "blocks" if name == BLOCKS else "stripes"
        words = f"{count} equal {what} of {block.shape[0]} × {block.shape[1]}"
    did = _DONE.get(name, _taken)(height, width, matrix)
    cost = f"backward {did}; the matrix would have {height * width:,}."
    return Structure(name, words, cost if height * width > 1 else f"backward {did}.", block)


def _of_few(jacobian: Jacobian, rows: np.ndarray[Any, np.dtype[np.int64]], matrix: Matrix) -> str:
    """The name of a structure with one entry a row or a column, or of one line; "" for any other."""
    height, width = jacobian.shape
    if height == width == 1:
        return NUMBER
    used: Places = matrix != 0  # a NaN is not 0
    own = _broadcast_columns(jacobian)
    if own is not None and not used[own[rows][:, None] != np.arange(width)].any():
        if height != width:
            is_placed = len(rows) == height and _are_placed(used, matrix)
            return COLUMN if width == 1 else PLACED if is_placed else BROADCAST
        return IDENTITY if bool((matrix[np.arange(len(rows)), own[rows]] == 1).all()) else DIAGONAL
    if not used.any():
        return ZERO
    if height == 1 and int(used.sum()) > 1:
        return EQUAL_ROW if bool((matrix == matrix[0, 0]).all()) else ROW
    if width == 1:
        return COLUMN
    return _single(used, matrix, height, width) if int(used.sum(axis=1).max()) <= 1 else ""


def _broadcast_columns(jacobian: Jacobian) -> np.ndarray[Any, np.dtype[np.int64]] | None:
    """The element of the input that broadcasting brings to each element of the result; None where it does not fit."""
    if not can_broadcast(jacobian.input_shape, jacobian.result_shape):
        return None
    numbered = np.arange(math.prod(jacobian.input_shape)).reshape(jacobian.input_shape)
    return np.broadcast_to(numbered, jacobian.result_shape).ravel()


def _single(used: Places, matrix: Matrix, height: int, width: int) -> str:
    """The name where no row has more than one entry."""
    if not bool((matrix[used] == 1).all()):
        return SINGLE
    is_full, is_once = bool(used.any(axis=1).all()), int(used.sum(axis=0).max()) <= 1
    if is_full and is_once and height <= width:
        return PERMUTATION if height == width else PICKED
    if is_full:
        return COPIED
    return PLACED if is_once else SINGLE


def _are_placed(used: Places, matrix: Matrix) -> bool:
    """Whether every column has a single 1, and some rows have none: the input was set among other numbers."""
    return _are_ones(matrix) and int(used.sum(axis=0).max()) <= 1


def _of_blocks(matrix: Matrix) -> tuple[str, Matrix | None]:
    """Whether one block stands along the diagonal again and again, or each of its entries on a diagonal of its own."""
    height, width = matrix.shape
    common = math.gcd(height, width)
    for count in range(common, 1, -1):
        if common % count:
            continue
        down, across = height // count, width // count
        for name, block, whole in (
            (BLOCKS, matrix[:down, :across], np.kron(np.eye(count), matrix[:down, :across])),
            (STRIPES, matrix[::count, ::count], np.kron(matrix[::count, ::count], np.eye(count))),
        ):
            if np.isfinite(block).all() and np.array_equal(whole, matrix):
                return name, block
    return "", None


def _of_many(matrix: Matrix, *, is_whole: bool) -> str:
    used: Places = matrix != 0
    if is_whole and matrix.shape[0] == matrix.shape[1]:
        if not np.triu(used, 1).any():
            return LOWER
        if not np.tril(used, -1).any():
            return UPPER
    return DENSE if bool(used.all()) else SPARSE


# ---- what backward does -------------------------------------------------------------------------------------------


def _numbers(count: int) -> str:
    return counted(count, "number")


def _are_ones(matrix: Matrix) -> bool:
    return bool((matrix[matrix != 0] == 1).all())


def _taken(height: int, width: int, _: Matrix) -> str:
    return f"took {_numbers(height)} and gave back {width:,}"


def _summed(height: int, width: int, matrix: Matrix) -> str:
    first = "added" if _are_ones(matrix) else f"multiplied {_numbers(height)} and added"
    return f"{first} {_numbers(height) if _are_ones(matrix) else 'them'} up to {width:,}"


def _copied(_: int, width: int, matrix: Matrix) -> str:
    if _are_ones(matrix):
        return f"copied 1 number {width:,} times"
    return f"multiplied 1 number and copied it {width:,} times"


_DONE: dict[str, Callable[[int, int, Matrix], str]] = {
    NUMBER: lambda _height, _width, matrix: (
        "passed 1 number on unchanged" if _are_ones(matrix) else "multiplied 1 number"
    ),
    IDENTITY: lambda height, *_: f"passed {_numbers(height)} on unchanged",
    DIAGONAL: lambda height, *_: f"multiplied {_numbers(height)}",
    BROADCAST: _summed,
    COLUMN: _summed,
    COPIED: _summed,
    PERMUTATION: lambda height, *_: f"moved {_numbers(height)} and multiplied none",
    PICKED: lambda height, *_: f"put {_numbers(height)} back in their places, and 0 elsewhere",
    PLACED: lambda height, width, _: f"took {width:,} of the {_numbers(height)} and dropped the rest",
    EQUAL_ROW: _copied,
    ROW: lambda _height, width, _: f"multiplied 1 number by {width:,}",
    BLOCKS: lambda _height, _width, matrix: f"made {np.count_nonzero(matrix):,} products of two numbers",
    STRIPES: lambda _height, _width, matrix: f"made {np.count_nonzero(matrix):,} products of two numbers",
    SINGLE: lambda height, *_: f"multiplied {_numbers(height)}",
    ZERO: lambda _height, width, _: f"gave 0 to {_numbers(width)}",
}
