"""Warnings that numpy and Python's library raise while the script's work is done: told as the script's own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

USUAL: dict[str, Any] = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
HEARD: ContextVar[dict[str, Any]] = ContextVar("numpy's errors", default=USUAL)
"""What numpy does about its four kinds of errors in this run; see `np.errstate`."""


def told(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """A call whose warnings are told as the script's.

    Raises:
        TorchError: numpy could not read the name of a dtype, which it reads as Python's own text.
    """
    with warnings.catch_warnings(record=True) as seen, np.errstate(**HEARD.get()):
        warnings.simplefilter("always")
        try:
            result = function(*arguments, **keywords)
        except SyntaxError as error:
            raise TorchError(str(error), kind="SyntaxError", hint="Check the name of the dtype.") from None
        except SystemError as fault:
            if fault.__cause__ is None:
                raise
            raise fault.__cause__ from None  # numpy's `add.at` goes on after an error in what it was given
    for each in seen:
        warn(str(each.message), each.category.__name__)
    return result
