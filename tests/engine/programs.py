"""Random small programs: lines of text over tensors t0, t1, ..., and the backward passes to run on them.

The same lines run on the engine and on PyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.passes.backward import node_name
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError
from gradviz.imitation.freeze import ordered_steps
from tests.engine.expressions import evaluate

SHAPES = ((), (3,), (2, 3), (2, 1), (1, 3), (3, 2), (1,))

UNARY = (
    "tanh({0})", "sigmoid({0})", "sin({0})", "cos({0})", "relu({0})", "abs({0})", "-{0}", "exp(tanh({0}))",
    "sqrt(abs({0}) + 1)", "log(abs({0}) + 1)", "tanh({0}) ** 2", "tanh({0}) ** 3", "reciprocal(abs({0}) + 1)",
    "clamp({0}, -0.5, 0.7)", "{0} / 2", "1 - {0}", "2 / (abs({0}) + 2)", "square(sin({0}))", "clone({0})",
    "2 ** tanh({0})", "(abs({0}) + 1) ** -0.5", "where({0} > 0.1, {0}, {0} * 0.5)",
)  # fmt: skip
BINARY = (
    "{0} + {1}", "{0} - {1}", "{0} * tanh({1})", "tanh({0}) * {1}", "{0} / (abs({1}) + 1)", "maximum({0}, {1})",
    "minimum({0}, {1})", "where({0} > {1}, {0}, {1})", "(abs({0}) + 1) ** tanh({1})", "add({0}, {1}, alpha=2)",
    "sin({0}) @ {1}", "tanh({0}) @ T({1})", "{0} * {0} / ({1} * {1} + 1)", "stack([{0}, {1}])", "cat([{0}, {1}])",
    "cat([{0}, {1}], -1)", "clamp({0}, {1}, {1} + 1)", "linear(tanh({0}), {1})", "addmm({0}, {1}, {1})",
    "mse_loss({0}, {1})",
)  # fmt: skip
SHAPING = (
    "sum({0})", "mean({0})", "sum({0}, 0)", "sum({0}, -1, True)", "mean({0}, 0)", "amax({0}, -1)", "amin({0})",
    "max({0})", "max({0}, 0)[0]", "softmax({0}, -1)", "log_softmax({0}, 0)", "reshape({0}, (-1,))", "T({0})",
    "unsqueeze({0}, 0)", "squeeze({0})", "{0}[0]", "{0}[-1:]", "{0}[..., 0]", "{0}[:, 1]", "{0}[None]",
    "{0}[[0, 1, 0]]", "flatten({0})", "expand({0}, 2, 3)", "transpose({0}, 0, 1)", "{0}[1, 2]", "stack([{0}, {0}], 1)",
    "permute({0}, (1, 0))", "reshape(T({0}), (-1,))",
)  # fmt: skip
LARGEST = 40
"""Elements of a tensor; programs stay small."""


@dataclass
class Program:
    """Leaves by name, lines such as "t3 = t0 * t1", and (name of an output, v or None) for each backward pass."""

    leaves: dict[str, Any]
    lines: list[str] = field(default_factory=list)
    passes: list[tuple[str, Any]] = field(default_factory=list)


def random_program(choose: Random, dtype: str = "f8", length: int = 12) -> Program:
    """A program whose numbers stay moderate; lines that do not fit the shapes are left out."""
    program = Program({f"t{i}": _numbers(choose, choose.choice(SHAPES), dtype) for i in range(choose.randint(1, 4))})
    tape = Tape()
    tensors = {name: tape.tensor(x, requires_grad=i != 2) for i, (name, x) in enumerate(program.leaves.items())}
    with tape.recording():
        for _ in range(choose.randint(1, length)):
            template = choose.choice(choose.choice((UNARY, UNARY, BINARY, BINARY, SHAPING)))
            names = list(tensors)
            text = template.format(choose.choice(names[-4:]), choose.choice(names))
            _add_line(program, tensors, text)
    outputs = [name for name in tensors if tensors[name].requires_grad][-3:]
    for name in [outputs[-1], *choose.choices(outputs, k=choose.randint(0, 2))]:
        scalar = tensors[name].data.size == 1 and choose.random() < 0.5
        program.passes.append((name, None if scalar else _numbers(choose, tensors[name].shape, dtype)))
    return program


def _numbers(choose: Random, shape: tuple[int, ...], dtype: str) -> Any:
    count = int(np.prod(shape))
    flat = [round(choose.uniform(0.2, 1.5), 3) * choose.choice((-1, 1)) for _ in range(count)]
    return np.array(flat, dtype).reshape(shape)[()]


def _add_line(program: Program, tensors: dict[str, Tensor], text: str) -> None:
    try:
        made = evaluate(text, tensors)
    except (TorchError, IndexError):
        return
    if 0 < made.data.size <= LARGEST:
        name = f"t{len(tensors)}"
        tensors[name] = made
        program.lines.append(f"{name} = {text}")


def forward(program: Program, tape: Tape, leaves: dict[str, Any] | None = None) -> dict[str, Tensor]:
    """All tensors by name. The third leaf is a constant."""
    given = program.leaves if leaves is None else leaves
    tensors = {name: tape.tensor(x, requires_grad=i != 2) for i, (name, x) in enumerate(given.items())}
    for line in program.lines:
        name, text = line.split(" = ", 1)
        tensors[name] = evaluate(text, tensors)
    return tensors


def run(program: Program) -> tuple[dict[str, Tensor], list[tuple[str, Any]]]:
    """The tensors after all passes, and the steps of all passes: name of the backward node, incoming gradient."""
    tape = Tape()
    steps: list[tuple[str, Any]] = []
    with tape.recording():
        tensors = forward(program, tape)
        for name, v in program.passes:
            record = backward([tensors[name]], [None if v is None else tape.tensor(v)], retain_graph=True)
            steps += [(node_name(tape.entries[step.node]), step.incoming) for step in ordered_steps(record)]
    return tensors, steps
