"""Schedules: learning rates that change from epoch to epoch.

Most schedules say what the next rate is in terms of the present one, so several may act on one optimizer.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradviz.engine.known import missing_of
from gradviz.engine.optim.optimizer import Group, Optimizer
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

        Args:
            epoch: deprecated: go to this epoch.
        """
        if self._step_count == 1 and not self.optimizer._has_stepped:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self._step_count += 1
        self._go_on(epoch)

    def _go_on(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        if epoch is None:
            self.last_epoch += 1
            rates = self.get_lr()
        else:
            self.last_epoch = epoch
            closed: Callable[[], list[float]] = getattr(self, "_get_closed_form_lr", self.get_lr)
            rates = closed()
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


# ---- a factor after the other ------------------------------------------------------------------------------------


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

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


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

    def _get_closed_form_lr(self) -> list[float]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """At every epoch the rate is multiplied by gamma."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        return [rate if self._is_initial else rate * self.gamma for rate in self._present()]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


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


class MultiplicativeLR(LambdaLR):
    """At every epoch the rate is multiplied by lr_lambda(epoch)."""

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        rates = self._present()
        if self._is_initial:
            return rates
        return [rate * function(self.last_epoch) for rate, function in zip(rates, self.lr_lambdas, strict=True)]


class ConstantLR(LRScheduler):
    """For `total_iters` epochs the first rate times a factor, then the first rate itself."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        rates = self._present()
        if self._is_initial:
            return [rate * self.factor for rate in rates]
        return [rate / self.factor if self.last_epoch == self.total_iters else rate for rate in rates]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * (self.factor if self.last_epoch < self.total_iters else 1) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """The first rate times a factor, which goes in a line from one value to another in `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        passed = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * passed

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        rates = self._present()
        if self._is_initial:
            return [rate * self.start_factor for rate in rates]
        if self.last_epoch > self.total_iters:
            return rates
        rise = self.end_factor - self.start_factor
        growth = 1 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)
        return [rate * growth for rate in rates]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self._factor(self.last_epoch) for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The first rate times (1 - epoch / total_iters) to a power, down to 0."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        rates = self._present()
        if self._is_initial or self.last_epoch > self.total_iters:
            return rates
        here, before = (1 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return [rate * (here / before) ** self.power for rate in rates]


# ---- waves ---------------------------------------------------------------------------------------------------------


def _half_wave(passed: float, start: float, end: float) -> float:
    """From start to end along half a cosine wave; `passed` is the part of the way that is behind, 0 to 1."""
    return end + (start - end) * (1 + math.cos(math.pi * passed)) / 2


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

    def _get_closed_form_lr(self) -> list[float]:
        return [_half_wave(self.last_epoch / self.T_max, base, self.eta_min) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """As CosineAnnealingLR, but from the bottom at once to the top (SGDR); waves grow `T_mult` times as long.

    Args:
        T_0: epochs of the first wave.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`."""
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to a given one, which may be a fraction."""
        self._step_count += 1
        self._wave_to(self.last_epoch + 1 if epoch is None else epoch)

    def _begin(self) -> None:
        self._wave_to(self.last_epoch + 1)

    def _wave_to(self, epoch: float) -> None:
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        start: float = 0
        length = self.T_0
        if self.T_mult == 1:
            start = epoch // length * length
        else:
            while epoch >= start + length:
                start += length
                length *= self.T_mult
        self.T_cur, self.T_i = epoch - start, length
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        rates = self.get_lr()
        self._get_lr_called_within_step = False
        self._set(rates)


class OneCycleLR(LRScheduler):
    """One cycle (Smith and Topin, 2018): from a small rate up to `max_lr`, then down to a much smaller one.

    The momentum (or the first beta) goes the other way.

    Args:
        max_lr: the rate at the top, one for all groups or a list of them.
        total_steps: steps of the cycle; or epochs · steps_per_epoch.
        pct_start: the part of the steps on which the rate rises.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: whether the momentum changes, from `max_momentum` to `base_momentum` and back.
        div_factor: max_lr is this many times the rate at the beginning.
        final_div_factor: the rate at the beginning is this many times the one at the end.
        three_phase: whether it first falls to where it began, as fast as it rose.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        groups = _checked(optimizer).param_groups
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            total_steps = epochs * steps_per_epoch
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        if not isinstance(pct_start, int | float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in _ANNEALING:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = total_steps
        self.cycle_momentum = cycle_momentum
        self._anneal_func_type = anneal_strategy
        self._turns = _turns(total_steps, pct_start, three_phase)
        if last_epoch == -1:
            for group, top in zip(groups, _per_group(optimizer, "max_lr", max_lr), strict=True):
                first = top / div_factor
                group.update(initial_lr=first, max_lr=top, min_lr=first / final_div_factor)
        self.use_beta1 = "betas" in groups[0]
        if cycle_momentum:
            if "momentum" not in groups[0] and not self.use_beta1:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            bounds = zip(
                groups,
                _per_group(optimizer, "max_momentum", max_momentum),
                _per_group(optimizer, "base_momentum", base_momentum),
                strict=True,
            )
            for group, high, low in bounds if last_epoch == -1 else ():
                _set_momentum(group, high)
                group.update(max_momentum=high, base_momentum=low)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`; sets the momentum too."""
        self._present()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        anneal = _ANNEALING[self._anneal_func_type]
        begin = 0.0
        for turn in self._turns:
            if step <= turn.end or turn is self._turns[-1]:
                break
            begin = turn.end
        passed = (step - begin) / (turn.end - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(anneal(passed, group[turn.rates[0]], group[turn.rates[1]]))
            if self.cycle_momentum:
                _set_momentum(group, anneal(passed, group[turn.momenta[0]], group[turn.momenta[1]]))
        return rates


class _Turn:
    """A phase of a cycle: the step at its end, and between which options of a group rate and momentum go."""

    def __init__(self, end: float, rates: tuple[str, str], momenta: tuple[str, str]) -> None:
        self.end = end
        self.rates = rates
        self.momenta = momenta


def _turns(total: int, rising: float, three_phase: bool) -> list[_Turn]:
    down, up = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
    top = rising * total - 1
    first = _Turn(top, ("initial_lr", "max_lr"), down)
    if not three_phase:
        return [first, _Turn(total - 1, ("max_lr", "min_lr"), up)]
    still = ("max_momentum", "max_momentum")
    return [
        first, _Turn(2 * top, ("max_lr", "initial_lr"), up), _Turn(total - 1, ("initial_lr", "min_lr"), still),
    ]  # fmt: skip


def _line(passed: float, start: float, end: float) -> float:
    return (end - start) * passed + start


_ANNEALING: dict[str, Callable[[float, float, float], float]] = {"cos": _half_wave, "linear": _line}


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


def _set_momentum(group: Group, momentum: float) -> None:
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


class CyclicLR(LRScheduler):
    """Triangles (Smith, 2017): from `base_lr` up to `max_lr` and down again, over and over.

    Args:
        step_size_up: steps of the way up, and `step_size_down`, of the way down; as many where it is None.
        mode: "triangular", "triangular2" (each triangle half as high as the one before), or "exp_range" (multiplied
            by gamma at every step).
        scale_fn: a factor of one's own, of the cycle or of the iteration, as `scale_mode` says.
        cycle_momentum: whether the momentum goes the other way.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        groups = _checked(optimizer).param_groups
        if last_epoch == -1:
            for group, rate in zip(groups, _per_group(optimizer, "base_lr", base_lr), strict=True):
                group["lr"] = rate
                group["initial_lr"] = rate
        self.max_lrs = _per_group(optimizer, "max_lr", max_lr)
        down = float(step_size_up if step_size_down is None else step_size_down)
        self.total_size = float(step_size_up) + down
        self.step_ratio = float(step_size_up) / self.total_size
        if mode not in _TRIANGLES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale, self.scale_mode = (scale_fn, scale_mode) if scale_fn is not None else _TRIANGLES[mode](gamma)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in groups[0] and "betas" not in groups[0]:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.base_momentums = _per_group(optimizer, "base_momentum", base_momentum)
            self.max_momentums = _per_group(optimizer, "max_momentum", max_momentum)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates for `last_epoch`; sets the momentum too."""
        self._present()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        passed = 1.0 + self.last_epoch / self.total_size - cycle
        height = passed / self.step_ratio if passed <= self.step_ratio else (passed - 1) / (self.step_ratio - 1)
        height *= self._scale(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in bounds:
                _set_momentum(group, high - (high - low) * height)
        return [base + (top - base) * height for base, top in zip(self.base_lrs, self.max_lrs, strict=True)]


_TRIANGLES: dict[str, Callable[[float], tuple[Callable[[float], float], str]]] = {
    "triangular": lambda _: (lambda _: 1.0, "cycle"),
    "triangular2": lambda _: (lambda cycle: 1 / 2.0 ** (cycle - 1), "cycle"),
    "exp_range": lambda gamma: (lambda step: gamma**step, "iterations"),
}


# ---- what happens decides --------------------------------------------------------------------------------------


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

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]  # a metric is needed
        """Look at the metric of another epoch."""
        metric = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
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


# ---- several -------------------------------------------------------------------------------------------------------


class SequentialLR(LRScheduler):
    """One schedule after the other; at each milestone (an epoch) the next one begins.

    Raises:
        ValueError: no schedules, those of another optimizer, or not one milestone less than schedules.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if not schedulers:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        for number, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    "SequentialLR expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {number} has {scheduler.optimizer}, which is different from "
                    f"{optimizer}."
                )
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each of them has made its first step already: only that of the first one counts.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0]._begin()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]  # no epoch is given
        """Go on to the next epoch."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number and self._milestones[number - 1] == self.last_epoch:
            scheduler._is_initial = True
            scheduler.step(0)
            scheduler._is_initial = False
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(LRScheduler):
    """Several schedules at once, each changing what the one before made."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        self._schedulers = schedulers
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:  # type: ignore[override]  # no epoch is given
        """Let each of them go on to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The base class under its name of old."""


__getattr__ = missing_of("torch.optim.lr_scheduler")
