"""Sequences of different lengths in one tensor: `torch.nn.utils.rnn`."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.engine.functions.shape import stack
from gradviz.engine.known import missing_of
from gradviz.engine.nn import functional as F
from gradviz.engine.tensor import Tensor


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


__getattr__ = missing_of("torch.nn.utils.rnn")

__all__ = ["pad_sequence"]
