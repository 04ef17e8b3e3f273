"""Formulas as TeX."""

from __future__ import annotations

import re

import pytest

from gradviz.ops.table import TABLE
from gradviz.playback.formula.formula import Symbol, gradient_of, typeset
from gradviz.playback.formula.tex import tex
from gradviz.playback.formula.text import GRADIENT, VALUE, Piece

NAMES = {"g": Symbol(gradient_of("y"), GRADIENT), "exponent": Symbol("n", "", True)}


@pytest.mark.parametrize(
    ("pieces", "written"),
    [
        ([Piece("∂L/∂x", GRADIENT), Piece(" = "), Piece("2"), Piece(" · "), Piece("x"), Piece("n − 1", "", 1)],
         r"\frac{\partial L}{\partial x} = 2 \cdot x^{n - 1}"),
        ([Piece("Σ"), Piece("axis 0", "", -1), Piece(" "), Piece("weight_2")], r"\sum _{axis 0} \mathrm{weight\_2}"),
        ([Piece("x₁₂"), Piece("2", "", 1), Piece("k", "", 2)], r"x_{12}^{2^{k}}"),
        ([Piece(" where "), Piece("x"), Piece(" > "), Piece("0")], r"\text{ where }x > 0"),
        ([Piece("exp"), Piece("("), Piece("a.b"), Piece(")")], r"\exp (\mathrm{a.b})"),
    ],
)  # fmt: skip
def test_pieces_are_written_as_mathematics(pieces, written):
    found = tex(pieces)

    assert found == written.replace("axis 0", r"\mathrm{axis}\ 0")


@pytest.mark.parametrize("name", ["$x$", "a\\input{b}", "50%", "#1", "a&b", "{", "~^"])
def test_no_name_is_a_command(name):
    found = tex([Piece(name)])

    assert not re.search(r"(?<!\\)[$%#&]", found)
    assert "\\input" not in found


@pytest.mark.parametrize("row", TABLE.rows(), ids=lambda row: f"{row.name}{len(row.inputs)}")
def test_every_rule_has_balanced_braces_and_only_ascii(row):
    for formula in row.formula:
        found = tex(typeset(formula, NAMES | {name: Symbol(name) for name in (*row.inputs, "y")}))

        bare = re.sub(r"\\[{}]", "", found)
        assert bare.count("{") == bare.count("}")
        assert found.isascii(), found


@pytest.mark.parametrize(
    ("name", "typeset"),
    [
        ("layer.weight", r"\mathrm{layer.weight}"),
        ("m.layers.0.self_attn.in_proj_weight", r"\mathrm{m.layers.0.self\_attn.in\_proj\_weight}"),
        ("x", "x"),
    ],
)
def test_a_name_with_dots_is_one_name(name, typeset):
    assert tex([Piece(f"∂L/∂{name}", GRADIENT)]) == rf"\frac{{\partial L}}{{\partial {typeset}}}"
    assert tex([Piece(name, VALUE)]) == typeset


def test_a_space_behind_a_word_is_seen():
    assert tex([Piece("Σ"), Piece("axes 0, 1", raised=-1)]) == r"\sum _{\mathrm{axes}\ 0, 1}"
