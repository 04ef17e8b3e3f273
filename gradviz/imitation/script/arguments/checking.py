"""The arguments of a call looked at before it runs, as PyTorch's own reader does: it refuses, or the call begins."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.hooks.on_saved_tensors import refused_saving
from gradviz.imitation.engine.memory.views import lost_history
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.imitation.script.arguments.forms import forms_of, has_forms
from gradviz.imitation.script.arguments.older import in_new_words
from gradviz.imitation.script.arguments.other_types import is_told, wrong_type
from gradviz.imitation.script.arguments.reading import FROM_NUMPY, refusal, tensors_as_numbers
from gradviz.imitation.script.errors.calls import call_error, keyword_hint
from gradviz.imitation.script.values import Native, type_name

LONG = 16
"""Lists of more items are read each time anew."""

OF_DATA = ("torch.as_tensor", "torch.asarray", "Tensor.new_tensor")
"""Functions that make a tensor of a number of numpy, with its dtype."""

Arguments = tuple[tuple[Any, ...], dict[str, Any]]

Names = frozenset[int | str]
_read: dict[Any, Names] = {}
"""Calls that were read and taken, by reader and sorts of arguments: what of them is to be made a number of Python."""


def reader_of(owner: str, name: str) -> str:
    """The full name of a function whose arguments are known to be read by PyTorch in some way, or ""."""
    full = f"{owner}.{name}"
    return full if has_forms(full) or is_told(full) else ""


def reading(owner: str, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its arguments read, for those that call it without the machine; a method of tensors as well."""
    native = Native(name, run, is_method=owner == "Tensor")
    native.reader = reader_of(owner, name)
    if not native.reader:
        return run

    @functools.wraps(run)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if native.is_method and not isinstance(arguments[0], Tensor):
            raise no_attribute(arguments[0], name)
        arguments, keywords = read(native, arguments, keywords)
        return run(*arguments, **keywords)

    return call


def read(native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Arguments:
    """The arguments of a function that has a reader, in the form that it is called with.

    What is all tensors is taken at once, where so many fit whatever they are.

    Raises:
        TorchError: they do not fit, in PyTorch's words.
    """
    if arguments and not keywords:
        for argument in arguments:
            if type(argument) is not Tensor:
                break
        else:
            count = len(arguments)
            if native.fitting[count] if count in native.fitting else takes_tensors(native, arguments):
                return arguments, keywords
    called = (native.reader, *map(_sort, arguments), *((name, _sort(value)) for name, value in keywords.items()))
    others = _read.get(called)
    if others is None:
        error = refused(native, arguments, keywords)
        if error is not None:
            older = None if keywords else in_new_words(native.reader, native.is_method, arguments)
            if older is None:
                raise error
            return older
        others = _others(native, arguments, keywords)
        if None not in called:
            _read[called] = others
    return _in_form(arguments, keywords, others) if others else (arguments, keywords)


def _others(native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Names:
    """Places and names of what stands for a number of Python: numbers of numpy, and tensors taken for numbers."""
    given: dict[int | str, Any] = dict(enumerate(arguments))
    given.update(keywords)
    found = {name for name, value in given.items() if isinstance(value, np.generic) and native.reader not in OF_DATA}
    hidden = int(native.is_method)
    if any(type(value) is Tensor and not value.ndim for value in given.values()):
        taken = tensors_as_numbers(native.reader, arguments[hidden:], keywords)
        found |= {name + hidden if isinstance(name, int) else name for name in taken}
    return frozenset(found)


def takes_tensors(native: Native, tensors: tuple[Any, ...]) -> bool:
    """Whether a function takes so many tensors of any shape: one number alone may stand where others may not."""
    several = constant(np.zeros(2), tensors[0].tape)
    found = native.fitting[len(tensors)] = refused(native, (several,) * len(tensors), {}) is None
    return found


def _in_form(arguments: tuple[Any, ...], keywords: dict[str, Any], others: Names) -> Arguments:
    """The arguments with some as numbers of Python."""
    places = tuple(_number(x) if place in others else x for place, x in enumerate(arguments))
    return places, {name: _number(x) if name in others else x for name, x in keywords.items()}


def _number(value: Any) -> Any:
    return (value.data if isinstance(value, Tensor) else value).item()


def _sort(value: Any) -> Any:
    """What the reader sees of a value; None for what it has to look at itself."""
    kind = type(value)
    if kind is Tensor:
        return (value.ndim, value.dtype.kind, value.requires_grad) if value.data.size == 1 else kind
    if issubclass(kind, list | tuple):
        return (kind, *map(_item, value)) if len(value) <= LONG else None
    return kind


def _item(value: Any) -> Any:
    kind = type(value)
    return (value.ndim, value.dtype.kind) if kind is Tensor and value.data.size == 1 else kind


def refused(native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> TorchError | None:
    """The error of PyTorch's own reader of arguments; None where it would take them."""
    if not native.reader:
        return None
    if native.is_method:
        if not arguments or not isinstance(arguments[0], Tensor):
            return None
        arguments = arguments[1:]
    if is_told(native.reader):
        return wrong_type(native.reader, arguments, keywords)
    text = refusal(native.reader, arguments, keywords)
    return TorchError(text, kind="TypeError", hint=_way_out(native, text, keywords)) if text else None


def _way_out(native: Native, text: str, keywords: dict[str, Any]) -> str:
    known = forms_of(native.reader)
    names = {argument.name for form in known.all for argument in form.arguments} if known else set()
    unknown = [name for name in keywords if name not in names | FROM_NUMPY.keys()]
    if unknown:
        return keyword_hint(native, unknown[0])
    return "Wrap it with torch.tensor(...)." if "must be Tensor" in text else ""


def failure(native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any], error: Exception) -> Exception:
    """What a failed call of a native function is told as: PyTorch's own reader of arguments speaks first."""
    said = refused(native, arguments, keywords)
    if said is not None:
        return said
    if isinstance(error, AttributeError) and error.name is not None:
        return no_attribute(error.obj, ASKED.get(error.name, error.name))
    if isinstance(error, TorchError) and _asks_for_history(native, error):
        given = (*arguments, *keywords.values())
        return lost_history(given) or refused_saving(native.name, given) or error
    return call_error(native, error, arguments, keywords) if isinstance(error, TypeError) else error


def _asks_for_history(native: Native, error: TorchError) -> bool:
    """Whether PyTorch's function asks for the history of its tensors before it meets the error; a change does not."""
    is_op = bool(native.reader or native.is_functional) and not native.name.endswith("_")
    return is_op and error.kind in ("RuntimeError", "IndexError")


ASKED = {"ndim": "dim"}
"""What PyTorch's code asks of a tensor where ours asks something else."""


def no_attribute(value: Any, name: str) -> TorchError:
    """What Python says of a value that should have been a tensor."""
    return TorchError(f"'{type_name(value)}' object has no attribute '{name}'", kind="AttributeError")
