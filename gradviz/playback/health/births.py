"""Where a NaN or an infinity is born, in a value or in a gradient, and from which two numbers.

It is born where the result has one and nothing that went in has: 0 / 0, log(-1), or in the backward pass 0 × inf, an
incoming 0 times an infinite local slope. NaN may be born of infinities. The element is found where the op has a rule
here and its arrays were kept; of a summary only its counts are known. Knows no Qt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from gradviz.errors import Unanswered
from gradviz.graph.answer import answering
from gradviz.graph.node import NodeFunction
from gradviz.ops.table import TABLE
from gradviz.playback import flow
from gradviz.playback.formula.jacobian import can_broadcast, is_elementwise, kind_of
from gradviz.playback.measures import Measures
from gradviz.playback.names import input_names, output_name
from gradviz.playback.product.jacobian import jacobian_of
from gradviz.playback.rules import Rules, rule_of
from gradviz.playback.track import Track
from gradviz.playback.words import label, number_text
from gradviz.recording import CONSTANT, LEAF, OUTPUT, Array, Known, Node, Recording, Step, Summary
from gradviz.trace.births import (
    CARRIED,
    GRAD,
    INCOMING,
    INF,
    KINDS,
    NAN,
    OUTGOING,
    VALUE,
    any_of,
    in_grad,
    in_outgoing,
    in_sum,
    in_value,
    is_filled,
    masks,
)

if TYPE_CHECKING:
    from gradviz.ops.op import Op

Numbers = np.ndarray[Any, np.dtype[Any]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

COMES_IN, SLOPE = "incoming", "local slope"
"""The operands of a gradient."""

_MOST_ENTRIES = 2_000_000
"""Of a Jacobian that is looked through for the term; one of an elementwise op is never built."""
_SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "/", "pow": "**", "true_divide": "/"}


class Operand(NamedTuple):
    """One of the numbers that it was born of: an input by its name, or `COMES_IN` and `SLOPE`."""

    name: str
    number: float


@dataclass(frozen=True)
class Birth:
    """A NaN or an infinity that is born.

    Attributes:
        kind: `NAN` or `INF`.
        position: of the track, at which it is.
        node: id of the node.
        part: `VALUE`, `INCOMING`, `OUTGOING` or `GRAD`.
        slot: the input it goes out to; None of another part.
        index: of the first element, in the array of `part`; of an elementwise op in that of the result. None where it
            is not known.
        count: elements that have it.
        operands: the numbers at that element, where they are known.
        how: them as an expression: "0 × inf", "log(-1)"; or in words; "" where nothing is known.
        enters: whether it comes into the gradient from a value that has it, and was born there.
        before: of a leaf that has it from the start, the backward call before it that went through that leaf, as an
            index of the recording's sweeps; None where there is none.
        is_handed_on: whether it came with that call, whose numbers at the leaf have it already.
    """

    kind: str
    position: int
    node: int
    part: str
    slot: int | None = None
    index: tuple[int, ...] | None = None
    count: int = 1
    operands: tuple[Operand, ...] = ()
    how: str = ""
    enters: bool = False
    before: int | None = None
    is_handed_on: bool = False


def births(track: Track, cancelled: Callable[[], bool] = lambda: False) -> tuple[Birth, ...]:
    """All that are born in the two passes of a track, in their order; of each node the first of each kind and part.

    What comes into the gradient from a value is left out, since it was born there; so is what a leaf has from an
    earlier backward call. Measures all numbers of the track.
    """
    measures = track.measures
    measures.cover(np.arange(track.length + 1), cancelled)
    found: list[Birth] = []
    for position in np.flatnonzero(measures.has_nan | measures.has_inf).tolist():
        if cancelled():
            break
        found += [birth for birth in births_at(track, position) if not birth.enters and not birth.is_handed_on]
    return tuple(found)


def births_at(track: Track, position: int, rules: Rules | None = None) -> tuple[Birth, ...]:
    """Those that are born at one position, NaN before infinity."""
    if not 0 < position <= track.length:
        return ()
    track.measures.cover(np.array([position]))
    flags = {NAN: track.measures.has_nan, INF: track.measures.has_inf}
    present = [kind for kind in KINDS if flags[kind][position]]
    node = track.node_at(position)
    if not present or node is None:
        return ()
    known = _KNOWN.setdefault(track.measures, {})
    if rules is not None or position not in known:
        found = tuple(_found_at(track, position, node, TABLE if rules is None else rules, present))
        if rules is not None:
            return found
        known[position] = found
    return known[position]


_KNOWN: WeakKeyDictionary[Measures, dict[int, tuple[Birth, ...]]] = WeakKeyDictionary()
"""By the measures of a track what is born at each position, by the table's own rules."""


def _found_at(track: Track, position: int, node: int, rules: Rules, kinds: Sequence[str]) -> Iterator[Birth]:
    op, step = rule_of(track.recording.nodes[node], rules), track.step_at(position)
    for kind in kinds:
        if step is not None:
            yield from _in_gradient(track, position, step, op, kind)
        elif (birth := _in_value(track, position, node, op, kind)) is not None:
            yield birth


def has(known: Known, kind: str) -> bool:
    """Whether one of a kind is among some numbers."""
    if known is None:
        return False
    if isinstance(known, Summary):
        return bool(known.nan if kind == NAN else known.inf)
    return bool(mask(known, kind).any())


def mask(array: Array, kind: str) -> Mask:
    """Where those of a kind are."""
    if array.dtype.kind not in "fc":
        return np.zeros(array.shape, dtype=np.bool_)
    found: Mask = np.asarray(np.isnan(array) if kind == NAN else np.isinf(array))
    return found


class _Eye:
    """Looks at numpy's arrays and at summaries."""

    has = staticmethod(has)

    @staticmethod
    def mask(known: Known, kind: str) -> Mask | None:
        return None if known is None or isinstance(known, Summary) else mask(known, kind)

    @staticmethod
    def fits(known: Known, shape: Sequence[int]) -> bool:
        return known is not None and not isinstance(known, Summary) and can_broadcast(known.shape, tuple(shape))


_EYE = _Eye()


def _any_of(known: Known, kinds: Sequence[str]) -> bool:
    return any_of(_EYE, known, kinds)


def _masks(array: Array, kinds: Sequence[str]) -> Mask:
    found: Mask = masks(_EYE, array, kinds)
    return found


def _first(places: Mask) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(places)), places.shape)) if places.ndim else ()


# ---- in a value -----------------------------------------------------------------------------------------------------


def _in_value(track: Track, position: int, number: int, op: Op | None, kind: str) -> Birth | None:
    recording = track.recording
    node, y = recording.nodes[number], recording.value(number)
    if node.op == OUTPUT or not has(y, kind):
        return None
    inputs = [recording.value(source) for source in node.inputs]
    born = in_value(
        _EYE, kind, y, inputs, shape=node.shape, is_elementwise=is_elementwise(node.op),
        is_written=node.op == CONSTANT or is_filled(node.params),
    )  # fmt: skip
    if born is None:
        return None
    index = None if born.places is None else _first(born.places)
    count = _count(y, kind) if born.places is None else int(born.places.sum())
    operands, how = ((), "") if index is None else _made_of(track, node, op, inputs, index, kind)
    birth = Birth(kind, position, number, VALUE, None, index, count, operands, how)
    return _with_earlier(track, node, birth) if node.op == LEAF else birth


def _with_earlier(track: Track, node: Node, birth: Birth) -> Birth:
    """What a leaf has from the start, with the call that it comes from: an update may have written it since."""
    recording = track.recording
    for call in range((track.sweep or 0) - 1, -1, -1):
        found = leaf_in(recording, call, node)
        if found is not None:
            return replace(birth, before=call, is_handed_on=_has_at(recording, call, found))
    return birth


def leaf_in(recording: Recording, call: int, node: Node) -> int | None:
    """The node that a leaf had in another backward call; None where that did not reach it."""
    sweep = recording.sweeps[call]
    if node.id in sweep.step_of:
        return node.id
    if node.name is None:
        return None
    nodes = recording.nodes
    steps = (step.node for step in reversed(sweep.steps))
    return next((each for each in steps if nodes[each].op == LEAF and nodes[each].name == node.name), None)


def _has_at(recording: Recording, call: int, leaf: int) -> bool:
    """Whether the value of a leaf, what came to it in a call, or its `.grad` after that has NaN or infinity."""
    sweep = recording.sweeps[call]
    entry = sweep.accumulation_of.get(leaf)
    came = sweep.incoming(sweep.steps[sweep.step_of[leaf]])
    known = (recording.value(leaf), came, None if entry is None else sweep.after(entry))
    return any(_any_of(each, KINDS) for each in known)


def origin_of_leaf(recording: Recording, birth: Birth) -> int | None:
    """The first of the backward calls in a row that have what a leaf has from the start; None where none has it."""
    node, origin = recording.nodes[birth.node], birth.before if birth.is_handed_on else None
    for call in range(-1 if origin is None else origin - 1, -1, -1):
        found = leaf_in(recording, call, node)
        if found is not None and not _has_at(recording, call, found):
            break
        origin = origin if found is None else call
    return origin


def _count(known: Known, kind: str) -> int:
    """How many a summary says that there are; at least the one that is known of."""
    return max(1, int((known.nan if kind == NAN else known.inf) or 0)) if isinstance(known, Summary) else 1


def _made_of(
    track: Track, node: Node, op: Op | None, inputs: Sequence[Known], index: tuple[int, ...], kind: str
) -> tuple[tuple[Operand, ...], str]:
    """The numbers that an element of a value was computed from, and the expression they make."""
    if node.is_leaf:
        return (), ""
    arrays = [x for x in inputs if x is not None and not isinstance(x, Summary)]
    if len(arrays) < len(inputs):
        return (), ""
    names = input_names(track.recording, node)
    if is_elementwise(node.op) and all(_EYE.fits(x, node.shape) for x in inputs):
        at = [_at(x, index, node.shape) for x in arrays]
        return tuple(map(Operand, names, at)), _expression(node, at) + _overflows(node, op, at, kind)
    matrices = _Matrices.of(node, arrays)
    if matrices is not None:
        first = TABLE.left_factor_of(node.op)
        assert first is not None
        factors = matrices.of_result(index, arrays[first].ndim, arrays[first + 1].ndim)
        return _of_products(factors, names[first:], kind)
    return (), _in_words(node, arrays, index, kind)


def _at(x: Array, index: tuple[int, ...], shape: tuple[int, ...]) -> float:
    """The number of a broadcast array at an element of the result."""
    return float(np.broadcast_to(np.asarray(x), shape)[index])


def _number(array: Array, index: tuple[int, ...]) -> float:
    return float(np.asarray(array)[index])


def _expression(node: Node, numbers: Sequence[float]) -> str:
    name = node.op.rstrip("_")
    texts = [number_text(number) for number in numbers]
    if len(texts) == 1 and isinstance(node.params.get("exponent"), int | float):
        texts.append(number_text(node.params["exponent"]))
    if name in _SIGNS and len(texts) == 2:
        return f" {_SIGNS[name]} ".join(
            f"({text})" if text.startswith("-") and name == "pow" else text for text in texts
        )
    if name == "reciprocal":
        return f"1 / {texts[0]}"
    return f"{name}({', '.join(texts)})"


def _overflows(node: Node, op: Op | None, numbers: Sequence[float], kind: str) -> str:
    """ ", too large for float32", where float64 has a finite result."""
    if op is None or kind != INF or node.dtype == "float64":
        return ""
    try:
        with answering("no number"):
            wide = float(NodeFunction(node, op).forward([np.float64(number) for number in numbers]))
    except Unanswered:
        return ""
    return f" = {number_text(wide)}, too large for {node.dtype}" if math.isfinite(wide) else ""


@dataclass(frozen=True, eq=False)
class _Matrices:
    """The two factors of a product of matrices, as batches of equal shape but for the last two axes."""

    left: Numbers
    right: Numbers
    own: tuple[tuple[int, ...], tuple[int, ...]]

    @staticmethod
    def of(node: Node, arrays: Sequence[Array]) -> _Matrices | None:
        """Of a node; None where it is no such product."""
        first = TABLE.left_factor_of(node.op)
        if first is None or len(arrays) < first + 2:
            return None
        left, right = np.asarray(arrays[first]), np.asarray(arrays[first + 1])
        left = left if left.ndim > 1 else left[None, :]
        right = right if right.ndim > 1 else right[:, None]
        if node.op == "linear":
            right = np.swapaxes(right, -1, -2)
        if left.shape[-1] != right.shape[-2]:
            return None
        own = left.shape, right.shape
        try:
            batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        except ValueError:
            return None
        left = np.broadcast_to(left, (*batch, *left.shape[-2:]))
        return _Matrices(left, np.broadcast_to(right, (*batch, *right.shape[-2:])), own)

    def of_result(self, index: Sequence[int], left_axes: int, right_axes: int) -> tuple[Numbers, Numbers]:
        """The row and the column whose product is an element of the result."""
        at = list(index)
        column = at.pop() if right_axes > 1 else 0
        row = at.pop() if left_axes > 1 else 0
        return np.asarray(_one(self.left, at)[row]), np.asarray(_one(self.right, at)[:, column])

    def of_gradient(self, g: Array, index: Sequence[int], *, is_left: bool) -> tuple[Numbers, Numbers] | None:
        """Parts of what comes in and of the other factor whose product is an element of what goes out to one."""
        mine = self.left if is_left else self.right
        if mine.shape != self.own[0 if is_left else 1]:
            return None  # summed over the batch besides
        shape = (*self.left.shape[:-1], self.right.shape[-1])
        *at, row, column = index
        given = _one(np.reshape(np.asarray(g), shape), at)
        if is_left:
            return np.asarray(given[row]), np.asarray(_one(self.right, at)[column])
        return np.asarray(given[:, column]), np.asarray(_one(self.left, at)[:, row])


def _one(batch: Numbers, at: Sequence[int]) -> Numbers:
    """One matrix of a batch."""
    return np.asarray(batch[tuple(at)])


def _of_products(factors: tuple[Array, Array], names: Sequence[str], kind: str) -> tuple[tuple[Operand, ...], str]:
    """The term of a sum of products that is odd, or the two that do not add up."""
    row, column = (np.atleast_1d(np.asarray(each)) for each in factors)
    with np.errstate(all="ignore"):
        terms = row * column
        odd = mask(terms, kind)
        if odd.any():
            at = int(np.argmax(odd))
            pair = float(row[at]), float(column[at])
            text = " × ".join(map(number_text, pair))
            more = f", product {at + 1} of {len(terms)} in the sum" if len(terms) > 1 else ""
            return tuple(map(Operand, names, pair)), f"{text}{more}"
    return (), _of_sum(terms, kind)


def _of_sum(terms: Array, kind: str) -> str:
    """Why a sum of terms that are not odd themselves is."""
    if kind == NAN:
        return "inf + -inf" if np.isinf(terms).any() else ""
    return f"the sum of {terms.size:,} numbers is too large for {terms.dtype.name}"


def _in_words(node: Node, arrays: Sequence[Array], index: tuple[int, ...], kind: str) -> str:
    """How an op of whole arrays comes to it, where that is known."""
    if not arrays:
        return ""
    x, what = arrays[0], kind_of(node.op)
    dim = node.params.get("dim")
    line = _line_of(x, dim, index) if isinstance(dim, int) else x
    if what == "softmax" and kind == NAN and line.size and bool((line == -np.inf).all()):
        return f"{node.op} of {line.size:,} numbers that are all -inf: 0 / 0"
    if what == "deviation" and kind == NAN and x.size and line.size == 1:
        return "of one number, divided by n − 1 = 0: 0 / 0"
    if what == "mean" and not x.size:
        return "the mean of no numbers: 0 / 0"
    if what in ("sum", "mean", "so_far") and np.isfinite(x).all():
        return f"the sum of {line.size:,} numbers is too large for {node.dtype}"
    if what in ("sum", "mean", "so_far") and kind == NAN:
        return "inf + -inf"
    inf = any(np.isinf(each).any() for each in arrays if each.dtype.kind == "f")
    return f"{node.op} of numbers among which are infinite ones" if inf else ""


def _line_of(x: Array, dim: int, index: tuple[int, ...]) -> Array:
    """The numbers along one axis that an element of the result was computed from."""
    if not x.ndim:
        return x
    axis = dim % x.ndim
    at: list[Any] = list(index)
    if len(at) == x.ndim - 1:
        at.insert(axis, 0)
    if len(at) != x.ndim:
        return x
    at[axis] = slice(None)
    return np.asarray(np.asarray(x)[tuple(at)])


# ---- in a gradient ---------------------------------------------------------------------------------------------------


def _in_gradient(track: Track, position: int, step: Step, op: Op | None, kind: str) -> Iterator[Birth]:
    call, node = track.call, track.recording.nodes[step.node]
    assert call is not None
    incoming = call.incoming(step)
    if has(incoming, kind):
        birth = _in_incoming(track, position, node, incoming, kind)
        if birth is not None:
            yield birth
    if node.is_leaf:
        birth = _in_grad(track, position, node, incoming, kind)
        if birth is not None:
            yield birth
        return
    if node.op == OUTPUT or (incoming is None and any(_any_of(s.gradient, CARRIED[kind]) for s in _sent(track, node))):
        return
    for slot in range(len(step.outgoing)):
        sent = call.outgoing(step, slot)
        if has(sent, kind):
            birth = _in_outgoing(track, position, node, op, incoming, sent, slot, kind)
            if birth is not None:
                yield birth


def _sent(track: Track, node: Node) -> Sequence[flow.Term]:
    return flow.terms(track, track.length, node.id)


def _in_incoming(track: Track, position: int, node: Node, incoming: Known, kind: str) -> Birth | None:
    """In the sum: of terms none of which has it, or in v, or by a hook."""
    terms, call = _sent(track, node), track.call
    assert call is not None
    if not terms:
        return None
    given = [term for term in terms if term.consumer is None]
    sent = [term.gradient for term in terms if term.consumer is not None]
    born = in_sum(_EYE, kind, incoming, sent, [term.gradient for term in given])
    if born is None:
        return None
    index, count = (None, 1) if born.places is None else (_first(born.places), int(born.places.sum()))
    if any(has(term.gradient, kind) for term in given):
        return Birth(kind, position, node.id, INCOMING, None, index, count, (), "the v that backward was given has it")
    how = "a hook put it into what comes in" if node.id in call.hooked or len(terms) == 1 else ""
    operands: tuple[Operand, ...] = ()
    arrays = [term.gradient for term in terms if not isinstance(term.gradient, Summary)]
    if not how and index is not None and len(arrays) == len(terms) and all(a.shape == node.shape for a in arrays):
        numbers = [_number(array, index) for array in arrays]
        if not any(math.isinf(number) for number in numbers) and kind == NAN:
            how = "a hook put it into what comes in"
        else:
            operands = tuple(Operand(term.label, number) for term, number in zip(terms, numbers, strict=True))
            shown = [number for number in numbers if not math.isfinite(number)] or numbers
            how = " + ".join(map(number_text, shown[:2])) + ", the sum of the terms" * (kind == INF)
    return Birth(kind, position, node.id, INCOMING, None, index, count, operands, how)


def _in_grad(track: Track, position: int, node: Node, incoming: Known, kind: str) -> Birth | None:
    """In `.grad`, to which something was added: an infinity of an earlier pass, and its opposite."""
    entry = None if track.call is None else track.call.accumulation_of.get(node.id)
    if entry is None or track.call is None:
        return None
    before, after = track.call.before(entry), track.call.after(entry)
    born = in_grad(_EYE, kind, incoming, before, after)
    if born is None or isinstance(before, Summary) or before is None or isinstance(after, Summary) or after is None:
        return None
    index = _first(mask(after, kind))
    numbers = _number(before, index), _number(after, index)
    how = f"{number_text(numbers[0])}, and what came in, add up to {number_text(numbers[1])}"
    operands = (Operand(f"{label(track.recording, node.id)}.grad", numbers[0]),)
    return Birth(kind, position, node.id, GRAD, None, index, int(mask(after, kind).sum()), operands, how)


def _in_outgoing(
    track: Track, position: int, node: Node, op: Op | None, incoming: Known, sent: Known, slot: int, kind: str
) -> Birth | None:
    came = CARRIED[kind]
    if isinstance(incoming, Summary) or isinstance(sent, Summary) or incoming is None or sent is None:
        born = in_outgoing(_EYE, kind, [incoming], sent, _values(track, node))
        return None if born is None else Birth(kind, position, node.id, OUTGOING, slot, enters=born.enters)
    places = mask(sent, kind)
    plain = Birth(kind, position, node.id, OUTGOING, slot, _first(places), int(places.sum()))
    if op is not None and op.rule_of(slot) is not None:
        if is_elementwise(node.op) and _EYE.fits(sent, node.shape):
            found = _of_slope(track, node, op, incoming, sent, plain)
        else:
            found = _of_column(track, node, op, incoming, plain)
        if found is not None or _any_of(incoming, came):
            return found
    else:
        born = in_outgoing(
            _EYE, kind, [incoming], sent, _values(track, node), shape=node.shape, is_elementwise=is_elementwise(node.op)
        )
        if born is None:
            return None
        return replace(plain, index=_first(born.places), count=int(born.places.sum()), enters=born.enters)
    return _by_value(track, node, plain, None)


def _of_slope(track: Track, node: Node, op: Op, incoming: Array, sent: Array, plain: Birth) -> Birth | None:
    """Of an elementwise op: the element whose product is odd though what came in there is not."""
    kind, slot = plain.kind, plain.slot
    assert slot is not None
    source = track.recording.nodes[node.inputs[slot]]
    reached = np.broadcast_to(mask(sent, kind), node.shape) & ~_masks(incoming, CARRIED[kind])
    if not reached.any():
        return None
    slope = _slopes(track, node, op, slot)
    if slope is None:
        return None
    with np.errstate(all="ignore"):
        terms = np.asarray(incoming) * slope
    born = reached & _masks(terms, (kind,))
    if not born.any():
        if source.shape == node.shape or _any_of(incoming, CARRIED[kind]):
            return None
        how = _of_sum(terms, kind)
        return replace(plain, how=f"{how}, over the axes that were broadcast" if how else "")
    index = _first(born)
    pair = _number(incoming, index), _number(slope, index)
    return _by_value(track, node, _of_pair(replace(plain, index=index, count=int(born.sum())), pair), index)


def _slopes(track: Track, node: Node, op: Op, slot: int) -> Array | None:
    """The derivative of each element of the result in its element of an input: what the rule gives for ones."""
    try:
        function = NodeFunction(node, op)
        with answering("no slopes"):
            found = function.slopes(slot, *function.values_read(track.recording))
            return None if found is None else np.broadcast_to(np.asarray(found), node.shape)
    except Unanswered:
        return None


def _of_column(track: Track, node: Node, op: Op, incoming: Array, plain: Birth) -> Birth | None:
    """Of any other op: the term in v·J that is odd though what came in there is not."""
    kind, slot = plain.kind, plain.slot
    assert slot is not None
    assert plain.index is not None
    source = track.recording.nodes[node.inputs[slot]]
    own = _of_matrices(track, node, incoming, plain)
    if own is not None or TABLE.left_factor_of(node.op) is not None:
        return own
    try:
        jacobian = jacobian_of(track.recording, node, op, slot)
        height, width = jacobian.shape
        if height * width > _MOST_ENTRIES:
            return None
        matrix = jacobian.rows(range(height))
    except Unanswered:
        return None
    step = flow.step_of(track, node.id)
    sent = None if step is None or track.call is None else track.call.outgoing(step, slot)
    if sent is None or isinstance(sent, Summary):
        return None
    g = np.ravel(incoming).astype(np.float64)
    spoilt = _masks(g, CARRIED[kind])
    with np.errstate(all="ignore"):
        for column in np.flatnonzero(mask(sent, kind)).tolist():
            entries = matrix[:, column]
            if bool((spoilt & (entries != 0)).any()):
                continue  # it came in
            terms = np.where(entries == 0, 0.0, g * entries)
            odd = mask(terms, kind)
            index = tuple(int(i) for i in np.unravel_index(column, source.shape)) if source.shape else ()
            here = replace(plain, index=index)
            if odd.any():
                row = int(np.argmax(odd))
                pair = float(g[row]), float(entries[row])
                if math.isnan(pair[1]) and not _is_spoilt(track, node, NAN):
                    return here  # a row is the rule for a one-hot v, whose 0 × inf would be NaN anywhere
                return _by_value(track, node, _of_pair(here, pair), None)
            return _by_value(track, node, replace(here, how=_of_sum(terms, kind)), None)
    return None


def _of_matrices(track: Track, node: Node, incoming: Array, plain: Birth) -> Birth | None:
    """Of a product of matrices: an element of what goes out is a sum of products itself."""
    values = [track.recording.values[source] for source in node.inputs]
    arrays = [value for value in values if value is not None]
    matrices = _Matrices.of(node, arrays) if len(arrays) == len(values) else None
    slot, first, step = plain.slot, TABLE.left_factor_of(node.op), flow.step_of(track, node.id)
    if matrices is None or slot is None or first is None or slot not in (first, first + 1) or step is None:
        return None
    sent, is_left = np.asarray(step.outgoing[slot]), slot == first
    shape = matrices.left.shape if is_left else matrices.right.shape
    for index in map(tuple, np.argwhere(mask(sent, plain.kind)).tolist()):
        at = (index[1], index[0]) if node.op == "linear" and not is_left else index
        at = at if sent.ndim > 1 else (*at, 0) if not is_left else (0, *at)
        if len(at) != len(shape):
            return None
        factors = matrices.of_gradient(incoming, at, is_left=is_left)
        if factors is None:
            return None
        g, other = (np.atleast_1d(np.asarray(each)) for each in factors)
        if _masks(g, CARRIED[plain.kind]).any():
            continue  # it came in
        with np.errstate(all="ignore"):
            terms = g * other
        odd = mask(terms, plain.kind)
        here = replace(plain, index=index)
        if not odd.any():
            return replace(here, how=_of_sum(terms, plain.kind))
        number = int(np.argmax(odd))
        pair = float(g[number]), float(other[number])
        is_spoilt = math.isnan(pair[1]) if plain.kind == NAN else math.isinf(pair[1])
        return replace(_of_pair(here, pair), enters=is_spoilt)
    return None


def _values(track: Track, node: Node) -> list[Known]:
    """Those that the rule may use: of the inputs and of the node itself."""
    return [track.recording.value(each) for each in (*node.inputs, node.id)]


def _is_spoilt(track: Track, node: Node, kind: str) -> bool:
    """Whether a value that the rule may use has one."""
    return any(has(value, kind) for value in _values(track, node))


def _of_pair(birth: Birth, pair: tuple[float, float]) -> Birth:
    operands = (Operand(COMES_IN, pair[0]), Operand(SLOPE, pair[1]))
    return replace(birth, operands=operands, how=" × ".join(map(number_text, pair)))


def _by_value(track: Track, node: Node, birth: Birth, index: tuple[int, ...] | None) -> Birth:
    """The birth with the inputs at its element, and whether one of the values that the rule uses has it already."""
    values = track.recording.values
    names = [*input_names(track.recording, node), output_name(track.recording, node)]
    if index is None:
        slope = next((x.number for x in birth.operands if x.name == SLOPE), math.nan)
        if birth.kind == NAN and not math.isnan(slope):
            return birth
        return replace(birth, enters=_is_spoilt(track, node, birth.kind))
    given = []
    for name, source in zip(names, (*node.inputs, node.id), strict=True):
        value = values[source]
        if value is not None and can_broadcast(value.shape, node.shape):
            given.append(Operand(name, _at(value, index, node.shape)))
    slope = next((x.number for x in birth.operands if x.name == SLOPE), math.nan)
    spoilt = any(math.isnan(x.number) if birth.kind == NAN else math.isinf(x.number) for x in given)
    # 0 × inf makes it anew, whatever the values are; a slope that is NaN has it from one of them.
    enters = spoilt and (birth.kind == INF or math.isnan(slope))
    return replace(birth, operands=(*birth.operands, *given[: len(node.inputs)]), enters=enters)
