"""The command line. Qt is loaded only where something is shown or painted, so the rest starts in a moment."""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from gradviz import __version__
from gradviz.errors import FormatError, GradvizError

if TYPE_CHECKING:
    from gradviz.imitation.script.run import Run
    from gradviz.recording import Source

COMMANDS = ("run", "export", "check", "examples", "reference")
USAGE = """\
usage: gradviz [FILE]                 open the app (with FILE: a .py, .ipynb or exported .json)
       gradviz run FILE               run a script or notebook and print what PyTorch would print
       gradviz run --seconds N FILE   end it after N seconds; without it, after 60
       gradviz export FILE OUT [...]  write the graph and its gradients: .json, .png, .svg, .pdf by the suffix of OUT
       gradviz check FILE             compare every node's rule with central differences
       gradviz examples               list the shipped examples
       gradviz reference              list every name a script finds, and every op with its derivative"""


class Parser(argparse.ArgumentParser):
    """Errors on one line of stderr, exit 2."""

    def error(self, message: str) -> NoReturn:
        print(f"gradviz: {message}; see gradviz --help", file=sys.stderr)
        raise SystemExit(2)


def parser() -> Parser:
    """The parser of the commands; the app's own form is tried when none is named."""
    top = Parser(prog="gradviz", usage=USAGE.removeprefix("usage: "), add_help=True)
    top.add_argument("--version", action="version", version=f"gradviz {__version__}")
    commands = top.add_subparsers(dest="command", prog="gradviz")
    run = commands.add_parser("run", help="run a script or notebook headless")
    _take_file(run)
    run.add_argument("--seconds", type=_seconds, default=60.0, help="end it after so many seconds; default: 60")
    export = commands.add_parser("export", help="write graph and gradients to files")
    _take_file(export)
    export.add_argument("out", nargs="+", help="output files; the suffix chooses the format: .json .png .svg .pdf")
    export.add_argument("--step", type=int, help="backward steps done in a picture; default: all")
    export.add_argument("--sweep", type=int, default=None, help="which backward call, from 1; default: the last")
    export.add_argument("--keep", type=_count, help="backward calls kept of a long loop, at most; default: 200")
    export.add_argument("--dark", action="store_true", help="pictures in the dark theme")
    export.add_argument("--no-legend", dest="legend", action="store_false", help="pictures without the legend")
    check = commands.add_parser("check", help="compare every node's rule with central differences")
    _take_file(check)
    commands.add_parser("examples", help="list the shipped examples")
    commands.add_parser("reference", help="list every name and every op")
    return top


def _take_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", help="a script (.py), a notebook (.ipynb) or an exported recording (.json)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _print_anything()
    try:
        if given and given[0] in (*COMMANDS, "-h", "--help", "--version"):
            options = parser().parse_args(given)
            return TABLE[options.command](options)
        return _app(given)
    except GradvizError as error:
        print(error.one_line(getattr(error, "file", "")), file=sys.stderr)
        return 2
    except BrokenPipeError:
        _close_output()
        return 0
    except OSError as error:
        print(f"gradviz: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _print_anything() -> None:
    """Let a terminal that knows few characters show the others escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _close_output() -> None:
    """Nobody reads on (`gradviz run x.py | head`): Python's own last flush must not complain about it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _app(given: list[str]) -> int:
    if given and given[0].startswith("-"):
        print(f"gradviz: unknown option '{given[0]}'; see gradviz --help", file=sys.stderr)
        return 2
    if len(given) > 1 and Path(given[0]).exists():
        print("gradviz: the window opens one file; see gradviz --help", file=sys.stderr)
        return 2
    if len(given) > 1 or (given and not Path(given[0]).exists() and given[0].isidentifier()):
        close = [name for name in COMMANDS if name[:1] == given[0][:1] or given[0] in name]
        hint = f"did you mean '{close[0]}'?" if close else "see gradviz --help"
        print(f"gradviz: unknown command '{given[0]}'; {hint}", file=sys.stderr)
        return 2
    if given and not Path(given[0]).exists():
        print(f"{given[0]}: there is no such file; gradviz takes a .py, .ipynb or .json file", file=sys.stderr)
        return 2
    from gradviz.ui.app.start import start

    return start(given[0] if given else None)


def named(error: GradvizError, file: str) -> GradvizError:
    """The error with the file it belongs to."""
    error.file = file  # type: ignore[attr-defined]
    return error


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _load(file: str, *, keep: int | None = None, pinned: int | None = None) -> Run:
    """The run of any file that gradviz opens; of a saved recording, nothing is run again.

    Args:
        file: its path.
        keep: how many backward calls of a long run are kept at most, and `pinned`, one that is kept besides.
    """
    from gradviz.imitation.script.run import revive, run
    from gradviz.source.files import read_source

    try:
        source = read_source(Path(file))
        if source.kind == "json":
            from gradviz.formats import load

            return revive(load(Path(file)))
    except GradvizError as error:
        raise named(error, file) from None
    from gradviz.imitation.script.limits.keeping import Keep
    from gradviz.imitation.script.machine import Limits

    kept = Keep() if keep is None else Keep.at_most(keep)
    if pinned is not None:
        kept = replace(kept, pinned=frozenset({pinned}))
    return run(source.text, source.name, kind=source.kind, limits=Limits(keep=kept))


def _place(run: Run, file: str, line: int | None) -> tuple[str, int | None]:
    """File and line; in a notebook the cell, and the line in the cell."""
    source = run.recording.source
    if source is not None and source.kind == "notebook" and line is not None:
        from gradviz.source.notebook import cell_place

        place = cell_place(source.text, line)
        if place is not None:
            return f"{file} cell {place[0]}", place[1]
    return file, line


def _raise_error(run: Run, file: str) -> None:
    """Raise what ended the script.

    Raises:
        GradvizError: the script ended in an error.
    """
    if run.error is not None:
        file, run.error.line = _place(run, file, run.error.line)
        raise named(run.error, file)


def _run(options: argparse.Namespace) -> int:
    from gradviz.run import IN_USE

    if IN_USE:
        return _run_in_process(options.file, options.seconds)
    run = _load(options.file, keep=1)  # nothing but the output is shown
    sys.stdout.write(run.recording.output)
    sys.stdout.flush()
    for warned in run.recording.warnings:
        place = ":".join(map(str, _place(run, options.file, warned.line)))
        print(f"{place}: {warned.category}: {warned.message}", file=sys.stderr)
    _raise_error(run, options.file)
    return run.exit_code


def _run_in_process(file: str, seconds: float) -> int:
    """Run a file in a process of its own, and print what it prints while it runs."""
    from gradviz.run.host import Host
    from gradviz.run.job import Job, Keep, Limits
    from gradviz.source.files import JSON, read_source

    host = Host(keeps_spare=False)
    host.warm()  # while the file is read
    try:
        source = read_source(Path(file))
        if source.kind == JSON:
            from gradviz.formats import load

            _print_at_once(load(Path(file)).output)
            return 0
        limits, keep = Limits(seconds=seconds), Keep.at_most(1)  # nothing but the output is shown
        job = Job(source.text, source.name, source.kind, limits, keep, wants_recording=False)
        run = host.run(job, on_output=_print_at_once, on_aside=_print_aside)
        for warned in run.warnings:
            place = ":".join(map(str, _place_in(source, file, warned.line)))
            print(f"{place}: {warned.category}: {warned.message}", file=sys.stderr)
        if run.error is not None:
            raise run.error
        return run.exit_code
    except GradvizError as error:
        place, error.line = _place_in(source, file, error.line) if error.line is not None else (file, None)
        raise named(error, place) from None
    finally:
        host.close()


def _print_at_once(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _print_aside(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _place_in(source: Source, file: str, line: int | None) -> tuple[str, int | None]:
    """File and line; in a notebook the cell, and the line in the cell."""
    from gradviz.source.notebook import cell_place

    place = cell_place(source.text, line) if source.kind == "notebook" and line is not None else None
    return (file, line) if place is None else (f"{file} cell {place[0]}", place[1])


def _export(options: argparse.Namespace) -> int:
    from gradviz.export import WRITERS, Wish

    wishes = [Path(out) for out in options.out]
    for out in wishes:
        if out.suffix.lower() not in WRITERS:
            known = ", ".join(sorted(WRITERS))
            what = f"gradviz cannot write '{out.suffix}' files" if out.suffix else "the name has no suffix"
            raise FormatError(f"{out}: {what}", hint=f"Use one of {known}.")
    run = _load(options.file, keep=options.keep, pinned=options.sweep)
    _raise_error(run, options.file)
    if run.recording.kept:
        print(f"gradviz: {run.recording.kept} --keep N keeps up to N.", file=sys.stderr)
    for out in wishes:
        wish = Wish(out, options.step, options.sweep, options.dark, options.legend)
        WRITERS[out.suffix.lower()](run.recording, wish)
    return 0


def _check(options: argparse.Namespace) -> int:
    from gradviz.check_table import table
    from gradviz.imitation.engine.recorded.verify import check

    run = _load(options.file)
    _raise_error(run, options.file)
    rows = check(run.recording, run.custom)
    print(table(rows))
    return 0 if all(row.passed for row in rows) else 1


def _examples(_: argparse.Namespace) -> int:
    from gradviz.shipped import shipped

    for file in sorted(shipped("examples").glob("*.py")):
        with file.open(encoding="utf-8") as lines:
            title = lines.readline().lstrip("# ").strip()
        print(f"{file}  {title}")
    return 0


def _reference(_: argparse.Namespace) -> int:
    from gradviz.imitation.script.reference import names_page, ops_page

    print(names_page(), ops_page(), sep="\n", end="")
    return 0


TABLE: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": _run,
    "export": _export,
    "check": _check,
    "examples": _examples,
    "reference": _reference,
}
