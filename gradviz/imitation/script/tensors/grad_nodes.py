"""`tensor.grad_fn`: a backward node as a script sees it, and hooks of nodes and tensors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.hooks import on_nodes as node_hooks
from gradviz.imitation.engine.hooks.on_saved_tensors import Hooks, pack_now, torch_name
from gradviz.imitation.engine.memory.views import renew
from gradviz.imitation.engine.nodes import edges, head, inside, output_number, result
from gradviz.imitation.engine.passes.backward import full_name, node_name
from gradviz.imitation.engine.passes.one_node import apply_node
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.tensors.saved_values import kept_tensors, saved_names
from gradviz.imitation.script.torch_values import Device, DTypeName, Handle
from gradviz.imitation.script.values import Bound, Class, Namespace, Native


class Edge(tuple[Any, ...]):
    """One entry of `next_functions`."""

    __slots__ = ()


class GradNode:
    """A backward node.

    Attributes:
        tensor: the entry that stands for it: of several results the first, of a leaf the leaf.
        metadata: what a script keeps there.
    """

    __slots__ = ("metadata", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.metadata: dict[Any, Any] = {}

    @property
    def node_name(self) -> str:
        """E.g. "MulBackward0"."""
        return node_name(self.tensor)

    @property
    def full_name(self) -> str:
        """What `grad_fn.name()` gives."""
        return full_name(self.tensor)

    @property
    def shown_as(self) -> str:
        """The name of its class, which messages give."""
        return self.node_name

    @property
    def is_callable(self) -> bool:
        """Whether a script can call it: PyTorch's own nodes only, not those of custom Functions."""
        return not self.module

    @property
    def module(self) -> str:
        """Where its class stands, as Python shows it."""
        op = self.tensor.op
        return "torch.autograd.function" if op is not None and op.context is not None else ""

    def __repr__(self) -> str:
        kind = f"{self.module}." if self.module else ""
        return f"<{kind}{self.node_name} object at 0x{id(self.tensor) & 0xFFFFFFFFFFFF:012x}>"

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """(node, number of its output) for every input; (None, 0) where no gradient flows."""
        found = self._laid_out([self._edge(at) for at in edges(self.tensor)], Edge((None, 0)))
        if self.tensor.op is not None and self.tensor.op.node == "NotImplemented":
            return tuple(edge for edge in found if edge[0] is not None)
        return found

    def _laid_out(self, of_edges: Sequence[Any], nothing: Any) -> tuple[Any, ...]:
        """What belongs to the inputs, by PyTorch's order of them, which knows some that are no tensors here."""
        op, part = self.tensor.op, inside(self.tensor)
        if part is not None:
            return (of_edges[0], *GradNode(part)._laid_out(of_edges, nothing)[1:])
        if op is None:
            return ()
        found = [
            value
            for slot, value in enumerate(of_edges)
            if op.is_variadic or op.joint is not None or op.vjp[slot] is not None
        ]
        for at in op.gaps:
            found.insert(at, nothing)
        return (*found, *[nothing] * op.absent)

    def __call__(self, *gradients: Any, **named: Any) -> Any:
        """`grad_fn(g)`: what the node sends to its inputs, one by itself.

        Raises:
            TorchError: something that is no tensor, or what the node itself refuses.
        """
        if named:
            raise TorchError("keyword arguments are not supported", kind="TypeError")
        for number, g in enumerate(gradients):
            if g is not None and not isinstance(g, Tensor):
                raise TorchError(f"argument {number} is not a Variable", kind="TypeError")
        sent = self._laid_out(apply_node(self.tensor, gradients), None)
        return sent[0] if len(sent) == 1 else sent

    def _edge(self, at: int) -> Edge:
        x = self.tensor.tape.entries[at]
        return Edge((node_of(x), output_number(x)) if x.requires_grad else (None, 0))


class GradientEdge(NamedTuple):
    """What `get_gradient_edge` gives: where the gradient of a tensor comes from."""

    node: GradNode
    output_nr: int
    ownership_token: GradNode | None = None

    @property
    def tensor(self) -> Tensor:
        """What stands for it.

        Raises:
            TorchError: the node has no such output.
        """
        found = result(self.node.tensor, self.output_nr)
        if found is None:
            raise TorchError(f"invalid argument: 'output_nr' {self.output_nr} of {self.node.node_name}")
        return found


class InputMetadata(NamedTuple):
    """What a node knows of the gradient that comes to it."""

    shape: list[int]
    dtype: DTypeName
    device: Device
    is_nested_tensor: bool = False
    is_cpp_nested_tensor: bool = False

    def __repr__(self) -> str:
        return f"<{SavedTensor.shown_in}._InputMetadata object at 0x{id(self) & 0xFFFFFFFFFFFF:012x}>"


def gradient_edge(tensor: Tensor) -> GradientEdge:
    """`torch.autograd.graph.get_gradient_edge`.

    Raises:
        TorchError: the tensor takes no gradient.
    """
    if not tensor.requires_grad:
        raise TorchError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(node_of(tensor), output_number(tensor))


def _metadata(entry: Tensor) -> tuple[InputMetadata, ...]:
    """Of each result of a node."""
    found: list[InputMetadata] = []
    while (x := result(entry, len(found))) is not None:
        found.append(InputMetadata(list(x.shape), DTypeName(x.dtype), Device("cpu")))
    return tuple(found)


def node_of(tensor: Tensor) -> GradNode:
    """The node that made a tensor; of a leaf, the one that accumulates its gradient. Always the same object."""
    more = head(tensor).more
    if more.node_hooks is None:
        more.node_hooks = node_hooks.NodeHooks()
    if more.node_hooks.shown is None:
        more.node_hooks.shown = GradNode(head(tensor))
    return more.node_hooks.shown  # type: ignore[no-any-return]


def grad_fn(tensor: Tensor) -> GradNode | None:
    """`tensor.grad_fn`.

    Raises:
        TorchError: a view whose history is not known any more.
    """
    renew(tensor)
    return None if tensor.op is None else node_of(tensor)


# ---- hooks ----


def called(machine: Any, hook: Any) -> Callable[..., Any]:
    """A hook of the script as the engine calls it, under the hook's own name."""

    def run(*arguments: Any) -> Any:
        return machine.call(hook, arguments, {})

    run.of_script = hook  # type: ignore[attr-defined]
    inner = hook.function if isinstance(hook, Bound) else hook
    run.__name__ = str(getattr(inner, "name", "<unknown>"))
    return run


def register_hook(machine: Any, self: Tensor, hook: Any) -> Handle:
    """`tensor.register_hook`."""
    run = called(machine, hook)
    handle = Handle(autograd.register_hook(self, run))
    run.id = handle.id  # type: ignore[attr-defined]
    return handle


def hooks_of(tensor: Tensor) -> OrderedDict[int, Any] | None:
    """`tensor._backward_hooks`: the script's hooks by the ids of their handles; None where there never was one."""
    hooks = tensor.extra.hooks if tensor.extra is not None else None
    return (
        None
        if hooks is None
        else OrderedDict((run.id, run.of_script) for run in hooks.values() if hasattr(run, "of_script"))
    )


def register_post_accumulate_grad_hook(machine: Any, self: Tensor, hook: Any) -> Handle:
    """`tensor.register_post_accumulate_grad_hook`."""
    return Handle(node_hooks.register_accumulated(self, called(machine, hook)))


NOTHING = object()


def context_attribute(context: Context, name: str) -> Any:
    """An attribute of a `ctx`; NOTHING where it has none of that name."""
    if name in ("saved_tensors", "saved_variables"):
        if name == "saved_variables":
            warn("'saved_variables' is deprecated; use 'saved_tensors'", "DeprecationWarning")
        return context.saved_tensors()
    if name == "needs_input_grad":
        return context.needs
    if name in (
        "save_for_backward",
        "save_for_forward",
        "mark_dirty",
        "mark_non_differentiable",
        "set_materialize_grads",
    ):
        return Native(name, getattr(context, name))
    if name == "materialize_grads":
        return context.materializes
    return context.attributes.get(name, NOTHING)


OF_FUNCTIONS = "the class of custom Functions' nodes"


def class_of(machine: Any, node: GradNode) -> Class:
    """`type(grad_fn)`: one class per name of a node."""
    classes: dict[str, Class] = machine.state.setdefault("node classes", {})
    name = node.node_name
    if name not in classes:
        bases = (machine.state[OF_FUNCTIONS],) if node.module else (machine.builtins["object"],)
        classes[name] = Class(name, bases, make=_no_instances(name), module=node.module)
    return classes[name]


def _no_instances(name: str) -> Native:
    def run(*_: Any, **__: Any) -> None:
        raise TorchError(f"cannot create '{name}' instances", kind="TypeError")

    return Native(name, run)


_NODE = {
    *dir(object()), "__call__", "_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr",
    "metadata", "name", "next_functions", "register_hook", "register_prehook", "requires_grad",
}  # fmt: skip
_CONTEXT = {
    "__dict__", "__module__", "__weakref__", "_autograd_function_id", "_compiled_autograd_backward_state",
    "_compiled_autograd_key", "_forward_cls", "_get_compiled_autograd_symints", "_get_user_fn", "_is_pure_view",
    "_materialize_non_diff_grads", "_raw_saved_tensors", "_register_hook", "apply", "apply_boxed", "apply_jvp",
    "dirty_tensors", "mark_dirty", "mark_non_differentiable", "mark_shared_storage", "materialize_grads",
    "maybe_clear_saved_tensors", "needs_input_grad", "non_differentiable", "save_for_backward", "save_for_forward",
    "saved_for_forward", "saved_tensors", "saved_variables", "set_materialize_grads", "to_save",
}  # fmt: skip


def listed(node: GradNode) -> set[str]:
    """The names that `dir(grad_fn)` has."""
    op = node.tensor.op
    if op is not None and op.context is not None:
        return {*_NODE, *_CONTEXT, *op.context.attributes} - {"__call__"}
    saved = saved_names(node.tensor)
    wrapped = {f"_raw_saved_{name}" for name in kept_tensors(node.tensor)}
    return {*_NODE, *wrapped, *(f"_saved_{name}" for name in saved), *(["variable"] if op is None else [])}


class SavedTensor(Namespace):
    """The wrapper of a tensor that a node has saved."""

    shown_as = "SavedTensor"
    shown_in = "torch._C._autograd"

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{self.shown_in}.{self.shown_as} object at 0x{id(self) & 0xFFFFFFFFFFFF:012x}>"


def _wrapper(machine: Any, tensor: Tensor, name: str) -> SavedTensor:
    """`grad_fn._raw_saved_self`, which takes hooks for that tensor alone."""
    shown, op = name.removeprefix("_raw_saved_"), tensor.op
    if op is None or shown not in {torch_name(op, kept) for kept in op.saves}:
        raise ScriptError(f"'{name}' is not supported", hint=f"Read the tensor: '{name.replace('_raw', '', 1)}'.")

    def register_hooks(pack_hook: Any, unpack_hook: Any) -> None:
        pack_now(tensor, shown, Hooks(called(machine, pack_hook), called(machine, unpack_hook)))

    return SavedTensor(name, {"register_hooks": Native("register_hooks", register_hooks)})


READ_ONLY = ("name", "register_hook", "register_prehook", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr")


def put(machine: Any, owner: GradNode, name: str, value: Any) -> None:
    """`grad_fn.name = value`: the node of a custom Function is its `ctx`, no other takes an attribute."""
    op, kind = owner.tensor.op, owner.node_name
    if op is not None and op.context is not None:
        op.context.attributes[name] = value
        return
    if name in READ_ONLY:
        text = f"'{kind}' object attribute '{name}' is read-only"
    elif name in listed(owner):
        text = f"attribute '{name}' of '{kind}' objects is not writable"
    else:
        text = f"'{kind}' object has no attribute '{name}'"
    raise TorchError(text, kind="AttributeError", hint="Keep it in grad_fn.metadata.")


def attribute(machine: Any, owner: GradNode, name: str) -> Any:
    """An attribute of a node; NOTHING where it has none of that name."""
    tensor = owner.tensor
    if name == "next_functions":
        return owner.next_functions
    if name == "metadata":
        return owner.metadata
    if name == "_input_metadata":
        return _metadata(tensor)
    if name == "name":
        return Native(name, lambda: owner.full_name)
    if name == "__class__":
        return class_of(machine, owner)
    if name == "variable" and tensor.op is None:
        return tensor
    if name == "register_hook":
        return Native(name, lambda fn: Handle(node_hooks.register_hook(tensor, called(machine, fn))))
    if name == "register_prehook":
        return Native(name, lambda fn: Handle(node_hooks.register_prehook(tensor, called(machine, fn))))
    if name == "requires_grad":
        return True
    if name == "_sequence_nr":
        return Native(name, lambda: 2**64 - 1 if tensor.op is None else tensor.index)
    if name.startswith("_raw_saved_"):
        return _wrapper(machine, tensor, name)
    found: Any = NOTHING
    if name.startswith("_saved_"):
        read = saved_names(tensor).get(name.removeprefix("_saved_"))
        found = NOTHING if read is None else read()
    elif tensor.op is not None and tensor.op.context is not None:
        found = context_attribute(tensor.op.context, name)
    if found is NOTHING:
        raise TorchError(f"'{owner.node_name}' object has no attribute '{name}'", kind="AttributeError")
    return found
