"""What all distributions share: parameters as attributes, their text, shapes of samples and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.functions import FUNCTIONS, METHODS
from gradviz.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import methods
from gradviz.script.torch_values import Size
from gradviz.script.values import Class, Instance, Native, Property

F: dict[str, Callable[..., Any]] = METHODS | FUNCTIONS
"""PyTorch's functions and methods, by name."""

Rule = tuple[str, Callable[[Any], Any]]
"""What PyTorch calls a constraint, and which numbers of an array keep it."""

REAL: Rule = ("Real()", lambda x: x == x)
REALS: Rule = ("IndependentConstraint(Real(), 1)", lambda x: (x == x).all(-1))
POSITIVE: Rule = ("GreaterThan(lower_bound=0.0)", lambda x: x > 0)
NOT_NEGATIVE: Rule = ("GreaterThanEq(lower_bound=0.0)", lambda x: x >= 0)
UNIT: Rule = ("Interval(lower_bound=0.0, upper_bound=1.0)", lambda x: (x >= 0) & (x <= 1))
SIMPLEX: Rule = ("Simplex()", lambda x: (x >= 0).all(-1) & (np.abs(x.sum(-1) - 1) < 1e-6))
BOOLEAN: Rule = ("Boolean()", lambda x: (x == 0) | (x == 1))


def broadcast(machine: Machine, *given: Any) -> list[Tensor]:
    """Numbers and tensors as tensors of one shape.

    Raises:
        TorchError: something else.
    """
    if not all(isinstance(x, Tensor | int | float) for x in given):
        raise TorchError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.",
            kind="ValueError",
        )
    like = next((x for x in given if isinstance(x, Tensor)), None)
    dtype = machine.tape.float_dtype if like is None else like.dtype
    tensors = [x if isinstance(x, Tensor) else constant(dtype.type(x), machine.tape) for x in given]
    shape = np.broadcast_shapes(*(x.shape for x in tensors))
    return [x if x.shape == shape else F["expand"](x, *shape) for x in tensors]


def begin(self: Instance, given: dict[str, Tensor], rules: dict[str, Rule], events: int, validate: Any) -> None:
    """Keep the parameters.

    Args:
        events: how many of the last axes are not part of the batch.
        validate: False leaves them unchecked.

    Raises:
        TorchError: a parameter outside of what it may be.
    """
    self.attributes |= given
    shape = next(iter(given.values())).shape
    self.attributes |= {"_batch": Size(shape[: len(shape) - events]), "_rules": rules, "_validates": validate}
    if validate is False:
        return
    for name, value in given.items():
        constraint, holds = rules[name]
        if not np.all(holds(value.data)):
            raise TorchError(
                f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution {text(self)} to "
                f"satisfy the constraint {constraint}, but found invalid values:\n{value}",
                kind="ValueError",
            )


def check_sample(self: Instance, value: Any, rule: Rule) -> Tensor:
    """A value whose chance is asked for.

    Raises:
        TorchError: no tensor, or outside of what can be drawn.
    """
    if not isinstance(value, Tensor):
        raise TorchError("The value argument to log_prob must be a Tensor", kind="ValueError")
    _check_shape(self, value)
    constraint, holds = rule
    if self.attributes["_validates"] is not False and not np.all(holds(value.data)):
        raise TorchError(
            f"Expected value argument (Tensor of shape {tuple(value.shape)}) to be within the support "
            f"({constraint}) of the distribution {text(self)}, but found invalid values:\n{value}",
            kind="ValueError",
        )
    return value


def _check_shape(self: Instance, value: Tensor) -> None:
    sizes = zip(reversed(value.shape), reversed(self.attributes["_batch"]), strict=False)
    if self.attributes["_validates"] is not False and any(i != j and i != 1 and j != 1 for i, j in sizes):
        raise TorchError(
            f"Value is not broadcastable with batch_shape+event_shape: {Size(value.shape)} vs "
            f"{self.attributes['_batch']}.",
            kind="ValueError",
        )


def text(self: Instance) -> str:
    """`repr`: single numbers as they are, of others the shape."""
    shown = [
        f"{name}: {value if value.data.size == 1 else Size(value.shape)}"
        for name in self.attributes["_rules"]
        if (value := self.attributes.get(name)) is not None
    ]
    return f"{self.cls.name}({', '.join(shown)})"


def extended(self: Instance, sample_shape: Any) -> tuple[int, ...]:
    """The shape of that many samples."""
    return (*sample_shape, *self.attributes["_batch"])


def call(self: Instance, name: str, *given: Any, **named: Any) -> Any:
    """A function of `torch`, by name."""
    return self.machine.call(self.machine.modules["torch"].members[name], given, named)


def silently(draw: Callable[..., Any]) -> Callable[..., Any]:
    """A draw that no gradient flows through."""

    def run(self: Instance, *given: Any, **named: Any) -> Any:
        with self.machine.tape.grad_mode(False):
            return draw(self, *given, **named)

    return run


def views(table: dict[str, Callable[[Instance], Any]]) -> dict[str, Any]:
    """Attributes that are worked out when they are read."""
    return {name: Property(Native(name, read, is_method=True)) for name, read in table.items()}


def kept(name: str, make: Callable[[Instance], Any]) -> Callable[[Instance], Any]:
    """An attribute that is worked out once."""

    def read(self: Instance) -> Any:
        if name not in self.attributes:
            with self.machine.tape.grad_mode(True):  # it may be read first where nothing is recorded
                self.attributes[name] = make(self)
        return self.attributes[name]

    return read


def distribution_class(machine: Machine) -> Class:
    """`Distribution`, the base."""
    shapes = {"batch_shape": lambda self: self.attributes["_batch"], "event_shape": lambda self: Size(())}
    table = methods({"__repr__": text}) | views(shapes)
    return Class("Distribution", (machine.builtins["object"],), table, module="torch.distributions.distribution")
