"""The reference: it holds all that the machine holds, all of it is found, and the rest gets one sentence."""

from __future__ import annotations

import re

import pytest

from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.script.errors.unsupported import unsupported
from gradviz.imitation.script.reference import Section, names_page, node_names, ops_page, sections
from gradviz.imitation.script.run import run
from gradviz.imitation.script.tensors.members import TENSOR_ATTRIBUTES, TENSOR_METHODS
from gradviz.imitation.script.values import Namespace

SECTIONS = sections()
VALUES = {
    "str": "'a'", "list": "[1]", "tuple": "(1,)", "dict": "{}", "set": "{1}", "frozenset": "frozenset()",
    "bytearray": "bytearray()", "range": "range(1)",
    "bytes": "b'a'", "int": "(1)", "float": "(0.5)", "complex": "(1j)", "numpy.ndarray": "np.ones(2)",
    "numpy.generic": "np.float64(1.0)", "collections.OrderedDict": "collections.OrderedDict()",
    "collections.Counter": "collections.Counter()",
    "collections.deque": "collections.deque()", "Tensor": "torch.ones(2, 2)",
}  # fmt: skip
"""A value of each owner that is no module."""


def script(section: Section) -> str:
    """A program that names all names of a section."""
    owner = VALUES.get(section.owner, section.owner)
    root = section.owner.split(".")[0] if section.owner not in VALUES else ""
    imports = f"import collections, torch, numpy, numpy as np\n{f'import {root}' if root else ''}\n"
    return imports + "\n".join(f"{owner}.{name}" if owner else name for name in section.names if name not in REFUSED)


REFUSED = ("imag",)
"""What PyTorch itself refuses: the imaginary part of a real tensor."""


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_every_name_of_the_page_is_found_by_the_reader(section: Section) -> None:
    assert section.names
    assert run(script(section)).error is None


def test_every_name_that_the_machine_holds_stands_on_the_page() -> None:
    done = run("")
    machine = done.machine
    assert machine is not None
    listed = {section.owner: set(section.names) for section in SECTIONS if "attributes" not in section.title}
    pending = [(name, machine.modules[name]) for name in machine.modules.names]  # type: ignore[attr-defined]
    held = {"": {name for name in machine.builtins if name.isidentifier()}}
    while pending:
        path, module = pending.pop()
        held[path] = set(module.members)
        pending += [(f"{path}.{key}", value) for key, value in module.members.items() if isinstance(value, Namespace)]

    assert {
        path: names - listed.get(path, set()) for path, names in held.items() if names - listed.get(path, set())
    } == {}
    assert listed["Tensor"] == set(TENSOR_METHODS)
    assert [s.names for s in SECTIONS if s.title == "Tensor: attributes"] == [tuple(sorted(TENSOR_ATTRIBUTES))]


def test_the_page_shows_every_section_and_name() -> None:
    page = names_page()

    for section in SECTIONS:
        assert f"## {section.title} ({len(section.names)})" in page
    assert len(re.findall(r"`\w+`", page)) >= sum(len(section.names) for section in SECTIONS)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import torch\ntorch.zqqqzqqqzqq", "torch.zqqqzqqqzqq"),
        ("import torch\ntorch.nn.functional.zqqqzqqqzqq", "torch.nn.functional.zqqqzqqqzqq"),
        ("import torch\ntorch.ones(1).zqqqzqqqzqq", "Tensor.zqqqzqqqzqq"),
        ("from torch.linalg import zqqqzqqqzqq", "torch.linalg.zqqqzqqqzqq"),
        ("import math\nmath.zqqqzqqqzqq", "math.zqqqzqqqzqq"),
    ],
)
def test_a_name_that_is_not_on_the_page_gets_the_sentence_of_the_page(text: str, name: str) -> None:
    error = run(text).error

    assert error is not None
    assert error.hint == unsupported(name)
    assert unsupported("NAME") in names_page()


def test_the_page_of_ops_has_every_rule_with_its_node_and_note() -> None:
    parts = dict(re.findall(r"^### (\w+)\n\n((?:- .*\n?)+)", ops_page(), flags=re.MULTILINE))

    assert set(parts) == set(OPS)
    for name, op in OPS.items():
        assert op.equation in parts[name]
        assert op.note in parts[name]
        assert all(node in parts[name] for node in node_names(op))
        assert all(formula in parts[name] for formula, rule in zip(op.formula, op.vjp, strict=False) if rule)


def test_a_node_that_depends_on_the_inputs_is_named_by_the_examples() -> None:
    named = {name: node_names(op) for name, op in OPS.items() if callable(op.node)}

    assert named
    assert all(nodes and all(node.endswith(tuple("0123456789")) for node in nodes) for nodes in named.values())
