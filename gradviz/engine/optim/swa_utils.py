"""`torch.optim.swa_utils`: models whose parameters are averages over the steps of training.

Sources: Izmailov et al., Averaging weights leads to wider optima and better generalization, 2018; Polyak and Juditsky,
Acceleration of stochastic approximation by averaging, 1992.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradviz.engine.devices import check_device
from gradviz.engine.errors import refuse_options
from gradviz.engine.known import missing_of
from gradviz.engine.modes import no_grad
from gradviz.engine.nn.module import Module
from gradviz.engine.tensor import Tensor, constant

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
        *,
        multi_avg_fn: Averages | None = None,
        **others: Any,
    ) -> None:
        super().__init__()
        refuse_options("AveragedModel", others, "avg_fn use_buffers")
        check_device(device)
        self.module = copy.deepcopy(model)
        self.register_buffer("n_averaged", constant(np.int64(0)))
        self._average = multi_avg_fn or _mean

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the copy gives."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the parameters of a model into the average; the first time they are the average."""
        olds = [x.detach() for x in self.module.parameters()]
        news = [x.detach() for x in model.parameters()]
        if not self.n_averaged.item():
            for old, new in zip(olds, news, strict=True):
                old.copy_(new)
        else:
            self._average(olds, news, self.n_averaged)
        for old, new in zip(self.module.buffers(), model.buffers(), strict=True):
            old.detach().copy_(new.detach())
        self.n_averaged += 1


AveragedModel.__module__ = "torch.optim.swa_utils"

__getattr__ = missing_of("torch.optim.swa_utils")

__all__ = ["AveragedModel", "get_ema_multi_avg_fn"]
