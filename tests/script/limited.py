"""Scripts run within small limits."""

from __future__ import annotations

from gradviz.errors import GradvizError
from gradviz.imitation.script.machine import Limits
from gradviz.imitation.script.run import run

SMALL = Limits(steps=30_000, nodes=2_000, megabytes=400)
HEAD = """import torch, itertools, functools, math, random
import numpy as np
import torch.nn.functional as F
"""


def ended(code: str, limits: Limits = SMALL) -> GradvizError:
    """The error of a script, whose last lines are `code`."""
    result = run(HEAD + code, seed=0, limits=limits)
    assert result.error is not None
    return result.error
