"""Single statements of each kind that programs are made of, on tensors of their own, and all that they leave."""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random

from tests.programs.generate import KINDS
from tests.programs.leaves import VIEWS, is_float, leaf, numbers
from tests.programs.writer import CAUGHT, Writer

NAMED: dict[str, Callable[[Writer], None]] = {kind.__name__: kind for kind in KINDS if kind is not leaf}
STEPS = ("{0} * 1", "{0} * 1", "{0}.clone()", "{0}.double().exp()", "{0}.detach()", *VIEWS)


class SingleCall(Writer):
    """A writer that forgets the tensors of the last call, and keeps every statement, also one that raises."""

    def begin(self) -> None:
        """From here on only new tensors are taken."""
        self._closed.update(self.tensors())
        self.chunks = []

    def add(self, text: str, *after: str, keeps_errors: float = 1.0) -> bool:
        """Write a statement and what is shown after it; what is no Python would keep the others from running."""
        try:
            ast.parse("\n".join((text, *after)))
        except SyntaxError:
            return False
        return super().add(text, *after, keeps_errors=1.0)


def single_calls(kind: str, count: int, random: Random) -> list[list[str]]:
    """So many calls: of each the statements, of which any may raise without stopping the next."""
    writer = SingleCall(random)
    return [_single_call(writer, NAMED[kind]) for _ in range(count)]


def _single_call(w: SingleCall, kind: Callable[[Writer], None]) -> list[str]:
    w.begin()
    _given(w)
    before = len(w.chunks)
    kind(w)
    told = w.tensors()
    w.chunks[before:] = [CAUGHT.format(_indented(chunk)) for chunk in w.chunks[before:]]
    return [*w.chunks, *(CAUGHT.format(f"    {line}") for line in _told(w, told))]


def _given(w: Writer) -> None:
    """Two or three tensors: leaves, the second of the same shape now and then, and a view or a result of one."""
    leaf(w)
    if (first := w.any()) and w.chance(0.4) and 0 not in w.value(first).shape:
        w.let(f"torch.tensor({numbers(w.random, w.value(first).shape)}, dtype=torch.float64, requires_grad=True)")
    else:
        leaf(w)
    if (name := w.any()) and w.chance(0.6):
        w.let(w.pick(STEPS).format(name))
    if (name := w.any(lambda t: t.requires_grad)) and w.chance(0.25):
        w.add(f"{name}.pow(2).sum().backward()")


def _told(w: Writer, names: list[str]) -> list[str]:
    """Each tensor and its version, graph and gradient; then, the numbers of leaves written over, who shares them."""
    results = [name for name in names if w.value(name).requires_grad]
    shown = [f"show({name!r}, {name}); print({name}._version)" for name in names]
    passed = [f"graph({name})" for name in results]
    if results:
        total = " + ".join(f"({name} * {name}).double().sum()" for name in results)
        passed.append(f"total = {total}" + ("; held = watch(total)" if w.chance(0.3) else "") + "; total.backward()")
    gradients = [f"show_grad({name!r}, {name})" for name in names if is_float(w.value(name))]
    over = [f"{name}.data.fill_(1); print([t.tolist() for t in ({', '.join(names)},)])" for name in names]
    return shown + passed + gradients + over


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
