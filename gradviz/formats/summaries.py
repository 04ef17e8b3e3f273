"""A recording made small enough for a file of text: its largest arrays become summaries.

As text a number takes some 12 bytes, and whoever reads it needs several times that. A file of the JSON format has
therefore a bound on the text of its arrays; the final gradients of leaves give way last.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple

import numpy as np
import orjson

from gradviz.formats.json_write import nodes_by_name
from gradviz.recording import Accumulation, Array, Node, Recording, Step, Summary, Sweep

MOST_TEXT = 100 * 10**6
"""Bytes of text that the arrays of a file may have together; gradviz reads that back within about 1 GB of memory."""
OF_A_FILE = "file"
"""The `Summary.reason` of what a file of text did not keep."""
SAMPLE = 8
"""Numbers of an array that its summary holds."""

_WIDEST = 26
"""Bytes of text of one number, at most: a float64, its comma, and the sign and dot that it may have."""
LEAST_TEXT = 600
"""Bytes of text up to which an array stays: its summary would be hardly shorter."""
_PROBED = 512
"""Numbers of an array whose text is measured, to estimate that of all."""


class Place(NamedTuple):
    """Where an array stands: which member of the recording, at which key, and in which sweep."""

    member: str
    key: Any
    sweep: int = -1


class Weighed(NamedTuple):
    """An array in its place.

    Attributes:
        rank: the higher, the longer it stays: 2 for the final gradients, 1 for what comes to a leaf, else 0.
        dtype: as PyTorch names it.
        text: bytes as JSON, estimated.
    """

    place: Place
    array: Array
    rank: int
    dtype: str
    text: int


class LeftOut(NamedTuple):
    """The arrays that become summaries, and how long the text would be with all of them."""

    arrays: Sequence[Weighed] = ()
    text: int = 0

    def sentences(self) -> str:
        """What is left out, and which file keeps it; "" where nothing is."""
        if not self.arrays:
            return ""
        count, numbers = len(self.arrays), sum(each.array.size for each in self.arrays)
        are = f"{count:,} arrays are summaries" if count != 1 else "one array is a summary"
        return (
            f"Whole, it would have {_bytes_text(self.text)} of text: {are} in it (norm, extremes, a sample), in place "
            f"of {numbers:,} numbers. A .gradviz file keeps them all."
        )


def left_out(recording: Recording, most: int | None = None, least: int = LEAST_TEXT) -> LeftOut:
    """The arrays that give way so that the text of the others stays within a bound.

    The largest go first; what comes to a leaf goes after all others, and the final gradients go last.

    Args:
        most: bytes of text; `MOST_TEXT` where it is None.
        least: bytes of text up to which an array stays.
    """
    most = MOST_TEXT if most is None else most
    if sum(_WIDEST * array.size + _brackets(array) for _, array, _, _ in _places(recording)) <= most:
        return LeftOut()
    weighed = [Weighed(place, array, rank, dtype, _text_of(array)) for place, array, rank, dtype in _places(recording)]
    whole = text = sum(each.text for each in weighed)
    given_up = []
    for each in sorted(weighed, key=lambda one: (one.rank, -one.text)):
        if text <= most:
            break
        if each.text > least:
            given_up.append(each)
            text -= each.text
    return LeftOut(given_up, whole)


def shortened(recording: Recording, most: int | None = None, least: int = LEAST_TEXT) -> Recording:
    """The recording with summaries in the place of what `left_out` names; itself where that is nothing."""
    given_up = left_out(recording, most, least).arrays
    if not given_up:
        return recording
    made: dict[int, Summary] = {}
    found: dict[tuple[str, int], dict[Any, Summary]] = {}
    for place, array, _, dtype, _ in given_up:
        if id(array) not in made:
            made[id(array)] = summary_of(array, dtype, OF_A_FILE)
        found.setdefault((place.member, place.sweep), {})[place.key] = made[id(array)]._replace(dtype=dtype)
    values, gradients = found.get(("values", -1), {}), found.get(("gradients", -1), {})
    return replace(
        recording,
        values=tuple(None if at in values else value for at, value in enumerate(recording.values)),
        summaries={**recording.summaries, **values},
        gradients={name: None if name in gradients else array for name, array in recording.gradients.items()},
        gradient_summaries={**recording.gradient_summaries, **gradients},
        sweeps=tuple(
            _shortened_sweep(sweep, {member: sums for (member, of), sums in found.items() if of == at})
            for at, sweep in enumerate(recording.sweeps)
        ),
    )


def _shortened_sweep(sweep: Sweep, found: Mapping[str, Mapping[Any, Summary]]) -> Sweep:
    if not found:
        return sweep
    members = ("seeds", "incoming", "outgoing", "before", "after")
    seeds, incoming, outgoing, before, after = (found.get(member, {}) for member in members)
    steps = (
        Step(
            node,
            None if node in incoming else came,
            tuple(None if (node, slot) in outgoing else sent for slot, sent in enumerate(went)),
        )
        for node, came, went in sweep.steps
    )
    accumulated = (
        Accumulation(node, None if node in before else was, None if node in after else became)
        for node, was, became in sweep.accumulated
    )
    kept = {member: {**getattr(sweep.summaries, member), **found.get(member, {})} for member in members}
    return replace(
        sweep,
        seeds=tuple(None if at in seeds else seed for at, seed in enumerate(sweep.seeds)),
        steps=tuple(steps),
        accumulated=tuple(accumulated),
        summaries=sweep.summaries._replace(**kept),
    )


def _places(recording: Recording) -> Iterator[tuple[Place, Array, int, str]]:
    """Every array that may become a summary, with its place, rank and dtype."""
    nodes = recording.nodes
    for node, value in zip(nodes, recording.values, strict=True):
        if value is not None:
            yield Place("values", node.id), value, 0, node.dtype
    named = nodes_by_name(nodes)
    for name, gradient in recording.gradients.items():
        if gradient is not None:
            yield Place("gradients", name), gradient, 2, named[name].dtype if name in named else gradient.dtype.name
    by_hand = 0 if recording.view is None else recording.view.by_hand
    for at, sweep in enumerate(recording.sweeps):
        is_by_hand = at >= len(recording.sweeps) - by_hand
        for place, array, rank, dtype in _places_of(sweep, nodes, is_by_hand):
            yield place._replace(sweep=at), array, rank, dtype


def _places_of(sweep: Sweep, nodes: Sequence[Node], is_by_hand: bool) -> Iterator[tuple[Place, Array, int, str]]:
    for at, (output, seed) in enumerate(zip(sweep.outputs, sweep.seeds, strict=True)):
        if seed is not None and not is_by_hand:  # a v set by hand is needed to be set again
            yield Place("seeds", at), seed, 0, nodes[output].dtype
    for node, came, went in sweep.steps:
        if came is not None:
            yield Place("incoming", node), came, int(nodes[node].is_leaf), nodes[node].dtype
        for slot, sent in enumerate(went):
            if sent is not None:
                yield Place("outgoing", (node, slot)), sent, 0, nodes[nodes[node].inputs[slot]].dtype
    for node, was, became in sweep.accumulated:
        for member, array in (("before", was), ("after", became)):
            if array is not None:
                yield Place(member, node), array, 1, nodes[node].dtype


def _text_of(array: Array) -> int:
    """Bytes of an array as JSON, by a part of it where it is large."""
    if array.size <= _PROBED:
        probe = np.ascontiguousarray(array).reshape(-1)
    else:
        probe = np.reshape(array, -1)[:: array.size // _PROBED]
    if not probe.size:
        return _brackets(array)
    parts = [probe.real, probe.imag] if probe.dtype.kind == "c" else [probe]
    if probe.dtype == np.float16:
        parts = [probe.astype(np.float32)]
    text = sum(len(orjson.dumps(np.ascontiguousarray(part), option=orjson.OPT_SERIALIZE_NUMPY)) for part in parts)
    return text * array.size // probe.size + _brackets(array)


def _brackets(array: Array) -> int:
    """Bytes of the lists around the numbers."""
    return 3 * sum(accumulate(array.shape[:-1], mul, initial=1))


def summary_of(array: Array, dtype: str, reason: str) -> Summary:
    """What is known of an array, as the recorder of PyTorch says it: extremes are those of the finite numbers.

    Args:
        dtype: as PyTorch names it.
        reason: why the numbers are not kept.
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    if not flat.size:
        return Summary(array.shape, dtype, reason, 0.0, None, None, 0, 0)
    sample = tuple(float(number) for number in flat[:: max(1, flat.size // SAMPLE)][:SAMPLE])
    if flat.dtype.kind != "f":
        wide = flat.astype(np.float64)
        least, most = float(wide.min()), float(wide.max())
        return Summary(array.shape, dtype, reason, _norm(wide), least, most, 0, 0, sample)
    finite = np.isfinite(flat)
    nan, numbers = int(np.isnan(flat).sum()), flat if finite.all() else flat[finite]
    low, high = (float(find(numbers)) if numbers.size else None for find in (np.min, np.max))
    norm = math.nan if nan else math.inf if numbers.size < flat.size else _norm(flat)
    return Summary(array.shape, dtype, reason, norm, low, high, nan, flat.size - numbers.size - nan, sample)


def _norm(flat: Any) -> float:
    """Of finite numbers, which may be too large to be squared."""
    largest = float(np.abs(flat).max())
    return largest and largest * float(np.linalg.norm(flat.astype(np.float64) / largest))


def _bytes_text(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 10**9 else f"{max(count / 1e6, 0.1):,.{0 if count >= 10**7 else 1}f} MB"
