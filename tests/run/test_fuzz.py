"""Whatever text comes in, a run ends in a result: no fault, no traceback, nothing held that is not the script's.

A small part of `python -m tests.run.fuzz`, and tests of the watch that it keeps.
"""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.engine.tensor import Tensor
from gradviz.run import execute
from gradviz.run.confine import walls
from tests.run.fuzz import Watch
from tests.run.fuzzing.canary import Canary
from tests.run.fuzzing.reader import Reader, library, public_names
from tests.run.fuzzing.sources import Sources


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    made = Reader(confined=False)
    yield made
    made.close()


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources(0, public_names())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", range(4))
def test_mutated_sources_leave_no_fault_touch_nothing_and_hold_nothing(
    batch: int, sources: Sources, reader: Reader
) -> None:
    reader.begin(sources.first(batch))

    for number in range(70):
        kind, text = sources.source(batch, number)
        assert reader.read(kind, text) == [], text


ODD = (
    "", "\n", "#", "\ufeffx = 1", "x = 1\r\ny = 2\r", "\x0c", "\x00", "\ud800", "'\\ud800'", "print('\\ud800')",
    "é = 1\nprint(é)", "if 1:\n\tx = 1\n        y = 2", "\\", "x = 1 \\", "x = = 1", "return 1", "f(a=1, a=1)",
)  # fmt: skip


@pytest.mark.parametrize("text", ODD)
def test_an_odd_text_comes_back(text: str, reader: Reader) -> None:
    assert reader.read("script", text) == []
    assert reader.read("notebook", text) == []
    assert reader.read_whole(text) == []


# ---- the watch itself ----

HELD: dict[str, Callable[[], Any]] = {
    "a frame": lambda: sys._getframe(),
    "code": lambda: test_an_odd_text_comes_back.__code__,
    "a module": lambda: os,
    "a traceback": lambda: types.TracebackType(None, sys._getframe(), 0, 1),
    "a memoryview": lambda: memoryview(b"a"),
    "the real eval": lambda: eval,
    "the real open": lambda: builtins.open,
    "the real type": lambda: type,
    "the names of a module": lambda: vars(os),
    "the modules": lambda: sys.modules,
    "a function of the system": lambda: os.system,
    "a function of a closed module": lambda: subprocess.run,
    "a function of our own": lambda: walls.confine,
    "a class of the system": lambda: os.DirEntry,
    "memory as an array": lambda: np.frombuffer,
    "a view of an array": lambda: np.ones(2).view,
    "a view of any array": lambda: np.ndarray.view,
    "an attribute past the gate": lambda: object.__getattribute__,
    "a format past the gate": lambda: "{0.__globals__}".format,
    "the slot of a function's names": lambda: vars(types.FunctionType)["__globals__"],
    "the slots of a class": lambda: vars(Tensor),
    "addresses": lambda: np.ndarray((2,), "i8", np.array([None, None]))[:1],
    "memory beyond an array": lambda: np.lib.stride_tricks.as_strided(np.ones(4)[:2], (90,), (8,)),
}


@pytest.mark.parametrize("make", HELD.values(), ids=HELD)
def test_what_a_script_must_not_hold_is_noticed(make: Callable[[], Any]) -> None:
    canary = Canary(library())
    value = make()
    canary.is_on = True

    canary.see(value)

    assert [kind for kind, _ in canary.found] == ["escape"]


def test_an_object_that_numpy_would_believe_is_noticed() -> None:
    canary = Canary(library())
    kind = type("X", (), {"__module__": "__main__", "__array_interface__": {}})
    canary.is_on = True

    canary.see(kind)
    canary.see(kind())

    assert len(canary.found) == 2


@pytest.mark.parametrize("text", ["held", "[held][0]", "held()", "str(held)", "(lambda v: v)(held)"])
def test_every_expression_of_a_script_is_looked_at(text: str, reader: Reader) -> None:
    reader._left = {"held": sys._getframe}

    found = reader.read("script", text)

    reader._left = {}
    assert {each.kind for each in found} == {"escape"} if "()" in text else found == []


def test_a_hole_in_the_gate_is_noticed(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.run.gate.READ", frozenset({"__globals__", "__code__"}))

    reader.begin("import random")
    found = reader.read("script", "f = random.choice\nf.__code__\nf.__globals__")

    assert {"held a code", "held the names of random"} <= {each.mark for each in found}


def test_a_changed_module_and_a_changed_class_are_noticed(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader.changes()
    monkeypatch.setattr(Tensor, "numel", print)
    monkeypatch.setattr(execute, "MOST_WARNINGS", 7)

    found = reader.changes()

    assert {each.mark for each in found} == {
        "changed class torch.Tensor: numel", "changed module gradviz.run.execute: MOST_WARNINGS",
    }  # fmt: skip
    monkeypatch.undo()
    reader.changes()


def test_what_the_wall_refuses_is_noticed(reader: Reader) -> None:
    reader._left = {"reach": lambda: Path("/etc/hostname").read_text(encoding="utf-8")}

    found = reader.read("script", "reach()")

    reader._left = {}
    assert [each.mark for each in found] == ["open"]


def test_an_exception_that_leaves_a_run_is_a_fault(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(execute._Run, "_explain", fail)

    found = reader.read("script", "nothing")

    assert [each.kind for each in found] == ["fault"]
    assert found[0].mark.startswith("ZeroDivisionError")


def test_the_watching_process_sums_up(tmp_path: Path) -> None:
    watch = Watch(3, 20, 0, tmp_path)

    watch.run()

    assert watch.line().startswith("fuzz: 20 sources")
    assert "no findings" in watch.line()
