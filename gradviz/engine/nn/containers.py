"""Containers: Sequential, and lists and dicts of modules and parameters that a module can name."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, ClassVar, Self

from gradviz.engine.dtypes import dtype_of
from gradviz.engine.nn.module import Module, block, indent, read_given
from gradviz.engine.nn.parameter import Parameter
from gradviz.engine.tensor import Tensor, current


class ModuleSequence(Module):
    """What Sequential and ModuleList have in common: modules named "0", "1", ..."""

    keeps_names: ClassVar[bool]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter([module for module in self._modules.values() if module is not None])

    def __getitem__(self, index: Any) -> Any:
        """The module at an index, or for a slice a container of the same type."""
        if isinstance(index, slice):
            items = list(self._modules.items())[index]
            return type(self)(OrderedDict(items)) if self.keeps_names else type(self)([module for _, module in items])
        return self._modules[_key(self, index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, _key(self, index), module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)[index] if isinstance(index, slice) else [_key(self, index)]
        for name in names:
            del self._modules[name]
        _number(self, list(self._modules.values()))

    def __iadd__(self, other: Iterable[Module]) -> Self:
        return self.extend(other)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add several modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in tuple(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Add a module before the one at an index.

        Raises:
            IndexError: there is no such place.
            AssertionError: it is no module.
        """
        assert isinstance(module, Module), f"module should be of type: {Module}"
        held: list[Module | None] = list(self._modules.values())
        if not -len(held) <= index <= len(held):
            raise IndexError(f"Index out of range: {index}")
        held.insert(index, module)
        _number(self, held)
        return self

    def pop(self, key: int) -> Module:
        """Take a module out and give it."""
        found: Module = self[key]
        del self[key]
        return found


def _key(modules: ModuleSequence, index: Any) -> str:
    """The name of the module at an index, which may count from the end.

    Raises:
        IndexError: there is none.
    """
    at, size = operator.index(index), len(modules)
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of range")
    return list(modules._modules)[at]


def _number(holder: ModuleSequence, modules: Sequence[Module | None]) -> None:
    """Let a container hold these modules, named "0", "1", ..."""
    holder._modules.clear()
    holder._modules.update((str(i), module) for i, module in enumerate(modules))


class Sequential(ModuleSequence):
    """Modules that run one after the other, each on what the one before it gave."""

    keeps_names = True

    def __init__(self, *args: Any) -> None:
        super().__init__()
        is_named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if is_named else enumerate(args):
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """What the last module gives."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __mul__(self, other: int) -> Sequential:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        return self.extend(list(self) * (other - 1))


class ModuleList(ModuleSequence):
    """A list of modules."""

    keeps_names = False

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def insert(self, index: int, module: Module) -> None:
        """Add a module before the one at an index, as for a list."""
        held: list[Module | None] = list(self._modules.values())
        held.insert(index, module)
        _number(self, held)

    def __repr__(self) -> str:
        """Equal modules in a row stand on one line, with how many there are."""
        lines, start = [], 0
        for text, same in groupby(map(repr, self)):
            end = start + len(list(same)) - 1
            several = f"({start}-{end}): {end - start + 1} x "
            lines.append(indent((f"({start}): " if start == end else several) + text))
            start = end + 1
        return f"{self._get_name()}({block(lines)})"


class NamedItems(Module):
    """What ModuleDict and ParameterDict have in common: the ways of a dict."""

    def _held(self) -> Mapping[str, Any]:
        """What is in it, by name."""
        raise NotImplementedError

    def __getitem__(self, key: str) -> Any:
        return self._held()[key]

    def __setitem__(self, key: str, value: Any) -> None:
        raise NotImplementedError

    def __delitem__(self, key: str) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._held())

    def __iter__(self) -> Iterator[str]:
        return iter(self._held())

    def __contains__(self, key: object) -> bool:
        return key in self._held()

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._held().keys()

    def values(self) -> Iterable[Any]:
        """What they stand for."""
        return self._held().values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and what they stand for."""
        return self._held().items()

    def clear(self) -> None:
        """Take all out."""
        for key in tuple(self._held()):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take one out and give it."""
        found = self[key]
        del self[key]
        return found

    def update(self, items: Any) -> None:
        """Add those of a dict, or of pairs of a name and what it stands for."""
        if not isinstance(items, Iterable):
            raise TypeError(
                f"{type(self).__name__}.update should be called with an iterable of key/value pairs, but got "
                f"{type(items).__name__}"
            )
        for name, item in items.items() if hasattr(items, "items") else items:
            self[name] = item


class ModuleDict(NamedItems):
    """A dict of modules."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def _held(self) -> Mapping[str, Any]:
        return self._modules

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]


def _as_parameter(value: Any) -> Any:
    """A tensor as a parameter; anything else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _place(index: Any, size: int) -> str:
    """The name of the value at an index, which may count from the end.

    Raises:
        IndexError: there is none.
    """
    at = operator.index(index)
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of range")
    return str(at % size)


def _size(x: Tensor) -> str:
    return "x".join(str(size) for size in x.shape)


class ParameterList(Module):
    """A list of parameters; other values may stand in it too."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, str(i)) for i in range(self._size)])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(self._size))])
        return getattr(self, _place(index, self._size))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, _place(index, self._size), _as_parameter(value))

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: a list of parameters computes nothing."""
        raise RuntimeError("ParameterList should not be called.")

    def append(self, value: Any) -> Self:
        """Add a value at the end; a tensor becomes a parameter."""
        setattr(self, str(self._size), _as_parameter(value))
        self._size += 1
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several values at the end."""
        if not isinstance(values, Container) or isinstance(values, Tensor):
            values_are = type(values).__name__
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {values_are}")
        for value in tuple(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """One line for each value."""
        return "\n".join(f"  ({i}): {_describe(value)}" for i, value in enumerate(self))


def _describe(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"{kind} containing: [torch.{current(value).array.dtype.name} of size {_size(value)}]"


class ParameterDict(NamedItems):
    """A dict of parameters; other values may stand in it too."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _held(self) -> Mapping[str, Any]:
        return {key: read_given(self, key) for key in self._keys}

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        if type(key) is not str or key[:2] == "__":
            raise KeyError(f"a parameter cannot be called {key!r}")
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, else the default."""
        return self[key] if key in self._keys else default

    def extra_repr(self) -> str:
        """One line for each value."""
        lines = []
        for key, value in self.items():
            if isinstance(value, Tensor):
                kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
                dtype = dtype_of(current(value).array.dtype)
                text = f"{kind} containing: [torch.{dtype.type_name}Tensor of size {_size(value)}]"
            else:
                text = f"Object of type: {type(value).__name__}"
            lines.append(f"  ({key}): {text}")
        return "\n".join(lines)
