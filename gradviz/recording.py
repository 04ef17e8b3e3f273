"""The recording: what one run of a script (or a loaded file) left behind, frozen.

Everything that produces (the script reader, a loaded file, a captured run) makes a `Recording`; everything
that shows (layout, playback, export, window) reads one. It does not care who made it: a node may have an op
without a rule here, or a value that is missing.

Nodes stand in evaluation order: an input always has a smaller id than its consumer, so there are no cycles
and no walk needs recursion. An edge is (consumer, slot), never (source, target): in x*x both inputs are the
same node but carry different gradients.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gradviz.errors import GraphError

if TYPE_CHECKING:  # a program that only starts scripts has no need of numpy, which takes long to load
    import numpy as np

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]] | np.generic"
"""An n-dimensional array, or a numpy scalar for shape ()."""

LEAF = "leaf"
CONSTANT = "constant"


class Node(NamedTuple):
    """One tensor of the graph: a leaf, a constant, or the result of one op.

    Attributes:
        id: position in `Recording.nodes`.
        op: "leaf" (takes a gradient), "constant" (does not), else the op in PyTorch's spelling.
        inputs: ids of the inputs by slot; each smaller than `id`. The same id may occur twice.
        params: what the op was given besides tensors, e.g. {"exponent": 2}.
        shape: e.g. (3, 2); () for a single number.
        dtype: as PyTorch names it, without "torch.", e.g. "float32".
        name: the variable it was assigned to, or None.
        requires_grad: whether a gradient can flow into it.
        line: line of the source that made it, from 1, or None.
        scope: what was around it when it was made, outermost first: functions ("block", "Net.half"), modules (the
            outermost called by its variable, "net", those inside it by their paths from there, "layers.0.fc"; its
            `forward` is no level of its own) and rounds of loops ("epoch = 3" where the loop variable is a number or
            text, else counted from 0: "x, y [3]", "while [3]"). What comes again at the same place is another level
            and says so: a second call of `block` there is "block #2". So nodes with the same first k texts are one
            group. A parameter belongs where it is first used, any other leaf or constant where it was made.
    """

    id: int
    op: str
    inputs: tuple[int, ...] = ()
    params: Mapping[str, Any] = {}
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    name: str | None = None
    requires_grad: bool = False
    line: int | None = None
    scope: tuple[str, ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Whether no op made it, as `Tensor.is_leaf`."""
        return self.op in (LEAF, CONSTANT)


class Step(NamedTuple):
    """What the backward pass did at one node.

    Attributes:
        node: id of the node.
        incoming: dL/dy, already summed over all consumers; shape of the node.
        outgoing: one dL/dx per input slot, of that input's shape, or None where none flows. Empty at a leaf,
            whose step is the accumulation into `.grad`.
    """

    node: int
    incoming: Array | None
    outgoing: tuple[Array | None, ...] = ()


class Accumulation(NamedTuple):
    """What one sweep did to the `.grad` of a leaf (or of a node that retains its gradient)."""

    node: int
    before: Array | None
    after: Array | None


@dataclass(frozen=True)
class Sweep:
    """One call of `backward()` or `torch.autograd.grad()`.

    Attributes:
        outputs: ids of the nodes it started from.
        seeds: the v of v·J, one per output, of that output's shape.
        steps: in the order in which they ran, one per node reached.
        accumulated: the changes of `.grad`; empty for `autograd.grad`.
        line: line of the call, or None.
        number: which call of the run it was, from 1; 0 where all calls were kept and its place says it.
        since: the first node made after the call before, or None where that call was kept.
    """

    outputs: tuple[int, ...]
    seeds: tuple[Array, ...]
    steps: tuple[Step, ...]
    accumulated: tuple[Accumulation, ...] = ()
    line: int | None = None
    retain_graph: bool = False
    create_graph: bool = False
    number: int = 0
    since: int | None = None

    @cached_property
    def step_of(self) -> Mapping[int, int]:
        """Index in `steps` by node id."""
        return {step.node: index for index, step in enumerate(self.steps)}

    @cached_property
    def accumulation_of(self) -> Mapping[int, Accumulation]:
        """The change of `.grad` by node id."""
        return {entry.node: entry for entry in self.accumulated}


@dataclass(frozen=True)
class Source:
    """The text a recording was made from. `kind` is "script" or "notebook"."""

    kind: str
    name: str
    text: str


@dataclass(frozen=True)
class Thinned:
    """That not all backward calls of a long run were kept.

    Attributes:
        calls: how many ran.
        every: besides the first and the last, every so manieth was kept.
        in_rounds: whether rounds of a loop are counted, since some have several calls.
    """

    calls: int
    every: int
    in_rounds: bool = False

    def text(self, kept: int) -> str:
        """A sentence, given how many were kept."""
        what = "those of every {}th round of the loop" if self.in_rounds else "every {}th"
        return f"Kept {kept:,} of {self.calls:,} backward calls: the first, the last and {what.format(self.every)}."


@dataclass(frozen=True)
class Problem:
    """The error that ended a run; the recording holds what came before it."""

    message: str
    hint: str = ""
    line: int | None = None
    column: int | None = None
    node: int | None = None


class Warned(NamedTuple):
    """What PyTorch (or the script) warns of while the run goes on.

    Attributes:
        category: the class of the warning, e.g. "UserWarning".
        line: of the source, from 1, or None.
        at: how many characters the script had printed by then.
    """

    message: str
    category: str = "UserWarning"
    line: int | None = None
    at: int = 0


@dataclass(frozen=True)
class Recording:
    """One run, whole and unchanging. `values[i]` belongs to `nodes[i]`; None where it is not known.

    Attributes:
        gradients: the final `.grad` by variable name, None for a leaf that has none.
        output: what the script printed.
        problem: why the run ended early, or None. Not part of an exported file.
        warnings: in the order in which they were given.
        thinned: that not all backward calls were kept, or None.
    """

    nodes: tuple[Node, ...] = ()
    values: tuple[Array | None, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    gradients: Mapping[str, Array | None] = field(default_factory=dict)
    output: str = ""
    source: Source | None = None
    problem: Problem | None = None
    warnings: tuple[Warned, ...] = ()
    thinned: Thinned | None = None

    @property
    def kept(self) -> str:
        """What was kept of the backward calls, as a sentence; "" where all were."""
        return "" if self.thinned is None else self.thinned.text(sum(sweep.number > 0 for sweep in self.sweeps))

    def number(self, sweep: int) -> int:
        """Which call of the run a sweep was, from 1."""
        return self.sweeps[sweep].number or sweep + 1

    @cached_property
    def consumers(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each node the edges (consumer, slot) that use it, in evaluation order."""
        uses: list[list[tuple[int, int]]] = [[] for _ in self.nodes]
        for node in self.nodes:
            for slot, source in enumerate(node.inputs):
                uses[source].append((node.id, slot))
        return tuple(tuple(edges) for edges in uses)

    def ancestors(self, outputs: Iterable[int]) -> tuple[int, ...]:
        """The ids of `outputs` and of all they depend on, ascending."""
        wanted = set(outputs)
        for node in reversed(self.nodes[: max(wanted, default=-1) + 1]):
            if node.id in wanted:
                wanted.update(node.inputs)
        return tuple(sorted(wanted))

    def picture(self, sweep: int | None) -> tuple[int, ...]:
        """The ids of the nodes to draw for one sweep, ascending.

        The ancestors of its outputs, and what the script computed since the sweep before without the loss
        depending on it: that is shown as not reached. Without a sweep, all nodes that belong to no sweep, or
        all nodes where there is none. A leaf that nothing uses is left out: it is an older state of a variable
        that was changed before its first use, or a variable without any part in the graph.
        """
        sweeps = self.sweeps if sweep is None else self.sweeps[:sweep]
        outputs = () if sweep is None else self.sweeps[sweep].outputs
        since = None if sweep is None else self.sweeps[sweep].since
        start = max((max(s.outputs, default=-1) for s in sweeps), default=-1) + 1 if since is None else since
        end = len(self.nodes) if sweep is None else max(outputs, default=-1) + 1
        recent = [i for i in range(start, end) if not self.nodes[i].is_leaf or self.consumers[i]]
        return self.ancestors((*outputs, *recent)) or tuple(range(start, end))

    def is_reached(self, sweep: int, node: int) -> bool:
        """Whether a gradient came to the node in that sweep (which may be a gradient of 0)."""
        return node in self.sweeps[sweep].step_of


def check(recording: Recording) -> Recording:
    """Return the recording if it keeps the rules of this module.

    Every importer calls this.

    Raises:
        GraphError: an id out of place, an input that comes later (a cycle), a value or gradient of a wrong
            shape, a step at a node that does not exist.
    """
    nodes = recording.nodes
    if len(recording.values) != len(nodes):
        raise GraphError(f"{len(nodes)} nodes have {len(recording.values)} values.")
    for position, (node, value) in enumerate(zip(nodes, recording.values, strict=True)):
        _check_node(node, position, value)
    for number, sweep in enumerate(recording.sweeps, 1):
        _check_sweep(recording, sweep, f"backward {number}")
    return recording


def _check_node(node: Node, position: int, value: Array | None) -> None:
    if node.id != position:
        raise GraphError(f"node {position} has id {node.id}: ids must count up from 0.")
    for source in node.inputs:
        if not 0 <= source < node.id:
            raise GraphError(
                f"node {node.id} ({node.op}) takes node {source} as an input, which does not come before it: "
                "the graph has a cycle or a missing node."
            )
    if node.is_leaf and node.inputs:
        raise GraphError(f"node {node.id} is a {node.op} but has inputs.")
    _check_shape(value, node, f"the value of node {node.id} ({node.op})")


def _check_shape(array: Array | None, node: Node, what: str) -> None:
    if array is not None and array.shape != node.shape:
        raise GraphError(f"{what} has shape {list(array.shape)}, but the node has shape {list(node.shape)}.")


def _check_sweep(recording: Recording, sweep: Sweep, where: str) -> None:
    nodes = recording.nodes
    named = [*sweep.outputs, *(s.node for s in sweep.steps), *(a.node for a in sweep.accumulated)]
    for node_id in named:
        if not 0 <= node_id < len(nodes):
            raise GraphError(f"{where} names node {node_id}, but there are {len(nodes)} nodes.")
    if len(sweep.seeds) != len(sweep.outputs):
        raise GraphError(f"{where} has {len(sweep.outputs)} outputs and {len(sweep.seeds)} seeds.")
    for output, seed in zip(sweep.outputs, sweep.seeds, strict=True):
        _check_shape(seed, nodes[output], f"{where}: the seed of node {output}")
    if len(sweep.step_of) != len(sweep.steps):
        raise GraphError(f"{where} has two steps at one node.")
    for step in sweep.steps:
        node = nodes[step.node]
        _check_shape(step.incoming, node, f"{where}: the incoming gradient of node {node.id}")
        if len(step.outgoing) not in (0, len(node.inputs)):
            raise GraphError(
                f"{where}: node {node.id} has {len(node.inputs)} inputs and {len(step.outgoing)} outgoing gradients."
            )
        for source, gradient in zip(node.inputs, step.outgoing, strict=False):
            _check_shape(gradient, nodes[source], f"{where}: the gradient from node {node.id} to node {source}")
    for entry in sweep.accumulated:
        _check_shape(entry.before, nodes[entry.node], f"{where}: .grad of node {entry.node}")
        _check_shape(entry.after, nodes[entry.node], f"{where}: .grad of node {entry.node}")
