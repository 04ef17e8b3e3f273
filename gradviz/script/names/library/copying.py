"""`copy`."""

from __future__ import annotations

from gradviz.script.copies import deep, shallow
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import with_machine
from gradviz.script.values import Namespace


def module(machine: Machine) -> Namespace:
    """The names."""
    return Namespace("copy", with_machine({"copy": shallow, "deepcopy": deep}))
