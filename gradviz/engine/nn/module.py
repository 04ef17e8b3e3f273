"""Module: what all layers and models derive from.

A module notices what is assigned to its attributes: parameters, buffers (tensors that it keeps but does not learn) and
other modules. So it can name them all, convert them, and save and load their numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple, Self

from gradviz.engine.devices import check_device
from gradviz.engine.dtypes import DTYPES, DType
from gradviz.engine.errors import refuse_options
from gradviz.engine.gradients import get_grad, set_grad
from gradviz.engine.graph import RemovableHandle, add_hook
from gradviz.engine.known import missing_in
from gradviz.engine.modes import no_grad
from gradviz.engine.nn.hooks import TWO_KINDS, HookedCall, hook_last_node
from gradviz.engine.nn.parameter import Parameter
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, current
from gradviz.engine.views import set_data

KINDS = ("_parameters", "_buffers", "_modules")
"""The dicts in which a module keeps what was assigned to it."""


class Hook(NamedTuple):
    """A forward hook and how it wants to be called."""

    function: Callable[..., Any]
    with_kwargs: bool = False


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class IncompatibleKeys(_Keys):
    """What `load_state_dict` did not find in the state, and what it found there without a place for it."""

    __slots__ = ()
    __module__ = "torch.nn.modules.module"
    __qualname__ = "_IncompatibleKeys"

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


def _missing_forward(self: Module, *_: Any) -> Any:
    """Stands for the forward that every module defines.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module:
    """The base class of all layers and models: define `__init__` and `forward`.

    Attributes:
        training: whether it is in training mode, which dropout and batch norm ask for.
    """

    training: bool
    forward: Callable[..., Any] = _missing_forward
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]
    _forward_pre_hooks: OrderedDict[int, Hook]
    _forward_hooks: OrderedDict[int, Hook]
    _backward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _backward_hooks: OrderedDict[int, Callable[..., Any]]
    _is_full_backward_hook: bool | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            what = (
                f"got an unexpected keyword argument '{next(iter(kwargs))}'"
                if kwargs
                else f"takes 1 positional argument but {len(args) + 1} were given"
            )
            raise TypeError(f"{type(self).__name__}.__init__() {what}")
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set(), _modules={},
            _forward_pre_hooks=OrderedDict(), _forward_hooks=OrderedDict(), _backward_pre_hooks=OrderedDict(),
            _backward_hooks=OrderedDict(), _is_full_backward_hook=None,
        )  # fmt: skip

    # ---- attributes ----------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":  # numpy asks for memory by such names, and copies by others: no parameter is called so
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        held = self.__dict__
        for kind in KINDS:
            if kind in held and name in held[kind]:
                return held[kind][name]
        raise missing_in("torch.nn.Module", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            _check_begun(self, "parameters")
            _forget(self, name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            _check_begun(self, "module")
            _forget(self, name, "_modules")
            self._modules[name] = value
        else:
            held = self.__dict__
            for kind, (takes, wanted, noun) in ASSIGNED.items():
                if kind in held and name in held[kind]:
                    if value is not None and not isinstance(value, takes):
                        what = f"'{full_name(value)}' as {noun} '{name}'"
                        raise TypeError(f"cannot assign {what} ({wanted} or None expected)")
                    held[kind][name] = value
                    return
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for kind in KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in names if not name[:1].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or None for one that this module does without.

        Raises:
            AttributeError, TypeError, KeyError, ValueError: what is given cannot be a parameter of that name.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        _check_name(self, name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{full_name(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and current(param).op is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the module's state but is not learned.

        Args:
            persistent: whether it stands in `state_dict`.

        Raises:
            AttributeError, TypeError, KeyError: what is given cannot be a buffer of that name.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        _check_name(self, name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{full_name(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name.

        Raises:
            TypeError, KeyError: what is given cannot be a module of that name.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{full_name(module)} is not a Module subclass")
        _check_name(self, name, "module", "_modules")
        self._modules[name] = module

    register_module = add_module

    # ---- what it holds -------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it with their names, e.g. ("layers.0", ...)."""
        seen = set() if memo is None else memo
        waiting: list[tuple[str, Module]] = [(prefix, self)]
        while waiting:
            name, module = waiting.pop()
            if module in seen:
                continue
            if remove_duplicate:
                seen.add(module)
            yield name, module
            start = f"{name}." if name else ""
            children = [(start + key, child) for key, child in module._modules.items() if child is not None]
            waiting.extend(reversed(children))

    def modules(self) -> Iterator[Module]:
        """This module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below this one with their names, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below this one, each once."""
        for _, module in self.named_children():
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their names, e.g. ("layers.0.weight", ...)."""
        yield from _named(self, "_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their names."""
        yield from _named(self, "_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """The module of a name, e.g. "layers.0"; itself for "".

        Raises:
            AttributeError: there is none.
        """
        found: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{found._get_name()} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        made: Module = found
        return made

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a name, e.g. "layers.0.weight".

        Raises:
            AttributeError: there is none.
        """
        found = _get(self, target)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{target.rpartition('.')[2]}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a name.

        Raises:
            AttributeError: there is none.
        """
        found = _get(self, target)
        if not isinstance(found, Tensor) or isinstance(found, Parameter):
            raise AttributeError(f"`{target.rpartition('.')[2]}` is not a buffer")
        return found

    # ---- modes and conversions -----------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Set training mode (or evaluation mode) here and in all modules below."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Let gradients flow into all parameters, or no longer: freeze them."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero."""
        for parameter in self.parameters():
            grad = get_grad(parameter)
            if grad is None or set_to_none:
                set_grad(parameter, None)
                continue
            if grad.requires_grad:
                grad = grad.detach()
                set_grad(parameter, grad)
            grad.zero_()

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call a function with every module below and then with this one, e.g. to initialize weights."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Convert all parameters, their gradients and the buffers by a function of a tensor."""
        for module in self.modules() if recurse else (self,):
            for parameter in module._parameters.values():
                if parameter is not None:
                    _convert(parameter, fn)
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating point parameters and buffers to a dtype; the only device is the CPU.

        Raises:
            TypeError: the dtype is not floating point.
            Beyond: another device.
        """
        dtype: DType | None = None
        for given in (*args, *[kwargs.get(name) for name in ("device", "dtype", "tensor")]):
            if isinstance(given, DType):
                dtype = given
            elif isinstance(given, Tensor):
                dtype = given.dtype
            elif not isinstance(given, bool):
                check_device(given)
        if dtype is None:
            return self
        if not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        return self._apply(lambda x: x.to(dtype) if x.is_floating_point() else x)

    def float(self) -> Self:
        """Convert floating point parameters and buffers to float32."""
        return self.to(DTYPES["float32"])

    def double(self) -> Self:
        """Convert floating point parameters and buffers to float64."""
        return self.to(DTYPES["float64"])

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype."""
        return self._apply(lambda x: x.type(dst_type))

    def cuda(self, device: Any = None) -> Self:
        """Refused: the only device is the CPU.

        Raises:
            AssertionError: always, as by a PyTorch that was built for the CPU.
        """
        return self.to("cuda")

    def cpu(self) -> Self:
        """Itself: the only device is the CPU."""
        return self

    # ---- state -----------------------------------------------------------------------------------------------------

    def state_dict(
        self, *, destination: OrderedDict[str, Tensor] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Tensor]:
        """The numbers of all parameters and persistent buffers by name; they look into the module's own memory.

        Args:
            destination: a dict to add to.
            prefix: stands before all names.
            keep_vars: whether to give the parameters themselves rather than detached tensors.
        """
        found = OrderedDict[str, Tensor]() if destination is None else destination
        for name, held in _state(self, prefix):
            found[name] = held if keep_vars else held.detach()
        return found

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Take over the numbers of a `state_dict`.

        Args:
            strict: whether names that are missing or have no place are an error.
            assign: whether to hold the tensors given rather than copy their numbers.

        Raises:
            TypeError: it is no dict.
            RuntimeError: names or shapes that do not fit, all of them listed.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        own = dict(_state(self))
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        errors = []
        if strict and missing:
            errors.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        if strict and unexpected:
            errors.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
        for name, held in own.items():
            if name in state_dict:
                errors += _load(self, name, held, state_dict[name], assign)
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return IncompatibleKeys(missing, unexpected)

    # ---- calls and hooks -----------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks before and after it."""
        if (
            self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks
            or state.on_module is not None
        ):  # fmt: skip
            return _call_watched(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, with_kwargs: bool = False, **others: Any
    ) -> RemovableHandle:
        """Call hook(module, args) before every forward; what it returns replaces the arguments."""
        refuse_options("register_forward_pre_hook", others, "prepend")
        return add_hook(self._forward_pre_hooks, Hook(hook, with_kwargs))

    def register_forward_hook(
        self, hook: Callable[..., Any], *, with_kwargs: bool = False, **others: Any
    ) -> RemovableHandle:
        """Call hook(module, args, output) after every forward; what it returns replaces the output."""
        refuse_options("register_forward_hook", others, "prepend always_call")
        return add_hook(self._forward_hooks, Hook(hook, with_kwargs))

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], **others: Any) -> RemovableHandle:
        """Call hook(module, grad_output) when gradients come in; what it returns replaces them."""
        refuse_options("register_full_backward_pre_hook", others, "prepend")
        return add_hook(self._backward_pre_hooks, hook)

    def register_full_backward_hook(self, hook: Callable[..., Any], **others: Any) -> RemovableHandle:
        """Call hook(module, grad_input, grad_output) when gradients go out; what it returns replaces grad_input."""
        refuse_options("register_full_backward_hook", others, "prepend")
        return _add_backward(self, hook, is_full=True)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call hook(module, grad_input, grad_output) when the last op of the module has run: its inputs, no others.

        PyTorch keeps this for old code; `register_full_backward_hook` sees the inputs of the module.
        """
        return _add_backward(self, hook, is_full=False)

    # ---- text ----------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands in the brackets behind the name."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {indent(repr(module))}" for name, module in self._modules.items()]
        if len(extra) == 1 and not children:
            return f"{self._get_name()}({extra[0]})"
        return f"{self._get_name()}({block(extra + children)})"


ASSIGNED: dict[str, tuple[type, str, str]] = {
    "_parameters": (Parameter, "torch.nn.Parameter", "parameter"),
    "_modules": (Module, "torch.nn.Module", "child module"),
    "_buffers": (Tensor, "torch.nn.Buffer, torch.Tensor", "buffer"),
}
"""For each kind, what may be assigned to a name that stands there, and how messages call it."""


# ---- what it holds ----------------------------------------------------------------------------------------------


def _check_begun(module: Module, what: str) -> None:
    if "_modules" not in module.__dict__:
        raise AttributeError(f"cannot assign {what} before Module.__init__() call")


def _forget(module: Module, name: str, kept: str) -> None:
    """Take a name out of all places but the one where it shall stand."""
    module.__dict__.pop(name, None)
    for kind in KINDS:
        if kind != kept:
            module.__dict__[kind].pop(name, None)
    module._non_persistent_buffers_set.discard(name)


def _check_name(module: Module, name: Any, noun: str, kind: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{noun} name should be a string. Got {full_name(name)}")
    if hasattr(module, name) and name not in module.__dict__[kind]:
        raise KeyError(f"attribute '{name}' already exists")
    if "." in name:
        raise KeyError(f'{noun} name can\'t contain "."' + (f", got: {name}" if noun == "module" else ""))
    if not name:
        raise KeyError(f'{noun} name can\'t be empty string ""')


def _named(root: Module, kind: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
    """What a module and those below it hold of one kind, with names."""
    seen = set()
    holders = root.named_modules(None, prefix, remove_duplicate) if recurse else iter([(prefix, root)])
    for start, module in holders:
        for name, held in getattr(module, kind).items():
            if held is None or (remove_duplicate and id(held) in seen):
                continue
            seen.add(id(held))
            yield (f"{start}.{name}" if start else name), held


def read_given(owner: Any, name: Any) -> Any:
    """An attribute whose name was given by whoever uses the engine: a plain text, and none of Python's own names.

    Raises:
        AttributeError: it is another, or there is no such attribute.
    """
    if type(name) is not str or name[:2] == "__":
        raise AttributeError(f"'{type(owner).__name__}' object has no parameter of this name")
    return getattr(owner, name)


def _get(root: Module, target: str) -> Any:
    """The attribute of a name, e.g. "layers.0.weight"."""
    path, _, name = target.rpartition(".")
    module = root.get_submodule(path)
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)


def _state(root: Module, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """What stands in the state: parameters and persistent buffers, with what is held twice named twice."""
    for start, module in root.named_modules(remove_duplicate=False):
        place = f"{prefix}{start}." if start else prefix
        for name, held in (*module._parameters.items(), *module._buffers.items()):
            if held is not None and name not in module._non_persistent_buffers_set:
                yield place + name, held


def _load(module: Module, name: str, held: Tensor, given: Any, assign: bool) -> list[str]:
    """Take over one tensor; the error if it does not fit."""
    if not isinstance(given, Tensor):
        wanted = "expected torch.Tensor or Tensor-like object from checkpoint"
        return [f'While copying the parameter named "{name}", {wanted} but received {type(given)}']
    if given.shape != held.shape:
        found = f"copying a param with shape {given.shape} from checkpoint"
        return [f"size mismatch for {name}: {found}, the shape in current model is {held.shape}."]
    if assign:
        path, _, key = name.rpartition(".")
        is_parameter = isinstance(held, Parameter) and not isinstance(given, Parameter)
        setattr(module.get_submodule(path), key, Parameter(given, held.requires_grad) if is_parameter else given)
    else:
        with no_grad():
            held.copy_(given)
    return []


# ---- calls ------------------------------------------------------------------------------------------------------


def _call_watched(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a module with hooks, or while somebody records."""
    for hook in tuple(module._forward_pre_hooks.values()):
        args, kwargs = _before(module, hook, args, kwargs)
    hooked = None
    is_old = module._is_full_backward_hook is False
    if module._backward_pre_hooks or (module._backward_hooks and not is_old):
        before = tuple(module._backward_pre_hooks.values())
        after = () if is_old else tuple(module._backward_hooks.values())
        hooked = HookedCall(module, before, after)
        args = hooked.enter(args)
    result = _run(module, args, kwargs)
    for hook in tuple(module._forward_hooks.values()):
        result = _after(module, hook, args, kwargs, result)
    if module._backward_hooks and is_old:
        hook_last_node(module, args, result, tuple(module._backward_hooks.values()))
    return result if hooked is None else hooked.leave(result)


def _run(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The forward, between the two notes for whoever records."""
    note = state.on_module
    if note is None:
        return module.forward(*args, **kwargs)
    note(module, True)
    try:
        return module.forward(*args, **kwargs)
    finally:
        note(module, False)


def _before(
    module: Module, hook: Hook, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments after a forward pre-hook."""
    if not hook.with_kwargs:
        given = hook.function(module, args)
        if given is None:
            return args, kwargs
        return given if isinstance(given, tuple) else (given,), kwargs
    given = hook.function(module, args, kwargs)
    if given is None:
        return args, kwargs
    if not isinstance(given, tuple) or len(given) != 2:
        raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {given}.")
    args, kwargs = given
    return args, kwargs


def _after(module: Module, hook: Hook, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """The result after a forward hook."""
    given = (args, kwargs) if hook.with_kwargs else (args,)
    changed = hook.function(module, *given, result)
    return result if changed is None else changed


def _add_backward(module: Module, hook: Callable[..., Any], *, is_full: bool) -> RemovableHandle:
    """Add a backward hook.

    Raises:
        RuntimeError: the module has some of the other kind.
    """
    if module._is_full_backward_hook not in (None, is_full):
        raise RuntimeError(TWO_KINDS)
    module._is_full_backward_hook = is_full
    return add_hook(module._backward_hooks, hook)


def _convert(parameter: Parameter, fn: Callable[[Tensor], Tensor]) -> None:
    """Let a parameter and its gradient be converted in place."""
    grad = get_grad(parameter)
    with no_grad():
        made = fn(parameter)
        if made is not parameter:
            set_data(parameter, made)
            set_grad(parameter, None if grad is None else fn(grad))


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def full_name(value: object) -> str:
    """How PyTorch's messages call the type of a value, or a type, e.g. "torch.FloatTensor", "int", "__main__.Net"."""
    if isinstance(value, Tensor):
        return str(value.type())
    kind: Any = value if isinstance(value, type | FunctionType) else type(value)
    if kind.__module__ == "builtins":
        return str(kind.__name__)
    place = str(kind.__module__)
    if place.startswith("gradviz.engine.functions"):
        place = "torch.nn.functional"
    return f"{place.replace('gradviz.engine', 'torch')}.{kind.__qualname__}"


def indent(text: str) -> str:
    """A text of several lines as it stands inside a bracket: all lines but the first moved in by two."""
    return text.replace("\n", "\n  ")


def block(lines: list[str]) -> str:
    """Lines between brackets that stand on lines of their own; nothing for no lines."""
    return "\n  " + "\n  ".join(lines) + "\n" if lines else ""


def settings(module: Module, names: str) -> str:
    """Attributes as `name=value, name=value`, for `extra_repr`."""
    return ", ".join(f"{name}={getattr(module, name)}" for name in names.split())
