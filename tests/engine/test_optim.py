"""Optimizers change parameters as PyTorch's do; their arithmetic is checked against the formulas and a live PyTorch."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import gradviz.engine as engine
from gradviz.engine import optim
from gradviz.engine.errors import Beyond
from gradviz.engine.optim.lbfgs import History

MADE = [
    "SGD(params, 0.1)",
    "SGD(params, 0.1, momentum=0.9)",
    "SGD(params, 0.1, momentum=0.9, dampening=0.3, weight_decay=0.1)",
    "SGD(params, 0.1, momentum=0.9, nesterov=True, maximize=True)",
    "Adam(params, 0.1)",
    "Adam(params, 0.1, betas=(0.5, 0.6), weight_decay=0.1, maximize=True)",
    "Adam(params, 0.1, amsgrad=True)",
    "AdamW(params, 0.1, weight_decay=0.3)",
    "RMSprop(params, 0.1)",
    "RMSprop(params, 0.1, momentum=0.9, centered=True, weight_decay=0.1)",
    "Adagrad(params, 0.1, lr_decay=0.1, initial_accumulator_value=0.2, weight_decay=0.1)",
    "Adadelta(params, weight_decay=0.1)",
]


def make(library: Any, text: str, params: Any) -> Any:
    return eval(f"library.optim.{text}", {"library": library, "params": params})


def trained(library: Any, text: str, dtype: str) -> tuple[list[Any], Any]:
    """Parameters after 12 steps along random gradients, and the optimizer."""
    numbers = np.random.RandomState(3)
    params = [library.tensor(numbers.standard_normal(shape).astype(dtype)) for shape in ((3, 2), (4,), ())]
    for param in params:
        param.requires_grad_()
    optimizer = make(library, text, params)
    for _ in range(12):
        for param in params:
            param.grad = library.tensor(numbers.standard_normal(tuple(param.shape)).astype(dtype))
        optimizer.step()
    return [param.detach().numpy() for param in params], optimizer


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("text", MADE)
def test_twelve_steps_agree_with_a_live_pytorch(text, dtype):
    torch = pytest.importorskip("torch")

    theirs, their_optimizer = trained(torch, text, dtype)
    ours, optimizer = trained(engine, text, dtype)

    for found, expected in zip(ours, theirs, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=3e-6, atol=1e-6)
    assert repr(optimizer) == repr(their_optimizer)
    state, their_state = optimizer.state_dict(), their_optimizer.state_dict()
    assert state["param_groups"] == their_state["param_groups"]
    assert list(state["param_groups"][0]) == list(their_state["param_groups"][0])
    for number, kept in their_state["state"].items():
        assert set(state["state"][number]) == set(kept)
        for name, value in kept.items():
            if value is not None:
                np.testing.assert_allclose(state["state"][number][name].numpy(), value.numpy(), rtol=3e-6, atol=1e-6)


def parameter(*numbers: float) -> Any:
    return engine.tensor(list(numbers), requires_grad=True)


def test_momentum_adds_up_what_came_before():
    w = parameter(1.0)
    optimizer = optim.SGD([w], lr=0.1, momentum=0.5)
    for _ in range(2):
        w.grad = engine.tensor([2.0])
        optimizer.step()

    assert optimizer.state[w]["momentum_buffer"].tolist() == [3.0]
    assert w.tolist() == pytest.approx([1.0 - 0.1 * 2.0 - 0.1 * 3.0])


@pytest.mark.parametrize("kind", [optim.Adam, optim.AdamW])
def test_the_first_step_of_adam_is_the_learning_rate_along_the_sign(kind):
    w = parameter(1.0, -1.0)
    optimizer = kind([w], lr=0.01, weight_decay=0)
    w.grad = engine.tensor([5.0, -0.001])

    optimizer.step()

    np.testing.assert_allclose(w.detach().numpy(), [0.99, -0.99], rtol=1e-4)


def test_a_parameter_without_a_gradient_stays_as_it_is():
    w, v = parameter(1.0), parameter(2.0)
    optimizer = optim.SGD([w, v], lr=1.0, weight_decay=0.5)
    w.grad = engine.tensor([1.0])

    optimizer.step()

    assert (w.item(), v.item()) == (-0.5, 2.0)


def test_a_step_is_no_part_of_the_graph_and_keeps_the_parameter_a_leaf():
    w = parameter(1.0)
    w.grad = engine.tensor([1.0])

    optim.SGD([w], lr=0.5).step()

    assert (w.is_leaf, w.requires_grad, w.grad_fn, w._version) == (True, True, None, 1)


def test_a_step_returns_what_the_closure_returns_and_the_closure_is_recorded():
    w = parameter(3.0)
    optimizer = optim.SGD([w], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = w * w
        loss.backward()
        return loss

    with engine.no_grad():
        loss = optimizer.step(closure)

    assert (loss.item(), w.item()) == (9.0, pytest.approx(2.4))


def test_gradients_are_forgotten_or_made_zeros():
    w = parameter(1.0)
    optimizer = optim.SGD([w], lr=0.1)
    w.grad = engine.tensor([1.0])

    optimizer.zero_grad(set_to_none=False)
    zeros = w.grad.tolist()
    optimizer.zero_grad()

    assert (zeros, w.grad) == ([0.0], None)


def test_groups_have_options_of_their_own_and_print_as_in_pytorch():
    w, v = parameter(1.0), parameter(1.0)
    optimizer = optim.Adadelta([{"params": [w], "lr": 0.5}, {"params": v}], rho=0.8)

    assert repr(optimizer) == (
        "Adadelta (\n"
        "Parameter Group 0\n"
        "    capturable: False\n"
        "    differentiable: False\n"
        "    eps: 1e-06\n"
        "    foreach: None\n"
        "    lr: 0.5\n"
        "    maximize: False\n"
        "    rho: 0.8\n"
        "    weight_decay: 0\n"
        "\n"
        "Parameter Group 1\n"
        "    capturable: False\n"
        "    differentiable: False\n"
        "    eps: 1e-06\n"
        "    foreach: None\n"
        "    lr: 1.0\n"
        "    maximize: False\n"
        "    rho: 0.8\n"
        "    weight_decay: 0\n"
        ")"
    )


def test_a_loaded_state_goes_on_as_the_saved_one():
    w = parameter(1.0, 2.0)
    optimizer = optim.Adam([w], lr=0.1)
    for number in (1.0, -3.0):
        w.grad = engine.tensor([number, 1.0])
        optimizer.step()
    saved = copy.deepcopy(optimizer.state_dict())
    v = engine.tensor(w.tolist(), requires_grad=True)
    other = optim.Adam([v], lr=7.0)

    other.load_state_dict(saved)
    for each, stepping in ((w, optimizer), (v, other)):
        each.grad = engine.tensor([0.5, 0.25])
        stepping.step()

    assert other.param_groups[0]["lr"] == 0.1
    assert v.tolist() == w.tolist()


def test_a_loaded_state_shares_its_tensors_and_not_its_options():
    w = parameter(1.0)
    optimizer = optim.SGD([w], lr=0.1, momentum=0.9)
    w.grad = engine.tensor([1.0])
    optimizer.step()
    buffer = optimizer.state[w]["momentum_buffer"]
    saved = optimizer.state_dict()
    optimizer.load_state_dict(saved)
    saved["param_groups"][0]["lr"] = 7.0
    optimizer.step()

    assert optimizer.state[w]["momentum_buffer"] is buffer
    assert buffer.tolist() == pytest.approx([1.9])
    assert optimizer.param_groups[0]["lr"] == 0.1


def test_hooks_run_around_the_step_of_a_class_of_ones_own():
    calls = []

    class Shrink(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"factor": 0.5})

        def step(self, closure=None):
            calls.append("step")

    optimizer = Shrink([parameter(1.0)])
    before = optimizer.register_step_pre_hook(lambda o, args, kwargs: calls.append("before"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: calls.append("after"))
    optimizer.step()
    before.remove()
    optimizer.step()

    assert calls == ["before", "step", "after", "step", "after"]
    assert Shrink.step.__name__ == "step"


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_the_first_step_after_data_was_set_is_seen(writes):
    w = parameter(1.0)
    for _ in range(writes):
        engine.nn.init.ones_(w)
    w.data = engine.tensor([4.0])
    w.sum().backward()
    optim.SGD([w], lr=0.5).step()

    assert w.tolist() == [3.5]


def test_an_optimizer_around_another_one_needs_no_init_of_the_base_class():
    class Around(optim.Optimizer):
        def __init__(self, inner):
            self.inner, self.param_groups = inner, inner.param_groups

        def step(self, closure=None):
            return self.inner.step(closure)

    w = parameter(1.0)
    optimizer = Around(optim.SGD([w], lr=0.5))
    w.sum().backward()
    optimizer.step()

    assert w.tolist() == [0.5]


LEAF = engine.ones(2, requires_grad=True)
REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "a tensor": (lambda: optim.SGD(LEAF), TypeError, r"iterable of Tensors or dicts, but got torch\.Float"),
    "nothing": (lambda: optim.SGD([]), ValueError, "optimizer got an empty parameter list"),
    "no leaf": (lambda: optim.SGD([LEAF * 2]), ValueError, "can't optimize a non-leaf Tensor"),
    "a number": (lambda: optim.SGD([1]), TypeError, "one of the params is int"),
    "a set": (lambda: optim.SGD([{"params": {LEAF}}]), TypeError, "organized in ordered collections"),
    "two groups of one": (
        lambda: optim.SGD([{"params": LEAF}, {"params": LEAF}]), ValueError, "in more than one parameter group"
    ),
    "rate below 0": (lambda: optim.SGD([LEAF], lr=-1), ValueError, "Invalid learning rate: -1"),
    "nesterov alone": (lambda: optim.SGD([LEAF], nesterov=True), ValueError, "Nesterov momentum requires a momentum"),
    "beta of 1": (lambda: optim.Adam([LEAF], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1"),
    "momentum below 0": (lambda: optim.RMSprop([LEAF], momentum=-1), ValueError, "Invalid momentum value: -1"),
    "eps below 0": (lambda: optim.Adagrad([LEAF], eps=-1), ValueError, "Invalid epsilon value: -1"),
    "rho of 2": (lambda: optim.Adadelta([LEAF], rho=2), ValueError, "Invalid rho value: 2"),
    "groups for LBFGS": (
        lambda: optim.LBFGS([{"params": LEAF}, {"params": engine.ones(1)}]), ValueError, "doesn't support per-parameter"
    ),
    "another state": (
        lambda: optim.SGD([LEAF]).load_state_dict({"state": {}, "param_groups": []}), ValueError,
        "a different number of parameter groups",
    ),
    "step of nobody": (lambda: optim.Optimizer([LEAF], {}).step(), NotImplementedError, "^$"),
    "a line search": (
        lambda: optim.LBFGS([LEAF], line_search_fn="strong_wolfe"), Beyond,
        r"optim\.LBFGS\(line_search_fn='strong_wolfe'\) is beyond the built-in engine",
    ),
    "a rare optimizer": (lambda: optim.Rprop, Beyond, r"torch\.optim\.Rprop is beyond the built-in engine"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_optimized_is_refused(name):
    call, kind, message = REFUSED[name]

    with pytest.raises(kind, match=message):
        call()


# ---- L-BFGS ---------------------------------------------------------------------------------------------------------


def rosenbrock(library: Any, steps: int, **options: Any) -> tuple[float, float, int]:
    """Where L-BFGS ends in Rosenbrock's valley, and how often the closure was called."""
    a = library.tensor(-1.5, dtype=library.float64, requires_grad=True)
    b = library.tensor(2.0, dtype=library.float64, requires_grad=True)
    optimizer = library.optim.LBFGS([a, b], **options)
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = (1 - a) ** 2 + 100 * (b - a**2) ** 2
        loss.backward()
        calls.append(loss.item())
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    return a.item(), b.item(), len(calls)


@pytest.mark.torch
@pytest.mark.parametrize(
    "options", [{"lr": 1e-3}, {"lr": 0.1, "max_iter": 5}, {"lr": 0.05, "history_size": 3}], ids=str
)
def test_lbfgs_agrees_with_a_live_pytorch(options):
    torch = pytest.importorskip("torch")

    assert rosenbrock(engine, 4, **options) == pytest.approx(rosenbrock(torch, 4, **options), abs=1e-6)


def test_the_two_loop_recursion_fulfils_the_secant_equation():
    numbers = np.random.RandomState(0)
    hessian = np.diag([1.0, 4.0, 9.0])
    history = History(5)
    for _ in range(3):
        s = numbers.standard_normal(3)
        history.add(s, hessian @ s)

    s, y = history.pairs[-1]

    np.testing.assert_allclose(history.direction(-y), s, rtol=1e-10)
