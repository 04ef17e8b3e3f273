"""`torch.optim.swa_utils`: models whose parameters are averages over the steps of training.

Sources: Izmailov et al., Averaging weights leads to wider optima and better generalization, 2018; Polyak and Juditsky,
Acceleration of stochastic approximation by averaging, 1992.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from gradviz.engine.known import missing_of
from gradviz.engine.modes import no_grad
from gradviz.engine.nn.module import Module
from gradviz.engine.tensor import Tensor, constant

Average = Callable[[Tensor, Tensor, Any], Any]
"""average(old, new, count): the average of one parameter, given how many were averaged so far."""
Averages = Callable[[Any, Any, Any], Any]
"""average(olds, news, count): changes all averages in place."""


def get_ema_multi_avg_fn(decay: float = 0.999) -> Averages:
    """The exponential moving average of many parameters, in place."""

    @no_grad()
    def average(olds: Iterable[Tensor], news: Iterable[Tensor], count: Any) -> None:
        for old, new in zip(olds, news, strict=True):
            if old.is_floating_point():
                old.lerp_(new, 1 - decay)
            else:
                old.copy_(old * decay + new * (1 - decay))

    return average


@no_grad()
def _mean(olds: Iterable[Tensor], news: Iterable[Tensor], count: Any) -> None:
    for old, new in zip(olds, news, strict=True):
        old.copy_(old + (new - old) / (count + 1))


class AveragedModel(Module):
    """A copy of a model whose parameters follow those of the model as an average.

    Attributes:
        module: the copy.
        n_averaged: how often `update_parameters` was called.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Averages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", constant(np.int64(0)))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the copy gives."""
        return self.module(*args, **kwargs)

    def _kept(self, model: Any) -> Iterator[Tensor]:
        """What is averaged of a model."""
        return chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()

    def update_parameters(self, model: Module) -> None:
        """Take the parameters of a model into the average; the first time they are the average."""
        olds = [x.detach() for x in self._kept(self.module)]
        news = [x.detach() for x in self._kept(model)]
        if not self.n_averaged.item():
            for old, new in zip(olds, news, strict=True):
                old.copy_(new)
        elif self.multi_avg_fn is not None or self.avg_fn is None:
            (self.multi_avg_fn or _mean)(olds, news, self.n_averaged)
        else:
            for old, new in zip(olds, news, strict=True):
                old.copy_(self.avg_fn(old, new, self.n_averaged))
        if not self.use_buffers:
            for old, new in zip(self.module.buffers(), model.buffers(), strict=True):
                old.detach().copy_(new.detach())
        self.n_averaged += 1


AveragedModel.__module__ = "torch.optim.swa_utils"

__getattr__ = missing_of("torch.optim.swa_utils")

__all__ = ["AveragedModel", "get_ema_multi_avg_fn"]
