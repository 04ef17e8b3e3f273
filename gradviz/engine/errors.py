"""The engine's own error: what lies beyond the small torch that it is.

Everything that PyTorch refuses as well is raised as Python's own exceptions with PyTorch's text.
"""

from __future__ import annotations

from gradviz.errors import GradvizError


class Beyond(GradvizError, AttributeError, NotImplementedError):
    """A name, dtype or argument that the built-in engine does not have, although PyTorch may.

    It is an AttributeError too, so that `hasattr` and `getattr` with a default answer as people expect.
    """

    def __init__(self, what: str) -> None:
        GradvizError.__init__(self, f"{what} is beyond the built-in engine")
