"""Embeddings: a learned vector for each index."""

from __future__ import annotations

from typing import Any, Self

from gradviz.engine.dtypes import DType
from gradviz.engine.modes import no_grad
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.module import Module, read_given
from gradviz.engine.nn.parameter import Parameter, new_parameter
from gradviz.engine.tensor import Tensor


class Table(Module):
    """What Embedding and EmbeddingBag have in common.

    Attributes:
        weight: the vectors, of shape (num_embeddings, embedding_dim).
        padding_idx: the index whose vector begins as zero and is never learned, or None.
        max_norm: vectors with a larger norm are scaled down to it when they are used; `norm_type` says which norm.
        scale_grad_by_freq: whether gradients are divided by how often an index occurs.
        sparse: taken, but gradients are dense here.
    """

    weight: Parameter

    def _set_up(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        max_norm: float | None,
        norm_type: float,
        scale_grad_by_freq: bool,
        sparse: bool,
        weight: Tensor | None,
        is_frozen: bool,
        device: Any,
        dtype: DType | None,
    ) -> None:
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            assert -num_embeddings <= padding_idx < num_embeddings, "Padding_idx must be within num_embeddings"
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if weight is None:
            self.weight = new_parameter(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.weight.requires_grad_(not is_frozen)
            self.reset_parameters()
        else:
            assert list(weight.shape) == [num_embeddings, embedding_dim], (
                "Shape of weight does not match num_embeddings and embedding_dim"
            )
            self.weight = Parameter(weight, requires_grad=not is_frozen)

    def reset_parameters(self) -> None:
        """Draw the vectors anew, normal with mean 0 and variance 1."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from their defaults."""
        shown = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, default in self._defaults().items():
            value = read_given(self, name)
            if value != default:
                shown += f", {name}={value!r}"
        return shown

    def _defaults(self) -> dict[str, Any]:
        """Which settings are shown, and their defaults."""
        return {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}


class Embedding(Table):
    """The vector of every index."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self._set_up(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight,
            _freeze, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        """The vectors, of shape (*input.shape, embedding_dim)."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """An embedding of given vectors, which are not learned unless `freeze` is False."""
        assert embeddings.ndim == 2, "Embeddings parameter is expected to be 2-dimensional"
        rows, columns = embeddings.shape
        return cls(
            rows, columns, padding_idx=padding_idx, max_norm=max_norm, norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq, sparse=sparse, _weight=embeddings, _freeze=freeze,
        )  # fmt: skip


class EmbeddingBag(Table):
    """The sum, the mean or the largest elements of the vectors of every bag of indices.

    Attributes:
        mode: "sum", "mean" or "max".
        include_last_offset: whether the offsets end with the number of indices.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self._set_up(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight,
            False, device, dtype,
        )  # fmt: skip
        self.mode = mode
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """One vector for each bag: a row of the input, or a stretch of it that begins at an offset."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
            self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Bags of given vectors, which are not learned unless `freeze` is False."""
        assert embeddings.ndim == 2, "Embeddings parameter is expected to be 2-dimensional"
        rows, columns = embeddings.shape
        made = cls(
            rows, columns, max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, mode=mode,
            sparse=sparse, _weight=embeddings, include_last_offset=include_last_offset, padding_idx=padding_idx,
        )  # fmt: skip
        made.weight.requires_grad_(not freeze)
        return made

    def _defaults(self) -> dict[str, Any]:
        return {
            "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "mode": None, "padding_idx": None,
        }  # fmt: skip
