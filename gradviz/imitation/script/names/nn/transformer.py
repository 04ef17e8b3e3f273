"""`nn.Transformer` and its parts: encoder and decoder layers, and stacks of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.copies import deep
from gradviz.imitation.script.names.nn.attention import canonical
from gradviz.imitation.script.names.nn.base import parameters
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.names.nn.register import set_attribute
from gradviz.imitation.script.values import Class, Instance, Native, Static

Classes = dict[str, Class]
NESTED = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
    "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has "
    "better operator coverage, and works with torch.compile."
)


class Parts:
    """Makes and calls the modules inside a module."""

    def __init__(self, kinds: Kinds, classes: Classes) -> None:
        self.kinds = kinds
        self.classes = classes

    def make(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        return self.kinds.machine.call(self.classes[name], arguments, keywords)

    def call(self, module: Any, *arguments: Any, **keywords: Any) -> Any:
        return self.kinds.machine.call(module, arguments, keywords)

    def clones(self, layer: Instance, count: int) -> Any:
        """A list of copies of one layer."""
        return self.make("ModuleList", [deep(self.kinds.machine, layer) for _ in range(count)])


def transformer_classes(kinds: Kinds, classes: Classes) -> Classes:
    """All of them by name.

    Args:
        classes: the modules that they are made of; theirs are added to it.
    """
    parts = Parts(kinds, classes)
    classes["TransformerEncoderLayer"] = _layer(parts, "TransformerEncoderLayer", crosses=False)
    classes["TransformerDecoderLayer"] = _layer(parts, "TransformerDecoderLayer", crosses=True)
    classes["TransformerEncoder"] = _encoder(parts)
    classes["TransformerDecoder"] = _decoder(parts)
    classes["Transformer"] = _transformer(parts)
    return classes


# ---- one layer ----


def _activation(parts: Parts, given: Any) -> Any:
    """A function for the name of one."""
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise TorchError(f"activation should be relu/gelu, not {given}")
    return Native(given, parts.kinds.functional[given])


def _is_fast(activation: Any) -> bool:
    """Whether PyTorch knows a faster way for this activation."""
    name = activation.cls.name.lower() if isinstance(activation, Instance) else getattr(activation, "name", "")
    return name in ("relu", "gelu")


def _layer(parts: Parts, name: str, *, crosses: bool) -> Class:
    """An encoder layer, or a decoder layer, which looks at the memory too."""

    def init(
        module: Instance,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        def put(key: str, kind: str, *arguments: Any, **keywords: Any) -> None:
            set_attribute(module, key, parts.make(kind, *arguments, **keywords))

        for key in ("self_attn", "multihead_attn") if crosses else ("self_attn",):
            put(key, "MultiheadAttention", d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
        put("linear1", "Linear", d_model, dim_feedforward, bias=bias)
        put("dropout", "Dropout", dropout)
        put("linear2", "Linear", dim_feedforward, d_model, bias=bias)
        module.attributes["norm_first"] = norm_first
        numbers = (1, 2, 3) if crosses else (1, 2)
        for number in numbers:
            put(f"norm{number}", "LayerNorm", d_model, eps=layer_norm_eps, bias=bias)
        for number in numbers:
            put(f"dropout{number}", "Dropout", dropout)
        set_attribute(module, "activation", _activation(parts, activation))

    return parts.kinds.cls(name, init, _decoded(parts) if crosses else _encoded(parts), None, "transformer")


def _attend(parts: Parts, a: dict[str, Any], key: str, x: Any, memory: Any, masks: tuple[Any, Any, bool]) -> Any:
    mask, padding, is_causal = masks
    return parts.call(
        a[key], x, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal, need_weights=False
    )[0]


def _forward(parts: Parts, a: dict[str, Any], x: Any, last: str) -> Any:
    """The two linear layers of a block."""
    inner = parts.call(a["activation"], parts.call(a["linear1"], x))
    return parts.call(a[last], parts.call(a["linear2"], parts.call(a["dropout"], inner)))


def _through(parts: Parts, a: dict[str, Any], x: Any, blocks: list[Callable[[Any], Any]]) -> Any:
    """Each block added to what goes into it, with the norm before the block or after the sum."""
    for number, block in enumerate(blocks, 1):
        norm = a[f"norm{number}"]
        added = F["add"](x, block(parts.call(norm, x) if a["norm_first"] else x))
        x = added if a["norm_first"] else parts.call(norm, added)
    return x


def _encoded(parts: Parts) -> Callable[..., Any]:
    def forward(
        a: dict[str, Any],
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Any:
        padding = canonical(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        masks = (canonical(src_mask, "src_mask", src.dtype), padding, is_causal)
        return _through(
            parts,
            a,
            src,
            [
                lambda x: parts.call(a["dropout1"], _attend(parts, a, "self_attn", x, x, masks)),
                lambda x: _forward(parts, a, x, "dropout2"),
            ],
        )

    return forward


def _decoded(parts: Parts) -> Callable[..., Any]:
    def forward(
        a: dict[str, Any],
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        return _through(
            parts,
            a,
            tgt,
            [
                lambda x: parts.call(a["dropout1"], _attend(parts, a, "self_attn", x, x, own)),
                lambda x: parts.call(a["dropout2"], _attend(parts, a, "multihead_attn", x, memory, other)),
                lambda x: _forward(parts, a, x, "dropout3"),
            ],
        )

    return forward


# ---- stacks of layers ----


def causal_mask(size: int, dtype: Any) -> Any:
    """Zeros on and below the diagonal, −∞ above."""
    return np.triu(np.full((size, size), -np.inf, dtype), 1)


def _is_causal(mask: Tensor | None, given: bool | None, size: int | None) -> bool:
    """Whether a mask hides exactly what comes later; what the caller says counts."""
    if given is not None or mask is None:
        return given is True
    wanted = causal_mask(mask.shape[-2] if size is None else size, np.float32)
    return mask.shape == wanted.shape and bool((np.asarray(mask.data) == wanted).all())


def _length(x: Tensor, batch_first: bool) -> int | None:
    """How long the sequences are."""
    return x.shape[0] if x.ndim == 2 or not batch_first else x.shape[1]


def _why_slow(layer: Any) -> str:
    """Why PyTorch takes no short cut through padding with such layers, or ""."""
    if not isinstance(layer, Instance) or layer.cls.name != "TransformerEncoderLayer":
        return "encoder_layer was not TransformerEncoderLayer"
    a = layer.attributes
    inner = a["self_attn"].attributes
    reasons = (
        (a["norm_first"], "encoder_layer.norm_first was True"),
        (
            not inner["batch_first"],
            "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)",
        ),
        (not inner["_qkv_same_embed_dim"], "encoder_layer.self_attn._qkv_same_embed_dim was not True"),
        (inner["in_proj_bias"] is None, "encoder_layer.self_attn was passed bias=False"),
        (not _is_fast(a["activation"]), "encoder_layer.activation_relu_or_gelu was not True"),
        (a["norm1"].attributes["eps"] != a["norm2"].attributes["eps"],
         "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"),
        (inner["num_heads"] % 2 == 1, "encoder_layer.self_attn.num_heads is odd"),
    )  # fmt: skip
    return next((reason for holds, reason in reasons if holds), "")


def _encoder(parts: Parts) -> Class:
    def init(
        module: Instance,
        encoder_layer: Instance,
        num_layers: int,
        norm: Any = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        set_attribute(module, "layers", parts.clones(encoder_layer, num_layers))
        module.attributes["num_layers"] = num_layers
        set_attribute(module, "norm", norm)
        reason = _why_slow(encoder_layer)
        if enable_nested_tensor and reason:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}")
        module.attributes |= {
            "enable_nested_tensor": enable_nested_tensor, "use_nested_tensor": enable_nested_tensor and not reason,
            "mask_check": mask_check,
        }  # fmt: skip

    def forward(
        a: dict[str, Any],
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Any:
        given = src_key_padding_mask
        padding = canonical(given, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = canonical(mask, "mask", src.dtype)
        layers = parts.kinds.machine.listed(a["layers"])
        first = layers[0].attributes
        causal = _is_causal(mask, is_causal, _length(src, first["self_attn"].attributes["batch_first"]))
        x = src
        for layer in layers:
            x = parts.call(layer, x, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if given is not None and mask is None and a["use_nested_tensor"] and _cuts_padding(src, layers[0]):
            warn(NESTED, once=True)
            x = _without_padding(x, padding)
        return x if a["norm"] is None else parts.call(a["norm"], x)

    return parts.kinds.cls("TransformerEncoder", init, forward, None, "transformer")


def _cuts_padding(src: Tensor, layer: Instance) -> bool:
    """Whether PyTorch leaves the padding out of the computation, so that its places hold 0."""
    wants = src.tape.grad_enabled and any(x.requires_grad for x in (src, *parameters(layer)))
    return not layer.attributes["training"] and src.ndim == 3 and not wants


def _without_padding(x: Tensor, padding: Tensor) -> Tensor:
    """Zeros where a row is padding, if all padding stands at the end of its row."""
    hidden = np.asarray(padding.data) != 0
    if (hidden[:, :-1] & ~hidden[:, 1:]).any():
        return x
    return constant(np.where(hidden[..., None], x.dtype.type(0), x.data), x.tape)


def _decoder(parts: Parts) -> Class:
    def init(module: Instance, decoder_layer: Instance, num_layers: int, norm: Any = None) -> None:
        set_attribute(module, "layers", parts.clones(decoder_layer, num_layers))
        module.attributes["num_layers"] = num_layers
        set_attribute(module, "norm", norm)

    def forward(
        a: dict[str, Any],
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        layers = parts.kinds.machine.listed(a["layers"])
        size = _length(tgt, layers[0].attributes["self_attn"].attributes["batch_first"])
        causal = _is_causal(tgt_mask, tgt_is_causal, size)
        x = tgt
        for layer in layers:
            x = parts.call(
                layer, x, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_is_causal=causal,
                tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return x if a["norm"] is None else parts.call(a["norm"], x)

    return parts.kinds.cls("TransformerDecoder", init, forward, None, "transformer")


# ---- all of it ----


def _transformer(parts: Parts) -> Class:
    def init(
        module: Instance,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        shape = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        counts = {"encoder": num_encoder_layers, "decoder": num_decoder_layers}
        for key, custom in (("encoder", custom_encoder), ("decoder", custom_decoder)):
            made = custom
            if custom is None:
                name = f"Transformer{key.capitalize()}"
                layer = parts.make(f"{name}Layer", *shape)
                norm = parts.make("LayerNorm", d_model, eps=layer_norm_eps, bias=bias)
                made = parts.make(name, layer, counts[key], norm)
            set_attribute(module, key, made)
        fill = parts.kinds.machine.modules["torch"].members["nn"].members["init"].members["xavier_uniform_"]
        for parameter in parameters(module):
            if parameter.ndim > 1:
                parts.call(fill, parameter)
        module.attributes |= {"d_model": d_model, "nhead": nhead, "batch_first": batch_first}

    def forward(
        a: dict[str, Any],
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        dim = 0 if a["batch_first"] else 1
        if src.ndim == 3 and src.shape[dim] != tgt.shape[dim]:
            raise TorchError("the batch number of src and tgt must be equal")
        if src.shape[-1] != a["d_model"] or tgt.shape[-1] != a["d_model"]:
            raise TorchError("the feature number of src and tgt must be equal to d_model")
        memory = parts.call(
            a["encoder"], src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return parts.call(
            a["decoder"], tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )  # fmt: skip

    def square_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        kind = parts.kinds.dtype if dtype is None else dtype.dtype
        return parts.kinds.machine.tensor(causal_mask(sz, kind))

    cls = parts.kinds.cls("Transformer", init, forward, None, "transformer")
    cls.attributes["generate_square_subsequent_mask"] = Static(Native("generate_square_subsequent_mask", square_mask))
    return cls
