"""`torch.nn.init`: fills a tensor in place, without recording it, with PyTorch's own numbers."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.late import Late
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.names.nn.initial_text import INIT

NAME = "torch.nn.init"


def init_namespace(machine: Machine) -> Late:
    """The module, with the names of old code."""

    def read() -> dict[str, Any]:
        outer = {name: machine.modules[name] for name in ("math", "torch", "warnings")}
        return run_text(machine, INIT, {**machine.builtins, **outer}, NAME)

    return Late(NAME, read)
