"""Sequences of different lengths in one tensor: `torch.nn.utils.rnn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradviz.engine.known import missing_of
from gradviz.engine.nn import functional as F
from gradviz.engine.ops.shape import cat, stack
from gradviz.engine.tensor import Tensor, constant, current


class PackedSequence(NamedTuple):
    """Sequences without padding, one step after the other.

    Attributes:
        data: all elements: those of step 0, then those of step 1, and so on, of shape (total, *).
        batch_sizes: how many sequences have each step.
        sorted_indices: where the sequences stood that are now sorted by length, longest first.
        unsorted_indices: the way back.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    @property
    def is_cuda(self) -> bool:
        """False: the only device is the CPU."""
        return False

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """With the data in another dtype."""
        return self._replace(data=self.data.to(*args, **kwargs))


PackedSequence.__module__ = "torch.nn.utils.rnn"  # what print(type(packed)) shows


def _check_lengths(lengths: np.ndarray[Any, Any]) -> None:
    if not lengths.size or lengths.min() <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Padded sequences without their padding.

    Args:
        input: of shape (L, N, *), or (N, L, *) with batch_first.
        lengths: of the N sequences.
        enforce_sorted: whether they must come longest first; else they are sorted.

    Raises:
        RuntimeError: a length of 0, or lengths that are not sorted.
    """
    given = np.asarray(current(lengths).array if isinstance(lengths, Tensor) else lengths, np.int64)
    _check_lengths(given)
    order = back = None
    if not enforce_sorted:
        order = np.argsort(-given, kind="stable")
        back = np.argsort(order, kind="stable")
        given = given[order]
    elif (np.diff(given) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    batch = input.shape[0 if batch_first else 1]
    if batch != given.size:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {given.size} (batch_size={batch})"
        )
    steps, rows = np.nonzero(np.arange(given[0])[:, None] < given)
    sequences = constant(rows if order is None else order[rows])
    at = constant(steps)
    data = input[sequences, at] if batch_first else input[at, sequences]
    sizes = constant((given > np.arange(given[0])[:, None]).sum(axis=1))
    if order is None or back is None:
        return PackedSequence(data, sizes)
    return PackedSequence(data, sizes, constant(order), constant(back))


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Packed sequences as one padded tensor, with their lengths.

    Args:
        total_length: of the result; the longest sequence decides where it is None.

    Raises:
        ValueError: the total length is less than that of the longest sequence.
    """
    sizes = current(sequence.batch_sizes).array
    steps = longest = len(sizes)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        steps = total_length
    data = sequence.data
    batch = int(sizes[0])
    lengths = (np.arange(batch)[:, None] < sizes).sum(axis=1)
    # Where each element stands among the data; padding stands behind all of them.
    where = np.full((steps, batch), len(data))
    where[:longest][np.arange(batch) < sizes[:, None]] = np.arange(len(data))
    if sequence.unsorted_indices is not None:
        back = current(sequence.unsorted_indices).array
        where, lengths = where[:, back], lengths[back]
    array = current(data).array
    padding = constant(np.full((1, *array.shape[1:]), padding_value, array.dtype))
    whole = cat((data, padding)) if (where == len(data)).any() else data
    return whole[constant(where.T if batch_first else where)], constant(lengths)


def pad_sequence(
    sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Tensors of different first sizes as one, padded to the longest: (L, N, *), or (N, L, *) with batch_first."""
    tensors = list(sequences)
    longest = max(len(x) for x in tensors)
    padded = []
    for x in tensors:
        missing = longest - len(x)
        margin = (0, missing) if padding_side == "right" else (missing, 0)
        around = (*(0, 0) * (x.ndim - 1), *margin)
        padded.append(F.pad(x, around, value=padding_value) if missing else x)
    return stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The tensors that `pad_sequence` put together."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:length] for row, length in zip(rows, current(lengths).array.tolist(), strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Tensors of different first sizes, packed."""
    lengths = [len(x) for x in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The tensors that `pack_sequence` packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


__getattr__ = missing_of("torch.nn.utils.rnn")
