"""Custom Functions: one node, the user's backward, PyTorch's checks of what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward, grad
from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.custom.function import apply_function
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.passes.backward import node_name
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.imitation.freeze import freeze
from tests.engine.leaves import leaf, refusal

INVALID = "Function SquareBackward returned an invalid gradient"
Backward = Callable[[Context, Tensor], Any]


def square(ctx: Context, given: Any) -> Tensor:
    (x,) = given
    ctx.save_for_backward(x)
    return F["mul"](x, x)


def square_backward(ctx: Context, g: Tensor) -> Tensor:
    (x,) = ctx.saved_tensors()
    return F["mul"](F["mul"](g, x), 2.0)


def squared(x: Tensor, back: Backward = square_backward) -> Any:
    return apply_function("Square", [x], square, back)


def test_function_is_one_node_with_the_gradient_of_its_backward():
    x = leaf(3.0, 4.0)
    y = squared(x)

    backward([y], [x.tape.tensor(np.ones(2, "f4"))])

    np.testing.assert_array_equal(x.grad.data, [6, 8])
    assert [node.op for node in freeze(x.tape).nodes] == ["leaf", "Square"]
    assert node_name(y) == "SquareBackward"


def test_wrong_backward_is_taken_at_its_word():
    x = leaf(3.0)

    backward([squared(x, lambda ctx, g: g)], [None])

    assert x.grad.data == 1


def test_none_means_no_gradient():
    x = leaf(3.0)

    backward([squared(x, lambda ctx, g: None)], [None])

    assert x.grad is None


def test_argument_that_is_no_tensor_takes_none():
    x = leaf(3.0)
    scaled = apply_function(
        "Scale", [x, 5.0], lambda ctx, given: F["mul"](*given), lambda ctx, g: (F["mul"](g, 5.0), None)
    )

    backward([scaled], [None])

    assert x.grad.data == 5


def test_input_without_requires_grad_gets_none_even_if_backward_returns_one():
    x = leaf(3.0)
    c = x.tape.tensor(np.float32(4))
    out = apply_function(
        "Product",
        [c, x],
        lambda ctx, given: F["mul"](*given),
        lambda ctx, g: (F["mul"](g, 3.0), F["mul"](g, 4.0)),
    )

    backward([out], [None])

    assert x.grad.data == 4
    assert freeze(x.tape).sweeps[0].steps[0].outgoing == (None, 4)


def test_gradient_of_a_larger_shape_is_summed():
    tape = Tape()
    x = leaf(1.0, 2.0, tape=tape)

    backward([F["sum"](squared(x, lambda ctx, g: tape.tensor(np.ones((3, 2), "f4"))))], [None])

    np.testing.assert_array_equal(x.grad.data, [3, 3])


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            lambda tape: tape.tensor(np.ones(3, "f4")),
            f"{INVALID} at index 0 - got [3] but expected shape compatible with [2]",
        ),
        (
            lambda tape: (tape.tensor(np.ones(2, "f4")),) * 2,
            "function SquareBackward returned an incorrect number of gradients (expected 1, got 2)",
        ),
        (
            lambda tape: (),
            "function SquareBackward returned an incorrect number of gradients (expected 1, got 0)",
        ),
        (lambda tape: 1.0, "expected Variable or None (got float)"),
    ],
    ids=["shape", "too many", "too few", "number"],
)  # fmt: skip
def test_unfit_gradient_is_refused_in_pytorchs_words(returned, message):
    x = leaf(1.0, 2.0)
    y = squared(x, lambda ctx, g: returned(x.tape))

    assert refusal(lambda: backward([F["sum"](y)], [None])).message == message


def test_extra_gradients_of_none_are_allowed():
    x = leaf(3.0)

    backward([squared(x, lambda ctx, g: (g, None, None))], [None])

    assert x.grad.data == 1


def test_second_derivative_goes_through_the_ops_of_backward():
    x = leaf(3.0)
    (first,) = grad([squared(x)], [x], [None], create_graph=True)

    (second,) = grad([first], [x], [None])

    assert (float(first.data), float(second.data)) == (6, 2)


def test_saved_tensors_are_freed_like_any_others():
    x = leaf(3.0)
    y = squared(x)
    backward([y], [None])

    assert "a second time" in refusal(lambda: backward([y], [None])).message


def test_function_that_saves_nothing_runs_twice():
    x = leaf(3.0)
    y = apply_function("Same", [x], lambda ctx, given: F["clone"](given[0]), lambda ctx, g: g)

    backward([y], [None])
    backward([y], [None])

    assert x.grad.data == 2


def test_saved_tensor_changed_in_place_is_refused():
    x = leaf(3.0)
    h = x * 1.0
    y = squared(h)
    storage.change(h, OPS["add"], h.tape.tensor(np.float32(1)))

    error = refusal(lambda: backward([y], [None]))

    assert "modified by an inplace operation" in error.message
    assert "is at version 1; expected version 0" in error.message


def test_only_tensors_can_be_saved():
    error = refusal(lambda: Context((True,)).save_for_backward(1.0))

    assert error.message == "save_for_backward can only save variables, but argument 0 is of type float"
    assert error.kind == "TypeError"


def test_input_returned_as_it_is_makes_a_node_of_its_own():
    x = leaf(3.0)
    y = apply_function("Same", [x], lambda ctx, given: given[0], lambda ctx, g: F["mul"](g, 10.0))

    backward([y], [None])

    assert y is not x
    assert x.grad.data == 10


def test_nothing_is_recorded_without_an_input_that_takes_a_gradient():
    tape = Tape()

    y = squared(tape.tensor(np.float32(3)))

    assert not y.requires_grad
    assert tape.entries == []


def split(x: Tensor, backward_: Callable[..., Any]) -> Any:
    """Twice and thrice x, as one call with two results."""
    return apply_function("Split", [x], lambda ctx, given: (F["mul"](x, 2.0), F["mul"](x, 3.0)), backward_)


def test_several_results_share_one_call_of_backward():
    x, seen = leaf(1.0, 2.0), []

    def back(ctx: Context, g1: Tensor, g2: Tensor) -> Tensor:
        seen.append((g1.data.tolist(), g2.data.tolist()))
        return F["add"](F["mul"](g1, 2.0), F["mul"](g2, 3.0))

    a, b = split(x, back)
    backward([F["sum"](F["add"](a, F["mul"](b, b)))], [None])

    assert seen == [([1, 1], [6, 12])]
    assert x.grad.data.tolist() == [20, 38]


def test_result_that_no_gradient_came_to_counts_as_zeros_or_none():
    came = []

    def run(materializes: bool) -> None:
        def forward(ctx: Context, given: Any) -> Any:
            ctx.set_materialize_grads(materializes)
            return F["mul"](given[0], 2.0), F["mul"](given[0], 3.0)

        x = leaf(1.0, 2.0)
        a, _ = apply_function("Split", [x], forward, lambda ctx, g1, g2: came.append(g2) or g1)
        backward([F["sum"](a)], [None])

    run(True)
    run(False)

    assert came[0].data.tolist() == [0, 0]
    assert came[1] is None


def test_result_marked_as_not_differentiable_takes_no_gradient():
    def forward(ctx: Context, given: Any) -> Any:
        y, mask = F["mul"](given[0], 2.0), F["mul"](given[0], 3.0)
        ctx.mark_non_differentiable(mask)
        return y, mask

    x = leaf(1.0, 2.0)
    y, mask = apply_function("Masked", [x], forward, lambda ctx, g, _: F["mul"](g, 2.0))
    backward([F["sum"](y)], [None])

    assert y.requires_grad
    assert not mask.requires_grad
    assert x.grad.data.tolist() == [2, 2]


def test_several_results_are_differentiated_twice():
    x = leaf(3.0)

    def back(ctx: Context, g1: Tensor, g2: Tensor) -> Tensor:
        return F["add"](F["mul"](F["mul"](g1, x), 2.0), F["mul"](g2, 5.0))

    a, b = apply_function("Two", [x], lambda ctx, given: (F["mul"](x, x), F["mul"](x, 5.0)), back)
    (first,) = grad([F["mul"](a, b)], [x], [None], create_graph=True)
    (second,) = grad([first], [x], [None])

    assert first.data == 5 * 3 * 3**2
    assert second.data == 5 * 6 * 3


def test_dirty_input_becomes_the_result():
    x = leaf(3.0)
    y = F["mul"](x, 1.0)

    def forward(ctx: Context, given: Any) -> Tensor:
        (inside,) = given
        storage.write(inside, inside.data * 2)
        ctx.mark_dirty(inside)
        return inside

    z = apply_function("Twice", [y], forward, lambda ctx, g: F["mul"](g, 2.0))
    backward([z], [None])

    assert z is y
    assert node_name(y) == "TwiceBackward"
    assert x.grad.data == 2


def test_forward_runs_without_recording():
    x = leaf(3.0)
    squared(x)

    assert [entry.op.name for entry in x.tape.entries if entry.op] == ["Square"]
