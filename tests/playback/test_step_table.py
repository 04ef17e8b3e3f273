"""The steps of a backward pass as rows of words."""

from __future__ import annotations

from dataclasses import replace

from gradviz.ops.table import Table
from gradviz.playback.step_table import heading, step_rows
from gradviz.playback.track import Track
from tests.samples import weighted_sum


def test_every_step_says_what_comes_in_its_rule_and_what_goes_out():
    loss, product, square, leaf = step_rows(Track(weighted_sum(), 0))

    assert (loss.number, loss.node, loss.comes_in) == (1, "y (sum)", ("1",))
    assert loss.goes_out == ("[1, 1] to x·x·w",)
    assert product.rule == ("∂L/∂in = ∂L/∂out ⊙ w", "  [3, 5] = [1, 1] ⊙ [3, 5]")
    assert square.goes_out == ("[-3, 10] to x", "[-3, 10] to x")
    assert leaf.node == "x (leaf)"
    assert leaf.comes_in == ("[-6, 20]", "  [-3, 10] from x·x", "  [-3, 10] from x·x")
    assert leaf.goes_out == ("x.grad = [-6, 20]",)


def test_step_without_a_rule_in_the_table_is_shown_as_recorded():
    rows = list(step_rows(Track(weighted_sum(), 0), Table(())))

    assert rows[1].rule == ("not in the table of ops",)
    assert rows[1].goes_out == ("[3, 5] to x·x",)


def test_heading_names_the_call_its_line_and_its_v():
    recording = weighted_sum()

    assert heading(Track(recording, 0)) == "backward call 1, line 7: v = 1 at y"
    assert heading(Track(replace(recording, sweeps=()))) == "No backward pass."
