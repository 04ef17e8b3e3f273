"""Values, gradients and node names are PyTorch's; data/ops*.json hold what PyTorch 2.13 gave."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions import FUNCTIONS
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape
from gradviz.errors import TorchError
from tests.engine.expressions import CURVED, array, evaluate, leaves, node_names, same

Case = dict[str, Any]

FILES = sorted((Path(__file__).parents[1] / "data").glob("ops*.json"))
RECORDED = [case for file in FILES for case in json.loads(file.read_text(encoding="utf-8"))["cases"]]
BY_EXPRESSION: dict[str, list[Case]] = defaultdict(list)
for _case in RECORDED:
    BY_EXPRESSION[_case["expression"]].append(_case)


def largest(recorded: list[Any]) -> float:
    return max((abs(x) for x in recorded[2] if not isinstance(x, str)), default=0)


def differences(case: Case) -> list[str]:
    """What differs from the recorded case, as words; empty where nothing does."""
    tape, found = Tape(), []
    with tape.recording():
        tensors = leaves(tape, {name: array(*x) for name, x in case["inputs"].items()})
        out = evaluate(case["expression"], tensors)
        backward([out], [tape.tensor(array(*case["v"]))])
    expected = array(*case["out"])
    coarsest = "f4" if any(x[0] == "f4" for x in case["inputs"].values()) else "f8"
    ulps = 400 if any(part in case["expression"] for part in CURVED) else 4
    if not same(out.data, expected, coarsest, ulps=ulps):
        found.append(f"value {out.data!r} instead of {expected!r}")
    for name, x in tensors.items():
        theirs = case["gradients"][name]
        if (x.grad is None) != (theirs is None):
            found.append(f"gradient of {name} is {x.grad and x.grad.data!r} instead of {theirs}")
        elif x.grad is not None and not same(x.grad.data, array(*theirs), coarsest, largest(case["v"]), ulps):
            found.append(f"gradient of {name} is {x.grad.data!r} instead of {array(*theirs)!r}")
    if node_names(out) != case["nodes"]:
        found.append(f"nodes {node_names(out)} instead of {case['nodes']}")
    return found


@pytest.mark.parametrize("expression", BY_EXPRESSION)
def test_values_gradients_and_node_names_are_those_of_pytorch(expression):
    for case in BY_EXPRESSION[expression]:
        assert not differences(case), case["inputs"]


def refuses(case: Case, changed: str) -> bool:
    """Whether backward fails after a change in place of an input or the result ("y"), or when run again ("2")."""
    tape = Tape()
    with tape.recording():
        tensors = leaves(tape, {name: array(*x) for name, x in case["inputs"].items()})
        tensors = {name: FUNCTIONS["clone"](x) if x.requires_grad else x for name, x in tensors.items()}
        out = evaluate(case["expression"], tensors)
        try:
            if changed != "2":
                seen = FUNCTIONS["detach"](tensors.get(changed, out))
                storage.write(seen, seen.data + seen.dtype.type(1))
            for _ in range(2 if changed == "2" else 1):
                backward([out], [tape.tensor(array(*case["v"]))])
        except TorchError as error:
            if "modified by an inplace operation" in error.message or "second time" in error.message:
                return True
            if "single memory location" not in error.message:
                raise
    return False


@pytest.mark.parametrize("expression", BY_EXPRESSION)
def test_what_backward_keeps_is_what_pytorch_keeps(expression):
    for case in BY_EXPRESSION[expression]:
        if "saved" in case:
            names = [name for name, x in case["inputs"].items() if x[0] != "i8"]

            saved = "".join(name for name in (*names, "y", "2") if refuses(case, name))

            assert saved == case["saved"], case["inputs"].keys()


def test_recorded_cases_cover_the_rule_table():
    by_assignment = {
        *("bernoulli", "zero", "fill", "fill_number", "copy", "index_put_impl", "drawn", "drawn_by"),
        *(f"{name}_{other}_" for name in ("eq", "ne", "lt", "le", "gt", "ge") for other in ("number", "tensor")),
    }
    by_modules = {"mkldnn_rnn_layer", "pack_padded_sequence", "weight_norm", "unsafe_split"}
    by_scripts = {
        "affine_grid",
        "ctc_loss",
        "grid_sampler",
        "standard_gamma",
        "unsafe_split_with_sizes",
    }  # of tests/corpus
    by_programs = {"as_strided_beyond", "index_fill_tensor", "rsub_tensor", "rsub_scaled"}  # of tests/programs
    by_create_graph = {
        "scatter_add_zeros",
        "move_back",
        "avg_pool",
        "avg_pool_back",
    }
    tape = Tape()
    with tape.recording():
        for case in RECORDED:
            evaluate(case["expression"], leaves(tape, {name: array(*x) for name, x in case["inputs"].items()}))

    used = {entry.op.name for entry in tape.entries if entry.op is not None}

    rest = {name for name in set(OPS) - used if not name.endswith(("_backward", "backward_data"))}
    assert rest == by_assignment | by_modules | by_scripts | by_programs | by_create_graph
