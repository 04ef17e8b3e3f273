"""The graph as autograd has it: all Nodes under some roots, and what each is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import torch

from gradviz.capture.forward import Custom, Event, Leaf
from gradviz.capture.keep import Kept, dtype_name
from gradviz.capture.ops import HIDDEN, LISTED, name_of, params_of

if TYPE_CHECKING:
    from gradviz.capture.recorder import Recorder


def _accumulate_grad() -> type:
    with torch.enable_grad():
        x = torch.empty((), requires_grad=True)
        return type(x.view_as(x).grad_fn.next_functions[0][0])


AccumulateGrad = _accumulate_grad()


def node_of(root: Any) -> Any:
    """The Node of a tensor or of a GradientEdge; that of a leaf accumulates. None where there is none."""
    if not isinstance(root, torch.Tensor):
        return root.node
    if root.grad_fn is not None or not root.requires_grad:
        return root.grad_fn
    with torch.enable_grad():
        view: Any = root.view_as(root)
        return None if view.grad_fn is None else view.grad_fn.next_functions[0][0]


def walk(recorder: Recorder, roots: Any) -> dict[Any, Event | Leaf]:
    """Every Node under `roots`, with what is known of it; edges are noted at each event."""
    forward, key = recorder.forward, recorder.key
    forward.attach_bases()
    found: dict[Any, Event | Leaf] = {}
    waiting: list[Any] = []
    unlinked: list[tuple[Event, Any]] = []
    for root in roots:
        node = node_of(root)
        if node is None:
            continue
        if isinstance(root, torch.Tensor) and root.grad_fn is not None:
            forward.attach(node, root)
        waiting.append(node)
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        kind = type(node)
        if kind is AccumulateGrad:
            found[node] = forward.leaf(node.variable, is_new=False)
            continue
        edges = node.next_functions
        metadata = node.metadata
        event = metadata.get(key)
        if event is None:
            event = metadata[key] = Event(None, forward.tick)
            recorder.hung.append(ref(event))
        found[node] = event
        if event.edges is None:
            event.node = node.name()
            event.custom = isinstance(node, Custom)
            unlinked.append((event, edges))
            if event.op is None or len(event.made) > 1 or not event.outputs:
                event.shapes = _shapes(node)
        for below, _ in edges:
            if below is not None and below not in found:
                waiting.append(below)
    for event, edges in unlinked:
        event.edges = [
            None if below is None else (found[below], 0 if found[below].__class__ is Leaf else number)
            for below, number in edges
        ]
    return found


def _shapes(node: Any) -> Any:
    """(shape, dtype) of every output, by what the Node expects to come in."""
    try:
        return [(tuple(each.shape), dtype_name(each.dtype)) for each in node._input_metadata]
    except (AttributeError, RuntimeError, TypeError):
        return None


class Inputs:
    """What goes into an event, in the order of its arguments.

    Attributes:
        op: its name; `params`.
        sources: (event, output) or (leaf, 0).
        slots: for each the slot of the Node whose gradient is its, or None.
    """

    __slots__ = ("op", "params", "slots", "sources")

    def __init__(self, event: Event) -> None:
        given = dict(event.given)
        edges = event.edges or []
        self.sources: list[tuple[Any, int]] = []
        self.slots: list[Any] = []
        if event.op is not None and event.op.defaults:
            given = {**{k: v for k, v in event.op.defaults.items() if k in event.op.arguments}, **given}
        if event.custom:
            self.op = event.node[: -len("Backward")] if event.node.endswith("Backward") else event.node
            given = {}
        elif event.node:
            self.op = name_of(event.node, event.op, given)
        else:
            self.op = name_of(event.op.name if event.op is not None else "", event.op, given)
        matched = None if event.op is None or event.custom else _matched(event.arguments, edges, bool(event.node))
        hidden: dict[str, Any] = {}
        if matched is None:
            self.slots = [at for at, edge in enumerate(edges) if edge is not None]
            self.sources = [edges[at] for at in self.slots]
        else:
            places = HIDDEN.get(self.op, {})
            for at, argument in enumerate(event.arguments):
                if at in places and matched[at] is None and argument.__class__ is Leaf:
                    if places[at]:
                        hidden.setdefault(places[at], []).append(_listed(argument))
                    continue
                self.sources.append((argument, 0) if argument.__class__ is Leaf else (argument[0], argument[1].number))
                self.slots.append(matched[at])
        first = event.arguments[0] if event.arguments else None
        kept = first[1].kept if first.__class__ is tuple else first.kept if first.__class__ is Leaf else None
        rank = len(kept.shape) if kept is not None else 0
        if self.op == "rsub" and given.get("alpha", 1) == 1:
            self._turn_round(event, given)
        seen = {name: value for name, value in given.items() if not _is_tensor_argument(event, name)}
        self.params = {**params_of(self.op, seen, rank), **hidden}
        if (
            event.op is not None
            and len(event.made) == 2
            and self.op in ("max", "min", "sort", "topk", "median", "mode")
        ):
            index = event.made[1].kept
            if index is not None and index.tensor is not None and index.tensor.numel() <= LISTED:
                self.params["index"] = index.tensor.tolist()

    def _turn_round(self, event: Event, given: dict[str, Any]) -> None:
        """`1 - x` is computed as rsub(x, 1): the difference that the script wrote, the number first."""
        other = given.pop("other", None)
        if isinstance(other, (bool, int, float)) and len(self.sources) == 1 and event.made and event.made[0].kept:
            dtype = event.made[0].kept.dtype
            number = Leaf("constant", Kept(torch.tensor(other, dtype=dtype), torch.Size(()), dtype), event.tick)
            number.line, number.file, number.level = event.line, event.file, event.level
            self.sources.append((number, 0))
            self.slots.append(None)
        if len(self.sources) == 2:
            self.op = "sub"
            given.pop("alpha", None)
            self.sources.reverse()
            self.slots.reverse()


def _is_tensor_argument(event: Event, name: str) -> bool:
    """Whether a default stands for a tensor that was given."""
    if event.op is None or name not in event.op.arguments:
        return False
    return event.op.takes_tensor[event.op.arguments.index(name)] or any(name == each for each in ("weight", "bias"))


def _listed(leaf: Leaf) -> Any:
    tensor = leaf.kept.tensor
    return tensor.tolist() if tensor is not None and tensor.numel() <= LISTED else None


def _matched(arguments: list[Any], edges: Any, walked: bool) -> Any:
    """For each tensor argument the slot that is its, or None; None where they cannot be brought together.

    A Node has slots for the arguments that its formula knows, in their order; index tensors, masks and buffers may
    have none.
    """
    matched: list[Any] = [None] * len(arguments)
    if not walked:
        return matched
    at = 0
    for slot, edge in enumerate(edges):
        if edge is None:
            continue
        source, number = edge
        while at < len(arguments) and not _is(arguments[at], source, number):
            at += 1
        if at == len(arguments):
            return None
        matched[at] = slot
        at += 1
    return matched


def _is(argument: Any, source: Any, number: int) -> bool:
    if source.__class__ is Leaf:
        return argument is source or (
            argument.__class__ is Leaf and argument.kind == "leaf" and argument.ref is not None
            and source.ref is not None and argument.ref() is source.ref()
        )  # fmt: skip
    return argument.__class__ is tuple and argument[0] is source and argument[1].number == number
