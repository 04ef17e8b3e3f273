"""`torch.utils.checkpoint`: a function whose values are found again in the backward pass, by running it once more.

The values of the first run are kept all the same, since the picture shows them. What a script can see is PyTorch's:
the second run and what it prints, its modes and random numbers, and the node of a reentrant call. Source:
torch/utils/checkpoint.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.custom.function import apply_function
from gradviz.imitation.engine.functions import METHODS
from gradviz.imitation.engine.hooks.on_saved_tensors import Hooks, current, set_hooks
from gradviz.imitation.engine.passes.by_node import NodePass
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import Cancelled, GradvizError, ScriptError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd.calls import run_sweep
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.python.iteration import list_
from gradviz.imitation.script.syntax.compound import entry
from gradviz.imitation.script.torch_values import Device, DTypeName, Size
from gradviz.imitation.script.values import Class, Namespace, Native

EXPLICIT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)
EXPLICIT_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version "
    "2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you "
    "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)
NO_GRADIENTS = "None of the inputs have requires_grad=True. Gradients will be None"
NOT_BACKWARD = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)
CHECKPOINT_ERROR = "torch.utils.checkpoint.CheckpointError"
OTHER_COUNT = (
    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
    "Number of tensors saved during forward: {first}\nNumber of tensors saved during recomputation: {again}.\n"
)
OTHER_KIND = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
    "forward pass.\n{each}\n.\n"
)
TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint‑debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""
CHECKS = ("default", "none")
NOTHING_BACK = "none of output has requires_grad=True, this checkpoint() is not necessary"


class _Enough(Exception):
    """All that the backward pass needs is found again."""


class Checkpoint:
    """One call of a function that can be run again as it was run first.

    Attributes:
        checks_kinds: whether what is saved must have the same shapes and dtypes each time.
    """

    def __init__(
        self, machine: Machine, function: Any, named: dict[str, Any], keeps_random: bool, checks_kinds: bool,
        contexts: tuple[Any, Any] | None = None,
    ) -> None:  # fmt: skip
        self.machine = machine
        self._function = function
        self._named = named
        self.checks_kinds = checks_kinds
        self._random = machine.random.get_state() if keeps_random else None
        self._contexts = contexts

    @contextmanager
    def around(self, which: int) -> Iterator[None]:
        """What the script wants around the first run (0), or around the next ones (1)."""
        if self._contexts is None:
            yield
            return
        enter, leave = entry(self.machine, self._contexts[which], None)
        token, _ = enter()
        try:
            yield
        except GradvizError as error:
            if isinstance(error, Cancelled | ScriptError) or not leave(token, error):
                raise
        except _Enough:
            leave(token, None)
            raise
        else:
            leave(token, None)

    def run(self, arguments: Sequence[Any]) -> Any:
        """Call the function."""
        return self.machine.call(self._function, tuple(arguments), self._named)

    @contextmanager
    def again(self) -> Iterator[None]:
        """Inside, gradients are recorded, and the random numbers are those of the first run."""
        now = self.machine.random.get_state()
        if self._random is not None:
            self.machine.random.set_state(self._random)
        try:
            with self.machine.tape.grad_mode(True):
                yield
        finally:
            if self._random is not None:
                self.machine.random.set_state(now)


def _by_hooks(call: Checkpoint, arguments: tuple[Any, ...]) -> Any:
    """What the nodes save is asked for in the backward pass: then the function runs again, until all of it was met."""
    tape = call.machine.tape
    passes: list[NodePass] = []
    found: list[Tensor] = []
    first: list[str] = []

    def pack(x: Tensor) -> int:
        first.append(_kind(x))
        return len(first) - 1

    def unpack(number: int) -> Tensor:
        now = tape.passes[-1:]
        if not now or now[0] not in passes:
            passes[:] = now
            run_again()
        return found[number]

    def run_again() -> None:
        found.clear()
        with call.again(), suppress(_Enough), call.around(1):
            _with_hooks(call, Hooks(keep, read), arguments)
        _check_same(first, [_kind(x) for x in found], call.checks_kinds)

    def keep(x: Tensor) -> Tensor:
        found.append(x)
        if len(found) == len(first):
            raise _Enough
        return x

    def read(x: Tensor) -> Tensor:
        return x

    with call.around(0):
        return _with_hooks(call, Hooks(pack, unpack), arguments)


def _kind(x: Tensor) -> str:
    """What must be alike in both runs of a tensor, as messages show it."""
    return str({"shape": Size(x.shape), "dtype": DTypeName(x.dtype), "device": Device("cpu")})


def _check_same(first: list[str], again: list[str], checks_kinds: bool) -> None:
    """Raise where the second run saved other tensors than the first."""
    if len(first) != len(again):
        text = OTHER_COUNT.format(first=len(first), again=len(again))
        raise TorchError(text + TIP, kind=CHECKPOINT_ERROR, hint=ALIKE)
    each = "\n".join(
        f"tensor at position {at}:\nsaved metadata: {one}\nrecomputed metadata: {other}"
        for at, (one, other) in enumerate(zip(first, again, strict=True))
        if one != other and checks_kinds
    )
    if each:
        raise TorchError(OTHER_KIND.format(each=each) + TIP, kind=CHECKPOINT_ERROR, hint=ALIKE)


ALIKE = "A checkpointed function must do the same each time it is called."


def _with_hooks(call: Checkpoint, hooks: Hooks, arguments: tuple[Any, ...]) -> Any:
    tape = call.machine.tape
    before = current(tape)
    set_hooks(tape, hooks)
    try:
        return call.run(arguments)
    finally:
        set_hooks(tape, before)


def _by_function(call: Checkpoint, arguments: tuple[Any, ...]) -> Any:
    """One node, whose backward is a forward and a backward of its own."""
    if not any(isinstance(x, Tensor) and x.requires_grad for x in arguments):
        warn(NO_GRADIENTS)

    def back(_: Context, *gradients: Any) -> tuple[Any, ...]:
        now = call.machine.tape.passes[-1]
        if now.wanted is not None or not now.accumulates:
            raise TorchError(NOT_BACKWARD)
        inputs = [_leaf(x) if isinstance(x, Tensor) else x for x in arguments]
        with call.again():
            result = call.run(inputs)
        results = result if isinstance(result, tuple) else (result,)
        pairs = [(y, g) for y, g in zip(results, gradients, strict=True) if isinstance(y, Tensor) and y.requires_grad]
        if not pairs:
            raise TorchError(NOTHING_BACK)
        outs, seeds = [y for y, _ in pairs], [g for _, g in pairs]
        run_sweep(call.machine, lambda: autograd.backward(outs, seeds), outs)
        return tuple(x.grad if isinstance(x, Tensor) else None for x in inputs)

    return apply_function("CheckpointFunction", arguments, lambda _, given: call.run(given), back)


def _leaf(x: Tensor) -> Tensor:
    out: Tensor = METHODS["detach"](x)
    if x.requires_grad:
        autograd.set_requires_grad(out, True)
    return out


def checkpoint(
    machine: Machine,
    function: Any,
    *arguments: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Any = None,
    determinism_check: str = "default",
    debug: bool = False,
    **named: Any,
) -> Any:
    """`torch.utils.checkpoint.checkpoint`."""
    if use_reentrant is None:
        warn(EXPLICIT)
    if use_reentrant is not False and named:
        raise TorchError(f"Unexpected keyword arguments: {','.join(named)}", kind="ValueError")
    if use_reentrant is not False and (context_fn is not None or debug is not False):
        raise TorchError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False.", kind="ValueError"
        )
    if debug and context_fn is not None:
        raise TorchError("debug=True is incompatible with non-default context_fn", kind="ValueError")
    if determinism_check not in CHECKS:
        raise TorchError(
            f"determinism_check should be one of {list(CHECKS)}, but got {determinism_check}", kind="ValueError"
        )
    contexts = None
    if context_fn is not None:
        first, again = machine.call(context_fn, (), {})
        contexts = (first, again)
    call = Checkpoint(machine, function, named, preserve_rng_state, determinism_check == "default", contexts)
    if use_reentrant is not False:
        return _by_function(call, arguments)
    return _by_hooks(call, arguments) if machine.tape.grad_enabled else call.run(arguments)


def checkpoint_sequential(
    machine: Machine, functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **options: Any
) -> Any:
    """`torch.utils.checkpoint.checkpoint_sequential`: a checkpoint for each segment but the last."""
    if use_reentrant is None:
        warn(EXPLICIT_SEQUENTIAL)
        use_reentrant = True
    parts = list_(machine, functions)
    size = len(parts) // segments
    for start in range(0, size * (segments - 1), size):
        part = Native("forward", _chain(machine, parts[start : start + size]))
        input = checkpoint(machine, part, input, use_reentrant=use_reentrant, **options)
    return _chain(machine, parts[size * (segments - 1) :])(input)


def _chain(machine: Machine, parts: list[Any]) -> Any:
    def run(x: Any) -> Any:
        for part in parts:
            x = machine.call(part, (x,), {})
        return x

    return run


def namespace(machine: Machine) -> Namespace:
    """`torch.utils.checkpoint`."""
    classes = machine.state["exceptions"]
    error = Class("CheckpointError", (classes["RuntimeError"],), {}, module="torch.utils.checkpoint")
    classes[CHECKPOINT_ERROR] = error
    functions = with_machine({"checkpoint": checkpoint, "checkpoint_sequential": checkpoint_sequential})
    return Namespace("torch.utils.checkpoint", {"CheckpointError": error, **functions})
