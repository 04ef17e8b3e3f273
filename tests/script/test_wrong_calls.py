"""Wrong calls are answered with PyTorch's exception and text: of missing, strange and ill-fitting arguments."""

from __future__ import annotations

import json

import pytest

from gradviz.imitation.script.run import run
from tests.data.wrong_calls import RECORDED, answers, script, statements

EXPECTED = json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def said() -> list[str]:
    result = run(script(), seed=0)

    assert result.error is None
    return answers("".join(result.machine.output))


@pytest.mark.parametrize("number", range(len(EXPECTED)), ids=lambda number: statements()[number][:60])
def test_wrong_call_is_answered_as_pytorch_answers_it(number: int, said: list[str]):
    assert said[number] == EXPECTED[number]
