"""The rules once more, for tensors (create_graph): in the very steps in which PyTorch's own rules are written.

A gradient under create_graph is a graph, and the user can look at it. Where the operators of an entry's rule would
make other nodes than PyTorch's, or in another order, the rule stands here a second time. Numbers are worked out by the
entry's rule alone; a test compares the two.

What shows is which ops a rule is made of, which of them ran later (a later one comes first in the next pass), and what
is no node at all. C++ works out the right operand of `a * b` before the left one; so do these rules, where both are
more than a name.

Source: derivatives.yaml and FunctionsManual.cpp of PyTorch 2.13.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from gradviz.imitation.engine.op import Rule

_FAMILIES = (
    "activation",
    "elementwise",
    "linear",
    "losses",
    "moving",
    "normal",
    "once",
    "placing",
    "recurrent",
    "reduction",
    "special",
)

RULES: dict[str, tuple[Rule | None, ...]] = {}
"""By op: one rule per input, as in its entry."""
AT_ONCE: dict[str, Callable[..., tuple[Any, ...]]] = {}
"""By op: all that is sent, in one call: at_once(needs, g, y, *inputs, **params), with needs: which inputs want one."""
OF_RESULTS: dict[str, Callable[..., tuple[Any, ...]]] = {}
"""By op of several results: what is sent for all of them in one call: of_results(came, made, sources, needs).

`came` holds what came to each result, or None, by its number; `made` the results, of which some may be missing.
"""
for _family in (import_module(f"{__name__}.{name}") for name in _FAMILIES):
    RULES |= getattr(_family, "RULES", {})
    AT_ONCE |= getattr(_family, "AT_ONCE", {})
    OF_RESULTS |= getattr(_family, "OF_RESULTS", {})

__all__ = ["AT_ONCE", "OF_RESULTS", "RULES"]
