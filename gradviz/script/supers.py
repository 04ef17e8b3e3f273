"""What `super()` gives."""

from __future__ import annotations

from typing import Any

from gradviz.errors import TorchError
from gradviz.script.values import Bound, Class, Native, OnClass, Property, Static


class Super:
    """What `super()` gives: the attributes of the classes after one in an object's order."""

    __slots__ = ("cls", "owner", "receiver")

    def __init__(self, cls: Class, receiver: Any) -> None:
        self.cls = cls
        self.receiver = receiver
        self.owner = receiver if isinstance(receiver, Class) else receiver.cls

    def find(self, name: str) -> Any:
        """The attribute, bound to the object.

        Raises:
            TorchError: no class after this one has it.
        """
        order = self.owner.mro
        for cls in order[order.index(self.cls) + 1 :]:
            if name in cls.attributes:
                found = cls.attributes[name]
                if isinstance(found, Static):
                    return found.function
                if isinstance(found, Property):
                    return self.receiver.machine.call(found.getter, (self.receiver,), {})
                return Bound(found.function if isinstance(found, OnClass) else found, self.receiver)
        if name == "__init__":
            return Native("__init__", lambda *_, **__: None)
        raise TorchError(f"'super' object has no attribute '{name}'", kind="AttributeError")
