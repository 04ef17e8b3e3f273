"""The reference: every name inside the frontier and every op with its derivatives, from the tables that run.

It is made when it is asked for, so it cannot say anything else than what scripts find. Knows no Qt.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple

from gradviz.engine.nn.module import Module
from gradviz.engine.optim.lr_scheduler import LRScheduler
from gradviz.engine.optim.optimizer import Optimizer
from gradviz.engine.tensor import Tensor
from gradviz.ops.op import Op
from gradviz.ops.table import TABLE
from gradviz.run.imports import ENGINE
from gradviz.run.plotting import SILENT

NAMES_TITLE = "All names"
OPS_TITLE = "All ops and their derivatives"
METHODS_OF: dict[str, type] = {
    "torch.nn.Module": Module,
    "torch.optim.Optimizer": Optimizer,
    "torch.optim.lr_scheduler.LRScheduler": LRScheduler,
}
"""Classes whose methods a script calls on every object derived from them."""


SECOND_PATHS = ("torch.nn.modules", "torch.autograd.function")
"""Modules whose names stand under another path already."""


class Section(NamedTuple):
    """The names of one owner.

    Attributes:
        owner: what stands before the dot, e.g. "torch.linalg".
        title: the heading.
        names: sorted.
    """

    owner: str
    title: str
    names: tuple[str, ...]


def sections() -> list[Section]:
    """Every name of torch that a script can find, by owner: modules and classes."""
    torch, *inner = [
        _section(path, _names(path, home))
        for path, home in sorted(ENGINE.items())
        if path not in SECOND_PATHS and find_spec(home) is not None
    ]
    fields = set(Tensor.__slots__)
    attributes = {name for name in public(Tensor) if not callable(getattr(Tensor, name))} - fields
    return [
        torch,
        _section("Tensor", attributes, "Tensor: attributes"),
        _section("Tensor", public(Tensor) - attributes - fields, "Tensor: methods"),
        *inner,
        *(_section(path, public(kind), f"{path}: methods") for path, kind in METHODS_OF.items()),
    ]


def _names(path: str, home: str) -> list[str]:
    """The names of a module of the engine."""
    found = vars(import_module(home))
    names = found.get("__all__") or [name for name in found if name[:1] != "_"]
    return [name for name in names if not isinstance(found[name], ModuleType) and _is_offered(path, found[name])]


def _is_offered(path: str, value: object) -> bool:
    """Whether a name of the engine is for scripts, and not what one of its modules has imported for itself."""
    if hasattr(import_module(ENGINE[path]), "__all__"):
        return True
    return getattr(value, "__module__", "") in (path, ENGINE[path])


def public(kind: type) -> set[str]:
    """The public attributes of a class and those it derives from, but for names that only say that they are beyond."""
    return {name for name in dir(kind) if name[:1] != "_" and hasattr(kind, name)}


def _section(owner: str, names: Any, title: str = "") -> Section:
    # What is no identifier no script can write.
    return Section(owner, title or owner, tuple(sorted(name for name in names if name.isidentifier())))


def names_page() -> str:
    """The page of names, in Markdown."""
    listed = [section for section in sections() if section.names]
    count = sum(len(section.names) for section in listed)
    parts = [
        f"# {NAMES_TITLE}",
        f"The {count:,} names of PyTorch that a script finds here, read from what runs it.",
        "Whatever else PyTorch has is beyond the built-in engine: a script stops there, with a sentence and its place.",
        "Python, its library and numpy are all there, as they are.",
        f"Plotting and progress bars are taken silently, whatever is asked of them: {_codes(tuple(sorted(SILENT)))}.",
    ]
    for section in listed:
        parts += [f"## {section.title} ({len(section.names)})", _codes(section.names)]
    return "\n\n".join(parts) + "\n"


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# ---- ops ----


def ops_page() -> str:
    """The page of ops, in Markdown: equation, the formula of each input, PyTorch's node, and the note on kinks."""
    rows = TABLE.rows()
    parts = [
        f"# {OPS_TITLE}",
        f"The {len(rows)} ops of the engine: what each computes, what it sends back, and PyTorch's name of its node.",
        "In the formulas `g` is the incoming gradient ∂L/∂y, and `y` the result.",
        "An input without a formula takes no gradient.",
    ]
    return "\n\n".join([*parts, *(_op(row) for row in sorted(rows, key=lambda row: row.name))]) + "\n"


def _op(op: Op) -> str:
    """One op: a heading and a list."""
    lines = [f"- {_code(op.equation)}"] if op.equation else []
    lines += [f"- ∂L/∂{name} = {_code(formula)}" for name, formula in _formulas(op)]
    lines.append(f"- node: {_code(op.node_name)}")
    if op.note:
        lines.append(f"- {op.note}")
    return f"### {op.name}\n\n" + "\n".join(lines)


def _formulas(op: Op) -> list[tuple[str, str]]:
    names = [f"{op.inputs[0]}ᵢ"] if op.is_variadic else list(op.inputs)
    return [(name, text) for name, text, rule in zip(names, op.formula, op.vjp, strict=False) if rule and text]


def _code(text: str) -> str:
    return f"`{text}`"
