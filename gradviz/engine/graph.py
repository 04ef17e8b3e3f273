"""`grad_fn`: an entry of the graph as scripts look at it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from gradviz.engine.backward import Pass
from gradviz.engine.hooks import as_tensor
from gradviz.engine.operands import broadcast_text
from gradviz.engine.saved import FREED, TWICE, check_kept, keeps, keeps_something
from gradviz.engine.state import state
from gradviz.engine.sweep import Sweep
from gradviz.engine.tensor import Tensor, behind_changes, current, extra_of, owner_of

_number_hook: Callable[[], int] = count().__next__


class RemovableHandle:
    """What registering a hook gives back; `remove()` takes the hook away."""

    __module__ = "torch.utils.hooks"

    def __init__(self, hooks: dict[int, Any]) -> None:
        self.id = _number_hook()
        self._hooks = hooks

    def remove(self) -> None:
        """Take the hook away; more than once is no error."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def add_hook(hooks: dict[int, Any], hook: Any) -> RemovableHandle:
    """Put a hook at the end of those registered so far."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class Node:
    """The backward node of an entry, e.g. MulBackward0; or AccumulateGrad of a leaf."""

    def __init__(self, entry: Tensor) -> None:
        self._entry = entry

    def name(self) -> str:
        """PyTorch's name of the node."""
        op = self._entry.op
        if op is None:
            return "torch::autograd::AccumulateGrad"
        return op.node_name

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that gradients go on to, one for each input; (None, 0) for what takes none."""
        inputs = self._entry.inputs
        if self.name() == "RsubBackward1":
            inputs = inputs[1:]  # PyTorch's node knows nothing of the number
        return tuple([(node_of(x) if x.tracked else None, 0) for x in inputs])

    def __call__(self, *gradients: Tensor | None) -> Any:
        """What goes out for what comes in, one gradient for each input; at a leaf it is added to `.grad`.

        As in PyTorch no hook is called, and what comes of it has a graph itself where gradients are recorded.

        Raises:
            TypeError: not one tensor.
            RuntimeError: it does not fit the result, or what the node had saved was freed or changed.
        """
        entry, op = self._entry, self._entry.op
        if len(gradients) != 1:
            raise TypeError(f"expected 1 arguments, got {len(gradients)} instead")
        (given,) = gradients
        if given is not None and not isinstance(given, Tensor):
            raise TypeError("argument 0 is not a Variable")
        work = Pass(Sweep((entry,), (), create_graph=state.grad_enabled))
        if op is None:
            if given is not None:
                work.add_to_grad(owner_of(entry), current(given).array, entry)
            return ()
        first = self.name() == "RsubBackward1"
        if given is None:
            sent: tuple[Any, ...] = (None,) * len(entry.inputs)
        else:
            if entry.incoming is FREED and keeps_something(entry):
                raise RuntimeError(TWICE)
            g = current(given)
            if g.array.shape != entry.array.shape:
                raise RuntimeError(broadcast_text(g.array.shape, entry.array.shape))
            check_kept(entry)
            sent = work.outgoing(entry, op, g if state.grad_enabled else g.array)
        found = tuple([None if out is None else as_tensor(out) for out in sent[first:]])
        return found[0] if len(found) == 1 else found

    @property
    def variable(self) -> Tensor:
        """The leaf of an AccumulateGrad."""
        if self._entry.op is not None:
            raise AttributeError(f"'{self.name()}' object has no attribute 'variable'")
        return owner_of(self._entry)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict of one's own."""
        extra = extra_of(self._entry)
        if not isinstance(extra.place, dict):
            return {}
        return extra.place

    def _sequence_nr(self) -> int:
        """The number of the entry in order of making; the largest one for a leaf, which runs as soon as it can."""
        return 2**64 - 1 if self._entry.op is None else self._entry.index

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call hook(grad_inputs, grad_outputs) after the node has run; what it returns replaces grad_inputs."""
        return self._register((False, hook))

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call hook(grad_outputs) before the node runs; what it returns replaces grad_outputs."""
        return self._register((True, hook))

    def _register(self, hook: tuple[bool, Callable[..., Any]]) -> RemovableHandle:
        extra = extra_of(self._entry)
        if extra.node_hooks is None:
            extra.node_hooks = {}
        if self._entry.op is None:
            state.has_leaf_hooks = True
        return add_hook(extra.node_hooks, hook)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(f"_saved_{name}" for name in self._kept())})

    def _kept(self) -> dict[str, Any]:
        """What the node keeps, by PyTorch's names: its inputs, its result, and what else it was given."""
        entry, op = self._entry, self._entry.op
        if op is None or op.joint is not None:
            return {}
        words = {"a": "self", "x": "self", "b": "other", "y": "result"}
        found: dict[str, Any] = {name: value for name, value in entry.params.items() if value is not None}
        if "reduction" in found:
            found["reduction"] = ("none", "mean", "sum").index(found["reduction"])
        if op.name in ("add", "sub"):
            found["alpha"] = 1
        for slot, x in enumerate(entry.inputs):
            name = op.input_name(slot)
            if not op.is_variadic and name in op.saves:
                found[words.get(name, name)] = (owner_of(x) if x.op is None else x) if keeps(entry, name) else None
        if "y" in op.saves:
            found["result"] = entry
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_"):
            saved = self._kept()
            if name[7:] in saved:
                found = saved[name[7:]]
                if isinstance(found, Tensor) and self._entry.incoming is FREED:
                    raise RuntimeError(TWICE)
                return found
        joint = None if self._entry.op is None else self._entry.op.joint
        context = getattr(getattr(joint, "__self__", None), "ctx", None)  # of a custom Function
        if name == "saved_tensors" and self._entry.incoming is FREED:
            raise RuntimeError(TWICE)
        if context is not None and hasattr(context, name):
            return getattr(context, name)
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        module = "torch.autograd.function." if isinstance(self, BackwardCFunction) else ""
        return f"<{module}{type(self).__name__} object at {hex(id(self._entry))}>"


class BackwardCFunction(Node):
    """The node of a custom Function."""

    def __call__(self, *_: Tensor | None) -> Any:
        """PyTorch does not call it.

        Raises:
            TypeError: always.
        """
        raise TypeError(f"'{type(self).__name__}' object is not callable")


def node_of(entry: Tensor) -> Node:
    """The node of an entry: always the same object."""
    entry = behind_changes(entry)
    extra = extra_of(owner_of(entry) if entry.op is None else entry)
    if extra.node is None:
        name = "AccumulateGrad" if entry.op is None else entry.op.node_name.rpartition(":")[2]
        is_custom = entry.op is not None and entry.op.joint is not None
        kind, module = (BackwardCFunction, "torch.autograd.function") if is_custom else (Node, "torch.autograd")
        extra.node = type(name, (kind,), {"__module__": module})(entry)
    assert isinstance(extra.node, Node)
    return extra.node


def grad_fn(x: Tensor) -> Node | None:
    """The node that made a tensor; None for a leaf."""
    now = current(x)
    return node_of(now) if now.op is not None and now.tracked else None
