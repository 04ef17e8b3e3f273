"""Models that are averages over the steps of training, against a live PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import gradviz.engine as engine
from gradviz.engine.errors import Beyond

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

WAYS: dict[str, Any] = {
    "mean": lambda swa: {},
    "exponential": lambda swa: {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9)},
}


@pytest.mark.parametrize("way", WAYS)
def test_averages_follow_the_model_as_in_pytorch(way: str) -> None:
    def averaged(t: Any) -> str:
        t.manual_seed(0)
        model = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.BatchNorm1d(2))
        average = t.optim.swa_utils.AveragedModel(model, **WAYS[way](t.optim.swa_utils))
        for _ in range(3):
            model(t.randn(4, 2))
            with t.no_grad():
                for parameter in model.parameters():
                    parameter.add_(1.0)
            average.update_parameters(model)
        return f"{average} {list(average.state_dict().items())} {average.module[1].momentum}"

    assert averaged(engine) == averaged(torch)


@pytest.mark.parametrize("option", ["avg_fn", "use_buffers"])
def test_rare_ways_of_averaging_are_beyond_the_engine(option: str) -> None:
    with pytest.raises(Beyond, match=rf"AveragedModel\({option}=True\) is beyond"):
        engine.optim.swa_utils.AveragedModel(engine.nn.Identity(), **{option: True})
