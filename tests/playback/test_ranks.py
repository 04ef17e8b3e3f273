"""Ranks beside each other: whose own gradient stands out, and whose `.grad` the reduction did not make the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz.playback.ranks import compare_ranks
from gradviz.recording import Accumulation, Node, Rank, Recording, Step, Summaries, Summary, Sweep


def rank(number: int, own: Sequence[float], after: Sequence[float]) -> Recording:
    """A rank on which `own` came into the leaf w, and `after` stands in its `.grad` then."""
    came, left = np.array(own, np.float32), np.array(after, np.float32)
    nodes = (
        Node(0, "leaf", shape=came.shape, name="w", requires_grad=True),
        Node(1, "sum", (0,), name="loss", requires_grad=True),
    )
    steps = (Step(1, np.float32(1), (came,)), Step(0, came))
    sweep = Sweep((1,), (np.float32(1),), steps, (Accumulation(0, None, left),))
    return Recording(nodes, (came, np.float32(0)), (sweep,), {"w": left}, rank=Rank(number, 3))


def test_a_gradient_far_from_the_other_ranks_is_named_before_the_reduction():
    own = [[3.0, 4.0], [30.0, 40.0], [4.0, 3.0]]

    (row,) = compare_ranks([rank(number, each, [1.0, 1.0]) for number, each in enumerate(own)])

    assert row.before == (5.0, 50.0, 5.0)
    assert (row.outlier, row.ratio, row.is_reduced_alike) == (1, 10.0, True)
    assert row.sentence([0, 1, 2]) == (
        "Before the reduction rank 1 has a gradient of norm 50 at w, beside 5, 5 (backward call 1)."
    )


def test_gradients_of_different_parts_of_a_batch_are_nothing_to_be_said():
    (row,) = compare_ranks([rank(0, [1.0, 2.0], [1.5, 1.5]), rank(1, [2.0, 1.0], [1.5, 1.5])])

    assert (row.outlier, row.sentence([0, 1])) == (None, "")


def test_a_grad_that_is_not_the_same_after_the_reduction_is_named_first():
    (row,) = compare_ranks([rank(0, [1.0, 0.0], [1.0, 0.0]), rank(1, [0.0, 1.0], [0.0, 1.0])])

    assert row.is_reduced_alike is False
    assert "After the reduction w.grad is not the same on all ranks" in row.sentence([0, 1])


def test_a_rank_with_nan_is_the_one_that_stands_out():
    (row,) = compare_ranks([rank(0, [np.nan, 1.0], [1.0, 1.0]), rank(1, [1.0, 1.0], [1.0, 1.0])])

    assert row.outlier == 0


def test_norms_of_what_was_not_kept_are_those_of_its_summary():
    def summarised(recording: Recording, norm: float) -> Recording:
        summary = Summary((2,), "float32", norm=norm)
        sweep = recording.sweeps[0]
        steps = (sweep.steps[0], Step(0, None))
        kept = Summaries(incoming={0: summary}, after={0: summary})
        entry = Accumulation(0, None, None)
        made = Sweep(sweep.outputs, sweep.seeds, steps, (entry,), summaries=kept)
        return Recording(recording.nodes, recording.values, (made,), rank=recording.rank)

    (row,) = compare_ranks([summarised(rank(n, [1.0, 1.0], [1.0, 1.0]), norm) for n, norm in ((0, 2.0), (1, 8.0))])

    assert (row.before, row.outlier, row.is_reduced_alike) == ((2.0, 8.0), 1, False)


def test_one_rank_alone_has_nothing_to_be_compared_with():
    assert compare_ranks([rank(0, [1.0, 1.0], [1.0, 1.0])]) == []
