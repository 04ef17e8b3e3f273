"""`nn.MultiheadAttention` and `F.multi_head_attention_forward`, in the steps that PyTorch records."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions import METHODS as M
from gradviz.imitation.engine.functions import NEURAL
from gradviz.imitation.engine.functions.shapes.shaping import contiguous
from gradviz.imitation.engine.indexing import reading as indexing
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.names.nn.register import set_attribute
from gradviz.imitation.script.torch_values import Size
from gradviz.imitation.script.values import Class, Instance

linear: Callable[..., Tensor] = NEURAL["linear"]


def refused(message: str) -> TorchError:
    """An assertion of PyTorch's that does not hold."""
    return TorchError(message, kind="AssertionError")


def canonical(mask: Tensor | None, name: str, dtype: DType, other: Tensor | None = None, other_name: str = "") -> Any:
    """A mask to add, −∞ where one of bool is True.

    Raises:
        TorchError: a mask of whole numbers.
    """
    if mask is None:
        return None
    if mask.dtype.kind not in "bf":
        raise refused(f"only bool and floating types of {name} are supported")
    if other is not None and other.dtype != mask.dtype:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    if mask.dtype.kind in FLOATING:
        return mask
    return constant(np.asarray(np.where(mask.data, dtype.type(-np.inf), dtype.type(0))), mask.tape)


def _check_shapes(q: Tensor, k: Tensor, v: Tensor, padding: Tensor | None, mask: Tensor | None, heads: int) -> bool:
    """Whether there is a batch."""
    if q.ndim not in (2, 3):
        raise refused(f"query should be unbatched 2D or batched 3D tensor but received {q.ndim}-D query tensor")
    kind = f"For {'' if q.ndim == 3 else 'un'}batched ({q.ndim}-D) `query`, expected "
    if k.ndim != q.ndim or v.ndim != q.ndim:
        raise refused(
            f"{kind}`key` and `value` to be {q.ndim}-D but found {k.ndim}-D and {v.ndim}-D tensors respectively"
        )
    if padding is not None and padding.ndim != q.ndim - 1:
        raise refused(
            f"{kind}`key_padding_mask` to be `None` or {q.ndim - 1}-D but found {padding.ndim}-D tensor instead"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise refused(f"{kind}`attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead")
    if mask is not None and q.ndim == 2 and mask.ndim == 3 and mask.shape != (heads, q.shape[0], k.shape[0]):
        raise refused(f"Expected `attn_mask` shape to be {(heads, q.shape[0], k.shape[0])} but got {Size(mask.shape)}")
    return q.ndim == 3


def _unpacked(projected: Tensor, parts: int) -> tuple[Tensor, ...]:
    """Several projections that lie side by side, each for itself."""
    size = projected.shape[-1] // parts
    apart = F["unsqueeze"](M["unflatten"](projected, -1, (parts, size)), 0)
    whole = contiguous(F["squeeze"](F["transpose"](apart, 0, -2), -2))
    return tuple(indexing.get(whole, number) for number in range(parts))


def _projected(q: Tensor, k: Tensor, v: Tensor, w: Tensor | None, b: Tensor | None) -> tuple[Tensor, ...]:
    """Query, key and value times the three parts of one weight, in as few products as there are inputs."""
    if k.shape != v.shape:
        raise refused(f"key shape {Size(k.shape)} does not match value shape {Size(v.shape)}")
    if w is None:
        raise refused("use_separate_proj_weight is False but in_proj_weight is None")
    size = q.shape[-1]
    if k is v and q is k:
        return _unpacked(linear(q, w, b), 3)
    if k is v:
        w_q, w_kv = F["split"](w, [size, 2 * size])
        b_q, b_kv = (None, None) if b is None else F["split"](b, [size, 2 * size])
        return (linear(q, w_q, b_q), *_unpacked(linear(k, w_kv, b_kv), 2))
    biases = (None,) * 3 if b is None else F["chunk"](b, 3)
    return tuple(linear(x, w_x, b_x) for x, w_x, b_x in zip((q, k, v), F["chunk"](w, 3), biases, strict=True))


def _projected_apart(xs: tuple[Tensor, ...], weights: tuple[Any, ...], b: Tensor | None) -> tuple[Tensor, ...]:
    """Query, key and value, which may be of different sizes, times a weight of their own each."""
    _, key, value = (Size(x.shape[:2]) for x in xs)
    if key != value:
        raise refused(f"key's sequence and batch dims {key} do not match value's {value}")
    for name, w in zip("qkv", weights, strict=True):
        if w is None:
            raise refused(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    biases = (None,) * 3 if b is None else F["chunk"](b, 3)
    rows = xs[0].shape[-1]
    for name, x, w in zip(("query", "key", "value"), xs, weights, strict=True):
        if w.shape != (rows, x.shape[-1]):
            raise refused(f"expecting {name} weights shape of {(rows, x.shape[-1])}, but got {Size(w.shape)}")
    return tuple(linear(x, w, b_x) for x, w, b_x in zip(xs, weights, biases, strict=True))


def _own_mask(mask: Tensor | None, dtype: DType, is_causal: bool, is_left_out: bool) -> Any:
    """The mask of the queries to add; none where a causal one is left to the kernel."""
    if is_causal and mask is None:
        raise TorchError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    return None if is_causal and is_left_out else canonical(mask, "attn_mask", dtype)


def _checked_mask(mask: Tensor, sizes: tuple[int, int, int]) -> Tensor:
    """The mask with three dims."""
    many, rows, columns = sizes
    if mask.ndim == 2:
        if mask.shape != (rows, columns):
            raise TorchError(f"The shape of the 2D attn_mask is {Size(mask.shape)}, but should be {(rows, columns)}.")
        return F["unsqueeze"](mask, 0)  # type: ignore[no-any-return]
    if mask.ndim != 3:
        raise TorchError(f"attn_mask's dimension {mask.ndim} is not supported")
    if mask.shape != sizes:
        raise TorchError(f"The shape of the 3D attn_mask is {Size(mask.shape)}, but should be {(many, rows, columns)}.")
    return mask


def _padded(mask: Any, functional: dict[str, Any]) -> Any:
    return None if mask is None else functional["pad"](mask, (0, 1))


def forward_function(functional: dict[str, Any]) -> Callable[..., Any]:
    """`F.multi_head_attention_forward` over the functions of one machine."""

    def multi_head_attention_forward(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        embed_dim_to_check: int,
        num_heads: int,
        in_proj_weight: Tensor | None,
        in_proj_bias: Tensor | None,
        bias_k: Tensor | None,
        bias_v: Tensor | None,
        add_zero_attn: bool,
        dropout_p: float,
        out_proj_weight: Tensor,
        out_proj_bias: Tensor | None,
        training: bool = True,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        use_separate_proj_weight: bool = False,
        q_proj_weight: Tensor | None = None,
        k_proj_weight: Tensor | None = None,
        v_proj_weight: Tensor | None = None,
        static_k: Tensor | None = None,
        static_v: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        is_batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
        if not is_batched:
            query, key, value = (F["unsqueeze"](x, 1) for x in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else F["unsqueeze"](key_padding_mask, 0)
        rows, batch, size = query.shape
        padding = canonical(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
        mask = _own_mask(attn_mask, query.dtype, is_causal, is_left_out=padding is None and not need_weights)
        is_causal = is_causal and padding is None
        if size != embed_dim_to_check:
            raise refused(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
        head = size // num_heads
        if head * num_heads != size:
            raise refused(f"embed_dim {size} not divisible by num_heads {num_heads}")
        if use_separate_proj_weight:
            weights = (q_proj_weight, k_proj_weight, v_proj_weight)
            q, k, v = _projected_apart((query, key, value), weights, in_proj_bias)
        else:
            q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
        if mask is not None:
            mask = _checked_mask(mask, (batch * num_heads, rows, key.shape[0]))
        if bias_k is not None and bias_v is not None:
            k, v = (F["cat"]([x, M["repeat"](b, 1, batch, 1)]) for x, b in ((k, bias_k), (v, bias_v)))
            mask, padding = _padded(mask, functional), _padded(padding, functional)
        q, k, v = (_by_heads(x, batch * num_heads, head) for x in (q, k, v))
        k, v = static_k if static_k is not None else k, static_v if static_v is not None else v
        if add_zero_attn:
            zeros = constant(np.zeros((batch * num_heads, 1, head), k.dtype), k.tape)
            k, v = F["cat"]([k, zeros], 1), F["cat"]([v, zeros], 1)
            mask, padding = _padded(mask, functional), _padded(padding, functional)
        columns = k.shape[1]
        if padding is not None:
            mask = _merged(mask, padding, (batch, num_heads, columns))
        rate = dropout_p if training else 0.0
        parts = (batch, num_heads, rows, columns, head)
        if need_weights:
            out, seen = _with_weights(functional, q, k, v, mask, rate, parts)
        else:
            out, seen = _without_weights(functional, q, k, v, mask, rate, is_causal, parts), None
        out = M["view"](linear(out, out_proj_weight, out_proj_bias), rows, batch, out_proj_weight.shape[0])
        if seen is not None:
            seen = M["view"](seen, batch, num_heads, rows, columns)
            seen = F["mean"](seen, 1) if average_attn_weights else seen
        return (out, seen) if is_batched else _without_batch(out, seen)

    return multi_head_attention_forward


def _by_heads(x: Tensor, many: int, head: int) -> Tensor:
    """(rows, batch, size) as (batch · heads, rows, head)."""
    return F["transpose"](M["view"](x, x.shape[0], many, head), 0, 1)  # type: ignore[no-any-return]


def _without_batch(out: Tensor, seen: Tensor | None) -> tuple[Tensor, Tensor | None]:
    return F["squeeze"](out, 1), None if seen is None else F["squeeze"](seen, 0)


def _merged(mask: Tensor | None, padding: Tensor, sizes: tuple[int, int, int]) -> Tensor:
    """The mask with the padding of the keys added."""
    batch, heads, columns = sizes
    for dim, wanted in enumerate((batch, columns)):
        if padding.shape[dim] != wanted:
            raise refused(f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {padding.shape[dim]}")
    wide = M["expand"](M["view"](padding, batch, 1, 1, columns), -1, heads, -1, -1)
    wide = F["reshape"](wide, batch * heads, 1, columns)
    return wide if mask is None else F["add"](mask, wide)  # type: ignore[no-any-return]


def _with_weights(
    functional: dict[str, Any],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    rate: float,
    parts: tuple[int, int, int, int, int],
) -> tuple[Tensor, Tensor]:
    """All heads side by side, and how much each row looks at each other."""
    batch, heads, rows, _, head = parts
    scaled, turned = F["mul"](q, math.sqrt(1.0 / float(head))), F["transpose"](k, -2, -1)
    scores = F["bmm"](scaled, turned) if mask is None else F["baddbmm"](mask, scaled, turned)
    weights = F["softmax"](scores, -1)
    if rate > 0.0:
        weights = functional["dropout"](weights, rate)
    mixed = F["bmm"](weights, v)
    return F["reshape"](F["transpose"](mixed, 0, 1), rows * batch, heads * head), weights


def _without_weights(
    functional: dict[str, Any],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    rate: float,
    is_causal: bool,
    parts: tuple[int, int, int, int, int],
) -> Tensor:
    batch, heads, rows, columns, head = parts
    if mask is not None:
        if mask.shape[0] == 1 and mask.ndim == 3:
            mask = F["unsqueeze"](mask, 0)
        else:
            mask = M["view"](mask, batch, heads, -1, columns)
    q, k, v = (M["view"](x, batch, heads, length, head) for x, length in ((q, rows), (k, columns), (v, columns)))
    mixed = functional["scaled_dot_product_attention"](q, k, v, mask, rate, is_causal)
    return F["reshape"](F["permute"](mixed, 2, 0, 1, 3), batch * rows, heads * head)  # type: ignore[no-any-return]


# ---- the module ----


def attention_classes(kinds: Kinds, linear_class: Class) -> dict[str, Class]:
    """MultiheadAttention, and the class of the layer inside it."""
    inner = Class("NonDynamicallyQuantizableLinear", (linear_class,), {}, module="torch.nn.modules.linear")
    return {"MultiheadAttention": _attention(kinds, inner)}


def _xavier(kinds: Kinds, shape: tuple[int, ...]) -> Any:
    """The numbers of `nn.init.xavier_uniform_`."""
    bound = math.sqrt(3.0) * math.sqrt(2.0 / float(shape[0] + shape[1]))
    return kinds.uniform(shape, bound)


def _xavier_normal(kinds: Kinds, size: int) -> Any:
    """The numbers of `nn.init.xavier_normal_` for one row of a sequence."""
    return kinds.machine.random.normal((1, 1, size), 0.0, math.sqrt(2.0 / float(2 * size)), kinds.dtype)


def _attention(kinds: Kinds, linear_class: Class) -> Class:
    run = forward_function(kinds.functional)

    def init(
        module: Instance,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise TorchError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead",
                kind="ValueError",
            )
        kdim, vdim = kdim or embed_dim, vdim or embed_dim
        is_packed = kdim == vdim == embed_dim
        module.attributes |= {
            "embed_dim": embed_dim, "kdim": kdim, "vdim": vdim, "_qkv_same_embed_dim": is_packed,
            "num_heads": num_heads, "dropout": dropout, "batch_first": batch_first, "head_dim": embed_dim // num_heads,
        }  # fmt: skip
        if embed_dim % num_heads:
            raise refused("embed_dim must be divisible by num_heads")
        shapes = {"q_proj_weight": embed_dim, "k_proj_weight": kdim, "v_proj_weight": vdim}
        # The layer inside draws its numbers before the weights that stand before it.
        out = kinds.machine.call(linear_class, (embed_dim, embed_dim, bias), {})
        if is_packed:
            kinds.parameter(module, "in_proj_weight", _xavier(kinds, (3 * embed_dim, embed_dim)))
            for name in shapes:
                kinds.optional(module, name, None)
        else:
            for name, columns in shapes.items():
                kinds.parameter(module, name, _xavier(kinds, (embed_dim, columns)))
            kinds.optional(module, "in_proj_weight", None)
        kinds.optional(module, "in_proj_bias", kinds.zeros((3 * embed_dim,)) if bias else None)
        for name in ("bias_k", "bias_v"):
            drawn = _xavier_normal(kinds, embed_dim) if add_bias_kv else None
            if drawn is None:
                module.attributes[name] = None
            else:
                kinds.parameter(module, name, drawn)
        if bias:
            out.attributes["bias"].data[...] = 0
            out.attributes["bias"].more.first_version = 2
        set_attribute(module, "out_proj", out)
        module.attributes["add_zero_attn"] = add_zero_attn

    def forward(
        a: dict[str, Any],
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        turns = a["batch_first"] and query.ndim == 3
        padding = canonical(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
        mask = canonical(attn_mask, "attn_mask", query.dtype)
        if turns:
            query, key, value = _turned(query, key, value)
        out_proj = a["out_proj"].attributes
        out, weights = run(
            query, key, value, a["embed_dim"], a["num_heads"], a["in_proj_weight"], a["in_proj_bias"], a["bias_k"],
            a["bias_v"], a["add_zero_attn"], a["dropout"], out_proj["weight"], out_proj["bias"], a["training"],
            padding, need_weights, mask, not a["_qkv_same_embed_dim"], a["q_proj_weight"], a["k_proj_weight"],
            a["v_proj_weight"], average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return (F["transpose"](out, 1, 0) if turns else out), weights

    return kinds.cls("MultiheadAttention", init, forward, None, "activation")


def _turned(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The sequence first; what was one tensor stays one."""
    q = F["transpose"](query, 1, 0)
    k = q if key is query else F["transpose"](key, 1, 0)
    v = k if value is key else F["transpose"](value, 1, 0)
    return q, k, v
