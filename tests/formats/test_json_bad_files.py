"""Files that are no recording: each is one sentence that names the place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradviz.errors import FormatError, UnsupportedVersionError
from gradviz.formats import json_file
from tests.samples import weighted_sum

Change = Callable[[dict[str, Any]], object]


def good() -> dict[str, Any]:
    return json.loads(json_file.dumps(weighted_sum()))  # type: ignore[no-any-return]


def refusal(content: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        json_file.read(content)
    return caught.value


def put(*path: Any) -> Change:
    """Put the last of `path` at the place that the others name."""
    *way, last, value = path

    def change(top: Any) -> None:
        for key in way:
            top = top[key]
        top[last] = value

    return change


def drop(*path: Any) -> Change:
    *way, last = path

    def change(top: Any) -> None:
        for key in way:
            top = top[key]
        del top[last]

    return change


FILES: dict[bytes, str] = {
    b"": "The file is empty. Export the recording again.",
    b" \n\t": "The file is empty. Export the recording again.",
    b"\x89PNG\r\n\x1a\n\0\0\0": "The file is binary or not in UTF-8, so it is not a JSON recording.",
    b'{"format": "\xff"}': "The file is binary or not in UTF-8, so it is not a JSON recording.",
    b"import torch\n": "1:1: The file is not JSON: a recording begins with {.",
    b'{"format": "gradviz",\n "version" 1}': "2:12: The file is not JSON: expecting ':' delimiter.",
    b'{"format": "gradviz", "version": 1, "nod': "1:37: The file breaks off here: its end is missing. Export the",
    b'{"format": "gradviz", "version": 1,\n "nodes": [{"id": 0},': "2:22: The file breaks off here: its end is",
    b"[1, 2]": 'The file is not a gradviz recording: it does not say "format": "gradviz".',
    b"{}": 'The file is not a gradviz recording: it does not say "format": "gradviz".',
    b'{"nbformat": 4, "cells": []}': "It is a notebook: give it the suffix .ipynb.",
    b'{"format": "onnx", "version": 1}': 'its "format" is "onnx", not "gradviz".',
    b'{"format": "gradviz"}': "version is missing.",
    b'{"format": "gradviz", "version": "1"}': "version is not a whole number.",
    b'{"format": "gradviz", "version": true}': "version is not a whole number.",
    b'{"format": "gradviz", "version": NaN}': "The file holds the bare word NaN, which is not JSON;",
    b'{"format": "gradviz", "version": ' + b"1" * 5000 + b"}": "a whole number of thousands of digits",
    b'{"a": ' + b"[" * 200_000: "The file is nested too deeply to be a gradviz recording.",
}


@pytest.mark.parametrize("content", FILES, ids=lambda content: repr(content[:24]))
def test_what_is_no_recording_is_refused_in_one_sentence(content: bytes) -> None:
    error = refusal(content)

    assert FILES[content] in error.one_line()
    assert "\n" not in error.one_line()


@pytest.mark.parametrize("version", [0, 2, 17, -1])
def test_another_version_says_what_to_do(version: int) -> None:
    error = refusal(json.dumps({"format": "gradviz", "version": version}).encode())

    assert isinstance(error, UnsupportedVersionError)
    assert error.one_line() == (
        f"The file is format version {version}; this gradviz reads version 1. Update gradviz or export again."
    )


def test_every_cut_of_a_file_is_refused() -> None:
    content = json_file.write(weighted_sum()).rstrip()
    json_file.read(content)

    for end in range(1, len(content)):
        error = refusal(content[:end])
        begun = content[:end].decode(errors="ignore").rstrip()
        lines = begun.split("\n")
        assert error.message == "The file breaks off here: its end is missing."
        assert error.hint == "Export the recording again."
        assert error.line is not None
        assert error.column is not None
        assert error.line >= len(lines)
        rest = lines[-1][error.column - 1 :] if error.line == len(lines) else ""
        assert re.fullmatch(r'[\w.+-]*|".*', rest)  # a word, a number or a string that has begun, or nothing


STEP = ("backward", 0, "steps", 1)

CHANGES: dict[str, tuple[Change, str]] = {
    "no nodes": (drop("nodes"), "nodes is missing."),
    "no generator": (drop("generator"), "generator is missing."),
    "no source": (drop("source"), "source is missing."),
    "no output": (drop("output"), "output is missing."),
    "no gradients": (drop("gradients"), "gradients is missing."),
    "no shape": (drop("nodes", 3, "shape"), "nodes[3].shape is missing."),
    "no value": (drop("nodes", 3, "value"), "nodes[3].value is missing."),
    "no is_leaf": (drop("nodes", 3, "is_leaf"), "nodes[3].is_leaf is missing."),
    "no incoming": (drop(*STEP, "incoming"), "backward[0].steps[1].incoming is missing."),
    "no gradient": (drop(*STEP, "outgoing", 1, "gradient"), "backward[0].steps[1].outgoing[1].gradient is missing."),
    "source without text": (drop("source", "text"), "source.text is missing."),
    "source of another kind": (put("source", "kind", "song"), 'source.kind is \'song\', not "script" or "notebook".'),
    "nodes no list": (put("nodes", {}), "nodes is an object, not a list."),
    "node no object": (put("nodes", 1, 5), "nodes[1] is 5, not an object."),
    "name a number": (put("nodes", 0, "name", 5), "nodes[0].name is 5, not a string or null."),
    "input a bool": (put("nodes", 1, "inputs", 0, True), "nodes[1].inputs[0] is True, not a whole number."),
    "id a bool": (put("nodes", 0, "id", False), "nodes[0].id is False, not a whole number."),
    "size a float": (put("nodes", 0, "shape", 0, 2.0), "nodes[0].shape[0] is 2.0, not a whole number."),
    "size below 0": (put("nodes", 0, "shape", [-2]), "nodes[0].shape is (-2,), but no size is below 0."),
    "line 0": (put("nodes", 0, "line", 0), "nodes[0].line is 0, but lines count from 1."),
    "dtype unknown": (
        put("nodes", 0, "dtype", "complex16"),
        "nodes[0].dtype is 'complex16', which is none of float64,",
    ),
    "wrong shape": (put("nodes", 1, "value", [1.0]), "nodes[1].value is not of shape (2,): it has a list of 1 where"),
    "shape of more": (put("nodes", 1, "shape", [3]), "nodes[1].value is not of shape (3,): it has a list of 2 where"),
    "huge shape": (put("nodes", 1, "shape", [10**9, 10**9]), "an array larger than any memory."),
    "huge empty shape": (put("nodes", 1, "shape", [0, 10**30]), "an array larger than any memory."),
    "many dimensions": (put("nodes", 1, "shape", [1] * 65), "an array larger than any memory."),
    "large shape": (put("nodes", 1, "shape", [10**10]), "nodes[1].value is not of shape (10000000000,): it has a list"),
    "cycle": (put("nodes", 1, "inputs", [3, 0]), "nodes[1].inputs[0] is 3, which does not come before node 1: the gra"),
    "own input": (put("nodes", 1, "inputs", [0, 1]), "nodes[1].inputs[1] is 1, which does not come before node 1"),
    "input below 0": (put("nodes", 1, "inputs", [0, -1]), "nodes[1].inputs[1] is -1, which does not come before"),
    "duplicate id": (
        put("nodes", 2, "id", 1),
        "nodes[2].id is 1, which is taken already: ids count up from 0, so it mus",
    ),
    "id left out": (drop("nodes", 2), "nodes[2].id is 3, which is out of order: ids count up from 0, so it must be 2."),
    "leaf with inputs": (put("nodes", 2, "inputs", [0]), "node 2 is a constant but has inputs."),
    "step nowhere": (
        put(*STEP, "node", 99),
        "backward[0].steps[1].node is 99, but there is no node 99: the file has 5",
    ),
    "step below 0": (put(*STEP, "node", -1), "backward[0].steps[1].node is -1, but there is no node -1"),
    "output nowhere": (put("backward", 0, "outputs", [9]), "backward[0].outputs[0] is 9, but there is no node 9"),
    "no seed": (put("backward", 0, "seeds", []), "backward[0].seeds has 0 members, but there are 1 outputs."),
    "seed null": (put("backward", 0, "seeds", [None]), "backward[0].seeds[0] is null, but every output has a seed."),
    "seed shape": (
        put("backward", 0, "seeds", [[1.0]]),
        "backward[0].seeds[0] holds a list, which is no float32 number.",
    ),
    "slot twice": (put(*STEP, "outgoing", 1, "slot", 0), "backward[0].steps[1].outgoing[1].slot is 0, but slots count"),
    "to elsewhere": (put(*STEP, "outgoing", 1, "to", 0), "outgoing[1].to is 0, but input 1 of node 3 is node 2."),
    "text gradient": (put(*STEP, "incoming", ["a", 1]), "backward[0].steps[1].incoming holds 'a', which is no float32"),
    "grad nowhere": (
        put("backward", 0, "accumulated", 0, "node", 5),
        "backward[0].accumulated[0].node is 5, but there",
    ),
    "grad shape": (put("gradients", "x", [1.0]), "gradients.x is not of shape (2,)"),
    "ragged gradient": (put("gradients", "gone", [[1.0], 2.0]), "gradients.gone is not of shape 2×1"),
    "gradient types": (put("gradient_types", {"x": 5}), "gradient_types.x is 5, not an object."),
    "view a list": (put("view", []), "view is a list, not an object or null."),
    "view of no pass": (put("view", {"sweep": 1}), "view.sweep is 1, but there are 1 members of backward."),
    "view below 0": (put("view", {"position": -1}), "view.position is -1, but it counts from 0."),
    "view of more v": (put("view", {"by_hand": 2}), "view.by_hand is 2, but the file has not so many passes of one v"),
    "stop no text": (put("view", {"breakpoints": [{"text": 1, "on": True}]}), "view.breakpoints[0].text is 1, not a"),
    "stop half on": (put("view", {"breakpoints": [{"text": "", "on": 1}]}), "view.breakpoints[0].on is 1, not true"),
    "fold no list": (put("view", {"folded": ["net"]}), "view.folded[0] is 'net', not a list."),
    "fold no text": (put("view", {"folded": [["net"], [1]]}), "view.folded[1][0] is 1, not a string."),
    "framing nowhere": (
        put("view", {"framing": {"node": 9, "scale": 1, "x": 0, "y": 0}}),
        "view.framing.node is 9, but",
    ),
    "framing of nothing": (
        put("view", {"framing": {"node": 0, "scale": 0, "x": 0, "y": 0}}),
        "view.framing.scale is 0, which is nowhere on a screen.",
    ),
    "framing far": (
        put("view", {"framing": {"node": 0, "scale": 1, "x": "Infinity", "y": 0}}),
        "view.framing.x is 'Infinity', which is nowhere on a screen.",
    ),
    "what if nowhere": (
        put("view", {"what_if": [{"node": 9, "element": 0, "number": 1}]}),
        "what_if[0].node is 9, but",
    ),
    "what if nothing": (
        put("view", {"what_if": [{"node": 0, "element": 0}]}),
        "what_if[0].number is missing.",
    ),
    "output a list": (put("output", []), "output is a list, not a string."),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_member_out_of_place_is_named_with_its_place(case: str) -> None:
    top = good()
    change, words = CHANGES[case]
    change(top)

    error = refusal(json.dumps(top).encode())

    assert words in error.message
    assert not isinstance(error, UnsupportedVersionError)
    assert error.message.endswith(".")


def test_two_steps_at_one_node_are_refused() -> None:
    top = good()
    steps = top["backward"][0]["steps"]
    steps.append(steps[0])

    assert "backward 1 has two steps at one node." in refusal(json.dumps(top).encode()).message


def test_params_nested_deeper_than_python_walks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    top = good()
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    top["nodes"][1]["params"] = {"a": nested}
    monkeypatch.setattr(json_file, "parse", lambda _: top)  # how deep the parser goes differs between Pythons

    with pytest.raises(FormatError, match=r"The file is nested too deeply to be a gradviz recording\."):
        json_file.loads("")


def test_a_large_foreign_file_is_refused_without_being_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps({"model": [1] * 500_000}).encode()
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("it was parsed"))

    assert 'nowhere does it say "format": "gradviz".' in refusal(content).message


@pytest.mark.parametrize("size", [50_000_000])
def test_fifty_megabytes_of_rubbish_are_refused(size: int) -> None:
    noise = np.random.default_rng(0).integers(0, 256, size, dtype=np.uint8).tobytes()
    for content in (noise, b"[" * size, b"{" * size, b"[" + b"1," * (size // 2) + b"1]", b" " * size):
        assert refusal(content).message
