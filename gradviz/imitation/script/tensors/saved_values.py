"""`grad_fn._saved_self` and the like: what a backward node keeps, under PyTorch's names.

Which names a class of nodes has is recorded (`saved_names.txt`). Of numbers and sizes those can be read that the entry
knows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from gradviz.imitation.engine.hooks.on_saved_tensors import torch_name, twin, unpacked
from gradviz.imitation.engine.nodes import head
from gradviz.imitation.engine.passes.backward import check_kept, node_name
from gradviz.imitation.engine.rules.layers.norms import statistics
from gradviz.imitation.engine.rules.losses.classes import picked
from gradviz.imitation.engine.shapes import FromEnd
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import ScriptError
from gradviz.imitation.script.tensors.kinds import strides

# Read when this is imported: a script's mistake must open no file.
_ROWS = Path(__file__).with_name("saved_names.txt").read_text(encoding="utf-8")

INDEX = {
    "max_dim": "indices", "min_dim": "indices", "gather": "index", "index_select": "index", "masked_fill": "mask",
    "masked_select": "mask", "embedding": "indices", "take": "index", "scatter": "index", "scatter_add": "index",
    "index_add": "index", "index_copy": "index", "index_fill": "index", "masked_fill_tensor": "mask",
    "sort": "indices", "topk": "indices", "kthvalue": "indices", "median_dim": "indices", "mode": "indices",
    "scatter_value": "index", "cummax": "indices", "cummin": "indices",
}  # fmt: skip
"""What PyTorch calls the index that is among the params."""

OPEN_END = 2**63 - 1
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
ONLY_ONE = frozenset(("sum", "mean", "var", "std", "norm", "logsumexp", "amax", "amin"))
"""Reductions whose dims are kept as a tuple, even where there is one."""

Read = Callable[[], Any]


@cache
def _recorded() -> dict[str, dict[str, bool]]:
    """For each class of nodes the names of what it keeps, and whether it is a tensor."""
    rows = (line.split() for line in _ROWS.splitlines())
    return {name: {each.rstrip("*"): each.endswith("*") for each in kept} for name, *kept in rows}


def saved_names(tensor: Tensor) -> dict[str, Read]:
    """What the node that made a tensor keeps: how to get it, by name without "_saved_"."""
    op = tensor.op
    if op is None or op.joint is not None:
        return {}
    known = {**_numbers(tensor), **_tensors(tensor)}
    names = _recorded().get(node_name(tensor))
    if names is None:
        return known
    return {name: known.get(name) or _measure(tensor, name) or partial(_untold, name) for name in names}


def kept_tensors(tensor: Tensor) -> set[str]:
    """The names of what the node keeps that are tensors."""
    names = _recorded().get(node_name(tensor)) if tensor.op is not None else None
    return {name for name, is_tensor in (names or {}).items() if is_tensor}


def _untold(name: str) -> None:
    raise ScriptError(f"'_saved_{name}' is not supported: it is not kept here", hint="Leave out this line.")


def _tensors(tensor: Tensor) -> dict[str, Read]:
    op = tensor.op
    assert op is not None
    entries = tensor.tape.entries
    sources = [entries[i] for i in tensor.inputs]
    needs = [x.requires_grad for x in sources]
    found: dict[str, Read] = {}
    for name in op.saves - {"index"}:
        slot = None if name == "y" or op.is_variadic else op.inputs.index(name)
        x = tensor if slot is None else sources[slot]
        shown = torch_name(op, name)
        found[shown] = _reader(tensor, sources, x, name) if op.keeps(name, needs) else _nothing
    if "index" in op.saves and op.name in INDEX:
        found[INDEX[op.name]] = lambda: _index(tensor)
    if op.name.partition("_norm")[0] in ("layer", "group", "batch"):
        found |= _of_norm(tensor, sources)
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


def _of_norm(tensor: Tensor, sources: list[Tensor]) -> dict[str, Read]:
    assert tensor.op is not None
    name, params = tensor.op.name, dict(tensor.params)
    if "running_mean" in params:
        return {}
    mean, scale = (partial(_shown, tensor, part) for part in statistics(name, sources[0].data, params))
    found: dict[str, Read] = {"result1": mean, "result2": scale}
    if len(sources) > 2:
        found["bias"] = _reader(tensor, sources, sources[2], "b")
    return found


def _indices(tensor: Tensor) -> tuple[Tensor | None, ...]:
    index = tensor.params["index"]
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(constant(part, tensor.tape) if isinstance(part, np.ndarray) else None for part in parts)


# ---- numbers ----


def _numbers(tensor: Tensor) -> dict[str, Read]:
    op, params = tensor.op, tensor.params
    assert op is not None
    found = dict(params)
    if "reduction" in found:
        found["reduction"] = REDUCTIONS.get(found["reduction"], found["reduction"])
    if op.name in ONLY_ONE and isinstance(found.get("dim"), int):
        found["dim"] = (found["dim"],)
    if op.name in ("amax", "amin") and "dim" in found:
        found["dim"] = found["dim"] or ()
    found |= _others(tensor)
    if "ignore_index" in found:
        # PyTorch shows a number below 0 here as the unsigned number that has the same bits.
        found |= {"ignore_index": found["ignore_index"] % 2**64, "total_weight": _total_weight(tensor)}
    if found.get("correction") == 1 and params.get("dim") is None:
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


def _others(tensor: Tensor) -> dict[str, Any]:
    """Numbers that are no params here, or are called otherwise."""
    op, params = tensor.op, tensor.params
    assert op is not None
    name = op.name
    if name in ("add", "sub", "rsub"):
        return {"alpha": 1}
    if name in ("addmm", "addmv", "baddbmm"):
        return {"alpha": 1, "beta": 1}
    if name == "rpow":
        return {"self": params["base"]}
    if name in ("norm", "norm_1"):
        return {"ord": 2 if name == "norm" else 1}
    if name == "norm_p":
        return {"ord": params["p"]}
    if name == "gather":
        return {"sparse_grad": False}
    if name == "split":
        return {"split_size": params["end"] - params["start"]}
    if name == "embedding":
        padding = params["padding_idx"]
        return {
            "padding_idx": (-1 if padding is None else padding) % 2**64,
            "scale_grad_by_freq": params["by_frequency"],
            "sparse": False,
        }
    if name.startswith("conv"):
        sources = tensor.inputs
        bias = tensor.tape.entries[sources[2]].shape if len(sources) > 2 else (0,)
        return {"transposed": "transpose" in name, "bias_sym_sizes_opt": bias}
    if name.endswith("norm_plain"):
        return {"weight": None, "bias": None, "group": params.get("groups")}
    if name == "binary_cross_entropy":
        return {"weight": params.get("weight")}
    if name == "binary_cross_entropy_with_logits":
        return {"pos_weight": params.get("pos_weight")}
    if name == "roll":
        shifts, dims = params["shifts"], params["dims"]
        return {"shifts": shifts if isinstance(shifts, tuple) else (shifts,), "dims": dims or ()}
    return {"repeats": params["sizes"]} if name == "repeat" else {}


def _shown(tensor: Tensor, value: Any) -> Any:
    if isinstance(value, FromEnd):
        return value.given % 2**64  # PyTorch shows the unsigned number that has the same bits
    if isinstance(value, tuple):
        return tuple(_shown(tensor, part) for part in value)
    return constant(np.asarray(value)[()], tensor.tape) if isinstance(value, np.ndarray) else value


# ---- sizes ----


def _measure(tensor: Tensor, name: str) -> Read | None:
    """How to get a name such as self_sym_sizes or weight_sym_argsize_0; None where it is no measure of an input."""
    whose, mark, what = name.partition("_sym_")
    if not mark:
        return None
    x = _inputs(tensor).get(whose)
    if x is None:
        return None
    if what.startswith("argsize_"):
        at = what.removeprefix("argsize_")
        return partial(x.shape.__getitem__, -int(at[6:]) if at.startswith("minus_") else int(at))
    if what == "strides" and not x.requires_grad:
        return tuple  # only its own gradient would need them
    return _MEASURES[what](x) if what in _MEASURES else None


_MEASURES: dict[str, Callable[[Tensor], Read]] = {
    "sizes": lambda x: lambda: x.shape,
    "strides": lambda x: lambda: strides(x),
    "numel": lambda x: lambda: prod(x.shape),
}


def _inputs(tensor: Tensor) -> dict[str, Tensor]:
    """The inputs by PyTorch's names."""
    op = tensor.op
    assert op is not None
    sources = [tensor.tape.entries[i] for i in tensor.inputs]
    if op.is_variadic:
        return dict.fromkeys(["self"], sources[0])
    return {torch_name(op, name): x for name, x in zip(op.inputs, sources, strict=False)}
