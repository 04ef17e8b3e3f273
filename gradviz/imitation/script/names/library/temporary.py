"""`tempfile`: names for files that a script saves and reads again; its folders are in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.library import folders
from gradviz.imitation.script.names.library.making import natives
from gradviz.imitation.script.names.library.system import refused
from gradviz.imitation.script.values import Namespace

FOLDER = "/tmp"  # noqa: S108 - nothing is written there


def module(machine: Machine) -> Namespace:
    """The names."""
    numbered = itertools.count(1).__next__

    def fresh(suffix: str | None = None, prefix: str | None = None, dir: str | None = None) -> str:
        return f"{dir or FOLDER}/{prefix or 'tmp'}{numbered():08d}{suffix or ''}"

    def kept(*given: str | None, **named: str | None) -> str:
        name = fresh(*given, **named)
        folders.make(machine, name)
        return name

    def folder(*given: str | None, **named: str | None) -> Managed:
        name = kept(*given, **named)
        drop = partial(folders.drop, machine, name, True)
        made = Managed("tempfile.TemporaryDirectory", lambda: name, lambda _: drop())
        made.members = {"name": name, **natives({"cleanup": drop})}
        return made

    table: dict[str, Callable[..., object]] = {
        "gettempdir": lambda: FOLDER, "mkdtemp": kept, "mktemp": fresh, "TemporaryDirectory": folder,
    }  # fmt: skip
    why = "Save under a plain name, or into io.BytesIO()."
    files = ("NamedTemporaryFile", "TemporaryFile", "mkstemp")
    return Namespace("tempfile", {**natives(table), **{name: refused(f"tempfile.{name}", why) for name in files}})
