"""Attention and transformers.

Source: Vaswani et al., Attention is all you need, 2017.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.dtypes import DType
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.containers import ModuleList
from gradviz.engine.nn.dropout import Dropout
from gradviz.engine.nn.linear import Linear, NonDynamicallyQuantizableLinear
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.normalization import LayerNorm
from gradviz.engine.nn.parameter import Parameter, dtype_wanted, new_parameter
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, constant

Activation = str | Callable[[Tensor], Tensor]
"""Of a transformer's feedforward part: "relu", "gelu", or a function."""


class MultiheadAttention(Module):
    """Attention with several heads: each compares queries with keys and averages values by how well they fit.

    Attributes:
        in_proj_weight: makes queries, keys and values, of shape (3 · embed_dim, embed_dim); None where keys or values
            have another width, which makes it three: q_proj_weight, k_proj_weight, v_proj_weight.
        in_proj_bias: of shape (3 · embed_dim,), or None.
        out_proj: a linear layer that joins the heads.
        bias_k, bias_v: one more key and value that are learned, or None.
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None

    def __init__(
        self,
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
        dtype: DType | None = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads"

        def weight(*shape: int) -> Parameter:
            return new_parameter(*shape, dtype=dtype, device=device)

        apart = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        for name, width in apart.items():
            self.register_parameter(name, None if self._qkv_same_embed_dim else weight(embed_dim, width))
        joined = weight(3 * embed_dim, embed_dim) if self._qkv_same_embed_dim else None
        self.register_parameter("in_proj_weight", joined)
        self.register_parameter("in_proj_bias", weight(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        self.bias_k = weight(1, 1, embed_dim) if add_bias_kv else None
        self.bias_v = weight(1, 1, embed_dim) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draw the weights anew, as `init.xavier_uniform_`; biases are 0."""
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)  # type: ignore[arg-type]
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The attended values, and the weights by which they were averaged.

        Args:
            query: of shape (L, N, embed_dim), (N, L, embed_dim) with batch_first, or (L, embed_dim).
            key: of shape (S, N, kdim) and so on, `value`, of shape (S, N, vdim) and so on.
            key_padding_mask: of shape (N, S): True where a key is to be ignored, or numbers to add.
            need_weights: whether to give the weights.
            attn_mask: of shape (L, S) or (N · num_heads, L, S): True where a query must not look, or numbers to add.
            average_attn_weights: whether the weights are averaged over the heads.
            is_causal: says that attn_mask is the causal one.

        Returns:
            The result in the shape of the query, and the weights of shape (N, L, S), with the heads in between where
            they are not averaged; None where they are not needed.
        """
        is_turned = self.batch_first and query.ndim == 3
        if is_turned:
            # What is one tensor stays one, so that queries, keys and values are made of it in one product.
            turned = {id(x): x.transpose(0, 1) for x in (query, key, value)}
            query, key, value = (turned[id(x)] for x in (query, key, value))
        found, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights,
            attn_mask=attn_mask, use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight, k_proj_weight=self.k_proj_weight, v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return (found.transpose(0, 1) if is_turned else found), weights


# ---- layers -----------------------------------------------------------------------------------------------------


def activation_given(activation: Activation) -> Any:
    """The function of an activation that may be named.

    Raises:
        RuntimeError: the name is neither "relu" nor "gelu".
    """
    if not isinstance(activation, str):
        return activation
    named: dict[str, Callable[..., Tensor]] = {"relu": F.relu, "gelu": F.gelu}
    if activation not in named:
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return named[activation]


class TransformerLayer(Module):
    """What encoder and decoder layers have in common: attention and a feedforward part, added to their own input.

    Attributes:
        norm_first: whether layer norm comes before each part rather than behind it.
    """

    norm_first: bool

    def _add(self, x: Tensor, part: Callable[[Tensor], Tensor], norm: Module) -> Tensor:
        """A part with the way around it."""
        if self.norm_first:
            return x + part(norm(x))
        found: Tensor = norm(x + part(x))
        return found


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention and a feedforward part."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, device=device, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, device, dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = activation_given(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The layer's result, in the shape of its input; see `MultiheadAttention.forward` for the masks."""

        def attend(x: Tensor) -> Tensor:
            found, _ = self.self_attn(
                x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, need_weights=False,
                is_causal=is_causal,
            )  # fmt: skip
            made: Tensor = self.dropout1(found)
            return made

        def feed_forward(x: Tensor) -> Tensor:
            made: Tensor = self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))
            return made

        return self._add(self._add(src, attend, self.norm1), feed_forward, self.norm2)


class TransformerDecoderLayer(TransformerLayer):
    """Self-attention, attention to the encoder's result, and a feedforward part."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()

        def attention() -> MultiheadAttention:
            return MultiheadAttention(
                d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, device=device, dtype=dtype
            )

        self.self_attn = attention()
        self.multihead_attn = attention()
        self.linear1 = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, device, dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = activation_given(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The layer's result, in the shape of `tgt`; see `MultiheadAttention.forward` for the masks."""

        def attend(x: Tensor) -> Tensor:
            found, _ = self.self_attn(
                x, x, x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask, need_weights=False,
                is_causal=tgt_is_causal,
            )  # fmt: skip
            made: Tensor = self.dropout1(found)
            return made

        def attend_to_memory(x: Tensor) -> Tensor:
            found, _ = self.multihead_attn(
                x, memory, memory, attn_mask=memory_mask, key_padding_mask=memory_key_padding_mask,
                need_weights=False, is_causal=memory_is_causal,
            )  # fmt: skip
            made: Tensor = self.dropout2(found)
            return made

        def feed_forward(x: Tensor) -> Tensor:
            made: Tensor = self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
            return made

        x = self._add(tgt, attend, self.norm1)
        x = self._add(x, attend_to_memory, self.norm2)
        return self._add(x, feed_forward, self.norm3)


# ---- stacks of layers -------------------------------------------------------------------------------------------


def _copies(layer: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Encoder layers, one after the other; each begins with the same weights as the layer given."""

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        reason = _why_not_nested(encoder_layer) if enable_nested_tensor else ""
        if reason:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}")

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """The result of the last layer, in the shape of the input."""
        for layer in self.layers:
            src = layer(
                src, src_mask=mask, src_key_padding_mask=src_key_padding_mask,
                is_causal=bool(is_causal) and mask is not None,
            )  # fmt: skip
        return src if self.norm is None else self.norm(src)


def _why_not_nested(layer: Module) -> str:
    """Why PyTorch would not use its faster way for padded sequences; it says so when an encoder is made."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    if not layer.self_attn.batch_first:
        return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
    if layer.self_attn.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if layer.activation not in (F.relu, F.gelu):
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"
    if layer.self_attn.num_heads % 2:
        return "encoder_layer.self_attn.num_heads is odd"
    return ""


class TransformerDecoder(Module):
    """Decoder layers, one after the other; each begins with the same weights as the layer given."""

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The result of the last layer, in the shape of `tgt`."""
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal) and tgt_mask is not None, memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder that attends to its result."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {
            "dim_feedforward": dim_feedforward, "dropout": dropout, "activation": activation,
            "layer_norm_eps": layer_norm_eps, "batch_first": batch_first, "norm_first": norm_first, "bias": bias,
            "device": device, "dtype": dtype,
        }  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)

        if custom_encoder is None:
            layer = TransformerEncoderLayer(d_model, nhead, **options)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        if custom_decoder is None:
            last = TransformerDecoderLayer(d_model, nhead, **options)
            custom_decoder = TransformerDecoder(last, num_decoder_layers, norm())
        self.encoder = custom_encoder
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        """Draw all matrices anew, as `init.xavier_uniform_`."""
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
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
    ) -> Tensor:
        """The decoder's result, in the shape of `tgt`.

        Raises:
            RuntimeError: batch sizes or widths that do not fit.
        """
        batch_dim = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch_dim] != tgt.shape[batch_dim]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        found: Tensor = self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip
        return found

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: DType | None = None) -> Tensor:
        """The causal mask: −∞ above the diagonal, 0 elsewhere, of shape (sz, sz)."""
        return constant(np.triu(np.full((sz, sz), -np.inf, dtype_wanted(dtype, device)), 1))


__all__ = [
    "MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip
