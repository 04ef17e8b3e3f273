"""Writes a random program, line by line, with gradviz itself telling what each line leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import GradvizError
from gradviz.imitation.script.machine import Frame, Limits, Machine
from gradviz.imitation.script.run import install
from gradviz.imitation.script.syntax.forms import block
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.text.parsing import parse
from tests.programs.prelude import PRELUDE

LARGEST = 48
"""Elements of a tensor; programs stay small."""

MODERATE = 1e4
"""Larger numbers lose digits when they are subtracted."""

CAUGHT = "try:\n{}\nexcept Exception as e:\n    print(type(e).__name__, e)"


class Writer:
    """A program that grows.

    Attributes:
        chunks: its statements after the prelude; each stands for itself and can be left out.
        random: what chooses.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.chunks: list[str] = []
        self._machine = Machine(Limits(steps=200_000, nodes=5_000), self._is_late, 0)
        self._until = time.monotonic() + 20
        install(self._machine)
        self._frame = Frame(self._machine, None)
        self._machine.state["module"] = self._frame
        self._count = 0
        self._closed: set[str] = set()
        self._run(PRELUDE)

    def _is_late(self) -> bool:
        return time.monotonic() > self._until

    @property
    def text(self) -> str:
        """The whole script."""
        return script(self.chunks)

    # ---- what there is ----

    def tensors(self, fits: Callable[[Tensor], bool] = lambda t: True) -> list[str]:
        """Names of the tensors that fit and are neither large nor full of large numbers."""
        held = self._frame.vars
        return [
            name
            for name, value in held.items()
            if _is_name(name) and name not in self._closed and isinstance(value, Tensor) and fits(value)
        ]

    def value(self, name: str) -> Any:
        """The tensor of that name, as gradviz has it."""
        return self._frame.vars[name]

    def any(self, fits: Callable[[Tensor], bool] = lambda t: True) -> str | None:
        """One of them; the later ones are likelier."""
        names = self.tensors(fits)
        if not names:
            return None
        return self.random.choice(names[-4:] if self.random.random() < 0.6 else names)

    def chance(self, p: float) -> bool:
        """True so often."""
        return self.random.random() < p

    def pick(self, options: Iterable[Any]) -> Any:
        """One of them."""
        return self.random.choice(tuple(options))

    def fresh(self) -> str:
        """A name that is not taken."""
        self._count += 1
        return f"t{self._count}"

    # ---- writing ----

    def number(self) -> float:
        """A number that is neither small nor large."""
        return round(self.random.uniform(0.2, 1.5), 3) * self.random.choice((-1, 1))

    def let(self, expression: str) -> str | None:
        """A new tensor and its line; None where there is none."""
        name = self.fresh()
        if not self.add(f"{name} = {expression}", f"show({name!r}, {name})"):
            return None
        return name if isinstance(self._frame.vars.get(name), Tensor) else None

    def add(self, text: str, *after: str, keeps_errors: float = 0.3) -> bool:
        """Write a statement and what is shown after it; what raises is caught in the program, or left out."""
        try:
            self._run("\n".join((text, *after)))
        except GradvizError:
            if self.chance(keeps_errors):
                self.chunks.append(CAUGHT.format(_indented("\n".join((text, *after)))))
            return False
        except Exception:  # a fault of ours is what the comparison is to show
            self.chunks.append("\n".join((text, *after)))
            return False
        self.chunks.append("\n".join((text, *after)))
        self._closed.update(name for name in self.tensors() if not _is_moderate(self.value(name)))
        return True

    def _run(self, text: str) -> None:
        machine = self._machine
        with machine.tape.recording(), np.printoptions():
            code = block(parse(text).body, Scope(is_module=True))
            code(self._frame)
        machine.tape.grad_enabled = True
        with suppress(GradvizError):
            machine.check()


def script(chunks: Iterable[str]) -> str:
    """Statements as a script that runs."""
    return PRELUDE + "\n".join(chunks) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _is_name(name: str) -> bool:
    return name[:1] == "t" and name[1:].isdigit()


def _is_moderate(t: Tensor) -> bool:
    data = np.asarray(t.data)
    if data.size > LARGEST:
        return False
    if data.dtype.kind != "f" or not data.size:
        return True
    with np.errstate(all="ignore"):
        return bool(np.abs(data).max() < MODERATE)
