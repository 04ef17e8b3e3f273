"""The level of a module's call: the outermost module by its variable, those inside it by their paths."""

from __future__ import annotations

import weakref

from gradviz.imitation.script.levels import Level
from gradviz.imitation.script.names.nn.books import books, named_modules
from gradviz.imitation.script.values import Instance


def level_of(module: Instance, outer: Level) -> Level:
    """A level for a call of the module."""
    path = "" if outer.root is None else path_in(outer.root, module)
    level = Level(outer, path or module.label or module.cls.name)
    level.module = module
    if not path:
        level.root = module
    return level


def path_in(root: Instance, module: Instance) -> str:
    """The module's dotted path in another, as `named_modules` gives it; "" where it is not inside.

    Looked up once for all modules inside: a loop calls them ten thousand times, and a model may have thousands.
    """
    kept = books(module)
    if kept.path is None or kept.path[0]() is not root:
        here = weakref.ref(root)
        for path, inner in named_modules(root):
            books(inner).path = here, path
        if kept.path is None or kept.path[0]() is not root:
            kept.path = here, ""
    return kept.path[1]
