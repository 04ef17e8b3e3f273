"""What a run leaves as a recording: names, lines and scopes of nodes, the steps of passes, and what is kept of many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from gradviz.recording import Node, Recording, check
from gradviz.run.builtin import run_job
from gradviz.run.job import Job, Keep, Limits


class Silent:
    """Takes what a run says, and passes it on to nobody."""

    def output(self, text: str) -> None:
        """Printed."""

    def aside(self, text: str) -> None:
        """Said beside the output."""

    def progress(self, share: float) -> None:
        """How far it is."""


def recorded(text: str, keep: Keep | None = None, **options: Any) -> Recording:
    recording = run_job(Job(f"import torch\n{text}", keep=keep or Keep(), **options), Silent()).recording
    return check(recording)


def ran(text: str, keep: Keep | None = None) -> Recording:
    recording = recorded(text, keep)
    assert recording.problem is None, recording.problem
    return recording


def ops(recording: Recording) -> list[str]:
    return [node.op for node in recording.nodes]


def named(recording: Recording) -> Mapping[str, Node]:
    return {node.name: node for node in recording.nodes if node.name is not None}


# ---- nodes ----


def test_nodes_have_the_names_and_lines_of_the_script() -> None:
    nodes = named(ran("x = torch.tensor(2.0, requires_grad=True)\ny = x * 3\n\nz = (\n    y.exp()\n)\nz.backward()\n"))

    assert {name: (node.op, node.line) for name, node in nodes.items()} == {
        "x": ("leaf", 2),
        "y": ("mul", 3),
        "z": ("exp", 6),
    }


@pytest.mark.parametrize(
    "text",
    [
        "x = torch.tensor([1.0, 2.0])\nx.requires_grad = True\ny = x\nfor _ in range(3):\n    y = y * 2\ny.sum().backward()",
        "x = torch.ones(2).requires_grad_()\nfor _ in range(2):\n    y = x\n    (y * y).sum().backward()",
        "x = torch.ones(2)\nx.requires_grad_()\nz = y = x\n(y * z).sum().backward()",
    ],
)
def test_a_leaf_keeps_its_first_name(text: str) -> None:
    assert {node.name for node in ran(text).nodes if node.op == "leaf"} == {"x"}


def test_a_leaf_of_a_list_keeps_its_place_in_it() -> None:
    recording = ran(
        "xs = [torch.ones(2, requires_grad=True) for _ in range(2)]\ny = xs[1]\n(xs[0] * y).sum().backward()"
    )

    assert [node.name for node in recording.nodes if node.op == "leaf"] == ["xs[0]", "xs[1]"]


def test_an_input_that_takes_no_gradient_is_a_constant() -> None:
    recording = ran("x = torch.ones(2, requires_grad=True)\nw = torch.tensor([3.0, 4.0])\ny = (x * w).sum()\n")

    assert [(n.op, n.name, n.requires_grad) for n in recording.nodes] == [
        ("leaf", "x", True), ("constant", "w", False), ("mul", None, True), ("sum", "y", True),
    ]  # fmt: skip


def test_scopes_are_functions_and_rounds_of_loops() -> None:
    recording = ran(
        "def block(x):\n    return x * 2\n"
        "x = torch.ones(1, requires_grad=True)\n"
        "for i in range(2):\n    y = block(x)\n    while y.sum() < 3:\n        y = y + x\n"
    )

    assert [(n.op, n.scope) for n in recording.nodes if not n.is_leaf] == [
        ("mul", ("i = 0", "block")),
        ("sum", ("i = 0",)),
        ("add", ("i = 0", "while [0]")),
        ("sum", ("i = 0",)),
        ("mul", ("i = 1", "block")),
        ("sum", ("i = 1",)),
        ("add", ("i = 1", "while [0]")),
        ("sum", ("i = 1",)),
    ]


def test_modules_are_scopes_by_their_path_and_parameters_stand_where_they_are_used() -> None:
    recording = ran(
        "from torch import nn\nnet = nn.Sequential(nn.Linear(2, 3), nn.Tanh())\nnet(torch.ones(2)).sum().backward()\n"
    )

    nodes = named(recording)
    assert nodes["net.0.weight"].scope == ("net", "0")
    assert [n.scope for n in recording.nodes if n.op == "tanh"] == [("net", "1")]
    assert set(recording.gradients) == {"net.0.weight", "net.0.bias"}


def test_a_leaf_that_nothing_uses_is_recorded_with_its_missing_gradient() -> None:
    recording = ran("x = torch.ones(2, requires_grad=True)\n")

    assert (ops(recording), recording.gradients) == (["leaf"], {"x": None})


def test_a_change_in_place_leaves_recorded_values_as_they_were() -> None:
    recording = ran(
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x * 1\nz = y + 1\ny.mul_(10)\nz.sum().backward()\n"
        "with torch.no_grad():\n    x += 5\nx.grad.zero_()\n"
    )

    values = {node.op: value for node, value in zip(recording.nodes, recording.values, strict=True)}
    assert np.array_equal(values["leaf"], [1.0, 2.0])
    assert np.array_equal(values["add"], [2.0, 3.0])
    (change,) = recording.sweeps[0].accumulated
    assert np.array_equal(change.after, [1.0, 1.0])
    assert np.array_equal(recording.gradients["x"], [0.0, 0.0])


# ---- passes ----


def test_a_leaf_has_its_step_right_after_the_last_that_sends_to_it() -> None:
    recording = ran(
        "a = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(3.0, requires_grad=True)\n"
        "c = a * b\nd = c * a\nd.backward()\n"
    )

    (sweep,) = recording.sweeps
    assert [recording.nodes[step.node].name for step in sweep.steps] == ["d", "c", "a", "b"]
    assert [float(step.incoming) for step in sweep.steps] == [1.0, 2.0, 12.0, 4.0]
    assert sweep.steps[2].outgoing == ()


def test_a_pass_has_its_line_its_seed_and_what_it_added() -> None:
    recording = ran(
        "x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.backward(torch.tensor([1.0, 3.0]), retain_graph=True)\n"
        "y.backward(torch.tensor([1.0, 1.0]))\n"
    )

    first, second = recording.sweeps
    assert (first.line, first.retain_graph, second.line, second.retain_graph) == (4, True, 5, False)
    assert np.array_equal(first.seeds[0], [1.0, 3.0])
    (change,) = second.accumulated
    assert np.array_equal(change.before, [2.0, 6.0])
    assert np.array_equal(change.after, [4.0, 8.0])


def test_autograd_grad_accumulates_nothing() -> None:
    recording = ran("x = torch.tensor(3.0, requires_grad=True)\ng, = torch.autograd.grad(x * x, x)\n")

    (sweep,) = recording.sweeps
    assert (sweep.accumulated, recording.gradients) == ((), {"x": None})
    assert float(sweep.steps[-1].incoming) == 6.0


def test_the_node_where_a_pass_failed_is_named_and_the_steps_before_it_stay() -> None:
    recording = recorded(
        "x = torch.ones(2, requires_grad=True)\ny = x.exp()\nz = (y * 2).sum()\ny.add_(1)\nz.backward()\n"
    )

    problem = recording.problem
    assert problem is not None
    assert "modified by an inplace operation" in problem.message
    assert problem.node is not None
    assert recording.nodes[problem.node].op == "exp"
    assert [recording.nodes[step.node].op for step in recording.sweeps[-1].steps] == ["sum", "mul"]


def test_a_run_of_which_nobody_wants_the_recording_prints_the_same() -> None:
    text = "x = torch.tensor(3.0, requires_grad=True)\n(x * x).backward()\nprint(x.grad)\n"

    recording = recorded(text, wants_recording=False)

    assert (recording.output, recording.nodes) == ("tensor(6.)\n", ())


def test_more_nodes_than_are_allowed_end_the_run() -> None:
    text = "x = torch.ones(1, requires_grad=True)\nwhile True:\n    x = x * 2\n"

    problem = recorded(text, limits=Limits(nodes=50)).problem

    assert problem is not None
    assert "the graph has more than 50 nodes at a time" in problem.message


# ---- long runs ----

LOOP = """
w = torch.tensor([1.0, 2.0], requires_grad=True)
losses = []
for i in range({rounds}):
    loss = (w * w).sum() * 0.5
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
    losses.append({kept})
print(w, len(losses))
"""


def loop(rounds: int, keep: Keep | None = None, kept: str = "loss.item()") -> Recording:
    return ran(LOOP.format(rounds=rounds, kept=kept), keep)


def numbers(recording: Recording) -> list[int]:
    return [recording.number(i) for i in range(len(recording.sweeps))]


def test_few_backward_calls_are_all_kept() -> None:
    recording = loop(50)

    assert (numbers(recording), recording.kept, recording.thinned) == (list(range(1, 51)), "", None)


def test_of_many_the_first_the_last_and_every_nth_are_kept() -> None:
    recording = loop(502)

    assert numbers(recording) == [*range(1, 502, 4), 502]
    said = "Kept 127 of 502 backward calls: the first, the last and every 4th. No more than 200 were asked for."
    assert recording.kept == said


@pytest.mark.parametrize("kept", ["loss.item()", "loss", "loss.detach()"])
def test_what_is_recorded_does_not_grow_with_the_run(kept: str) -> None:
    few, many = (loop(rounds, Keep(sweeps=20), kept) for rounds in (100, 1000))

    assert len(many.nodes) <= 1.5 * len(few.nodes)
    assert many.output.startswith("tensor(")


def test_large_values_make_fewer_calls_stay() -> None:
    recording = ran(
        "w = torch.ones(250_000, requires_grad=True)\nfor i in range(12):\n    (w * 2).sum().backward()\n"
        "print(w.grad[0])",
        Keep(megabytes=20),
    )

    assert (numbers(recording), recording.output) == ([1, 9, 12], "tensor(24.)\n")
    assert recording.kept.endswith("the first, the last and every 8th. More do not fit into 20 MB.")


@pytest.mark.parametrize("kept", ["loss.item()", "loss", "loss.detach()"])
def test_what_is_printed_does_not_depend_on_what_is_kept(kept: str) -> None:
    assert loop(30, Keep(sweeps=2), kept).output == loop(30, kept=kept).output


def test_a_kept_call_has_the_picture_and_the_steps_that_it_has_in_a_whole_recording() -> None:
    whole, thin = loop(60), loop(60, Keep(sweeps=10))

    assert numbers(thin) == [1, 9, 17, 25, 33, 41, 49, 57, 60]
    for index, number in enumerate(numbers(thin)):
        pairs = ((whole, number - 1), (thin, index))
        pictures = [
            [(r.nodes[i]._replace(id=0, inputs=()), str(r.values[i])) for i in r.picture(sweep)] for r, sweep in pairs
        ]
        steps = [
            [(r.nodes[step.node].op, str(step.incoming), str(step.outgoing)) for step in r.sweeps[sweep].steps]
            for r, sweep in pairs
        ]
        assert pictures[0] == pictures[1]
        assert steps[0] == steps[1]


def test_calls_of_one_round_are_kept_or_dropped_together() -> None:
    recording = ran(
        "a = torch.ones(1, requires_grad=True)\nfor i in range(30):\n    (a * 2).backward()\n    (a * 3).backward()",
        Keep(sweeps=12),
    )

    assert numbers(recording) == [1, 2, 17, 18, 33, 34, 49, 50, 59, 60]
    assert recording.kept == (
        "Kept 10 of 60 backward calls: the first, the last and those of every 8th round of the loop. "
        "No more than 12 were asked for."
    )


def test_the_first_call_that_is_not_finite_is_kept_besides_and_the_one_that_fails() -> None:
    text = (
        "w = torch.ones(3, requires_grad=True)\nfor i in range(60):\n    y = w * (float('nan') if i == 37 else 2.0)\n"
    )
    recording = recorded(f"{text}    y.sum().backward()\ny.sum().backward()\n", Keep(sweeps=3))

    assert {1, 38, 61} <= set(numbers(recording))
    assert "call 38 (the first that is not finite)" in recording.kept
    assert recording.problem is not None


def test_a_call_that_was_asked_for_is_kept_besides() -> None:
    recording = loop(60, Keep(sweeps=3, pinned=frozenset({17})))

    assert numbers(recording) == [1, 17, 33, 60]
    assert [ops(recording)[step.node] for step in recording.sweeps[1].steps] == ["mul", "sum", "mul", "leaf"]


def test_what_a_dropped_call_computed_is_a_constant_that_says_so() -> None:
    text = LOOP.format(rounds=40, kept="loss") + "total = losses[3] + losses[4]\nprint(total)"

    recording = ran(text, Keep(sweeps=3))

    cut = [node for node in recording.nodes if "from" in node.params]
    assert [(n.op, n.params["from"]) for n in cut] == [("constant", "mul of a backward call that was not kept")] * 2
    assert recording.nodes[-1].inputs == tuple(node.id for node in cut)


@pytest.mark.parametrize("rounds", [3, 40])
def test_a_late_call_goes_back_through_what_the_script_kept_from_before(rounds: int) -> None:
    recording = ran(
        "x = torch.tensor(2.0, requires_grad=True)\nw = torch.tensor(1.0, requires_grad=True)\n(w * w).backward()\n"
        f"y = x * x * x\nfor i in range({rounds}):\n    (w * w).backward()\ny.backward()\nprint(x.grad)\n",
        Keep(sweeps=4),
    )

    assert recording.output == "tensor(12.)\n"


def test_a_graph_that_goes_on_through_the_rounds_is_kept_whole_for_each_kept_call() -> None:
    recording = ran(
        "w = torch.tensor(1.0, requires_grad=True)\nh = w * 1\nfor i in range(40):\n    h = h * w\n"
        "    h.backward(retain_graph=True)\nprint(w.grad)\n",
        Keep(sweeps=4),
    )

    # h is w to the power of i + 2, with the slope i + 2 at w = 1; all the slopes add up.
    assert recording.output == f"tensor({sum(range(2, 42))}.)\n"
    last = recording.sweeps[-1]
    assert [ops(recording)[step.node] for step in last.steps] == ["mul"] * 41 + ["leaf"]


def test_a_call_within_a_hook_of_another_disturbs_neither() -> None:
    recording = ran(
        "a = torch.tensor(3.0, requires_grad=True)\nb = torch.tensor(2.0, requires_grad=True)\n"
        "for i in range(30):\n    y = a * 1\n    z = y * 5 + y\n"
        "    def inner(g):\n        with torch.enable_grad():\n            (b * b).backward()\n"
        "    y.register_hook(inner)\n    z.backward()\nprint(a.grad, b.grad)\n",
        Keep(sweeps=4),
    )

    assert recording.output == "tensor(180.) tensor(120.)\n"


def test_what_was_computed_without_a_backward_call_is_all_there() -> None:
    recording = ran("x = torch.ones(1, requires_grad=True)\nfor i in range(1500):\n    x = x + 1\n")

    assert (ops(recording).count("add"), recording.sweeps) == (1500, ())


def test_a_pass_knows_how_much_the_script_had_printed() -> None:
    recording = ran(
        "x = torch.ones(1, requires_grad=True)\nprint('before')\nfor _ in range(2):\n    (x * x).backward()\n"
        "    print('é')\n"
    )

    assert recording.output == "before\né\né\n"
    assert [sweep.printed for sweep in recording.sweeps] == [7, 9]


def test_weights_in_nested_lists_and_dicts_are_named_by_their_places() -> None:
    recording = ran(
        "w = [[torch.ones(2, requires_grad=True)], {'b': torch.ones(2, requires_grad=True)}]\n"
        "(w[0][0] * w[1]['b']).sum().backward()\n"
    )

    assert [node.name for node in recording.nodes[:2]] == ["w[0][0]", "w[1]['b']"]


PLACES = """\
import torch

class Net:
    def __init__(self):
        self.a = leaf(0.7)
        self.ws = [leaf(0.8), leaf(0.9)]

def leaf(value):
    w = torch.tensor(value, requires_grad=True)
    return w

p = {"w": leaf(1.0), "b": leaf(0.5)}
layers = [{"w": leaf(2.0)}, {"w": leaf(3.0)}]
q = {}
q["late"] = leaf(1.25)
n = {0: leaf(1.1), (1, 2): leaf(1.2), 1.5: leaf(1.3)}
net = Net()
net.late = leaf(0.2)
y = p["w"] * p["b"] + layers[0]["w"] * layers[1]["w"] * q["late"] + n[0] * n[1, 2]
y = y + net.a * net.ws[0] * net.ws[1] * net.late
y.backward()
"""
NAMES = [
    'p["w"]', 'p["b"]', 'layers[0]["w"]', 'layers[1]["w"]', 'q["late"]', "n[0]", "n[1, 2]",
    "net.a", "net.ws[0]", "net.ws[1]", "net.late",
]  # fmt: skip


@pytest.mark.parametrize("quote", "'\"")
def test_leaves_in_dicts_and_objects_are_named_as_the_script_reaches_them(quote: str) -> None:
    recording = ran(PLACES.replace('"', quote))

    named = [name.replace('"', quote) for name in NAMES]
    assert sorted(node.name or "" for node in recording.nodes if node.op == "leaf") == sorted(named)
    assert sorted(recording.gradients) == sorted(named)
    assert all(recording.gradients[name] is not None for name in named)


def test_a_result_in_a_dict_keeps_the_name_of_its_variable() -> None:
    recording = ran(
        "x = torch.ones(2, requires_grad=True)\nh = x * 2\nkept = {'h': h, 'k': h * 3}\nkept['k'].sum().backward()\n"
    )

    assert [node.name for node in recording.nodes if node.op == "mul"] == ["h", "kept['k']"]


def test_a_late_call_through_a_graph_that_was_let_go_of_has_its_nodes_with_their_lines() -> None:
    text = (
        "w = torch.tensor(2.0, requires_grad=True)\n"
        "for i in range(600):\n"
        "    if i == 3:\n"
        "        a = w * 3\n"
        "        b = a * a\n"
        "    (w * i).backward()\n"
        "c = b + 1\n"
        "c.backward()\n"
    )
    recording = recorded(text)

    check(recording)
    nodes = [recording.nodes[step.node] for step in recording.sweeps[-1].steps]
    first = min(node.line or 0 for node in nodes)
    assert [(node.op, node.name, (node.line or 0) - first) for node in nodes] == [
        ("add", "c", 6), ("mul", "b", 4), ("mul", "a", 3), ("leaf", "w", 0),
    ]  # fmt: skip
    assert [float(step.incoming) for step in recording.sweeps[-1].steps] == [1, 1, 12, 36]  # type: ignore[arg-type]
