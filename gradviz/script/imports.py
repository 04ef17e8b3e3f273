"""`import` binds names of ours; nothing real is ever imported."""

from __future__ import annotations

import ast
from typing import Any

from gradviz.errors import ScriptError
from gradviz.script.failures import Code, located, suggestion
from gradviz.script.machine import Frame, Machine
from gradviz.script.scope import Scope
from gradviz.script.values import Namespace

IGNORED = ("__future__", "typing", "warnings")
"""Modules whose names a script can do without here."""


def find_module(machine: Machine, name: str) -> Any:
    """The namespace of a dotted module name.

    Raises:
        ScriptError: not one that gradviz knows.
    """
    first, *rest = name.split(".")
    module = machine.modules.get(first)
    for part in rest:
        module = module.members.get(part) if isinstance(module, Namespace) else None
    if not isinstance(module, Namespace):
        raise ScriptError(
            f"'import {name}' is not supported: a script can import {', '.join(sorted(machine.modules))}",
            hint=suggestion(name, machine.modules) or "gradviz never loads real modules; remove what needs it.",
        )
    return module


def compile_import(node: ast.Import, scope: Scope) -> Code:
    """The code of `import torch, numpy as np`."""
    from gradviz.script.assignment import target

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
            except ScriptError as error:
                raise located(error, alias) from None
            assign(frame, module if alias.asname else machine.modules[alias.name.split(".")[0]])

    return run


def compile_from(node: ast.ImportFrom, scope: Scope) -> Code:
    """The code of `from torch import tensor`."""
    from gradviz.script.assignment import target

    pairs = [
        (alias, target(ast.Name(alias.asname or alias.name, ast.Store()), scope) if alias.name != "*" else None)
        for alias in node.names
    ]
    name = node.module or ""

    def run(frame: Frame) -> None:
        machine = frame.machine
        if name == "__future__":
            return
        try:
            module = Namespace(name, {}) if name in IGNORED else find_module(machine, name)
        except ScriptError as error:
            raise located(error, node) from None
        for alias, assign in pairs:
            if assign is None:
                frame.vars.update(module.members)
            elif alias.name in module.members:
                assign(frame, module.members[alias.name])
            elif name in IGNORED:
                assign(frame, None)
            else:
                hint = suggestion(alias.name, module.members) or f"gradviz does not support '{name}.{alias.name}'."
                raise located(ScriptError(f"cannot import name '{alias.name}' from '{name}'", hint=hint), alias)

    return run
