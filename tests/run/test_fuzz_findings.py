"""What mutated sources have found: each stays mended."""

from __future__ import annotations

import signal

import pytest

from tests.run.scripts import run


def test_a_script_that_raises_keyboardinterrupt_ends_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _: None)  # as in a child, which has a handler of its own

    ran = run("x = 1\nraise KeyboardInterrupt('enough')")

    assert ran.message == "KeyboardInterrupt: enough"
    assert ran.place[0] == 2


def test_functions_are_not_made_by_the_class_of_functions() -> None:
    assert "'__new__'" in run("def f(): pass\nf.__new__").message
