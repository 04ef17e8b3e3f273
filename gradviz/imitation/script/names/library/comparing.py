"""`difflib`: how alike two texts or lists of lines are."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.values import Namespace, Native, type_name

MOST_STEPS = 50_000_000
"""Of one comparison, which may take as many as both lengths and the shorter one multiplied."""

MATCHER = """
class SequenceMatcher:
    def __init__(self, isjunk=None, a="", b="", autojunk=True):
        self.isjunk, self.autojunk = isjunk, autojunk
        self.set_seqs(a, b)
    def set_seqs(self, a, b): self.a, self.b = a, b
    def set_seq1(self, a): self.a = a
    def set_seq2(self, b): self.b = b
    def _asked(self, name, *given): return _of(name, self.isjunk, self.a, self.b, self.autojunk, given)
    def ratio(self): return self._asked("ratio")
    def quick_ratio(self): return self._asked("quick_ratio")
    def real_quick_ratio(self): return self._asked("real_quick_ratio")
    def get_opcodes(self): return self._asked("get_opcodes")
    def get_matching_blocks(self): return self._asked("get_matching_blocks")
    def find_longest_match(self, alo=0, ahi=None, blo=0, bhi=None):
        return self._asked("find_longest_match", alo, ahi, blo, bhi)
"""


def _given(machine: Machine, items: Any) -> Any:
    """A text, or a list of texts or numbers."""
    if isinstance(items, str):
        return str(items)
    found = machine.listed(items)
    for item in found:
        if type(item) not in (str, int, float, bool):
            said = f"difflib compares texts and lists of texts or numbers here, not '{type_name(item)}'"
            raise TorchError(said, kind="TypeError", hint="Compare their texts: list(map(str, items)).")
    return found


def _compared(machine: Machine, a: Any, b: Any) -> tuple[Any, Any]:
    """Both, if comparing them takes no longer than a run may."""
    a, b = _given(machine, a), _given(machine, b)
    steps = len(a) * len(b) * min(len(a), len(b))
    if steps > MOST_STEPS:
        said = f"comparing {len(a):,} with {len(b):,} items takes too long"
        raise LimitError(said, hint="Compare shorter texts, or lists of lines.")
    machine.spend(len(a) + len(b) + steps // 100)
    return a, b


def _of(machine: Machine, name: str, isjunk: Any, a: Any, b: Any, autojunk: bool, given: tuple[Any, ...]) -> Any:
    junk: Callable[[Any], Any] | None = None if isjunk is None else lambda item: machine.call(isjunk, (item,), {})
    return getattr(difflib.SequenceMatcher(junk, *_compared(machine, a, b), bool(autojunk)), name)(*given)


def _close(machine: Machine, word: Any, possibilities: Any, n: int = 3, cutoff: float = 0.6) -> list[Any]:
    found = machine.listed(possibilities)
    for other in found:
        _compared(machine, other, word)
    try:
        return difflib.get_close_matches(word, found, n, cutoff)
    except ValueError as error:
        raise TorchError(str(error), kind="ValueError") from None


def _differing(show: Callable[..., Iterator[str]]) -> Callable[..., Iterator[str]]:
    """`unified_diff` and `context_diff`."""

    def run(machine: Machine, a: Any, b: Any, *rest: Any, **named: Any) -> Iterator[str]:
        return iter(list(show(*_compared(machine, a, b), *rest, **named)))

    return run


READERS[difflib.Match] = fields("a", "b", "size")


def module(machine: Machine) -> Namespace:
    """The names."""
    names = {"_of": Native("_of", _of, needs_machine=True)}
    return Namespace("difflib", {
        **run_text(machine, MATCHER, names, "difflib"),
        **with_machine({
            "get_close_matches": _close, "unified_diff": _differing(difflib.unified_diff),
            "context_diff": _differing(difflib.context_diff),
        }),
    })  # fmt: skip
