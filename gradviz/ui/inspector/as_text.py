"""A report as plain text, for the clipboard."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from gradviz.playback.formula.text import plain
from gradviz.playback.numbers import figures, summed_up
from gradviz.playback.product.product import Product
from gradviz.playback.report import READ, NodeReport
from gradviz.recording import Known, Summary

INDENT = "    "


def as_text(report: NodeReport, product: Product | None = None) -> str:
    """All of a report as lines of text, with the numbers of its arrays as numpy prints them, and the Jacobians."""
    return "\n".join(_lines(report, product)) + "\n"


def _lines(report: NodeReport, product: Product | None) -> Iterable[str]:
    place, array = report.place, partial(_array, dtype=report.dtype)
    where = "" if place.line is None else f", {place.file or ''} line {place.line}".replace("  ", " ")
    yield f"{place.title} ({place.op}, node {place.node}{where}){f': {place.progress}' if place.progress else ''}"
    yield from (f"health: {finding.text}" for finding in report.health)
    yield from array("value", report.value, report.value_note)
    if report.incoming is not None:
        yield from array("comes in", report.incoming.gradient, report.incoming.note)
        for term in report.incoming.terms:
            if term.has_arrived:
                yield from array(f"{INDENT}from {term.label}", term.gradient)
            else:
                yield f"{INDENT}from {term.label}: to come"
    if report.rule is not None:
        yield from _rule(report)
    if product is not None:
        yield from _jacobians(product)
    for given, out in zip(report.inputs, report.outgoing, strict=True):
        called = out.label if given.name == out.label else f"{given.name} = {out.label}"
        yield from _array(f"goes out to {called}", out.gradient, out.reason)
    if report.gradient is not None:
        yield from array(f"{report.gradient.name} before", report.gradient.before, "None")
        yield from array(f"{report.gradient.name} after", report.gradient.after, report.gradient.note)
    for kept in report.saved:
        called = kept.label if kept.name == kept.label else f"{kept.name} = {kept.label}"
        yield from _array(f"saved {called} ({report.saved_note})", kept.value)
        if kept.read is not None:
            yield from _array(f"{INDENT}{READ}", kept.read.value)
    if report.saved_stop:
        yield report.saved_stop
    yield from (f"{name} = {text}" for name, text in report.params)


def _rule(report: NodeReport) -> Iterable[str]:
    rule = report.rule
    if rule is None:
        return
    if rule.equation:
        yield f"rule: {rule.equation}"
    for line in rule.lines:
        yield f"{INDENT}{plain(line.letters)}"
        if line.numbers:
            yield f"{INDENT}{plain(line.numbers)}"
    yield from (f"{INDENT}{text}" for text in (rule.remark, rule.unknown, rule.jacobian, rule.note) if text)


def _jacobians(product: Product) -> Iterable[str]:
    yield from (f"v times J: {text}" for text in (product.note, *product.zeros) if text)
    for factor in product.factors:
        yield f"∂{product.name}/∂{factor.name}: {factor.structure.words}; {factor.structure.cost}"
        if factor.is_whole:
            yield from (f"{INDENT}{row}" for row in np.array2string(factor.sample, 75, 8, separator=", ").splitlines())


def _array(name: str, array: Known, otherwise: str = "", *, dtype: str = "") -> Iterable[str]:
    if array is None:
        if otherwise:
            yield f"{name}: {otherwise}"
        return
    if isinstance(array, Summary):
        yield f"{name}: {summed_up(array)}"
        return
    # Precision and width are said, for a script may have set numpy's own.
    numbers = np.array2string(
        np.asarray(array), 75, 8, False, separator=", ", prefix=f"{name}: ", threshold=100, floatmode="maxprec"
    )
    yield f"{name}: {numbers}  {figures(array, dtype).kind}"
