"""Gradients made with create_graph and their gradients are PyTorch's, of inputs and incoming gradients of all kinds.

data/kinds_twice.json.xz has PyTorch's; see tests/data/record_kinds_twice.py.
"""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import grad
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError
from tests.engine.expressions import evaluate, leaves
from tests.engine.kinds import (
    TWICE,
    TWICE_DIFFER,
    bases,
    changed,
    cotangent,
    incoming,
    is_close,
    ops_twice,
    seed,
    shapes,
)

Answer = dict[str, Any]

BASES = bases()
CASES: dict[str, dict[tuple[str, str], Answer]] = defaultdict(dict)
for (_expression, _kind, _of), _answer in json.loads(lzma.decompress(TWICE.read_bytes())):
    CASES[_expression][_kind, _of] = _answer
KNOWN = {tuple(line.split(" | ")) for line in TWICE_DIFFER.read_text(encoding="utf-8").splitlines()}


def answer(expression: str, kind: str, of: str) -> Answer:
    """What the engine gives: arrays by input, or where it stops and what it says."""
    tape, base, stage = Tape(), BASES[expression], "first"
    arrays, views = changed(expression, base, kind) if of == "inputs" else (base, {})
    try:
        with tape.recording():
            made = leaves(tape, {name: x[()] for name, x in arrays.items()})
            given = made | {name: evaluate(view, made | shapes(base)) for name, view in views.items()}
            out = evaluate(expression, given)
            v = (incoming(expression, kind, out.shape, out.dtype) if of == "incoming"
                 else cotangent(expression, out.shape, out.dtype))  # fmt: skip
            came = tape.tensor(v[()], requires_grad=True)
            taking = {name: x for name, x in given.items() if x.requires_grad}
            found = grad([out], list(taking.values()), [came], create_graph=True, allow_unused=True)
            first, stage = dict(zip(taking, found, strict=True)), "second"
            outs = {name: g for name, g in first.items() if g is not None and g.requires_grad}
            every = taking | {"v": came}
            seeds = [tape.tensor(seed(expression, name, g.shape, g.dtype)[()]) for name, g in outs.items()]
            sent = grad(list(outs.values()), list(every.values()), seeds, allow_unused=True) if outs else ()
    except (TorchError, IndexError) as error:  # the second of the expression, which asks a tuple for what it has not
        return {"error": [stage, str(getattr(error, "message", error)).partition("\n")[0].strip()]}
    return {"first": _arrays(first)} | ({"second": _arrays(dict(zip(every, sent, strict=True)))} if outs else {})


def _arrays(gradients: dict[str, Tensor | None]) -> Answer:
    return {name: None if g is None else np.asarray(g.data) for name, g in gradients.items()}


def agrees(expression: str, ours: Answer, theirs: Answer) -> bool:
    """Whether an answer is the recorded one; any is where PyTorch has none."""
    if "error" in ours or "error" in theirs:
        return theirs.get("error", "") in (ours.get("error"), None)
    if ours.keys() != theirs.keys():
        return False
    pairs = [(ours[order][name], expected) for order in theirs for name, expected in theirs[order].items()]
    return all((a is None) == (b is None) and (a is None or is_close(expression, a, b, 2)) for a, b in pairs)


@pytest.mark.parametrize("expression", CASES)
@np.errstate(all="ignore")
def test_gradients_of_gradients_are_those_of_pytorch(expression):
    wrong = {
        (kind, of)
        for (kind, of), theirs in CASES[expression].items()
        if not agrees(expression, answer(expression, kind, of), theirs)
    }

    assert wrong == {(kind, of) for name, kind, of in KNOWN if name == expression}


def test_nine_ops_of_ten_are_among_them():
    found = set().union(*(ops_twice(expression, BASES[expression]) for expression in CASES))

    assert len(found & {*OPS}) > 0.9 * len(OPS)
