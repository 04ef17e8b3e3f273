"""What the inputs and the result of an op are called: never by a letter of the table that is a name of the script."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.ops.table import TABLE
from gradviz.playback.formula.lines import equation_of, lines
from gradviz.playback.formula.text import plain
from gradviz.playback.names import in_words_of, input_names, output_name
from gradviz.playback.rules import rule_of
from gradviz.recording import Node, Recording
from tests.recorded import run

LEAVES = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 5.0], requires_grad=True)
"""


def made(text: str, op: str) -> tuple[Recording, Node]:
    recording = run(LEAVES + text).recording
    assert recording.problem is None
    return recording, next(node for node in recording.nodes if node.op == op)


@pytest.mark.parametrize(
    ("text", "op", "out", "inputs"),
    [
        ("y = (x ** 2 * w).sum()", "mul", "out", ("in", "w")),
        ("y = (x ** 2 * w).sum()", "sum", "y", ("in",)),
        ("y = (x ** 2 * w).sum()", "pow", "out", ("x",)),
        ("y = x * w", "mul", "y", ("x", "w")),
        ("y = x * x", "mul", "y", ("in₁", "in₂")),
        ("y = x.exp() * w.sin()", "mul", "y", ("in₁", "in₂")),
        ("z = x * 2", "mul", "z", ("x", "2")),
        ("z = -2.5 * x", "mul", "z", ("x", "(−2.5)")),
        ("x = x * w", "mul", "out", ("in", "w")),
        ("out = x * w\nz = (out * x).sum()", "sum", "z", ("in",)),
        ("out = x + w\nz = (out * x).sum()", "mul", "result", ("out", "x")),
        ("n = x * 1\ny = n ** 3", "pow", "y", ("in",)),
    ],
)
def test_names_are_the_scripts_own_or_neutral(text, op, out, inputs):
    recording, node = made(text, op)

    assert output_name(recording, node) == out
    assert input_names(recording, node) == inputs


def test_the_rule_is_written_with_those_names():
    recording, node = made("y = (x ** 2 * w).sum()", "mul")
    row = rule_of(node, TABLE)
    assert row is not None

    assert equation_of(recording, node, row) == "out = in · w"
    assert [plain(line.letters) for line in lines(recording, node, row, None, ())] == [
        "∂L/∂in = ∂L/∂out ⊙ w",
        "∂L/∂w = ∂L/∂out ⊙ in",
    ]


def test_no_letter_of_the_table_is_left_where_the_script_has_another_thing_of_that_name():
    """At x² of y = sum(x² · w) the box y and a y of the rule would be two things."""
    recording = run(f"{LEAVES}a = x ** 2\nb = a * w\ny = b.sum()").recording
    for node in recording.nodes:
        row = rule_of(node, TABLE)
        if row is None:
            continue
        own = {recording.nodes[i].name for i in (*node.inputs, node.id)}
        for line in lines(recording, node, row, None, ()):
            words = {piece.text.removeprefix("∂L/∂") for piece in line.letters if piece.role}
            assert words & {"x", "w", "a", "b", "y"} <= own


@pytest.mark.parametrize(
    ("text", "names", "shown"),
    [
        ("y = a · b", {"a": "x", "b": "in", "y": "out"}, "out = x · in"),
        ("y = eˣ", {"x": "in", "y": "out"}, "out = e^in"),
        ("y = 1 / (1 + e⁻ˣ)", {"x": "h", "y": "p"}, "p = 1 / (1 + e^(−h))"),
        ("y = a where the condition holds, else b", {"a": "u", "b": "v", "condition": "mask", "y": "out"},
         "out = u where the mask holds, else v"),
        ("the window's size", {"s": "q"}, "the window's size"),
        ("y = x", {}, "y = x"),
    ],
)  # fmt: skip
def test_letters_of_a_text_are_exchanged_at_once(text, names, shown):
    assert in_words_of(text, names) == shown


def test_a_long_name_does_not_stand_in_a_formula():
    recording, node = made("y = x * w", "mul")
    nodes = tuple(
        each._replace(name="encoder.layers.0.weight") if each.name == "w" else each for each in recording.nodes
    )

    assert input_names(replace(recording, nodes=nodes), nodes[node.id]) == ("x", "in")
