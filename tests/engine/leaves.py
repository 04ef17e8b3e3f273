"""Leaves, constants and refusals for tests of backward passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError


def leaf(*numbers: float, tape: Tape | None = None, dtype: str = "f4") -> Tensor:
    """A leaf that takes a gradient, on a tape of its own where none is given; one number makes shape ()."""
    data = np.array(numbers, dtype)
    return (tape or Tape()).tensor(data if len(numbers) > 1 else data[0], requires_grad=True)


def constant(like: Tensor, *numbers: float) -> Tensor:
    """A float32 tensor on the tape of another; one number makes shape ()."""
    data = np.array(numbers, "f4")
    return like.tape.tensor(data if len(numbers) > 1 else data[0])


def refusal(run: Callable[[], Any], kind: type[Exception] = TorchError) -> Any:
    """The error in which a call ends."""
    with pytest.raises(kind) as caught:
        run()
    return caught.value
