"""`csv`: tables as lines of text, over texts in memory and lists of lines."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.errors.exceptions import raised
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.readers import READERS, fields, with_methods
from gradviz.imitation.script.values import Class, Namespace, type_name

OPTIONS = ("delimiter", "quotechar", "quoting", "lineterminator", "skipinitialspace", "doublequote", "escapechar",
           "strict")  # fmt: skip
DIALECTS = ("excel", "excel-tab", "unix")
QUOTING = ("QUOTE_ALL", "QUOTE_MINIMAL", "QUOTE_NONE", "QUOTE_NONNUMERIC")

DICTS = """
class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", *args, **kwds):
        self._fieldnames = None if fieldnames is None else list(fieldnames)
        self.restkey, self.restval, self.dialect = restkey, restval, dialect
        self.reader = reader(f, dialect, *args, **kwds)
        self.line_num = 0
    def __iter__(self): return self
    @property
    def fieldnames(self):
        if self._fieldnames is None:
            self._fieldnames = next(self.reader, None)
            self.line_num = self.reader.line_num
        return self._fieldnames
    @fieldnames.setter
    def fieldnames(self, value): self._fieldnames = value
    def __next__(self):
        names = self.fieldnames
        row = next(filter(None, self.reader))
        self.line_num = self.reader.line_num
        found = dict(zip(names, row))
        if len(row) > len(names):
            found[self.restkey] = row[len(names):]
        return found | dict.fromkeys(names[len(row):], self.restval)
class DictWriter:
    def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", *args, **kwds):
        if extrasaction.lower() not in ("raise", "ignore"):
            raise ValueError(f"extrasaction ({extrasaction}) must be 'raise' or 'ignore'")
        self.fieldnames, self.restval, self.extrasaction = fieldnames, restval, extrasaction.lower()
        self.writer = writer(f, dialect, *args, **kwds)
    def _row(self, rowdict):
        wrong = [key for key in rowdict if key not in self.fieldnames]
        if wrong and self.extrasaction == "raise":
            raise ValueError("dict contains fields not in fieldnames: " + ", ".join(map(repr, wrong)))
        return [rowdict.get(key, self.restval) for key in self.fieldnames]
    def writeheader(self): return self.writerow(dict(zip(self.fieldnames, self.fieldnames)))
    def writerow(self, rowdict): return self.writer.writerow(self._row(rowdict))
    def writerows(self, rowdicts): return self.writer.writerows(map(self._row, rowdicts))
"""
"""The classes whose rows are dicts, over the two functions whose rows are lists."""


UNKNOWN_OPTION = (
    "'{}' is an invalid keyword argument for this function"
    if sys.version_info < (3, 13)
    else "this function got an unexpected keyword argument '{}'"
)


def _options(dialect: Any, options: dict[str, Any]) -> dict[str, Any]:
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise TorchError(UNKNOWN_OPTION.format(unknown[0]), kind="TypeError")
    if dialect not in DIALECTS:
        said = "unknown dialect" if isinstance(dialect, str) else f"a dialect of type {type_name(dialect)}"
        raise TorchError(said, kind="Error", hint=f"Use one of {', '.join(map(repr, DIALECTS))}.")
    return {"dialect": dialect, **options}


def _told(machine: Machine, run: Callable[..., Any], *given: Any) -> Any:
    """Run it; what `csv` refuses is an error that a script catches."""
    try:
        return run(*given)
    except csv.Error as error:
        raise raised(machine, machine.state["exceptions"]["csv.Error"], str(error)) from None


class Reader:
    """`csv.reader`: the rows of lines, one after the other."""

    shown_as = "_csv.reader"

    def __init__(self, machine: Machine, csvfile: Any, dialect: Any = "excel", **options: Any) -> None:
        self._machine = machine
        self._rows = csv.reader(machine.each(csvfile), **_options(dialect, options))

    @property
    def line_num(self) -> int:
        """How many lines it has read."""
        return self._rows.line_num

    def __iter__(self) -> Reader:
        return self

    def __next__(self) -> list[str]:
        row: list[str] = _told(self._machine, next, self._rows)
        return row

    def __repr__(self) -> str:
        return "<_csv.reader object at 0x7f0000000000>"


class Writer:
    """`csv.writer`: rows as lines, given to the `write` of a file."""

    shown_as = "_csv.writer"

    def __init__(self, machine: Machine, csvfile: Any, dialect: Any = "excel", **options: Any) -> None:
        self._machine = machine
        try:
            self._write = attributes.get(machine, csvfile, "write")
        except TorchError:
            raise TorchError('argument 1 must have a "write" method', kind="TypeError") from None
        self._options = _options(dialect, options)

    def writerow(self, row: Any) -> Any:
        """One row; what `write` returned."""
        line = io.StringIO()
        _told(self._machine, csv.writer(line, **self._options).writerow, self._machine.listed(row))
        return self._machine.call(self._write, (line.getvalue(),), {})

    def writerows(self, rows: Any) -> None:
        """Several."""
        for row in self._machine.each(rows):
            self.writerow(row)

    def __repr__(self) -> str:
        return "<_csv.writer object at 0x7f0000000000>"


def module(machine: Machine) -> Namespace:
    """The names."""
    known = machine.state["exceptions"]
    known["csv.Error"] = Class("Error", (known["Exception"],), {}, module="_csv")
    functions = with_machine({"reader": Reader, "writer": Writer})
    return Namespace("csv", {
        **functions, **run_text(machine, DICTS, functions, "csv"), "Error": known["csv.Error"],
        **{name: getattr(csv, name) for name in QUOTING},
    })  # fmt: skip


READERS[Reader] = fields("line_num")
READERS[Writer] = with_methods(methods=("writerow", "writerows"))
