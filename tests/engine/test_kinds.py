"""Inputs of every kind to every op: values, gradients and refusals are PyTorch's, which data/kinds.json has."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import grad
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape
from gradviz.errors import TorchError
from tests.engine.expressions import array, evaluate, leaves
from tests.engine.kinds import DIFFER, FILE, KINDS, bases, changed, cotangent, is_close, ops, shapes

Answer = dict[str, Any]

ROWS = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
CASES = {(row["expression"], kind): row["answers"][at] for row in ROWS for kind, at in row["kinds"].items()}
KNOWN = {tuple(line.split(" | ")[:2]) for line in DIFFER.read_text(encoding="utf-8").splitlines()}
BASES = bases()


def answer(expression: str, kind: str) -> Answer:
    """What the engine gives: arrays, or what it says."""
    tape, base = Tape(), BASES[expression]
    arrays, views = changed(expression, base, kind)
    try:
        with tape.recording():
            made = leaves(tape, {name: x[()] for name, x in arrays.items()})
            given = made | {name: evaluate(view, made | shapes(base)) for name, view in views.items()}
            out = evaluate(expression, given)
            taking = {name: x for name, x in given.items() if x.requires_grad}
            v = tape.tensor(cotangent(expression, out.shape, out.dtype)[()])
            gradients = grad([out], list(taking.values()), [v], allow_unused=True)
    except (TorchError, IndexError) as error:  # the second of the expression, which asks a tuple for what it has not
        return {"error": str(getattr(error, "message", error)).partition("\n")[0].strip()}
    found = {name: None if g is None else g.data for name, g in zip(taking, gradients, strict=True)}
    return {"out": out.data, "gradients": found}


def differences(expression: str, ours: Answer, theirs: Answer) -> list[str]:
    """What differs from a recorded answer, as words; nothing of what PyTorch has no answer to."""
    if "error" in ours or "error" in theirs:
        return [] if theirs.get("error", "") in (ours.get("error"), None) else [f"{ours} instead of {theirs}"]
    scale = float(np.abs(cotangent(expression, tuple(theirs["out"][1]), float)).max(initial=0))
    found = [] if is_close(expression, ours["out"], theirs["out"]) else [f"value {ours['out']!r} not {theirs['out']}"]
    for name, g in ours["gradients"].items():
        expected = theirs["gradients"][name]
        if (g is None) != (expected is None) or (g is not None and not is_close(expression, g, expected, scale)):
            found.append(f"gradient of {name} {g!r} not {expected}")
    return found


def _id(expression: str) -> str:
    return expression.replace(" ", "")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: _id(row["expression"]))
@np.errstate(all="ignore")
def test_values_gradients_and_refusals_are_those_of_pytorch(row):
    expression = row["expression"]

    found = {kind: differences(expression, answer(expression, kind), CASES[expression, kind]) for kind in row["kinds"]}

    wrong = {kind for kind, words in found.items() if words}
    assert wrong == {kind for kind in row["kinds"] if (expression, kind) in KNOWN}, found


def test_every_op_has_all_kinds_that_its_expressions_can_have():
    of_op, recorded = defaultdict(set), defaultdict(set)
    for expression, base in BASES.items():
        for op in ops(expression, base):
            of_op[op] |= {kind for kind in KINDS if changed(expression, base, kind)[0]}
            recorded[op] |= {kind for kind in KINDS if (expression, kind) in CASES}

    assert recorded == of_op
    assert len(of_op) > 0.75 * len(OPS)


def test_what_is_recorded_is_what_the_installed_pytorch_gives():
    pytest.importorskip("torch")
    from tests.data.record_kinds import answers

    asked = [case for case, recorded in CASES.items() if recorded != {"error": None}]
    for (expression, kind), live in zip(asked, answers(asked), strict=True):
        recorded = CASES[expression, kind]
        if "error" in live or "error" in recorded:
            assert live == recorded, (expression, kind)
            continue
        gradients = {name: None if x is None else array(*x) for name, x in live["gradients"].items()}
        found = differences(expression, {"out": array(*live["out"]), "gradients": gradients}, recorded)
        assert not found, (expression, kind)
