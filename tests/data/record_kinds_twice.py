"""Record kinds_twice.json.xz: gradients that PyTorch 2.13 makes under create_graph, and their gradients. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_kinds_twice`; the tests do not need torch. Of the
expressions that an op runs in, forward or under create_graph, the shortest is asked with inputs of every kind, and with
plain inputs and an incoming gradient of each kind of special numbers. An answer is {"first", "second"} of arrays as
record_kinds has them, by input and "v" for what came in, or {"error": [where, first line]}, or {"error": null}.
"""

from __future__ import annotations

import json
import lzma
from typing import Any

import numpy as np
import torch

from tests.data.record_kinds import Answer, listed, run, steady
from tests.engine import with_torch
from tests.engine.kinds import KINDS, SPECIAL, TWICE, bases, changed, cotangent, incoming, ops_twice, seed, shapes

BASES = bases()


def answer(expression: str, kind: str, of: str) -> Answer:
    """What PyTorch gives; `of`: whether "inputs" are of that kind, or what is "incoming"."""
    base, stage = BASES[expression], "first"
    arrays, views = changed(expression, base, kind) if of == "inputs" else (base, {})
    made = {name: with_torch.tensor(x) for name, x in arrays.items()}
    try:
        given = made | {name: with_torch.evaluate(view, made | shapes(base)) for name, view in views.items()}
        out = with_torch.evaluate(expression, given)
        size, dtype = tuple(out.shape), out.numpy(force=True).dtype
        v = incoming(expression, kind, size, dtype) if of == "incoming" else cotangent(expression, size, dtype)
        came = torch.from_numpy(v).requires_grad_()
        taking = {name: x for name, x in given.items() if x.requires_grad}
        found = torch.autograd.grad(out, list(taking.values()), came, create_graph=True, allow_unused=True)
        first, stage = dict(zip(taking, found, strict=True)), "second"
        outs = {name: g for name, g in first.items() if g is not None and g.requires_grad}
        seeds = [torch.from_numpy(seed(expression, name, tuple(g.shape), np.float64)) for name, g in outs.items()]
        every = taking | {"v": came}
        sent = torch.autograd.grad(list(outs.values()), list(every.values()), seeds, allow_unused=True) if outs else ()
    except Exception as error:
        return {"error": [stage, str(error).partition("\n")[0].strip()]}
    told: dict[str, Any] = {"first": {name: listed(g) for name, g in first.items()}}
    return told | ({"second": {name: listed(g) for name, g in zip(every, sent, strict=True)}} if outs else {})


def main() -> None:
    of = {expression: ops_twice(expression, base) for expression, base in BASES.items()}
    known: set[str] = set()
    chosen = []
    for expression in sorted(of, key=lambda expression: (len(of[expression]), len(expression))):
        if of[expression] - known:
            known |= of[expression]
            chosen.append(expression)
    asked = [(e, kind, "inputs") for e in chosen for kind in KINDS if changed(e, BASES[e], kind)[0]]
    asked += [(e, kind, "incoming") for e in chosen for kind in SPECIAL]
    rows = sorted(zip(asked, steady(asked, "tests.data.record_kinds_twice"), strict=True), key=lambda row: row[0])
    TWICE.write_bytes(lzma.compress(json.dumps(rows, allow_nan=False, separators=(",", ":")).encode(), preset=9))


if __name__ == "__main__":
    run(answer, main)
