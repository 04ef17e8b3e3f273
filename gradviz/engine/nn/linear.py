"""Linear layers."""

from __future__ import annotations

import math
from typing import Any

from gradviz.engine.dtypes import DType
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.module import Module, settings
from gradviz.engine.nn.parameter import Parameter, new_parameter
from gradviz.engine.tensor import Tensor


class Identity(Module):
    """Gives what it is given; takes any arguments and ignores them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class Linear(Module):
    """y = x Wᵀ + b.

    Attributes:
        weight: W, of shape (out_features, in_features).
        bias: b, of shape (out_features,), or None.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = new_parameter(out_features, in_features, dtype=dtype, device=device)
        self.register_parameter("bias", new_parameter(out_features, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weights and bias anew, uniform within ±1/√in_features."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """x Wᵀ + b for an input of shape (*, in_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The numbers of features."""
        return f"{settings(self, 'in_features out_features')}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The linear layer inside attention; PyTorch shows it by this name."""


class Bilinear(Module):
    """yₖ = x₁ᵀ Wₖ x₂ + bₖ.

    Attributes:
        weight: W, of shape (out_features, in1_features, in2_features).
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = new_parameter(out_features, in1_features, in2_features, dtype=dtype, device=device)
        self.register_parameter("bias", new_parameter(out_features, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weights and bias anew, uniform within ±1/√in1_features."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """x₁ᵀ Wₖ x₂ + bₖ for inputs of shapes (*, in1_features) and (*, in2_features)."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The numbers of features."""
        return f"{settings(self, 'in1_features in2_features out_features')}, bias={self.bias is not None}"
