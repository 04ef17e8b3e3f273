"""How a module class of ours is made: an `__init__`, a `forward`, and what its repr shows in brackets."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.memory.storage import write
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.nn.books import BOOKS, Books
from gradviz.imitation.script.names.nn.parameter import new_parameter
from gradviz.imitation.script.names.nn.state import load_statistics
from gradviz.imitation.script.names.torch.devices import require
from gradviz.imitation.script.torch_values import Uninitialized
from gradviz.imitation.script.values import Class, Function, Instance, Native

Text = Callable[[dict[str, Any]], str]

NO_OP = "Initializing zero-element tensors is a no-op"

FORWARD_OF = {
    **{f"{kind}Norm{dims}d": f"_{kind}Norm" for kind in ("Batch", "Instance") for dims in (1, 2, 3)},
    **{
        f"{kind}Pad{dims}d": f"_{kind}PadNd"
        for kind in ("Circular", "Constant", "Reflection", "Replication")
        for dims in (1, 2, 3)
    },
    **{f"ZeroPad{dims}d": "_ConstantPadNd" for dims in (1, 2, 3)},
    "NLLLoss2d": "NLLLoss",
    "UpsamplingNearest2d": "Upsample",
    "UpsamplingBilinear2d": "Upsample",
}
"""Classes whose `forward` PyTorch has in a base, which messages name."""


def prepare(module: Instance) -> None:
    """What `nn.Module.__init__` does."""
    module.attributes["training"] = True
    module.attributes[BOOKS] = Books()


_DIMS = (1, 2, 3)
INIT_OF = {
    **{f"{kind}{dims}d": f"_{kind}Nd" for kind in ("AdaptiveAvgPool", "AdaptiveMaxPool", "LPPool", "MaxPool")
       for dims in _DIMS},
    **{f"{kind}Norm{dims}d": f"_{kind}Norm" for kind in ("Batch", "Instance") for dims in _DIMS},
    **dict.fromkeys(("Dropout", "AlphaDropout", "FeatureAlphaDropout", *(f"Dropout{n}d" for n in _DIMS)), "_DropoutNd"),
    **dict.fromkeys(("L1Loss", "MSELoss", "MultiLabelMarginLoss", "SoftMarginLoss"), "_Loss"),
    **dict.fromkeys(("RNN", "LSTM", "GRU"), "RNNBase"),
    **dict.fromkeys(("BCELoss", "MultiLabelSoftMarginLoss"), "_WeightedLoss"),
}  # fmt: skip
"""Classes whose `__init__` PyTorch has in a base, which messages name."""


BASES = {
    "_NormBase": ("batchnorm", ""), "_BatchNorm": ("batchnorm", "_NormBase"),
    "_InstanceNorm": ("instancenorm", "_NormBase"), "_ConvNd": ("conv", ""), "_ConvTransposeNd": ("conv", "_ConvNd"),
    "RNNBase": ("rnn", ""), "RNNCellBase": ("rnn", ""), "_DropoutNd": ("dropout", ""),
    **{f"_{kind}Nd": ("pooling", "") for kind in ("AvgPool", "AdaptiveAvgPool", "AdaptiveMaxPool", "LPPool", "MaxPool",
                                                   "MaxUnpool")},
    **{f"_{kind}PadNd": ("padding", "") for kind in ("Circular", "Constant", "Reflection", "Replication")},
}  # fmt: skip
"""Classes of PyTorch's between Module and those that scripts make: their file, and what they derive from if not it."""
BASE_OF = {
    **{f"{kind}{dims}d": base for base in BASES if base.endswith("Nd") and base != "_DropoutNd"
       for kind in (base[1:-2],) for dims in _DIMS},
    **{f"{kind}Norm{dims}d": f"_{kind}Norm" for kind in ("Batch", "Instance") for dims in _DIMS},
    **{name: base for name, base in INIT_OF.items() if base in ("RNNBase", "_DropoutNd")},
    **dict.fromkeys(("RNNCell", "LSTMCell", "GRUCell"), "RNNCellBase"),
    **{f"ZeroPad{dims}d": f"ConstantPad{dims}d" for dims in _DIMS},
    **dict.fromkeys(("UpsamplingNearest2d", "UpsamplingBilinear2d"), "Upsample"),
    "SyncBatchNorm": "_BatchNorm", "ReLU6": "Hardtanh",
}  # fmt: skip

RESET = {
    *(f"{kind}{n}d" for kind in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm") for n in _DIMS), "Linear",
    "Bilinear", "Embedding", "EmbeddingBag", "LayerNorm", "GroupNorm", "RMSNorm", "PReLU", "RNN", "LSTM", "GRU",
    "RNNCell", "LSTMCell", "GRUCell", "SyncBatchNorm",
}  # fmt: skip
"""Classes with a `reset_parameters`."""
STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


def _no_attribute(module: Instance, deleted: KeyError) -> TorchError:
    """What PyTorch says where the script has deleted what the module needs."""
    return TorchError(f"'{module.cls.name}' object has no attribute '{deleted.args[0]}'", kind="AttributeError")


def _resets_by_itself(module: Instance) -> bool:
    return isinstance(module.cls.find("reset_parameters"), Function)


def _reset(cls: Class, module: Instance, names: tuple[str, ...] = ()) -> None:
    """Give parameters and buffers the numbers of a new module."""
    arguments, keywords = module.attributes[BOOKS].begun
    fresh = module.machine.call(cls, arguments, keywords)
    for name, value in fresh.attributes.items():
        kept = module.attributes.get(name)
        if isinstance(value, Tensor) and isinstance(kept, Tensor) and (not names or name in names):
            write(kept, value.data)


def _refuse_base(self: Instance, *_: Any, **__: Any) -> None:
    """Raise for a class of a script's own that begins as one of `BASES` does."""
    raise ScriptError(
        f"'{self.cls.name}' derives from a class that is not supported by gradviz as a base",
        hint="Derive from one of its classes, such as torch.nn.BatchNorm2d, torch.nn.Conv2d or torch.nn.LSTM.",
    )


class Kinds:
    """Makes the module classes of one machine.

    Attributes:
        functional: the functions of `torch.nn.functional` by name.
        bases: the classes of `BASES` by name.
        given: the dtype that the module in the making was given, or None.
        is_lazy: whether the module in the making does not know the size of its input.
    """

    def __init__(self, machine: Machine, base: Class, functional: dict[str, Any]) -> None:
        self.machine = machine
        self.base = base
        self.bases: dict[str, Class] = {}
        for name, (room, above) in BASES.items():
            table = {"__init__": Native(f"{name}.__init__", _refuse_base, is_method=True)}
            self.bases[name] = Class(name, (self.bases.get(above, base),), table, module=f"torch.nn.modules.{room}")
        self._made = dict(self.bases)
        self.functional = functional
        self.given: Any = None
        self.is_lazy = False

    def cls(
        self,
        name: str,
        init: Callable[..., Any],
        forward: Callable[..., Any] | None,
        text: Text | None = None,
        module: str = "",
    ) -> Class:
        """A class whose `init(module, ...)` returns its attributes, if any, and whose `forward(attributes, ...)` runs.

        `text` is given the attributes too.
        """

        kinds, signed = self, inspect.signature(init)
        places = list(signed.parameters)[1:]

        def begin(self: Instance, *arguments: Any, **keywords: Any) -> None:
            prepare(self)
            self.attributes[BOOKS].begun = (arguments, keywords)
            given = dict(zip(places, arguments, strict=False)) | keywords
            if "device" in places and len(arguments) <= len(places):
                require(given.get("device"))
            before, kinds.given = kinds.given, given.get("dtype")
            drawn = kinds.machine.random.get_state() if name in RESET and _resets_by_itself(self) else None
            try:
                found = init(self, *arguments, **keywords)
            finally:
                kinds.given = before
            if found:
                self.attributes.update(found)
            if drawn is not None:  # PyTorch's own numbers were never drawn
                kinds.machine.random.set_state(drawn)
                self.special("reset_parameters")

        begin.__signature__ = signed  # type: ignore[attr-defined]
        table: dict[str, Any] = {"__init__": Native(f"{INIT_OF.get(name, name)}.__init__", begin, is_method=True)}
        if forward is not None:
            run = forward

            def call(self: Instance, *arguments: Any, **keywords: Any) -> Any:
                try:
                    return run(self.attributes, *arguments, **keywords)
                except KeyError as deleted:
                    raise _no_attribute(self, deleted) from None

            table["forward"] = Native(f"{FORWARD_OF.get(name, name)}.forward", call, is_method=True)
        if text is not None:
            shown = text

            def extra_repr(self: Instance) -> str:
                try:
                    return shown(self.attributes)
                except KeyError as deleted:
                    raise _no_attribute(self, deleted) from None

            table["extra_repr"] = Native("extra_repr", extra_repr, is_method=True)
        base = self._made.get(BASE_OF.get(name, ""), self.base)
        made = Class(name, (base,), table, module=f"torch.nn.modules.{module}")
        self._made[name] = made
        if name in RESET:
            table["reset_parameters"] = Native("reset_parameters", lambda self: _reset(made, self), is_method=True)
        if base.name in ("_BatchNorm", "_InstanceNorm"):
            table["reset_running_stats"] = Native(
                "reset_running_stats", lambda self: _reset(made, self, STATISTICS), is_method=True
            )
            table["_load_from_state_dict"] = Native("_load_from_state_dict", load_statistics, is_method=True)
            table["_version"] = 2
        return made

    # ---- parameters ----

    def parameter(self, module: Instance, name: str, array: Any) -> Tensor:
        """Register a parameter that knows its name. PyTorch writes its first numbers in place, which counts."""
        leaf = new_parameter(self.machine, array)
        leaf.more.first_version = 1
        self.machine.name(leaf, name, is_global=False)
        module.attributes[name] = leaf
        return leaf

    def optional(self, module: Instance, name: str, array: Any | None) -> None:
        """Register a parameter, or None in its place."""
        if array is None:
            module.attributes[name] = None
            module.attributes[BOOKS].absent.add(name)
        else:
            self.parameter(module, name, array)

    def buffer(self, module: Instance, name: str, array: Any) -> None:
        """Register a buffer."""
        made = module.attributes[name] = self.machine.tensor(array)
        made.more.first_version = 1
        module.attributes[BOOKS].buffers[name] = True

    def uniform(self, shape: tuple[int, ...], bound: float) -> Any:
        """Uniform numbers in +-bound, as `init.uniform_(w, -bound, bound)` draws them."""
        return self.machine.random.uniform(check_size(shape, "empty"), -bound, bound, self.dtype)

    @property
    def dtype(self) -> str:
        """The dtype of new parameters: the one that the module was given, or the usual one."""
        return self.given.dtype.name if self.given is not None else self.machine.tape.float_dtype.name

    def affine(self, module: Instance, shape: tuple[int, ...], bias: bool, *, fan_in: int, outputs: int) -> None:
        """The weight and bias of a linear or convolution layer, with PyTorch's own initial numbers."""
        if self.is_lazy:
            module.attributes["weight"] = Uninitialized()
            self.optional(module, "bias", None)
            module.attributes["bias"] = Uninitialized() if bias else None
            return
        check_size(shape, "empty")
        if 0 in shape:
            warn(NO_OP)
        self.parameter(module, "weight", self.uniform(shape, kaiming_bound(fan_in)) if fan_in else self.zeros(shape))
        bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
        self.optional(module, "bias", self.uniform((outputs,), bound) if bias else None)

    def zeros(self, size: tuple[int, ...] | int, function: str = "empty") -> Any:
        """Zeros in the dtype of new parameters; `function` is the one that PyTorch makes them with."""
        return np.zeros(check_size(size, function), self.dtype)

    def ones(self, size: tuple[int, ...] | int, function: str = "empty") -> Any:
        """Ones in the dtype of new parameters."""
        return np.ones(check_size(size, function), self.dtype)


SEVERAL: tuple[Any, ...] = (str, list, tuple, dict, range, Tensor)


def repeated(module: Instance, value: Any, count: int) -> tuple[Any, ...]:
    """One setting for each axis, as PyTorch keeps it: what holds several, of whatever kind, or one so many times."""
    return tuple(module.machine.listed(value)) if isinstance(value, SEVERAL) else (value,) * count


def kaiming_bound(fan_in: int) -> float:
    """The bound of kaiming_uniform_(a=sqrt(5)), written as nn.init computes it: else the last digit would differ."""
    gain = math.sqrt(2.0 / (1 + math.sqrt(5) ** 2))
    return math.sqrt(3.0) * (gain / math.sqrt(fan_in))
