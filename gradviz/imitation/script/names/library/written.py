"""Classes of Python's library that are written in Python: here in the language of scripts, run by the machine itself.

What they do is so what a script's own classes do: their special methods are found, overridden and called as usual.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from gradviz.imitation.script.errors.failures import Code
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.syntax.classes import is_abstract
from gradviz.imitation.script.syntax.forms import block
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.text.parsing import parse
from gradviz.imitation.script.values import Class

MIXINS = """
class Iterable:
    @abstractmethod
    def __iter__(self): pass
class Iterator:
    @abstractmethod
    def __next__(self): raise StopIteration
    def __iter__(self): return self
class Sized:
    @abstractmethod
    def __len__(self): return 0
class Container:
    @abstractmethod
    def __contains__(self, x): return False
class Hashable:
    @abstractmethod
    def __hash__(self): return 0
class Callable:
    @abstractmethod
    def __call__(self, *args, **kwds): return False
class Collection:
    @abstractmethod
    def __len__(self): return 0
    @abstractmethod
    def __iter__(self): pass
    @abstractmethod
    def __contains__(self, x): return False
class Sequence:
    @abstractmethod
    def __getitem__(self, index): raise IndexError
    @abstractmethod
    def __len__(self): return 0
    def __iter__(self):
        place = 0
        while True:
            try:
                item = self[place]
            except IndexError:
                return
            yield item
            place += 1
    def __contains__(self, value): return any(item is value or item == value for item in self)
    def __reversed__(self): return (self[-1 - place + len(self)] for place in range(len(self)))
    def index(self, value, start=0, stop=None):
        places = range(start, len(self) if stop is None else stop)
        found = next((place for place in places for item in (self[place],) if item is value or item == value), None)
        if found is None:
            raise ValueError
        return found
    def count(self, value): return sum(item is value or item == value for item in self)
class MutableSequence(Sequence):
    @abstractmethod
    def __setitem__(self, index, value): raise IndexError
    @abstractmethod
    def __delitem__(self, index): raise IndexError
    @abstractmethod
    def insert(self, index, value): raise IndexError
    def append(self, value): self.insert(len(self), value)
    def clear(self):
        while len(self):
            self.pop()
    def reverse(self):
        left, right = 0, len(self) - 1
        while left < right:
            self[left], self[right] = self[right], self[left]
            left, right = left + 1, right - 1
    def extend(self, values):
        for item in list(values) if values is self else values:
            self.append(item)
    def pop(self, index=-1):
        taken = self[index]
        del self[index]
        return taken
    def remove(self, value): del self[self.index(value)]
    def __iadd__(self, values):
        self.extend(values)
        return self
class Mapping:
    @abstractmethod
    def __getitem__(self, key): raise KeyError
    @abstractmethod
    def __iter__(self): pass
    @abstractmethod
    def __len__(self): return 0
    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default
    def __contains__(self, key):
        missing = False
        try:
            self[key]
        except KeyError:
            missing = True
        return not missing
    def keys(self): return KeysView(self)
    def items(self): return ItemsView(self)
    def values(self): return ValuesView(self)
    def __eq__(self, other):
        if not hasattr(other, "keys"):
            return NotImplemented
        return dict(self.items()) == dict(other.items())
class MutableMapping(Mapping):
    @abstractmethod
    def __setitem__(self, key, value): raise KeyError
    @abstractmethod
    def __delitem__(self, key): raise KeyError
    def pop(self, key, *default):
        if default and key not in self:
            return default[0]
        taken = self[key]
        del self[key]
        return taken
    def popitem(self):
        for first in self:
            return first, self.pop(first)
        raise KeyError
    def clear(self):
        for key in list(self):
            del self[key]
    def update(self, other=(), /, **kwds):
        given = ((key, other[key]) for key in other.keys()) if hasattr(other, "keys") else other
        for pairs in (given, kwds.items()):
            for key, value in pairs:
                self[key] = value
    def setdefault(self, key, default=None):
        if key in self:
            return self[key]
        self[key] = default
        return default
class Set:
    @abstractmethod
    def __contains__(self, x): return False
    @abstractmethod
    def __iter__(self): pass
    @abstractmethod
    def __len__(self): return 0
    @classmethod
    def _from_iterable(cls, it): return cls(it)
    def __le__(self, other): return len(self) <= len(other) and all(e in other for e in self)
    def __lt__(self, other): return len(self) < len(other) and self.__le__(other)
    def __ge__(self, other): return len(self) >= len(other) and all(e in self for e in other)
    def __gt__(self, other): return len(self) > len(other) and self.__ge__(other)
    def __eq__(self, other): return len(self) == len(other) and self.__le__(other)
    def __and__(self, other): return self._from_iterable(v for v in other if v in self)
    def __or__(self, other): return self._from_iterable(e for s in (self, other) for e in s)
    def __sub__(self, other): return self._from_iterable(v for v in self if v not in other)
    def isdisjoint(self, other): return not any(v in self for v in other)
class _View:
    def __init__(self, mapping): self._mapping = mapping
    def __len__(self): return len(self._mapping)
    def __repr__(self): return f"{type(self).__name__}({self._mapping!r})"
class KeysView(_View):
    def __iter__(self): yield from self._mapping
    def __contains__(self, key): return key in self._mapping
class ValuesView(_View):
    def __iter__(self):
        for key in self._mapping:
            yield self._mapping[key]
    def __contains__(self, value): return any(v is value or v == value for v in self)
class ItemsView(_View):
    def __iter__(self):
        for key in self._mapping:
            yield key, self._mapping[key]
    def __contains__(self, item): return item[0] in self._mapping and self._mapping[item[0]] == item[1]
"""
"""The methods that `collections.abc` gives to classes derived from it."""

CONTAINERS = """
class UserDict(MutableMapping):
    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        for given in (dict, kwargs or None):
            if given is not None:
                self.update(given)
    def __len__(self): return len(self.data)
    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(type(self), "__missing__"):
            return type(self).__missing__(self, key)
        raise KeyError(key)
    def __setitem__(self, key, item): self.data[key] = item
    def __delitem__(self, key): del self.data[key]
    def __iter__(self): return iter(self.data)
    def __contains__(self, key): return key in self.data
    def get(self, key, default=None): return self[key] if key in self else default
    def __repr__(self): return repr(self.data)
    def copy(self):
        made = type(self)()
        made.data = self.data.copy()
        return made
class UserList(MutableSequence):
    def __init__(self, initlist=None):
        self.data = []
        if initlist is not None:
            self.data = list(initlist)
    def __repr__(self): return repr(self.data)
    def _plain(self, other): return other.data if isinstance(other, UserList) else other
    def __lt__(self, other): return self.data < self._plain(other)
    def __eq__(self, other): return self.data == self._plain(other)
    def __contains__(self, item): return item in self.data
    def __len__(self): return len(self.data)
    def __getitem__(self, i): return type(self)(self.data[i]) if isinstance(i, slice) else self.data[i]
    def __setitem__(self, i, item): self.data[i] = item
    def __delitem__(self, i): del self.data[i]
    def __add__(self, other): return type(self)(self.data + list(self._plain(other)))
    def __mul__(self, n): return type(self)(self.data * n)
    def append(self, item): self.data.append(item)
    def insert(self, i, item): self.data.insert(i, item)
    def pop(self, i=-1): return self.data.pop(i)
    def remove(self, item): self.data.remove(item)
    def clear(self): self.data.clear()
    def copy(self): return type(self)(self)
    def count(self, item): return self.data.count(item)
    def index(self, item, *args): return self.data.index(item, *args)
    def reverse(self): self.data.reverse()
    def sort(self, *, key=None, reverse=False): self.data.sort(key=key, reverse=reverse)
    def extend(self, other): self.data.extend(list(self._plain(other)))
"""
"""Those of `collections`."""


def run_text(machine: Machine, text: str, names: dict[str, Any], module: str) -> dict[str, Any]:
    """The classes and functions that a text defines, each class belonging to a module of Python's or PyTorch's."""
    frame = Frame(machine, None)
    frame.vars.update(names)
    _code(text)(frame)
    made = {name: value for name, value in frame.vars.items() if name not in names}
    for value in made.values():
        if isinstance(value, Class):
            value.module = module
    return made


@cache
def _code(text: str) -> Code:
    """What runs a text, in any machine: read once, and not for each script anew."""
    return block(ast.increment_lineno(parse(text), -BEYOND).body, Scope(is_module=True))


BEYOND = 10_000_000
"""Lines of these texts are numbered up from minus so many: no place in a script, and the machine does not mark them."""


def fill(machine: Machine, known: dict[str, Class]) -> None:
    """Give the classes of `collections.abc` their methods; they stay abstract."""
    abstract = machine.modules["abc"].members
    made = run_text(machine, MIXINS, {"abstractmethod": abstract["abstractmethod"]}, "collections.abc")
    for name, cls in made.items():
        if name in known:
            target = known[name]
            target.attributes = {k: v for k, v in cls.attributes.items() if k not in ("__doc__", "__hash__")}
            target.meta = abstract["ABCMeta"]
            inherited = [known[base.name] for base in cls.bases if base.name in known]
            target.bases = (*inherited, machine.builtins["object"])
            target.mro = [target, *inherited, machine.builtins["object"]]
            target.abstract = frozenset(
                key for each in target.mro for key, value in each.attributes.items() if is_abstract(value)
            )
