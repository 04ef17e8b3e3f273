"""`torch.autograd`: backward and grad, modes, custom Functions, derivatives of functions, gradcheck."""

from __future__ import annotations

from gradviz.engine.autograd import functional, graph
from gradviz.engine.autograd.function import Function
from gradviz.engine.autograd.gradcheck import GradcheckError, gradcheck
from gradviz.engine.autograd.variable import Variable
from gradviz.engine.gradients import backward, grad
from gradviz.engine.known import missing_of
from gradviz.engine.modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)

__getattr__ = missing_of("torch.autograd")

__all__ = [
    "Function",
    "GradcheckError",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]  # fmt: skip
