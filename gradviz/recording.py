"""The recording: what one run of a script (or a loaded file) left behind, frozen.

Everything that produces (the script reader, a loaded file, a captured run) makes a `Recording`; everything
that shows (layout, playback, export, window) reads one. It does not care who made it: a node may have an op
without a rule here, or a value that is missing.

Nodes stand in evaluation order: an input always has a smaller id than its consumer, so there are no cycles
and no walk needs recursion. An edge is (consumer, slot), never (source, target): in x*x both inputs are the
same node but carry different gradients.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gradviz.errors import GraphError, shown

if TYPE_CHECKING:  # a program that only starts scripts has no need of numpy, which takes long to load
    import numpy as np

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]] | np.generic"
"""An n-dimensional array, or a numpy scalar for shape ()."""

Known: TypeAlias = "Array | Summary | None"
"""What there is to show in the place of an array: its numbers, or what is known of those that were not kept."""

LEAF = "leaf"
CONSTANT = "constant"
OUTPUT = "output"
"""One output of an op that has several: its only input is that op's node, which has no value of its own."""

BUILT_IN = "gradviz"
"""The engine of a recording that names none."""


MAX_ELEMENTS = 2**40
"""Of one array. Beyond any memory, so a shape that claims more is a mistake or a trap."""
MOST_DIMENSIONS = 64
"""Of an array, as numpy has it."""


def wrong_shape(shape: tuple[int, ...]) -> str:
    """What is wrong with a shape, as the end of a sentence; "" where nothing is."""
    if any(size < 0 for size in shape):
        return f"{shape_text(shape)}, but no size is below 0."
    # Sizes of 0 count as 1: numpy refuses (0, 10**30) too.
    if len(shape) > MOST_DIMENSIONS or prod(size or 1 for size in shape) > MAX_ELEMENTS:
        return f"{shown(shape_text(shape))[:200]} of an array larger than any memory."
    return ""


class Summary(NamedTuple):
    """What is known of a value or gradient whose numbers were not kept.

    Attributes:
        shape, dtype: of what it sums up.
        reason: why the numbers were not kept: "size", "filter", "memory", "unseen", "sparse", "file", or another
            word.
        norm, min, max: of its finite and other numbers, as PyTorch computes them; None where they are not known.
        nan, inf: how many of the numbers are NaN or infinite; None where that is not known.
        sample: a few of the numbers, evenly spread; empty where none is known.
    """

    shape: tuple[int, ...]
    dtype: str
    reason: str = "size"
    norm: float | None = None
    min: float | None = None
    max: float | None = None
    nan: int | None = None
    inf: int | None = None
    sample: tuple[float, ...] = ()


class Origin(NamedTuple):
    """What PyTorch says of a node besides; a leaf outside of modules has none.

    Attributes:
        aten: PyTorch's own name of the op, where `Node.op` is another; else "".
        backward_node: the class of its step in PyTorch's graph, e.g. "MulBackward0"; "" for a leaf.
        module: path of the module it was made in; "" outside of any.
        in_place: whether it wrote over its first input.
        outputs: how many outputs the op has, where it has several; else 0.
        file, line: where it was made, where that is not the main source: an index in `Recording.sources`, and the line
            there, from 1. `Node.line` is then None.
    """

    aten: str = ""
    backward_node: str = ""
    module: str = ""
    in_place: bool = False
    outputs: int = 0
    file: int | None = None
    line: int | None = None


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
        origin: what PyTorch says of it besides, or None.
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
    origin: Origin | None = None

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


class Read(NamedTuple):
    """What a step read in the place of a recorded value, which was changed unseen by autograd, as through `.data`.

    Attributes:
        value: the numbers that it read, of the shape of the value recorded; None where they were not kept.
        line: of the main source where they were last changed, from 1, or None where that is not known.
    """

    value: Array | None
    line: int | None = None


class Summaries(NamedTuple):
    """Of what one sweep did not keep; whatever has a summary here is None in the sweep itself.

    Attributes:
        seeds: by the index in `Sweep.outputs`.
        incoming: of dL/dy, by node id.
        outgoing: of dL/dx, by (node id, slot).
        before, after: of `.grad`, by node id.
    """

    seeds: Mapping[int, Summary] = {}
    incoming: Mapping[int, Summary] = {}
    outgoing: Mapping[tuple[int, int], Summary] = {}
    before: Mapping[int, Summary] = {}
    after: Mapping[int, Summary] = {}


NO_SUMMARIES = Summaries()


class Broken(NamedTuple):
    """The error that ended a sweep midway, in PyTorch's words; the steps before it stay. `node` is where, if known."""

    message: str
    node: int | None = None


@dataclass(frozen=True)
class Sweep:
    """One call of `backward()` or `torch.autograd.grad()`.

    Attributes:
        outputs: ids of the nodes it started from.
        seeds: the v of v·J, one per output, of that output's shape; None only where `summaries` has it.
        steps: in the order in which they ran, one per node reached.
        accumulated: the changes of `.grad`; empty for `autograd.grad`.
        line: line of the call, or None.
        number: which call of the run it was, from 1; 0 where all calls were kept and its place says it.
        since: the first node made after the call before, or None where that call was kept.
        kind: "backward", or "grad" for `torch.autograd.grad`.
        error: what ended it midway, or None.
        seconds: how long it took, or None where that was not measured.
        inside: index of the sweep in which this one ran (a checkpoint computes again, say), or None.
        file: index in `Recording.sources` of the file that `line` is of, where that is not the main source.
        hooked: nodes whose incoming gradient is not the sum of what was sent, since a hook changed it.
        summaries: of what was not kept.
        printed: how many characters the script had printed when it began, or None where that is not known.
        prints: how many when the step of a node had run, for nodes at whose step something was printed.
        read: by the node of a step and that of a value which it had saved (an input, or its own result), what it read
            where that was not the value recorded.
    """

    outputs: tuple[int, ...]
    seeds: tuple[Array | None, ...]
    steps: tuple[Step, ...]
    accumulated: tuple[Accumulation, ...] = ()
    line: int | None = None
    retain_graph: bool = False
    create_graph: bool = False
    number: int = 0
    since: int | None = None
    kind: str = "backward"
    error: Broken | None = None
    seconds: float | None = None
    inside: int | None = None
    file: int | None = None
    hooked: frozenset[int] = frozenset()
    summaries: Summaries = NO_SUMMARIES
    printed: int | None = None
    prints: Mapping[int, int] = field(default_factory=dict)
    read: Mapping[tuple[int, int], Read] = field(default_factory=dict)

    @property
    def main_line(self) -> int | None:
        """The line of the call in the main source; None where it stands in another file."""
        return self.line if self.file is None else None

    @cached_property
    def step_of(self) -> Mapping[int, int]:
        """Index in `steps` by node id."""
        return {step.node: index for index, step in enumerate(self.steps)}

    @cached_property
    def accumulation_of(self) -> Mapping[int, Accumulation]:
        """The change of `.grad` by node id."""
        return {entry.node: entry for entry in self.accumulated}

    def seed(self, at: int) -> Known:
        """The v of one of `outputs`."""
        seed = self.seeds[at]
        return self.summaries.seeds.get(at) if seed is None else seed

    def incoming(self, step: Step) -> Known:
        """What came in at a step."""
        return self.summaries.incoming.get(step.node) if step.incoming is None else step.incoming

    def outgoing(self, step: Step, slot: int) -> Known:
        """What a step sent to an input; None where it sent nothing."""
        sent = step.outgoing[slot] if slot < len(step.outgoing) else None
        return self.summaries.outgoing.get((step.node, slot)) if sent is None else sent

    def before(self, entry: Accumulation) -> Known:
        """The `.grad` before a change; None where there was none."""
        return self.summaries.before.get(entry.node) if entry.before is None else entry.before

    def after(self, entry: Accumulation) -> Known:
        """The `.grad` after a change."""
        return self.summaries.after.get(entry.node) if entry.after is None else entry.after


@dataclass(frozen=True)
class Source:
    """The text a recording was made from. `kind` is "script" or "notebook"."""

    kind: str
    name: str
    text: str


def ordinal(number: int) -> str:
    """ "1st", "2nd", "11th"."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else ending}"


def counted(number: float, noun: str, plural: str = "") -> str:
    """How many of something: "1 node", "2,000 nodes", "0 leaves", "0.5 seconds"."""
    text = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{text} {noun if number == 1 else plural or f'{noun}s'}"


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as it is read everywhere, never like a value: "2×3", "(3,)", and "scalar" for a single number."""
    return "×".join(map(str, shape)) if len(shape) > 1 else f"({shape[0]},)" if shape else "scalar"


@dataclass(frozen=True)
class Thinned:
    """That not all backward calls of a long run were kept.

    Attributes:
        calls: how many ran.
        every: besides the first and the last, every so manieth was kept; 1 where no more can be said of them.
        in_rounds: whether rounds of a loop are counted, since some have several calls.
        last: whether the last was kept, and `first`, whether the first was.
        about: whether those between are evenly spread, and not every so manieth exactly.
        limit: why no more were kept: "keep", so many were asked for; "memory" or "nodes", what they hold; or "".
        most: of calls, of megabytes or of nodes, by `limit`.
        not_finite: the number of the first call with NaN or infinity, where that is kept; or None.
    """

    calls: int
    every: int
    in_rounds: bool = False
    last: bool = True
    first: bool = True
    about: bool = False
    limit: str = ""
    most: int = 0
    not_finite: int | None = None

    def text(self, kept: int) -> str:
        """A sentence or two, given how many were kept."""
        named = {1: "the first"} if self.first else {}
        if self.last:
            named.setdefault(self.calls, "the last")
        if self.not_finite is not None:
            named.setdefault(self.not_finite, f"call {self.not_finite:,} (the first that is not finite)")
        parts = list(named.values())
        if self.every > 1 and kept > len(parts):
            way = f"{'about ' * self.about}every {ordinal(self.every)}"
            parts.append(f"those of {way} round of the loop" if self.in_rounds else way)
        which = " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)
        return f"Kept {kept:,} of {self.calls:,} backward calls{': ' * bool(which)}{which}.{self._why}"

    @property
    def _why(self) -> str:
        """What bound them, as a further sentence."""
        if self.limit == "keep":
            return f" No more than {self.most:,} were asked for."
        if self.limit == "memory":
            return f" More do not fit into {self.most:,} MB."
        return f" More have over {self.most:,} nodes." if self.limit == "nodes" else ""


class Cut(NamedTuple):
    """That numbers of some nodes went on outside of the graph, so that no gradient comes back to them that way.

    Attributes:
        sources: ids of the nodes whose numbers were taken.
        how: by what, as the script writes it: "detach()", ".data", "item()", "argmax()", "torch.no_grad()".
        line: of the source, from 1, or None.
        result: id of the constant that came of it; None where Python or numpy got the numbers, who tell nothing of
            what becomes of them.
    """

    sources: tuple[int, ...]
    how: str
    line: int | None = None
    result: int | None = None


@dataclass(frozen=True)
class Engine:
    """Who computed the numbers.

    Attributes:
        name: e.g. "PyTorch".
        version: of it, e.g. "2.13.0".
        python: version of the interpreter that ran it, or "".
        notes: what was other than in a run that is not recorded, as whole sentences.
    """

    name: str
    version: str = ""
    python: str = ""
    notes: tuple[str, ...] = ()


class Rank(NamedTuple):
    """Which process of a distributed run a recording is of: `rank` of `world`, and the training step, if known."""

    rank: int
    world: int
    step: int | None = None


@dataclass(frozen=True)
class Problem:
    """The error that ended a run; the recording holds what came before it.

    `file` names the file that `line` is of, where that is not the main source. With `ended` False the run went on:
    it is why somebody who watched it kept this part. The words are as `errors.shown` leaves them, whoever wrote them.
    """

    message: str
    hint: str = ""
    line: int | None = None
    column: int | None = None
    node: int | None = None
    file: str = ""
    ended: bool = True

    def __post_init__(self) -> None:
        for name in ("message", "hint", "file"):
            object.__setattr__(self, name, shown(getattr(self, name)))

    @property
    def main_line(self) -> int | None:
        """The line in the main source; None where it is of another file."""
        return None if self.file else self.line

    @property
    def place(self) -> str:
        """Where it happened: "line 3", "model.py, line 12", or ""."""
        where = "" if self.line is None else f"line {self.line}"
        return f"{self.file}, {where}" if self.file and where else self.file or where


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


class Framing(NamedTuple):
    """Where a graph was on the screen; in terms of a node, so that it holds in windows and layouts of other sizes.

    Attributes:
        scale: screen pixels per unit of the layout.
        node: id of the node next to the middle of what was in sight.
        x, y: from the middle of its box, or of the folded box that it is in, to the middle of what was in sight, in
            units of the layout.
    """

    scale: float
    node: int
    x: float = 0.0
    y: float = 0.0


class ChangedNumber(NamedTuple):
    """One number of a what-if, of the value of a leaf, of what came in at a node, or of what it sent to an input.

    Attributes:
        node: id.
        element: of the array, counted along the last axis first.
        sweep: None for the value; else the index of the sweep.
        slot: of the input to which it was sent; None for what came in.
        number: which it is in place of the run's own.
    """

    node: int
    element: int
    sweep: int | None
    slot: int | None
    number: float


class SavedView(NamedTuple):
    """How a recording was looked at when it was saved.

    Attributes:
        sweep: index of the chosen sweep, or None for the first.
        position: in its track, as it is stepped through: 0 before the first node, then one for each node drawn and one
            for each step; None for where backward begins.
        by_hand: how many sweeps at the end are of a v set by hand; each has one output and its v.
        breakpoints: conditions at which playing stops, as texts, and whether each counts.
        folded: keys of the folded groups; None where nobody has folded or opened one.
        focus: key of the group that alone was shown, or None.
        plumbing: whether views, transposes and copies had boxes of their own; None where nobody has chosen.
        framing: where the graph was on the screen; None where all of it was in sight.
        text: the script as it was being edited, where that is another than the one that ran; else None.
        what_if: the numbers that were other than in the run, the last change last.
    """

    sweep: int | None = None
    position: int | None = None
    by_hand: int = 0
    breakpoints: tuple[tuple[str, bool], ...] = ()
    folded: tuple[tuple[str, ...], ...] | None = None
    focus: tuple[str, ...] | None = None
    plumbing: bool | None = None
    framing: Framing | None = None
    text: str | None = None
    what_if: tuple[ChangedNumber, ...] = ()


@dataclass(frozen=True)
class Recording:
    """One run, whole and unchanging. `values[i]` belongs to `nodes[i]`; None where it is not known or was not kept.

    Attributes:
        gradients: the final `.grad` by variable name, None for a leaf that has none.
        output: what the script printed.
        problem: why the run ended early, or None.
        warnings: in the order in which they were given.
        thinned: that not all backward calls were kept, or None.
        engine: who computed the numbers; None for the engine of gradviz.
        sources: files besides the main source that nodes come from.
        summaries: of values that were not kept, by node id.
        gradient_summaries: of final gradients that were not kept, by variable name.
        rank: which process of several it is of, or None.
        faults: what went wrong in the recorder itself, as texts; the run was not disturbed.
        cuts: where the graph was cut, as far as the recorder saw it.
        view: how it was looked at when it was saved; None for what a run has just left.
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
    engine: Engine | None = None
    sources: tuple[Source, ...] = ()
    summaries: Mapping[int, Summary] = field(default_factory=dict)
    gradient_summaries: Mapping[str, Summary] = field(default_factory=dict)
    rank: Rank | None = None
    faults: tuple[str, ...] = ()
    cuts: tuple[Cut, ...] = ()
    view: SavedView | None = None

    @property
    def engine_name(self) -> str:
        """Who computed the numbers, with the version where it is known: "PyTorch 2.13.0"."""
        return BUILT_IN if self.engine is None else f"{self.engine.name} {self.engine.version}".rstrip()

    @property
    def failure(self) -> Problem | None:
        """The error that ended the run; None where none did."""
        return self.problem if self.problem is not None and self.problem.ended else None

    @property
    def kept(self) -> str:
        """What was kept of the backward calls, as a sentence; "" where all were."""
        return "" if self.thinned is None else self.thinned.text(sum(sweep.number > 0 for sweep in self.sweeps))

    def value(self, node: int) -> Known:
        """What there is to show of a node's value."""
        value = self.values[node]
        return self.summaries.get(node) if value is None else value

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

    def value_read(self, call: Sweep | None, node: int, source: int) -> Array | None:
        """The value of `source` as the step of `node` in a call read it: as recorded, unless it was changed unseen."""
        read = None if call is None else call.read.get((node, source))
        return self.values[source] if read is None else read.value


def check(recording: Recording) -> Recording:
    """Return the recording if it keeps the rules of this module.

    Every importer calls this.

    Raises:
        GraphError: an id out of place, an input that comes later (a cycle), a value or gradient of a wrong
            shape, a step at a node that does not exist, numbers that are kept and summed up both.
    """
    nodes = recording.nodes
    if len(recording.values) != len(nodes):
        raise GraphError(f"{len(nodes)} nodes have {len(recording.values)} values.")
    for shape in {node.shape for node in nodes}:
        if wrong := wrong_shape(shape):
            raise GraphError(f"a node has the shape {wrong}")
    for position, (node, value) in enumerate(zip(nodes, recording.values, strict=True)):
        _check_node(recording, node, position, value)
    _check_summaries(recording)
    failed = None if recording.problem is None else recording.problem.node
    if failed is not None and not 0 <= failed < len(nodes):
        raise GraphError(f"the error is at node {failed}, but there are {len(nodes)} nodes.")
    for cut in recording.cuts:
        _check_cut(cut, len(nodes))
    for number, sweep in enumerate(recording.sweeps, 1):
        _check_sweep(recording, sweep, f"backward {number}")
    return recording


def _check_cut(cut: Cut, count: int) -> None:
    named = [*cut.sources, *([] if cut.result is None else [cut.result])]
    if not all(0 <= node < count for node in named):
        raise GraphError(f"a cut by {cut.how} names a node that is not there: there are {count}.")


def _check_node(recording: Recording, node: Node, position: int, value: Array | None) -> None:
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
    _check_shape(value, node.shape, f"the value of node {node.id} ({node.op})")
    origin = node.origin
    if origin is None:
        return
    if origin.outputs and (value is not None or node.shape or node.id in recording.summaries):
        raise GraphError(f"node {node.id} ({node.op}) has {origin.outputs} outputs, so it has no value of its own.")
    if origin.file is not None and not 0 <= origin.file < len(recording.sources):
        raise GraphError(f"node {node.id} is of file {origin.file}, but there are {len(recording.sources)} more files.")


def _check_shape(array: Array | None, shape: tuple[int, ...], what: str) -> None:
    if array is not None and array.shape != shape:
        raise GraphError(f"{what} has shape {shape_text(array.shape)}, but the node has shape {shape_text(shape)}.")


def _check_summary(summary: Summary | None, array: Array | None, shape: tuple[int, ...], what: str) -> None:
    if summary is None:
        return
    if array is not None:
        raise GraphError(f"{what} is kept, but has a summary too.")
    if summary.shape != shape:
        raise GraphError(
            f"the summary of {what} has shape {shape_text(summary.shape)}, but the node has shape {shape_text(shape)}."
        )


def _check_summaries(recording: Recording) -> None:
    nodes = recording.nodes
    for node, summary in recording.summaries.items():
        if not 0 <= node < len(nodes):
            raise GraphError(f"there is a summary of node {node}, but there are {len(nodes)} nodes.")
        _check_summary(summary, recording.values[node], nodes[node].shape, f"the value of node {node}")
    for name in recording.gradient_summaries:
        if recording.gradients.get(name, 0) is not None:
            raise GraphError(f"the gradient of {name} is not null, but has a summary.")


def sent_shape(nodes: Sequence[Node], node: Node, slot: int) -> tuple[int, ...]:
    """The shape of the gradient that a node sends to an input.

    It is that input's shape, but for one output of an op that has several: such an op has no value, and the output
    sends on what came in.
    """
    source = nodes[node.inputs[slot]]
    is_one_of_several = node.op == OUTPUT and source.origin is not None and source.origin.outputs > 0
    return node.shape if is_one_of_several else source.shape


def _check_sweep(recording: Recording, sweep: Sweep, where: str) -> None:
    nodes = recording.nodes
    named = [*sweep.outputs, *(s.node for s in sweep.steps), *(a.node for a in sweep.accumulated)]
    named += [] if sweep.error is None or sweep.error.node is None else [sweep.error.node]
    for node_id in named:
        if not 0 <= node_id < len(nodes):
            raise GraphError(f"{where} names node {node_id}, but there are {len(nodes)} nodes.")
    if sweep.inside is not None and not 0 <= sweep.inside < len(recording.sweeps):
        raise GraphError(f"{where} ran inside of sweep {sweep.inside}, but there are {len(recording.sweeps)}.")
    if sweep.file is not None and not 0 <= sweep.file < len(recording.sources):
        raise GraphError(f"{where} is of file {sweep.file}, but there are {len(recording.sources)} more files.")
    if len(sweep.step_of) != len(sweep.steps):
        raise GraphError(f"{where} has two steps at one node.")
    _check_seeds(nodes, sweep, where)
    kept = sweep.summaries
    for step in sweep.steps:
        node = nodes[step.node]
        _check_shape(step.incoming, node.shape, f"{where}: the incoming gradient of node {node.id}")
        if len(step.outgoing) not in (0, len(node.inputs)):
            raise GraphError(
                f"{where}: node {node.id} has {len(node.inputs)} inputs and {len(step.outgoing)} outgoing gradients."
            )
        for slot, gradient in enumerate(step.outgoing):
            if gradient is not None and gradient.shape != nodes[node.inputs[slot]].shape:
                what = f"{where}: the gradient from node {node.id} to node {node.inputs[slot]}"
                _check_shape(gradient, sent_shape(nodes, node, slot), what)
    for entry in sweep.accumulated:
        shape, what = nodes[entry.node].shape, f"{where}: .grad of node {entry.node}"
        for array, summaries in ((entry.before, kept.before), (entry.after, kept.after)):
            _check_shape(array, shape, what)
            _check_summary(summaries.get(entry.node), array, shape, what)
    _check_kept(nodes, sweep, where)


def _check_seeds(nodes: Sequence[Node], sweep: Sweep, where: str) -> None:
    if len(sweep.seeds) != len(sweep.outputs):
        raise GraphError(f"{where} has {len(sweep.outputs)} outputs and {len(sweep.seeds)} seeds.")
    for at, (output, seed) in enumerate(zip(sweep.outputs, sweep.seeds, strict=True)):
        what, summary = f"{where}: the seed of node {output}", sweep.summaries.seeds.get(at)
        if seed is None and summary is None:
            raise GraphError(f"{what} is neither kept nor summed up.")
        _check_shape(seed, nodes[output].shape, what)
        _check_summary(summary, seed, nodes[output].shape, what)


def _check_kept(nodes: Sequence[Node], sweep: Sweep, where: str) -> None:
    """What is summed up, and what a hook changed, belongs to a step or a change of `.grad` that is there."""
    kept, steps = sweep.summaries, sweep.step_of
    at_steps = {*kept.incoming, *(node for node, _ in kept.outgoing), *sweep.hooked, *sweep.prints}
    at_steps.update(node for node, _ in sweep.read)
    lost = at_steps - steps.keys() or (kept.before.keys() | kept.after.keys()) - sweep.accumulation_of.keys()
    if lost or not set(kept.seeds) <= set(range(len(sweep.outputs))):
        raise GraphError(f"{where} sums up what it does not have{f', at node {min(lost)}' if lost else ''}.")
    for id, summary in kept.incoming.items():
        what = f"{where}: the incoming gradient of node {id}"
        _check_summary(summary, sweep.steps[steps[id]].incoming, nodes[id].shape, what)
    for (id, slot), summary in kept.outgoing.items():
        outgoing = sweep.steps[steps[id]].outgoing
        if not 0 <= slot < len(outgoing):
            raise GraphError(f"{where} sums up what node {id} sends to input {slot}, which it does not have.")
        what = f"{where}: the gradient from node {id} to node {nodes[id].inputs[slot]}"
        _check_summary(summary, outgoing[slot], sent_shape(nodes, nodes[id], slot), what)
    for (id, source), read in sweep.read.items():
        if source not in (id, *nodes[id].inputs):
            raise GraphError(f"{where}: node {id} read node {source}, which is neither its input nor its result.")
        _check_shape(read.value, nodes[source].shape, f"{where}: what node {id} read of node {source}")
