"""Private names of a class: `self.__x` inside `class A` is `_A__x`."""

from __future__ import annotations

import ast

NAMED = {
    ast.Attribute: "attr", ast.Name: "id", ast.arg: "arg", ast.FunctionDef: "name", ast.keyword: "arg",
    ast.ClassDef: "name",
}  # fmt: skip


def mangled(node: ast.ClassDef) -> ast.ClassDef:
    """The class with the private names of its body written out; its inner classes see to their own."""
    prefix = node.name.lstrip("_")
    if not prefix:
        return node
    pending: list[ast.AST] = list(node.body)
    while pending:
        part = pending.pop()
        field = NAMED.get(type(part))
        if field is not None:
            setattr(part, field, private(getattr(part, field), prefix))
        elif isinstance(part, ast.Global | ast.Nonlocal):
            part.names = [private(name, prefix) or name for name in part.names]
        if isinstance(part, ast.ClassDef):
            pending += [*part.bases, *part.decorator_list]
        else:
            pending.extend(ast.iter_child_nodes(part))
    return node


def private(name: str | None, prefix: str) -> str | None:
    """The name as it is kept."""
    if name is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    return f"_{prefix}{name}"
