"""`DataLoader`: goes through a data set batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.data.batches import collated, converted
from gradviz.imitation.script.names.data.samplers import drawn_seed
from gradviz.imitation.script.names.library.making import methods
from gradviz.imitation.script.names.python.iteration import len_
from gradviz.imitation.script.subscripts import get_item
from gradviz.imitation.script.values import Class, Instance, Native


def data_loader(machine: Machine, classes: dict[str, Class]) -> Class:
    """The class."""

    def begin(
        self: Instance, dataset: Any, batch_size: Any = 1, shuffle: Any = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Any = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None, multiprocessing_context: Any = None,
        generator: Any = None, *, prefetch_factor: Any = None, persistent_workers: bool = False,
        pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        is_stream = isinstance(dataset, Instance) and dataset.cls.is_a(classes["IterableDataset"])
        _refuse(
            shuffle, sampler, batch_sampler, batch_size, drop_last, is_stream, num_workers, timeout, prefetch_factor,
            persistent_workers,
        )  # fmt: skip
        if batch_sampler is not None:
            batch_size = None
        if sampler is None and not is_stream:
            given = {"generator": generator} if shuffle else {}
            sampler = machine.call(classes["RandomSampler" if shuffle else "SequentialSampler"], (dataset,), given)
        if batch_size is not None and batch_sampler is None and not is_stream:
            batch_sampler = machine.call(classes["BatchSampler"], (sampler, batch_size, drop_last), {})
        if collate_fn is None:
            collate = batch_sampler is not None or batch_size is not None
            collate_fn = Native("collate", collated if collate else converted, needs_machine=True)
        self.attributes |= {
            "dataset": dataset, "batch_size": batch_size, "sampler": sampler, "batch_sampler": batch_sampler,
            "num_workers": num_workers, "collate_fn": collate_fn, "drop_last": drop_last, "generator": generator,
            "pin_memory": pin_memory, "timeout": timeout, "is_stream": is_stream,
        }  # fmt: skip

    table = methods({"__init__": begin, "__iter__": _iterate, "__len__": _length})
    cls = Class("DataLoader", (machine.builtins["object"],), table, module="torch.utils.data.dataloader")
    cls.is_generic = True
    return cls


def _refuse(
    shuffle: Any,
    sampler: Any,
    batch_sampler: Any,
    batch_size: Any,
    drop_last: bool,
    is_stream: bool,
    workers: int,
    timeout: float,
    prefetch_factor: int | None,
    persistent_workers: bool,
) -> None:
    """What excludes each other, in PyTorch's words and order."""
    chosen = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    unfit = next((name for name, value in chosen.items() if is_stream and value is not None), "")
    of_stream = f"expected unspecified {unfit} option, but got {unfit}={chosen[unfit]}" if unfit else ""
    problems = {
        "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.": workers < 0,
        "timeout option should be non-negative": timeout < 0,
        "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
        "multiprocessing, otherwise set prefetch_factor to None.": workers == 0 and prefetch_factor is not None,
        "prefetch_factor option should be non-negative": prefetch_factor is not None and prefetch_factor < 0,
        "persistent_workers option needs num_workers > 0": persistent_workers and workers == 0,
        f"DataLoader with IterableDataset: {of_stream}": unfit != "",
        "sampler option is mutually exclusive with shuffle": sampler is not None and bool(shuffle),
        "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last": (
            batch_sampler is not None and bool(batch_size != 1 or shuffle or sampler is not None or drop_last)
        ),
        "batch_size=None option disables auto-batching and is mutually exclusive with drop_last": (
            batch_sampler is None and batch_size is None and drop_last
        ),
    }
    problem = next((text for text, is_so in problems.items() if is_so), "")
    if problem:
        raise TorchError(problem, kind="ValueError")


def _iterate(self: Instance) -> Iterator[Any]:
    """The batches; PyTorch draws a seed for its workers first, whether there are any or not."""
    drawn_seed(self.machine, self.attributes["generator"])
    return _stream(self) if self.attributes["is_stream"] else _batches(self)


def _batches(self: Instance) -> Iterator[Any]:
    machine, held = self.machine, self.attributes
    dataset, collate = held["dataset"], held["collate_fn"]
    if held["batch_sampler"] is None:
        for index in machine.each(held["sampler"]):
            yield machine.call(collate, (get_item(dataset, index),), {})
        return
    for indices in machine.each(held["batch_sampler"]):
        machine.spend(len(indices))
        yield machine.call(collate, ([get_item(dataset, index) for index in indices],), {})


def _stream(self: Instance) -> Iterator[Any]:
    machine, held = self.machine, self.attributes
    samples, size = iter(machine.each(held["dataset"])), held["batch_size"]
    if size is None:
        yield from (machine.call(held["collate_fn"], (sample,), {}) for sample in samples)
        return
    while batch := list(islice(samples, size)):
        if len(batch) < size and held["drop_last"]:
            return
        yield machine.call(held["collate_fn"], (batch,), {})


def _length(self: Instance) -> int:
    held = self.attributes
    if held["is_stream"]:
        count, size = len_(held["dataset"]), held["batch_size"]
        if size is None:
            return count
        batches: int = count // size if held["drop_last"] else -(-count // size)
        return batches
    return len_(held["sampler"] if held["batch_sampler"] is None else held["batch_sampler"])
