"""Activations: nonlinear functions of every element, and softmax and its kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from gradviz.engine.dtypes import DType
from gradviz.engine.functions.elementwise import sigmoid, tanh
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.module import Module, settings
from gradviz.engine.nn.parameter import Parameter, new_parameter
from gradviz.engine.tensor import Tensor


class Activation(Module):
    """A function of `F`, called with the settings of the module.

    Attributes:
        function: which one.
        settings: the names of what it takes besides its input, which are attributes of the module.
    """

    function: ClassVar[Callable[..., Tensor]]
    settings: ClassVar[str] = ""

    def forward(self, input: Tensor) -> Tensor:
        """What the function gives."""
        return type(self).function(input, **self._given())

    def _given(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.settings.split()} if self.settings else {}

    def extra_repr(self) -> str:
        """The settings."""
        return settings(self, self.settings)


class InPlace(Activation):
    """An activation that may write its result into its input.

    Attributes:
        inplace: whether it does.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """What the function gives."""
        return type(self).function(input, **self._given(), inplace=self.inplace)

    def extra_repr(self) -> str:
        """The settings; that it is done in place only where it is."""
        parts = [settings(self, self.settings), "inplace=True" if self.inplace else ""]
        return ", ".join(part for part in parts if part)


class ReLU(InPlace):
    """max(0, x)."""

    function = staticmethod(F.relu)


class ReLU6(InPlace):
    """min(max(0, x), 6)."""

    function = staticmethod(F.relu6)


class SiLU(InPlace):
    """x · σ(x)."""

    function = staticmethod(F.silu)


class Hardsigmoid(InPlace):
    """σ as three straight lines: x / 6 + 1/2, kept within [0, 1]."""

    function = staticmethod(F.hardsigmoid)


class LeakyReLU(InPlace):
    """x where x > 0, else negative_slope · x."""

    function = staticmethod(F.leaky_relu)
    settings = "negative_slope"

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope


class ELU(InPlace):
    """x where x > 0, else alpha · (eˣ − 1)."""

    function = staticmethod(F.elu)
    settings = "alpha"

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha


class Plain(Activation):
    """An activation without settings, which takes any arguments and ignores them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()


class Sigmoid(Plain):
    """σ(x) = 1 / (1 + e⁻ˣ)."""

    function = staticmethod(sigmoid)


class Tanh(Plain):
    """tanh(x)."""

    function = staticmethod(tanh)


class GELU(Activation):
    """x · Φ(x), with the distribution function of the normal distribution, or its approximation by tanh."""

    function = staticmethod(F.gelu)
    settings = "approximate"

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def extra_repr(self) -> str:
        """Which approximation."""
        return f"approximate={self.approximate!r}"


class Softplus(Activation):
    """log(1 + exp(beta · x)) / beta; x itself where beta · x exceeds the threshold."""

    function = staticmethod(F.softplus)
    settings = "beta threshold"

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold


class Softmax(Activation):
    """exp(x) divided by its sum along a dim.

    Attributes:
        dim: along which the exponentials are summed; None guesses, with a warning.
    """

    function = staticmethod(F.softmax)
    settings = "dim"

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class LogSoftmax(Softmax):
    """The logarithm of softmax."""

    function = staticmethod(F.log_softmax)


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
