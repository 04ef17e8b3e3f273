"""Batches of sources: a script that runs first, and small sources made of it and of the grammar."""

from __future__ import annotations

import ast
import json
from functools import cached_property
from pathlib import Path
from random import Random

from gradviz.shipped import shipped
from tests.corpus import corpus
from tests.run.fuzzing import grammar, mutations
from tests.run.fuzzing.mutations import Script


def real_texts() -> list[str]:
    """What stands before the grammar's sources, the lessons, and the corpus."""
    files = [*sorted(shipped("examples").glob("*.py")), *corpus.sources()]
    texts = [grammar.SETUP, *(_text_of(file) for file in files)]
    return [text for text in texts if _is_python(text)]


def _text_of(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def _is_python(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except SyntaxError:
        return False


class Sources:
    """Makes the sources of one seed; the same seed and numbers give the same source.

    Attributes:
        texts: the real scripts; the first stands before the grammar's sources.
    """

    def __init__(self, seed: int, names: list[str]) -> None:
        self._seed = seed
        self._names = names
        self._scripts: dict[int, Script] = {}
        self.texts = real_texts()

    def first(self, batch: int) -> str:
        """The script that runs before the sources of a batch."""
        return self.texts[self._index(batch)]

    def source(self, batch: int, number: int) -> tuple[str, str]:
        """One source, made in one of the ways, or in two: its kind, script or notebook, and its text."""
        random = Random(f"{self._seed}-{batch}-{number}")
        choice, index = random.random(), self._index(batch)
        if index == 0 and choice < 0.6:
            text = grammar.script(random)
        else:
            text = self._changed(self._script(index).window(random), random)
        if choice > 0.85:
            text = self._changed(text, random)
        return ("notebook", mutations.magics(text, random)) if random.random() < 0.04 else ("script", text)

    def _index(self, batch: int) -> int:
        random = Random(f"{self._seed}-{batch}")
        return 0 if random.random() < 0.5 else random.randrange(len(self.texts))

    def _script(self, index: int) -> Script:
        if index not in self._scripts:
            self._scripts[index] = Script(self.texts[index])
        return self._scripts[index]

    @cached_property
    def _pool(self) -> list[ast.expr]:
        """Short expressions of some of the real scripts."""
        chosen = Random(self._seed).sample(range(len(self.texts)), 40)
        return [node for index in chosen for node in self._script(index).expressions if len(ast.unparse(node)) < 80]

    def _changed(self, text: str, random: Random) -> str:
        choice = random.random()
        if choice < 0.3:
            return mutations.tokens(text, random)
        if choice < 0.4:
            return mutations.lines(text, random)
        if choice < 0.5:
            return mutations.characters(text, random)
        if choice < 0.65:
            return mutations.splices(text, random, self._pool)
        if choice < 0.78:
            return mutations.doors(text, random)
        if choice < 0.9:
            return mutations.attacks(text, random)
        return mutations.calls(text, random, self._names)
