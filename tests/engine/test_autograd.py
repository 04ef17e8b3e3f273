"""backward and grad as a script calls them: seeds, `.grad`, what is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.autograd import backward, grad, retain_grad, set_grad, set_requires_grad
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.tensor import Tape
from gradviz.errors import TorchError
from gradviz.imitation.freeze import freeze
from tests.engine.leaves import constant, leaf, refusal

MISMATCH = "Mismatch in shape: grad_output[0] has a shape of"

# ---- seeds ----


def test_v_weighs_the_rows_of_the_jacobian():
    x = leaf(1.0, 2.0)

    backward([x * x], [constant(x, 10.0, 100.0)])

    np.testing.assert_array_equal(x.grad.data, [20, 400])


def test_one_element_of_any_shape_needs_no_v():
    tape = Tape()
    x = tape.tensor(np.ones((1, 1), "f4"), requires_grad=True)

    backward([x * 3.0], [None])

    np.testing.assert_array_equal(x.grad.data, [[3]])


def test_v_in_another_dtype_is_taken_in_the_dtype_of_the_output():
    x = leaf(1.0, 2.0)

    backward([x * 2.0], [x.tape.tensor(np.array([1, 2]))])

    assert x.grad.dtype == np.float32
    np.testing.assert_array_equal(x.grad.data, [2, 4])


@pytest.mark.parametrize(
    ("v", "message"),
    [
        (None, "grad can be implicitly created only for scalar outputs"),
        ([1.0, 2.0], "gradients can be either Tensors or None, but got list"),
        (1.0, "gradients can be either Tensors or None, but got float"),
        (
            np.ones(3, "f4"),
            f"{MISMATCH} torch.Size([3]) and output[0] has a shape of torch.Size([2]).",
        ),
        (
            np.float32(1),
            f"{MISMATCH} torch.Size([]) and output[0] has a shape of torch.Size([2]).",
        ),
    ],
)
def test_unfit_v_is_refused(v, message):
    x = leaf(1.0, 2.0)
    given = x.tape.tensor(v) if isinstance(v, np.ndarray | np.generic) else v

    error = refusal(lambda: backward([x * 2.0], [given]))

    assert error.message == message
    assert error.hint


def test_missing_v_is_told_before_a_missing_graph_is():
    x = leaf(1.0, 2.0)
    flat = Tape().tensor(np.ones(2, "f4"))

    assert "does not require grad" in refusal(lambda: backward([flat], [None])).message
    assert "scalar" in refusal(lambda: backward([x * 2.0, flat], [None, None])).message


def test_number_of_outputs_and_seeds_must_agree():
    x = leaf(1.0)

    assert refusal(lambda: backward([x, x], [None])).message == "got 2 tensors and 1 gradients"


def test_output_without_a_graph_is_refused():
    tape = Tape()

    error = refusal(lambda: backward([tape.tensor(np.float32(1))], [None]))

    assert error.message == "element 0 of tensors does not require grad and does not have a grad_fn"


# ---- .grad ----


def test_gradients_accumulate_in_the_same_tensor():
    x = leaf(3.0)
    backward([x * 2.0], [None])
    first = x.grad

    backward([x * 5.0], [None])

    assert x.grad is first
    assert x.grad.data == 7


def test_accumulation_with_create_graph_makes_a_new_tensor():
    x = leaf(3.0)
    backward([x * 2.0], [None])
    first = x.grad

    backward([x * x], [None], create_graph=True)

    assert x.grad is not first
    assert first.data == 2
    assert x.grad.data == 8


def test_grad_starts_as_none_and_set_to_none_starts_anew():
    x = leaf(3.0)
    assert x.grad is None
    backward([x * 2.0], [None])

    set_grad(x, None)
    backward([x * 2.0], [None])

    assert x.grad.data == 2


def test_inputs_limit_where_gradients_accumulate():
    tape = Tape()
    a, b = leaf(2.0, tape=tape), leaf(3.0, tape=tape)

    backward([a * b], [None], inputs=[a])

    assert a.grad.data == 3
    assert b.grad is None


def test_gradient_of_an_intermediate_is_kept_only_when_asked():
    x = leaf(3.0)
    kept, dropped = x * 2.0, x * 3.0
    retain_grad(kept)

    backward([kept * dropped], [None])

    assert kept.grad.data == 9
    assert dropped.grad is None


def test_retained_gradients_accumulate_and_are_recorded():
    x = leaf(3.0)
    y = x + 2.0
    retain_grad(y)

    for _ in range(2):
        backward([y * 3.0], [None])

    assert y.grad.data == 6
    last = freeze(x.tape).sweeps[-1]
    assert {entry.node: (entry.before, entry.after) for entry in last.accumulated} == {x.index: (3, 6), y.index: (3, 6)}


def test_retain_grad_of_a_leaf_changes_nothing():
    x = leaf(3.0)
    retain_grad(x)

    backward([x * 2.0], [None])

    assert x.grad.data == 2
    assert len(freeze(x.tape).sweeps[0].accumulated) == 1


def test_retain_grad_needs_a_graph():
    tape = Tape()

    error = refusal(lambda: retain_grad(tape.tensor(np.float32(1))))

    assert error.message == "can't retain_grad on Tensor that has requires_grad=False"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda x: 1.0, "assigned grad expected to be a Tensor or None but got grad of type float"),
        (lambda x: x, "can't assign Variable as its own grad"),
        (
            lambda x: x.tape.tensor(np.ones(2, "f4")),
            "attempting to assign a gradient of size '[2]' to a tensor of size '[]'. Please ensure that the gradient",
        ),
        (lambda x: x.tape.tensor(np.float64(1)), "attempting to assign a gradient with dtype 'double'"),
    ],
)
def test_unfit_grad_is_refused(made, message):
    x = leaf(3.0)

    assert refusal(lambda: set_grad(x, made(x))).message.startswith(message)


# ---- autograd.grad ----


def test_grad_returns_and_leaves_the_attribute_alone():
    x = leaf(3.0)

    (g,) = grad([x * x], [x], [None])

    assert g.data == 6
    assert x.grad is None
    assert freeze(x.tape).sweeps[0].accumulated == ()


def test_grad_with_respect_to_an_intermediate():
    x = leaf(3.0)
    y = x * x
    z = y * 5.0

    (g,) = grad([z], [y], [None])

    assert g.data == 5
    assert x.tape.sweeps[0].order == [z.index]  # y itself does not run


def test_grad_runs_only_what_lies_on_a_path_to_the_inputs():
    tape = Tape()
    a, b = leaf(1.0, tape=tape), leaf(2.0, tape=tape)
    y = F["exp"](a) * F["sin"](b)

    grad([y], [a], [None])

    ran = {tape.entries[i].op.name for i in tape.sweeps[0].order}
    assert ran == {"mul", "exp"}
    assert tape.sweeps[0].outgoing[0][1] is None


def test_grad_of_the_output_itself_is_v():
    x = leaf(3.0)
    y = x * x

    assert grad([y], [y], [constant(x, 7.0)])[0].data == 7


def test_unused_input_is_refused_allowed_or_zero():
    tape = Tape()
    a, b = leaf(1.0, 2.0, tape=tape), leaf(2.0, 3.0, tape=tape)
    y = F["sum"](a * a)

    error = refusal(lambda: grad([y], [a, b], [None], retain_graph=True))

    assert error.message == (
        "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if "
        "this is the desired behavior."
    )
    assert grad([y], [a, b], [None], retain_graph=True, allow_unused=True)[1] is None
    zeros = grad([y], [a, b], [None], retain_graph=True, materialize_grads=True)[1]
    np.testing.assert_array_equal(zeros.data, [0, 0])
    assert zeros.dtype == np.float32


def test_input_made_after_the_output_is_unused():
    x = leaf(1.0)
    y = x * x
    later = x * 2.0

    assert grad([y], [later], [None], allow_unused=True) == (None,)


def test_grad_of_an_input_that_takes_none_is_refused():
    x = leaf(1.0)
    c = constant(x, 2.0)

    error = refusal(lambda: grad([x * c], [c], [None]))

    assert error.message == "One of the differentiated Tensors does not require grad"


def test_grad_of_several_outputs_sums_over_them():
    x = leaf(2.0)

    (g,) = grad([x * x, x * 3.0], [x], [None, constant(x, 10.0)])

    assert g.data == 34


# ---- requires_grad ----


def test_requires_grad_turned_on_later_records_from_then_on():
    tape = Tape()
    x = tape.tensor(np.float32(3))
    before = x * 2.0

    set_requires_grad(x, True)
    after = x * 2.0

    assert not before.requires_grad
    assert after.requires_grad


def test_leaf_turned_off_keeps_its_part_in_the_graph_before():
    x = leaf(3.0)
    y = x * x
    set_requires_grad(x, False)

    backward([y], [None])

    assert not (x * 2.0).requires_grad


def test_intermediate_cannot_be_turned_off():
    x = leaf(3.0)
    y = x * 2.0

    assert (
        "you can only change requires_grad flags of leaf variables"
        in refusal(lambda: set_requires_grad(y, False)).message
    )


@pytest.mark.parametrize(
    ("by_method", "kinds"), [(True, "floating point dtype"), (False, "floating point and complex dtype")]
)
def test_integers_take_no_gradient(by_method, kinds):
    x = Tape().tensor(np.array([1, 2]))

    error = refusal(lambda: set_requires_grad(x, True, by_method=by_method))

    assert error.message == f"only Tensors of {kinds} can require gradients"
    with pytest.raises(TorchError, match="Only Tensors of floating point and complex dtype can require gradients"):
        Tape().tensor(np.array([1]), requires_grad=True)


def test_nothing_is_recorded_without_grad_mode():
    x = leaf(3.0)
    with x.tape.grad_mode(False):
        y = x * x

    assert not y.requires_grad
    assert y.is_leaf
    assert autograd.storage.version(y) == 0
