"""The reverse loop: sums, leaves, hooks, freed graphs, changes in place, custom Functions. The facts are PyTorch's."""

from __future__ import annotations

from weakref import ref

import numpy as np
import pytest

import gradviz.engine as torch
from gradviz.engine.autograd.function import Function, once_differentiable
from gradviz.engine.tensor import current
from gradviz.ops.op import Op, example
from gradviz.ops.table import TABLE


def leaf(*numbers, dtype=torch.float32):
    return torch.tensor(list(numbers), dtype=dtype, requires_grad=True)


def test_gradient_of_a_tensor_used_twice_is_the_sum_of_both_uses():
    x = leaf(2.0, 3.0)

    (x * x + x).sum().backward()

    assert x.grad.tolist() == [5.0, 7.0]


def test_contributions_are_summed_last_consumer_first():
    x = torch.tensor(1.0, requires_grad=True)

    (x * 1e8 + x * -1e8 + x * 1.0).backward()

    assert x.grad.item() == 0.0  # in the order of the program it would be 1


def test_second_pass_adds_to_the_same_tensor():
    x = leaf(2.0)
    x.sum().backward()
    first = x.grad

    (x * 3).sum().backward()

    assert x.grad is first
    assert first.tolist() == [4.0]


def test_a_chain_of_a_hundred_thousand_ops_needs_no_recursion():
    x = y = torch.tensor(1.0, requires_grad=True)
    for _ in range(100_000):
        y = y + 1

    y.backward()

    assert x.grad.item() == 1.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda x: x, "grad can be implicitly created only for scalar outputs"),
        (lambda x: x.detach().sum(), "element 0 of tensors does not require grad and does not have a grad_fn"),
    ],
)
def test_what_cannot_be_run_backward_is_refused_in_pytorchs_words(make, words):
    with pytest.raises(RuntimeError, match=words):
        make(leaf(1.0, 2.0)).backward()


def test_graph_is_freed_only_where_something_was_saved():
    x = leaf(1.0)
    plain, saving = (x + 3).sum(), (x * x).sum()
    plain.backward()
    plain.backward()
    saving.backward()

    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        saving.backward()

    assert x.grad.tolist() == [4.0]


def test_retained_graph_runs_again():
    x = leaf(3.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)

    y.backward()

    assert x.grad.tolist() == [12.0]


def test_saved_result_that_was_changed_is_refused_and_a_saved_input_is_not_missed():
    x = leaf(0.0)
    y = x.exp()
    z = (y * 2).sum()
    y.add_(1)

    with pytest.raises(RuntimeError, match="which is output 0 of Exp, is at version 1; expected version 0 instead"):
        z.backward()


def test_change_through_data_is_not_noticed_and_changes_the_gradient():
    x = torch.tensor(2.0, requires_grad=True)
    y = x**2
    x.data += 1

    y.backward()

    assert x.grad.item() == 6.0


def test_change_in_place_keeps_what_was_recorded():
    x = torch.tensor([1.0, 2.0])
    w = leaf(3.0, 4.0)
    y = w * x
    entry = current(y)
    x.add_(10)

    assert entry.inputs[1].array.tolist() == [1.0, 2.0]
    assert x.tolist() == [11.0, 12.0]


def test_writing_through_a_view_reaches_base_views_and_gradients():
    w = leaf(1.0, 2.0, 3.0, 4.0)
    x = w * 1
    row, column = x.view(2, 2)[0], x.view(2, 2)[:, 1]

    row.mul_(10)
    (x * torch.tensor([1.0, 1.0, 2.0, 2.0])).sum().backward()

    assert x.tolist() == [10.0, 20.0, 3.0, 4.0]
    assert column.tolist() == [20.0, 4.0]
    assert w.grad.tolist() == [10.0, 10.0, 2.0, 2.0]


def test_a_change_that_is_not_recorded_leaves_the_node_as_it_was():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    node, z = y.grad_fn, y + 1
    twin = y.detach()
    twin += 1
    with torch.no_grad():
        y.add_(1)
    y.data.mul_(2)

    assert str(y) == "tensor([ 8., 12.], grad_fn=<MulBackward0>)"
    assert y.grad_fn is node
    assert (y * 3).grad_fn.next_functions[0][0] is node
    assert z.grad_fn.next_functions[0][0] is node
    assert y[...].grad_fn.name() == "AliasBackward0"


def test_numpy_array_and_tensor_share_memory_but_not_with_the_record():
    x = torch.tensor([1.0, 2.0])
    w = leaf(1.0, 1.0)
    array = x.numpy()
    y = (w * x).sum()
    array[0] = 5

    x.mul_(2)

    assert x.tolist() == [10.0, 4.0]
    assert array.tolist() == [10.0, 4.0]
    assert y.item() == 3.0


def test_leaf_changed_without_a_graph_stays_a_leaf_with_its_gradient():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()

    with torch.no_grad():
        x -= x.grad
    (x * 3).sum().backward()

    assert x.is_leaf
    assert x.tolist() == [-1.0, -2.0]
    assert x.grad.tolist() == [5.0, 7.0]


# ---- hooks ----


def test_hooks_run_in_order_and_replace_the_gradient():
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda g: g * 3)
    y.register_hook(lambda g: g + 1)
    y.retain_grad()

    y.sum().backward()

    assert y.grad.tolist() == [4.0]
    assert x.grad.tolist() == [8.0]


def test_retained_gradients_add_up_as_those_of_leaves_do():
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()

    y.sum().backward(retain_graph=True)
    first = y.grad
    y.sum().backward()

    assert (first.tolist(), y.grad.tolist(), x.grad.tolist()) == ([1.0], [2.0], [4.0])


def test_hook_that_changes_its_gradient_in_place_changes_it_for_who_shares_it():
    a, b = leaf(1.0), leaf(1.0)
    c, d = a * 3, b * 5

    def hook(g):
        g *= 100

    d.register_hook(hook)

    (c + d).sum().backward()

    assert (a.grad.item(), b.grad.item()) == (300.0, 500.0)  # c's turn comes after d's, with the same numbers


def test_hook_that_changes_other_looks_at_the_same_numbers_is_refused():
    a, b = leaf(1.0, 2.0), leaf(1.0, 2.0)
    c, d = a * 3, b * 5

    def hook(g):
        g *= 100

    e = d.view(2, 1)
    e.register_hook(hook)

    with pytest.raises(RuntimeError, match="return the changed gradient from the hook instead"):
        (c + e.view(2)).sum().backward()


def test_leaf_hooks_run_as_soon_as_the_leaf_has_all_that_comes():
    order = []
    x, w = leaf(1.0), leaf(2.0)
    h = x * 2
    h.register_hook(lambda g: order.append("h"))
    w.register_hook(lambda g: order.append("w"))
    x.register_hook(lambda g: order.append("x"))
    x.register_post_accumulate_grad_hook(lambda p: order.append(("done", p.grad.item())))

    (h * w).sum().backward()

    assert order == ["w", "h", "x", ("done", 4.0)]


def test_pass_inside_a_hook_does_not_mix_with_the_one_around_it():
    x = leaf(2.0)
    y = x * x
    z, inner = y * 3, y.sum()
    z.register_hook(lambda g: torch.autograd.grad(inner, x, retain_graph=True)[0] * g)

    (z + y * 5).sum().backward(retain_graph=True)  # when z's hook runs, 5 waits at y

    assert x.grad.tolist() == [68.0]


def test_failed_pass_leaves_nothing_behind():
    x = leaf(2.0)
    y = x * x
    handle = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    handle.remove()

    (x * x).sum().backward()

    assert x.grad.tolist() == [4.0]


# ---- autograd.grad and higher orders ----


def test_grad_touches_no_grad_and_runs_only_what_leads_to_the_inputs():
    x, w = leaf(2.0), leaf(3.0)
    h = x * w
    seen = []
    x.register_hook(lambda g: seen.append(g))

    (g,) = torch.autograd.grad((h * h).sum(), h)

    assert g.tolist() == [12.0]
    assert x.grad is None
    assert seen == []


def test_unused_input_is_refused_or_none_or_zero():
    x, w = leaf(2.0), leaf(3.0)
    y = (x * 2).sum()

    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 0 appears to not have been used"):
        torch.autograd.grad(y, w, retain_graph=True)
    assert torch.autograd.grad(y, (x, w), retain_graph=True, allow_unused=True)[1] is None
    assert torch.autograd.grad(y, w, materialize_grads=True)[0].tolist() == [0.0]


def test_what_was_sent_from_where_no_path_leads_on_is_gone_in_the_next_pass():
    x, w = leaf(2.0), leaf(3.0)
    y = x * 2

    for _ in range(2):
        assert torch.autograd.grad(y, w, torch.ones(1), retain_graph=True, allow_unused=True) == (None,)
    assert torch.autograd.grad(y, x, torch.ones(1))[0].tolist() == [2.0]


def test_third_derivative_goes_by_the_same_rules():
    x = torch.tensor(2.0, requires_grad=True)
    g = x**4

    for _ in range(3):
        (g,) = torch.autograd.grad(g, x, create_graph=True)

    assert g.item() == 48.0


def test_jacobian_and_hessian():
    def f(x):
        return torch.stack([x[0] ** 2, x[0] * x[1], x[1] ** 2])

    x = torch.tensor([1.0, 2.0])

    assert torch.autograd.functional.jacobian(f, x).tolist() == [[2, 0], [2, 1], [0, 4]]
    assert torch.autograd.functional.hessian(lambda x: (x**3).sum(), x).tolist() == [[6, 0], [0, 12]]
    assert torch.func.jacrev(f)(x).tolist() == [[2, 0], [2, 1], [0, 4]]
    assert torch.func.grad(torch.func.grad(lambda x: x**3))(torch.tensor(2.0)).item() == 12.0
    assert torch.func.vmap(lambda row: row.sum())(torch.ones(3, 2)).tolist() == [2, 2, 2]


# ---- custom Functions ----


class Products(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * x, x * y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return 2 * x * g + y * h, x * h


def test_custom_function_of_several_outputs():
    x, y = leaf(2.0), leaf(3.0)
    square, product = Products.apply(x, y)

    (square * 10 + product).sum().backward()

    assert (x.grad.item(), y.grad.item()) == (43.0, 2.0)


@pytest.mark.parametrize("zeros", [True, False])
def test_backward_gets_zeros_for_an_output_that_takes_no_gradient_unless_it_wants_none(zeros):
    given = []

    class Sorted(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(zeros)
            values, order = x.sort()
            ctx.mark_non_differentiable(order)
            return values, order, "text"

        @staticmethod
        def backward(ctx, g, g_order, g_text):
            given.extend([g_order, g_text])
            return g

    Sorted.apply(leaf(2.0, 1.0))[0].sum().backward()

    assert given[1] is None
    assert (given[0].tolist(), given[0].dtype) == ([0, 0], torch.int64) if zeros else given[0] is None


def test_custom_function_is_differentiated_twice_by_the_graph_of_its_backward():
    x, y = leaf(2.0), leaf(3.0)
    (g,) = torch.autograd.grad(Products.apply(x, y)[0].sum(), x, create_graph=True)

    (again,) = torch.autograd.grad(g.sum(), x)

    assert again.tolist() == [2.0]


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


def test_once_differentiable_refuses_the_second_derivative():
    x = leaf(2.0)
    (g,) = torch.autograd.grad((Once.apply(x) ** 2).sum(), x, create_graph=True)

    with pytest.raises(RuntimeError, match="trying to differentiate twice"):
        g.sum().backward()


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda g: (g, g), "returned an incorrect number of gradients"),
        (
            lambda g: torch.ones(3),
            r"returned an invalid gradient at index 0 - got \[3\] but expected shape compatible with",
        ),
    ],
)
def test_wrong_returns_of_a_custom_backward_are_refused(returned, words):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return (*returned(g), g) if isinstance(returned(g), tuple) else returned(g)

    with pytest.raises(RuntimeError, match=words):
        Wrong.apply(leaf(1.0, 2.0)).sum().backward()


def test_gradcheck_finds_a_wrong_backward():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 3 * ctx.saved_tensors[0] * g

    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(Once.apply, (x,))
    assert not torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False)


# ---- the table ----


def test_an_op_added_at_run_time_as_one_row_is_stepped_through():
    from gradviz.engine.apply import apply
    from gradviz.graph.replay import sweep_of
    from gradviz.run.builtin import run_job
    from gradviz.run.job import Job

    row = Op("cube_plus", lambda x, k: x * x * x + k, (lambda g, y, x, k: g * 3 * x * x,), ("x",), (),
             "y = x³ + k", (example([1.0, -2.0], k=2.0),))  # fmt: skip
    TABLE.add(row)
    torch.Tensor.cube_plus = lambda x, k: apply(row, (x,), k=k)
    try:
        text = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = x.cube_plus(5.0)\ny.sum().backward()"
        recording = run_job(Job(text), Silent()).recording

        assert recording.problem is None
        step = recording.sweeps[0].steps[1]
        assert (recording.nodes[step.node].op, recording.nodes[step.node].name) == ("cube_plus", "y")
        np.testing.assert_allclose(step.outgoing[0], [3, 12])
        again = sweep_of(recording, step.node, [1.0, 10.0])
        np.testing.assert_allclose(again.steps[0].outgoing[0], [3, 120])
    finally:
        del torch.Tensor.cube_plus
        TABLE._rows.pop(row.name)


class Silent:
    def output(self, text):
        pass

    def aside(self, text):
        pass

    def progress(self, share):
        pass


@pytest.mark.parametrize("op", ["relu", "abs", "leaky_relu", "hardtanh", "max_pool1d", "avg_pool1d"])
def test_second_derivative_of_what_is_straight_between_its_kinks_is_zero(op: str) -> None:
    x = torch.tensor([[1.0, -2.0]], requires_grad=True)
    call = torch.abs if op == "abs" else getattr(torch.nn.functional, op)

    y = call(x, 2) if op.endswith("1d") else call(x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)

    assert second.tolist() == [[0.0, 0.0]]


def test_backward_through_a_division_that_rounds_down_is_refused_as_in_pytorch() -> None:
    x = torch.tensor([5.0, 7.0], requires_grad=True)

    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        (x // 2).sum().backward()


def test_a_weight_that_was_viewed_goes_with_its_gradient_when_the_script_lets_go_of_it():
    w = leaf(1.0, 2.0)
    w.view(2, 1).sum().backward()
    gone = ref(w.grad)

    del w

    assert gone() is None


def test_what_looks_into_a_memory_keeps_it():
    v = leaf(1.0, 2.0).detach().view(2, 1)
    d = v.detach()

    v += 1

    assert d.tolist() == [[2.0], [3.0]]
    assert v._base.tolist() == [2.0, 3.0]
    d.requires_grad_()
    v += 1
    assert (v.tolist(), d.tolist()) == ([[3.0], [4.0]], [[3.0], [4.0]])
