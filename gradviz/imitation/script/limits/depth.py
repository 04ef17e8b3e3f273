"""Room for nested code: a script runs in a thread of its own, whose stack is deep.

The code of a script is as many nested Python calls as the script nests expressions and calls. Where these go
through C (sorting with a key, printing lists inside lists, hashing tuples inside tuples), a thread's usual stack
would overflow, which no `except` can catch.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

FRAMES = 40_000
"""Python calls inside one another while a script runs."""

_STACKS = tuple(n << 20 for n in (1024, 512, 128, 32))
"""Bytes to ask for. A stack takes memory only as far as it is used; the smaller ones are for narrow systems."""

DEEPEST = 200_000
"""The same for a script that asks for more, where the stack is the widest."""

_lock = threading.Lock()
_granted = 0
_running = 0
_usual = 1000


def on_deep_stack(work: Callable[[], T], stopping: Callable[[], None] = lambda: None) -> T:
    """Do the work in a thread with a deep stack and give back what it returns, or raise what it raises.

    Args:
        work: done once.
        stopping: called where the waiting is interrupted (Ctrl+C), to make the work end soon.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def do() -> None:
        try:
            with _many_frames():
                results.append(work())
        except BaseException as error:  # raised again in the caller's thread
            errors.append(error)

    thread = _started(do)
    try:
        thread.join()
    except BaseException:
        stopping()
        raise
    if errors:
        raise errors[0]
    return results[0]


def allow(calls: int, frames_per_call: int = 14) -> int:
    """Make room for more calls of a script inside one another; returns how many there is room for."""
    if _granted < _STACKS[0]:
        return 0
    frames = min(calls * frames_per_call, DEEPEST)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), frames))
    return frames // frames_per_call


def _started(do: Callable[[], None]) -> threading.Thread:
    """A running thread with the deepest stack that the system grants."""
    global _granted
    with _lock:
        usual = threading.stack_size()
        try:
            for size in _STACKS:
                thread = threading.Thread(target=do, name="script", daemon=True)
                try:
                    threading.stack_size(size)
                    thread.start()
                except (ValueError, RuntimeError):
                    continue
                _granted = size
                return thread
        finally:
            threading.stack_size(usual)
    thread = threading.Thread(target=do, name="script", daemon=True)
    thread.start()
    return thread


@contextmanager
def _many_frames() -> Iterator[None]:
    """Raise Python's limit of nested calls; it is one for all threads, so the last to leave restores it."""
    global _running, _usual
    with _lock:
        if _running == 0:
            _usual = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_usual, FRAMES))
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if _running == 0:
                sys.setrecursionlimit(_usual)
