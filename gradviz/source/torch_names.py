"""What the imported names of a script mean: `t.tensor` is torch.tensor after `import torch as t`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.source.edits import Edit, ParsedText
from gradviz.source.pasted import missing_imports

_CLASSES = ("Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor")
_FUNCTIONS = (
    "tensor", "zeros", "ones", "full", "empty", "arange", "linspace", "eye", "rand", "randn", "randint", "randperm",
)  # fmt: skip
_DTYPES = (
    "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool", "float", "double", "long", "int",
)  # fmt: skip
_STARRED = (*_CLASSES, *_FUNCTIONS, *_DTYPES)
"""What `from torch import *` binds, as far as leaves are made of it."""


@dataclass(frozen=True)
class TorchNames:
    """The imported names of one script.

    Attributes:
        meaning: the dotted name by the name it is bound to, e.g. {"nn": "torch.nn", "T": "torch.tensor"}.
        last_from: the last alias of `from torch import ...`, the place where one more name can be imported.
        first_line: index in the text where a new import may stand.
    """

    meaning: dict[str, str]
    last_from: ast.alias | None
    first_line: int

    def resolve(self, node: ast.expr) -> str:
        """The dotted name that an expression stands for, or "" where it is not an imported name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.meaning:
            return ""
        return ".".join([self.meaning[node.id], *reversed(parts)])

    def spell(self, name: str, script: ParsedText) -> tuple[str, list[Edit]]:
        """How to write torch's `name` in this script, and the import that has to be added for it, if any."""
        bound = {meaning: word for word, meaning in self.meaning.items()}
        if f"torch.{name}" in bound:
            return bound[f"torch.{name}"], []
        if "torch" in bound:
            return f"{bound['torch']}.{name}", []
        used = {node.id for node in ast.walk(script.tree) if isinstance(node, ast.Name)}
        if self.last_from is not None and name not in used:
            end = script.end(self.last_from)
            return name, [Edit(end, end, f", {name}")]
        return f"torch.{name}", [Edit(self.first_line, self.first_line, f"import torch{script.newline}")]


def read_torch_names(script: ParsedText) -> TorchNames:
    """Read the imports of a script, wherever they stand, and those that are added to it when it runs."""
    meaning: dict[str, str] = {}
    for line in missing_imports(script.tree):
        module, _, word = line.removeprefix("import ").partition(" as ")
        meaning[word or module] = module
    last_from: ast.alias | None = None
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:  # `import a.b` binds a; `import a.b as c` binds c to a.b
                top = alias.name.partition(".")[0]
                meaning[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            meaning.update(_imported_from(node.module, node.names))
            if node.module == "torch" and node.names[-1].name != "*":
                last_from = node.names[-1]
    return TorchNames(meaning, last_from, _first_line(script))


def _imported_from(module: str, aliases: list[ast.alias]) -> dict[str, str]:
    if aliases[0].name == "*":
        return {name: f"torch.{name}" for name in _STARRED} if module == "torch" else {}
    return {alias.asname or alias.name: f"{module}.{alias.name}" for alias in aliases}


def _first_line(script: ParsedText) -> int:
    """Where a first import may stand: after a docstring and `from __future__` lines."""
    for node in script.tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or is_future):
            return script.index_of(node.lineno, 0)
    return len(script.text) if script.text.endswith(("\n", "\r")) else 0
