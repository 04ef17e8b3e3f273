"""Where NaN is born: planted at a random node of random graphs it is found there, with its operands."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from gradviz.playback.health.births import Birth, births, births_at
from gradviz.playback.health.trail import nan_findings, spread
from gradviz.playback.track import Track
from gradviz.recording import Accumulation, Node, Recording, Step, Summaries, Summary, Sweep
from gradviz.trace.births import INCOMING, INF, NAN, OUTGOING, VALUE
from tests.recorded import run

HEAD = """
import torch
torch.manual_seed({seed})
z = torch.tensor([1., 0., 1.])
W = torch.randn(3, 3, requires_grad=True)
h0 = torch.randn(3, requires_grad=True)
"""

# What is planted: lines that make p of h, the word that stands in the line of the birth, and what is known of it there.
PLANTS = {
    "0 / 0": (["a = h * z", "p = a / z  # here"], VALUE, (0.0, 0.0)),
    "log(-2)": (["a = h * h * z + torch.tensor([1., -2., 1.])", "p = torch.log(a)  # here"], VALUE, (-2.0,)),
    "inf − inf": (["i = torch.tensor([1., float('inf'), 1.])", "a = h * z + i", "p = a - i  # here"], VALUE,
                  (math.inf, math.inf)),
    "inf × 0": (["i = torch.tensor([1., float('inf'), 1.])", "a = h * z", "p = i * a  # here"], VALUE, (math.inf, 0.0)),
    "sqrt(-3)": (["a = h * h * z - torch.tensor([0., 3., 0.])", "p = a.sqrt()  # here"], VALUE, (-3.0,)),
    "0 × inf": (["a = h * h * z", "q = torch.sqrt(a)  # here", "p = q * z"], OUTGOING, (0.0, math.inf)),
    "0 × inf of a power": (["a = h * h * z", "q = a ** 0.5  # here", "p = q * z"], OUTGOING, (0.0, math.inf)),
    "hook": (["a = h * 2", "a.register_hook(lambda g: g / z * z)", "p = a * 3"], INCOMING, ()),
    "custom": (["p = Spoiling.apply(h)  # here"], OUTGOING, ()),
}  # fmt: skip
CUSTOM = """
class Spoiling(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * torch.tensor([1., float('nan'), 1.])
"""


def planted(seed: int) -> tuple[str, str]:
    """A script of random ops with one plant in it, and which it is."""
    rng = random.Random(seed)
    lines = [HEAD.format(seed=seed), CUSTOM]
    count, known = rng.randint(4, 12), ["h0"]
    place, kind = rng.randrange(count), rng.choice(list(PLANTS))
    for number in range(count):
        a, b = rng.choice(known[-4:]), rng.choice(known)
        if number == place:
            lines += [f"h = {a}", *PLANTS[kind][0]]
            known.append("p")
        name = f"h{number + 1}"
        made = rng.choice([f"{a} + {b}", f"torch.tanh({a}) * {b}", f"torch.sin({a})", f"W @ {a}", f"{a} - 0.5 * {b}"])
        lines.append(f"{name} = {made}")
        known.append(name)
    # All of them come into the loss, so that the plant is reached wherever it stands.
    lines += [f"loss = ({' + '.join(known)}).sum()", "loss.backward()"]
    return "\n".join(lines) + "\n", kind


@pytest.mark.parametrize("seed", range(100))
def test_a_planted_nan_is_found_where_it_was_born_with_its_operands(seed):
    text, kind = planted(seed)
    _, part, operands = PLANTS[kind]
    recording = run(text).recording
    assert recording.problem is None, recording.problem
    line = next((n for n, words in enumerate(text.splitlines(), 1) if "# here" in words), None)

    found = [birth for birth in births(Track(recording, 0)) if birth.kind == NAN]

    birth, *others = found
    # The numbers that made it in the value may be an infinite slope in the backward pass, and that times 0 is a birth.
    assert not others or (part == VALUE and all(other.part == OUTGOING for other in others))
    assert (birth.part, birth.index) == (part, (1,))
    if line is None:
        assert recording.nodes[birth.node].name == "a"
    else:
        assert recording.nodes[birth.node].line == line
    if part == OUTGOING and operands:
        assert birth.how in ("0 × inf", "-0 × inf")
    assert tuple(operand.number for operand in birth.operands[: len(operands)]) == operands


def test_no_node_of_a_finite_graph_has_a_birth():
    track = Track(run("import torch\nx = torch.ones(3, requires_grad=True)\n(x * 2).sum().backward()\n").recording, 0)

    assert births(track) == ()
    assert all(nan_findings(track, track.length, node) == () for node in track.forward)


TRAP = """
import torch
x = torch.tensor([1., 0., 4.], requires_grad=True)
w = torch.tensor([1., 2., 3.], requires_grad=True)
h = x * 1
y = torch.where(x > 0, torch.sqrt(h) / h, torch.zeros(3))
loss = (y * w).sum()
loss.backward()
"""


def test_what_is_masked_in_the_value_is_born_again_in_the_gradient_and_the_sentences_say_so():
    track = Track(run(TRAP).recording, 0)
    node = {track.recording.nodes[i].op: i for i in track.forward}

    value, *gradients = [birth for birth in births(track) if birth.kind == NAN]

    assert (value.node, value.part, value.how) == (node["div"], VALUE, "0 / 0")
    assert spread(track, value, track.length).ended == (node["where"],)
    said = nan_findings(track, track.length, node["div"])[0]
    assert said.is_wrong
    assert said.text == "NaN is born here at [1]: 0 / 0. It ends at y."
    healed = nan_findings(track, track.length, node["where"])[0]
    assert healed.node == node["div"]
    assert healed.text == "NaN in sqrt(h)/h ends here: where takes none of it."
    # The mask sends 0 back, and at the division 0 × inf is NaN anew: the trap of torch.where.
    assert {(birth.node, birth.part, birth.how) for birth in gradients} == {(node["div"], OUTGOING, "0 × inf")}
    again = nan_findings(track, track.length, node["div"])[1]
    assert again.text == (
        "NaN is born here, in the gradient of sqrt(h) at [1]: 0 × inf. Incoming 0 times local slope inf at index [1], "
        "where h = 0. It goes on to sqrt(h) and h and reaches x.grad."
    )
    leaf = nan_findings(track, track.length, min(track.forward))
    assert leaf[0].node == node["div"]
    assert leaf[0].text == "NaN in the gradient comes from sqrt(h)/h, line 6 (0 × inf)."


def test_what_has_not_happened_yet_is_not_said():
    track = Track(run(TRAP).recording, 0)
    div = next(i for i in track.forward if track.recording.nodes[i].op == "div")
    at = track.index_of[div] + 1

    assert nan_findings(track, at - 1, div) == ()
    assert nan_findings(track, at, div)[0].text == "NaN is born here at [1]: 0 / 0."
    assert len(nan_findings(track, track.turn, div)) == 1


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("torch.exp(x * 200)", "exp(200) = 7.226e86, too large for float32"),
        ("1 / (x * 0)", "1 / 0"),
        ("torch.log(x - x)", "log(0)"),
        ("(x * 1e38 * 4)", "1e38 × 4 = 4e38, too large for float32"),
        ("(torch.ones(3, 3) * 1e38) @ (x * 3)", "the sum of 3 numbers is too large for float32"),
        ("torch.sum(x * 2e38)", "the sum of 3 numbers is too large for float32"),
    ],
)  # fmt: skip
def test_an_infinity_says_what_it_was_made_of(line, how):
    text = f"import torch\nx = torch.ones(3, requires_grad=True)\ny = {line}\ny.sum().backward()\n"
    track = Track(run(text).recording, 0)

    first = births(track)[0]

    assert (first.kind, first.part, first.how) == (INF, VALUE, how)


def test_a_mask_of_minus_infinity_that_the_script_wrote_is_no_birth():
    text = (
        "import torch\nx = torch.zeros(2, 3, requires_grad=True)\n"
        "m = torch.tensor([[False, True, True], [False, False, True]])\n"
        "y = torch.softmax(x.masked_fill(m, float('-inf')), 1)\n(y * y).sum().backward()\n"
    )
    track = Track(run(text).recording, 0)

    assert births(track) == ()
    assert all(nan_findings(track, track.length, node) == () for node in track.forward)


def test_a_row_of_softmax_that_is_masked_whole_is_0_by_0():
    text = (
        "import torch\nx = torch.zeros(2, 3, requires_grad=True)\n"
        "m = torch.tensor([[True, True, True], [False, False, True]])\n"
        "y = torch.softmax(x.masked_fill(m, float('-inf')), 1)\n(y * y).sum().backward()\n"
    )

    first = births(Track(run(text).recording, 0))[0]

    assert (first.kind, first.index, first.how) == (NAN, (0, 0), "softmax of 3 numbers that are all -inf: 0 / 0")


def test_infinities_of_both_signs_meet_in_the_sum_that_comes_in():
    text = (
        "import torch\nx = torch.zeros(2, requires_grad=True)\nh = x * 1\n"
        "a = torch.sqrt(h)\nb = -torch.sqrt(h)\n(a + b).sum().backward()\n"
    )
    track = Track(run(text).recording, 0)

    nan = next(birth for birth in births(track) if birth.kind == NAN)

    assert (track.recording.nodes[nan.node].name, nan.part) == ("h", INCOMING)
    assert {operand.number for operand in nan.operands} == {math.inf, -math.inf}
    assert sorted(nan.how.split(" + ")) == ["-inf", "inf"]


def test_the_product_of_matrices_names_the_term():
    text = (
        "import torch\nx = torch.tensor([[0., 1.], [2., 3.]], requires_grad=True)\n"
        "m = torch.tensor([[1., 2.], [3., float('inf')]])\ny = m @ x\ny[0, 0].backward()\n"
    )

    first = next(birth for birth in births(Track(run(text).recording, 0)) if birth.kind == NAN)

    assert (first.part, first.how) == (OUTGOING, "0 × inf")


def test_of_what_was_not_kept_the_node_is_found():
    nodes = (
        Node(0, "leaf", shape=(900,), name="w", requires_grad=True),
        Node(1, "log", (0,), {}, (900,), requires_grad=True),
        Node(2, "sum", (1,), {}, (), requires_grad=True),
    )
    few = Summary((900,), "float32", norm=math.nan, min=-1.0, max=2.0, nan=3, inf=0)
    fine = Summary((900,), "float32", norm=30.0, min=-1.0, max=2.0, nan=0, inf=0)
    sweep = Sweep(
        (2,), (np.float32(1),), (Step(2, np.float32(1), (None,)), Step(1, None, (None,)), Step(0, None)),
        (Accumulation(0, None, None),),
        summaries=Summaries(incoming={1: fine, 0: fine}, outgoing={(2, 0): fine, (1, 0): fine}, after={0: fine}),
    )  # fmt: skip
    values = (None, None, np.float32(np.nan))
    recording = Recording(nodes, values, (sweep,), summaries={0: fine, 1: few})
    track = Track(recording, 0)

    found = births(track)

    assert [(birth.node, birth.part, birth.index, birth.count) for birth in found] == [(1, VALUE, None, 3)]
    assert (
        nan_findings(track, track.length, 1)[0].text
        == "NaN is born here, and at 2 more places. It goes on to sum(log(w))."
    )


def test_a_custom_function_is_named_where_its_backward_makes_it():
    text = CUSTOM.join(
        ["import torch\n", "x = torch.ones(3, requires_grad=True)\nSpoiling.apply(x).sum().backward()\n"]
    )
    track = Track(run(text).recording, 0)

    (birth,) = births(track)

    assert isinstance(birth, Birth)
    assert track.recording.nodes[birth.node].op == "Spoiling"
    assert births_at(track, birth.position) == (birth,)
