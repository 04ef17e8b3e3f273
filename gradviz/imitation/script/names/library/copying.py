"""`copy`."""

from __future__ import annotations

from gradviz.imitation.script.copies import deep, shallow
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.values import Namespace


def module(machine: Machine) -> Namespace:
    """The names."""
    return Namespace("copy", with_machine({"copy": shallow, "deepcopy": deep}))
