"""Samples put together into a batch: tensors stacked, numbers made tensors, containers gone through."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.values import Instance, type_name


def collated(machine: Machine, batch: Any) -> Any:
    """`default_collate`.

    Raises:
        TorchError: what no tensor can be made of, in PyTorch's words.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return FUNCTIONS["stack"](list(batch), 0)
    if isinstance(first, np.ndarray | np.generic):
        if first.ndim:
            return FUNCTIONS["stack"]([machine.tensor(np.array(x)) for x in batch], 0)
        return machine.tensor(np.array([x.item() for x in batch], first.dtype))
    if isinstance(first, float):
        return machine.tensor(np.array(batch, np.float64))
    if isinstance(first, int):
        return machine.tensor(np.array(batch, np.bool_ if isinstance(first, bool) else np.int64))
    if isinstance(first, str | bytes):
        return batch
    return _of_containers(machine, batch, first)


def _of_containers(machine: Machine, batch: Any, first: Any) -> Any:
    if isinstance(first, dict):
        return {key: collated(machine, [sample[key] for sample in batch]) for key in first}
    if isinstance(first, tuple | list):
        if any(len(sample) != len(first) for sample in batch):
            raise TorchError("each element in list of batch should be of equal size")
        parts = [collated(machine, part) for part in zip(*batch, strict=True)]
        return _like(machine, first, parts)
    kind = f"<class '{first.cls.module}.{first.cls.name}'>" if isinstance(first, Instance) else _shown(first)
    raise TorchError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}",
        kind="TypeError",
    )


def _shown(value: Any) -> str:
    return f"<class '{type_name(value)}'>"


def _like(machine: Machine, first: Any, parts: list[Any]) -> Any:
    """The parts as a named tuple where the samples are; tuples become lists, as in PyTorch."""
    if isinstance(first, Instance) and first.cls.has("_fields"):
        return machine.call(first.cls, tuple(parts), {})
    return parts


def converted(machine: Machine, data: Any) -> Any:
    """`default_convert`: one sample by itself, its arrays as tensors."""
    if isinstance(data, np.ndarray | np.generic):
        return machine.tensor(np.array(data)[()])
    if isinstance(data, dict):
        return {key: converted(machine, value) for key, value in data.items()}
    if type(data) in (list, tuple):
        return [converted(machine, value) for value in data]
    return data
