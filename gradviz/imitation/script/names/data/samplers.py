"""Samplers: in which order the samples come. The permutations are PyTorch's, from `torch.manual_seed` on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from gradviz.imitation.engine.random.generator import Generator
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import methods
from gradviz.imitation.script.names.python.iteration import len_
from gradviz.imitation.script.names.torch.generators import stream
from gradviz.imitation.script.values import Class, Instance, Native, Property

AT_A_TIME = 32
"""Indices that PyTorch draws at once with replacement."""


def drawn_seed(machine: Machine, generator: Any = None) -> int:
    """`torch.empty((), dtype=torch.int64).random_().item()`: what PyTorch takes as a seed of its own."""
    return stream(machine, generator).bits(63)


def _own(machine: Machine, generator: Any) -> Generator:
    """The generator that was given, or a new one seeded from that of `torch.manual_seed`."""
    return Generator(drawn_seed(machine)) if generator is None else stream(machine, generator)


def _positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise TorchError(f"{name} should be a positive integer value, but got {name}={value}", kind="ValueError")


# ---- the classes: what their methods do ----


def _begin_sequential(self: Instance, data_source: Any) -> None:
    self.attributes["data_source"] = data_source


def _sequential(self: Instance) -> Iterator[int]:
    return iter(range(len_(self.attributes["data_source"])))


def _source_length(self: Instance) -> int:
    return len_(self.attributes["data_source"])


def _begin_random(
    self: Instance, data_source: Any, replacement: Any = False, num_samples: int | None = None, generator: Any = None
) -> None:
    self.attributes |= {"data_source": data_source, "replacement": replacement, "generator": generator}
    self.attributes["_num_samples"] = num_samples
    if not isinstance(replacement, bool):
        raise TorchError(f"replacement should be a boolean value, but got replacement={replacement}", kind="TypeError")
    _positive("num_samples", _samples(self))


def _samples(self: Instance) -> int:
    given: int | None = self.attributes["_num_samples"]
    return _source_length(self) if given is None else given


def _random(self: Instance) -> Iterator[int]:
    count, wanted = _source_length(self), _samples(self)
    numbers = _own(self.machine, self.attributes["generator"])
    if self.attributes["replacement"]:
        for _ in range(wanted // AT_A_TIME):
            yield from numbers.randint(0, count, (AT_A_TIME,)).tolist()
        yield from numbers.randint(0, count, (wanted % AT_A_TIME,)).tolist()
        return
    for _ in range(wanted // count):
        yield from numbers.randperm(count).tolist()
    yield from numbers.randperm(count).tolist()[: wanted % count]


def _begin_subset(self: Instance, indices: Any, generator: Any = None) -> None:
    self.attributes |= {"indices": indices, "generator": generator}


def _subset(self: Instance) -> Iterator[Any]:
    indices = self.attributes["indices"]
    for place in stream(self.machine, self.attributes["generator"]).randperm(len_(indices)).tolist():
        yield indices[place]


def _begin_weighted(
    self: Instance, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None
) -> None:
    _positive("num_samples", num_samples)
    torch = self.machine.modules["torch"].members
    given = self.machine.call(torch["as_tensor"], (weights,), {"dtype": torch["float64"]})
    self.attributes |= {"weights": given, "num_samples": num_samples, "replacement": replacement}
    self.attributes["generator"] = generator


def _weighted(self: Instance) -> Iterator[int]:
    held = self.attributes
    multinomial = self.machine.modules["torch"].members["multinomial"]
    drawn = self.machine.call(
        multinomial, (held["weights"], held["num_samples"], held["replacement"]), {"generator": held["generator"]}
    )
    return iter(drawn.data.tolist())


def _begin_batches(self: Instance, sampler: Any, batch_size: int, drop_last: bool) -> None:
    _positive("batch_size", batch_size)
    if not isinstance(drop_last, bool):
        raise TorchError(f"drop_last should be a boolean value, but got drop_last={drop_last}", kind="ValueError")
    self.attributes |= {"sampler": sampler, "batch_size": batch_size, "drop_last": drop_last}


def _batches(self: Instance) -> Iterator[list[Any]]:
    size: int = self.attributes["batch_size"]
    indices = iter(self.machine.each(self.attributes["sampler"]))
    while batch := list(islice(indices, size)):
        if len(batch) < size and self.attributes["drop_last"]:
            return
        yield batch


def _batch_count(self: Instance) -> int:
    count, size = len_(self.attributes["sampler"]), self.attributes["batch_size"]
    batches: int = count // size if self.attributes["drop_last"] else (count + size - 1) // size
    return batches


NO_GROUP = "Default process group has not been initialized, please make sure to call init_process_group."


def _begin_distributed(
    self: Instance,
    dataset: Any,
    num_replicas: int | None = None,
    rank: int | None = None,
    shuffle: bool = True,
    seed: int = 0,
    drop_last: bool = False,
) -> None:
    if num_replicas is None or rank is None:
        raise TorchError(NO_GROUP, kind="ValueError", hint="There is one process here: give num_replicas and rank.")
    if not 0 <= rank < num_replicas:
        raise TorchError(
            f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]", kind="ValueError"
        )
    count = len_(dataset)
    each = count // num_replicas if drop_last else -(-count // num_replicas)
    self.attributes |= {"dataset": dataset, "num_replicas": num_replicas, "rank": rank, "epoch": 0}
    self.attributes |= {"drop_last": drop_last, "num_samples": each, "total_size": each * num_replicas}
    self.attributes |= {"shuffle": shuffle, "seed": seed}


def _distributed(self: Instance) -> Iterator[int]:
    """One process's part of the indices, which begin anew where they do not suffice for all."""
    held = self.attributes
    count = len_(held["dataset"])
    indices = Generator(held["seed"] + held["epoch"]).randperm(count).tolist() if held["shuffle"] else range(count)
    return (indices[place % count] for place in range(held["rank"], held["total_size"], held["num_replicas"]))


def _set_epoch(self: Instance, epoch: int) -> None:
    self.attributes["epoch"] = epoch


def classes(machine: Machine) -> dict[str, Class]:
    """The samplers by name."""
    base = Class("Sampler", (machine.builtins["object"],), {}, module="torch.utils.data.sampler")
    base.is_generic = True
    tables: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., int]]] = {
        "SequentialSampler": (_begin_sequential, _sequential, _source_length),
        "RandomSampler": (_begin_random, _random, _samples),
        "SubsetRandomSampler": (_begin_subset, _subset, lambda self: len_(self.attributes["indices"])),
        "WeightedRandomSampler": (_begin_weighted, _weighted, lambda self: self.attributes["num_samples"]),
        "BatchSampler": (_begin_batches, _batches, _batch_count),
    }
    made = {"Sampler": base}
    for name, (begin, run, length) in tables.items():
        table = methods({"__init__": begin, "__iter__": run, "__len__": length})
        made[name] = Class(name, (base,), table, module="torch.utils.data.sampler")
    made["RandomSampler"].attributes["num_samples"] = Property(Native("num_samples", _samples, is_method=True))
    table = methods({
        "__init__": _begin_distributed, "__iter__": _distributed, "set_epoch": _set_epoch,
        "__len__": lambda self: self.attributes["num_samples"],
    })  # fmt: skip
    made["DistributedSampler"] = Class("DistributedSampler", (base,), table, module="torch.utils.data.distributed")
    return made
