"""Arguments that a script gives by PyTorch's names, put where functions of ours have them.

Functions of ours are called as they stand first; only a call that fails comes here, so that calls that work cost
nothing.
"""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.arguments.forms import Form, forms_of
from gradviz.imitation.script.arguments.reading import FROM_NUMPY

Call = tuple[tuple[Any, ...], dict[str, Any]]


def in_places(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Call | None:
    """The same call by places, as the first form with all these names has them; None without one.

    Args:
        name: the function's with its owner, as `torch.max`; of a method the arguments come without the tensor.
        arguments: given by their places.
        keywords: given by PyTorch's names, or by numpy's.
    """
    known = forms_of(name)
    for form in known.all if known is not None else ():
        found = _placed(form, arguments, keywords)
        if found is not None and found[1].keys() != keywords.keys():
            return found
    return None


def _placed(form: Form, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Call | None:
    names = [argument.name for argument in form.arguments]
    rest = {key if key in names else FROM_NUMPY.get(key, key): value for key, value in keywords.items()}
    if len(rest) < len(keywords) or not rest.keys() <= set(names[len(arguments) :]):
        return None
    placed = list(arguments)
    for argument in form.arguments[len(arguments) :]:
        if argument.name not in rest or argument.is_named_only:
            break
        placed.append(rest.pop(argument.name))
    return tuple(placed), rest
