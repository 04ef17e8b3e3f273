"""The JSON format: the contract word by word, and that nothing is lost on the way there and back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from gradviz import __version__
from gradviz.errors import FormatError
from gradviz.formats import json_file
from gradviz.recording import Node, Problem, Recording, Step, Sweep, Warned
from tests.formats.recordings import plain, recordings
from tests.samples import F, array, random_graph, weighted_sum


def test_the_file_of_a_small_run_is_the_contract_word_by_word() -> None:
    recording = weighted_sum()

    top = json.loads(json_file.dumps(recording))

    assert recording.source is not None
    assert top == {
        "format": "gradviz",
        "version": 1,
        "generator": f"gradviz {__version__}",
        "source": {"kind": "script", "name": "weighted_sum.py", "text": recording.source.text},
        "nodes": [
            node(0, "leaf", "x", [], [2], [-1.0, 2.0], 3, requires_grad=True, is_leaf=True),
            node(1, "mul", None, [0, 0], [2], [1.0, 4.0], 6, requires_grad=True),
            node(2, "constant", "w", [], [2], [3.0, 5.0], 4, is_leaf=True),
            node(3, "mul", None, [1, 2], [2], [3.0, 20.0], 6, requires_grad=True),
            node(4, "sum", "y", [3], [], 23.0, 6, requires_grad=True),
        ],
        "backward": [
            {
                "outputs": [4],
                "seeds": [1.0],
                "line": 7,
                "retain_graph": False,
                "create_graph": False,
                "steps": [
                    {"node": 4, "incoming": 1.0, "outgoing": [outgoing(0, 3, [1.0, 1.0])]},
                    {"node": 3, "incoming": [1.0, 1.0], "outgoing": [outgoing(0, 1, [3.0, 5.0]), outgoing(1, 2, None)]},
                    {
                        "node": 1,
                        "incoming": [3.0, 5.0],
                        "outgoing": [outgoing(0, 0, [-3.0, 10.0]), outgoing(1, 0, [-3.0, 10.0])],
                    },
                    {"node": 0, "incoming": [-6.0, 20.0], "outgoing": []},
                ],
                "accumulated": [{"node": 0, "before": None, "after": [-6.0, 20.0]}],
            }
        ],
        "gradients": {"x": [-6.0, 20.0]},
        "output": "tensor([-6., 20.])\n",
    }


def node(
    id: int,
    op: str,
    name: str | None,
    inputs: list[int],
    shape: list[int],
    value: Any,
    line: int,
    *,
    requires_grad: bool = False,
    is_leaf: bool = False,
) -> dict[str, Any]:
    return {
        "id": id,
        "op": op,
        "name": name,
        "inputs": inputs,
        "params": {},
        "shape": shape,
        "dtype": "float32",
        "requires_grad": requires_grad,
        "is_leaf": is_leaf,
        "value": value,
        "line": line,
        "scope": [],
    }


def outgoing(slot: int, to: int, gradient: Any) -> dict[str, Any]:
    return {"slot": slot, "to": to, "gradient": gradient}


@given(recordings())
@settings(max_examples=25)
def test_a_file_read_and_written_again_has_the_same_text(recording: Recording) -> None:
    text = json_file.dumps(recording)

    assert text == json_file.dumps(json_file.loads(text))


def test_the_problem_that_ended_a_run_is_part_of_the_file() -> None:
    recording = Recording(output="a\n", problem=Problem("no", "Do it.", 3, 2, file="model.py"))

    assert json_file.loads(json_file.dumps(recording)) == recording


def test_a_warning_that_a_script_gives_for_line_0_comes_back() -> None:
    recording = Recording(warnings=(Warned("old", "UserWarning", 0, 3),))

    assert json_file.loads(json_file.dumps(recording)) == recording


def test_seconds_that_are_no_number_of_seconds_come_back_too() -> None:
    recording = weighted_sum()
    recording = replace(recording, sweeps=(replace(recording.sweeps[0], seconds=float("inf")),))

    assert json_file.loads(json_file.dumps(recording)).sweeps[0].seconds == float("inf")


def test_a_name_used_again_has_the_gradient_of_the_last_node_that_takes_one() -> None:
    graph = (
        Node(0, "leaf", shape=(2,), name="w", requires_grad=True),
        Node(1, "leaf", shape=(0, 3), dtype="float64", name="w", requires_grad=True),
        Node(2, "constant", shape=(1,), name="w"),
    )
    recording = Recording(graph, (None, None, None), gradients={"w": np.zeros((0, 3))})

    text = json_file.dumps(recording)

    assert "gradient_types" not in text
    assert plain(recording) == plain(json_file.loads(text))


def test_a_gradient_of_another_dtype_than_its_node_keeps_it() -> None:
    graph = (Node(0, "leaf", shape=(2,), name="w", requires_grad=True),)
    recording = Recording(graph, (None,), gradients={"w": np.array([0.1, 0.2])})

    assert plain(recording) == plain(json_file.loads(json_file.dumps(recording)))


def test_a_gradient_without_a_node_of_its_name_keeps_dtype_and_shape() -> None:
    recording = Recording(gradients={"gone": np.zeros((0, 3), np.float16), "none": None})

    text = json_file.dumps(recording)

    assert json.loads(text)["gradient_types"] == {"gone": {"dtype": "float16", "shape": [0, 3]}}
    assert plain(recording) == plain(json_file.loads(text))


def test_a_gradient_of_which_nothing_is_known_is_read_as_float32() -> None:
    top = json.loads(json_file.dumps(Recording()))
    top["gradients"] = {"w": [[1.0, 2.0]]}

    gradient = json_file.loads(json.dumps(top)).gradients["w"]

    assert gradient is not None
    assert (gradient.shape, gradient.dtype) == ((1, 2), np.float32)


def test_infinite_params_come_back_as_numbers() -> None:
    params = {"min": float("-inf"), "max": float("inf"), "sizes": [1, [2.5, float("inf")]], "by": {"p": float("inf")}}
    recording = Recording((Node(0, "leaf"), Node(1, "clamp", (0,), params)), (None, None))

    assert json_file.loads(json_file.dumps(recording)).nodes[1].params == params


def test_params_that_json_does_not_have_are_written_as_lists_or_text() -> None:
    params = {"dims": (0, 1), "n": np.int64(3), "f": np.float32(0.1), "a": np.array([1, 2]), "dtype": F}
    recording = Recording((Node(0, "leaf"), Node(1, "sum", (0,), params)), (None, None))

    read = json_file.loads(json_file.dumps(recording)).nodes[1].params

    assert read == {"dims": [0, 1], "n": 3, "f": 0.1, "a": [1, 2], "dtype": str(F)}


def test_a_lone_surrogate_in_the_output_survives() -> None:
    recording = Recording(output="\ud800 and é 𝄞\n")

    assert json_file.read(json_file.write(recording)).output == recording.output


def test_keys_that_are_not_known_are_passed_over() -> None:
    top = json.loads(json_file.dumps(weighted_sum()))
    for entry in (top, top["source"], top["nodes"][0], top["backward"][0], top["backward"][0]["steps"][0]):
        entry["added_later"] = {"any": [1]}

    assert plain(json_file.loads(json.dumps(top))) == plain(weighted_sum())


def test_a_byte_order_mark_is_passed_over() -> None:
    assert plain(json_file.read(b"\xef\xbb\xbf" + json_file.write(weighted_sum()))) == plain(weighted_sum())


def test_numbers_for_shape_nothing_are_numpy_scalars() -> None:
    assert isinstance(json_file.loads(json_file.dumps(weighted_sum())).values[4], np.float32)


def test_a_dtype_that_the_format_does_not_have_is_refused_when_written() -> None:
    recording = Recording((Node(0, "leaf", dtype="complex16"),), (np.complex64(1),))

    with pytest.raises(FormatError, match=r"node 0 \(leaf\) has dtype complex16, which a JSON recording cannot hold"):
        json_file.dumps(recording)


def test_a_step_without_known_outgoing_gradients_reads_back_without_them() -> None:
    graph = (Node(0, "leaf", shape=(2,)), Node(1, "mul", (0, 0), shape=(2,)))
    sweep = Sweep((1,), (array(1, 1),), (Step(1, array(1, 1)),))

    back = json_file.loads(json_file.dumps(Recording(graph, (None, None), (sweep,))))

    assert back.sweeps[0].steps[0].outgoing == ()


def test_ten_thousand_nodes_go_each_way() -> None:
    recording = random_graph(10_000)

    back = json_file.read(json_file.write(recording))

    assert (len(back.nodes), len(back.sweeps[0].steps)) == (10_000, len(recording.sweeps[0].steps))
