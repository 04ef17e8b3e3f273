"""Record the arguments that PyTorch's own reader takes, from its messages and type stubs. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_signatures`. It writes one line for each function
and method that the reader of scripts knows: its forms as PyTorch prints them, "!" before those that it never prints.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).parents[2]
STUBS = Path(torch.__file__).parent / "_C"
TYPES = {
    "Tensor": "Tensor", "_int": "int", "_int | SymInt": "int", "SymInt": "int", "_size": "tuple of ints",
    "Sequence[_int | SymInt]": "tuple of ints", "_int | _size": "tuple of ints", "Number | _complex": "Number",
    "Number": "Number", "_bool": "bool", "_float": "float", "_dtype": "torch.dtype", "str": "str",
    "tuple[Tensor, ...] | list[Tensor]": "tuple of Tensors", "tuple[Tensor, ...] | list[Tensor] | None":
    "tuple of Tensors", "Tensor | Number | _complex": "Tensor", "Tensor | Number": "Tensor",
}  # fmt: skip


CASTS = ("float", "double", "half", "long", "int", "short", "char", "byte", "bool", "cpu", "cuda")
TOLD_BY_US = ("requires_grad_", "tensor", *CASTS)
"""Those whose stubs say something else than their messages."""


class Odd:
    """What no function takes."""


def printed(call: Callable[..., Any]) -> list[str]:
    """The forms that a message lists, where it lists any."""
    odd = Odd()
    for count in (9, 7, 5, 4, 3, 2, 1, 0):
        for named in ({}, {"no": odd}, {"no": odd, "such": odd}):
            try:
                call(*(odd,) * count, **named)
            except TypeError as error:
                if "but expected one of" in str(error):
                    return re.findall(r"^ \* (.*)$", str(error), re.MULTILINE)
                found = re.search(r"but expected (\(.*\))$", str(error))
                if found:
                    return [found[1]]
            except Exception:
                continue
    return []


def stubs(text: str, owner: str = "") -> dict[str, list[str]]:
    """The forms of every function of a stub file, or of the methods of a class in it."""
    tree = ast.parse(text)
    body = tree.body
    if owner:
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner)
    found: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.args.vararg:
            found.setdefault(node.name, []).append(form(node))
    return found


def form(node: ast.FunctionDef) -> str:
    """One definition of a stub as PyTorch would print it."""
    args = node.args
    places = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(places) - len(args.defaults)) + list(args.defaults)
    parts = [part(*pair) for pair in zip(places, defaults, strict=True) if pair[0].arg != "self" or pair[0].annotation]
    named = [part(*pair) for pair in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    parts = [text.replace(" self", " input") for text in parts[:1]] + parts[1:]
    return f"({', '.join([*parts, *(['*', *named] if named else [])])})"


def part(argument: ast.arg, default: ast.expr | None) -> str:
    text = ast.unparse(argument.annotation) if argument.annotation else ""
    kind = TYPES.get(text) or TYPES.get(text.removesuffix(" | None"), "any")
    return f"{kind} {argument.arg}" + ("" if default is None else f" = {ast.unparse(default)}")


def lines() -> Iterator[str]:
    x = torch.ones(2, 3)
    known = {
        "torch": (torch, stubs((STUBS / "_VariableFunctions.pyi").read_text())),
        "Tensor": (x, stubs((STUBS / "__init__.pyi").read_text(), "TensorBase")),
    }
    for owner, (holder, by_name) in known.items():
        for name in sorted(dir(holder)):
            function = getattr(holder, name) if not name.startswith("_") and name != "imag" else None
            if type(function).__name__ != "builtin_function_or_method":
                continue
            shown = printed(function)
            forms = shown or [f"!{text}" for text in by_name.get(name, [])[:1]]
            if forms and name not in TOLD_BY_US:
                yield "\t".join((f"{owner}.{name}", *forms))


def main() -> None:
    from gradviz.script.reference import sections

    warnings.simplefilter("ignore")
    names = {f"{s.owner}.{name}" for s in sections() for name in s.names}
    kept = [line for line in lines() if line.split("\t")[0] in names]
    path = ROOT / "gradviz" / "script" / "arguments" / "signatures.txt"
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
