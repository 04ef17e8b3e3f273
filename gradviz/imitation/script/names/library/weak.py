"""`weakref`: references that keep nothing alive, and the containers of such."""

from __future__ import annotations

import weakref
from typing import Any

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import written
from gradviz.imitation.script.values import Class, Function, Namespace, Native, Object, type_name

CONTAINERS = """
class WeakValueDictionary(UserDict):
    def _alive(self): return {key: kept() for key, kept in self.data.items() if kept() is not None}
    def __getitem__(self, key):
        found = self.data[key]()
        if found is None:
            raise KeyError(key)
        return found
    def __setitem__(self, key, value): self.data[key] = ref(value)
    def __contains__(self, key): return key in self._alive()
    def __len__(self): return len(self._alive())
    def __iter__(self): return iter(self._alive())
    def __repr__(self): return "<WeakValueDictionary at 0x7f0000000000>"
class WeakKeyDictionary(MutableMapping):
    def __init__(self, dict=None):
        self.data = {}
        if dict is not None:
            self.update(dict)
    def _alive(self): return {kept(): value for kept, value in self.data.items() if kept() is not None}
    def __getitem__(self, key): return self._alive()[key]
    def __setitem__(self, key, value):
        for kept in self.data:
            if kept() is key:
                self.data[kept] = value
                return
        self.data[ref(key)] = value
    def __delitem__(self, key):
        for kept in self.data:
            if kept() is key:
                del self.data[kept]
                return
        raise KeyError(key)
    def __len__(self): return len(self._alive())
    def __iter__(self): return iter(self._alive())
    def __repr__(self): return "<WeakKeyDictionary at 0x7f0000000000>"
class WeakSet:
    def __init__(self, data=()):
        self._kept = []
        for item in data:
            self.add(item)
    def _alive(self): return [kept() for kept in self._kept if kept() is not None]
    def add(self, item):
        if item not in self:
            self._kept.append(ref(item))
    def discard(self, item): self._kept = [kept for kept in self._kept if kept() is not item]
    def remove(self, item):
        if item not in self:
            raise KeyError(item)
        self.discard(item)
    def __contains__(self, item): return any(each is item for each in self._alive())
    def __iter__(self): return iter(self._alive())
    def __len__(self): return len(self._alive())
"""

KINDS = (Object, Tensor, Function, Class)
"""What can be referred to weakly."""


class Reference(Native):
    """What `weakref.ref` gives: called, it gives what it refers to, or None once that is gone."""

    shown_as = "ReferenceType"
    shown_in = "weakref"
    __slots__ = ()

    def __repr__(self) -> str:
        value = self.run()
        end = "dead" if value is None else f"to '{type_name(value)}' at 0x7f0000000000"
        return f"<weakref at 0x7f0000000000; {end}>"


def _ref(machine: Machine, value: Any, callback: Any = None) -> Reference:
    if not isinstance(value, KINDS):
        raise TorchError(f"cannot create weak reference to '{type_name(value)}' object", kind="TypeError")
    if callback is not None:
        raise ScriptError("a callback of weakref.ref is not supported", hint="Ask the reference whether it still is.")
    return Reference("weakref", weakref.ref(value))


def module(machine: Machine) -> Namespace:
    """The names."""
    collections = machine.modules["collections"].members
    bases = {"UserDict": collections["UserDict"], "MutableMapping": collections["abc"].members["MutableMapping"]}
    make = Native("ref", _ref, needs_machine=True)
    ref = Class("ReferenceType", python=(Reference,), make=make, module="weakref")
    machine.state["types"].append(ref)
    ours = {"ref": ref, "ReferenceType": ref}
    made = written.run_text(machine, CONTAINERS, {**bases, **ours}, "weakref")
    return Namespace("weakref", {**made, **ours, "proxy": Native("proxy", lambda value, callback=None: value)})
