"""Embedding and EmbeddingBag: tables of rows that are looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.callables import OnClass
from gradviz.imitation.script.names.library.files import tell
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.names.nn.signatures import bound, signature, with_self
from gradviz.imitation.script.values import Class, Instance, Native

PLACED = "device=None, dtype=None"
SIZES = "num_embeddings, embedding_dim"
PLAIN = "padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False"
BAGS = "max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', sparse=False"
BAG_END = "include_last_offset=False, padding_idx=None"


def embedding_classes(kinds: Kinds) -> dict[str, Class]:
    """Both, by name."""
    look_up, bring = kinds.functional["embedding"], kinds.functional["embedding_bag"]

    def forward(a: dict[str, Any], input: Any) -> Any:
        more = (a["padding_idx"], a["max_norm"], a["norm_type"], a["scale_grad_by_freq"], a["sparse"])
        return look_up(input, a["weight"], *more)

    def bag_forward(a: dict[str, Any], input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        norm = (a["max_norm"], a["norm_type"], a["scale_grad_by_freq"], a["mode"], a["sparse"])
        return bring(input, a["weight"], offsets, *norm, per_sample_weights, a["include_last_offset"], a["padding_idx"])

    return {
        "Embedding": _class(
            kinds, "Embedding", f"{SIZES}, {PLAIN}, _weight=None, _freeze=False, {PLACED}", PLAIN, forward, _text
        ),
        "EmbeddingBag": _class(
            kinds, "EmbeddingBag", f"{SIZES}, {BAGS}, _weight=None, {BAG_END}, {PLACED}", f"{BAGS}, {BAG_END}",
            bag_forward, _bag_text,
        ),
    }  # fmt: skip


def _class(
    kinds: Kinds, name: str, arguments: str, options: str, forward: Callable[..., Any], text: Callable[..., str]
) -> Class:
    given, taken = signature(arguments), signature(f"embeddings, freeze=True, {options}")

    def init(module: Instance, *positional: Any, **keywords: Any) -> None:
        found = bound(f"{name}.__init__()", given, positional, keywords)
        weight, freeze = found.pop("_weight"), found.pop("_freeze", False)
        del found["device"], found["dtype"]  # which are known to the module in the making
        found["padding_idx"] = _padding(found["padding_idx"], found["num_embeddings"], name)
        module.attributes.update(found)
        if found["sparse"]:
            tell(kinds.machine, "the gradient of an embedding with sparse=True is a dense tensor here")
        leaf = kinds.parameter(module, "weight", _numbers(kinds, found, weight))
        leaf.requires_grad = not freeze
        if weight is not None:
            leaf.more.first_version = 0
        elif found["padding_idx"] is not None:
            leaf.more.first_version = 2  # the row of the padding is written apart

    def pretrained(cls: Class, *positional: Any, **keywords: Any) -> Any:
        found = bound(f"{name}.from_pretrained()", taken, positional, keywords)
        table, freeze = found.pop("embeddings"), found.pop("freeze")
        if not isinstance(table, Tensor) or table.ndim != 2:
            raise TorchError("Embeddings parameter is expected to be 2-dimensional", kind="AssertionError")
        made = kinds.machine.call(cls, table.shape, {**found, "_weight": table})
        made.attributes["weight"].requires_grad = not freeze
        return made

    init.__signature__ = with_self(given)  # type: ignore[attr-defined]
    made = kinds.cls(name, init, forward, text, "sparse")
    made.attributes["from_pretrained"] = OnClass(Native("from_pretrained", pretrained))
    return made


def _padding(row: int | None, count: int, name: str) -> int | None:
    if row is None:
        return None
    if not (row < count if row > 0 else row >= -count):
        word = "Padding_idx" if name == "Embedding" else "padding_idx"
        raise TorchError(f"{word} must be within num_embeddings", kind="AssertionError")
    return row if row >= 0 else row % count


def _numbers(kinds: Kinds, found: dict[str, Any], given: Tensor | None) -> Any:
    size = (found["num_embeddings"], found["embedding_dim"])
    if given is not None:
        if given.shape != size:
            raise TorchError("Shape of weight does not match num_embeddings and embedding_dim", kind="AssertionError")
        return given.data
    weight = np.array(kinds.machine.random.randn(check_size(size, "empty"), kinds.dtype))
    if found["padding_idx"] is not None:
        weight[found["padding_idx"]] = 0
    return weight


def _text(a: dict[str, Any]) -> str:
    usual = {"padding_idx": None, "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False}
    parts = [f"{name}={a[name]}" for name, default in usual.items() if a[name] != default]
    return ", ".join([f"{a['num_embeddings']}, {a['embedding_dim']}", *parts])


def _bag_text(a: dict[str, Any]) -> str:
    usual = {"max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "mode": None, "padding_idx": None}
    parts = [f"{name}={a[name]!r}" for name, default in usual.items() if a[name] != default]
    return ", ".join([f"{a['num_embeddings']}, {a['embedding_dim']}", *parts])
