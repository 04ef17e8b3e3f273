"""The command line. Qt is loaded only where something is shown or painted, so the rest starts in a moment."""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TextIO

from gradviz import __version__
from gradviz.errors import FormatError, GradvizError
from gradviz.export.row import Row
from gradviz.export.table import row_of, suffixes

if TYPE_CHECKING:
    from gradviz.recording import Recording, Source
    from gradviz.run.host import ChildRun
    from gradviz.run.job import Keep
    from gradviz.run.pytorch import TorchRun

THEMES = ("light", "dark", "contrast_light", "contrast_dark")
MOST_RATE = 50
_PATIENCE_S = 1.0
COMMANDS = ("run", "export", "steps", "check", "examples", "reference")
SECONDS = 60.0
_WITH_PYTORCH = "Run it with PyTorch."
"""How the hint ends where a script is beyond the built-in engine; here it says how that is done."""
USAGE = """\
usage: gradviz [FILE]                  open the app (with FILE: a .py, .ipynb, or a recording: .gradviz, .json)
       gradviz run FILE                run a script or notebook and print what PyTorch would print
       gradviz run --seconds N FILE    end it after N seconds; without it, after 60
       gradviz run --python PY FILE    run it with the PyTorch of that Python (a path, or a name on the PATH)
       gradviz export FILE OUT [...]   write it as the suffix of OUT says; several OUT are allowed
       gradviz steps [--sweep N] FILE  print the steps of a backward pass: what comes in, the rule, what goes out
       gradviz check FILE              compare every node's rule with central differences
       gradviz examples                list the shipped examples
       gradviz reference               list every name a script finds, and every op with its derivative
       gradviz --install-desktop-entry  on Linux: put gradviz into the menu, and let it open .gradviz files
       gradviz --remove-desktop-entry  take that back"""


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
    export = commands.add_parser("export", help="write graph and gradients to files")
    _take_file(export)
    export.add_argument(
        "out",
        nargs="+",
        help=f"output files by suffix: {' '.join(suffixes())}",
    )
    export.add_argument("--step", type=int, help="backward steps done in a picture; default: all")
    export.add_argument("--sweep", type=int, default=None, help="which backward call, from 1; default: the last")
    export.add_argument("--keep", type=_count, help="backward calls kept of a long loop, at most; default: 200")
    export.add_argument("--megabytes", type=_count, help="of values and gradients kept of it; default: 1000")
    export.add_argument("--theme", choices=THEMES, default=THEMES[0], help="colours of a picture; default: light")
    export.add_argument("--dark", action="store_const", dest="theme", const="dark", help="the same as --theme dark")
    export.add_argument("--no-legend", dest="legend", action="store_false", help="pictures without the legend")
    export.add_argument("--no-sizes", dest="gauges", action="store_false", help="pictures without gradient sizes")
    export.add_argument("--scale", type=_above_0, help="size of a .png (default: 2) or a film (default: 1)")
    export.add_argument("--width", type=_count, help="width of a .png or a film in pixels, in place of --scale")
    export.add_argument("--every-step", action="store_true", help="a .pdf with a page for every step of backward")
    export.add_argument("--rate", type=_count, help="images per second of a film, to 50; default: 20")
    export.add_argument("--pace", type=_above_0, help="seconds from one step of a film to the next; default: 1.5")
    steps = commands.add_parser("steps", help="print the steps of a backward pass")
    _take_file(steps)
    steps.add_argument("--sweep", type=int, default=None, help="which backward call, from 1; default: the last")
    steps.add_argument("--worksheet", metavar="OUT", help="write a worksheet with blanks and its key: .pdf or .html")
    check = commands.add_parser("check", help="compare every node's rule with central differences")
    _take_file(check)
    commands.add_parser("examples", help="list the shipped examples")
    commands.add_parser("reference", help="list every name and every op")
    return top


def _take_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", help="a script (.py), a notebook (.ipynb) or a recording (.gradviz, .json)")
    command.add_argument(
        "--seconds",
        type=_seconds,
        help=f"end the script after so many seconds; default: {SECONDS:g}, none with --python",
    )
    command.add_argument("--python", help="run it with the PyTorch of this Python: a path, or a name on the PATH")
    command.add_argument("--folder", type=Path, help="with --python: where the script runs; default: here")
    command.add_argument("--args", type=_words, help="with --python: what sys.argv holds besides the name, in quotes")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _print_anything()
    try:
        if given and given[0] in (*COMMANDS, "-h", "--help", "--version"):
            options = parser().parse_args(given)
            return TABLE[options.command](options)
        if given in (["--install-desktop-entry"], ["--remove-desktop-entry"]):
            return _desktop_entry(given[0])
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


def _desktop_entry(option: str) -> int:
    from gradviz.desktop_entry import install_desktop_entry, remove_desktop_entry

    installs = option == "--install-desktop-entry"
    for file in install_desktop_entry() if installs else remove_desktop_entry():
        print(f"{'Wrote' if installs else 'Removed'} {file}")
    return 0


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
        print(
            f"{given[0]}: there is no such file; gradviz takes a .py, .ipynb, .gradviz or .json file", file=sys.stderr
        )
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
    return _above_0(text, "number of seconds")


def _above_0(text: str, what: str = "number") -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a {what} above 0")
    return number


def _words(text: str) -> tuple[str, ...]:
    import shlex

    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} cannot be split into words: {str(error).lower()}") from None


class Wanted(NamedTuple):
    """How a script is run, as the options say.

    Attributes:
        seconds: after which it is ended; None for what is usual.
        python: the Python whose PyTorch runs it; None for the engine of gradviz.
        folder: where it runs there; None for the working folder.
        args: what `sys.argv` holds there besides the name.
    """

    seconds: float | None = None
    python: str | None = None
    folder: Path | None = None
    args: tuple[str, ...] = ()

    @classmethod
    def of(cls, options: argparse.Namespace) -> Wanted:
        """What the options of a command say.

        Raises:
            GradvizError: one of them has no meaning without another.
        """
        if options.python is None and (options.folder is not None or options.args is not None):
            what = "--folder" if options.folder is not None else "--args"
            raise GradvizError(
                f"{what} goes with --python only", hint="The built-in engine has no files and arguments."
            )
        return cls(options.seconds, options.python, options.folder, options.args or ())


class Opened:
    """A file that was opened: its script is run, in a process of its own; a saved recording is loaded.

    The process lives as long as the block in which this is used, to answer questions about the run.

    Args:
        file: its path.
        wanted: how its script is run.
        keep: how much of a long run is kept; None for what is usual.
        prints: print what the script prints while it runs, and keep nothing of it but that.
    """

    def __init__(self, file: str, wanted: Wanted, *, keep: Keep | None = None, prints: bool = False) -> None:
        from gradviz.run.host import Host

        self.file = file
        self._wanted, self._keep, self._prints = wanted, keep, prints
        self._host = Host(keeps_spare=False)
        self._source: Source | None = None
        self._loaded: Recording | None = None
        self.run: ChildRun | TorchRun | None = None

    def __enter__(self) -> Opened:
        """Run or load it.

        Raises:
            GradvizError: it cannot be read, or was ended; not where the script ends in an error of its own.
        """
        from gradviz.source.files import RECORDING, read_source

        if self._wanted.python is None:
            self._host.warm()  # while the file is read
        try:
            self._source = read_source(Path(self.file))
            if self._source.kind == RECORDING:
                from gradviz.formats import load

                self._loaded = load(Path(self.file))
            elif self._wanted.python is None:
                self.run = self._start(self._source)
            else:
                self.run = self._start_with_pytorch(self._source, self._wanted.python)
        except GradvizError as error:
            self._host.close()
            raise self.named(error) from None
        except BaseException:
            self._host.close()
            raise
        return self

    def _start(self, source: Source) -> ChildRun:
        from gradviz.run.job import Job, Keep, Limits

        keep = Keep() if self._keep is None else self._keep
        limits = Limits(seconds=SECONDS if self._wanted.seconds is None else self._wanted.seconds)
        folder = str(Path(self.file).resolve().parent)
        job = Job(source.text, source.name, source.kind, limits, keep, wants_recording=not self._prints, folder=folder)
        if not self._prints:
            return self._host.run(job)
        return self._host.run(job, on_output=_print_at_once, on_aside=_print_aside)

    def _start_with_pytorch(self, source: Source, python: str) -> TorchRun:
        from gradviz.run.interpreters import named_python
        from gradviz.run.pytorch import ONLY_PRINTED, OUTPUT_CHARACTERS, Choice, Script, run_with_pytorch

        wanted = self._wanted
        choice = ONLY_PRINTED if self._prints else Choice()
        if self._keep is not None and not self._prints:
            choice = Choice(self._keep.sweeps, self._keep.megabytes)
        here = Path.cwd()
        script = Script(
            source.text,
            source.name,
            source.kind,
            Path(self.file),
            wanted.args,
            here if wanted.folder is None else wanted.folder,
            wanted.seconds,
            choice,
            output_characters=None if self._prints else OUTPUT_CHARACTERS,
            called=self.file if wanted.folder is None else "",  # from another folder it would lead elsewhere
        )
        if not self._prints:
            return run_with_pytorch(script, named_python(python))
        return run_with_pytorch(
            script, named_python(python), on_output=_pass_on, on_aside=_pass_on_aside, is_exact=True
        )

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._host.close()

    @property
    def recording(self) -> Recording:
        """What the run left, or the file holds.

        Raises:
            GradvizError: the script ended in an error, and left nothing that could be shown.
        """
        if self._loaded is not None:
            return self._loaded
        assert self.run is not None
        if not self.run.recording.nodes:
            self.raise_error()
        return self.run.recording

    def raise_error(self) -> None:
        """Raise what ended the script.

        Raises:
            GradvizError: the script ended in an error.
        """
        error = None if self.run is None else self.run.error
        if error is not None:
            if self._wanted.python is None and error.hint.endswith(_WITH_PYTORCH):
                error.hint = f"{error.hint[:-1]}: gradviz run --python python3 {self.file}"
            raise self.named(error)

    def ask(self, what: str) -> Any:
        """Ask the built-in engine's process about its run; the answer is plain JSON."""
        from gradviz.run.host import ChildRun

        assert isinstance(self.run, ChildRun)
        return self.run.ask(what)

    def named(self, error: GradvizError) -> GradvizError:
        """The error with the file it belongs to; in a notebook the cell, and the line in the cell."""
        file, error.line = self.place(error.line)
        return named(error, file)

    def place(self, line: int | None) -> tuple[str, int | None]:
        """File and line; in a notebook the cell, and the line in the cell."""
        source = self._source
        if source is None or line is None or source.kind != "notebook":
            return self.file, line
        from gradviz.source.notebook import cell_place

        place = cell_place(source.text, line)
        return (self.file, line) if place is None else (f"{self.file} cell {place[0]}", place[1])


def _run(options: argparse.Namespace) -> int:
    if options.python is None:
        return _print_run(options)
    from gradviz.run.pytorch import EndedItself

    try:
        return _print_run(options)
    except EndedItself as error:
        print(error.one_line(options.file), file=sys.stderr)
        return error.exit_code


def _print_run(options: argparse.Namespace) -> int:
    from gradviz.run.job import Keep

    with Opened(options.file, Wanted.of(options), keep=Keep.at_most(1), prints=True) as opened:
        run = opened.run
        if run is None:
            _print_at_once(opened.recording.output)
            return 0
        for warned in () if options.python is not None else run.warnings:  # Python has said them
            if warned.category == "stderr":
                continue  # was printed when it came
            place = ":".join(str(part) for part in opened.place(warned.line) if part is not None)
            print(f"{place}: {warned.category}: {warned.message}", file=sys.stderr)
        error = run.error
        if error is None or options.python is None:
            opened.raise_error()
        else:  # Python's exit code with our sentence
            file, error.line = opened.place(error.line)
            print(error.one_line(file), file=sys.stderr)
        return run.exit_code % 256


def _print_at_once(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _print_aside(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _pass_on(text: str) -> None:
    _put(sys.stdout, text)


def _pass_on_aside(text: str) -> None:
    _put(sys.stderr, text)


def _put(stream: TextIO, text: str) -> None:
    """The very bytes that a script printed, where the stream is one of bytes."""
    binary = getattr(stream, "buffer", None)
    if binary is None or sys.platform == "win32":
        stream.write(text)
    else:
        stream.flush()
        binary.write(text.encode("utf-8", "surrogateescape"))
    stream.flush()


OF_THE_RUN = "the what-if saved in the file is not applied: the numbers are those of the run"


def _export(options: argparse.Namespace) -> int:
    from gradviz.export.headless import Wish, write_file

    wanted = [(Path(out), _row(Path(out), Path(options.file))) for out in options.out]
    look = _look(options, [(out.suffix.lower(), row) for out, row in wanted])
    opened = Opened(options.file, Wanted.of(options), keep=_kept(options.keep, options.sweep, options.megabytes))
    with opened:
        recording = opened.recording
        if recording.kept:
            print(f"gradviz: {recording.kept}{_advice(recording)}", file=sys.stderr)
        is_said = any(not row.keeps_what_if for _, row in wanted)
        if is_said and recording.view is not None and recording.view.what_if:
            print(f"gradviz: {OF_THE_RUN}", file=sys.stderr)
        ask = None if opened.run is None else opened.run.ask
        refused: list[GradvizError] = []
        wish = Wish(options.step, options.sweep, options.theme, look, ask)
        for out, row in wanted:
            try:
                left_out = write_file(row, recording, out, wish, _progress(out))
            except GradvizError as error:
                refused.append(error)  # the others can be written all the same
                continue
            if left_out:
                print(f"gradviz: {out}: {left_out}", file=sys.stderr)
        for other in refused[1:]:
            print(other.one_line(""), file=sys.stderr)
        if refused:
            raise refused[0]
    opened.raise_error()  # with what was recorded before it written
    return 0


def _row(out: Path, file: Path) -> Row:
    """The format of a file to write.

    Raises:
        FormatError: there is none of its suffix, or it is the file that is to be exported.
    """
    row = row_of(out.suffix)
    if row is None:
        what = f"gradviz cannot write '{out.suffix}' files" if out.suffix else "the name has no suffix"
        raise FormatError(f"{out}: {what}", hint=f"Use one of {', '.join(sorted(suffixes()))}.")
    if out.exists() and file.exists() and out.samefile(file):
        raise FormatError(f"{out}: that is the file to export itself", hint="Choose another name.")
    return row


_FOR_SOME = ("scale", "width", "rate", "pace", "every_step")
"""The parts of a look that are refused where no file takes them."""


def _look(options: argparse.Namespace, wanted: Sequence[tuple[str, Row]]) -> dict[str, Any]:
    """What of a picture's look is not as usual.

    Raises:
        GradvizError: an option is for files that are not asked for.
    """
    given = {name: getattr(options, name) for name in ("scale", "width", "rate", "pace")}
    look = {name: value for name, value in given.items() if value is not None}
    look |= {"legend": options.legend, "gauges": options.gauges, "every_step": options.every_step}
    for name in _FOR_SOME:
        wrong = [suffix for suffix, row in wanted if name not in row.takes]
        if look.get(name) and (wrong if name == "every_step" else len(wrong) == len(wanted)):
            option = f"--{name.replace('_', '-')}"
            raise GradvizError(f"{option} is for {', '.join(suffixes(name))}, not for {wrong[0]}")
    if {"scale", "width"} <= look.keys():
        raise GradvizError("--scale and --width both say how large it is", hint="Give one of them.")
    if look.get("rate", 1) > MOST_RATE:
        raise GradvizError(f"--rate {look['rate']} is too much: a film has at most {MOST_RATE} images per second")
    return look


def _progress(file: Path) -> Callable[[float], None]:
    """Tells a terminal how far a film or a large picture is, after a while; nobody else."""
    if not sys.stderr.isatty():
        return lambda _share: None
    began, said = time.monotonic(), [-1]

    def tell(share: float) -> None:
        per_cent = int(100 * share)
        words = f"gradviz: {file.name} {per_cent} %"
        if share >= 1.0:
            words = " " * len(words) if said[0] >= 0 else ""  # the line is free again
        if time.monotonic() - began > _PATIENCE_S and per_cent != said[0]:
            said[0] = per_cent
            print(words, end="\r", file=sys.stderr, flush=True)

    return tell


def _advice(recording: Recording) -> str:
    """What keeps more backward calls, by what has bound them; "" of a file, which has what it has."""
    limit = "" if recording.thinned is None else recording.thinned.limit
    said = {"memory": " --megabytes N gives them more room.", "keep": " --keep N keeps up to N."}
    return said.get(limit, " --keep N gives them more room." if limit else "")


def _kept(most: int | None, pinned: int | None, megabytes: int | None = None) -> Keep:
    """How much of a long run is kept: so many backward calls, of so many megabytes, and one call besides."""
    from gradviz.run.job import Keep

    keep = Keep() if most is None else Keep.at_most(most)
    keep = keep if megabytes is None else replace(keep, megabytes=megabytes)
    return keep if pinned is None else replace(keep, pinned=frozenset({pinned}))


def _steps(options: argparse.Namespace) -> int:
    from gradviz.export.headless import chosen_sweep
    from gradviz.export.worksheet import write_worksheet
    from gradviz.playback.track import Track
    from gradviz.steps_table import table

    opened = Opened(options.file, Wanted.of(options), keep=_kept(None, options.sweep))
    with opened:
        recording = opened.recording
    sweep = chosen_sweep(recording, options.sweep)
    if sweep is None:
        opened.raise_error()
        hint = "Call backward() on a result that requires grad."
        raise named(GradvizError("there are no steps: the script calls no backward()", hint=hint), options.file)
    if options.worksheet is None:
        print(table(Track(recording, sweep)))
    else:
        write_worksheet(recording, sweep, Path(options.worksheet))
    opened.raise_error()
    return 0


def _check(options: argparse.Namespace) -> int:
    from gradviz.check_table import table
    from gradviz.graph.verify import CheckRow, check

    with Opened(options.file, Wanted.of(options)) as opened:
        if opened.run is None or options.python is not None:
            rows = check(opened.recording)
        else:
            opened.raise_error()
            rows = [CheckRow(**row) for row in opened.ask("check")]  # its custom Functions live there
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
    from gradviz.run.reference import names_page, ops_page

    print(names_page(), ops_page(), sep="\n", end="")
    return 0


TABLE: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": _run,
    "export": _export,
    "steps": _steps,
    "check": _check,
    "examples": _examples,
    "reference": _reference,
}
