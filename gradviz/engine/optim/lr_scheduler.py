"""Schedules: learning rates that change from epoch to epoch.

Most schedules say what the next rate is in terms of the present one, so several may act on one optimizer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradviz.engine.errors import Beyond
from gradviz.engine.known import missing_of
from gradviz.engine.optim.optimizer import Optimizer
from gradviz.engine.state import warn


class LRScheduler:
    """The base class of schedules, to derive one's own from: `get_lr` is theirs.

    Args:
        optimizer: whose learning rates change.
        last_epoch: the epoch to go on from; -1 begins anew.

    Attributes:
        base_lrs: the rates at the beginning, one per group.
        last_epoch: how many steps were made.

    Raises:
        TypeError: it is no optimizer.
        KeyError: it shall go on, but the optimizer does not know its first rates.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = _checked(optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0"
                )
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._is_initial = False
        self._get_lr_called_within_step = False
        self._last_lr: list[float] = []
        self._begin()

    def _begin(self) -> None:
        """Make the first step, to epoch 0."""
        self._is_initial = True
        self._step_count += 1
        self._go_on()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`, one per group; made of the present ones, so call it in `step` only."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The rates that the last step set."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch, after the optimizer's own step.

        Raises:
            Beyond: an epoch to go to is given, as in old code.
        """
        if epoch is not None:
            raise Beyond("going to an epoch by scheduler.step(epoch)")
        if self._step_count == 1 and not self.optimizer._has_stepped:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self._step_count += 1
        self._go_on()

    def _go_on(self) -> None:
        self._get_lr_called_within_step = True
        self.last_epoch += 1
        rates = self.get_lr()
        self._get_lr_called_within_step = False
        self._set(rates)

    def _set(self, rates: Sequence[float]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=False):
            group["lr"] = rate
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _present(self) -> list[float]:
        """The present rates; warns where `get_lr` was called from outside."""
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer, for `load_state_dict`."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        vars(self).update((name, value) for name, value in state_dict.items() if type(name) is str and name[:2] != "__")


def _checked(optimizer: object) -> Optimizer:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


class StepLR(LRScheduler):
    """Every `step_size` epochs the rate is multiplied by gamma."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        is_due = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        return [rate * self.gamma if is_due else rate for rate in self._present()]


class MultiStepLR(LRScheduler):
    """At each of the milestones (epochs) the rate is multiplied by gamma."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        times = self.milestones.get(self.last_epoch, 0)
        return [rate * self.gamma**times if times else rate for rate in self._present()]


class ExponentialLR(LRScheduler):
    """At every epoch the rate is multiplied by gamma."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        return [rate if self._is_initial else rate * self.gamma for rate in self._present()]


class LambdaLR(LRScheduler):
    """The first rate times lr_lambda(epoch), with one function for all groups or a list of them."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        count = len(_checked(optimizer).param_groups)
        is_list = isinstance(lr_lambda, list | tuple)
        if is_list and len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas: list[Callable[[int], float]] = list(lr_lambda) if is_list else [lr_lambda] * count
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        return [base * function(self.last_epoch) for base, function in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class CosineAnnealingLR(LRScheduler):
    """From the first rate to `eta_min` along half a cosine wave of `T_max` epochs, and back.

    Loshchilov and Hutter, 2017.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        rates = self._present()
        if self._is_initial:
            return rates
        height, before = (
            1 + math.cos(math.pi * epoch / self.T_max) for epoch in (self.last_epoch, self.last_epoch - 1)
        )
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the bottom nothing is left to multiply
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [rate + (base - self.eta_min) * rise for rate, base in zip(rates, self.base_lrs, strict=True)]
        return [height / before * (rate - self.eta_min) + self.eta_min for rate in rates]


def _per_group(optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    count = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {count}."
        )
    return list(value)


class ReduceLROnPlateau(LRScheduler):
    """The rate is multiplied by a factor whenever a metric has not become better for more than `patience` epochs.

    Args:
        mode: "min" where a smaller metric is better, else "max".
        threshold: what counts as better: by this part of the best ("rel"), or by this much ("abs").
        cooldown: epochs after a reduction in which nothing is counted.
        min_lr: the rate stays above this, one for all groups or a list of them.
        eps: a smaller change than this is not made.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.optimizer = _checked(optimizer)
        self.factor = factor
        self.min_lrs = _per_group(optimizer, "min_lr", min_lr)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]
        self._reset()

    def _reset(self) -> None:
        self.best = math.inf if self.mode == "min" else -math.inf
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any) -> None:  # type: ignore[override]  # a metric is needed
        """Look at the metric of another epoch."""
        metric = float(metrics)
        self.last_epoch += 1
        if self.is_better(metric, self.best):
            self.best = metric
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction was made a few epochs ago."""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Whether a metric is better than the best so far, by the threshold."""
        sign = 1 if self.mode == "max" else -1
        bound = best * (1 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return sign * a > sign * bound

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            rate = max(group["lr"] * self.factor, least)
            if group["lr"] - rate > self.eps:
                group["lr"] = rate


class _LRScheduler(LRScheduler):
    """The base class under its name of old."""


__getattr__ = missing_of("torch.optim.lr_scheduler")
