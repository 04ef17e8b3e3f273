"""The reference: every name that a script finds and every op of the engine, written from the tables that run.

It is made when it is asked for, so it cannot say anything else than what the reader does. Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.op import Op
from gradviz.imitation.script import run
from gradviz.imitation.script.errors.unsupported import unsupported
from gradviz.imitation.script.machine import Limits, Machine
from gradviz.imitation.script.names.library import SILENT
from gradviz.imitation.script.plain_methods import PLAIN_METHODS
from gradviz.imitation.script.tensors.members import TENSOR_ATTRIBUTES, TENSOR_METHODS
from gradviz.imitation.script.values import Class, Namespace

NAMES_TITLE = "All names"
OPS_TITLE = "All ops and their derivatives"
METHODS_OF = ("torch.nn.Module", "torch.optim.Optimizer", "torch.optim.lr_scheduler.LRScheduler")
"""Classes whose methods a script calls on every object derived from them."""


class Section(NamedTuple):
    """The names of one owner.

    Attributes:
        owner: what stands before the dot, e.g. "torch.linalg"; "" for Python's builtins.
        title: the heading.
        names: sorted.
    """

    owner: str
    title: str
    names: tuple[str, ...]


def sections() -> list[Section]:
    """Every name that a script can find, by owner: torch, tensors, numpy, Python, its modules and its values."""
    machine = Machine(Limits(), lambda: False, 0)
    run.install(machine)
    torch = list(_modules("torch", machine.modules["torch"]))
    others = [name for name in machine.modules.names if name not in ("torch", "numpy")]  # type: ignore[attr-defined]
    return [
        torch[0],
        _section("Tensor", TENSOR_ATTRIBUTES, "Tensor: attributes"),
        _section("Tensor", TENSOR_METHODS, "Tensor: methods"),
        *torch[1:],
        *(_methods(machine, path) for path in METHODS_OF),
        *_modules("numpy", machine.modules["numpy"]),
        _section("", machine.builtins, "Python: builtins"),
        *(_section(_path(kind), names, f"{_path(kind)}: methods") for kind, names in PLAIN_METHODS.items()),
        *(section for name in others for section in _modules(name, machine.modules[name])),
    ]


def _section(owner: str, names: Any, title: str = "") -> Section:
    # What is no identifier no script can write.
    return Section(owner, title or owner, tuple(sorted(name for name in names if name.isidentifier())))


def _path(kind: type) -> str:
    """A type of Python's or numpy's as a script writes it."""
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _modules(path: str, module: Namespace) -> Iterator[Section]:
    """A module and the modules in it."""
    pending = [(path, module)]
    while pending:
        path, module = pending.pop()
        if module.members:  # what is taken silently has none
            yield _section(path, module.members)
        inner = [(f"{path}.{name}", value) for name, value in module.members.items() if isinstance(value, Namespace)]
        pending += sorted(inner, key=lambda pair: pair[0], reverse=True)


def _methods(machine: Machine, path: str) -> Section:
    """The methods of a class and its ancestors."""
    value: Any = machine.modules["torch"]
    for part in path.split(".")[1:]:
        value = value.members[part]
    assert isinstance(value, Class)
    return _section(path, {name for cls in value.mro for name in cls.attributes}, f"{path}: methods")


def names_page() -> str:
    """The page of names, in Markdown."""
    listed = sections()
    count = sum(len(section.names) for section in listed)
    parts = [
        f"# {NAMES_TITLE}",
        f"The {count:,} names that a script finds here, read from the tables that run it.",
        f"Of any other name gradviz says: {unsupported('NAME')}",
        f"Drawing and logging are taken silently, whatever is asked of them: {_codes(SILENT)}.",
    ]
    for section in listed:
        parts += [f"## {section.title} ({len(section.names)})", _codes(section.names)]
    return "\n\n".join(parts) + "\n"


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# ---- ops ----


def ops_page() -> str:
    """The page of ops, in Markdown: equation, the formula of each input, PyTorch's node, and the note on kinks."""
    parts = [
        f"# {OPS_TITLE}",
        f"The {len(OPS)} ops of the engine: what each computes, what it sends back, and PyTorch's name of its node.",
        "In the formulas `g` is the incoming gradient dL/dy, and `y` the result.",
        "An input without a formula takes no gradient.",
    ]
    return "\n\n".join([*parts, *(_op(OPS[name]) for name in sorted(OPS))]) + "\n"


def _op(op: Op) -> str:
    """One op: a heading and a list."""
    lines = [f"- {_code(op.equation)}", *(f"- dL/d{name} = {_code(formula)}" for name, formula in _formulas(op))]
    nodes = node_names(op)
    if nodes:
        lines.append(f"- node: {' or '.join(map(_code, nodes))}")
    if op.note:
        lines.append(f"- {op.note}")
    return f"### {op.name}\n\n" + "\n".join(lines)


def _formulas(op: Op) -> list[tuple[str, str]]:
    names = [f"{op.inputs[0]}ᵢ"] if op.is_variadic else list(op.inputs)
    return [(name, text) for name, text, rule in zip(names, op.formula, op.vjp, strict=False) if rule and text]


def _code(text: str) -> str:
    return f"`{text}`"


def node_names(op: Op) -> list[str]:
    """PyTorch's names of the backward node, where they depend on the inputs those of the op's examples."""
    if isinstance(op.node, str):
        return [op.node] if op.node else []
    found = []
    for case in op.example:
        shapes = [np.shape(value) for value in case["inputs"]]
        found.append(op.node(case.get("params", {}), shapes))
    return sorted(set(found))
