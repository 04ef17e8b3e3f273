"""Attention and transformers.

Source: Vaswani et al., Attention is all you need, 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.dtypes import DType
from gradviz.engine.errors import refuse_options
from gradviz.engine.functions.attention import attend_in_heads
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.dropout import Dropout
from gradviz.engine.nn.linear import Linear, NonDynamicallyQuantizableLinear
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.normalization import LayerNorm
from gradviz.engine.nn.parameter import Parameter, new_parameter
from gradviz.engine.tensor import Tensor

Activation = str | Callable[[Tensor], Tensor]
"""Of a transformer's feedforward part: "relu", "gelu", or a function."""


class MultiheadAttention(Module):
    """Attention with several heads: each compares queries with keys and averages values by how well they fit.

    Attributes:
        in_proj_weight: makes queries, keys and values, of shape (3 · embed_dim, embed_dim).
        in_proj_bias: of shape (3 · embed_dim,), or None.
        out_proj: a linear layer that joins the heads.

    Raises:
        Beyond: `add_bias_kv`, `add_zero_attn`, `kdim` or `vdim`.
    """

    in_proj_weight: Parameter
    in_proj_bias: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        batch_first: bool = False,
        device: Any = None,
        dtype: DType | None = None,
        **others: Any,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        refuse_options("nn.MultiheadAttention", others, "add_bias_kv add_zero_attn kdim vdim")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads"
        self.in_proj_weight = new_parameter(3 * embed_dim, embed_dim, dtype=dtype, device=device)
        first = new_parameter(3 * embed_dim, dtype=dtype, device=device) if bias else None
        self.register_parameter("in_proj_bias", first)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draw the weights anew, as `init.xavier_uniform_`; biases are 0."""
        init.xavier_uniform_(self.in_proj_weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)  # type: ignore[arg-type]

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
            key, value: of shape (S, N, embed_dim) and so on.
            key_padding_mask: of shape (N, S): True where a key is to be ignored, or numbers to add.
            need_weights: whether to give the weights.
            attn_mask: of shape (L, S) or (N · num_heads, L, S): True where a query must not look, or numbers to add.
            average_attn_weights: whether the weights are averaged over the heads.
            is_causal: says that attn_mask is the causal one.

        Returns:
            The result in the shape of the query, and the weights of shape (N, L, S), with the heads in between where
            they are not averaged; None where they are not needed.
        """
        is_batched, is_turned = query.ndim == 3, self.batch_first and query.ndim == 3
        if is_turned or not is_batched:
            # What is one tensor stays one, so that queries, keys and values are made of it in one product.
            with_batch = {id(x): x.transpose(0, 1) if is_turned else x.unsqueeze(1) for x in (query, key, value)}
            query, key, value = (with_batch[id(x)] for x in (query, key, value))
        assert query.shape[-1] == self.embed_dim, (
            f"was expecting embedding dimension of {self.embed_dim}, but got {query.shape[-1]}"
        )
        if key_padding_mask is not None and not is_batched:
            key_padding_mask = key_padding_mask.unsqueeze(0)
        joined, weights = attend_in_heads(
            query, key, value, self.num_heads, self.in_proj_weight, self.in_proj_bias,
            self.dropout if self.training else 0.0, key_padding_mask, attn_mask, is_causal,
        )  # fmt: skip
        found = F.linear(joined, self.out_proj.weight, self.out_proj.bias)
        shown = None if not need_weights else weights.mean(1) if average_attn_weights else weights
        if not is_batched:
            return found.squeeze(1), None if shown is None else shown.squeeze(0)
        return (found.transpose(0, 1) if is_turned else found), shown


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


class TransformerEncoderLayer(Module):
    """Self-attention and a feedforward part, each added to its own input.

    Attributes:
        norm_first: whether layer norm comes before each part rather than behind it.
    """

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

        def attend(x: Tensor) -> Any:
            found, _ = self.self_attn(
                x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, need_weights=False,
                is_causal=is_causal,
            )  # fmt: skip
            return self.dropout1(found)

        def feed_forward(x: Tensor) -> Any:
            return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        x: Tensor = src
        for part, norm in ((attend, self.norm1), (feed_forward, self.norm2)):
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x


__all__ = ["MultiheadAttention", "TransformerEncoderLayer"]
