"""Calls of old code, `p.add_(-lr, g)` and `torch.addmm(beta, x, a, b)`, which PyTorch still takes with a warning."""

from __future__ import annotations

from itertools import repeat, zip_longest
from typing import Any

from gradviz.imitation.engine.warn import Once, warn
from gradviz.imitation.script.arguments.forms import forms_of
from gradviz.imitation.script.arguments.reading import fits

BETA = ("beta", "alpha")
PRODUCTS = {
    "addmm": "mat1 mat2", "addmv": "mat vec", "addr": "vec1 vec2",
    "addbmm": "batch1 batch2", "baddbmm": "batch1 batch2",
}  # fmt: skip
OLD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "add": (("alpha",), ("other",)),
    "sub": (("alpha",), ("other",)),
    "addcmul": (("value",), ("tensor1", "tensor2")),
    "addcdiv": (("value",), ("tensor1", "tensor2")),
    **{name: (BETA, tuple(tensors.split())) for name, tensors in PRODUCTS.items()},
}
"""Of each function the numbers that old code gave by position, before the tensors that follow."""


def in_new_words(reader: str, is_method: bool, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any] | None:
    """The arguments and keywords of today for a call of an old form, which is warned of; None for any other call.

    Args:
        reader: the full name of the function, e.g. "torch.add".
    """
    name = reader.rpartition(".")[2]
    old = OLD.get(name.removesuffix("_"))
    if old is None:
        return None
    numbers, tensors = old
    for kinds, text in _patterns(numbers, tensors, is_method).items():
        if len(kinds) == len(arguments) and all(map(_is_of, kinds, arguments, repeat(name))):
            _warn(reader, text)
            given = [x for kind, x in zip(kinds, arguments, strict=True) if kind == "n"]
            rest = [x for kind, x in zip(kinds, arguments, strict=True) if kind == "t"]
            return tuple(rest), dict(zip(numbers, given, strict=False))
    return None


def _warn(reader: str, old: str) -> None:
    name, forms = reader.rpartition(".")[2], forms_of(reader)
    new = "\n".join(f"\t{name}{form.text}" for form in forms.all) if forms is not None else ""
    warn(
        f"This overload of {name} is deprecated:\n\t{name}({old})\n"
        f"Consider using one of the following signatures instead:\n{new}",
        once=Once("an old form"),
    )


def _is_of(kind: str, x: Any, name: str) -> bool:
    return fits(x, "Tensor" if kind == "t" else "Number", name)


def _patterns(numbers: tuple[str, ...], tensors: tuple[str, ...], is_method: bool) -> dict[str, str]:
    """The old forms as PyTorch prints them, by their arguments: n for a number and t for a tensor, self among them."""
    found = {}
    for count in range(1, len(numbers) + 1):
        first = [f"Number {name}" for name in numbers[:count]]
        rest = [f"Tensor {name}" for name in tensors]
        if is_method:
            found["t" + "n" * count + "t" * len(rest)] = ", ".join((*first, *rest))
            continue
        whole = ["Tensor input"] if numbers != BETA else []
        mixed = zip_longest(first, [] if whole else ["Tensor input"])
        parts = [*whole, *(part for pair in mixed for part in pair if part is not None), *rest]
        text = ", ".join((*parts, "*", "Tensor out = None"))
        found["".join("n" if part.startswith("Number") else "t" for part in parts)] = text
    return found
