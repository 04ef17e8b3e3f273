"""Record kinds.json: what PyTorch 2.13 gives for inputs of every kind. Needs torch; the tests do not.

Run it from the root of the repository: `python -m tests.data.record_kinds`. Of the expressions that an op of the rule
table is recorded with, the shortest of each kind that PyTorch takes is kept; where it takes none, what it says of the
shortest. A line is an expression with its answers, and which of them is that of a kind. An answer is {"out",
"gradients"} of arrays [dtype, shape, flat data], or {"error": first line}, or {"error": null} where PyTorch crashes
or does not say the same twice; see `steady`.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

import tests.data.record_ops_structure  # noqa: F401 - gives expressions more names
from tests.data.record_ops import WORDS
from tests.engine import with_torch
from tests.engine.kinds import FILE, KINDS, agree, bases, changed, cotangent, ops, shapes

Answer = dict[str, Any]
BASES = bases()


def listed(x: torch.Tensor | None) -> list[Any] | None:
    """An array as JSON has it, in thirteen digits."""
    if x is None:
        return None
    array = x.numpy(force=True)
    flat = [float(f"{v:.13g}") if isinstance(v, float) else v for v in array.reshape(-1).tolist()]
    data = [WORDS[str(v)] if isinstance(v, float) and not math.isfinite(v) else v for v in flat]
    return [array.dtype.str[1:], list(array.shape), [int(v) if _is_short(v) else v for v in data]]


def _is_short(v: Any) -> bool:
    return isinstance(v, float) and v == int(v) and abs(v) < 1e9 and (v != 0 or math.copysign(1, v) > 0)


def answer(expression: str, kind: str) -> Answer:
    """What PyTorch gives."""
    arrays, views = changed(expression, BASES[expression], kind)
    made = {name: with_torch.tensor(x) for name, x in arrays.items()}
    known = made | shapes(BASES[expression])
    try:
        given = made | {name: with_torch.evaluate(view, known) for name, view in views.items()}
        out = with_torch.evaluate(expression, given)
        v = torch.from_numpy(cotangent(expression, tuple(out.shape), out.numpy(force=True).dtype))
        taking = {name: x for name, x in given.items() if x.requires_grad}
        gradients = torch.autograd.grad(out, list(taking.values()), v, allow_unused=True)
    except Exception as error:
        return {"error": str(error).partition("\n")[0].strip()}
    return {"out": listed(out), "gradients": {name: listed(g) for name, g in zip(taking, gradients, strict=True)}}


def answers(
    asked: Sequence[tuple[str, ...]], module: str = "tests.data.record_kinds", **settings: str
) -> Iterator[Answer]:  # fmt: skip
    """PyTorch's answers, from a process of another module with its settings; it is started anew where it crashes."""
    while asked:
        command, given = [sys.executable, "-m", module, "answer"], 0
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, text=True, env=os.environ | settings, **pipes) as child:
            assert child.stdin
            assert child.stdout
            child.stdin.write(json.dumps(asked))
            child.stdin.close()
            for line in child.stdout:
                if line.startswith("{"):
                    given += 1
                    yield json.loads(line)
        if given < len(asked):
            yield {"error": None}
            given += 1
        asked = asked[given:]


def steady(asked: Sequence[tuple[str, ...]], module: str = "tests.data.record_kinds") -> list[Answer]:
    """PyTorch's answers, none where it has two.

    After other calls it gives another one where it reads memory that it has not written. By those ways of its library
    that all processors have it gives another one where rounding errors are all that is left of the numbers.
    """
    backwards = list(answers(asked[::-1], module))[::-1]
    every = zip(asked, answers(asked, module), backwards, answers(asked, module, MKL_CBWR="COMPATIBLE"), strict=True)
    return [one if one == two and agree(of[0], one, three) else {"error": None} for of, one, two, three in every]


def chosen() -> dict[str, dict[str, Answer]]:
    """By expression and kind, the answers to be kept."""
    of = {expression: ops(expression, base) for expression, base in BASES.items()}
    shortest = sorted(BASES, key=lambda expression: (len(of[expression]), len(expression)))
    every = [(e, kind) for e in shortest for kind in KINDS if changed(e, BASES[e], kind)[0]]
    found = dict(zip(every, steady(every), strict=True))
    kept: dict[str, dict[str, Answer]] = defaultdict(dict)
    for refused in (False, True):
        known = {(op, kind) for e, kinds in kept.items() for kind in kinds for op in of[e]}
        for (e, kind), given in found.items():
            new = {(op, kind) for op in of[e]} - known
            if new and ("error" in given) == refused:
                known |= new
                kept[e][kind] = given
    return kept


def line(expression: str, by_kind: dict[str, Answer]) -> str:
    every = {json.dumps(given, sort_keys=True): given for given in by_kind.values()}
    places = {kind: list(every).index(json.dumps(given, sort_keys=True)) for kind, given in by_kind.items()}
    row = {"expression": expression, "kinds": places, "answers": list(every.values())}
    return json.dumps(row, allow_nan=False, separators=(",", ":"))


def main() -> None:
    rows = ",\n".join(line(expression, by_kind) for expression, by_kind in sorted(chosen().items()))
    FILE.write_text(f'{{"torch": "{torch.__version__}",\n"cases": [\n{rows}\n]}}\n', encoding="utf-8")


def run(answer: Callable[..., Answer], main: Callable[[], None]) -> None:
    """Answer what is asked, or record."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    torch.set_num_threads(1)
    if sys.argv[1:] == ["answer"]:
        for asked in json.load(sys.stdin):
            print(json.dumps(answer(*asked)), flush=True)
    else:
        main()


if __name__ == "__main__":
    run(answer, main)
