"""Values that a notebook shows as the call that would make them, or by the signature they are called with."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections import Counter, OrderedDict, deque
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.script.callables import Bound, Function, Native
from gradviz.imitation.script.hinting import stays_text
from gradviz.imitation.script.names.library.containers import DefaultDict
from gradviz.imitation.script.values import Class, Object


class Made(NamedTuple):
    """`name(*arguments, **keywords)`."""

    name: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def made(value: Any) -> Made | None:
    """The call that a value is shown as, if IPython shows it so."""
    kind = type(value)
    if kind is OrderedDict:
        return Made("OrderedDict", (list(value.items()),) if value else (), {})
    if kind is Counter:
        return Made("Counter", (dict(value.most_common()),) if value else (), {})
    if kind is deque:
        return Made("deque", (list(value),), {} if value.maxlen is None else {"maxlen": value.maxlen})
    if kind is DefaultDict:
        return Made("defaultdict", (value.factory, dict(value)), {})
    if kind is Object and _is_exception(value.cls) and not _has_own(value.cls, "__repr__"):
        return Made(path(value.cls), tuple(value.attributes.get("args", ())), {})
    if kind is Object and value.cls.name == "SimpleNamespace" and value.cls.module == "types":
        return Made("namespace", (), dict(value.attributes))
    return None


def _is_exception(cls: Class) -> bool:
    return any(each.name == "BaseException" and not each.module for each in cls.mro)


def _has_own(cls: Class, name: str) -> bool:
    return any(each.module and name in each.attributes for each in cls.mro)


def path(cls: Class) -> str:
    """A class with its module, which those of Python itself are shown without."""
    return f"{cls.module}.{cls.qualname}" if cls.module else cls.qualname


def one_line(value: Any) -> str | None:
    """The text of classes, functions and objects without a repr of their own; None for all else."""
    if isinstance(value, Class):
        tells_itself = value.is_enum or (value.meta is not None and _has_own(value.meta, "__repr__"))
        return repr(value) if tells_itself else path(value)
    if isinstance(value, Function):
        return f"<function __main__.{value.qualname}{signature(value)}>"
    if isinstance(value, Native) and value.is_type:
        return value.name
    if isinstance(value, Native) and value.owner:
        return f"<function {value.owner.rpartition('.')[2]}.{value.name}{_of_method(value.owner, value.name)}>"
    if isinstance(value, Bound | Native) and (text := repr(value)).startswith("<built-in method "):
        owner = "Tensor" if isinstance(value, Bound) else "torch._VariableFunctionsClass"
        return f"<function {owner}.{text.split()[2]}>"
    if isinstance(value, re.Pattern):
        return _compiled(value)
    if type(value) is Native and not value.is_method and hasattr(builtins, value.name):
        return f"<function {value.name}{_of_builtin(value.name)}>"
    if isinstance(value, Object) and not value.cls.has("__repr__"):
        return f"<{path(value.cls)} at 0x{0x7F0000000000:x}>"
    return None


def _of_method(kind: str, name: str) -> str:
    """How a method of one of Python's own types is called, where it says so."""
    at, _, short = kind.rpartition(".")
    method = getattr(getattr(np if at else builtins, short, None), name, None)
    if method is None:
        return ""
    try:
        found = inspect.signature(method)
    except ValueError:
        return ""
    return str(found.replace(parameters=list(found.parameters.values())[1:]))


FLAGS = ("IGNORECASE", "LOCALE", "MULTILINE", "DOTALL", "UNICODE", "VERBOSE", "DEBUG")


def _compiled(pattern: re.Pattern[Any]) -> str:
    flags = "|".join(f"re.{name}" for name in FLAGS if pattern.flags & getattr(re, name))
    spelled = "r" + repr(pattern.pattern).replace("\\\\", "\\")
    return f"re.compile({spelled}{', ' + flags if flags else ''})"


def without_object(text: str) -> str:
    """The text of an object that has none of its own: IPython leaves out a word of Python's."""
    return PLAIN.sub(r"<\1 at \2>", text)


PLAIN = re.compile(r"<([\w.]+) object at (0x[0-9a-f]+)>\Z")


def _of_builtin(name: str) -> str:
    try:
        return str(inspect.signature(getattr(builtins, name)))
    except (TypeError, ValueError):
        return ""


def signature(function: Function, skipped: int = 0) -> str:
    """`(x, *rest, key: int = 3) -> float`, as `inspect` writes it; `skipped` is 1 where `self` is given already."""
    params, parts = function.params, []
    only = len(params.positional_only)
    for place, name in enumerate(params.positional, 1):
        if place > skipped:
            parts.append(_parameter(function, name))
        if place == only and parts:
            parts.append("/")
    if params.rest:
        parts.append("*" + _parameter(function, params.rest))
    elif params.keyword_only:
        parts.append("*")
    parts += [_parameter(function, name) for name in params.keyword_only]
    if params.keywords:
        parts.append("**" + _parameter(function, params.keywords))
    returned = function.hints.get("return")
    return f"({', '.join(parts)})" + ("" if returned is None else f" -> {_hint(function, returned)}")


def _hint(function: Function, hint: ast.expr) -> str:
    """An annotation as it is kept: a text where the script asks for it from the future."""
    text = ast.unparse(hint)
    return repr(text) if stays_text(function.outer.machine, hint) else text


def _parameter(function: Function, name: str) -> str:
    hint, text = function.hints.get(name), name
    if hint is not None:
        text += f": {_hint(function, hint)}"
    if name in function.params.defaults:
        text += f"{'=' if hint is None else ' = '}{function.params.defaults[name]!r}"
    return text
