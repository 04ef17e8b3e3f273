"""`torch.optim.Optimizer`: groups, state, printing; and the classes of the table of updates."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from gradviz.imitation.engine.dtypes import type_name as tensor_kind
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.copies import deep
from gradviz.imitation.script.errors.warned import compiler_loaded
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.containers import DefaultDict
from gradviz.imitation.script.names.nn.base import clear_grad
from gradviz.imitation.script.names.nn.signatures import bound, signature, with_self
from gradviz.imitation.script.names.optim.limits import check_forms, plain_number
from gradviz.imitation.script.names.optim.updates import KINDS, Kind
from gradviz.imitation.script.torch_values import Handle, Uninitialized
from gradviz.imitation.script.values import Class, Function, Instance, Native, type_name


def optimizer_class(machine: Machine) -> Class:
    """`torch.optim.Optimizer`, from which a script can derive its own."""
    methods: dict[str, Callable[..., Any]] = {
        "__init__": begin, "__repr__": text, "zero_grad": zero_grad, "add_param_group": add_param_group,
        "state_dict": state_dict, "load_state_dict": load_state_dict,
        "step": _no_step,
        "register_step_pre_hook": lambda self, hook: _register(self.attributes, BEFORE, hook),
        "register_step_post_hook": lambda self, hook: _register(self.attributes, AFTER, hook),
    }  # fmt: skip
    return Class(
        "Optimizer",
        (machine.builtins["object"],),
        {name: Native(f"Optimizer.{name}", run, is_method=True) for name, run in methods.items()},
        module="torch.optim.optimizer",
    )


def _no_step(self: Instance, closure: Any = None) -> None:
    raise TorchError("", kind="NotImplementedError", hint=f"{self.cls.name} needs a method step.")


BEFORE, AFTER = "(before step)", "(after step)"
"""Where an optimizer keeps the functions that are called at every step: no names that a script can write."""
OF_ALL = "hooks of all optimizers"


def _register(kept: dict[str, Any], kind: str, hook: Any) -> Handle:
    hooks = kept.setdefault(kind, {})
    number = max(hooks, default=-1) + 1
    hooks[number] = hook
    return Handle(lambda: hooks.pop(number, None))


def register_step_pre_hook(machine: Machine, hook: Any) -> Handle:
    """`register_optimizer_step_pre_hook`: called before every step of every optimizer."""
    return _register(machine.state.setdefault(OF_ALL, {}), BEFORE, hook)


def register_step_post_hook(machine: Machine, hook: Any) -> Handle:
    """`register_optimizer_step_post_hook`: called after every step of every optimizer."""
    return _register(machine.state.setdefault(OF_ALL, {}), AFTER, hook)


def _hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """The step with the functions that are called before and after it."""

    def run(self: Instance, *arguments: Any, **keywords: Any) -> Any:
        given = (self, *arguments)
        of_all = self.machine.state.get(OF_ALL, {})
        for hook in [*of_all.get(BEFORE, {}).values(), *self.attributes.get(BEFORE, {}).values()]:
            changed = self.machine.call(hook, (self, given, keywords), {})
            given, keywords = changed if isinstance(changed, tuple) else (given, keywords)
        result = step(*given, **keywords)
        for hook in [*self.attributes.get(AFTER, {}).values(), *of_all.get(AFTER, {}).values()]:
            self.machine.call(hook, (self, given, keywords), {})
        return result

    _HOOKED.add(run)
    return functools.wraps(step)(run)


_HOOKED: WeakSet[Callable[..., Any]] = WeakSet()
"""Steps that call those functions already."""


def _hook_own_step(cls: Class, machine: Machine) -> None:
    """Let the step that a script wrote call the functions before and after it; PyTorch does so at the first object."""
    step = cls.find("step")
    if isinstance(step, Function) or (isinstance(step, Native) and step.run not in _HOOKED):
        run = _hooked(lambda *given, **named: machine.call(step, given, named))
        cls.attributes["step"] = Native("step", run, is_method=True)


def begin(self: Instance, params: Any, defaults: dict[str, Any]) -> None:
    """`Optimizer.__init__`.

    Raises:
        TorchError: no parameters, or something that is none.
    """
    if isinstance(params, Tensor):
        raise TorchError(
            "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
            f"torch.{tensor_kind(params.dtype)}Tensor",
            kind="TypeError",
            hint="Put it into a list: [w].",
        )
    if not isinstance(defaults, dict):
        raise TorchError(f"'{type_name(defaults)}' object has no attribute 'get'", kind="AttributeError")
    machine = self.machine
    _hook_own_step(self.cls, machine)
    given = machine.listed(params)
    if not given:
        raise TorchError("optimizer got an empty parameter list", kind="ValueError")
    state = DefaultDict(machine, machine.builtins["dict"])
    self.attributes |= {"defaults": dict(defaults), "state": state, "param_groups": []}
    for group in given if isinstance(given[0], dict) else [{"params": given}]:
        add_param_group(self, group)


UNORDERED = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change "
    "between runs. Please use a list instead."
)
DUPLICATE = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
    "github.com/pytorch/pytorch/issues/40967 for more information"
)


def add_param_group(self: Instance, param_group: Any) -> None:
    """Add parameters with options of their own.

    Raises:
        TorchError: not a dict, not a leaf, or a parameter that is there already.
    """
    compiler_loaded(self.machine)
    if not isinstance(param_group, dict):
        raise TorchError(f"param_group must be a dict, but got <class '{type_name(param_group)}'>", kind="TypeError")
    given = param_group["params"]
    if isinstance(given, set):
        raise TorchError(UNORDERED, kind="TypeError", hint="Put them into a list.")
    params = [given] if isinstance(given, Tensor) else self.machine.listed(given)
    names = [p[0] for p in params if isinstance(p, tuple)]
    if names and len(names) != len(params):
        raise TorchError(
            "all optimizer params should be with/without names. Some param names are missing", kind="ValueError"
        )
    params = [p[1] if isinstance(p, tuple) else p for p in params]
    for p in params:
        _check(p, is_leaf_needed=not self.attributes["defaults"].get("differentiable"))
    if len({id(p) for p in params}) < len(params):
        warn(DUPLICATE, once=self.cls.name)
    for group in self.attributes["param_groups"]:
        if ("param_names" in group) != bool(names):
            raise TorchError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if names else 'without'} names to the optimizer",
                kind="ValueError",
            )
    present = {id(p) for group in self.attributes["param_groups"] for p in group["params"]}
    if any(id(p) in present for p in params):
        raise TorchError("some parameters appear in more than one parameter group", kind="ValueError")
    param_group["params"] = params
    for p in params:
        if isinstance(p, Uninitialized):
            p.held_in.append(params)
    if names:
        param_group["param_names"] = names
    for name, default in self.attributes["defaults"].items():
        param_group.setdefault(name, default)
    self.attributes["param_groups"].append(param_group)


def _check(p: Any, *, is_leaf_needed: bool) -> None:
    if isinstance(p, Uninitialized):
        return
    if not isinstance(p, Tensor):
        raise TorchError(f"optimizer can only optimize Tensors, but one of the params is {_path(p)}", kind="TypeError")
    if is_leaf_needed and p.op is not None and not (p.extra is not None and p.extra.retains_grad):
        raise TorchError(
            "can't optimize a non-leaf Tensor",
            kind="ValueError",
            hint="Make it a leaf: x = x.detach().requires_grad_().",
        )


def _path(value: Any) -> str:
    return f"{value.cls.module}.{value.cls.name}" if isinstance(value, Instance) else type_name(value)


def zero_grad(self: Instance, set_to_none: bool = True) -> None:
    attributes.get(self.machine, self, "defaults")  # PyTorch looks there first: a class that never called super() fails
    for group in self.attributes["param_groups"]:
        for p in group["params"]:
            clear_grad(p, set_to_none)


def text(self: Instance) -> str:
    """`repr(optimizer)`: the options of each group, by name."""
    lines = []
    for number, group in enumerate(self.attributes["param_groups"]):
        lines.append(f"\nParameter Group {number}\n")
        lines += [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
    return f"{self.cls.name} (" + "".join(lines) + ")"


def state_dict(self: Instance) -> dict[str, Any]:
    """State and groups with numbers in place of the parameters."""
    numbers: dict[int, int] = {}
    groups = []
    for group in self.attributes["param_groups"]:
        for p in group["params"]:
            numbers.setdefault(id(p), len(numbers))
        rest = {key: value for key, value in group.items() if key != "params"}
        groups.append({**rest, "params": [numbers[id(p)] for p in group["params"]]})
    state = {numbers.get(id(p), p): value for p, value in self.attributes["state"].items()}
    return {"state": state, "param_groups": groups}


def load_state_dict(self: Instance, state_dict: dict[str, Any]) -> None:
    """Take state and options from another optimizer of the same form: groups anew, the very tensors of the state.

    Raises:
        TorchError: other groups.
    """
    own, saved = self.attributes["param_groups"], deep(self.machine, state_dict["param_groups"])
    if len(own) != len(saved):
        raise TorchError("loaded state dict has a different number of parameter groups", kind="ValueError")
    if any(len(a["params"]) != len(b["params"]) for a, b in zip(own, saved, strict=True)):
        raise TorchError(
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
            kind="ValueError",
        )
    by_number: dict[Any, Any] = {}
    for group, other in zip(own, saved, strict=True):
        by_number |= dict(zip(other["params"], group["params"], strict=True))
        other["params"] = group["params"]
        if "param_names" in group:
            other.setdefault("param_names", group["param_names"])
        for name, default in self.attributes["defaults"].items():
            if default is None or isinstance(default, bool):  # a switch may be younger than what was saved
                other.setdefault(name, default)
    self.attributes["param_groups"] = saved
    self.attributes["state"].clear()
    for number, value in state_dict["state"].items():
        self.attributes["state"][by_number.get(number, number)] = dict(value)


def known_classes(machine: Machine, base: Class) -> dict[str, Class]:
    """The classes of the table of updates."""
    return {name: _class_of(machine, base, name, kind) for name, kind in KINDS.items()}


def _check_forms(options: dict[str, Any]) -> None:
    """Refuse what PyTorch's fused kernels do not go with."""
    if options.get("fused"):
        if options["differentiable"]:
            raise TorchError("`fused` does not support `differentiable`")
        if options["foreach"]:
            raise TorchError("`fused` and `foreach` cannot be `True` together.")


def _class_of(machine: Machine, base: Class, name: str, kind: Kind) -> Class:
    given = signature("params, " + kind.arguments)

    def init(self: Instance, *arguments: Any, **keywords: Any) -> None:
        options = bound(f"{name}.__init__()", given, arguments, keywords)
        params = options.pop("params")
        if name == "AdamW":
            options["decoupled_weight_decay"] = True
        kind.check(options)
        options = {key: options[key] for key in kind.order.split()} | options
        begin(self, params, options)
        _check_forms(options)
        for group in self.attributes["param_groups"]:
            for p in group["params"]:
                if isinstance(p, Tensor):
                    kind.check_parameter(p.shape)
        if kind.begin is not None:
            for group in self.attributes["param_groups"]:
                for p in group["params"]:
                    _keep(p, self.attributes["state"].setdefault(p, {}), kind.begin(options, p.data))

    def step(self: Instance, closure: Any = None) -> Any:
        with machine.tape.grad_mode(True):
            loss = None if closure is None else machine.call(closure, (), {})
        with machine.tape.grad_mode(False):
            for group in self.attributes["param_groups"]:
                for p in group["params"]:
                    if p.grad is not None:
                        check_forms(name, group)
                        _refuse_gradient(machine, group, p)
                        _update(self, kind, group, p)
        return loss

    init.__signature__ = with_self(given)  # type: ignore[attr-defined]
    methods = {"__init__": init, "step": _hooked(step)}
    return Class(
        name,
        (base,),
        {key: Native(f"{name}.{key}", run, is_method=True) for key, run in methods.items()},
        module=f"torch.optim.{kind.module}",
    )


def _refuse_gradient(machine: Machine, group: dict[str, Any], p: Tensor) -> None:
    """Raise where a gradient should flow through the step: PyTorch forbids it of a leaf, of others it is not known."""
    if not group.get("differentiable") or not (p.requires_grad or (p.grad is not None and p.grad.requires_grad)):
        return
    with machine.tape.grad_mode(True):
        storage.refuse_leaf(p)
    raise ScriptError(
        "a step with differentiable=True of a tensor that is no leaf is not supported",
        hint="Write the update as an expression: w = w - lr * g.",
    )


def _update(self: Instance, kind: Kind, group: dict[str, Any], p: Tensor) -> None:
    assert p.grad is not None
    g = -p.grad.data if group.get("maximize") else p.grad.data
    kept = self.attributes["state"].get(p, {})
    state = {name: value.data if isinstance(value, Tensor) else value for name, value in kept.items()}
    options = {**group, "lr": plain_number(group["lr"])}
    if kind.begin is not None and not state:
        state = kind.begin(options, p.data)
    storage.write(p, kind.update(options, state, p.data, g))
    if group.get("decoupled_weight_decay") and group["weight_decay"]:
        storage.count_changes(p)  # the decay is a change of its own in PyTorch
    if state:
        _keep(p, self.attributes["state"].setdefault(p, {}), state)


def _keep(p: Tensor, kept: dict[str, Any], state: dict[str, Any]) -> None:
    """Write the state of a parameter into the tensors that the script sees, as PyTorch does: they stay the same."""
    for name, value in state.items():
        known = kept.get(name)
        if isinstance(known, Tensor) and known.shape == value.shape:
            storage.write(known, value)
        else:
            kept[name] = constant(value, p.tape)
