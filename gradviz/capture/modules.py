"""Which modules' calls run, in each thread: `torch.nn.Module.__call__` is wrapped while anybody listens."""

from __future__ import annotations

import threading
from typing import Any

import torch

from gradviz.capture.scopes import ModuleCall


class _Running(threading.local):
    call: ModuleCall | None = None


_running = _Running()
_lock = threading.Lock()
_listeners = 0
_original: Any = None


def current_call() -> ModuleCall | None:
    """The innermost module's call of this thread."""
    return _running.call


def _call_module(module: Any, /, *args: Any, **kwargs: Any) -> Any:
    outer = _running.call
    _running.call = ModuleCall(module, outer)
    try:
        return _original(module, *args, **kwargs)
    finally:
        _running.call = outer


def listen() -> None:
    """Take note of modules' calls from now on."""
    global _listeners, _original
    with _lock:
        _listeners += 1
        if _listeners == 1:
            _original = torch.nn.Module.__call__
            torch.nn.Module.__call__ = _call_module


def stop() -> None:
    """Listen no longer; the last listener puts PyTorch's own back, unless somebody has wrapped ours."""
    global _listeners
    with _lock:
        _listeners -= 1
        if _listeners == 0 and torch.nn.Module.__call__ is _call_module:
            torch.nn.Module.__call__ = _original
