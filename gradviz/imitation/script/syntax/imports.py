"""`import` binds names of ours; nothing real is ever imported."""

from __future__ import annotations

import ast
import sys
from typing import Any

from gradviz.errors import ScriptError
from gradviz.imitation.script.errors.failures import Code, WithValue, located, suggestion
from gradviz.imitation.script.errors.unsupported import exists, unsupported
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.syntax.assignment import target
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.unread import Unread
from gradviz.imitation.script.values import Namespace

IGNORED = ("__future__", "__main__")
"""Modules whose names a script can do without here."""

STAND_INS = ("os", "sys")
"""Modules of which a script is told at their import what they have not got."""

INSTEAD = {
    "torchvision": "Its data sets and models are not here: make inputs with torch.randn, and layers with torch.nn.",
    "torchaudio": "Make inputs with torch.randn.",
    "torchtext": "Make inputs with torch.randint.",
    "transformers": "Its models are far too large to look at; write a small one with torch.nn.",
    "sklearn": "Make the data with torch.randn or numpy.",
    "scikit": "Make the data with torch.randn or numpy.",
    "pandas": "A script cannot read files here; put the numbers into the script.",
    "PIL": "There are no images here; make a tensor of the size.",
    "cv2": "There are no images here; make a tensor of the size.",
    "scipy": "torch, numpy and math have the usual functions.",
    "sympy": "gradviz computes with numbers only.",
    "jax": "Write it with torch.",
    "tensorflow": "Write it with torch.",
    "re": "Regular expressions can run for ever; use split, replace, find and the like.",
    "subprocess": "A script cannot start programs here.",
    "multiprocessing": "A script runs in one process here.",
    "threading": "A script runs in one thread here.",
    "asyncio": "A script runs in one thread here.",
    "socket": "A script cannot reach the network here.",
    "requests": "A script cannot reach the network here; put the numbers into the script.",
    "urllib": "A script cannot reach the network here; put the numbers into the script.",
}
"""What to do without a module that scripts of this kind import."""


COVERED = "modules that something of the same name covers"
"""Where `torch.autograd.gradcheck` is: its package has a function of that name."""


class NotImported(WithValue):
    """A module or name that there is not; a script may catch it as ImportError and do without."""

    def __init__(self, message: str, *, caught: str, hint: str = "", kind: str = "ModuleNotFoundError") -> None:
        super().__init__(message, kind, (caught,), hint)

    @property
    def headline(self) -> str:
        return self.message


def find_module(machine: Machine, name: str) -> Any:
    """The namespace of a dotted module name.

    Raises:
        NotImported: not one that gradviz knows.
    """
    first, *rest = name.split(".")
    module = machine.modules.get(first)
    covered = machine.state.get(COVERED, {}).get(name)
    for part in rest if covered is None else ():
        if isinstance(module, Silent):
            module = module.child(part)
        else:
            module = module.members.get(part) if isinstance(module, Namespace) else None
    module = module if covered is None else covered
    if first in sys.stdlib_module_names and machine.modules.get(first) is None:
        return Unread(name, INSTEAD.get(first) or KNOWN)
    if not isinstance(module, Namespace):
        raise NotImported(
            f"'import {name}' is not supported",
            caught=f"No module named '{name}'",
            hint=INSTEAD.get(first) or suggestion(name, known_names(machine)) or KNOWN,
        )
    return module


def known_names(machine: Machine) -> list[str]:
    """What can be imported."""
    return sorted({*machine.modules, *getattr(machine.modules, "names", ())})


KNOWN = "gradviz knows torch, numpy and the usual modules of Python's library, and never loads real ones."


def refuse_imports(machine: Machine, tree: ast.Module) -> None:
    """Say at the import, before anything runs, that a script wants more of `os` or `sys` than there is.

    Raises:
        ScriptError: it does, with the place of the import.
    """
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name in STAND_INS:
                _refuse_use(machine, tree, alias)


def _refuse_use(machine: Machine, tree: ast.Module, alias: ast.alias) -> None:
    module = machine.modules[alias.name]
    wanted = _unsupported_use(tree, module, alias.asname or alias.name)
    if wanted is not None:
        raise located(
            ScriptError(
                f"'import {alias.name}' is not supported for {alias.name}.{wanted}",
                hint="A script cannot reach the system here; remove the lines that use it.",
            ),
            alias,
        )


def _unsupported_use(tree: ast.Module, module: Namespace, name: str) -> str | None:
    """The first attribute of a module that the script names and the stand-in has not got, or None."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == name
            and node.attr not in module.members
            and hasattr(sys.modules[module.name], node.attr)  # what Python has not got either is an AttributeError
        ):
            return node.attr
    return None


def compile_import(node: ast.Import, scope: Scope) -> Code:
    """The code of `import torch, numpy as np`."""
    targets = [
        (alias, target(ast.Name(alias.asname or alias.name.split(".")[0], ast.Store()), scope)) for alias in node.names
    ]

    def run(frame: Frame) -> None:
        machine = frame.machine
        for alias, assign in targets:
            if alias.name in IGNORED:
                assign(frame, Namespace(alias.name, {}))
                continue
            try:
                module = find_module(machine, alias.name)
            except NotImported as error:
                raise located(error, alias) from None
            if alias.asname is None and not isinstance(module, Unread):
                module = machine.modules[alias.name.partition(".")[0]]
            elif alias.name in machine.state.get(COVERED, {}):
                package, _, name = alias.name.rpartition(".")
                module = find_module(machine, package).members[name]
            assign(frame, module)

    return run


def compile_from(node: ast.ImportFrom, scope: Scope) -> Code:
    """The code of `from torch import tensor`."""
    pairs = [
        (alias, target(ast.Name(alias.asname or alias.name, ast.Store()), scope) if alias.name != "*" else None)
        for alias in node.names
    ]
    name = node.module or ""

    def run(frame: Frame) -> None:
        machine = frame.machine
        if name == "__future__":
            if any(alias.name == "annotations" for alias in node.names):
                machine.state["annotations are text"] = True
            return
        try:
            module = Namespace(name, {}) if name in IGNORED else find_module(machine, name)
        except NotImported as error:
            raise located(error, node) from None
        for alias, assign in pairs:
            if assign is None:
                frame.vars.update((key, value) for key, value in module.members.items() if key[:1] != "_")
            elif isinstance(module, Silent):
                assign(frame, module.child(alias.name))
            elif isinstance(module, Unread):
                assign(frame, module.member(alias.name))
            elif alias.name in module.members:
                assign(frame, module.members[alias.name])
            elif name in IGNORED:
                assign(frame, None)
            else:
                near = "" if exists(name, alias.name) else suggestion(alias.name, module.members)
                hint = near or unsupported(f"{name}.{alias.name}")
                text = f"cannot import name '{alias.name}' from '{name}'"
                raise located(NotImported(text, caught=text, hint=hint, kind="ImportError"), alias)

    return run
