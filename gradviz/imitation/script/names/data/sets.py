"""Data sets: those of tensors, parts and sums of others, and the class that scripts derive their own from."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import methods
from gradviz.imitation.script.names.python.iteration import len_
from gradviz.imitation.script.names.torch.generators import stream
from gradviz.imitation.script.subscripts import get_item
from gradviz.imitation.script.values import Class, Instance, Namespace


def _no_item(self: Instance, index: Any) -> Any:
    raise TorchError("Subclasses of Dataset should implement __getitem__.", kind="NotImplementedError")


def _no_iterator(self: Instance) -> Any:
    raise TorchError("Subclasses of IterableDataset should implement __iter__.", kind="NotImplementedError")


def _added(self: Instance, other: Any) -> Any:
    return self.machine.call(_names(self)["ConcatDataset"], ([self, other],), {})


def _names(self: Instance) -> dict[str, Any]:
    utils: Namespace = self.machine.modules["torch"].members["utils"]
    members: dict[str, Any] = utils.members["data"].members
    return members


# ---- tensors side by side ----


def _begin_tensors(self: Instance, *tensors: Any) -> None:
    if any(tensors[0].shape[0] != tensor.shape[0] for tensor in tensors):
        raise TorchError("Size mismatch between tensors", kind="AssertionError")
    self.attributes["tensors"] = tensors


def _tensors_at(self: Instance, index: Any) -> tuple[Any, ...]:
    return tuple(get_item(tensor, index) for tensor in self.attributes["tensors"])


def _tensors_length(self: Instance) -> int:
    return int(self.attributes["tensors"][0].shape[0])


# ---- parts ----


def _begin_subset(self: Instance, dataset: Any, indices: Any) -> None:
    self.attributes |= {"dataset": dataset, "indices": indices}


def _subset_at(self: Instance, index: Any) -> Any:
    held = self.attributes
    if isinstance(index, list):
        return get_item(held["dataset"], [get_item(held["indices"], i) for i in index])
    return get_item(held["dataset"], get_item(held["indices"], index))


def _subset_length(self: Instance) -> int:
    return len_(self.attributes["indices"])


# ---- one after the other ----


def _begin_chain(self: Instance, datasets: Any) -> None:
    parts = self.machine.listed(datasets)
    if not parts:
        raise TorchError("datasets should not be an empty iterable", kind="AssertionError")
    self.attributes |= {"datasets": parts, "cumulative_sizes": list(accumulate(map(len_, parts)))}


def _chain_at(self: Instance, index: int) -> Any:
    ends = self.attributes["cumulative_sizes"]
    if index < 0:
        if -index > ends[-1]:
            raise TorchError("absolute value of index should not exceed dataset length", kind="ValueError")
        index += ends[-1]
    part = bisect_right(ends, index)
    if part == len(ends):
        raise TorchError("list index out of range", kind="IndexError")
    return get_item(self.attributes["datasets"][part], index - (ends[part - 1] if part else 0))


def _chain_length(self: Instance) -> int:
    return int(self.attributes["cumulative_sizes"][-1])


def _streams(self: Instance) -> Iterator[Any]:
    for part in self.attributes["datasets"]:
        if not isinstance(part, Instance) or not part.cls.is_a(self.cls.bases[0]):
            raise TorchError("ChainDataset only supports IterableDataset", kind="AssertionError")
        yield part


def _begin_streams(self: Instance, datasets: Any) -> None:
    self.attributes["datasets"] = datasets


def _streamed(self: Instance) -> Iterator[Any]:
    for part in _streams(self):
        yield from part


# ---- side by side, by place or by name ----


def _begin_stack(self: Instance, *args: Any, **kwargs: Any) -> None:
    if args and kwargs:
        raise TorchError(
            "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types "
            "are given.",
            kind="ValueError",
        )
    parts = list(args or kwargs.values())
    if not parts:
        raise TorchError("At least one dataset should be passed", kind="ValueError")
    if any(len_(part) != len_(parts[0]) for part in parts):
        raise TorchError("Size mismatch between datasets", kind="ValueError")
    self.attributes |= {"datasets": args or kwargs, "_length": len_(parts[0])}


def _stack_at(self: Instance, index: Any) -> Any:
    parts = self.attributes["datasets"]
    if isinstance(parts, dict):
        return {name: get_item(part, index) for name, part in parts.items()}
    return tuple(get_item(part, index) for part in parts)


def _stack_length(self: Instance) -> int:
    return int(self.attributes["_length"])


def classes(machine: Machine) -> dict[str, Class]:
    """The data sets by name."""
    module = "torch.utils.data.dataset"
    base = Class("Dataset", (machine.builtins["object"],), methods({"__getitem__": _no_item, "__add__": _added}),
                 module=module)  # fmt: skip
    base.is_generic = True
    streamed = Class("IterableDataset", (base,), methods({"__iter__": _no_iterator}), module=module)
    tables: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., int]]] = {
        "TensorDataset": (_begin_tensors, _tensors_at, _tensors_length),
        "Subset": (_begin_subset, _subset_at, _subset_length),
        "ConcatDataset": (_begin_chain, _chain_at, _chain_length),
        "StackDataset": (_begin_stack, _stack_at, _stack_length),
    }
    chained = Class("ChainDataset", (streamed,), methods({
        "__init__": _begin_streams, "__iter__": _streamed, "__len__": lambda self: sum(map(len_, _streams(self))),
    }), module=module)  # fmt: skip
    made = {"Dataset": base, "IterableDataset": streamed, "ChainDataset": chained}
    for name, (begin, item, length) in tables.items():
        table = methods({"__init__": begin, "__getitem__": item, "__len__": length})
        made[name] = Class(name, (base,), table, module=module)
    return made


def random_split(machine: Machine, dataset: Any, lengths: Any, generator: Any = None) -> list[Any]:
    """Parts of these sizes, or these shares, with PyTorch's permutation.

    Raises:
        TorchError: sizes that do not add up, in PyTorch's words.
    """
    sizes = _sizes(machine, machine.listed(lengths), len_(dataset))
    if sum(sizes) != len_(dataset):
        raise TorchError("Sum of input lengths does not equal the length of the input dataset!", kind="ValueError")
    order = stream(machine, generator).randperm(sum(sizes)).tolist()
    subset = machine.modules["torch"].members["utils"].members["data"].members["Subset"]
    ends = list(accumulate(sizes))
    return [machine.call(subset, (dataset, order[end - size : end]), {}) for end, size in zip(ends, sizes, strict=True)]


def _sizes(machine: Machine, lengths: list[Any], count: int) -> list[Any]:
    if not (math.isclose(sum(lengths), 1) and sum(lengths) <= 1):
        return lengths
    for place, share in enumerate(lengths):
        if share < 0 or share > 1:
            raise TorchError(f"Fraction at index {place} is not between 0 and 1", kind="ValueError")
    sizes = [math.floor(count * share) for share in lengths]
    for place in range(count - sum(sizes)):
        sizes[place % len(sizes)] += 1
    for place, size in enumerate(sizes):
        if size == 0:
            machine.warnings.warn(f"Length of split at index {place} is 0. This might result in an empty dataset.")
    return sizes
