"""`nn.Module`: attributes, parameters, buffers, modules, modes and the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.dtypes import DTYPES, FLOATING
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.attributes import absent
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.files import tell
from gradviz.imitation.script.names.nn import hooks, state
from gradviz.imitation.script.names.nn.books import (
    BOOKS,
    DEEPEST,
    books,
    children,
    dotted,
    is_module,
    named,
    named_buffers,
    named_modules,
    named_parameters,
    own_buffers,
    own_known,
    own_parameters,
    own_waiting,
    places,
)
from gradviz.imitation.script.names.nn.fields import Fields, WrittenThrough
from gradviz.imitation.script.names.nn.kinds import prepare
from gradviz.imitation.script.names.nn.parameter import is_parameter
from gradviz.imitation.script.names.nn.register import (
    add_module,
    books_for,
    class_of,
    path_of,
    register_buffer,
    register_parameter,
    set_attribute,
)
from gradviz.imitation.script.names.nn.text import module_text
from gradviz.imitation.script.names.torch import devices
from gradviz.imitation.script.tensors.kinds import named_type, refuse_index
from gradviz.imitation.script.torch_values import Device, DTypeName
from gradviz.imitation.script.values import Class, Instance, Native, Property, type_name


def module_class(machine: Machine) -> Class:
    """`nn.Module`, for one machine."""
    table = {**METHODS, **hooks.METHODS, **state.METHODS}
    methods = {name: Native(f"Module.{name}", run, is_method=True) for name, run in table.items()}
    views = {
        name: Property(Native(name, read, is_method=True))
        for name, read in {
            "_parameters": lambda module: Members(module, _parameters_of(module), register_parameter),
            "_buffers": lambda module: Members(module, _buffers_of(module), register_buffer),
            "_modules": lambda module: Members(module, dict(places(module)), add_module),
            "__dict__": lambda module: Fields(module) if BOOKS in module.attributes else module.attributes,
        }.items()
    }
    views |= {name: Property(Native(name, hooks.hooks_of(kind), is_method=True)) for name, kind in HOOKS.items()}
    methods["__init__"] = Native("Module.__init__", begin, is_method=True)
    methods["forward"] = Native("_forward_unimplemented", forward_unimplemented, is_method=True)
    attributes = {**methods, **views, "training": True, "dump_patches": False, "_version": 1, "call_super_init": False}
    return Class("Module", (machine.builtins["object"],), attributes, module="torch.nn.modules.module")


def begin(module: Instance, *arguments: Any, **keywords: Any) -> None:
    """`nn.Module.__init__`, which takes nothing."""
    called = f"{module.cls.name}.__init__()"
    if keywords:
        raise TorchError(f"{called} got an unexpected keyword argument '{next(iter(keywords))}'", kind="TypeError")
    if arguments:
        given = len(arguments) + 1
        raise TorchError(f"{called} takes 1 positional argument but {given} were given", kind="TypeError")
    prepare(module)


HOOKS = {
    "_forward_hooks": "forward", "_forward_pre_hooks": "forward_pre", "_backward_pre_hooks": "backward_pre",
    "_backward_hooks": "backward",
}  # fmt: skip


class Members(WrittenThrough):
    """`module._modules` and the like: what is put in or taken out is put into the module, or taken out of it."""

    def __init__(self, module: Instance, held: dict[str, Any], register: Callable[..., None]) -> None:
        super().__init__(module, held)
        self._register = register

    def __setitem__(self, name: str, value: Any) -> None:
        self._module.attributes.pop(name, None)
        self._register(self._module, name, value)
        super().__setitem__(name, value)


def _parameters_of(module: Instance) -> dict[str, Any]:
    absent = books_for(module).absent
    return {
        name: value
        for name, value in module.attributes.items()
        if is_parameter(value) or (value is None and name in absent)
    }


def _buffers_of(module: Instance) -> dict[str, Any]:
    known = books_for(module, "buffer").buffers
    return {name: value for name, value in module.attributes.items() if name in known}


def member(module: Instance, name: str) -> Any:
    """`nn.Module.__getattr__`: the parameter, buffer or module of that name, which PyTorch keeps apart.

    Raises:
        TorchError: it has none.
    """
    if BOOKS in module.attributes and name in module.attributes:
        value, held = module.attributes[name], books(module)
        if is_parameter(value) or is_module(value) or any(name in x for x in (held.buffers, held.absent, held.vacant)):
            return value
    raise absent(module, name)


# ---- looking through a module ----


def parameters(module: Instance, recurse: bool = True) -> Iterator[Tensor]:
    for _, parameter in named(module, own_known, "", recurse):
        yield parameter


def _named_parameters(
    module: Instance, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Tensor]]:
    yield from named(module, own_known, prefix, recurse, once=remove_duplicate)


def _named_buffers(
    module: Instance, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Tensor]]:
    yield from named(module, own_buffers, prefix, recurse, once=remove_duplicate)


def buffers(module: Instance, recurse: bool = True) -> Iterator[Tensor]:
    for _, buffer in named_buffers(module, "", recurse):
        yield buffer


def modules(module: Instance) -> Iterator[Instance]:
    for _, found in named_modules(module):
        yield found


def _named_modules(
    module: Instance, memo: Any = None, prefix: str = "", remove_duplicate: bool = True
) -> Iterator[tuple[str, Instance]]:
    return named_modules(module, prefix, once=remove_duplicate)


def _children(module: Instance) -> Iterator[Instance]:
    for _, child in children(module):
        yield child


def get_submodule(module: Instance, target: str) -> Instance:
    """The module of a dotted name; of "" it is the module itself."""
    found = module
    for name in target.split(".") if target else ():
        child = found.attributes.get(name)
        if child is None:
            raise TorchError(f"{found.cls.name} has no attribute `{name}`", kind="AttributeError")
        if not is_module(child):
            raise TorchError(f"`{name}` is not an nn.Module", kind="AttributeError")
        found = child
    return found


def set_submodule(self: Instance, target: str, module: Any, strict: bool = False) -> None:
    """Put a module in the place of a dotted name.

    Raises:
        TorchError: no name, no module, or something else stands there.
    """
    if target == "":
        raise TorchError("Cannot set the submodule without a target name!", kind="ValueError")
    if not is_module(module):
        raise TorchError(f"`module` is not an nn.Module, found <class '{path_of(module)}'>", kind="ValueError")
    path, _, name = target.rpartition(".")
    owner = get_submodule(self, path)
    if strict and name not in owner.attributes:
        raise TorchError(f"{owner.cls.name} has no attribute `{name}`", kind="AttributeError")
    if name in owner.attributes and not is_module(owner.attributes[name]):
        raise TorchError(f"`{name}` is not an nn.Module", kind="AttributeError")
    set_attribute(owner, name, module)


def get_parameter(module: Instance, target: str) -> Tensor:
    """The parameter of a dotted name."""
    path, _, name = target.rpartition(".")
    owner = get_submodule(module, path)
    if name not in owner.attributes:
        raise TorchError(f"{owner.cls.name} has no attribute `{name}`", kind="AttributeError")
    found = owner.attributes[name]
    if not is_parameter(found):
        raise TorchError(f"`{name}` is not an nn.Parameter", kind="AttributeError")
    return found  # type: ignore[no-any-return]


def get_buffer(module: Instance, target: str) -> Tensor:
    """The buffer of a dotted name."""
    path, _, name = target.rpartition(".")
    owner = get_submodule(module, path)
    if name not in owner.attributes:
        raise TorchError(f"{owner.cls.name} has no attribute `{name}`", kind="AttributeError")
    found = dict(own_buffers(owner)).get(name)
    if found is None:
        raise TorchError(f"`{name}` is not a buffer", kind="AttributeError")
    return found


# ---- changing all of it ----


def zero_grad(module: Instance, set_to_none: bool = True) -> None:
    """Forget all gradients, or set them to zero."""
    for _, parameter in named_parameters(module):
        clear_grad(parameter, set_to_none)


def clear_grad(parameter: Tensor, set_to_none: bool) -> None:
    """`zero_grad` of one tensor."""
    if parameter.grad is None:
        return
    if set_to_none:
        parameter.more.grad = None
    else:
        storage.write(parameter.grad, parameter.grad.data * 0)


def train(module: Instance, mode: bool = True) -> Instance:
    """`train()`, and `eval()` with mode False; modules of the script may have a `train` of their own."""
    if not isinstance(mode, bool):
        raise TorchError("training mode is expected to be boolean", kind="ValueError")
    module.attributes["training"] = mode
    for _, child in children(module):
        child.special("train", mode)
    return module


def eval_(module: Instance) -> Any:
    return module.special("train", False)


def forward_unimplemented(self: Instance, *input: Any) -> None:
    raise TorchError(f'Module [{self.cls.name}] is missing the required "forward" function', kind="NotImplementedError")


def requires_grad_(module: Instance, requires_grad: bool = True) -> Instance:
    for _, parameter in named_parameters(module):
        if not isinstance(requires_grad, bool):
            raise TorchError(
                f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {type_name(requires_grad)}",
                kind="TypeError",
            )
        autograd.set_requires_grad(parameter, requires_grad, by_method=True)
    return module


def apply(module: Instance, fn: Any) -> Instance:
    """Call a function with every module, what is inside before what holds it.

    Raises:
        RecursionError: a module is inside itself.
    """
    pending = [(module, 0, False)]
    while pending:
        found, depth, is_done = pending.pop()
        if is_done:
            module.machine.call(fn, (found,), {})
            continue
        if depth > DEEPEST:
            raise RecursionError
        pending.append((found, depth, True))
        pending += [(child, depth + 1, False) for _, child in reversed(list(children(found)))]
    return module


def convert(module: Instance, *args: Any, dtype: Any = None, device: Any = None, **_: Any) -> Instance:
    """`module.to(...)`: floating point parameters and buffers take the dtype; there is only one device here."""
    _place(module.machine, device)
    for arg in args:
        if isinstance(arg, str | Device):
            _place(module.machine, arg)
        elif isinstance(arg, int) and not isinstance(arg, bool):
            refuse_index(arg)
        elif isinstance(arg, DTypeName):
            dtype = arg
        elif isinstance(arg, Tensor):
            dtype = DTypeName(arg.dtype)
    if dtype is not None:
        if dtype.dtype.kind not in FLOATING:
            raise TorchError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype!r}",
                kind="TypeError",
            )
        for _name, x in (*named_parameters(module), *named_buffers(module)):
            if x.dtype.kind in FLOATING and x.dtype != dtype.dtype:
                _take(x, to(_plain(x), dtype.dtype).data)
        for _name, inner in named_modules(module):
            for _key, waiting in own_waiting(inner):
                waiting.dtype = dtype.dtype
    return module


def _place(machine: Machine, given: Any) -> None:
    """Nothing but words where a module is to lose its values: who calls it then gives it others."""
    if given is not None and devices.device(given).type == "meta":
        tell(machine, "the device 'meta' takes no values away: the module keeps them, and stays on the CPU")
    else:
        devices.require(given)


def _plain(x: Tensor) -> Tensor:
    return x.tape.tensor(x.data)


def _take(x: Tensor, data: Any) -> None:
    """Give a leaf an array of another dtype."""
    if x.index >= 0:
        storage.leave_stand_in(x, counts=False, keep_value=False)
    x.data = data
    if x.grad is not None:
        x.more.grad = _plain(x.grad)
        x.more.grad.data = x.grad.data.astype(data.dtype)
    if x.requires_grad:
        x.tape.enter(x)


def _cast(name: str) -> Callable[[Instance], Instance]:
    return lambda module: convert(module, dtype=DTypeName(DTYPES[name]))


def _typed(module: Instance, dst_type: Any) -> Instance:
    """`module.type(...)`, of a dtype or of a type such as `torch.DoubleTensor`."""
    named = named_type(dst_type)
    return convert(module, dtype=dst_type if named is None else DTypeName(named))


def same(module: Instance, *_: Any, **__: Any) -> Instance:
    return module


for _generator, _name in (
    (parameters, "parameters"), (_named_parameters, "named_parameters"), (buffers, "buffers"), (modules, "modules"),
    (_named_buffers, "named_buffers"), (named_modules, "named_modules"), (_children, "children"),
    (children, "named_children"),
):  # fmt: skip
    _generator.__qualname__ = f"Module.{_name}"  # what `print(model.parameters())` shows

METHODS: dict[str, Callable[..., Any]] = {
    "__getattr__": member, "__setattr__": set_attribute, "__repr__": module_text, "extra_repr": lambda module: "",
    "_get_name": lambda module: module.cls.name, "register_parameter": register_parameter,
    "register_buffer": register_buffer, "register_module": add_module, "add_module": add_module,
    "parameters": parameters, "named_parameters": _named_parameters, "buffers": buffers,
    "named_buffers": _named_buffers,
    "children": _children, "named_children": children, "modules": modules,
    "named_modules": _named_modules, "get_submodule": get_submodule, "get_parameter": get_parameter,
    "get_buffer": get_buffer, "set_submodule": set_submodule,
    "zero_grad": zero_grad, "train": train,
    "eval": eval_, "requires_grad_": requires_grad_, "apply": apply, "to": convert, "float": _cast("float32"),
    "double": _cast("float64"), "half": _cast("float16"), "cpu": same, "cuda": devices.refuse, "share_memory": same,
    "type": _typed, "bfloat16": _cast("bfloat16"),
}  # fmt: skip

__all__ = ["BOOKS", "class_of", "clear_grad", "dotted", "module_class", "own_parameters"]
