"""`grad_fn._saved_self` and the like: what a backward node keeps, under PyTorch's names.

Of a call's numbers and sizes those are shown that the entry knows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from gradviz.engine.backward import check_kept, node_name
from gradviz.engine.nodes import head
from gradviz.engine.rules.classes import picked
from gradviz.engine.saved_hooks import torch_name, twin, unpacked
from gradviz.engine.tensor import Tensor, constant

INDEX = {
    "max_dim": "indices", "min_dim": "indices", "gather": "index", "index_select": "index", "masked_fill": "mask",
    "masked_select": "mask", "embedding": "indices", "take": "index", "scatter": "index", "scatter_add": "index",
    "index_add": "index", "index_copy": "index", "index_fill": "index", "masked_fill_tensor": "mask",
}  # fmt: skip
"""What PyTorch calls the index that is among the params."""

NUMBERS = frozenset(
    [
        "dim",
        "keepdim",
        "dims",
        "dim0",
        "dim1",
        "dim2",
        "alpha",
        "beta",
        "min",
        "max",
        "step",
        "start",
        "end",
        "negative_slope",
        "scale",
        "input_scale",
        "approximate",
        "threshold",
        "reduction",
        "correction",
        "eps",
        "stride",
        "padding",
        "dilation",
        "groups",
        "normalized_shape",
        "diagonal",
        "offset",
        "exponent",
        "weight",
        "value",
        "delta",
        "margin",
        "p",
        "max_val",
        "min_val",
        "lambd",
        "shifts",
        "k",
        "target",
        "ignore_index",
    ]
)
"""Params that PyTorch keeps under the same name."""

SIZES = frozenset(
    [
        "sum",
        "mean",
        "view",
        "reshape",
        "unsafe_view",
        "reshape_alias",
        "squeeze",
        "expand",
        "select",
        "slice",
        "index",
        "repeat",
        "max_dim",
        "min_dim",
        "split",
        "split_with_sizes",
        "index_select",
        "diagonal",
        "mm",
        "addmm",
        "sort",
        "topk",
    ]
)
"""Ops that keep the sizes of their input, and not its numbers."""

OPEN_END = 2**63 - 1
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
ONLY_ONE = frozenset(("sum", "mean", "var", "std", "norm", "logsumexp", "amax", "amin"))
"""Reductions whose dims are kept as a tuple, even where there is one."""


def saved_names(tensor: Tensor) -> dict[str, Callable[[], Any]]:
    """What the node that made a tensor keeps: how to get it, by name without "_saved_"."""
    op = tensor.op
    if op is None or op.joint is not None:
        return {}
    return {**_numbers(tensor), **_sizes(tensor), **_tensors(tensor)}


def _tensors(tensor: Tensor) -> dict[str, Callable[[], Any]]:
    op = tensor.op
    assert op is not None
    entries = tensor.tape.entries
    sources = [entries[i] for i in tensor.inputs]
    needs = [x.requires_grad for x in sources]
    found: dict[str, Callable[[], Any]] = {}
    for name in op.saves - {"index"}:
        slot = None if name == "y" or op.is_variadic else op.inputs.index(name)
        x = tensor if slot is None else sources[slot]
        shown = torch_name(op, name)
        found[shown] = _reader(tensor, sources, x, name) if op.keeps(name, needs) else _nothing
    if "index" in op.saves and op.name in INDEX:
        found[INDEX[op.name]] = lambda: _index(tensor)
    if op.name == "index":
        found["indices"] = lambda: _indices(tensor)
    return found


def _nothing() -> None:
    """What was left out since no gradient needs it."""


def _reader(tensor: Tensor, sources: list[Tensor], x: Tensor, name: str) -> Callable[[], Tensor]:
    def read() -> Tensor:
        assert tensor.op is not None
        check_kept(tensor.op, tensor, sources)
        found = unpacked(tensor, name)
        if found is not None:
            return twin(x, found.data)
        return twin(x, x.data) if x is tensor else head(x) if x.op is None else x

    return read


def _index(tensor: Tensor) -> Tensor:
    params = tensor.params
    index = params["index"]
    if not params.get("keepdim", True) and np.ndim(index):
        index = np.squeeze(index, params["dim"])
    return constant(np.asarray(index)[()], tensor.tape)


def _indices(tensor: Tensor) -> tuple[Tensor | None, ...]:
    index = tensor.params["index"]
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(constant(part, tensor.tape) if isinstance(part, np.ndarray) else None for part in parts)


def _numbers(tensor: Tensor) -> dict[str, Callable[[], Any]]:
    op, params = tensor.op, tensor.params
    assert op is not None
    found = {name: value for name, value in params.items() if name in NUMBERS}
    if op.name in ("sum", "mean") and params.get("dim") is None:
        found = {}
    if "reduction" in found:
        found["reduction"] = REDUCTIONS.get(found["reduction"], found["reduction"])
    if op.name in ONLY_ONE and isinstance(found.get("dim"), int):
        found["dim"] = (found["dim"],)
    if op.name in ("amax", "amin") and "dim" in found:
        found["dim"] = found["dim"] or ()
    found |= _others(op.name, params)
    if "ignore_index" in found:
        # PyTorch shows a number below 0 here as the unsigned number that has the same bits.
        found |= {"ignore_index": found["ignore_index"] % 2**64, "total_weight": _total_weight(tensor)}
    if found.get("correction") == 1:
        found["correction"] = None
    if op.name == "slice" and found["end"] >= tensor.tape.entries[tensor.inputs[0]].shape[found["dim"]]:
        found["end"] = OPEN_END
    return {name: partial(_shown, tensor, value) for name, value in found.items()}


def _total_weight(tensor: Tensor) -> Any:
    """What nll divided by: the sum of the targets' weights, and 0 where it reduced nothing."""
    x, params = tensor.tape.entries[tensor.inputs[0]], tensor.params
    if params["reduction"] == "none":
        return np.zeros((), x.dtype)
    return np.asarray(picked(x.data, **params | {"reduction": "mean"}).n)


def _others(name: str, params: dict[str, Any]) -> dict[str, Any]:
    if name == "select":
        return {"index": params["index"]}
    if name in ("add", "sub", "rsub"):
        return {"alpha": 1}
    if name in ("addmm", "addmv"):
        return {"alpha": 1, "beta": 1}
    if name == "rpow":
        return {"self": params["base"]}
    if name == "norm":
        return {"ord": 2}
    if name.endswith("norm_plain"):
        return {"weight": None}
    if name == "binary_cross_entropy_with_logits":
        return {"pos_weight": params.get("pos_weight")}
    return {"repeats": params["sizes"]} if name == "repeat" else {}


def _shown(tensor: Tensor, value: Any) -> Any:
    return constant(np.asarray(value)[()], tensor.tape) if isinstance(value, np.ndarray) else value


def _sizes(tensor: Tensor) -> dict[str, Callable[[], Any]]:
    op = tensor.op
    assert op is not None
    if op.name not in SIZES and node_name(tensor) != "MmBackward0":
        return {}
    first, *rest = (tensor.tape.entries[i] for i in tensor.inputs)
    if node_name(tensor) == "MmBackward0":
        return {"self_sym_sizes": lambda: first.shape, "mat2_sym_sizes": lambda: rest[0].shape}
    if op.name == "addmm":
        return {"mat1_sym_sizes": lambda: rest[0].shape, "mat2_sym_sizes": lambda: rest[1].shape}
    found: dict[str, Callable[[], Any]] = {"self_sym_sizes": lambda: first.shape}
    if op.name == "mean":
        found["self_sym_numel"] = lambda: prod(first.shape)
    return found
