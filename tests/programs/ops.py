"""The recorded examples of the rule table as text for scripts: `softmax(a, 1)` becomes `F.softmax(a, 1)`."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gradviz.imitation.script.machine import Limits, Machine
from gradviz.imitation.script.run import install

DATA = Path(__file__).parents[1] / "data"
METHODS = ("view", "expand", "expand_as", "double", "sum_to_size", "repeat", "unfold")
NEURAL_FIRST = ("relu", "softmax", "kl_div", "binary_cross_entropy_with_logits")
SPACES = {"neural": "F", "linalg": "torch.linalg", "special": "torch.special"}
DTYPES = {"f8": "float64", "f4": "float32", "i8": "int64", "i4": "int32", "b1": "bool", "?": "bool", "f2": "float16"}
NOT_ALIKE = ("rrelu", "dropout", "rand", "empty", "svd", "eig", "pinv", "qr", "lstsq", "pca")
"""Random, or known only up to a sign."""


@dataclass(frozen=True)
class Case:
    """An expression over inputs a, b, ...; of each input the dtype and the numbers as a nested list."""

    expression: str
    inputs: dict[str, tuple[str, Any]]


class _Qualified(ast.NodeTransformer):
    def __init__(self, members: frozenset[str], inputs: frozenset[str]) -> None:
        self._members = members
        self._inputs = inputs

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._inputs:
            return node
        if node.id == "inf":
            return _read("float('inf')")
        if node.id in SPACES:
            return _read(SPACES[node.id])
        neural = node.id in NEURAL_FIRST or node.id.endswith("_loss") or node.id not in self._members
        return _read(f"{'F' if neural else 'torch'}.{node.id}")

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in (*METHODS, "T") and node.args:
            first, *rest = [self.visit(each) for each in node.args]
            function: ast.expr = ast.Attribute(first, node.func.id, ast.Load())
            return function if node.func.id == "T" else ast.Call(function, rest, node.keywords)
        self.generic_visit(node)
        return node


def _read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@cache
def cases() -> tuple[Case, ...]:
    """All recorded cases whose result does not depend on chance."""
    machine = Machine(Limits(), lambda: False, 0)
    install(machine)
    members = frozenset(machine.modules["torch"].members)
    found: dict[str, Case] = {}
    for file in sorted(DATA.glob("ops*.json")):
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]:
            if not any(word in case["expression"] for word in NOT_ALIKE):
                made = _case(case, members)
                found.setdefault(made.expression + str([value[0] for value in made.inputs.values()]), made)
    return tuple(found.values())


def _case(case: dict[str, Any], members: frozenset[str]) -> Case:
    inputs = {name: (DTYPES.get(x[0], x[0]), nested(x[2], x[1])) for name, x in case["inputs"].items()}
    tree = _Qualified(members, frozenset(inputs)).visit(_read(case["expression"]))
    return Case(ast.unparse(ast.fix_missing_locations(tree)), inputs)


def nested(flat: list[Any], shape: list[int]) -> Any:
    """The numbers as a list of lists."""
    if not shape:
        return flat[0]
    step = len(flat) // shape[0] if shape[0] else 0
    return [nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
