"""Run a script in this process, without any wall."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from gradviz.recording import Source
from gradviz.run.execute import Result, execute
from gradviz.run.levels import ScopeNames, Trace
from tests.run import small_torch
from tests.run.small_torch import Tensor

ENGINE = {"torch": "tests.run.small_torch", "torch.nn": "tests.run.small_nn"}


class Ran(NamedTuple):
    """What a run left: its result, what it printed, and the names that tensors were given."""

    result: Result
    output: str
    names: list[tuple[str, bool]]

    @property
    def message(self) -> str:
        """Why it ended early, or ""."""
        return "" if self.result.problem is None else self.result.problem.message

    @property
    def place(self) -> tuple[int | None, int | None]:
        """Line and column of the problem."""
        assert self.result.problem is not None
        return self.result.problem.line, self.result.problem.column


def run(text: str, *, kind: str = "script", **options: Any) -> Ran:
    """Run a script with the small torch."""
    printed: list[str] = []
    names: list[tuple[str, bool]] = []
    trace = Trace([Tensor], small_torch.Module, lambda tensor, name, is_global: names.append((name, is_global)))
    options.setdefault("engine", ENGINE)
    result = execute(Source(kind, "t.py", text), trace=trace, write=printed.append, **options)
    return Ran(result, "".join(printed), names)


def output_of(text: str, **options: Any) -> str:
    """What a script prints that has no error."""
    ran = run(text, **options)
    assert ran.result.problem is None, ran.result.problem
    return ran.output


def scopes_in(text: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The scopes in which a script calls `torch.mark()`, in order."""
    found: list[tuple[str, ...]] = []
    trace = Trace(module_type=small_torch.Module)
    names = ScopeNames()
    monkeypatch.setattr(small_torch, "on_mark", lambda: found.append(names.of(trace.level)))
    source = Source("script", "t.py", f"import torch\n{text}")
    result = execute(source, trace=trace, write=lambda text: None, engine=ENGINE)
    assert result.problem is None, result.problem
    return found
