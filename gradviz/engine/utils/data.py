"""`torch.utils.data`: data sets, samplers, and the loader that makes batches of them.

The order in which samples come is PyTorch's, from `torch.manual_seed` or a generator of one's own on. Everything runs
in this process: `num_workers` is taken and changes nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import accumulate, islice
from typing import Any, Generic, TypeVar

import numpy as np

from gradviz.engine.creation import as_tensor, tensor
from gradviz.engine.dtypes import FLOAT64, INT64
from gradviz.engine.functions.shape import stack
from gradviz.engine.known import missing_of
from gradviz.engine.random import Generator
from gradviz.engine.sampling import generator_given, multinomial
from gradviz.engine.tensor import Tensor, constant, current

T_co = TypeVar("T_co", covariant=True)

WITH_REPLACEMENT_AT_ONCE = 32
"""How many indices PyTorch draws at once with replacement."""


FOR_WORKERS = (
    "timeout", "worker_init_fn", "multiprocessing_context", "prefetch_factor", "persistent_workers",
    "pin_memory_device", "in_order",
)  # fmt: skip
"""Options of PyTorch's loader about processes and other devices, which change nothing here."""

# ---- data sets ----------------------------------------------------------------------------------------------------


class Dataset(Generic[T_co]):
    """Samples by index, to derive one's own from: `__getitem__` and `__len__` are theirs."""

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Samples one after the other, to derive one's own from: `__iter__` is theirs."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Rows of tensors: sample i is row i of each.

    Raises:
        AssertionError: they have not the same number of rows.
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(each.size(0) != tensors[0].size(0) for each in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(each[index] for each in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].size(0))


class ConcatDataset(Dataset[T_co]):
    """Several data sets, one after the other.

    Raises:
        AssertionError: none, or one without indices.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(len(each) for each in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        position = idx + len(self) if idx < 0 else idx
        if position < 0:
            raise ValueError("absolute value of index should not exceed dataset length")
        number = bisect_right(self.cumulative_sizes, position)
        found: T_co = self.datasets[number][position - (self.cumulative_sizes[number - 1] if number else 0)]
        return found


class Subset(Dataset[T_co]):
    """Some samples of a data set, by their indices."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> T_co:
        if isinstance(idx, list):
            found: T_co = self.dataset[[self.indices[i] for i in idx]]
        else:
            found = self.dataset[self.indices[idx]]
        return found

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset[Any]]:
    """A data set in random parts of these lengths, or of these fractions, which then sum to 1.

    Raises:
        ValueError: the lengths do not sum to that of the data set.
    """
    count = len(dataset)
    sizes = list(lengths)
    if math.isclose(sum(sizes), 1) and sum(sizes) <= 1:
        sizes = [math.floor(count * fraction) for fraction in sizes]
        for number in range(count - int(sum(sizes))):  # what is left over goes round
            sizes[number % len(sizes)] += 1
    if sum(sizes) != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = _permutation(count, generator)
    ends = [int(end) for end in accumulate(sizes)]
    return [Subset(dataset, order[end - int(size) : end]) for end, size in zip(ends, sizes, strict=True)]


# ---- samplers ------------------------------------------------------------------------------------------------------


def _permutation(count: int, generator: Any) -> list[int]:
    order: list[int] = generator_given("randperm", generator).randperm(count).tolist()
    return order


def _draw_seed(generator: Any) -> int:
    """What PyTorch takes from a generator to seed another one with."""
    return int(generator_given("random_", generator).random((), INT64.numpy))


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


class Sampler(Generic[T_co]):
    """The order in which samples come, to derive one's own from: `__iter__` gives indices."""

    def __init__(self, data_source: object = None) -> None:
        pass

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All samples in their order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Samples in random order.

    Args:
        replacement: whether a sample may come several times.
        num_samples: how many come; all of them where it is None.
        generator: what to draw from.

    Raises:
        ValueError: no samples.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        _check_positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many samples come."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, wanted = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(_draw_seed(None))
        if self.replacement:
            at_once = WITH_REPLACEMENT_AT_ONCE
            for size in (*[at_once] * (wanted // at_once), wanted % at_once):
                yield from generator.randint(0, count, (size,)).tolist()
            return
        for _ in range(wanted // count):
            yield from _permutation(count, generator)
        yield from _permutation(count, generator)[: wanted % count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Samples of some indices, in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        return (self.indices[i] for i in _permutation(len(self.indices), self.generator))

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Samples drawn with weights, e.g. to see rare classes more often.

    Raises:
        ValueError: the number of samples is not positive.
    """

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        _check_positive("num_samples", num_samples)
        self.weights = as_tensor(weights, dtype=FLOAT64)
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from current(drawn).array.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The indices of another sampler in lists of `batch_size`.

    Args:
        drop_last: whether a last list that is shorter is left out.

    Raises:
        ValueError: a size that is not positive.
    """

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        _check_positive("batch_size", batch_size)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        return _batched(self.sampler, self.batch_size, self.drop_last)

    def __len__(self) -> int:
        return _count_batches(len(self.sampler), self.batch_size, self.drop_last)


def _batched(items: Iterable[Any], size: int, drop_last: bool) -> Iterator[list[Any]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        if len(batch) < size and drop_last:
            return
        yield batch


def _count_batches(count: int, size: int, drop_last: bool) -> int:
    return count // size if drop_last else -(-count // size)


# ---- batches ------------------------------------------------------------------------------------------------------


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch of samples as tensors with one more dim: tensors stacked; numbers as one tensor; tuples, lists and dicts
    part by part; texts in a list.

    Raises:
        RuntimeError: lists of several lengths.
        TypeError: samples that no tensor can be made of.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, np.ndarray):
        return stack([as_tensor(each) for each in batch], 0)
    if isinstance(first, np.generic):
        return as_tensor(np.array(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=FLOAT64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return type(first)({key: default_collate([each[key] for each in batch]) for key in first})  # type: ignore[call-arg]
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


def default_convert(data: Any) -> Any:
    """One sample with its arrays as tensors; what is done where there are no batches."""
    if isinstance(data, np.ndarray | np.generic):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, list | tuple):
        return [default_convert(each) for each in data]
    return data


class DataLoader(Generic[T_co]):
    """Goes through a data set batch by batch; each `for` begins anew.

    Args:
        dataset: samples by index, or an IterableDataset.
        batch_size: samples per batch; None for samples alone.
        shuffle: whether they come in random order.
        sampler: an order of one's own, and `batch_sampler`, batches of one's own.
        collate_fn: makes a batch of a list of samples.
        drop_last: whether a last batch that is smaller is left out.
        generator: what to draw from.

    Raises:
        ValueError: options that exclude each other.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        *,
        generator: Generator | None = None,
        **others: Any,
    ) -> None:
        for name in others:
            if name not in FOR_WORKERS:
                raise TypeError(f"DataLoader.__init__() got an unexpected keyword argument '{name}'")
        self.dataset = dataset
        self._is_stream = isinstance(dataset, IterableDataset)
        self._refuse_options(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None and not self._is_stream:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None and not self._is_stream:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.drop_last = drop_last
        self.generator = generator
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        is_batched = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if is_batched else default_convert)

    def _refuse_options(
        self, batch_size: int | None, shuffle: bool | None, sampler: Any, batch_sampler: Any, drop_last: bool
    ) -> None:
        """Raise ValueError for options that exclude each other."""
        for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
            if self._is_stream and value is not None:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
        if batch_sampler is None and batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")

    def __iter__(self) -> Iterator[Any]:
        _draw_seed(self.generator)  # PyTorch draws one for its workers, whether there are any or not
        return self._stream() if self._is_stream else self._batches()

    def _batches(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
            return
        fetch = getattr(self.dataset, "__getitems__", None)
        for indices in self.batch_sampler:
            rows = _rows_of(self.dataset, indices) if self.collate_fn is default_collate else None
            if rows is not None:
                yield rows
                continue
            yield self.collate_fn(fetch(indices) if fetch else [self.dataset[index] for index in indices])

    def _stream(self) -> Iterator[Any]:
        if self.batch_size is None:
            yield from map(self.collate_fn, self.dataset)
            return
        for batch in _batched(self.dataset, self.batch_size, self.drop_last):
            yield self.collate_fn(batch)

    def __len__(self) -> int:
        if not self._is_stream:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        count = len(self.dataset)
        return count if self.batch_size is None else _count_batches(count, self.batch_size, self.drop_last)


def _rows_of(dataset: Any, indices: Sequence[int]) -> list[Tensor] | None:
    """A batch out of a TensorDataset (or a part of one) at once; None for other data sets, and where graphs go on."""
    while type(dataset) is Subset:
        indices = [dataset.indices[i] for i in indices]
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or any(each.requires_grad for each in dataset.tensors):
        return None
    return [constant(current(each).array[indices]) for each in dataset.tensors]


__getattr__ = missing_of("torch.utils.data")


__all__ = [
    "BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler",
    "Sampler", "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset",
    "WeightedRandomSampler", "default_collate", "default_convert", "random_split",
]  # fmt: skip

for _kind in (Dataset, IterableDataset, TensorDataset, ConcatDataset, Subset):
    _kind.__module__ = "torch.utils.data.dataset"  # what print(dataset) shows
for _drawn in (Sampler, SequentialSampler, RandomSampler, SubsetRandomSampler, WeightedRandomSampler, BatchSampler):
    _drawn.__module__ = "torch.utils.data.sampler"
DataLoader.__module__ = "torch.utils.data.dataloader"
