"""What the page says of one node, at every position: the words of the inspector, kept where they change.

A section of a node's page is a list of [position, content]: the content holds from that position on. So the page has
at each position the very words that the window has there, and the file holds each of them once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from gradviz.playback import flow
from gradviz.playback.formula.text import GRADIENT, VALUE, Pieces
from gradviz.playback.groups.report import Flow, GroupReport
from gradviz.playback.numbers import figures, in_words, summed_up
from gradviz.playback.report import FREED, READ, NodeReport, Rule, node_report
from gradviz.playback.rules import Rules
from gradviz.playback.track import Track
from gradviz.playback.words import counted, number_text, shape_text
from gradviz.player.products import Ask, product_of
from gradviz.recording import Array, Known, Summary

MOST_CELLS, MOST_COLUMNS = 64, 12
"""Elements of an array, and columns of a matrix, up to which it is shown element by element."""

MOST_TERMS = 48
"""Terms of a sum, inputs and saved tensors that are listed; of more there is only their number."""

Page = dict[str, Any]
_ROLES = {VALUE: 1, GRADIENT: 2}


def node_page(track: Track, node: int, rules: Rules | None = None, ask: Ask | None = None) -> Page:
    """The page of a node of a track: its sections, each as [position, content] from 0 on.

    Args:
        node: an id of the recording.
        rules: the table to look in; the engine's own where None.
        ask: asks the run for the Jacobian of a custom Function.
    """
    page: dict[str, list[list[Any]]] = {}
    for position in changes(track, node):
        for name, content in sections(track, position, node, rules).items():
            runs = page.setdefault(name, [])
            if not runs or runs[-1][1] != content:
                runs.append([position, content])
    order, product = flow.step_number(track, node), product_of(track, node, ask)
    if order is not None and product is not None:
        page["product"] = [[track.turn + order, product]]
    return {name: runs for name, runs in page.items() if any(content for _, content in runs)}


def changes(track: Track, node: int) -> list[int]:
    """The positions at which something that is said of a node may become another, ascending, from 0."""
    found = {0, track.turn + 1 if track.call is not None else 0}
    index, order = track.index_of.get(node), flow.step_number(track, node)
    if index is not None:
        found.add(index + 1)
    if order is not None:
        found |= {track.turn + order, track.turn + order + 1}
    arrivals = [sent.position for sent in track.sent_to(node)]
    found.update(arrivals if len(arrivals) <= MOST_TERMS else arrivals[:1])
    return sorted(position for position in found if position <= track.length)


def sections(track: Track, position: int, node: int, rules: Rules | None = None) -> Mapping[str, Any]:
    """What is said of a node at one position, by the name of the section; empty content where there is nothing."""
    report = node_report(track, position, node, rules)
    place = report.place
    return {
        "about": _about(report, track),
        "progress": place.progress,
        "value": _array(report.value) or report.value_note,
        "terms": _terms(track, report),
        "came": _came(report, track),
        "rule": _rule(report.rule),
        "sent": _sent(report),
        "grad": _gradient(report),
        "saved": _saved(report),
    }


def _about(report: NodeReport, track: Track) -> dict[str, Any]:
    place = report.place
    elsewhere = [f"{place.file}, line {place.line}"] if place.file and place.line else []
    return {
        "title": place.title,
        "name": report.name,
        "op": place.op,
        "line": 0 if place.file else place.line or 0,
        "scope": [*elsewhere, *place.scope],
        "remark": place.remark,
        "kind": f"{shape_text(track.recording.nodes[place.node].shape)} {report.dtype}",
        "params": [[name, text] for name, text in report.params],
    }


def _terms(track: Track, report: NodeReport) -> list[Any]:
    """All that comes in: from where, what, and at which position."""
    if report.incoming is None:
        return []
    terms = report.incoming.terms
    at = [sent.position for sent in track.sent_to(report.place.node)]
    arrivals = [track.turn + 1] * (len(terms) - len(at)) + at
    rows = zip(terms[:MOST_TERMS], arrivals, strict=False)
    return [[term.label, _array(term.gradient), arrival] for term, arrival in rows]


def _came(report: NodeReport, track: Track) -> dict[str, Any]:
    came = report.incoming
    if came is None:
        return {}
    note = came.note
    if came.gradient is None and len(came.terms) > MOST_TERMS:
        order = flow.step_number(track, report.place.node)
        note = f"The sum of {len(came.terms)} terms is complete at step {order}."
        return {"note": note, "count": len(came.terms)}
    return {"total": _array(came.gradient), "so_far": _array(came.so_far), "note": note, "count": len(came.terms)}


def _rule(rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        return {}
    lines = [[_pieces(line.letters), _pieces(line.numbers)] for line in rule.lines[:MOST_TERMS]]
    return {
        "equation": rule.equation,
        "lines": lines,
        "jacobian": rule.jacobian,
        "note": " ".join(part for part in (rule.remark, rule.note) if part),
        "unknown": rule.unknown,
    }


def _pieces(pieces: Pieces) -> list[list[Any]]:
    """Each piece as [text, role, raised], without zeros at its end; role 1 is a value, 2 a gradient."""
    rows = []
    for piece in pieces:
        row: list[Any] = [piece.text, _ROLES.get(piece.role, 0), piece.raised]
        while row[-1] == 0:
            row.pop()
        rows.append(row)
    return rows


def _sent(report: NodeReport) -> list[list[Any]]:
    """For each input its letter in the rule, its label, and the gradient or why there is none."""
    if report.incoming is None:
        return []
    rows = zip(report.inputs[:MOST_TERMS], report.outgoing, strict=False)
    return [[given.name, out.label, _array(out.gradient) or _reason(out)] for given, out in rows]


def _reason(out: flow.Outgoing) -> str:
    return f"none: {out.reason}" if out.never else out.reason


def _gradient(report: NodeReport) -> dict[str, Any]:
    given = report.gradient
    if given is None:
        return {}
    before = _array(given.before) or ("None" if given.takes_part else "")
    return {"name": given.name, "before": before, "after": _array(given.after), "note": given.note}


def _saved(report: NodeReport) -> dict[str, Any]:
    if not report.saved:
        return {}
    rows = []
    for kept in report.saved[:MOST_TERMS]:
        rows.append([kept.name, kept.label, _array(kept.value) or "?"])
        if kept.read is not None and report.saved_note != FREED:
            rows.append([READ, READ, _array(kept.read.value) or "?"])
    return {"note": report.saved_note, "rows": rows}


# ---- arrays ------------------------------------------------------------------------------------------------------


def _array(array: Known) -> dict[str, Any] | None:
    """An array as the page shows it: element by element, or in words where it is large or was not kept."""
    if array is None:
        return None
    if isinstance(array, Summary):
        return {"shape": list(array.shape), "text": in_words(array), "figures": summed_up(array)}
    shape = list(array.shape)
    columns = shape[-1] if len(shape) == 2 else 1
    if len(shape) <= 2 and 0 < array.size <= MOST_CELLS and columns <= MOST_COLUMNS:
        return {"shape": shape, "cells": list(_texts(array))}
    return {"shape": shape, "text": in_words(array), "figures": figures(array).spread}


def _texts(array: Array) -> Iterator[str]:
    """Its numbers as running text writes them."""
    return (number_text(number) for number in np.ravel(array).tolist())


# ---- groups ------------------------------------------------------------------------------------------------------


def group_page(report: GroupReport) -> Page:
    """The page of a folded group, from its report at the end of the track."""
    first, last = report.lines or (0, 0)
    lines = "" if not first else f"line {first}" if first == last else f"lines {first}–{last}"
    leaves = counted(report.parameters, "leaf", "leaves")
    return {
        "title": report.title,
        "words": " · ".join(part for part in (report.count_text, leaves, lines) if part),
        "ops": ", ".join(f"{count} {op}" for op, count in report.ops),
        "inputs": [*_flows(report.inputs), *([f"{leaf}.grad", *what] for leaf, *what in _flows(report.leaves))],
        "outputs": _flows(report.outputs),
    }


def _flows(flows: Iterable[Flow]) -> list[list[Any]]:
    return [[each.label, shape_text(each.shape), _array(each.gradient) or each.note] for each in flows][:MOST_TERMS]
