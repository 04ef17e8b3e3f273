"""The engine's own error: what lies beyond the small torch that it is.

Everything that PyTorch refuses as well is raised as Python's own exceptions with PyTorch's text.
"""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.errors import GradvizError


class Beyond(GradvizError, AttributeError, NotImplementedError):
    """A name, dtype or argument that the built-in engine does not have, although PyTorch may.

    It is an AttributeError too, so that `hasattr` and `getattr` with a default answer as people expect.
    """

    def __init__(self, what: str) -> None:
        GradvizError.__init__(self, f"{what} is beyond the built-in engine")


def refuse_options(function: str, given: Mapping[str, object], known: str) -> None:
    """Refuse options that a function does not take: those that PyTorch has are beyond the engine.

    Args:
        given: the options; those that are None or False ask for nothing.
        known: those of PyTorch's that the engine does not have, separated by spaces.

    Raises:
        Beyond: one of them is asked for.
        TypeError: PyTorch has no such option either.
    """
    for name, value in given.items():
        if name not in known.split():
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        if value is not None and value is not False:
            raise Beyond(f"{function}({name}={value!r})")
