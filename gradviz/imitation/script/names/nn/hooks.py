"""The call of a module, and the hooks around it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.custom.function import apply_function
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.hooks.on_nodes import check_result
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import Cancelled, GradvizError, ScriptError, TorchError
from gradviz.imitation.script.attributes import bound
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.nn.books import Books, books
from gradviz.imitation.script.names.nn.levels import level_of
from gradviz.imitation.script.names.nn.old_hooks import watch_node
from gradviz.imitation.script.torch_values import Handle
from gradviz.imitation.script.values import Instance, Native, type_name

Hook = Callable[..., Any]
MIXED = "Cannot use both regular backward hooks and full backward hooks {where}. Please use only one of them."


def register(kind: str, module: Instance, hook: Any, *flags: Any, first: bool = False) -> Handle:
    return _keep(books(module), kind, hook, *flags, first=first)


def _keep(kept: Books, kind: str, hook: Any, *flags: Any, first: bool = False) -> Handle:
    table = kept.hooks.setdefault(kind, OrderedDict())
    handle = Handle(lambda: table.pop(handle.id, None))
    table[handle.id] = (hook, *flags)
    if first:
        table.move_to_end(handle.id, last=False)
    return handle


class Kept(OrderedDict[int, Any]):
    """`module._forward_hooks` and the like: what is taken out is called no longer."""

    shown_as = "OrderedDict"

    def __init__(self, table: OrderedDict[int, tuple[Any, ...]]) -> None:
        super().__init__((number, hook) for number, (hook, *_) in table.items())
        self._table = table

    def __repr__(self) -> str:
        return repr(OrderedDict(self))

    def __delitem__(self, number: int) -> None:
        super().__delitem__(number)
        del self._table[number]

    def pop(self, number: int, *default: Any) -> Any:
        """Take one out."""
        self._table.pop(number, None)
        return super().pop(number, *default)

    def popitem(self, last: bool = True) -> tuple[int, Any]:
        """Take the last out, or the first."""
        found = super().popitem(last)
        self._table.pop(found[0], None)
        return found

    def clear(self) -> None:
        """Take all out."""
        super().clear()
        self._table.clear()


def hooks_of(kind: str) -> Callable[[Instance], Kept]:
    """A module's own hooks of a kind as a script sees them."""
    return lambda module: Kept(books(module).hooks.setdefault(kind, OrderedDict()))


def register_forward_hook(
    module: Instance, hook: Any, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
) -> Handle:
    return register("forward", module, hook, with_kwargs, always_call, first=prepend)


def register_forward_pre_hook(
    module: Instance, hook: Any, *, prepend: bool = False, with_kwargs: bool = False
) -> Handle:
    return register("forward_pre", module, hook, with_kwargs, first=prepend)


def register_full_backward_hook(module: Instance, hook: Any, prepend: bool = False) -> Handle:
    if "old_backward" in books(module).hooks:
        raise TorchError(MIXED.format(where="on a single Module"))
    return register("backward", module, hook, first=prepend)


def register_full_backward_pre_hook(module: Instance, hook: Any, prepend: bool = False) -> Handle:
    return register("backward_pre", module, hook, first=prepend)


def register_backward_hook(module: Instance, hook: Any) -> Handle:
    """The old form: called with the gradients of the node that made the output, not of the module."""
    if "backward" in books(module).hooks:
        raise TorchError(MIXED.format(where="on a single Module"))
    return register("old_backward", module, hook)


# ---- hooks of all modules ----


def of_all(machine: Machine) -> Books:
    """The books of the hooks that every module calls."""
    return machine.state.setdefault("module hooks", Books())  # type: ignore[no-any-return]


def _registers(kind: str) -> Callable[..., Handle]:
    def register(machine: Machine, hook: Any, *, with_kwargs: bool = False, always_call: bool = False) -> Handle:
        flags = {"forward": (with_kwargs, always_call), "forward_pre": (with_kwargs,)}.get(kind, ())
        return _keep(of_all(machine), kind, hook, *flags)

    return register


def _old_register(machine: Machine, hook: Any) -> Handle:
    if "backward" in of_all(machine).hooks:
        raise TorchError(MIXED.format(where="as a global Module hook"))
    return _keep(of_all(machine), "old_backward", hook)


def global_names() -> dict[str, Native]:
    """What `torch.nn.modules.module` has to register them."""
    table: dict[str, Callable[..., Handle]] = {
        "register_module_forward_hook": _registers("forward"),
        "register_module_forward_pre_hook": _registers("forward_pre"),
        "register_module_full_backward_hook": _registers("backward"),
        "register_module_full_backward_pre_hook": _registers("backward_pre"),
        "register_module_backward_hook": _old_register,
    }
    return {name: Native(name, run, needs_machine=True) for name, run in table.items()}


def _hooks(module: Instance, kind: str) -> list[tuple[Any, ...]]:
    """The hooks of a kind with their flags: those of all modules, then its own."""
    kept = (of_all(module.machine), books(module))
    return [hook for each in kept for hook in each.hooks.get(kind, {}).values()]


def call(module: Instance, *arguments: Any, **keywords: Any) -> Any:
    """`module(x)` runs its forward and its hooks."""
    kept = books(module)
    forward = module.cls.find("forward")
    own = module.attributes.get("forward")
    target = bound(forward, module) if own is None else own
    machine = module.machine
    outer = machine.level
    machine.go_to(level_of(module, outer))
    try:
        if not any(kept.hooks.values()) and not any(of_all(machine).hooks.values()):
            return machine.call(target, arguments, keywords)
        forward_call = Forward(module, arguments, keywords)
        try:
            return forward_call.run(target)
        except (Cancelled, ScriptError):
            raise
        except GradvizError:
            forward_call.failed()
            raise
    finally:
        machine.go_to(outer)


class Forward:
    """A call of a module that has hooks, and how far it came."""

    def __init__(self, module: Instance, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.module, self.arguments, self.keywords = module, arguments, keywords
        self.result: Any = None
        self._done: set[int] = set()

    def run(self, target: Any) -> Any:
        """Hooks before, `target`, hooks after."""
        module, machine = self.module, self.module.machine
        self._before()
        watch = Watch(module) if _hooks(module, "backward") or _hooks(module, "backward_pre") else None
        if watch is not None:
            self.arguments = watch.inputs(self.arguments)
        self.result = machine.call(target, self.arguments, self.keywords)
        for entry in _hooks(module, "forward"):
            self._done.add(id(entry))
            self._after(*entry[:2])
        if watch is not None:
            self.result = watch.outputs(self.result)
        of_old = [hook for (hook,) in _hooks(module, "old_backward")]
        if of_old:
            watch_node(module, of_old, self.arguments, self.result)
        return self.result

    def failed(self) -> None:
        """Call the hooks that are always called, and were not before it failed; what they raise is only told."""
        for start, kept in (("global module", of_all(self.module.machine)), ("module", books(self.module))):
            for entry in list(kept.hooks.get("forward", {}).values()):
                hook, with_kwargs, is_always = entry
                if not is_always or id(entry) in self._done:
                    continue
                try:
                    self._after(hook, with_kwargs and start == "module")
                except (Cancelled, ScriptError):
                    raise
                except GradvizError as error:
                    self.module.machine.warnings.warn(f"{start} {SILENCED}{error.message}")

    def _before(self) -> None:
        module = self.module
        for hook, with_kwargs in _hooks(module, "forward_pre"):
            given = (module, self.arguments, self.keywords) if with_kwargs else (module, self.arguments)
            changed = module.machine.call(hook, given, {})
            if changed is None:
                continue
            if with_kwargs:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise TorchError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                self.arguments, self.keywords = changed
            else:
                self.arguments = changed if isinstance(changed, tuple) else (changed,)

    def _after(self, hook: Any, with_kwargs: bool) -> None:
        named = (self.keywords,) if with_kwargs else ()
        changed = self.module.machine.call(hook, (self.module, self.arguments, *named, self.result), {})
        self.result = self.result if changed is None else changed


SILENCED = (
    "forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in "
    "forward: "
)
NO_OUTPUTS = (
    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {kind}"
)
OUTPUTS_ONLY = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)


class Watch:
    """One call of a module whose gradients are watched: an identity node before it and one after it, as in PyTorch."""

    def __init__(self, module: Instance) -> None:
        self.module = module
        self.grad_outputs: tuple[Any, ...] | None = None
        self.count = 0
        self.has_input_node = False

    def _hooks(self, kind: str) -> list[Any]:
        return [hook for (hook,) in _hooks(self.module, kind)]

    def inputs(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, their tensors passed through a node that reports the gradients of the inputs."""
        places = [i for i, x in enumerate(arguments) if isinstance(x, Tensor)]
        inputs = tuple(arguments[i] for i in places)
        self.count = len(arguments)
        if not any(x.requires_grad for x in inputs) or not inputs[0].tape.grad_enabled:
            return arguments
        self.has_input_node = True

        def report(came: tuple[Any, ...]) -> tuple[Any, ...]:
            gradients = _filled(came, inputs)
            if self.grad_outputs is None:  # the gradients came past the outputs
                return gradients
            sent: list[Any] = [None] * len(arguments)
            for place, g in zip(places, gradients, strict=True):
                sent[place] = g
            changed = self._tell(tuple(sent))
            return tuple(changed[place] for place in places)

        passed = _identity(inputs, report)
        changed = list(arguments)
        for place, x in zip(places, passed, strict=True):
            changed[place] = x
        return tuple(changed)

    def outputs(self, result: Any) -> Any:
        """The result, its tensors passed through a node that is told the gradients of the outputs."""
        if not isinstance(result, Tensor | tuple):
            warn(NO_OUTPUTS.format(kind=f"<class '{type_name(result)}'>"), once=True)
        given = result if isinstance(result, tuple) else (result,)
        places = [i for i, x in enumerate(given) if isinstance(x, Tensor)]
        if not any(given[i].requires_grad for i in places):
            return result

        def note(gradients: tuple[Any, ...]) -> tuple[Any, ...]:
            came: list[Any] = [None] * len(given)
            for place, g in zip(places, gradients, strict=True):
                came[place] = g
            came = list(self._tell_before(tuple(came)))
            self.grad_outputs = tuple(came)
            if not self.has_input_node:
                if self._hooks("backward"):
                    warn(OUTPUTS_ONLY)
                self._tell((None,) * self.count)
            return tuple(came[place] for place in places)

        passed = _identity(tuple(given[i] for i in places), note)
        changed = list(given)
        for place, x in zip(places, passed, strict=True):
            changed[place] = x
        return tuple(changed) if isinstance(result, tuple) else changed[0]

    def _tell_before(self, came: tuple[Any, ...]) -> tuple[Any, ...]:
        for hook in self._hooks("backward_pre"):
            changed = self.module.machine.call(hook, (self.module, came), {})
            if changed is not None:
                came = _as_many("grad_output", changed, came)
        return came

    def _tell(self, sent: tuple[Any, ...]) -> tuple[Any, ...]:
        for own in self._hooks("backward"):
            changed = self.module.machine.call(own, (self.module, sent, self.grad_outputs), {})
            if changed is None:
                continue
            if not self.has_input_node:
                raise TorchError(
                    "Backward hooks that are called because no gradient was required for any input cannot return "
                    f"any value, got {changed}"
                )
            changed = _as_many("grad_input", changed, sent)
            for after, before in zip(changed, sent, strict=True):
                if after is not None and after is not before:
                    check_result(hook, after, before)
            sent = changed
        return sent


def _several(what: str, changed: Any) -> tuple[Any, ...]:
    """What a hook returned, by number; of one tensor PyTorch takes the rows where it wants gradients of inputs."""
    if what == "grad_input" and isinstance(changed, Tensor) and changed.ndim:
        return tuple(F["unbind"](changed))
    return changed if isinstance(changed, tuple) else (changed,)


def hook() -> None:
    """What messages call the hook that stands before those of the script."""


def _as_many(what: str, changed: Any, before: tuple[Any, ...]) -> tuple[Any, ...]:
    given = _several(what, changed)
    if len(given) != len(before):
        pre = "pre " if what == "grad_output" else ""
        raise TorchError(
            f"Backward {pre}hook returned an invalid number of {what}, got {len(given)}, but expected {len(before)}"
        )
    return given


def _identity(tensors: tuple[Tensor, ...], run: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> tuple[Any, ...]:
    """The tensors through a node of their own; `run` maps its incoming to its outgoing gradients.

    PyTorch hangs `run` on the node as a hook, which takes a number as every hook does. No gradient comes through
    those that need none: `run` gets None for them, and for what nothing was made of; what goes on are zeros.
    """
    Handle.count_one()

    def forward(ctx: Context, given: Sequence[Any]) -> Any:
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*(x for x in given if not x.requires_grad))
        return tuple(given) if len(given) > 1 else given[0]

    result = apply_function(
        "BackwardHookFunction",
        tensors,
        forward,
        lambda ctx, *gradients: _filled(run(gradients), tensors),
    )
    return result if isinstance(result, tuple) else (result,)


def _filled(gradients: tuple[Any, ...], tensors: tuple[Tensor, ...]) -> tuple[Any, ...]:
    """Zeros where no gradient came."""
    return tuple(F["zeros_like"](x) if g is None else g for g, x in zip(gradients, tensors, strict=True))


METHODS: dict[str, Hook] = {
    "__call__": call, "_call_impl": call, "register_forward_hook": register_forward_hook,
    "register_forward_pre_hook": register_forward_pre_hook, "register_backward_hook": register_backward_hook,
    "register_full_backward_hook": register_full_backward_hook,
    "register_full_backward_pre_hook": register_full_backward_pre_hook,
}  # fmt: skip

__all__ = ["METHODS", "Native", "Watch", "call"]
