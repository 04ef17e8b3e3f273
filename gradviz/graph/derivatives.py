"""All that can be asked of one output of a recorded graph: v·J, rows of J, J·u, H·u, and differences to compare with.

Every answer but the differences comes out of the one reverse loop, by the rules that the script's own passes use.

- A row of J is v·J for a v that is 1 at one place.
- J·u is the derivative of v·J with respect to v in the direction u: v·J is linear in v, so it makes no matter at which
  v. That takes two reverse passes, the second through the graph of the first, and no rule of its own for any op.
  (J. Townsend, "A new trick for calculating Jacobian vector products", 2017.)
- H·u, of second derivatives of v·f, is the derivative of (v·J)·u with respect to x, again by a second pass through the
  graph of the first. (B. Christianson, "Automatic Hessians by reverse accumulation", IMA J. Numer. Anal. 12, 1992; that
  H itself is never needed: B. Pearlmutter, "Fast exact multiplication by the Hessian", Neural Computation 6, 1994.)
- Differences are central ones: the forward pass is run again in float64 with a leaf that is moved, for H·u the backward
  pass too.

The graph is that of a run which is still at hand, or one made of a recording. Arrays that are sent between processes
are plain lists; see `Derivatives.answer` and `AskedDerivatives`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from gradviz.engine.reach import reached_from
from gradviz.engine.saved import FREED
from gradviz.engine.sweep import Sweep as Record
from gradviz.engine.tensor import Tensor, constant, number_next
from gradviz.errors import GradvizError, Unanswered
from gradviz.graph.answer import answering
from gradviz.graph.node import STEP, described, unrounded, widened
from gradviz.graph.replay import call_of, checked_seed, entries_of, run_pass
from gradviz.ops.op import Op
from gradviz.ops.params import plain
from gradviz.recording import CONSTANT, Array, Recording, shape_text

SAME = 1e-3
"""How far the forward pass in float64 may be from what was recorded, relative to its size."""

MOST_MADE, MOST_SHOWN = 2_000, 64
"""Nodes of a second graph that are told, and elements of a value that is told with them."""


class Made(NamedTuple):
    """One node of a second graph; its id is the number of nodes of the recording plus its place.

    Attributes:
        step: the node whose step made it, by id; None for v.
        op, inputs, params, shape, dtype: as in `gradviz.recording.Node`.
        value: None where it is large.
    """

    step: int | None
    op: str
    inputs: tuple[int, ...]
    params: dict[str, Any]
    shape: tuple[int, ...]
    dtype: str
    value: Array | None


class SecondGraph(NamedTuple):
    """What a pass with create_graph makes.

    Attributes:
        nodes: in the order in which they were made; the first is v.
        sent: for each leaf the id of the node that is its gradient.
    """

    nodes: tuple[Made, ...]
    sent: dict[int, int]


class Asked(Protocol):
    """What can be asked of one output, whoever computes it; arrays have the shape and dtype of what they belong to."""

    @property
    def leaves(self) -> Sequence[int]:
        """The leaves that a gradient comes to, by node id."""

    def send_back(self, v: Array) -> Mapping[int, Array]:
        """v·J of each leaf."""

    def rows(self, leaf: int, numbers: Sequence[int]) -> Array:
        """Rows of J in one leaf, each by a pass; of shape (len(numbers), elements of the leaf)."""

    def push_forward(self, leaf: int, u: Array) -> Array:
        """J·u for a change u of one leaf."""

    def bend(self, v: Array, leaf: int, u: Array) -> Array:
        """H·u: how v·J of a leaf changes when the leaf goes in the direction u."""

    def difference(self, leaf: int, u: Array) -> Array:
        """J·u by central differences."""

    def slopes(self, v: Array, leaf: int, numbers: Sequence[int]) -> Array:
        """v·J by central differences, for some elements of a leaf."""

    def bend_difference(self, v: Array, leaf: int, u: Array) -> Array:
        """H·u by central differences of v·J."""

    def second_graph(self, v: Array) -> SecondGraph:
        """What a pass with create_graph makes."""


class Derivatives:
    """One output of a graph of entries.

    Args:
        recording: which the entries belong to.
        output: id of the node.
        entries: by node id; those of the run, or None to make them of what was recorded.

    Raises:
        GradvizError: the output takes no gradient, or a node on the way has no rule or no value.
    """

    def __init__(self, recording: Recording, output: int, entries: Mapping[int, Tensor] | None = None) -> None:
        checked_seed(recording.nodes[output], np.zeros(recording.nodes[output].shape))
        self._recording, self._output = recording, output
        made = entries_of(recording, output) if entries is None else entries
        self._y = made[output]
        self._ids = {x: i for i, x in made.items()}
        order = reached_from([self._y])
        inputs = {x for entry in order for x in entry.inputs} | {self._y}
        self._leaf_of = {i: x for i, x in sorted(made.items()) if x in inputs and x.op is None and x.tracked}
        self._order = order[::-1]
        self._start: dict[Tensor, Any] | None = None

    @property
    def leaves(self) -> tuple[int, ...]:
        """The leaves that a gradient comes to, by node id, in the order in which they were made."""
        return tuple(sorted(self._leaf_of))

    @property
    def size(self) -> int:
        """How many numbers of the recorded values one pass goes through."""
        return sum(x.array.size for x in self._order)

    # ---- by passes ----

    def send_back(self, v: Any) -> dict[int, Array]:
        """v·J of each leaf; zeros where no gradient comes.

        Raises:
            GradvizError: v has another shape, or a rule fails.
        """
        seed = checked_seed(self._recording.nodes[self._output], v)
        found = self._pass((self._y,), (seed,), self._leaf_of.values())
        return {i: np.zeros_like(x.array) if x not in found else found[x] for i, x in self._leaf_of.items()}

    def rows(self, leaf: int, numbers: Sequence[int]) -> Array:
        """Rows of J in one leaf, each by a pass of its own with a one-hot v."""
        y, x = self._y, self._leaf(leaf)
        found = np.zeros((len(numbers), x.array.size), x.array.dtype)
        for place, number in enumerate(numbers):
            v = np.zeros(y.array.shape, y.array.dtype)
            v.reshape(-1)[number] = 1
            sent = self._pass((y,), (v[()],), (x,))
            if x in sent:
                found[place] = np.ravel(sent[x])
        return found

    def push_forward(self, leaf: int, u: Any) -> Array:
        """J·u for a change u of one leaf, of the shape of the output: two reverse passes, see the module."""
        y, x = self._y, self._leaf(leaf)
        seed = _leaf_with(np.zeros_like(y.array))
        sent = self._pass((y,), (seed,), (x,), create_graph=True)
        g = sent.get(x)
        if g is None or not g.tracked:
            return np.zeros(y.array.shape, y.array.dtype)[()]
        found = self._pass((g,), (_fitting(u, x),), (seed,))
        sent_forward: Array = np.asarray(found[seed] if seed in found else np.zeros_like(y.array))[()]
        return sent_forward

    def bend(self, v: Any, leaf: int, u: Any) -> Array:
        """H·u for the second derivatives H of v·f in one leaf, of the leaf's shape."""
        y, x = self._y, self._leaf(leaf)
        seed = constant(checked_seed(self._recording.nodes[self._output], v))
        sent = self._pass((y,), (seed,), (x,), create_graph=True)
        g = sent.get(x)
        if g is None or not g.tracked:
            return np.zeros(x.array.shape, x.array.dtype)[()]
        found = self._pass((g,), (_fitting(u, x),), (x,))
        bent: Array = np.asarray(found[x] if x in found else np.zeros_like(x.array))[()]
        return bent

    def second_graph(self, v: Any) -> SecondGraph:
        """What one pass with create_graph makes: the graph that H·u goes back through, and by which step each node."""
        number = len(self._recording.nodes)
        ids, nodes = dict(self._ids), list[Made]()

        def add(x: Tensor, at: int | None, op: str, inputs: tuple[int, ...] = ()) -> None:
            ids[x] = number + len(nodes)
            params = {name: plain(each) for name, each in x.params.items()} if inputs else {}
            value = x.array if x.array.size <= MOST_SHOWN else None
            nodes.append(Made(at, op, inputs, params, x.array.shape, x.array.dtype.name, value))

        seed = _leaf_with(checked_seed(self._recording.nodes[self._output], v))
        add(seed, None, CONSTANT)

        def listen(at: Tensor | None, entry: Tensor) -> None:
            if len(nodes) >= MOST_MADE or entry.op is None:
                return
            step = None if at is None else self._ids.get(at)
            for x in entry.inputs:
                if x not in ids:
                    add(x, step, CONSTANT)
            add(entry, step, entry.op.name, tuple([ids[x] for x in entry.inputs]))

        found = self._pass((self._y,), (seed,), self._leaf_of.values(), create_graph=True, listen=listen)
        sent = {i: ids.get(found[x], -1) for i, x in self._leaf_of.items() if x in found}
        return SecondGraph(tuple(nodes), sent)

    def _pass(
        self,
        outputs: tuple[Tensor, ...],
        seeds: tuple[Any, ...],
        asked: Any,
        *,
        create_graph: bool = False,
        listen: Callable[[Tensor | None, Tensor], None] | None = None,
    ) -> dict[Tensor, Any]:
        """What comes in at the entries asked for: see `run_pass`."""
        record = Record(outputs, seeds, retain_graph=True, create_graph=create_graph)
        try:
            found = run_pass(record, asked, f"no derivative of {self._name} can be taken here", listen=listen)
        finally:
            self._put_away(outputs)
        return found

    def _put_away(self, outputs: tuple[Tensor, ...]) -> None:
        """Leave no gradient behind: what waits at a leaf that was not asked for would be added to the next pass."""
        for x in self._leaf_of.values():
            if x.incoming is not FREED:
                x.incoming = None
        for y in outputs:
            if y.op is None:
                y.incoming = None

    def _leaf(self, leaf: int) -> Tensor:
        found = self._leaf_of.get(leaf)
        if found is None:
            raise Unanswered(f"no gradient of {self._name} comes to {described(self._recording.nodes[leaf])}")
        return found

    @property
    def _name(self) -> str:
        return described(self._recording.nodes[self._output])

    # ---- by differences ----

    def difference(self, leaf: int, u: Any) -> Array:
        """(f(x + hu) − f(x − hu)) / 2h in float64, of the shape of the output.

        Raises:
            Unanswered: the forward pass cannot be run again from what was recorded.
        """
        x, move = self._leaf(leaf), np.asarray(u, np.float64)
        h = self._step(x, move)
        up, down = (self._forward({x: sign * h * move}) for sign in (1, -1))
        return _slope(up, down, h)

    def slopes(self, v: Any, leaf: int, numbers: Sequence[int]) -> Array:
        """The central difference of v·f in some elements of a leaf, in float64; flat."""
        x, weight = self._leaf(leaf), np.asarray(v, np.float64)
        found = np.zeros(len(numbers))
        for place, number in enumerate(numbers):
            move = np.zeros(x.array.shape)
            move.reshape(-1)[number] = 1
            h = self._step(x, move)
            up, down = (self._forward({x: sign * h * move[()]}) for sign in (1, -1))
            found[place] = _weighed(weight, _slope(up, down, h))
        return found

    def bend_difference(self, v: Any, leaf: int, u: Any) -> Array:
        """The central difference of v·J of a leaf in the direction u, in float64 and of the leaf's shape.

        Both gradients are those of a backward pass at the place to which the leaf was moved.
        """
        x, move = self._leaf(leaf), np.asarray(u, np.float64)
        weight, h = np.asarray(v, np.float64)[()], self._step(x, move)
        found = []
        for sign in (1, -1):
            moved = self._rebuilt({x: sign * h * move})
            sent = self._pass((moved[self._y],), (weight,), (moved[x],))
            found.append(sent.get(moved[x], np.zeros(x.array.shape)))
        return _slope(found[0], found[1], h)

    def _rebuilt(self, moves: Mapping[Tensor, Any]) -> dict[Tensor, Tensor]:
        """The graph once more, in float64 and with leaves moved: the new entry of each."""
        self._forward({})  # which says whether it can be run again
        values, made = self._computed(moves), {}
        for x in {x for entry in self._order for x in entry.inputs if x.op is None}:
            made[x] = constant(values.get(x, widened(x.array)))
            made[x].tracked = x.tracked
        for entry in self._order:
            op, call, again = _op_of(entry), call_of(entry), constant(values[entry])
            if call is not None:
                send = call.run_again([values[x] for x in entry.inputs])[1]
                op = replace(op, joint=_sending(send))
            again.tracked, again.op, again.params, again.index = True, op, unrounded(op, entry.params), number_next()
            again.inputs = tuple([made[x] for x in entry.inputs])
            made[entry] = again
        return made

    def _step(self, x: Tensor, move: Any) -> float:
        size = float(np.max(np.abs(x.array), initial=1.0))
        longest = float(np.max(np.abs(move), initial=0.0))
        return STEP * (size if np.isfinite(size) else 1.0) / (longest if longest and np.isfinite(longest) else 1.0)

    def _forward(self, moves: Mapping[Tensor, Any]) -> Any:
        """The output with leaves moved, in float64.

        Raises:
            Unanswered: an op cannot be run again, or gives something else than was recorded.
        """
        if self._start is None:
            self._start = self._computed({})
            before, again = np.asarray(self._y.array, np.float64), self._start[self._y]
            size = float(np.max(np.abs(before[np.isfinite(before)]), initial=1.0))
            if np.shape(again) != before.shape or not np.allclose(again, before, SAME, SAME * size, equal_nan=True):
                raise Unanswered(
                    f"the forward pass to {self._name} gives other numbers when it is run again, so there are no "
                    "differences to compare with"
                )
        return (self._computed(moves) if moves else self._start)[self._y]

    def _computed(self, moves: Mapping[Tensor, Any]) -> dict[Tensor, Any]:
        values: dict[Tensor, Any] = {}
        start = self._start

        def of(x: Tensor) -> Any:
            if x not in values:
                values[x] = widened(x.array) + moves[x] if x in moves else widened(x.array)
            return values[x]

        moved, at = set(moves), [self._y]
        with answering(lambda: f"{_op_of(at[0]).name} cannot be run again from what was recorded", runs_script=True):
            for entry in self._order:
                if start is not None and moved.isdisjoint(entry.inputs):
                    values[entry] = start[entry]
                    continue
                moved.add(entry)
                at[0], op = entry, _op_of(entry)
                values[entry] = op.forward(*[of(x) for x in entry.inputs], **unrounded(op, entry.params))
        of(self._y)
        return values

    # ---- between processes ----

    def answer(self, what: str, given: Mapping[str, Any]) -> Any:
        """The answer to a question that came as plain JSON, as plain JSON.

        Raises:
            GradvizError: there is no such question, or no answer.
        """
        asked = _QUESTIONS.get(what)
        if asked is None:
            raise GradvizError(f"derivatives cannot be asked for '{what}'")
        return asked(self, given)

    def _from_list(self, given: Any, like: Tensor) -> Any:
        return np.asarray(given, like.array.dtype).reshape(like.array.shape)[()]


def _of(given: Mapping[str, Any], found: Derivatives) -> tuple[Any, Any]:
    """v and u of a question, in the shapes that they belong to."""
    v = None if "v" not in given else found._from_list(given["v"], found._y)
    u = None if "u" not in given else found._from_list(given["u"], found._leaf(int(given["leaf"])))
    return v, u


_QUESTIONS: dict[str, Callable[[Derivatives, Mapping[str, Any]], Any]] = {
    "leaves": lambda d, _: list(d.leaves),
    "send_back": lambda d, q: {str(i): _flat(g) for i, g in d.send_back(_of(q, d)[0]).items()},
    "rows": lambda d, q: d.rows(int(q["leaf"]), [int(n) for n in q["numbers"]]).tolist(),
    "push_forward": lambda d, q: _flat(d.push_forward(int(q["leaf"]), _of(q, d)[1])),
    "bend": lambda d, q: _flat(d.bend(_of(q, d)[0], int(q["leaf"]), _of(q, d)[1])),
    "difference": lambda d, q: _flat(d.difference(int(q["leaf"]), _of(q, d)[1])),
    "slopes": lambda d, q: _flat(d.slopes(_of(q, d)[0], int(q["leaf"]), [int(n) for n in q["numbers"]])),
    "second_graph": lambda d, q: _packed(d.second_graph(_of(q, d)[0])),
    "bend_difference": lambda d, q: _flat(d.bend_difference(_of(q, d)[0], int(q["leaf"]), _of(q, d)[1])),
}


class AskedDerivatives:
    """The same, asked of the process in which the script has run: a custom Function's backward is there alone.

    Args:
        recording, output: see `Derivatives`.
        ask: sends a question to the run by its name and gives the answer; see `RunLike.ask`.

    Raises:
        GradvizError: the run cannot tell.
    """

    def __init__(self, recording: Recording, output: int, ask: Callable[[str, Any], Any]) -> None:
        self._recording, self._output, self._ask = recording, output, ask
        self.leaves = tuple([int(i) for i in self._asked("leaves")])

    def _asked(self, what: str, **given: Any) -> Any:
        lists = {key: _flat(each) if key in ("v", "u") else each for key, each in given.items()}
        return self._ask("derivatives", {"output": self._output, "what": what, "given": lists})

    def _shaped(self, numbers: Any, node: int, dtype: str | None = None) -> Array:
        shape, value = self._recording.nodes[node].shape, self._recording.values[node]
        kind = dtype or ("float32" if value is None else value.dtype.name)
        found: Array = np.asarray(numbers, kind).reshape(shape)[()]
        return found

    def send_back(self, v: Any) -> dict[int, Array]:
        """See `Asked`."""
        return {int(i): self._shaped(g, int(i)) for i, g in self._asked("send_back", v=v).items()}

    def rows(self, leaf: int, numbers: Sequence[int]) -> Array:
        """See `Asked`."""
        found = np.asarray(self._asked("rows", leaf=leaf, numbers=list(numbers)), np.float64)
        return found.reshape(len(numbers), -1)

    def push_forward(self, leaf: int, u: Any) -> Array:
        """See `Asked`."""
        return self._shaped(self._asked("push_forward", leaf=leaf, u=u), self._output)

    def bend(self, v: Any, leaf: int, u: Any) -> Array:
        """See `Asked`."""
        return self._shaped(self._asked("bend", v=v, leaf=leaf, u=u), leaf)

    def difference(self, leaf: int, u: Any) -> Array:
        """See `Asked`."""
        return self._shaped(self._asked("difference", leaf=leaf, u=u), self._output, "float64")

    def slopes(self, v: Any, leaf: int, numbers: Sequence[int]) -> Array:
        """See `Asked`."""
        return np.asarray(self._asked("slopes", v=v, leaf=leaf, numbers=list(numbers)), np.float64)

    def bend_difference(self, v: Any, leaf: int, u: Any) -> Array:
        """See `Asked`."""
        return self._shaped(self._asked("bend_difference", v=v, leaf=leaf, u=u), leaf, "float64")

    def second_graph(self, v: Any) -> SecondGraph:
        """See `Asked`."""
        return _unpacked(self._asked("second_graph", v=v))


def _op_of(entry: Tensor) -> Op:
    assert entry.op is not None
    return entry.op


def _sending(send: Callable[[Any], Sequence[Any]]) -> Callable[[Any, Any], Sequence[Any]]:
    """The backward of a custom Function's call at other numbers, as an entry has it."""
    return lambda _entry, g: send(g)


def _leaf_with(array: Any) -> Tensor:
    made = constant(np.asarray(array)[()])
    made.tracked = True
    return made


def _fitting(u: Any, x: Tensor) -> Any:
    """A change of a leaf, in its dtype.

    Raises:
        GradvizError: it has another shape.
    """
    found = np.asarray(u, x.array.dtype)[()]
    if found.shape != x.array.shape:
        raise GradvizError(f"u has shape {shape_text(found.shape)}, but the leaf has shape {shape_text(x.array.shape)}")
    return found


def _flat(array: Any) -> list[float]:
    found: list[float] = np.ravel(np.asarray(array)).tolist()
    return found


def _slope(up: Any, down: Any, h: float) -> Array:
    with np.errstate(all="ignore"):
        found: Array = np.asarray((up - down) / (2 * h))[()]
    return found


def _weighed(v: Any, y: Any) -> float:
    """v·y; what v is 0 for does not count, whatever it is."""
    with np.errstate(all="ignore"):
        return float(np.sum(np.where(v == 0, 0.0, v * y)))


def _packed(graph: SecondGraph) -> dict[str, Any]:
    rows = [[*each[:-1], None if each.value is None else _flat(each.value)] for each in graph.nodes]
    return {"nodes": rows, "sent": list(graph.sent.items())}


def _unpacked(given: Any) -> SecondGraph:
    nodes = []
    for step, op, inputs, params, shape, dtype, value in given["nodes"]:
        array = None if value is None else np.asarray(value, dtype).reshape(shape)[()]
        nodes.append(Made(step, op, tuple(inputs), params, tuple(shape), dtype, array))
    return SecondGraph(tuple(nodes), {int(leaf): int(node) for leaf, node in given["sent"]})
