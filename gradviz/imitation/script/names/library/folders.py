"""Folders in memory: those that a script makes, and those that the names of its files tell of. No real one is seen."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from gradviz.errors import LimitError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.files import files_of, not_found, os_error, place
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.values import Namespace

FOLDERS = "folders"
"""Under this name a run keeps the folders that it made."""

MOST_FOLDERS = 10_000
LONGEST_PATTERN = 200


def below(machine: Machine, path: Any) -> list[str]:
    """All files and folders in a folder and in those inside it, as paths from it, each after its own folder."""
    where = place(path)
    start = "" if where == "." else f"{where.rstrip('/')}/"
    found: dict[str, None] = {}
    for each in (*files_of(machine), *machine.state.get(FOLDERS, ())):
        if each.startswith(start) and each != where and not (where == "." and each.startswith("/")):
            parts = each[len(start) :].split("/")
            found |= {"/".join(parts[: count + 1]): None for count in range(len(parts))}
    return list(found)


def is_folder(machine: Machine, path: Any) -> bool:
    """Whether there is such a folder in this run."""
    where = place(path)
    return where in (".", "/") or where in machine.state.get(FOLDERS, ()) or bool(below(machine, where))


def exists(machine: Machine, path: Any) -> bool:
    """Whether there is such a file or folder in this run."""
    return path in files_of(machine) or is_folder(machine, path)


def make(machine: Machine, path: Any, exist_ok: bool = False) -> None:
    """Make a folder, and those that it stands in.

    Raises:
        TorchError: FileExistsError, as Python raises it.
        LimitError: there are too many.
    """
    if exists(machine, path) and not (exist_ok and is_folder(machine, path)):
        raise os_error(17, "File exists", str(path), "FileExistsError")
    known: dict[str, None] = machine.state.setdefault(FOLDERS, {})
    if len(known) >= MOST_FOLDERS:
        raise LimitError(f"more than {MOST_FOLDERS:,} folders are not supported", hint="Make fewer.")
    known[place(path)] = None


def listed(machine: Machine, path: Any = ".") -> list[str]:
    """The names in a folder."""
    if not is_folder(machine, path):
        raise not_found(str(path))
    return [each for each in below(machine, path) if "/" not in each]


def walk(machine: Machine, top: Any) -> Iterator[tuple[str, list[str], list[str]]]:
    """`os.walk`, downwards."""
    inside = [each for each in below(machine, top) if is_folder(machine, posixpath.join(str(top), each))]
    for folder in [str(top), *(posixpath.join(str(top), each) for each in inside)] if is_folder(machine, top) else ():
        names = listed(machine, folder)
        folders = [name for name in names if is_folder(machine, posixpath.join(folder, name))]
        yield folder, folders, [name for name in names if name not in folders]


def matching(machine: Machine, path: Any, pattern: str) -> list[str]:
    """What is in a folder by a pattern of names, where `**` stands for any folders, as paths from it.

    Raises:
        LimitError: a very long pattern.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise LimitError(f"a pattern of {len(pattern):,} characters is too long", hint="Use a shorter one.")
    wanted = [part for part in pattern.split("/") if part not in ("", ".")]
    return [each for each in below(machine, path) if _is_like(each.split("/"), wanted)]


def _is_like(parts: list[str], wanted: list[str]) -> bool:
    reached = _passed({0}, wanted)
    for part in parts:
        stepped = set()
        for at in reached:
            if at < len(wanted) and wanted[at] == "**":
                stepped.add(at)
            elif at < len(wanted) and fnmatchcase(part, wanted[at]):
                stepped.add(at + 1)
        reached = _passed(stepped, wanted)
    return len(wanted) in reached


def _passed(reached: set[int], wanted: list[str]) -> set[int]:
    """The places in a pattern that are reached too, since `**` may stand for no folder."""
    for at, part in enumerate(wanted):
        if at in reached and part == "**":
            reached.add(at + 1)
    return reached


def drop(machine: Machine, path: Any, ignore_errors: bool = False) -> None:
    """Forget a folder with all that is in it."""
    if not is_folder(machine, path):
        if ignore_errors:
            return
        raise not_found(str(path))
    files, known = files_of(machine), machine.state.get(FOLDERS, {})
    for each in (*(posixpath.join(str(path), name) for name in below(machine, path)), str(path)):
        known.pop(place(each), None)
        if each in files:
            del files[each]


def remove_empty(machine: Machine, path: Any) -> None:
    """`os.rmdir`."""
    if is_folder(machine, path) and below(machine, path):
        raise os_error(39, "Directory not empty", str(path), "OSError")
    drop(machine, path)


def copied(machine: Machine, src: Any, dst: Any) -> str:
    """A second file with the content of the first, under the other's name or in the folder of that name."""
    files = files_of(machine)
    if src not in files:
        raise not_found(str(src))
    target = posixpath.join(str(dst), posixpath.basename(str(src))) if is_folder(machine, dst) else str(dst)
    files[target] = files[src]
    return target


def moved(machine: Machine, src: Any, dst: Any) -> str:
    """The same file under another name."""
    target = copied(machine, src, dst)
    if place(src) != place(target):
        del files_of(machine)[src]
    return target


def glob_module(machine: Machine) -> Namespace:
    """`glob`, over what this run has made."""

    def found(machine: Machine, pathname: str, *, recursive: bool = False, **_: Any) -> list[str]:
        top = "/" if pathname.startswith("/") else "."
        start = "/" if top == "/" else "./" if pathname.startswith("./") else ""
        pattern = pathname if recursive else pathname.replace("**", "*")
        return [start + each for each in matching(machine, top, pattern) if not each.startswith(".")]

    def stepped(machine: Machine, *given: Any, **named: Any) -> Iterator[str]:
        return iter(found(machine, *given, **named))

    return Namespace("glob", with_machine({"glob": found, "iglob": stepped}))


def moving_module(machine: Machine) -> Namespace:
    """`shutil`, among the files of this run."""
    copying: dict[str, Callable[..., Any]] = dict.fromkeys(("copy", "copy2", "copyfile"), copied)
    return Namespace("shutil", with_machine({**copying, "move": moved, "rmtree": drop}))
