"""Ops by the names that PyTorch has for them.

The rule table has several entries for what is one function in PyTorch: `conv2d` with a bias and without, `mul` by a
tensor and by a number. A recording has PyTorch's name, and the entry is found again by what the node was given.
"""

from __future__ import annotations

import re
from functools import cache

_ENTRY = re.compile(
    "((?:add|addmm|batch_norm|clamp|clamp_max|clamp_min|conv[123]d|conv_transpose[123]d|copysign|div|embedding_bag|eq|"
    "fill|fmod|ge|group_norm|gt|index_fill|layer_norm|le|lerp|lt|masked_fill|max|median|min|mul|nanmedian|ne|pow|"
    "remainder|rsub|scatter|scatter_add|sub|as_strided|xlogy))"
    "(?:_(?:plain|given|number|tensor|scaled|rounded|beyond|weighted|value|dim|of|zeros))+(_?)"
)
"""What tells such entries apart; no custom Function is called so."""


@cache
def spelled(op: str) -> str:
    """An op as PyTorch spells it: "conv2d" for the entry "conv2d_plain"."""
    entry = _ENTRY.fullmatch(op)
    return entry[1] + entry[2] if entry else op
