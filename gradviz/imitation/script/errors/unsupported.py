"""What is said of a name that there is not, by the reader and by the reference page alike.

A name that PyTorch, numpy or Python has and gradviz has not is no error of the script: it is refused in one
sentence, and not with an AttributeError, which would be untrue and which the script could catch.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np

from gradviz.errors import ScriptError
from gradviz.imitation.script.errors.overheard import told


class Unsupported(ScriptError):
    """The script uses a name that PyTorch has and gradviz has not."""

    def __init__(self, name: str) -> None:
        super().__init__(f"'{name}' is not supported by gradviz", hint=ADVICE.get(name.rpartition(".")[2], HELP))


_ROWS = Path(__file__).with_name("pytorch_names.txt").read_text(encoding="utf-8").splitlines()
HELP = "The help lists every name that is."
_REAL = "Use two real tensors."
ADVICE = {
    **dict.fromkeys(("complex32", "complex64", "complex128", "chalf", "cfloat", "cdouble"), _REAL),
    **dict.fromkeys(("polar", "view_as_complex", "fft"), _REAL),
}


def unsupported(name: str) -> str:
    """The sentence for a name, written in full, e.g. "torch.fft.rfft" or "Tensor.cuda"."""
    error = Unsupported(name)
    return f"{error.message}. {error.hint}"


def exists(owner: str, name: str) -> bool:
    """Whether a module or class has a name where the script comes from, e.g. ("torch.fft", "rfft")."""
    if name.startswith("_"):
        return False
    module = sys.modules.get(owner)
    return name in _pytorchs().get(owner, ()) if module is None else name in dir(module)


def no_longer(owner: str, name: str) -> str:
    """numpy's own words for a name that it once had, or ""."""
    if owner != "numpy" or not (name in np.__former_attrs__ or name in np.__expired_attributes__):
        return ""
    try:
        told(getattr, np, name)
    except AttributeError as error:
        return str(error)
    return ""


@cache
def _pytorchs() -> dict[str, frozenset[str]]:
    return {owner: frozenset(names.split(" ")) for owner, names in (row.split("\t") for row in _ROWS)}
