"""Every function of the library takes anything that a script may give it, and answers or refuses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradviz.errors import GradvizError
from gradviz.imitation.script.errors.failures import CAUGHT
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import MAKERS
from gradviz.imitation.script.run import run
from gradviz.imitation.script.values import Class, Namespace, Native
from tests.script.attacks import SETUP

ROUNDS = 5
SLOW = {"timeit.timeit"}


def functions(space: Namespace, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    for name, value in space.members.items():
        if type(value) is Namespace and depth < 2:
            yield from functions(value, f"{path}.{name}", depth + 1)
        elif isinstance(value, Native | Class):
            yield f"{path}.{name}", value


def given(machine: Machine) -> list[Any]:
    """Values of all kinds, large and odd ones too."""
    mine = machine.state["globals"]
    plain = [1, -1, 0, 2.5, 1e308, float("nan"), "a", "", None, [], [1, 2], (), {}, {1: 2}, 10**30, b"x", 1j, True]
    return [*plain, range(3), *(mine[name] for name in ("f", "a", "x", "arr", "A", "Point", "np", "nn"))]


def test_whatever_a_function_of_the_library_is_given_it_answers_or_refuses() -> None:
    done = run(SETUP, seed=0)
    machine = done.machine
    assert machine is not None
    values, dice, failed, calls = given(machine), random.Random(0), [], 0

    for module in (*MAKERS, "numpy"):
        for path, function in functions(machine.modules[module], module):
            for count in (0, 1, 1, 1, 2, 2, 3) * ROUNDS if path not in SLOW else ():
                arguments = tuple(dice.choice(values) for _ in range(count))
                calls += 1
                try:
                    with machine.tape.recording(), np.printoptions():  # as `run` has it: it may set them
                        repr(machine.call(function, arguments, {}))
                except (GradvizError, *CAUGHT):
                    continue
                except Exception as error:
                    failed.append((path, arguments, error))
    assert calls > 10_000
    assert failed == []
