"""Embeddings: a learned vector for each index."""

from __future__ import annotations

from typing import Any, Self

from gradviz.engine.dtypes import DType
from gradviz.engine.errors import refuse_options
from gradviz.engine.modes import no_grad
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.parameter import Parameter, new_parameter
from gradviz.engine.tensor import Tensor


class Embedding(Module):
    """The vector of every index.

    Attributes:
        weight: the vectors, of shape (num_embeddings, embedding_dim).
        padding_idx: the index whose vector begins as zero and is never learned, or None.

    Raises:
        Beyond: `max_norm`, `scale_grad_by_freq` or `sparse`.
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: DType | None = None,
        **others: Any,
    ) -> None:
        super().__init__()
        refuse_options("nn.Embedding", others, "max_norm norm_type scale_grad_by_freq sparse")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            assert -num_embeddings <= padding_idx < num_embeddings, "Padding_idx must be within num_embeddings"
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        if _weight is not None:
            self.weight = Parameter(_weight, requires_grad=not _freeze)
            return
        self.weight = new_parameter(num_embeddings, embedding_dim, dtype=dtype, device=device)
        self.weight.requires_grad_(not _freeze)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the vectors anew, normal with mean 0 and variance 1."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0

    def forward(self, input: Tensor) -> Tensor:
        """The vectors, of shape (*input.shape, embedding_dim)."""
        return F.embedding(input, self.weight, self.padding_idx)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, **others: Any
    ) -> Self:
        """An embedding of given vectors, which are not learned unless `freeze` is False."""
        assert embeddings.ndim == 2, "Embeddings parameter is expected to be 2-dimensional"
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze, **others)

    def extra_repr(self) -> str:
        """The sizes, and the padding row."""
        shown = f"{self.num_embeddings}, {self.embedding_dim}"
        return shown if self.padding_idx is None else f"{shown}, padding_idx={self.padding_idx}"
