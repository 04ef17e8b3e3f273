"""Schedules set the learning rates that PyTorch's set."""

from __future__ import annotations

from typing import Any

import pytest

import gradviz.engine as engine
from gradviz.engine import optim
from gradviz.engine.errors import Beyond
from gradviz.engine.optim import lr_scheduler

METRICS = [1.0, 0.9, 0.8, 0.8, 0.8, 0.8, 0.9, 1.0, 0.7, 0.69995, 0.5, 0.5, 0.5]

MADE = [
    "StepLR(o, 3)", "MultiStepLR(o, [2, 5, 5])", "ExponentialLR(o, 0.9)", "CosineAnnealingLR(o, 7)",
    "CosineAnnealingLR(o, 7, eta_min=0.01)", "ReduceLROnPlateau(o, patience=1)",
    "ReduceLROnPlateau(o, 'max', 0.5, 2, threshold_mode='abs', cooldown=2, min_lr=0.02)",
    "LambdaLR(o, lambda epoch: 0.9**epoch)", "LambdaLR(o, [lambda epoch: 0.9**epoch, lambda epoch: 1])",
]  # fmt: skip


def optimizer_of(library: Any, kind: str = "SGD") -> Any:
    first, second = (library.ones(1, requires_grad=True) for _ in range(2))
    options = {"momentum": 0.9} if kind == "SGD" else {}
    return getattr(library.optim, kind)([{"params": [first]}, {"params": [second], "lr": 0.3}], lr=0.1, **options)


def followed(library: Any, text: str, kind: str, steps: int = 25) -> list[Any]:
    """Rates, momenta and betas at the beginning and after each step."""
    optimizer = optimizer_of(library, kind)
    names = {"o": optimizer, "s": library.optim.lr_scheduler}
    scheduler = eval(f"s.{text}", names)
    seen = []
    for step in range(steps):
        seen.append([
            (group["lr"], group.get("momentum", 0), *group.get("betas", ())) for group in optimizer.param_groups
        ])  # fmt: skip
        seen.append([tuple(scheduler.get_last_lr())])
        optimizer.step()
        scheduler.step(*([METRICS[step % len(METRICS)]] if "Plateau" in text else []))
    return [number for row in seen for part in row for number in part]


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("text", MADE)
def test_rates_and_momenta_agree_with_a_live_pytorch(text, kind):
    torch = pytest.importorskip("torch")

    assert followed(engine, text, kind) == pytest.approx(followed(torch, text, kind), rel=1e-12)


def rates(scheduler: Any, steps: int) -> list[float]:
    seen = []
    for _ in range(steps):
        seen.append(scheduler.optimizer.param_groups[0]["lr"])
        scheduler.optimizer.step()
        scheduler.step()
    return seen


def sgd(lr: float = 1.0) -> Any:
    return optim.SGD([engine.ones(1, requires_grad=True)], lr=lr, momentum=0.9)


def test_a_step_schedule_falls_every_few_epochs():
    assert rates(lr_scheduler.StepLR(sgd(), 2, gamma=0.5), 6) == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]


def test_a_cosine_falls_to_its_minimum_and_rises_again():
    seen = rates(lr_scheduler.CosineAnnealingLR(sgd(), 4, eta_min=0.2), 9)

    assert seen == pytest.approx([1.0, 0.8828427, 0.6, 0.3171573, 0.2, 0.3171573, 0.6, 0.8828427, 1.0])


def test_a_plateau_lowers_the_rate_after_its_patience():
    scheduler = lr_scheduler.ReduceLROnPlateau(sgd(), patience=2)
    for metric in (1.0, 1.0, 1.0):
        scheduler.step(metric)
    before = scheduler.get_last_lr()
    scheduler.step(engine.tensor(1.0))

    assert (before, scheduler.get_last_lr()) == ([1.0], [0.1])


def test_a_schedule_of_ones_own_says_its_rates():
    class Warmup(lr_scheduler.LRScheduler):
        def get_lr(self):
            return [base * min(1.0, (self.last_epoch + 1) / 4) for base in self.base_lrs]

    assert rates(Warmup(sgd()), 5) == [0.25, 0.5, 0.75, 1.0, 1.0]


def test_a_saved_schedule_goes_on_where_it_was():
    scheduler = lr_scheduler.StepLR(sgd(), 2)
    rates(scheduler, 3)
    other = lr_scheduler.StepLR(sgd(), 2)

    other.load_state_dict(scheduler.state_dict())

    assert (other.last_epoch, other.get_last_lr()) == (3, [0.1])
    assert "optimizer" not in scheduler.state_dict()


def test_a_step_before_the_optimizers_own_is_warned_of():
    scheduler = lr_scheduler.StepLR(sgd(), 2)

    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        scheduler.step()
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        scheduler.get_lr()


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "a tensor": (lambda: lr_scheduler.StepLR(engine.ones(1), 2), TypeError, "Tensor is not an Optimizer"),
    "factor of 1": (lambda: lr_scheduler.ReduceLROnPlateau(sgd(), factor=1.0), ValueError, r"should be < 1\.0"),
    "unknown mode": (lambda: lr_scheduler.ReduceLROnPlateau(sgd(), mode="low"), ValueError, "mode low is unknown!"),
    "a rare schedule": (lambda: lr_scheduler.CyclicLR, Beyond, "CyclicLR is beyond the built-in engine"),
    "an epoch to go to": (lambda: lr_scheduler.StepLR(sgd(), 2).step(3), Beyond, "beyond the built-in engine"),
    "two functions": (lambda: lr_scheduler.LambdaLR(sgd(), [1, 2]), ValueError, "Expected 1 lr_lambdas, but got 2"),
    "no beginning": (lambda: lr_scheduler.StepLR(sgd(), 2, last_epoch=3), KeyError, "'initial_lr' is not specified"),
    "rates of nobody": (lambda: lr_scheduler.LRScheduler(sgd()), NotImplementedError, "^$"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_schedule_is_refused(name):
    call, kind, message = REFUSED[name]

    with pytest.raises(kind, match=message):
        call()
