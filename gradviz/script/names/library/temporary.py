"""`tempfile`: names for files that a script saves and reads again; no folder is made."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from gradviz.script.machine import Machine
from gradviz.script.managed import Managed
from gradviz.script.names.library.making import natives
from gradviz.script.names.library.system import refused
from gradviz.script.values import Namespace

FOLDER = "/tmp"  # noqa: S108 - nothing is written there


def module(machine: Machine) -> Namespace:
    """The names."""
    numbered = itertools.count(1).__next__

    def fresh(suffix: str | None = None, prefix: str | None = None, dir: str | None = None) -> str:
        return f"{dir or FOLDER}/{prefix or 'tmp'}{numbered():08d}{suffix or ''}"

    def folder(suffix: str | None = None, prefix: str | None = None, dir: str | None = None) -> Managed:
        name = fresh(suffix, prefix, dir)
        made = Managed("tempfile.TemporaryDirectory", lambda: name, lambda _: False)
        made.members = {"name": name, **natives({"cleanup": lambda: None})}
        return made

    table: dict[str, Callable[..., object]] = {
        "gettempdir": lambda: FOLDER, "mkdtemp": fresh, "mktemp": fresh, "TemporaryDirectory": folder,
    }  # fmt: skip
    why = "Save under a plain name, or into io.BytesIO()."
    files = ("NamedTemporaryFile", "TemporaryFile", "mkstemp")
    return Namespace("tempfile", {**natives(table), **{name: refused(f"tempfile.{name}", why) for name in files}})
