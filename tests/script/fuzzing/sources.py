"""Batches of sources: a script that runs first, and small sources made of it and of the grammar."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from gradviz.source.magics import without_magics
from gradviz.shipped import shipped
from tests.script.fuzzing import grammar, mutations
from tests.script.fuzzing.mutations import Script

CORPUS = Path(__file__).parents[2] / "corpus"


def real_scripts() -> list[Script]:
    """The examples, the corpus, and what stands before the grammar's sources."""
    texts = [grammar.SETUP]
    for file in (*sorted(shipped("examples").glob("*.py")), *sorted((CORPUS / "scripts").glob("*.py"))):
        texts.append(file.read_text(encoding="utf-8"))
    for file in sorted((CORPUS / "notebooks").glob("*.ipynb")):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        texts.append("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
    return [Script(text) for text in texts if _is_python(text)]


def _is_python(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except SyntaxError:
        return False


class Sources:
    """Makes the batches of one seed; the same seed and number give the same batch.

    Attributes:
        scripts: the real ones; the first stands before the grammar's sources.
    """

    def __init__(self, seed: int, names: list[str], each: int = 200) -> None:
        self._seed = seed
        self._names = names
        self._each = each
        self.scripts = real_scripts()
        self._pool = [node for script in self.scripts for node in script.expressions if len(ast.unparse(node)) < 80]

    def batch(self, number: int) -> tuple[str, Iterator[str]]:
        """The script to run first, and the sources after it."""
        random = Random(f"{self._seed}-{number}")
        script = self.scripts[0] if random.random() < 0.4 else random.choice(self.scripts)
        return script.text, (self.source(script, random) for _ in range(self._each))

    def source(self, script: Script, random: Random) -> str:
        """One source, made in one of the ways, or in two."""
        choice = random.random()
        if script is self.scripts[0] and choice < 0.6:
            text = grammar.script(random)
        else:
            text = self.changed(script.window(random), random)
        if choice > 0.9:
            text = self.changed(text, random)
        return without_magics(mutations.magics(text, random)) if random.random() < 0.03 else text

    def changed(self, text: str, random: Random) -> str:
        """The text after one mutation."""
        choice = random.random()
        if choice < 0.4:
            return mutations.tokens(text, random)
        if choice < 0.55:
            return mutations.lines(text, random)
        if choice < 0.65:
            return mutations.characters(text, random)
        if choice < 0.8:
            return mutations.splices(text, random, self._pool)
        if choice < 0.9:
            return mutations.doors(text, random)
        return mutations.calls(text, random, self._names)
