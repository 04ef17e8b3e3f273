"""`torch.nn.utils.rnn`: sequences of unlike lengths put side by side, and taken apart again."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.dtypes import INT64
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.functions.shapes.shaping import view
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.reading import get
from gradviz.imitation.engine.indexing.writing import put_part
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.containers import fill_record
from gradviz.imitation.script.values import Class, Instance, Namespace, Native, Property, Static, type_name


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
        put_part(out, (number, part) if batch_first else (part, number), x)
    return out


def unpad_sequence(
    machine: Machine, padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences without what they were filled up with."""
    rows = padded_sequences if batch_first else F["transpose"](padded_sequences, 0, 1)
    counts = lengths.data.tolist() if isinstance(lengths, Tensor) else machine.listed(lengths)
    inside = constant(np.arange(rows.shape[1]), rows.tape)
    return [get(get(rows, number), F["lt"](inside, int(count))) for number, count in enumerate(counts)]


# ---- packed ----


@dataclass(frozen=True)
class Packed:
    """What a PackedSequence holds.

    Attributes:
        data: the examples of each step below those of the step before.
        sizes: how many examples each step has.
        sorted: where each example stood before they were sorted by length, or None.
        unsorted: where each stands now, or None.
    """

    data: Tensor
    sizes: list[int]
    sorted: Tensor | None
    unsorted: Tensor | None


FIELDS = ["data", "batch_sizes", "sorted_indices", "unsorted_indices"]


def packed_class(machine: Machine) -> Class:
    """`PackedSequence`, a named tuple."""
    cls = Class("PackedSequence", (machine.builtins["tuple"],), module="torch.nn.utils.rnn")
    fill_record(machine, cls, FIELDS, dict.fromkeys(FIELDS[1:]))
    new = cls.attributes["__new__"].function.run

    def made(cls: Class, data: Any, batch_sizes: Any = None, *indices: Any, **named: Any) -> Any:
        given = dict(zip(FIELDS[2:], indices, strict=False)) | named
        if given.get("unsorted_indices") is None:
            given["unsorted_indices"] = invert_permutation(machine, given.get("sorted_indices"))
        return new(cls, data, batch_sizes, given.get("sorted_indices"), given["unsorted_indices"])

    cls.attributes |= {
        "__new__": Static(Native("__new__", made)),
        "to": Native("to", _converted, is_method=True),
        "cpu": Native("cpu", lambda packed: packed, is_method=True),
        **{name: Native(name, _cast(name), is_method=True) for name in ("float", "double", "half", "long", "int")},
        "is_cuda": Property(Native("is_cuda", lambda packed: False, is_method=True)),
    }
    return cls


def _cast(name: str) -> Any:
    return lambda packed: packed_again(packed, F[name](packed[0]))


def _converted(packed: Any, *arguments: Any, **options: Any) -> Any:
    machine = packed.machine
    data = machine.call(attributes.get(machine, packed[0], "to"), arguments, options)
    return packed if data is packed[0] else packed_again(packed, data)


def as_packed(value: Any) -> Packed | None:
    """What a PackedSequence holds; None of anything else."""
    if not isinstance(value, Instance) or not value.cls.is_a(value.machine.state["PackedSequence"]):
        return None
    data, sizes, places, back = tuple(value)
    return Packed(data, sizes.data.tolist(), places, back)


def packed_again(value: Any, data: Tensor) -> Any:
    """The same, with other data."""
    return value.machine.call(value.cls, (data, *tuple(value)[1:]), {})


def invert_permutation(machine: Machine, permutation: Tensor | None) -> Tensor | None:
    """Where each place of a permutation went."""
    if permutation is None:
        return None
    return constant(np.argsort(permutation.data, kind="stable"), permutation.tape)


NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
    "need ONNX exportability."
)


def pack_padded_sequence(
    machine: Machine, input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> Any:
    """The steps that belong to the sequences, without what they were filled up with."""
    counts = to(lengths if isinstance(lengths, Tensor) else machine.tensor(np.array(machine.listed(lengths))), INT64)
    batch = 0 if batch_first else 1
    order = None
    if not enforce_sorted:
        counts, order = F["sort"](counts, descending=True)
        input = F["index_select"](input, batch, order)
    found = counts.data.tolist()
    _check_lengths(input, found, batch)
    sizes = [sum(count > t for count in found) for t in range(found[0])]
    there = sizes[: input.shape[1 - batch]]  # a length beyond the end is only found where the sequence is used
    steps = np.repeat(np.arange(len(there)), there)
    examples = np.concatenate([np.arange(n) for n in there])
    index = (examples, steps) if batch_first else (steps, examples)
    data = apply(OPS["pack_padded_sequence"], (input,), index=index)
    return machine.call(machine.state["PackedSequence"], (data, machine.tensor(np.array(sizes)), order), {})


def _check_lengths(input: Tensor, lengths: list[int], batch: int) -> None:
    if not input.data.size:
        raise TorchError("Cannot pack empty tensors.")
    if len(lengths) != input.shape[batch]:
        raise TorchError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size="
            f"{input.shape[batch]})"
        )
    if lengths != sorted(lengths, reverse=True):
        raise TorchError(NOT_SORTED)
    if lengths[-1] <= 0:
        raise TorchError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )


def pad_packed_sequence(
    machine: Machine,
    sequence: Any,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The sequences side by side again, and their lengths."""
    packed = as_packed(sequence)
    if packed is None:
        raise TorchError(f"'{type_name(sequence)}' object has no attribute 'batch_sizes'", kind="AttributeError")
    longest = len(packed.sizes)
    if total_length is not None and total_length < longest:
        raise TorchError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}",
            kind="ValueError",
        )
    out = _spread(packed, longest if total_length is None else total_length, padding_value)
    lengths = machine.tensor(np.array([sum(n > i for n in packed.sizes) for i in range(packed.sizes[0])]))
    if batch_first:
        out = F["transpose"](out, 0, 1)
    if packed.unsorted is None:
        return out, lengths
    return F["index_select"](out, 0 if batch_first else 1, packed.unsorted), get(lengths, packed.unsorted)


def _spread(packed: Packed, steps: int, padding_value: float) -> Tensor:
    """Steps with as many examples are written at once, as PyTorch does."""
    data, rest = packed.data, packed.data.shape[1:]
    size = check_size((steps, packed.sizes[0], *rest))
    out = constant(np.full(size, padding_value, data.dtype), data.tape)
    start = row = 0
    for count, same in itertools.groupby(packed.sizes):
        end = start + len(list(same))
        part = get(data, slice(row, row + count * (end - start)))
        put_part(out, (slice(start, end), slice(0, count)), view(part, end - start, count, *rest))
        start, row = end, row + count * (end - start)
    return out


def pack_sequence(machine: Machine, sequences: Any, enforce_sorted: bool = True) -> Any:
    """Sequences of unlike lengths, packed."""
    given = machine.listed(sequences)
    lengths = machine.tensor(np.array([x.shape[0] for x in given]))
    return pack_padded_sequence(machine, pad_sequence(machine, given), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(machine: Machine, packed_sequences: Any) -> list[Tensor]:
    """The sequences one by one."""
    padded, lengths = pad_packed_sequence(machine, packed_sequences, batch_first=True)
    return unpad_sequence(machine, padded, lengths, batch_first=True)


def sequences_namespace(machine: Machine) -> Namespace:
    """The namespace `torch.nn.utils.rnn`."""
    functions = (
        pad_sequence, unpad_sequence, pack_padded_sequence, pad_packed_sequence, pack_sequence, unpack_sequence,
        invert_permutation,
    )  # fmt: skip
    members: dict[str, Any] = {f.__name__: Native(f.__name__, f, needs_machine=True) for f in functions}
    packed = machine.state["PackedSequence"] = packed_class(machine)
    return Namespace("torch.nn.utils.rnn", members | {"PackedSequence": packed})
