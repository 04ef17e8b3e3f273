"""Parts of a report for the clipboard: the value, the rule as TeX, a step as Markdown."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import numpy as np

from gradviz.playback.formula.tex import tex
from gradviz.playback.numbers import in_words
from gradviz.playback.report import NodeReport
from gradviz.recording import Summary

_MARKDOWN = re.compile(r"([\\`*_<>|~#]|\](?=[(\[:]))")


def value_text(report: NodeReport) -> str:
    """The value with all its numbers, as numpy takes it again; in words where its numbers were not kept."""
    value = report.value
    if value is None or isinstance(value, Summary):
        return "" if value is None else in_words(value)
    return np.array2string(np.asarray(value), separator=", ", threshold=sys.maxsize, floatmode="unique")


def formula_text(report: NodeReport) -> str:
    """The rule for each input as a line of TeX; "" where there is none."""
    return "" if report.rule is None else "\n".join(tex(line.letters) for line in report.rule.lines)


def markdown_text(report: NodeReport) -> str:
    """What comes in, the rule, and what goes out, as a heading and a list."""
    return "\n".join(_markdown(report)) + "\n"


def _markdown(report: NodeReport) -> Iterator[str]:
    place = report.place
    title = place.title if place.title == place.op else f"{place.title} ({place.op})"
    yield f"### {_escaped(title)}"
    yield ""
    if report.incoming is not None:
        came = report.incoming
        yield f"- comes in: {_escaped(in_words(came.gradient) if came.gradient is not None else came.note)}"
    for line in () if report.rule is None else report.rule.lines:
        yield f"- rule: ${tex(line.letters)}$"
    if report.rule is not None and report.rule.remark:
        yield f"- {_escaped(report.rule.remark)}"
    for out in report.outgoing:
        if out.gradient is not None:
            yield f"- goes out to {_escaped(out.label)}: {_escaped(in_words(out.gradient))}"
    if report.gradient is not None and report.gradient.takes_part:
        yield f"- {_escaped(report.gradient.name)}: {_escaped(in_words(report.gradient.after))}"


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
