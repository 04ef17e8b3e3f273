"""Lazy modules: they learn the size of their input from the first call, and then are the plain ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.books import BOOKS, own_waiting
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.names.nn.signatures import bound, signature
from gradviz.imitation.script.torch_values import DTypeName, Uninitialized, UninitializedBuffer
from gradviz.imitation.script.values import Bound, Class, Instance, Native


@dataclass(frozen=True)
class Lazy:
    """What a lazy class is made of.

    Attributes:
        plain: what its objects become.
        first: the argument that is not given.
        size: the value of that argument for an input.
    """

    plain: Class
    first: str
    size: Callable[[str, Tensor], int]


def lazy_classes(kinds: Kinds, classes: dict[str, Class]) -> dict[str, Class]:
    """All of them by name."""
    rows = {"Linear": ("in_features", lambda _, x: x.shape[-1])}
    for dims in (1, 2, 3):
        rows |= {f"{kind}{dims}d": ("in_channels", _channels(dims)) for kind in ("Conv", "ConvTranspose")}
        rows |= {f"{kind}Norm{dims}d": ("num_features", lambda _, x: x.shape[1]) for kind in ("Batch", "Instance")}
    return {
        f"Lazy{name}": _made(kinds, f"Lazy{name}", Lazy(classes[name], first, size))
        for name, (first, size) in rows.items()
        if name in classes
    }


def _channels(dims: int) -> Callable[[str, Tensor], int]:
    def size(name: str, x: Tensor) -> int:
        if x.ndim not in (dims + 1, dims + 2):
            raise TorchError(
                f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
                f"torch.Size({list(x.shape)})"
            )
        return x.shape[-dims - 1]

    return size


WAITING = ("weight", "bias", "running_mean", "running_var")
NORM = signature(
    "eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True"
)
"""What both kinds of lazy norms take, whatever their plain ones do without being asked."""
INPUT = signature("input")


def _base(name: str) -> str:
    """The class in which PyTorch has the methods of a lazy one, which messages name."""
    return "_LazyNormBase" if "Norm" in name else "_LazyConvXdMixin" if "Conv" in name else name


def _made(kinds: Kinds, name: str, lazy: Lazy) -> Class:
    start = lazy.plain.attributes["__init__"].run

    def begin(self: Instance, *arguments: Any, **keywords: Any) -> None:
        if "Norm" in name:
            arguments, keywords = (), bound(f"{_base(name)}.__init__()", NORM, arguments, keywords)
        kinds.is_lazy = True
        try:
            start(self, 0, *arguments, **keywords)
        finally:
            kinds.is_lazy = False
        for attribute in WAITING:
            if isinstance(self.attributes.get(attribute), Tensor):
                self.attributes[attribute] = UninitializedBuffer() if "running" in attribute else Uninitialized()
        self.attributes[BOOKS].begun = (arguments, keywords)

    def initialize(self: Instance, *given: Any, **named: Any) -> int:
        input = bound(f"{_base(name)}.initialize_parameters()", INPUT, given, named)["input"]
        size = lazy.size(name, input)
        _fill(self, lazy, size)
        return size

    def forward(self: Instance, *given: Any, **named: Any) -> Any:
        size = initialize(self, *given, **named)
        kept, self.cls = self.attributes[BOOKS], lazy.plain
        kept.begun = ((size, *kept.begun[0]), kept.begun[1])
        return self.machine.call(Bound(lazy.plain.find("forward"), self), given, named)

    methods: dict[str, Callable[..., Any]] = {
        "__init__": begin, "forward": forward,
        "initialize_parameters": lambda self, *given, **named: initialize(self, *given, **named) and None,
        "has_uninitialized_params": lambda self: bool(own_waiting(self)),
    }  # fmt: skip
    table: dict[str, Any] = {key: Native(f"{name}.{key}", run, is_method=True) for key, run in methods.items()}
    table["cls_to_become"] = lazy.plain
    return Class(name, (lazy.plain,), table, module=lazy.plain.module)


def _fill(module: Instance, lazy: Lazy, size: int) -> None:
    """Take over all that a plain module of that size has; mode, hooks and books stay, and the tensors there are."""
    waiting = dict(own_waiting(module))
    kept, numbers = module.attributes[BOOKS], module.machine.random
    arguments, keywords = kept.begun
    cast = next((each.dtype for each in waiting.values() if each.dtype is not None), None)
    if cast is not None:
        keywords = keywords | {"dtype": DTypeName(cast)}
    before = numbers.get_state()
    plain = module.machine.call(lazy.plain, (size, *arguments), keywords)
    if not waiting:  # then PyTorch draws nothing
        numbers.set_state(before)
    for key, value in plain.attributes.items():
        if key in waiting or not (isinstance(value, Tensor) or key in (BOOKS, "training")):
            module.attributes[key] = value
    for key, uninitialized in waiting.items():
        uninitialized.becomes(module.attributes[key])
    kept.buffers, kept.absent = plain.attributes[BOOKS].buffers, plain.attributes[BOOKS].absent
