"""What tensors and modules are called: by the bytecode that stores a result, by variables, by modules' paths."""

from __future__ import annotations

import dis
import linecache
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType, SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary, ref

import torch

RETURN = "return"
"""In a table of stores: the result is returned, so the caller's instruction says what it is called."""

NAMED_ITEMS = 200
"""A list, dict or object of at most so many things names them by their places, as `ws[0]`, `p["w"]`, `net.w`."""
DEEPEST = 3
"""How many of them one inside another are looked into, as `ws[0][1]`."""

_STORES = {"STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF", "STORE_FAST_MAYBE_NULL"}
_tables: dict[int, tuple[CodeType, dict[int, str | tuple[str, ...]]]] = {}


def stores_of(code: CodeType) -> dict[int, str | tuple[str, ...]]:
    """By offset of an instruction: the variables that its result is stored in at once, or RETURN."""
    found = _tables.get(id(code))
    if found is None:
        found = _tables[id(code)] = (code, _stores_of(code))
    return found[1]


def _stores_of(code: CodeType) -> dict[int, str | tuple[str, ...]]:
    table: dict[int, str | tuple[str, ...]] = {}
    steps = list(dis.get_instructions(code))
    for at, step in enumerate(steps):
        names = _names_after(steps, at + 1)
        if names:
            # while a function written in Python is called, Python 3.11 stands at the end of the call's own caches
            end = steps[at + 1].offset if at + 1 < len(steps) else step.offset + 2
            for offset in range(step.offset, end, 2):
                table[offset] = names
    return table


def _names_after(steps: list[dis.Instruction], at: int) -> str | tuple[str, ...] | None:
    names: list[str] = []
    count = 1
    while at < len(steps) and count > 0:
        name, value = steps[at].opname, steps[at].argval
        if name in _STORES:
            names.append(value)
            count -= 1
        elif name == "STORE_FAST_STORE_FAST":
            names += value if isinstance(value, tuple) else [str(value)]
            count -= 2
        elif name == "STORE_FAST_LOAD_FAST":
            names.append(value[0] if isinstance(value, tuple) else str(value))
            count -= 1
        elif name == "UNPACK_SEQUENCE" and not names:
            count = value
        elif name in ("COPY", "DUP_TOP") and not names:
            count += 1
        elif name == "RETURN_VALUE" and not names:
            return RETURN
        else:
            break
        at += 1
    return tuple(names) or None


class ModuleNames:
    """Paths of modules and of their parameters."""

    def __init__(self) -> None:
        self._modules: WeakKeyDictionary[Any, tuple[str, str]] = WeakKeyDictionary()
        self._parameters: dict[int, tuple[Any, str]] = {}

    def __contains__(self, module: Any) -> bool:
        return module in self._modules

    def add(self, root: Any, variable: str) -> None:
        """Name a module, and all that is inside it, by a variable of the user's."""
        for path, module in list(root.named_modules()):
            full = f"{variable}.{path}" if path else variable
            self._modules.setdefault(module, (path or variable, full))
            held = [*module._parameters.items(), *module._buffers.items()]
            for name, parameter in held:
                if parameter is not None and not self._known(parameter):
                    self._parameters[id(parameter)] = (ref(parameter), f"{full}.{name}")

    def _known(self, parameter: Any) -> bool:
        found = self._parameters.get(id(parameter))
        return found is not None and found[0]() is parameter

    def of_module(self, module: Any) -> tuple[str, str] | None:
        """(path inside the outermost module, or its variable; full path)."""
        return self._modules.get(module)

    def of_parameter(self, t: Any) -> str | None:
        """E.g. "net.layers.0.weight"."""
        found = self._parameters.get(id(t))
        return found[1] if found is not None and found[0]() is t else None

    def __iter__(self) -> Iterator[tuple[Any, str]]:
        """Parameters that are still there, with their names."""
        for weak, name in list(self._parameters.values()):
            parameter = weak()
            if parameter is not None:
                yield parameter, name


_of_interest: dict[type, bool] = {}


def is_of_interest(kind: type) -> bool:
    """Whether values of a class are, or may hold, tensors: most variables are not, and are passed over at once."""
    found = _of_interest.get(kind)
    if found is None:
        is_users = kind is SimpleNamespace or getattr(kind, "__module__", None) == "__main__"
        held = (torch.Tensor, torch.nn.Module, dict)
        found = _of_interest[kind] = is_users or kind in (list, tuple) or issubclass(kind, held)
    return found


def variables(frames: Iterable[FrameType]) -> Iterator[tuple[str, Any]]:
    """The user's variables in some frames that may hold tensors, innermost first, each name space once."""
    seen: dict[int, Any] = {}  # with the name space itself, for another may get its id
    for frame in frames:
        for space in (frame.f_locals, frame.f_globals):
            if id(space) in seen:
                continue
            seen[id(space)] = space
            for name, value in list(space.items()):
                if is_of_interest(type(value)) and name[0] not in "_ @":
                    yield name, value


def tensors(name: str, value: Any, quote: str = '"', depth: int = DEEPEST) -> Iterator[tuple[str, Any]]:
    """The tensors that a variable holds: itself, or in lists, dicts and objects of the user's and those inside them.

    Args:
        quote: around the keys of dicts, as the script writes them.
    """
    if isinstance(value, torch.Tensor):
        yield name, value
    elif depth and is_of_interest(type(value)) and not isinstance(value, torch.nn.Module):
        for place, item in _places(name, value, quote):
            yield from tensors(place, item, quote, depth - 1)


def _places(name: str, value: Any, quote: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        if len(value) <= NAMED_ITEMS:
            for key, item in list(dict.items(value)):
                if type(key) is str:
                    yield f"{name}[{quote}{key}{quote}]", item
                elif type(key) is int or (type(key) is tuple and key and all([type(each) is int for each in key])):
                    yield f"{name}[{str(key).strip('()')}]", item
    elif type(value) in (list, tuple):
        if len(value) <= NAMED_ITEMS:
            yield from ((f"{name}[{index}]", item) for index, item in enumerate(value))
    else:
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict) and len(held) <= NAMED_ITEMS:
            yield from ((f"{name}.{key}", item) for key, item in list(held.items()))


_quotes: dict[str, str] = {}


def quote_in(file: str) -> str:
    """The quotes in which a file writes the keys of its dicts, as far as its lines can be read."""
    if file not in _quotes:
        text = "".join(linecache.getlines(file))
        _quotes[file] = "'" if text.count("['") > text.count('["') else '"'
    return _quotes[file]
