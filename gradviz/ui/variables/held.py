"""What the variables of a script hold at one position of one backward call. Knows no Qt.

A row of the table is an assignment in the text; the nodes that it made are found by name and line. What a recording
does not tell is left open: a `.grad` that was set to None somewhere between two calls is not said to have stayed.
"""

from __future__ import annotations

import ast
import re
import weakref
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradviz.playback.health.cuts import no_gradient_text
from gradviz.playback.track import Track
from gradviz.recording import LEAF, Array, Known, Recording
from gradviz.source.leaves import LeafSpec
from gradviz.trace.syntax import tree_of

_LONG = 20_000
"""Characters of a script that is not parsed for this: it would take longer than a step may."""

_GIVEN = re.compile(r"\.backward\(\s*(?:gradient\s*=\s*)?([^\W\d]\w*)\s*[,)]")


class Held(NamedTuple):
    """What a variable holds.

    Attributes:
        value: its numbers, or None where only the text tells them.
        gradient: its `.grad`, or None where there is none.
        is_made: whether the script has come to the assignment.
        given_at: the line of the backward call that was given it as v, or None.
        no_gradient: why none comes to it in this call, once backward has begun; else "".
    """

    value: Known = None
    gradient: Known = None
    is_made: bool = True
    given_at: int | None = None
    no_gradient: str = ""


UNKNOWN = Held()


class _Row(NamedTuple):
    """The nodes of one row, and what its `.grad` does in the call that is shown.

    Attributes:
        nodes: the nodes in the picture, as (position from which it is computed, id).
        before, after: `.grad` before and after `changes_at`.
        is_later: whether it is known that the script comes to it after the call.
        no_gradient: why none comes to it in the call, or "".
    """

    nodes: tuple[tuple[int, int], ...] = ()
    before: Known = None
    after: Known = None
    changes_at: int = 0
    is_later: bool = False
    given: Array | None = None
    given_at: int | None = None
    no_gradient: str = ""


class Holdings:
    """What each row holds, at every position of a track.

    Attributes:
        leaves: the rows.

    Args:
        track: one backward call of a recording.
    """

    def __init__(self, track: Track, leaves: Sequence[LeafSpec]) -> None:
        self.leaves = leaves
        self._track = track
        found = nodes_of(track.recording, leaves)
        end = _end_of_call(track)
        given = _given(track)
        last = {leaf.name: leaf for leaf in leaves}
        final = [track.recording.gradients.get(leaf.name) if last[leaf.name] is leaf else None for leaf in leaves]
        rows = zip(leaves, found, final, strict=True)
        self._rows = [self._row(leaf, nodes, end, given.get(leaf.name), left) for leaf, nodes, left in rows]

    def at(self, position: int) -> tuple[Held, ...]:
        """What each row holds when so many steps are done."""
        return tuple([self._held(row, position) for row in self._rows])

    def _held(self, row: _Row, position: int) -> Held:
        gradient = row.after if position >= row.changes_at else row.before
        why = row.no_gradient if position > self._track.turn and gradient is None else ""
        if row.given is not None and (row.is_later or not row.nodes):
            return Held(row.given, gradient, True, row.given_at)
        if not row.nodes:
            return Held(None, gradient, not row.is_later, None, why)
        made = [node for start, node in row.nodes if start <= position]
        value = self._track.recording.value(made[-1] if made else row.nodes[0][1])
        return Held(value, gradient, bool(made), None, why)

    def _row(
        self, leaf: LeafSpec, nodes: Sequence[int], end: int | None, given: tuple[Array, int] | None, left: Array | None
    ) -> _Row:
        track = self._track
        here = tuple((track.index_of[node] + 1, node) for node in nodes if node in track.index_of)
        is_later = not here and end is not None and leaf.line > end
        seed, line = (None, None) if given is None else given
        why = no_gradient_text(track, nodes[-1]) if nodes and leaf.requires_grad else ""
        return _Row(here, *self._gradient(nodes, left), is_later, seed, line, why)

    def _gradient(self, nodes: Sequence[int], left: Array | None) -> tuple[Known, Known, int]:
        """`.grad` before and after a position; `left` is what the variable has when the script ends."""
        track, call = self._track, self._track.call
        if call is None or track.sweep is None:
            return left, left, 0
        for node in nodes:
            entry = call.accumulation_of.get(node)
            if entry is not None:
                at = track.turn + 1 + call.step_of.get(node, len(track.steps) - 1)
                return call.before(entry), call.after(entry), at
        kept = _kept(track.recording, nodes, track.sweep, left)
        return kept, kept, 0


def recorded_leaves(track: Track, written: Sequence[LeafSpec]) -> tuple[LeafSpec, ...]:
    """The leaves that no assignment in the text made, in the order of their use: parameters, weights in lists.

    Beside variables that can be edited parameters stand only for a run of PyTorch, `p["w"]` and `ws[0]` for any.
    """
    names = {leaf.name for leaf in written}
    is_every = not written or track.recording.engine is not None
    nodes = [track.recording.nodes[node] for node in track.forward]
    own = {
        node.name: node for node in nodes
        if node.op == LEAF and node.name and node.name not in names and (is_every or "[" in node.name)
    }  # fmt: skip
    return tuple(
        LeafSpec(name, 0, 0, 0, 0, "recorded", "", node.shape, node.dtype, requires_grad=True, values=None)
        for name, node in own.items()
    )


def nodes_of(recording: Recording, leaves: Sequence[LeafSpec]) -> list[list[int]]:
    """The nodes that each assignment made, in their order: one for each time, and for each change in place.

    Where a name is assigned once, its nodes are known by the name alone.
    """
    named, counts = _leaves_by_name(recording), Counter(leaf.name for leaf in leaves)
    found = []
    for leaf in leaves:
        all_of_it = named.get(leaf.name, [])
        lines = range(leaf.line, leaf.end_line + 1)
        own = [node for node in all_of_it if recording.nodes[node].line in lines]
        found.append(own if own or counts[leaf.name] > 1 else all_of_it)
    return found


_LEAVES: dict[int, dict[str, list[int]]] = {}


def _leaves_by_name(recording: Recording) -> dict[str, list[int]]:
    """The leaves and constants that have a name, found once per recording."""
    key = id(recording)
    if key not in _LEAVES:
        named = _LEAVES[key] = defaultdict(list)
        for node in recording.nodes:
            if node.name is not None and node.is_leaf:
                named[node.name].append(node.id)
        weakref.finalize(recording, _LEAVES.pop, key, None)
    return _LEAVES[key]


def _kept(recording: Recording, nodes: Sequence[int], sweep: int, left: Array | None) -> Array | None:
    """The `.grad` during a call that does not touch it: what an earlier one left, if the next one finds it so."""
    entries = [
        (number, entry) for number, call in enumerate(recording.sweeps)
        for node in nodes if (entry := call.accumulation_of.get(node)) is not None
    ]  # fmt: skip
    earlier = [entry.after for number, entry in entries if number < sweep]
    later = [entry.before for number, entry in entries if number > sweep]
    before, after = earlier[-1] if earlier else None, later[0] if later else left
    is_same = before is not None and after is not None and np.array_equal(before, after, equal_nan=True)
    return before if is_same else None


def _end_of_call(track: Track) -> int | None:
    """The last line that the script may have come to before the call that is shown; None where that is not known."""
    call, source = track.call, track.recording.source
    line = None if call is None else call.main_line
    if line is None or source is None or len(source.text) > _LONG:
        return None
    tree = tree_of(source.text)
    if tree is None:
        return None
    around = next((one for one in tree.body if one.lineno <= line <= (one.end_lineno or one.lineno)), None)
    if around is None or isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return None  # a function runs where it is called
    return around.end_lineno


def _given(track: Track) -> dict[str, tuple[Array, int]]:
    """The v of the call by the variable it was given as, where the line tells one, and the line."""
    call, source = track.call, track.recording.source
    line = None if call is None else call.main_line
    if call is None or line is None or source is None or len(call.seeds) != 1 or call.seeds[0] is None:
        return {}
    lines = source.text.splitlines()
    found = _GIVEN.search(lines[line - 1]) if line <= len(lines) else None
    return {} if found is None or found[1] in ("None", "True", "False") else {found[1]: (call.seeds[0], line)}
