"""numpy's functions of a tensor: those that numpy leaves to the value's own methods, whose arguments are others."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.functions import METHODS
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.arguments.reading import refusal
from gradviz.imitation.script.tensors.grad_nodes import NOTHING

FIRST = ("sum", "mean", "max", "min", "prod", "amax", "amin")
READ: dict[str, tuple[str, ...]] = {
    "any": ("out", "axis"), "all": ("out", "axis"), "std": ("ddof", "dtype", "out", "axis"),
    "var": ("ddof", "dtype", "out", "axis"),
}  # fmt: skip
"""What numpy calls a reduction with, in the order in which PyTorch names it."""

OWN = ("squeeze", "swapaxes", "nonzero")
"""Methods that take what numpy gives them."""

WRAPPED = (
    "argmax", "argmin", "reshape", "transpose", "cumsum", "cumprod", "clip", "round", "repeat", "argsort", "take",
)  # fmt: skip
"""Methods that do not: numpy computes itself, and the tensor wraps the result."""

COPIED = ("array", "copy", "dot", "arange")
COPY = (
    "__array__ implementation doesn't accept a copy keyword, so passing copy=False failed. __array__ must implement "
    "'dtype' and 'copy' keyword arguments. To learn more, see the migration guide "
    "https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword"
)


def by_method(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What a method of the tensor gives, or NOTHING where numpy computes itself.

    Raises:
        TorchError: the method takes no such arguments.
    """
    if name in COPIED:
        for _ in range(sum(isinstance(x, Tensor) for x in arguments)):
            warn(COPY, "DeprecationWarning")
    if name in OWN:
        return METHODS[name](*arguments, **keywords)
    given = dict(zip(("axis", "dtype"), arguments[1:], strict=False)) | keywords
    if name in FIRST:
        method = {"amax": "max", "amin": "min"}.get(name, name)
        needs_dim = method in ("max", "min", "prod") and given.get("axis") is None
        said = "(): argument 'dim' must be int, not NoneType" if needs_dim else (
            "() got an unexpected keyword argument 'axis'"
        )  # fmt: skip
        raise TorchError(method + said, kind="TypeError", hint=WAY_OUT.format(method))
    if name in READ:
        asked = {key: given.get(key, 0 if key == "ddof" else None) for key in reversed(READ[name])}
        raise TorchError(refusal(f"Tensor.{name}", (), asked), kind="TypeError", hint=WAY_OUT.format(name))
    return NOTHING


WAY_OUT = "Write tensor.{0}(), or tensor.numpy().{0}()."
