"""A call read as PyTorch reads it: which form fits, and what is said where none does.

Source: torch/csrc/utils/python_arg_parser.cpp and invalid_arguments.cpp. It is asked only when a call has failed, so
that calls that work cost nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.script.arguments.forms import GENERATOR, PART, Argument, Form, forms_of
from gradviz.imitation.script.torch_values import Device, Layout, is_dtype
from gradviz.imitation.script.values import type_name

Named = dict[str, Any]
FROM_NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
"""Names that the reader takes too, for those who come from numpy."""

NUMBERS_TOO = {
    f"{name}{end}"
    for name in ("add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide")
    for end in ("", "_")
} | {"copy_", "to"}
"""Functions that take a number where they ask for a tensor."""


def refusal(reader: str, arguments: tuple[Any, ...], keywords: Named) -> str:
    """What PyTorch says of a call by the forms of e.g. `torch.add`; "" where one of them fits, or none is known."""
    known = forms_of(reader)
    if known is None:
        return ""
    name = known.spoken
    said = []
    for form in known.all:
        text = _misfit(form, name, arguments, keywords)
        if not text or UNREAD in text:  # found out of it when the form was chosen
            return text
        said.append(text)
    if not known.is_listed:
        if known.all[0].text == "()":
            owner = "TensorBase" if reader.startswith("Tensor.") else "torch"
            said_by_python = "keyword arguments" if keywords else f"arguments ({len(arguments)} given)"
            return f"{owner}.{name}() takes no {said_by_python}"
        return said[0]
    count = len(arguments) + len(keywords)
    near = [i for i, form in enumerate(known.all) if form.least <= count <= len(form.arguments)]
    if len(near) == 1:
        return said[near[0]]
    return _no_form(name, known.all, arguments, keywords)


NUMBERS = ("Number", "float", "int")


def tensors_as_numbers(reader: str, arguments: tuple[Any, ...], keywords: Named) -> frozenset[int | str]:
    """Places and names of tensors that the first fitting form takes for numbers."""
    known = forms_of(reader)
    for form in known.all if known is not None else ():
        if not _misfit(form, known.spoken if known else "", arguments, keywords):
            kinds: dict[int | str, str] = {argument.name: argument.kind for argument in form.arguments}
            kinds |= dict(enumerate(argument.kind for argument in form.arguments))
            given: dict[int | str, Any] = dict(enumerate(arguments))
            given.update(keywords)
            return frozenset(x for x in given if isinstance(given[x], Tensor) and kinds.get(x) in NUMBERS)
    return frozenset()


# ---- one form ----


def _misfit(form: Form, name: str, arguments: tuple[Any, ...], keywords: Named) -> str:
    """Why a call does not fit a form; "" where it does."""
    if _takes_sizes_one_by_one(form, arguments):
        text = _unread(name, form.arguments[0], arguments)
        return text or _misfit(form, name, (arguments,), keywords)
    if len(arguments) > form.places:
        return _too_many(form, name, len(arguments))
    rest = _in_torch_words(form, keywords)
    for place, argument in enumerate(form.arguments):
        is_given = place < len(arguments) and not argument.is_named_only
        if not is_given and argument.name not in rest:
            if argument.is_optional:
                continue
            return _missing(form, name, place)
        value = arguments[place] if is_given else rest.pop(argument.name)
        if value is None and (argument.takes_none or argument.kind == "any"):
            continue
        takes_one = argument.takes_one or form.places == 1
        if not fits(value, argument.kind, name) or not (takes_one or isinstance(value, list | tuple)):
            return _wrong_type(name, argument, value, place + 1 if is_given else 0)
        if argument.kind == "tuple of ints" and isinstance(value, list | tuple):
            text = _unread(name, argument, value)
            if text:
                return text
    return _unknown(name, form, rest, len(arguments))


def _in_torch_words(form: Form, keywords: Named) -> Named:
    """The keywords with PyTorch's names for numpy's, where the form has those."""
    if FROM_NUMPY.keys().isdisjoint(keywords):
        return dict(keywords)
    names = {argument.name for argument in form.arguments}
    return {key if key in names or (new := FROM_NUMPY.get(key)) not in names else new: x for key, x in keywords.items()}


def _takes_sizes_one_by_one(form: Form, arguments: tuple[Any, ...]) -> bool:
    first = form.arguments[0] if form.arguments else None
    if first is None or first.kind != "tuple of ints" or first.is_optional or form.places != 1 or not arguments:
        return False
    return _is_int(arguments[0]) and len(arguments) > 1


UNREAD = "failed to unpack the object at pos"


def _unread(name: str, argument: Argument, sizes: Any) -> str:
    """What is said of sizes that begin with a whole number, by which alone PyTorch knows them, and go on otherwise."""
    for number, value in enumerate(sizes):
        if not _is_int(value) and not isinstance(value, bool):
            return (
                f"{name}(): argument '{argument.name}' {UNREAD} {number + 1} with error "
                f'"type must be tuple of ints,but got {kind_of(value)}"'
            )
    return ""


def _too_many(form: Form, name: str, given: int) -> str:
    most, least = form.places, form.least
    if least != most:
        return f"{name}() takes from {least} to {most} positional arguments but {given} were given"
    plural, was = "" if most == 1 else "s", "was" if given == 1 else "were"
    return f"{name}() takes {most} positional argument{plural} but {given} {was} given"


def _missing(form: Form, name: str, place: int) -> str:
    """PyTorch names all that must be given from the first missing place on, even those given by name."""
    absent = [f'"{a.name}"' for a in form.arguments[place:] if not a.is_optional]
    return f"{name}() {missing(absent)}"


def missing(names: list[str]) -> str:
    """The arguments that are not there, as PyTorch says it: with an "s" where it is one."""
    return f"missing {len(names)} required positional argument{'s' * (len(names) == 1)}: {', '.join(names)}"


def _wrong_type(name: str, argument: Argument, value: Any, place: int) -> str:
    where = f"'{argument.name}'" + (f" (position {place})" if place else "")
    if argument.kind == "tuple of ints" and isinstance(value, list | tuple) and place:
        found = f"but found element of type {kind_of(value[0])} at pos 0"
        return f"{name}(): argument {where} must be tuple of ints, {found}"
    if argument.kind == "tuple of Tensors" and isinstance(value, list | tuple):
        at = next(i for i, item in enumerate(value) if not isinstance(item, Tensor))
        return f"expected Tensor as element {at} in argument {max(place - 1, 0)}, but got {kind_of(value[at])}"
    return f"{name}(): argument {where} must be {argument.kind}, not {kind_of(value)}"


def _unknown(name: str, form: Form, rest: Named, given: int) -> str:
    for key in rest:
        if any(key == argument.name for argument in form.arguments[:given]):
            return f"{name}() got multiple values for argument '{key}'"
        return f"{name}() got an unexpected keyword argument '{key}'"
    return ""


# ---- kinds ----


def kind_of(value: Any) -> str:
    """The name of a value's type as messages give it."""
    return type_name(value)


def _is_int(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.data.size == 1 and value.dtype.kind in "iu"
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.ndim == 0 and not value.requires_grad
    return isinstance(value, bool | int | float | np.number | np.bool_)


def fits(value: Any, kind: str, name: str) -> bool:
    """Whether a value is of a kind."""
    if kind == "Tensor":
        return isinstance(value, Tensor) or (name in NUMBERS_TOO and _is_number(value))
    if kind in ("Number", "float"):
        return _is_number(value)
    if kind == "int":
        return _is_int(value) and not (isinstance(value, Tensor) and value.ndim)
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "str":
        return isinstance(value, str)
    if kind == "tuple of ints":
        return _is_int(value) or (isinstance(value, list | tuple) and all(map(_is_int, value[:1])))
    if kind == "tuple of Tensors":
        return isinstance(value, list | tuple) and all(isinstance(item, Tensor) for item in value)
    if kind == GENERATOR:
        from gradviz.imitation.script.names.torch.generators import Stream  # which needs the machine that calls

        return value is None or isinstance(value, Stream)
    if kind == "torch.layout":
        return isinstance(value, Layout | None)
    if kind == "torch.device":
        return isinstance(value, str | int | Device | None) and not isinstance(value, bool)
    if kind == "torch.Storage":
        return kind_of(value).endswith("Storage")
    return is_dtype(value) if kind == "torch.dtype" else True


# ---- none of several ----


def _no_form(name: str, forms: tuple[Form, ...], arguments: tuple[Any, ...], keywords: Named) -> str:
    start = f"{name}() received an invalid combination of arguments - got "
    if len(forms) == 1:
        strangers, given = _strangers(forms[0], keywords), _given(arguments, keywords)
        if strangers:
            return f"{start}unrecognized keyword arguments: {', '.join(strangers)}"
        if _is_as_long(forms[0], arguments, keywords):
            given = _marked_all(forms[0], arguments, keywords)
        return f"{start}{given}, but expected {forms[0].text}"
    lines = [f"{start}{_given(arguments, keywords)}, but expected one of:"]
    for form in forms:
        lines.append(f" * {form.text}")
        if _is_as_long(form, arguments, keywords):
            lines.append(f"      didn't match because {_why(form, arguments, keywords)}")
    return "\n".join(lines) + "\n"


def _given(arguments: tuple[Any, ...], keywords: Named) -> str:
    """The types of what was given, by name the last first; where all of it is named, PyTorch leaves a comma."""
    listed = [kind_of(x) for x in arguments] + [f"{key}={kind_of(x)}" for key, x in reversed(keywords.items())]
    return f"({', '.join(listed)}{', ' if keywords and not arguments else ''})"


def _is_as_long(form: Form, arguments: tuple[Any, ...], keywords: Named) -> bool:
    """Whether as much was given as stands in the form, its star counted."""
    return len(PART.split(form.text[1:-1])) == len(arguments) + len(keywords)


def _strangers(form: Form, keywords: Named) -> list[str]:
    """The names that are not among the last of a form; one with a default is taken for a name that nobody writes."""
    parts = form.text[1:-1].split(", ")
    last = parts[max(0, len(parts) - len(keywords)) :]
    names = {part.rpartition(" ")[2] for part in last}
    return [key for key in reversed(keywords) if key not in names]


def _why(form: Form, arguments: tuple[Any, ...], keywords: Named) -> str:
    strangers = _strangers(form, keywords)
    if strangers:
        return f"some of the keywords were incorrect: {', '.join(strangers)}"
    return f"some of the arguments have invalid types: {_marked_all(form, arguments, keywords)}"


def _marked_all(form: Form, arguments: tuple[Any, ...], keywords: Named) -> str:
    # PyTorch takes all before the last space for the kind: where there is a default nothing is of that kind.
    parts = form.text[1:-1].split(", ")
    marked = [_marked(x, part.rpartition(" ")[0]) for x, part in zip(arguments, parts, strict=False)]
    kinds = {argument.name: argument.kind for argument in form.arguments}
    marked += [_marked(x, kinds[key], f"{key}=") for key, x in keywords.items()]
    return f"({', '.join(marked)}{', ' if keywords and not arguments else ''})"


def _marked(value: Any, kind: str, name: str = "") -> str:
    """The name and type of a value, between exclamation marks where the form asks for another type by name."""
    found = kind_of(value)
    if isinstance(value, list | tuple):
        inside = ", ".join(map(kind_of, value))
        inside += "," if found == "tuple" and len(value) == 1 else ""
        return f"!{name}tuple of ({inside})!" if found == "tuple" else f"!{name}{found} of [{inside}]!"
    accepted = {"float": ("float", "int"), "int": ("int",)}.get(kind, (kind,))
    return f"{name}{found}" if found in accepted else f"!{name}{found}!"
