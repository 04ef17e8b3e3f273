"""Hooks of modules: when they are called, what they see, and what they change; each case checked against PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import gradviz.engine as engine
from gradviz.engine.errors import Beyond
from gradviz.engine.state import state

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def _net(t: Any) -> Any:
    t.manual_seed(1)
    return t.nn.Sequential(t.nn.Linear(2, 3), t.nn.Tanh(), t.nn.Linear(3, 1))


class _Pair:
    """A module of two inputs and two outputs."""

    def __new__(cls, t: Any) -> Any:
        class Pair(t.nn.Module):
            def forward(self, a: Any, b: Any, scale: float = 1.0) -> Any:
                return a * b * scale, a + b

        return Pair()


def _forward_order(t: Any) -> Any:
    seen: list[Any] = []
    net = _net(t)
    for name, module in net.named_modules():
        module.register_forward_pre_hook(lambda m, args, name=name: seen.append((name, "before", len(args))))
        module.register_forward_hook(lambda m, args, y, name=name: seen.append((name, "after", y)))
    net(t.ones(1, 2))
    return seen


def _changed_arguments(t: Any) -> Any:
    net = _net(t)
    net[0].register_forward_pre_hook(lambda m, args: args[0] * 2)
    net[1].register_forward_hook(lambda m, args, y: y + 1)
    return net(t.ones(1, 2))


def _keyword_hooks(t: Any) -> Any:
    pair, seen = _Pair(t), []

    def before(m: Any, args: Any, kwargs: Any) -> Any:
        return args, {"scale": kwargs["scale"] * 10}

    pair.register_forward_pre_hook(before, with_kwargs=True)
    pair.register_forward_hook(lambda m, args, kwargs, y: seen.append(kwargs), with_kwargs=True)
    return pair(t.ones(1), t.ones(1), scale=2.0), seen


def _removed(t: Any) -> Any:
    seen: list[str] = []
    net = t.nn.Identity()
    handle = net.register_forward_hook(lambda m, args, y: seen.append("called"))
    net(t.ones(1))
    handle.remove()
    net(t.ones(1))
    return seen


def _backward(t: Any) -> Any:
    seen: list[Any] = []
    net = _net(t)
    for name, module in net.named_children():
        module.register_full_backward_pre_hook(lambda m, g, name=name: seen.append((name, g)))
        module.register_full_backward_hook(lambda m, gone, came, name=name: seen.append((name, gone, came)))
    x = t.ones(2, 2, requires_grad=True)
    net(x).sum().backward()
    return seen, x.grad, [p.grad for p in net.parameters()]


def _backward_of_data(t: Any) -> Any:
    seen: list[Any] = []
    net = _net(t)
    net.register_full_backward_hook(lambda m, gone, came: seen.append((gone, came)))
    net(t.ones(2, 2)).sum().backward()
    return seen, net[0].weight.grad


def _backward_changed(t: Any) -> Any:
    net = _net(t)
    net[2].register_full_backward_pre_hook(lambda m, came: (came[0] * 10,))
    net[2].register_full_backward_hook(lambda m, gone, came: (gone[0] * 2,))
    net(t.ones(2, 2)).sum().backward()
    return [p.grad for p in net.parameters()]


def _backward_of_two(t: Any) -> Any:
    seen: list[Any] = []
    pair = _Pair(t)
    pair.register_full_backward_pre_hook(lambda m, came: seen.append(came))
    pair.register_full_backward_hook(lambda m, gone, came: seen.append((gone, came)))
    a, b = t.tensor([2.0], requires_grad=True), t.tensor([3.0])
    x, y = pair(a, b)
    (x * 5 + y * 7).backward()
    c = t.tensor([4.0], requires_grad=True)
    pair(a * 2, c)[0].backward()
    return seen, a.grad, c.grad


def _backward_twice(t: Any) -> Any:
    seen: list[Any] = []
    pair = _Pair(t)
    pair.register_full_backward_hook(lambda m, gone, came: seen.append((gone, came)))
    a = t.tensor([2.0], requires_grad=True)
    x, y = pair(a, a * 3)
    (x + y).backward(retain_graph=True)
    (x + y).backward()
    return seen, a.grad


def _second_order(t: Any) -> Any:
    pair = _Pair(t)
    pair.register_full_backward_hook(lambda m, gone, came: tuple(g * 2 for g in gone))
    a = t.tensor([2.0], requires_grad=True)
    x, _ = pair(a * a, a)
    (g,) = t.autograd.grad(x, a, create_graph=True)
    (h,) = t.autograd.grad(g, a)
    return g.detach(), h


def _old_kind(t: Any) -> Any:
    seen: list[Any] = []
    net = _net(t)
    net.register_backward_hook(lambda m, gone, came: seen.append((gone, came)))
    net(t.ones(1, 2, requires_grad=True)).sum().backward()
    return seen


def _two_kinds(t: Any) -> Any:
    net = _net(t)
    net.register_backward_hook(lambda m, gone, came: None)
    net.register_full_backward_hook(lambda m, gone, came: None)


def _bare_gradient(t: Any) -> Any:
    net = _net(t)
    net[2].register_full_backward_hook(lambda m, gone, came: gone[0] * 2)
    net(t.ones(3, 2)).sum().backward()


def _bare_gradient_of_one_row(t: Any) -> Any:
    net = _net(t)
    net[2].register_full_backward_pre_hook(lambda m, came: came[0] * 2)
    net(t.ones(1, 2)).sum().backward()


def _wrong_count(t: Any) -> Any:
    net = _net(t)
    net[2].register_full_backward_hook(lambda m, gone, came: (gone[0], gone[0]))
    net(t.ones(2, 2)).sum().backward()


def _changed_in_place(t: Any) -> Any:
    net = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.ReLU(inplace=True))
    net[0].register_full_backward_hook(lambda m, gone, came: None)
    return net(t.ones(1, 2))


def _dict_result(t: Any) -> Any:
    class Named(t.nn.Module):
        def forward(self, x: Any) -> Any:
            return {"y": x * 2}

    net = Named()
    net.register_full_backward_hook(lambda m, gone, came: None)
    x = t.ones(1, requires_grad=True)
    net(x)["y"].backward()
    return x.grad


def _node(t: Any) -> Any:
    net = t.nn.Identity()
    net.register_full_backward_hook(lambda m, gone, came: None)
    return net(t.ones(1, requires_grad=True)).grad_fn.name()


CASES = [
    _forward_order, _changed_arguments, _keyword_hooks, _removed, _backward,
    _backward_of_data, _backward_changed, _backward_of_two, _backward_twice, _second_order, _wrong_count,
    _old_kind, _two_kinds, _bare_gradient, _bare_gradient_of_one_row,
    _changed_in_place, _dict_result, _node,
]  # fmt: skip


def _outcome(case: Callable[[Any], Any], t: Any) -> tuple[str, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            text = repr(case(t))
        except RuntimeError as error:
            text = f"{type(error).__name__}: {error}"
    return text, [str(each.message) for each in caught]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__.strip("_"))
def test_hooks_run_as_in_pytorch(case: Callable[[Any], Any]) -> None:
    found = _outcome(case, engine)

    assert found == _outcome(case, torch)


def test_whoever_records_hears_when_a_forward_begins_and_ends() -> None:
    heard: list[tuple[str, bool]] = []
    net = _net(engine)
    state.on_module = lambda module, begins: heard.append((type(module).__name__, begins))
    try:
        net(engine.ones(1, 2))
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            net(engine.ones(1, 5))
    finally:
        state.on_module = None

    layers = [(name, begins) for name in ("Linear", "Tanh", "Linear") for begins in (True, False)]
    failed = [("Sequential", True), ("Linear", True), ("Linear", False), ("Sequential", False)]
    assert heard == [("Sequential", True), *layers, ("Sequential", False), *failed]


@pytest.mark.parametrize("option", ["prepend", "always_call"])
def test_rare_options_of_hooks_are_beyond_the_engine(option: str) -> None:
    with pytest.raises(Beyond, match=rf"register_forward_hook\({option}=True\) is beyond the built-in engine"):
        engine.nn.Identity().register_forward_hook(print, **{option: True})
