"""The ranks of a distributed run beside each other: whose gradients differ, before the reduction or after it.

What comes into the leaf is the rank's own gradient; what `.grad` holds after the call is what the reduction made of
them all. Own gradients differ, since each rank has a part of the batch for itself, but seldom by much; reduced ones are
equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low
from typing import NamedTuple

import numpy as np

from gradviz.playback.numbers import figures
from gradviz.playback.words import number_text
from gradviz.recording import Array, Recording, Summary, Sweep

OUTLYING = 3.0
"""Times the usual norm from which a rank's own gradient is named: parts of one batch seldom differ by more."""


class LeafOfRanks(NamedTuple):
    """One parameter in one backward call, over all ranks.

    Attributes:
        name: of the parameter.
        sweep: index of the call in each recording.
        nodes: id of the leaf in each rank's recording.
        before: norm of each rank's own gradient; None where it is not known or none came.
        after: norm of each rank's `.grad` after the call.
        is_reduced_alike: whether `.grad` is the same on all ranks; None where it cannot be said.
    """

    name: str
    sweep: int
    nodes: tuple[int, ...]
    before: tuple[float | None, ...]
    after: tuple[float | None, ...]
    is_reduced_alike: bool | None

    @property
    def outlier(self) -> int | None:
        """The place of the rank whose own gradient stands out from the others', or None."""
        norms = [norm for norm in self.before if norm is not None]
        if len(norms) < 2:
            return None
        far = max(range(len(self.before)), key=lambda place: _distance(self.before[place], norms))
        return far if _ratio(self.before[far], norms) >= OUTLYING else None

    @property
    def ratio(self) -> float:
        """The largest own gradient over the smallest, at least 1; infinity beside a zero or what is not finite."""
        norms = [norm for norm in self.before if norm is not None]
        return max((_ratio(norm, norms) for norm in norms), default=1.0)

    def sentence(self, ranks: Sequence[int]) -> str:
        """What is to be said of it; "" where nothing stands out."""
        said = []
        far = self.outlier
        if far is not None:
            others = ", ".join(_number(n) for place, n in enumerate(self.before) if place != far and n is not None)
            own = f"rank {ranks[far]} has a gradient of norm {_number(self.before[far])}"
            said.append(f"Before the reduction {own} at {self.name}, beside {others}")
        if self.is_reduced_alike is False:
            norms = ", ".join(f"rank {rank} {_number(norm)}" for rank, norm in zip(ranks, self.after, strict=True))
            said.append(f"After the reduction {self.name}.grad is not the same on all ranks (norms: {norms})")
        return f"{'. '.join(said)} (backward call {self.sweep + 1})." if said else ""


def compare_ranks(recordings: Sequence[Recording]) -> list[LeafOfRanks]:
    """Every parameter of every backward call that all ranks have, the ones that differ most first."""
    if len(recordings) < 2:
        return []
    rows = []
    leaves = [{node.name: node.id for node in each.nodes if node.op == "leaf" and node.name} for each in recordings]
    for number in range(min(len(each.sweeps) for each in recordings)):
        sweeps = [each.sweeps[number] for each in recordings]
        for name in leaves[0]:
            if all(name in named for named in leaves):
                nodes = tuple(named[name] for named in leaves)
                row = _row(name, number, nodes, sweeps)
                if any(norm is not None for norm in (*row.before, *row.after)):
                    rows.append(row)
    return sorted(rows, key=lambda row: (row.is_reduced_alike is not False, -row.ratio, row.sweep))


def _row(name: str, number: int, nodes: tuple[int, ...], sweeps: list[Sweep]) -> LeafOfRanks:
    before, after, arrays = [], [], []
    for node, sweep in zip(nodes, sweeps, strict=True):
        index = sweep.step_of.get(node)
        step = None if index is None else sweep.steps[index]
        before.append(None if step is None else _norm(step.incoming, sweep.summaries.incoming.get(node)))
        entry = sweep.accumulation_of.get(node)
        after.append(None if entry is None else _norm(entry.after, sweep.summaries.after.get(node)))
        arrays.append(None if entry is None else entry.after)
    return LeafOfRanks(name, number, nodes, tuple(before), tuple(after), _are_alike(arrays, after))


def _are_alike(arrays: list[Array | None], norms: list[float | None]) -> bool | None:
    first = arrays[0]
    if first is not None and all(each is not None and each.shape == first.shape for each in arrays):
        return all(np.array_equal(first, each, equal_nan=True) for each in arrays[1:] if each is not None)
    if any(norm is None for norm in norms):
        return None
    return len(set(norms)) == 1


def _norm(array: Array | None, summary: Summary | None) -> float | None:
    if array is not None:
        return figures(np.asarray(array)).norm
    return None if summary is None else summary.norm


def _ratio(norm: float | None, norms: Sequence[float]) -> float:
    """How far a norm is from the usual one, either way."""
    if norm is None:
        return 1.0
    others = list(norms)
    others.remove(norm)
    usual = median_low(others) if others else norm
    low, high = sorted((norm, usual))
    if not (np.isfinite(low) and np.isfinite(high)):
        return 1.0 if str(low) == str(high) else np.inf
    return 1.0 if high == low else (high / low if low > 0 else np.inf)


def _distance(norm: float | None, norms: Sequence[float]) -> tuple[float, float]:
    """What to compare ranks by: of two alike far from each other, the larger or the broken one is named."""
    size = -1.0 if norm is None else norm if np.isfinite(norm) else np.inf
    return _ratio(norm, norms), size


def _number(norm: float | None) -> str:
    return "none" if norm is None else number_text(norm)
