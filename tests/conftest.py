"""Tests run without a screen, and in a home of their own."""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Matrices are small here, and the other processors have tests of their own: threads for a product only wait for them.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# A busy machine is no failure.
settings.register_profile("gradviz", deadline=None)
settings.load_profile("gradviz")


def pytest_configure(config: pytest.Config) -> None:
    """Where the tests are shared out, a process that has done its part is gone at once.

    To take its million objects apart, Python would need as long as for some hundred tests.
    """
    if hasattr(config, "workerinput"):
        atexit.register(os._exit, 0)


finished = 0
"""Tests, in this process."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """The tests themselves, a million objects, are no garbage: looking for some among them would take 3 s, and again later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid: str) -> None:
    """What tests leave for good, reports and closed windows among it, would be looked through again and again."""
    global finished
    finished += 1
    if finished % 100 == 0:
        gc.collect()
        gc.freeze()
