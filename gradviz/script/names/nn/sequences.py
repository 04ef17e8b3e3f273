"""`torch.nn.utils.rnn`: sequences of unlike lengths put side by side, and taken apart again."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import storage
from gradviz.engine.creation import check_size
from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.indexing import get
from gradviz.engine.tensor import Tensor, constant
from gradviz.errors import ScriptError, TorchError
from gradviz.script.machine import Machine
from gradviz.script.values import Namespace, Native, type_name

PACKED = ("pack_padded_sequence", "pad_packed_sequence", "pack_sequence", "unpack_sequence", "PackedSequence")


def pad_sequence(
    machine: Machine, sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences (length, ...) side by side, filled up to the longest: each is written into it, as PyTorch does."""
    if isinstance(sequences, Tensor):
        sequences = F["unbind"](sequences, 0)
    elif not hasattr(sequences, "__iter__"):
        raise TorchError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"<class '{type_name(sequences)}'>"
        )
    given = machine.listed(sequences)
    if not given:
        raise TorchError("received an empty list of sequences")
    if padding_side not in ("right", "left"):
        raise TorchError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    longest, rest = max(x.shape[0] for x in given), given[0].shape[1:]
    lead = (len(given), longest) if batch_first else (longest, len(given))
    size = check_size((*lead, *rest))
    out = constant(np.full(size, padding_value, given[0].dtype), given[0].tape)
    for number, x in enumerate(given):
        if x.shape[1:] != rest:
            raise TorchError(
                f"The size of tensor a ({rest[-1] if rest else 1}) must match the size of tensor b "
                f"({x.shape[-1]}) at non-singleton dimension {x.ndim - 1}"
            )
        start = 0 if padding_side == "right" else longest - x.shape[0]
        part = slice(start, start + x.shape[0])
        storage.put(out, (number, part) if batch_first else (part, number), x)
    return out


def unpad_sequence(
    machine: Machine, padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences without what they were filled up with."""
    rows = padded_sequences if batch_first else F["transpose"](padded_sequences, 0, 1)
    counts = lengths.data.tolist() if isinstance(lengths, Tensor) else machine.listed(lengths)
    inside = constant(np.arange(rows.shape[1]), rows.tape)
    return [get(get(rows, number), F["lt"](inside, int(count))) for number, count in enumerate(counts)]


def _refused(name: str) -> Native:
    def run(*_: Any, **__: Any) -> None:
        raise ScriptError(
            f"'torch.nn.utils.rnn.{name}' is not supported by gradviz",
            hint="Pad the sequences with pad_sequence, and mask the loss where they have ended.",
        )

    return Native(name, run)


def sequences_namespace() -> Namespace:
    """The namespace `torch.nn.utils.rnn`."""
    members = {f.__name__: Native(f.__name__, f, needs_machine=True) for f in (pad_sequence, unpad_sequence)}
    return Namespace("torch.nn.utils.rnn", members | {name: _refused(name) for name in PACKED})
