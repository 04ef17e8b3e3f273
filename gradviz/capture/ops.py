"""PyTorch's ops in the spelling of a recording: what a schema says, an op's name, and its params.

aten has names of its own for some ops ("_softmax", "native_layer_norm"), and its params are positional and partly at
their defaults. The tables here give both as people know them, so that a script has the same recording whichever engine
ran it.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch

SPELLED = {
    "_softmax": "softmax",
    "_safe_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "nll_loss_forward": "nll_loss",
    "nll_loss2d_forward": "nll_loss",
    "native_layer_norm": "layer_norm",
    "_fused_rms_norm": "rms_norm",
    "native_batch_norm": "batch_norm",
    "cudnn_batch_norm": "batch_norm",
    "_native_batch_norm_legit": "batch_norm",
    "_batch_norm_with_update": "batch_norm",
    "native_group_norm": "group_norm",
    "native_dropout": "dropout",
    "_unsafe_view": "unsafe_view",
    "_reshape_alias": "view",
    "reshape_alias": "view",
    "_to_copy": "to",
    "to_copy": "to",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool3d_with_indices": "max_pool3d",
    "_adaptive_avg_pool2d": "adaptive_avg_pool2d",
    "_adaptive_avg_pool3d": "adaptive_avg_pool3d",
    "linalg_vector_norm": "norm",
    "clamp_min": "clamp_min",
    "_cdist_forward": "cdist",
    "_embedding_bag": "embedding_bag",
    "_ctc_loss": "ctc_loss",
    "_scaled_dot_product_flash_attention_for_cpu": "scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention": "scaled_dot_product_attention",
    "_scaled_dot_product_efficient_attention": "scaled_dot_product_attention",
    "_linalg_svd": "linalg_svd",
    "_linalg_eigh": "linalg_eigh",
    "_linalg_det": "linalg_det",
    "_linalg_slogdet": "linalg_slogdet",
    "_linalg_solve_ex": "linalg_solve",
    "linalg_inv_ex": "inverse",
    "linalg_cholesky_ex": "linalg_cholesky",
    "_fft_r2c": "fft_r2c",
    "_fft_c2r": "fft_c2r",
    "_fft_c2c": "fft_c2c",
    "_conj": "conj",
    "_weight_norm_interface": "weight_norm",
    "_prelu_kernel": "prelu",
}
"""aten's name, without the "_" of an op in place, to the name that people know."""

MANY = {"unbind", "split", "split_with_sizes", "chunk", "unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk"}
"""Ops that have a node per output even where only one is used."""

HIDDEN = {
    "batch_norm": {3: "", 4: ""},
    "index": {1: "index", 2: "index", 3: "index", 4: "index"},
}
"""Tensor arguments that are among the params rather than the inputs, by place; "" where they are nowhere."""

ELSEWISE = {"ctc_loss", "linalg_lstsq"}
"""Ops that PyTorch computes in another way, with other last digits, while any dispatch mode is on; found by comparing
all ops that it tests itself. Of the rest, a few only have a Node of another name, as a reshape that is a view."""

_POINTWISE: Any = getattr(torch.Tag, "pointwise", None)  # PyTorch's own mark; the first versions have none

LISTED = 4096
"""An index tensor of at most so many elements is listed in the params."""


class Op:
    """What a schema says of an aten op, looked up once.

    Attributes:
        name: without the name space and the overload, e.g. "mul_".
        plain: the same as people know it, e.g. "mul".
        arguments: names, in order; `defaults` by name.
        takes_tensor: by argument, whether a number given there is a tensor to autograd.
        is_view: whether the result is a view of the first argument.
        writes: whether an argument is changed in place.
        is_elementwise: whether each element of the result comes of one element of each input.
        is_detach: what is saved for backward passes through it; of that nothing is to be known.
    """

    __slots__ = (
        "arguments", "defaults", "is_detach", "is_elementwise", "is_view", "name", "plain", "takes_tensor", "writes",
    )  # fmt: skip

    def __init__(self, func: Any) -> None:
        schema = func._schema
        self.name = schema.name.split("::")[-1]
        self.arguments = [each.name for each in schema.arguments]
        self.defaults = {each.name: each.default_value for each in schema.arguments if each.has_default_value()}
        is_arithmetic = self.name.rstrip("_") in ("add", "sub", "mul", "div")
        self.takes_tensor = [
            str(each.type) == "Tensor" or (is_arithmetic and each.name == "other") for each in schema.arguments
        ]
        aliases = [getattr(each, "alias_info", None) for each in schema.returns]
        self.is_view = any(each is not None and not each.is_write for each in aliases)
        given = [getattr(each, "alias_info", None) for each in schema.arguments]
        self.writes = any(each is not None and each.is_write for each in given)
        self.is_elementwise = _POINTWISE is not None and _POINTWISE in func.tags
        self.is_detach = self.name in ("detach", "detach_", "alias")
        in_place = self.writes and self.name.endswith("_") and not self.name.endswith("__")
        plain = self.name[:-1] if in_place else self.name
        self.plain = SPELLED.get(plain, plain)


def flat(name: str) -> str:
    """A name as it is compared between aten ("log_softmax") and autograd ("LogSoftmaxBackward0")."""
    return name.replace("_", "").lower()


def name_of(backward_node: str, op: Any, given: dict[str, Any]) -> str:
    """The op of a Node: as its aten op is spelled, if that was seen and is the Node's; else by the Node's own name."""
    base = backward_node.rsplit("Backward", 1)[0].rsplit("::", 1)[-1]
    if base == "CopySlices":
        return "copy_slices"
    if op is not None:
        made, own = flat(op.name), flat(base)
        if made == own or made.startswith(own) or own.startswith(made) or op.plain != op.name.rstrip("_"):
            if op.plain == "convolution":
                kind = "conv_transpose" if given.get("transposed") else "conv"
                return f"{kind}{len(given.get('stride') or [0, 0])}d"
            if op.plain == "add" and given.get("alpha", 1) != 1 and "other" in given:
                return "add"
            return str(op.plain)
    snake = "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(base))
    return SPELLED.get(snake, snake)


def plain(value: Any) -> Any:
    """A param as JSON has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, torch.dtype):
        return str(value)[6:]
    return str(value)


_DROPPED = {
    "dtype",
    "layout",
    "device",
    "pin_memory",
    "memory_format",
    "generator",
    "non_blocking",
    "implicit",
    "half_to_float",
}
_REDUCTIONS = ("none", "mean", "sum")


def params_of(name: str, given: dict[str, Any], rank: int) -> dict[str, Any]:
    """The params of an op, from what its schema was given; `rank` is the number of dimensions of its first input."""
    translate = _PARAMS.get(name)
    if translate is not None:
        return {key: plain(value) for key, value in translate(given, rank).items()}
    found = {key: plain(value) for key, value in given.items() if key not in _DROPPED}
    for key in ("dim", "dims", "dim0", "dim1"):
        if key in found:
            found[key] = _dims(found[key], rank + (name in ("stack", "unsqueeze")))
    if isinstance(found.get("reduction"), int):
        found["reduction"] = _REDUCTIONS[found["reduction"]] if found["reduction"] in range(3) else found["reduction"]
    return found


def _dims(dims: Any, rank: int) -> Any:
    """Dimensions counted from the front; a single one without its list."""
    if isinstance(dims, int) and not isinstance(dims, bool):
        return dims + rank if dims < 0 else dims
    if isinstance(dims, (list, tuple)):
        return [_dims(each, rank) for each in dims]
    return dims


def _reduced(given: dict[str, Any], rank: int) -> dict[str, Any]:
    if given.get("dim") is None or given.get("dim") == []:
        return {}
    dim = _dims(given["dim"], rank)
    single = dim[0] if isinstance(dim, list) and len(dim) == 1 else dim
    return {"dim": single, "keepdim": given.get("keepdim", False)}


def _spread(given: dict[str, Any], rank: int) -> dict[str, Any]:
    reduced = _reduced(given, rank) or {"dim": None, "keepdim": given.get("keepdim", False)}
    correction = given.get("correction", given.get("unbiased", 1))
    return {"dim": reduced["dim"], "correction": 1 if correction is None else correction, "keepdim": reduced["keepdim"]}


def _norm(given: dict[str, Any], rank: int) -> dict[str, Any]:
    reduced = _reduced(given, rank) or {"dim": None, "keepdim": given.get("keepdim", False)}
    p = given.get("p", given.get("ord", 2))
    return {"p": 2 if p is None else p, **reduced}


def _slice(given: dict[str, Any], rank: int) -> dict[str, Any]:
    start = given.get("start")
    return {"dim": _dims(given.get("dim", 0), rank), "start": 0 if start is None else start,
            "end": given.get("end"), "step": given.get("step", 1)}  # fmt: skip


def _convolution(given: dict[str, Any], _: int) -> dict[str, Any]:
    found = {key: given.get(key) for key in ("stride", "padding", "dilation", "groups")}
    if given.get("transposed"):
        found["output_padding"] = given.get("output_padding")
    return found


def _pool(given: dict[str, Any], _: int) -> dict[str, Any]:
    kernel = _pair(given.get("kernel_size"), 1)
    return {"ceil_mode": given.get("ceil_mode", False), "kernel": kernel,
            "stride": _pair(given.get("stride") or kernel, len(kernel)),
            "padding": _pair(given.get("padding", 0), len(kernel)),
            "dilation": _pair(given.get("dilation", 1), len(kernel))}  # fmt: skip


def _pair(value: Any, count: int) -> list[Any]:
    listed = list(value) if isinstance(value, (list, tuple)) else [value]
    return listed * count if len(listed) == 1 else listed


def _dim_alone(given: dict[str, Any], rank: int) -> dict[str, Any]:
    return {"dim": _dims(given["dim"], rank)} if "dim" in given else {}


def _reduction(given: dict[str, Any], _: int) -> dict[str, Any]:
    return {"reduction": _REDUCTIONS[int(given.get("reduction", 1))]}


def _flipped(given: dict[str, Any], rank: int) -> dict[str, Any]:
    return {"dims": _dims(list(given["dims"]), rank)}


Translation = Callable[["dict[str, Any]", int], "dict[str, Any]"]
_PARAMS: dict[str, Translation] = {
    "sum": _reduced, "mean": _reduced, "amax": _reduced, "amin": _reduced, "logsumexp": _reduced, "prod": _reduced,
    "max": _reduced, "min": _reduced, "var": _spread, "std": _spread, "norm": _norm, "median": _reduced,
    "slice": _slice,
    "conv1d": _convolution, "conv2d": _convolution, "conv3d": _convolution,
    "conv_transpose1d": _convolution, "conv_transpose2d": _convolution, "conv_transpose3d": _convolution,
    "max_pool2d": _pool, "max_pool3d": _pool,
    "softmax": _dim_alone, "log_softmax": _dim_alone, "gather": _dim_alone, "cumsum": _dim_alone, "cat": _dim_alone,
    "sort": _dim_alone, "topk": _dim_alone, "index_select": _dim_alone,
    "mse_loss": _reduction, "binary_cross_entropy": _reduction, "binary_cross_entropy_with_logits": _reduction,
    "nll_loss": lambda given, _: {**_reduction(given, _), "ignore_index": given.get("ignore_index", -100)},
    "layer_norm": lambda given, _: {"dims": len(given.get("normalized_shape", [0])), "eps": given.get("eps")},
    "batch_norm": lambda given, _: {"eps": given.get("eps")},
    "group_norm": lambda given, _: {"groups": given.get("group"), "eps": given.get("eps")},
    "embedding": lambda given, _: {"padding_idx": given.get("padding_idx", -1)},
    "round": lambda given, _: {"decimals": given.get("decimals", 0)},
    "to": lambda given, _: {"dtype": given.get("dtype")},
    "view": lambda given, _: {"size": given.get("size", given.get("dtype"))},
    "unsafe_view": lambda given, _: {"size": given.get("size")},
    "expand": lambda given, _: {"size": given.get("size")},
    "clone": lambda *_: {},
    "add": lambda given, _: {"alpha": given["alpha"]} if given.get("alpha", 1) != 1 else {},
    "sub": lambda given, _: {"alpha": given["alpha"]} if given.get("alpha", 1) != 1 else {},
    "permute": _flipped, "flip": _flipped,
    "index": lambda *_: {},
    "copy_slices": lambda *_: {},
}  # fmt: skip
