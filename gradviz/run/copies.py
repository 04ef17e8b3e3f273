"""`copy.deepcopy` whose memo keeps to itself what it holds.

Python hands the memo to every `__deepcopy__`. In it stand the dicts that become the attributes of the copies: a script
that writes `__array_interface__` into one of them has numpy read any memory, and one that answers for the memo sets
whatever it likes on an object of a library.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gradviz.run.refused import Refused
from gradviz.run.visible import Uncopied, is_of_script

_python: Callable[..., Any] = copy.deepcopy
_names = vars(copy)


class Memo(Uncopied):
    """The memo of a deep copy: Python's `copy` sees all of it, anybody else what they put there themselves.

    What a script puts there counts for objects of its own classes.
    """

    __slots__ = ("_all", "_given")

    _all: dict[int, Any]
    _given: dict[Any, Any]

    def get(self, key: Any, default: Any = None) -> Any:
        """As a dict's."""
        frame = sys._getframe(1)
        if frame.f_globals is not _names:
            return self._given.get(key, default)
        if key in self._given and is_of_script(frame.f_locals.get("x")):
            return self._given[key]
        return self._all.get(key, default)

    def __getitem__(self, key: Any) -> Any:
        return (self._all if sys._getframe(1).f_globals is _names else self._given)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        (self._all if sys._getframe(1).f_globals is _names else self._given)[key] = value

    def __contains__(self, key: Any) -> bool:
        return key in self._given


def _memo(known: dict[int, Any] | None = None) -> Memo:
    """A new one; a script could call an `__init__` again, with a dict of its own."""
    made = Memo()
    made._all, made._given = {} if known is None else known, {}
    return made


def as_memo(given: Any) -> Memo:
    """What a script gives as a memo: one that it was handed, or an empty one.

    Raises:
        Refused: anything else.
    """
    if type(given) is Memo:
        return given
    if given is None or (type(given) is dict and not given):
        return _memo()
    raise Refused("copy.deepcopy takes an empty memo here, or the one that __deepcopy__ was given")


def deepcopy(x: Any, memo: Any = None) -> Any:
    """`copy.deepcopy`."""
    return _python(x, as_memo(memo))


deepcopy.__module__ = "copy"


@contextmanager
def closed_memos() -> Iterator[None]:
    """Let deep copies of the library, such as those of `dataclasses.asdict`, hand out such memos too."""

    def of_library(x: Any, memo: Any = None, *_: Any) -> Any:
        return _python(x, memo if type(memo) is Memo else _memo(memo))

    copy.deepcopy = of_library  # type: ignore[assignment]
    try:
        yield
    finally:
        copy.deepcopy = _python
