"""Record the arguments that PyTorch's own reader takes, from its messages and type stubs. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_signatures`. It writes one line for each function
and method that the reader of scripts knows: its forms as PyTorch prints them, "!" before those that it never prints,
"?" behind the kind of what may be None though it has no default, "#" behind sizes for which one int does not do.
"""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

import ast
import functools
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


CASTS = ("float", "double", "half", "long", "int", "short", "char", "byte", "bool", "bfloat16", "cpu", "cuda")
SPOKEN = {"spmm": "mm"}
"""Functions whose messages name another."""
TOLD_BY_US = ("requires_grad_", "tensor", "cuda")
"""Those whose stubs say something else than their messages."""


BY_HAND = (
    "Tensor.index_put\t!(tuple of Tensors indices, Tensor values, bool accumulate = False)",
    "Tensor.index_put_\t!(tuple of Tensors indices, Tensor values, bool accumulate = False)",
    "Tensor.new_ones\t!(tuple of ints size, *, torch.dtype dtype = None, any device = None, bool requires_grad = False, bool pin_memory = False)",
    "Tensor.new_tensor\t!(any data, *, torch.dtype dtype = None, any device = None, bool requires_grad = False, bool pin_memory = False)",
    "Tensor.roll\t!(tuple of ints shifts, tuple of ints dims = ())",
    "Tensor.split_with_sizes\t!(tuple of ints# split_sizes, int dim = 0)",
    "torch.index_put\t!(Tensor input, tuple of Tensors indices, Tensor values, bool accumulate = False)",
    "torch.index_put_\t!(Tensor input, tuple of Tensors indices, Tensor values, bool accumulate = False)",
    "torch.roll\t!(Tensor input, tuple of ints shifts, tuple of ints dims = ())",
    "Tensor.rot90\t!(int k = 1, tuple of ints# dims = (0, 1))",
    "TensorBase.unflatten\t!(int dim, tuple of ints# sizes)",
    *(f"torch.{name}\t!()" for name in (
        "is_anomaly_enabled", "is_autocast_cpu_enabled", "is_autocast_cache_enabled", "clear_autocast_cache",
        "is_anomaly_check_nan_enabled", "get_autocast_cpu_dtype",
    )),
    *(
        f"{owner}.conv_transpose{axes}d\t!(Tensor input, Tensor weight, Tensor bias = None, tuple of ints stride = 1, tuple of ints padding = 0, tuple of ints output_padding = 0, int groups = 1, tuple of ints dilation = 1)"
        for owner in ("torch", "torch.nn.functional") for axes in (1, 2, 3)
    ),
    "torch.get_autocast_dtype\t!(str device_type)",
    "torch.is_autocast_enabled\t(str device_type)\t()",
)  # fmt: skip
"""Functions without a stub, a schema or a message that shows their forms, and those whose stubs say something else."""


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


KINDS = {
    "Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "str": "str", "number": "Number",
    "List[int]": "tuple of ints", "List[Tensor]": "tuple of Tensors",
}  # fmt: skip


@functools.cache
def schemas() -> dict[str, list[Any]]:
    """The schemas of each function of ATen, those that write into `out` left out."""
    return _grouped(lambda schema: "out" not in schema.overload_name and not written_into(schema))


@functools.cache
def writing_schemas() -> dict[str, list[Any]]:
    """Those that write into `out`."""
    return _grouped(lambda schema: bool(written_into(schema)))


def _grouped(wanted: Callable[[Any], bool]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::") and wanted(schema):
            found.setdefault(schema.name.removeprefix("aten::"), []).append(schema)
    return found


def written_into(schema: Any) -> list[Any]:
    """The arguments of a schema that its results are written into."""
    return [argument for argument in schema.arguments if argument.is_out]


def by_schema(name: str) -> list[str]:
    """The form of a function that has one schema, as PyTorch would print it."""
    found = schemas().get(name, [])
    if len(found) != 1:
        return []
    listed = list(parts(found[0]))
    for schema in writing_schemas().get(name, [])[:1]:
        kind = "Tensor" if len(written_into(schema)) == 1 else "tuple of Tensors"
        listed += [*(["*"] if "*" not in listed else []), f"{kind} out = None"]
    return [f"({', '.join(listed)})"]


def parts(schema: Any) -> Iterator[str]:
    is_named = False
    for argument in schema.arguments:
        if argument.kwarg_only and not is_named:
            is_named = True
            yield "*"
        kind = str(argument.type).removeprefix("Optional[").removesuffix("]" * str(argument.type).startswith("Opt"))
        kind = "torch.dtype" if argument.name == "dtype" else KINDS.get(kind, "any")
        default = f" = {argument.default_value}".replace("[", "(").replace("]", ")")
        yield f"{kind} {argument.name.replace('self', 'input')}" + default * argument.has_default_value()


def marked(form: str, name: str) -> str:
    """The form with what a message does not show of its sizes; those that stand alone may be given one by one."""
    is_alone = sum(" = " not in part for part in form.partition(", *")[0].split(", ")) == 1
    for argument in (a for schema in schemas().get(name, []) for a in schema.arguments):
        kind = str(argument.type)
        spoken = {"Optional[List[int]]": "tuple of ints", "Optional[Tensor]": "Tensor"}.get(kind)
        if spoken and not argument.has_default_value():
            form = form.replace(f"{spoken} {argument.name}", f"{spoken}? {argument.name}")
        elif kind == "List[int]" and argument.N is None and not is_alone:
            form = form.replace(f"tuple of ints {argument.name}", f"tuple of ints# {argument.name}")
    return form


def lines() -> Iterator[str]:
    x = torch.ones(2, 3)
    functions = stubs((STUBS / "_VariableFunctions.pyi").read_text())
    known: dict[str, tuple[Any, dict[str, list[str]]]] = {
        "torch": (torch, functions),
        "Tensor": (x, stubs((STUBS / "__init__.pyi").read_text(), "TensorBase")),
        "torch.nn.functional": (torch.nn.functional, functions),
        "torch.linalg": (torch.linalg, {}),
        "torch.special": (torch.special, {}),
    }
    for owner, (holder, by_name) in known.items():
        for name in sorted(dir(holder)):
            function = getattr(holder, name) if not name.startswith("_") and name != "imag" else None
            if type(function).__name__ != "builtin_function_or_method":
                continue
            shown = printed(function)
            spoken = SPOKEN.get(name, function.__name__)
            forms = shown or [f"!{text}" for text in (by_name.get(name) or by_schema(spoken))[:1]]
            if owner == "Tensor" and name in CASTS and name != "cuda":
                forms = ["!(*, any memory_format = None)"]
            if forms and name not in TOLD_BY_US:
                row = f"{owner}.{name}" + f":{spoken}" * (
                    name in SPOKEN or (spoken != name and owner not in ("torch", "Tensor"))
                )
                yield "\t".join((row, *(marked(form, spoken) for form in forms)))


def main() -> None:
    from gradviz.imitation.script.reference import sections

    warnings.simplefilter("ignore")
    names = {f"{s.owner}.{name}" for s in sections() for name in s.names}
    kept = [line for line in lines() if line.split("\t")[0].partition(":")[0] in names]
    rows = {line.partition("\t")[0]: line for line in (*kept, *BY_HAND)}
    path = ROOT / "gradviz" / "imitation" / "script" / "arguments" / "signatures.txt"
    path.write_text("\n".join(rows.values()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
