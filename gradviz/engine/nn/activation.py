"""Activations: nonlinear functions of every element, and softmax and its kin."""

from __future__ import annotations

from typing import Any

from gradviz.engine.dtypes import DType
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.module import Module, settings
from gradviz.engine.nn.parameter import Parameter, new_parameter
from gradviz.engine.ops.elementwise import sigmoid, tanh
from gradviz.engine.tensor import Tensor


class InPlace(Module):
    """What activations have in common that may write their result into their input.

    Attributes:
        inplace: whether they do.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Only what differs from the default."""
        return "inplace=True" if self.inplace else ""

    def _with_settings(self, names: str) -> str:
        return settings(self, names) + (", inplace=True" if self.inplace else "")


class ReLU(InPlace):
    """max(0, x)."""

    def forward(self, input: Tensor) -> Tensor:
        """max(0, x)."""
        return F.relu(input, inplace=self.inplace)


class ReLU6(InPlace):
    """min(max(0, x), 6)."""

    def forward(self, input: Tensor) -> Tensor:
        """min(max(0, x), 6)."""
        return F.relu6(input, inplace=self.inplace)


class SELU(InPlace):
    """The scaled ELU that keeps mean 0 and variance 1."""

    def forward(self, input: Tensor) -> Tensor:
        """scale · ELU(x)."""
        return F.selu(input, inplace=self.inplace)


class SiLU(InPlace):
    """x · σ(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """x · σ(x)."""
        return F.silu(input, inplace=self.inplace)


class Mish(InPlace):
    """x · tanh(softplus(x))."""

    def forward(self, input: Tensor) -> Tensor:
        """x · tanh(softplus(x))."""
        return F.mish(input, inplace=self.inplace)


class Hardswish(InPlace):
    """x · hardsigmoid(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """x · hardsigmoid(x)."""
        return F.hardswish(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class Hardsigmoid(InPlace):
    """σ as three straight lines: x / 6 + 1/2, kept within [0, 1]."""

    def forward(self, input: Tensor) -> Tensor:
        """x / 6 + 1/2, kept within [0, 1]."""
        return F.hardsigmoid(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class LeakyReLU(InPlace):
    """x where x > 0, else negative_slope · x."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        """x where x > 0, else negative_slope · x."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The slope."""
        return self._with_settings("negative_slope")


class ELU(InPlace):
    """x where x > 0, else alpha · (eˣ − 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """x where x > 0, else alpha · (eˣ − 1)."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Alpha."""
        return self._with_settings("alpha")


class Hardtanh(InPlace):
    """x kept within [min_val, max_val]."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.min_val = min_val
        self.max_val = max_val
        assert self.max_val > self.min_val

    def forward(self, input: Tensor) -> Tensor:
        """x kept within [min_val, max_val]."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The bounds."""
        return self._with_settings("min_val max_val")


class Plain(Module):
    """What activations without settings have in common: they take any arguments and ignore them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()


class Sigmoid(Plain):
    """σ(x) = 1 / (1 + e⁻ˣ)."""

    def forward(self, input: Tensor) -> Tensor:
        """σ(x)."""
        return sigmoid(input)


class Tanh(Plain):
    """tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """tanh(x)."""
        return tanh(input)


class LogSigmoid(Plain):
    """log σ(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """log σ(x)."""
        return F.logsigmoid(input)


class Softsign(Plain):
    """x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        """x / (1 + |x|)."""
        return F.softsign(input)


class GELU(Module):
    """x · Φ(x), with the distribution function of the normal distribution, or its approximation by tanh."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """x · Φ(x)."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Which approximation."""
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """One half of x times σ of the other half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """a · σ(b), where x is a and b along `dim`."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class Softplus(Module):
    """log(1 + exp(beta · x)) / beta; x itself where beta · x exceeds the threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """log(1 + exp(beta · x)) / beta."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Beta and the threshold."""
        return settings(self, "beta threshold")


class PReLU(Module):
    """x where x > 0, else a learned slope times x.

    Attributes:
        weight: the slope, one for all channels or one for each.
    """

    weight: Parameter

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = new_parameter(num_parameters, fill=init, dtype=dtype, device=device)

    def reset_parameters(self) -> None:
        """Set the slopes to their initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """x where x > 0, else slope · x."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many slopes."""
        return f"num_parameters={self.num_parameters}"


class AlongDim(Module):
    """What softmax and its kin have in common.

    Attributes:
        dim: along which the exponentials are summed; None guesses, with a warning.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class Softmax(AlongDim):
    """exp(x) divided by its sum along a dim."""

    def forward(self, input: Tensor) -> Tensor:
        """The probabilities."""
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(AlongDim):
    """The logarithm of softmax."""

    def forward(self, input: Tensor) -> Tensor:
        """The log-probabilities."""
        return F.log_softmax(input, self.dim, _stacklevel=5)
