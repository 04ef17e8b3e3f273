"""What PyTorch has, name by name: a name that the engine lacks is beyond it, or a mistake of the script."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradviz.engine.errors import Beyond


def _read() -> dict[str, frozenset[str]]:
    text = Path(__file__).with_name("pytorch_names.txt").read_text(encoding="utf-8")
    pairs = [line.split(": ") for line in text.splitlines() if not line.startswith("#")]
    return {owner: frozenset(names.split()) for owner, names in pairs}


NAMES = _read()
"""For each module or class of PyTorch, e.g. "torch.nn" or "torch.Tensor", its public names."""


def missing(module: str, name: str) -> AttributeError:
    """The error of a name that a module of the engine lacks.

    Args:
        module: as PyTorch calls it, e.g. "torch.nn".
    """
    if name in NAMES.get(module, ()):
        return Beyond(f"{module}.{name}")
    return AttributeError(f"module '{module}' has no attribute '{name}'")


def missing_in(kind: str, owner: object, name: str) -> AttributeError:
    """The error of a name that an object lacks.

    Args:
        kind: its class as PyTorch calls it, e.g. "torch.nn.Module".
    """
    if name in NAMES[kind]:
        return Beyond(f"{kind}.{name}")
    return AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'")


def missing_of(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that raises for every name that is missing; see `missing`."""

    def look_up(name: str) -> Any:
        raise missing(module, name)

    return look_up


class MissingInTensor:
    """Stands in the class of tensors for a name that PyTorch's tensors have.

    A `__getattr__` of the class would do the same, but takes from Python its quick way to every other attribute.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: object, kind: type) -> Any:
        raise Beyond(f"torch.Tensor.{self._name}")
