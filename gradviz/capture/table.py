"""A recording as tables in HTML: what a notebook shows of it."""

from __future__ import annotations

from html import escape
from typing import Any

MOST_ROWS = 200
_CELL = "padding:2px 10px;text-align:left;vertical-align:top;border-bottom:1px solid #8884"
_DIM = "color:#888"


def html_of(document: dict[str, Any]) -> str:
    """The steps of every backward pass, given a document whose arrays are summaries."""
    engine = document["engine"]
    nodes = document["nodes"]
    counts = f"{len(nodes):,} nodes, {len(document['backward']):,} backward calls"
    made_by = f"{escape(engine['name'])} {escape(engine['version'])}"
    parts = [f"<div><b>gradviz</b> <span style='{_DIM}'>{made_by}, {counts}</span></div>"]
    problem = document.get("problem")
    if problem:
        parts.append(f"<div><b>{escape(problem['message'])}</b> {escape(problem.get('hint') or '')}</div>")
    parts += [f"<div style='{_DIM}'>{escape(note)}</div>" for note in engine["notes"]]
    for made in document["backward"]:
        parts.append(_pass(made, nodes))
    return "".join(parts)


def _pass(made: dict[str, Any], nodes: list[dict[str, Any]]) -> str:
    steps = made["steps"]
    line = "" if made["line"] is None else f", line {made['line']}"
    rows = "".join(_row(number, step, nodes) for number, step in enumerate(steps[:MOST_ROWS], 1))
    if len(steps) > MOST_ROWS:
        rows += f"<tr><td style='{_CELL}' colspan=5>and {len(steps) - MOST_ROWS:,} more steps</td></tr>"
    head = "".join(f"<th style='{_CELL}'>{name}</th>" for name in ("step", "node", "where", "comes in", "goes out"))
    error = made.get("error")
    failed = f"<div><b>{escape(error['message'])}</b></div>" if error else ""
    title = f"{made['kind']} {made['number']}{line}: {len(steps):,} steps"
    return (
        f"<details open><summary>{escape(title)}</summary>{failed}"
        f"<table style='border-collapse:collapse;font-size:90%'><tr>{head}</tr>{rows}</table></details>"
    )


def _row(number: int, step: dict[str, Any], nodes: list[dict[str, Any]]) -> str:
    node = nodes[step["node"]]
    gone = [
        f"{escape(_title(nodes[entry['to']]))}: {_amount(entry['gradient'])}"
        for entry in step["outgoing"]
        if entry["gradient"] is not None
    ]
    where = " / ".join(node["scope"]) + ("" if node["line"] is None else f" line {node['line']}")
    cells = (str(number), escape(_title(node)), escape(where), _amount(step["incoming"]), "<br>".join(gone))
    return "<tr>" + "".join(f"<td style='{_CELL}'>{cell}</td>" for cell in cells) + "</tr>"


def _title(node: dict[str, Any]) -> str:
    shape = " × ".join(map(str, node["shape"]))
    name = f"{node['name']} = {node['op']}" if node["name"] else node["op"]
    return f"{name} ({shape})" if shape else str(name)


def _amount(summary: Any) -> str:
    """A gradient in a few words: its number, or its norm and what is wrong with it."""
    if summary is None:
        return f"<span style='{_DIM}'>none</span>"
    if "norm" not in summary:
        return f"<span style='{_DIM}'>not kept ({escape(str(summary['reason']))})</span>"
    if not summary["shape"]:
        return _number(summary["sample"][0])
    wrong = [f"{summary[key]:,} {text}" for key, text in (("nan", "NaN"), ("inf", "infinite")) if summary[key]]
    return f"norm {_number(summary['norm'])}" + "".join(f", <b>{each}</b>" for each in wrong)


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"
