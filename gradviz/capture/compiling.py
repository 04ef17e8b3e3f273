"""`torch.compile`, which is off while anybody listens: what is compiled runs op by op, so there is something to see.

Else Dynamo would compile what runs between two recorded calls, and our own frames in it with the user's.
"""

from __future__ import annotations

import functools
import sys
import threading
from contextlib import suppress
from typing import Any

import torch

from gradviz.capture.scopes import EVAL_FRAME

_DYNAMO = "torch._dynamo"
_lock = threading.Lock()
_listeners = 0
_original: Any = None
_ours: Any = None
_eager: Any = None


def listen() -> None:
    """Have everything run op by op from now on, in all threads."""
    global _listeners, _original, _ours
    with _lock:
        _listeners += 1
        if _listeners > 1 or not hasattr(torch, "compile"):
            return
        _original = torch.compile
        _ours = functools.wraps(_original)(_compile)
        torch.compile = _ours
    turn_off()


def stop() -> None:
    """Listen no longer; the last listener lets functions be compiled again."""
    global _listeners, _original, _eager
    with _lock:
        _listeners -= 1
        if _listeners or _original is None:
            return
        if torch.compile is _ours:
            torch.compile = _original
        _original = None
        if _eager is not None:
            _eager.__exit__(None, None, None)
            _eager = None


def turn_off() -> None:
    """Turn Dynamo off where it has been loaded meanwhile; to load it would take a second."""
    global _eager
    if _eager is not None or _DYNAMO not in sys.modules:
        return
    set_stance = getattr(torch.compiler, "set_stance", None)  # since PyTorch 2.6
    if set_stance is not None:
        with suppress(RuntimeError):  # in what is compiled it cannot be turned off
            _eager = set_stance("force_eager")


def is_inside(frame: Any) -> bool:
    """Whether a frame, or one around it, is a call of a compiled function."""
    while _DYNAMO in sys.modules and frame is not None:
        if frame.f_code.co_filename.endswith(EVAL_FRAME):
            return True
        frame = frame.f_back
    return False


def _compile(*args: Any, **kwargs: Any) -> Any:
    made = _original(*args, **kwargs) if _original is not None else _ours.__wrapped__(*args, **kwargs)
    if _listeners:
        turn_off()
    return made
