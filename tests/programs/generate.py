"""Which lines a program is made of, and how many."""

from __future__ import annotations

from random import Random

from tests.programs.chains import changing_hooks, custom_views, loop, passes, region, several, view_of_view
from tests.programs.indexing import part, part_change
from tests.programs.leaves import binary, change, from_table, leaf, unary, view
from tests.programs.passes import backward, clear, custom, grad, hook, look, mode, node_hook
from tests.programs.writer import Writer
from tests.programs.writing_into import broadcast_change, into, memory

KINDS = {
    leaf: 4, unary: 10, binary: 8, from_table: 8, view: 9, change: 8, backward: 6, grad: 5, hook: 4, node_hook: 2,
    custom: 3, mode: 2, clear: 3, look: 3, part: 4, part_change: 4, into: 2, memory: 2, broadcast_change: 3,
    view_of_view: 4, several: 3, region: 3, loop: 3, passes: 4, changing_hooks: 3, custom_views: 3,
}  # fmt: skip
LONGEST = 22


def program(seed: int | str, longest: int = LONGEST) -> list[str]:
    """The statements of a program; each program has a taste of its own, so that some are all hooks, some all views."""
    random = Random(seed)
    writer = Writer(random)
    kinds = list(KINDS)
    weights = [KINDS[kind] * random.choice((0.2, 1, 1, 3)) for kind in kinds]
    for _ in range(random.randint(1, 3)):
        leaf(writer)
    for _ in range(random.randint(4, longest)):
        random.choices(kinds, weights)[0](writer)
    backward(writer)
    return writer.chunks
