"""A script whose missing names get numbers, of shapes that fit what is done with them."""

from __future__ import annotations

from math import prod

from gradviz.errors import GradvizError
from gradviz.source.edits import Edit, apply_edits, parse_text
from gradviz.source.expression import complete_expression
from gradviz.source.expression_shapes import guess_shapes
from gradviz.source.leaf_changes import LeafChange, change_leaf
from gradviz.source.leaves import read_leaves
from gradviz.source.missing_names import missing_names
from gradviz.source.values import fill_shape

_MOST_WRITTEN = 24
"""Numbers that are written one by one; of more, torch.randn makes them."""


def give_numbers(text: str, name: str) -> tuple[str, tuple[str, ...]]:
    """A script with a line of numbers for each name that is missing, and those names.

    Of an expression alone, the whole script is written around it, as on the start page.

    Args:
        name: one that is known to be missing: the run has said so.

    Raises:
        GradvizError: the script cannot be changed so.
    """
    whole, missing = complete_expression(text), tuple(dict.fromkeys((*missing_names(text), name)))
    if whole is not None and name in missing:
        return whole, missing
    script = parse_text(text)
    known = {leaf.spec.name: leaf.spec.shape for leaf in read_leaves(text).leaves}
    shapes, _ = guess_shapes(script.tree, missing, known)
    for number, each in enumerate(missing):
        shape = shapes.get(each, (3,))
        values = [(k + 1.0) * (0.5 if number else 1.0) for k in range(min(prod(shape), _MOST_WRITTEN))]
        if prod(shape) <= _MOST_WRITTEN:
            text = change_leaf(text, each, LeafChange(values=fill_shape(values, shape), requires_grad=True, added=True))
        else:
            text = _with_random(text, each, shape)
    if set(missing) & set(missing_names(text)):
        raise GradvizError(f"'{name}' cannot be given numbers from here.", hint="Write a line that makes it.")
    return text, missing


def _with_random(text: str, name: str, shape: tuple[int, ...]) -> str:
    """The text with a line that draws numbers for a name, before its first use."""
    made = change_leaf(text, name, LeafChange(values=1.0, requires_grad=True, added=True))
    table = read_leaves(made)
    found = next(leaf for leaf in table.leaves if leaf.spec.name == name)
    function, imports = table.names.spell("randn", table.script)
    sizes = ", ".join(map(str, shape))
    start, end = table.script.span(found.creation.expression)
    return apply_edits(made, [*imports, Edit(start, end, f"{function}({sizes}, requires_grad=True)")])
