"""`module.__dict__` as PyTorch's modules have it."""

from __future__ import annotations

from collections import OrderedDict
from itertools import takewhile
from typing import Any

from gradviz.imitation.script.names.nn.books import BOOKS, books
from gradviz.imitation.script.values import Instance

FIELDS = (
    "_parameters", "_buffers", "_non_persistent_buffers_set", "_backward_pre_hooks", "_backward_hooks",
    "_is_full_backward_hook", "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_modules",
)  # fmt: skip
"""What PyTorch's module keeps among its attributes after `training`, in the order in which it is made."""


class WrittenThrough(dict[str, Any]):
    """A dict of what a module has: what is taken out of it is taken out of the module.

    What is put in goes the way of each class's own `__setitem__`.
    """

    shown_as = "dict"

    def __init__(self, module: Instance, held: dict[str, Any]) -> None:
        super().__init__(held)
        self._module = module

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        del self._module.attributes[name]

    def pop(self, name: str, *default: Any) -> Any:
        """Take one out."""
        if name in self:
            del self._module.attributes[name]
        return super().pop(name, *default)

    def update(self, *given: Any, **named: Any) -> None:
        """Put several in."""
        for name, value in dict(*given, **named).items():
            self[name] = value


class Fields(WrittenThrough):
    """`module.__dict__`: without parameters, buffers and modules, which PyTorch keeps in tables of their own."""

    def __init__(self, module: Instance) -> None:
        held = books(module)
        tables: dict[str, Any] = {
            "_non_persistent_buffers_set": {name for name, stays in held.buffers.items() if not stays},
            "_is_full_backward_hook": True if held.hooks.get("backward") else None,
        }
        for name in FIELDS:
            view = module.machine.state["Module"].attributes.get(name)
            tables.setdefault(name, OrderedDict() if view is None else view.getter.run(module))
        apart = {BOOKS, *tables["_parameters"], *tables["_buffers"], *tables["_modules"]}
        own = {name: value for name, value in module.attributes.items() if name not in apart}
        before = {name: own.pop(name) for name in [*takewhile(lambda name: name != "training", own)]}
        training = {"training": own.pop("training", True)}
        super().__init__(module, before | training | {name: tables[name] for name in FIELDS} | own)

    def __setitem__(self, name: str, value: Any) -> None:
        self._module.attributes[name] = value
        super().__setitem__(name, value)
