"""`torch.nn` and `torch.optim`: modules as classes that a script can use and derive from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradviz.engine import autograd, storage
from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.functions import NEURAL
from gradviz.engine.functions.neural import mse_loss, softmax
from gradviz.engine.functions.product import linear
from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.machine import Machine
from gradviz.script.torch_values import Size
from gradviz.script.values import Bound, Class, Instance, Namespace, Native


def is_parameter(x: Any) -> bool:
    """Whether it is an nn.Parameter."""
    return isinstance(x, Tensor) and x.extra is not None and x.extra.is_parameter


class Modules:
    """The classes of `torch.nn`, for one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.base = Class("Module", (machine.builtins["object"],), self._methods(), module="torch.nn.modules.module")

    # ---- what every module has ----

    def _methods(self) -> dict[str, Any]:
        table: dict[str, Callable[..., Any]] = {
            "__init__": lambda module: None,
            "__call__": self.call,
            "__repr__": module_text,
            "parameters": lambda module, recurse=True: [p for _, p in named_parameters(module)],
            "named_parameters": lambda module, prefix="", recurse=True: list(named_parameters(module)),
            "children": lambda module: [child for _, child in children(module)],
            "named_children": lambda module: list(children(module)),
            "modules": lambda module: [m for _, m in named_modules(module)],
            "zero_grad": zero_grad,
            "train": lambda module, mode=True: set_mode(module, mode),
            "eval": lambda module: set_mode(module, False),
            "to": lambda module, *_, **__: module,
            "apply": self.apply,
        }
        return {name: Native(name, run, is_method=True) for name, run in table.items()} | {"training": True}

    def call(self, module: Instance, *arguments: Any, **keywords: Any) -> Any:
        """`module(x)` runs its forward."""
        forward = module.cls.find("forward")
        if forward is None:
            raise TorchError(
                f'Module [{module.cls.name}] is missing the required "forward" function', kind="NotImplementedError"
            )
        return self.machine.call(Bound(forward, module), arguments, keywords)

    def apply(self, module: Instance, function: Any) -> Instance:
        """Call a function with every module, innermost first."""
        for _, inner in reversed(list(named_modules(module))):
            self.machine.call(function, (inner,), {})
        return module

    # ---- the modules ----

    def parameter(self, data: Any, requires_grad: bool = True) -> Tensor:
        """`nn.Parameter(tensor)`."""
        leaf = self.machine.made(self.machine.tape.tensor(np.array(data.data)[()], requires_grad=requires_grad))
        leaf.more.is_parameter = True
        return leaf

    def _parameter(self, module: Instance, name: str, array: Any) -> None:
        leaf = self.machine.tensor(array, requires_grad=True)
        leaf.more.is_parameter = True
        self.machine.name(leaf, name, is_global=False)
        module.attributes[name] = leaf

    def linear(self, module: Instance, in_features: int, out_features: int, bias: bool = True, **_: Any) -> None:
        """`nn.Linear(in_features, out_features)`, with PyTorch's own initial numbers."""
        module.attributes |= {"in_features": in_features, "out_features": out_features}
        weight, offset = self.machine.random.affine_parameters((out_features, in_features), bias=bias)
        self._parameter(module, "weight", weight)
        if offset is None:
            module.attributes["bias"] = None
        else:
            self._parameter(module, "bias", offset)

    def derived(
        self, name: str, init: Callable[..., Any], forward: Callable[..., Any], text: Callable[[Instance], str]
    ) -> Class:
        """A module class with an `__init__` and a `forward` of ours; `text` is what its repr shows in brackets."""
        methods = {
            "__init__": Native("__init__", init, is_method=True),
            "forward": Native("forward", forward, is_method=True),
            "extra_repr": Native("extra_repr", text, is_method=True),
        }
        return Class(name, (self.base,), methods, module="torch.nn.modules")

    def classes(self) -> dict[str, Class]:
        """All of them by name."""

        def nothing(module: Instance, *_: Any, **__: Any) -> None:
            return None

        def blank(module: Instance) -> str:
            return ""

        plain = {
            name: self.derived(name, nothing, lambda module, x, f=function: F[f](x), blank)
            for name, function in (("ReLU", "relu"), ("Sigmoid", "sigmoid"), ("Tanh", "tanh"), ("Flatten", "flatten"))
        }
        plain["Flatten"] = self.derived(
            "Flatten", nothing, lambda module, x: F["flatten"](x, 1), lambda m: "start_dim=1, end_dim=-1"
        )
        return {
            "Module": self.base,
            **plain,
            "Identity": self.derived("Identity", nothing, lambda module, x: x, blank),
            "Linear": self.derived(
                "Linear",
                self.linear,
                lambda module, x: linear(x, module.attributes["weight"], module.attributes["bias"]),
                lambda m: (
                    f"in_features={m.attributes['in_features']}, out_features={m.attributes['out_features']}, "
                    f"bias={m.attributes['bias'] is not None}"
                ),
            ),
            "Sequential": self._sequential(),
            "Softmax": self.derived(
                "Softmax",
                lambda module, dim=None: module.attributes.update(dim=dim),
                lambda module, x: softmax(x, module.attributes["dim"]),
                lambda m: f"dim={m.attributes['dim']}",
            ),
            "MSELoss": self.derived(
                "MSELoss",
                lambda module, reduction="mean": module.attributes.update(reduction=reduction),
                lambda module, x, y: mse_loss(x, y, module.attributes["reduction"]),
                blank,
            ),
        }

    def _sequential(self) -> Class:
        def init(module: Instance, *modules: Any) -> None:
            for number, inner in enumerate(modules):
                module.attributes[str(number)] = inner

        def forward(module: Instance, x: Any) -> Any:
            for _, inner in children(module):
                x = self.machine.call(inner, (x,), {})
            return x

        cls = self.derived("Sequential", init, forward, lambda module: "")
        cls.attributes["__getitem__"] = Native(
            "__getitem__", lambda m, i: [c for _, c in children(m)][i], is_method=True
        )
        cls.attributes["__len__"] = Native("__len__", lambda m: len(list(children(m))), is_method=True)
        cls.attributes["__iter__"] = Native("__iter__", lambda m: iter([c for _, c in children(m)]), is_method=True)
        return cls


def _is_module(x: Any) -> bool:
    return (isinstance(x, Instance) and x.cls.has("extra_repr")) or (
        isinstance(x, Instance) and x.cls.has("named_parameters")
    )


def children(module: Instance) -> Iterator[tuple[str, Instance]]:
    """Modules held in attributes, by name, in order of assignment."""
    for name, value in module.attributes.items():
        if _is_module(value):
            yield name, value


def named_modules(module: Instance) -> Iterator[tuple[str, Instance]]:
    """The module and all inside it, each once, with dotted names."""
    seen: set[int] = set()
    pending = [("", module)]
    while pending:
        path, found = pending.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield path, found
        pending[:0] = [(f"{path}.{name}" if path else name, child) for name, child in children(found)]


def named_parameters(module: Instance) -> Iterator[tuple[str, Tensor]]:
    """All parameters, each once, with dotted names."""
    seen: set[int] = set()
    for path, found in named_modules(module):
        for name, value in found.attributes.items():
            if is_parameter(value) and id(value) not in seen:
                seen.add(id(value))
                yield f"{path}.{name}" if path else name, value


def zero_grad(module: Instance, set_to_none: bool = True) -> None:
    """Forget all gradients."""
    for _, parameter in named_parameters(module):
        parameter.more.grad = None


def set_mode(module: Instance, training: bool) -> Instance:
    """`train()` or `eval()`."""
    for _, inner in named_modules(module):
        inner.attributes["training"] = training
    return module


def module_text(module: Instance) -> str:
    """`repr(module)`: its children indented, line by line."""
    extra = module.cls.find("extra_repr")
    inside = "" if extra is None else module.machine.call(Bound(extra, module), (), {})
    lines = []
    for name, child in children(module):
        lines.append(f"  ({name}): " + "\n  ".join(str(child).split("\n")))
    if not lines:
        return f"{module.cls.name}({inside})"
    return f"{module.cls.name}(\n" + "\n".join(lines) + "\n)"


# ---- optim ----


def sgd_class(machine: Machine) -> Class:
    """`torch.optim.SGD` with lr, momentum and weight decay."""

    def init(
        self: Instance, params: Any, lr: float = 0.001, momentum: float = 0.0, weight_decay: float = 0.0, **_: Any
    ) -> None:
        parameters = list(params)
        if not parameters:
            raise TorchError("optimizer got an empty parameter list", kind="ValueError")
        self.attributes |= {"lr": lr, "momentum": momentum, "weight_decay": weight_decay}
        self.attributes["param_groups"] = [{"params": parameters, "lr": lr}]
        self.attributes["_velocity"] = {}

    def step(self: Instance) -> None:
        with machine.tape.grad_mode(False):
            for group in self.attributes["param_groups"]:
                for p in group["params"]:
                    if p.grad is not None:
                        _update(self.attributes, group["lr"], p)

    def zero(self: Instance, set_to_none: bool = True) -> None:
        for group in self.attributes["param_groups"]:
            for p in group["params"]:
                p.more.grad = None

    methods: dict[str, Callable[..., Any]] = {"__init__": init, "step": step, "zero_grad": zero}
    return Class(
        "SGD",
        (machine.builtins["object"],),
        {name: Native(name, run, is_method=True) for name, run in methods.items()},
        module="torch.optim.sgd",
    )


def _update(options: dict[str, Any], lr: float, p: Tensor) -> None:
    assert p.grad is not None
    g = p.grad.data
    if options["weight_decay"]:
        g = g + options["weight_decay"] * p.data
    if options["momentum"]:
        before = options["_velocity"].get(id(p))
        g = options["_velocity"][id(p)] = np.array(g) if before is None else options["momentum"] * before + g
    storage.write(p, p.data - p.dtype.type(lr) * g)


def install(machine: Machine, members: dict[str, Any]) -> None:
    """Put `nn` and `optim` into torch's members."""
    modules = Modules(machine)
    parameter = Class(
        "Parameter", python=(Tensor,), make=Native("Parameter", modules.parameter), module="torch.nn.parameter"
    )
    machine.state["Parameter"] = parameter
    functional = {name: Native(name, run) for name, run in NEURAL.items()}
    members["nn"] = Namespace(
        "torch.nn",
        {
            **modules.classes(),
            "Parameter": parameter,
            "parameter": Namespace("torch.nn.parameter", {"Parameter": parameter}),
            "functional": Namespace("torch.nn.functional", functional),
        },
    )
    members["optim"] = Namespace("torch.optim", {"SGD": sgd_class(machine)})


__all__ = ["Size", "autograd", "install"]
