"""What a pasted cell needs before it runs as it stands: prompts and magics taken off, forgotten imports found.

Lines keep their numbers: one that is taken off becomes empty or a comment, and imports are returned to be run before
line 1 instead of being written into the text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.errors import ScriptError
from gradviz.source.magics import without_magics
from gradviz.source.prompts import without_prompts
from gradviz.source.syntax import parse_script

__all__ = ["IMPORTS", "as_python", "missing_imports", "without_prompts"]

IMPORTS = {
    "torch": "import torch",
    "nn": "import torch.nn as nn",
    "F": "import torch.nn.functional as F",
    "optim": "import torch.optim as optim",
    "np": "import numpy as np",
    "plt": "import matplotlib.pyplot as plt",
    "math": "import math",
}
"""The names that readers of PyTorch code expect, and the line that each of them comes from."""


def as_python(text: str) -> str:
    """A pasted text as Python: as it is where it can be parsed, else without prompts, magics and shell lines.

    Where even that is no Python, it has mistakes of its own, and is returned with its prompts taken off alone.
    """
    text = without_prompts(text)
    if _parses(text):
        return text
    plain = without_magics(text)
    return plain if _parses(plain) else text


def _parses(text: str) -> bool:
    try:
        parse_script(text)
    except ScriptError:
        return False
    return True


def missing_imports(tree: ast.Module) -> list[str]:
    """The import lines of well-known names that a script uses as `np.array` and binds nowhere.

    Returns:
        Lines such as `import numpy as np`, in the order of `IMPORTS`; none where a star import may bind the name.
    """
    used = {
        node.value.id for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in IMPORTS
    }  # fmt: skip
    bound = set(_bound(tree)) if used else set()
    starred = "*" in bound
    return [line for name, line in IMPORTS.items() if name in used - bound and not (starred and name != "torch")]


def _bound(tree: ast.Module) -> Iterator[str]:
    """Every name that the script binds in any scope, and "*" for a star import."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from (alias.asname or alias.name.split(".")[0] for alias in aliases)
            case ast.arg(arg=name):
                yield name
            case (
                ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):  # fmt: skip
                yield name
