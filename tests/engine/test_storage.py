"""Memory that tensors share: what may be changed in place, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.indexing.reading import get, set
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError
from gradviz.imitation.freeze import freeze
from tests.engine.leaves import constant, leaf, refusal


def add_(x: Tensor, value: float) -> Tensor:
    return storage.change(x, OPS["add"], constant(x, value))


def mul_(x: Tensor, value: Tensor) -> Tensor:
    return storage.change(x, OPS["mul"], value)


def edit(x: Tensor, value: Any, *, tracked: bool = True) -> None:
    """x.detach().copy_(value), or with .data where not tracked."""
    storage.write(storage.alias(x, tracked=tracked), np.asarray(value, x.dtype))


MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor {shape}]{made_by} is at version {now}; expected version 0 instead. Hint: enable anomaly "
    "detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)

# ---- what is refused ----


def test_leaf_that_takes_a_gradient_is_not_changed_in_place():
    x = leaf(1.0)

    error = refusal(lambda: add_(x, 1.0))

    assert error.message == "a leaf Variable that requires grad is being used in an in-place operation."
    assert "no_grad" in error.hint


def test_view_of_such_a_leaf_is_not_changed_in_place():
    x = leaf(1.0, 2.0)
    view = get(x, 0)

    error = refusal(lambda: add_(view, 1.0))

    assert error.message == "a view of a leaf Variable that requires grad is being used in an in-place operation."


def test_saved_result_changed_in_place_is_refused_in_pytorchs_words():
    x = leaf(1.0)
    y = F["exp"](x)
    add_(y, 1.0)

    error = refusal(lambda: backward([y * 1.0], [None]))

    assert error.message == MODIFIED.format(shape=[], made_by=", which is output 0 of Exp,", now=1)
    assert "clone()" in error.hint


def test_saved_input_changed_in_place_is_refused():
    x = leaf(2.0, 3.0)
    h = x * 1.0
    y = F["sum"](h * h)
    add_(h, 1.0)

    error = refusal(lambda: backward([y], [None]))

    assert error.message == MODIFIED.format(shape=[2], made_by=", which is output 0 of Add,", now=1)


def test_each_change_counts_in_the_version():
    x = leaf(2.0)
    h = x * 1.0
    y = F["sin"](h)
    for _ in range(3):
        add_(h, 1.0)

    assert "is at version 3; expected version 0" in refusal(lambda: backward([y], [None])).message
    assert storage.version(h) == 3


def test_detached_alias_shares_the_version():
    x = leaf(2.0)
    h = x * 1.0
    y = F["sin"](h)
    edit(h, 5.0)

    error = refusal(lambda: backward([y], [None]))

    assert error.message == MODIFIED.format(shape=[], made_by=", which is output 0 of Mul,", now=1)


def test_saved_result_changed_through_an_alias_is_refused_although_its_op_stays():
    x = leaf(1.0, 2.0)
    y = F["exp"](x)
    edit(y, [0.0, 0.0])

    error = refusal(lambda: backward([F["sum"](y)], [None]))

    assert error.message == MODIFIED.format(shape=[2], made_by=", which is output 0 of Exp,", now=1)


def test_saved_result_that_was_changed_is_refused_in_a_graph_made_later_too():
    x = leaf(1.0)
    y = F["exp"](x)
    with x.tape.grad_mode(False):
        edit(y, 3.0)
    z = y * constant(y, 2.0)  # y enters the tape anew, after the change

    with pytest.raises(TorchError, match="output 0 of Exp, is at version 1; expected version 0 instead"):
        backward([z], [None])


def test_pass_looks_only_at_what_was_recorded_before_the_last_change():
    x = leaf(1.0)
    y = leaf(2.0, tape=x.tape)
    for _ in range(3):
        edit(y, 3.0)
        z = F["exp"](x) * y

    assert x.tape.checked_until < min(z.inputs)


def test_saved_constant_changed_in_place_is_refused():
    x = leaf(1.0, 2.0)
    w = x.tape.tensor(np.ones(2, "f4"))
    y = F["sum"](x * w)
    add_(w, 1.0)

    assert refusal(lambda: backward([y], [None])).message == MODIFIED.format(shape=[2], made_by="", now=1)


def test_saved_leaf_changed_in_no_grad_is_refused():
    x = leaf(1.0, 2.0)
    y = F["sum"](F["sin"](x))
    with x.tape.grad_mode(False):
        add_(x, 1.0)

    assert refusal(lambda: backward([y], [None])).message == MODIFIED.format(shape=[2], made_by="", now=1)


def test_factor_that_no_gradient_needs_may_change():
    x = Tape().tensor(np.ones((2, 1), "f4"), requires_grad=True)
    c = x.tape.tensor(np.ones((2, 2), "f4"))
    w = x * 1.0
    y = F["sum"](F["matmul"](c, w))
    add_(w, 1.0)  # the product keeps w for the gradient of c, which takes none

    backward([y], [None])

    np.testing.assert_array_equal(x.grad.data, [[2], [2]])


def test_version_expected_is_that_at_the_time_of_saving():
    x = leaf(1.0, 2.0)
    h = x * 1.0
    set(h, 0, 5.0)
    y = F["sum"](h * h)
    set(h, 1, 2.0)

    message = refusal(lambda: backward([y], [None])).message

    assert "output 0 of torch::autograd::CopySlices, is at version 2; expected version 1" in message


def test_result_may_not_be_larger_than_the_tensor():
    x = leaf(1.0) * 1.0

    error = refusal(lambda: mul_(x, x.tape.tensor(np.ones(2, "f4"))))

    assert error.message == "output with shape [] doesn't match the broadcast shape [2]"


def test_integer_tensor_does_not_become_floating():
    tape = Tape()
    x = tape.tensor(np.array([1, 2]))

    error = refusal(lambda: mul_(x, tape.tensor(np.float32(0.5))))

    assert error.message == "result type Float can't be cast to the desired output type Long"


def test_expanded_memory_is_not_written_to():
    tape = Tape()
    x = tape.tensor(np.ones(1, "f4"))
    from gradviz.imitation.engine.functions.shapes.shaping import expand

    wide = expand(x, 3)

    assert "single memory location" in refusal(lambda: storage.write(wide, np.zeros(3, "f4"))).message


# ---- what passes ----


def test_change_of_what_was_not_saved_is_fine():
    x = leaf(1.0)
    h = x * 1.0
    y = F["exp"](h)  # keeps its result, not h
    add_(h, 100.0)

    backward([y], [None])

    assert x.grad.data == pytest.approx(np.e, rel=1e-6)


def test_in_place_op_is_recorded_as_the_op_it_is():
    x = leaf(3.0)
    y = x * 2.0
    add_(y, 1.0)
    mul_(y, constant(x, 5.0))

    backward([y], [None])

    assert y.data == 35
    assert x.grad.data == 10
    assert [node.op for node in freeze(x.tape).nodes if not node.is_leaf] == ["mul", "add", "mul"]


def test_constant_that_takes_in_a_gradient_joins_the_graph():
    x = leaf(3.0)
    total = constant(x, 1.0)

    storage.change(total, OPS["add"], x)

    assert total.requires_grad
    backward([total], [None])
    assert x.grad.data == 1


def test_change_through_data_is_not_noticed_and_gives_pytorchs_silent_gradient():
    x = leaf(2.0)
    h = x * 1.0
    y = h * h
    edit(h, 3.0, tracked=False)

    backward([y], [None])

    assert x.grad.data == 6  # 2 · 3, where 4 would be right
    assert storage.version(h) == 0


def test_change_in_no_grad_before_use_is_an_ordinary_value():
    x = leaf(1.0, 2.0)
    with x.tape.grad_mode(False):
        add_(x, 10.0)
    y = F["sum"](x * x)

    backward([y], [None])

    np.testing.assert_array_equal(x.grad.data, [22, 24])
    assert x.is_leaf


def test_assignment_to_a_part_stops_the_gradient_there():
    x, value = leaf(1.0, 2.0, 3.0), None
    h = x * 2.0
    value = leaf(10.0, tape=x.tape)
    set(h, 1, value)

    backward([h], [x.tape.tensor(np.array([1, 10, 100], "f4"))])

    np.testing.assert_array_equal(h.data, [2, 10, 6])
    np.testing.assert_array_equal(x.grad.data, [2, 0, 200])
    assert value.grad.data == 10


def test_assignment_of_a_number_records_where_it_went():
    x = leaf(1.0, 2.0, 3.0)
    h = x * 2.0
    set(h, slice(0, 2), 0.0)

    backward([F["sum"](h)], [None])

    np.testing.assert_array_equal(x.grad.data, [0, 0, 2])


# ---- memory that is shared ----


def test_view_sees_a_change_of_its_base_and_the_base_one_of_its_view():
    tape = Tape()
    x = tape.tensor(np.zeros(3, "f4"))
    part = get(x, slice(1, None))

    storage.write(x, np.ones(3, "f4"))
    np.testing.assert_array_equal(part.data, [1, 1])
    storage.write(part, np.full(2, 5, "f4"))

    np.testing.assert_array_equal(x.data, [1, 5, 5])


def test_clone_does_not_see_a_change():
    tape = Tape()
    x = tape.tensor(np.zeros(3, "f4"))
    copy = F["clone"](x)

    storage.write(x, np.ones(3, "f4"))

    np.testing.assert_array_equal(copy.data, [0, 0, 0])


def test_grad_attribute_edited_by_hand_does_not_rewrite_the_record():
    x = leaf(1.0, 2.0)
    backward([F["sum"](x * x)], [None])
    storage.write(x.grad, np.zeros(2, "f4"))

    sweep = freeze(x.tape).sweeps[0]

    np.testing.assert_array_equal(x.grad.data, [0, 0])
    np.testing.assert_array_equal(sweep.accumulated[0].after, [2, 4])
    np.testing.assert_array_equal(sweep.steps[-1].incoming, [2, 4])


def test_accumulating_into_a_shared_grad_shows_in_the_other_holder():
    x = leaf(1.0, 2.0)
    backward([F["sum"](x * x)], [None])
    held = F["detach"](x.grad)

    backward([F["sum"](x * x)], [None])

    np.testing.assert_array_equal(held.data, [4, 8])
