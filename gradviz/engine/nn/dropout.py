"""Dropout: in training, elements or channels are set to zero at random and the others scaled up."""

from __future__ import annotations

from gradviz.engine.nn import functional as F
from gradviz.engine.nn.module import Module, settings
from gradviz.engine.tensor import Tensor


class RandomZeros(Module):
    """What all kinds of dropout have in common.

    Attributes:
        p: the probability of zero.
        inplace: whether the result is written into the input.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """The probability, and whether in place."""
        return settings(self, "p inplace")


class Dropout(RandomZeros):
    """Elements set to zero with probability p, the others divided by 1 − p.

    Source: Srivastava et al., Dropout, 2014.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with zeros; itself in evaluation mode."""
        return F.dropout(input, self.p, self.training, self.inplace)


class AlphaDropout(RandomZeros):
    """Dropout that keeps mean 0 and variance 1 behind SELU; see `F.alpha_dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input with SELU's lower bound at random; itself in evaluation mode."""
        return F.alpha_dropout(input, self.p, self.training)


class Dropout2d(RandomZeros):
    """Whole channels of images set to zero."""

    def forward(self, input: Tensor) -> Tensor:
        """The input with zeros; itself in evaluation mode."""
        return F.dropout2d(input, self.p, self.training, self.inplace)
