"""What the names of a script mean: `t.tensor` is torch.tensor after `import torch as t`.

Knows imports and dotted names. Imports nothing itself.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.imitation.script.text.located import Change, Located

_CONSTRUCTORS = "Tensor FloatTensor DoubleTensor HalfTensor LongTensor IntTensor"
_FUNCTIONS = "tensor zeros ones full empty arange linspace eye rand randn randint randperm"
_DTYPES = "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool float double half long int"
_STARRED = f"{_CONSTRUCTORS} {_FUNCTIONS} {_DTYPES}".split()


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

    def spell(self, name: str, script: Located) -> tuple[str, list[Change]]:
        """How to write torch's `name` in this script, and the import that has to be added for it, if any."""
        bound = {meaning: word for word, meaning in self.meaning.items()}
        if f"torch.{name}" in bound:
            return bound[f"torch.{name}"], []
        if "torch" in bound:
            return f"{bound['torch']}.{name}", []
        if self.last_from is not None and name not in _names_used(script.tree):
            end = script.span(self.last_from)[1]
            return name, [Change(end, end, f", {name}")]
        start = self.first_line
        return f"torch.{name}", [Change(start, start, f"import torch{script.newline}")]


def _names_used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def torch_names(script: Located) -> TorchNames:
    """Read the imports of a script, wherever they stand."""
    meaning: dict[str, str] = {}
    last_from: ast.alias | None = None
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Import):
            meaning.update(_imported(node))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if alias.name == "*":
                    meaning.update(_starred(node.module))
                else:
                    meaning[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            if node.module == "torch" and node.names[-1].name != "*":
                last_from = node.names[-1]
    return TorchNames(meaning, last_from, _first_line(script))


def _starred(module: str) -> dict[str, str]:
    if module != "torch":
        return {}
    return {name: f"torch.{name}" for name in _STARRED}


def _imported(node: ast.Import) -> dict[str, str]:
    """`import a.b` binds a; `import a.b as c` binds c to a.b."""
    return {alias.asname or alias.name.split(".")[0]: _bound(alias) for alias in node.names}


def _bound(alias: ast.alias) -> str:
    return alias.name if alias.asname else alias.name.split(".")[0]


def _first_line(script: Located) -> int:
    """Where a first import may stand: after a docstring and `from __future__` lines."""
    for node in script.tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or is_future):
            return script.offset(node.lineno, 0)
    return len(script.text) if script.text.endswith(("\n", "\r")) else 0
