"""What every module can do: name what it holds, convert, save and load, refuse; each fact checked against PyTorch."""

from __future__ import annotations

import copy
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

import gradviz.engine as engine
from gradviz.engine.errors import Beyond
from gradviz.engine.known import NAMES

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def net_of(t: Any) -> Any:
    """A model that holds everything a module can hold, and some of it twice."""

    class Block(t.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = t.nn.Linear(2, 2)
            self.register_buffer("scale", t.ones(2))
            self.register_buffer("hidden", t.zeros(1), persistent=False)

        def forward(self, x: Any) -> Any:
            return self.fc(x) * self.scale

    class Net(t.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = t.nn.Parameter(t.ones(2))
            self.blocks = t.nn.ModuleList([Block(), Block()])
            self.shared = self.blocks[0].fc
            self.act = t.nn.ReLU()
            self.register_parameter("none", None)
            self.register_buffer("count", t.tensor(3))

        def forward(self, x: Any) -> Any:
            for block in self.blocks:
                x = self.act(block(x))
            return (self.shared(x) * self.w).sum()

    t.manual_seed(0)
    return Net()


def _set(module: Any, name: str, value: Any) -> Any:
    setattr(module, name, value)
    return module


def _net_function(x: Any) -> Any:
    return x


def _bad_model(t: Any, value: Any) -> Any:
    class Model(t.nn.Module):
        def __init__(self) -> None:
            self.held = value

    return Model


def _hold(t: Any) -> Any:
    """A model that was never begun, but holds nothing that matters."""
    return _bad_model(t, 3)()


def _trained(t: Any) -> Any:
    net = net_of(t)
    net(t.ones(3, 2)).backward()
    return net


def _deleted(t: Any) -> Any:
    net = net_of(t)
    del net.w
    del net.act
    del net.count
    return [name for name, _ in net.named_parameters()], hasattr(net, "w"), repr(net)


def _changed_to_double(t: Any) -> Any:
    net = _trained(t)
    before = [id(x) for x in net.parameters()]
    net.double()
    same = before == [id(x) for x in net.parameters()]
    return same, [x.dtype for x in net.buffers()], net.w.grad, net(t.ones(1, 2).double())


def _loaded(t: Any) -> Any:
    net, other = net_of(t), t.nn.Linear(2, 2)
    state = net.state_dict()
    state["w"] = t.arange(2.0)
    state["blocks.1.fc.weight"] = other.weight
    found = net.load_state_dict(state)
    return found, net.w, net.blocks[1].fc.weight.is_leaf, net.blocks[1].fc.weight


def _saved(t: Any) -> Any:
    net = net_of(t)
    state = net.state_dict()
    with t.no_grad():
        net.w.fill_(7.0)
    return list(state), state["w"], type(state).__name__, state["blocks.0.fc.weight"].requires_grad


def _copied(t: Any) -> Any:
    net = net_of(t)
    other = copy.deepcopy(net)
    with t.no_grad():
        other.w.fill_(7.0)
    shared = other.shared is other.blocks[0].fc
    return net.w, other.w, shared, type(other.w).__name__, other.w.requires_grad, repr(other) == repr(net)


def _modes(t: Any) -> Any:
    net = net_of(t)
    net.eval()
    net.blocks[0].train()
    return [(name, module.training) for name, module in net.named_modules()]


def _frozen(t: Any) -> Any:
    net = net_of(t)
    net.blocks.requires_grad_(False)
    net(t.ones(1, 2)).backward()
    return [(name, x.requires_grad, x.grad is None) for name, x in net.named_parameters()]


def _zeroed(t: Any) -> Any:
    net = _trained(t)
    grad = net.w.grad
    net.zero_grad(set_to_none=False)
    kept = net.w.grad, grad is net.w.grad
    net.zero_grad()
    return kept, net.w.grad


def _applied(t: Any) -> Any:
    seen: list[str] = []
    net_of(t).apply(lambda module: seen.append(type(module).__name__))
    return seen


def _assigned(t: Any) -> Any:
    net = net_of(t)
    net.count = t.tensor(5)
    net.none = t.nn.Parameter(t.zeros(1))
    net.act = None
    net.w = None
    net.plain = t.zeros(1)
    return [name for name, _ in net.named_parameters()], net.count, repr(net), "plain" in net.state_dict()


def _parameter(t: Any) -> Any:
    data = t.zeros(2)
    p = t.nn.Parameter(data)
    q = t.nn.Parameter(t.ones(1), requires_grad=False)
    with t.no_grad():
        p.add_(1.0)
    return data, p, q, isinstance(p, t.Tensor), (p * 2).__class__.__name__, p.is_leaf, q.requires_grad


def _two_of_one_tensor(t: Any) -> Any:
    data = t.ones(2)
    p, q, r = t.nn.Parameter(data), t.nn.Parameter(data), t.nn.Parameter(data[0])
    (p * 2 + q * 3 + r).sum().backward()
    (p * q).sum().backward()
    return p.grad, r.grad, data.requires_grad, p.requires_grad, q.requires_grad, p.is_leaf, q.is_leaf


def _trained_by_hand(t: Any) -> Any:
    net = net_of(t)
    losses = []
    for _ in range(3):
        loss = net(t.ones(3, 2))
        losses.append(loss.item())
        net.zero_grad()
        loss.backward()
        with t.no_grad():
            for x in net.parameters():
                x -= 0.1 * x.grad
    return [f"{loss:.4f}" for loss in losses]


FACTS: dict[str, Callable[[Any], Any]] = {
    "text": net_of,
    "parameters": lambda t: [name for name, _ in net_of(t).named_parameters()],
    "parameters twice": lambda t: [name for name, _ in net_of(t).named_parameters(remove_duplicate=False)],
    "parameters here": lambda t: [name for name, _ in net_of(t).named_parameters(recurse=False)],
    "parameters with prefix": lambda t: [name for name, _ in net_of(t).named_parameters(prefix="net")],
    "buffers": lambda t: list(net_of(t).named_buffers()),
    "modules": lambda t: [name for name, _ in net_of(t).named_modules()],
    "modules twice": lambda t: [name for name, _ in net_of(t).named_modules(remove_duplicate=False)],
    "children": lambda t: [name for name, _ in net_of(t).named_children()],
    "state": _saved, "loading": _loaded, "copy": _copied, "modes": _modes, "frozen": _frozen, "zeroed": _zeroed,
    "apply": _applied, "assign": _assigned, "delete": _deleted, "double": _changed_to_double, "parameter": _parameter,
    "training": _trained_by_hand, "parameters of one tensor": _two_of_one_tensor,
    "submodule": lambda t: net_of(t).get_submodule("blocks.1.fc"),
    "get parameter": lambda t: net_of(t).get_parameter("blocks.1.fc.bias"),
    "get buffer": lambda t: net_of(t).get_buffer("blocks.0.scale"),
    "dir": lambda t: {"w", "act", "count", "forward", "blocks"} <= set(dir(net_of(t))),
    "no attribute": lambda t: net_of(t).foo,
    "not a parameter": lambda t: _set(net_of(t), "w", t.zeros(1)),
    "not a number for a parameter": lambda t: _set(net_of(t), "w", 1),
    "not a module": lambda t: _set(net_of(t), "act", 3),
    "not a buffer": lambda t: _set(net_of(t), "count", 3),
    "a name taken": lambda t: net_of(t).register_buffer("w", None),
    "a name with a dot": lambda t: net_of(t).register_parameter("x.y", None),
    "a module name with a dot": lambda t: net_of(t).add_module("x.y", None),
    "no name": lambda t: net_of(t).register_parameter("", None),
    "a buffer of no tensor": lambda t: net_of(t).register_buffer("z", 3),
    "a parameter of a tensor": lambda t: net_of(t).register_parameter("z", t.zeros(2)),
    "no module": lambda t: net_of(t).add_module("z", 3),
    "no forward": lambda t: t.nn.Module()(3),
    "wrong mode": lambda t: net_of(t).train(3),
    "no submodule": lambda t: net_of(t).get_submodule("blocks.7"),
    "submodule is a parameter": lambda t: net_of(t).get_submodule("shared.weight"),
    "buffer is no parameter": lambda t: net_of(t).get_parameter("count"),
    "parameter is no buffer": lambda t: net_of(t).get_buffer("w"),
    "state of no dict": lambda t: net_of(t).load_state_dict([1]),
    "state that does not fit": lambda t: t.nn.Linear(2, 3).load_state_dict({"weight": t.zeros(3), "q": t.zeros(1)}),
    "state of no tensors": lambda t: t.nn.Linear(2, 1).load_state_dict({"weight": t.zeros(1, 2), "bias": 3}),
    "loose state": lambda t: t.nn.Linear(2, 3).load_state_dict({"q": t.zeros(1)}, strict=False),
    "parameters before begin": lambda t: _bad_model(t, t.nn.Parameter(t.zeros(1)))(),
    "modules before begin": lambda t: _bad_model(t, t.nn.ReLU())(),
    "call before begin": lambda t: _hold(t)(3),
    "text before begin": lambda t: repr(_hold(t)),
    "to the GPU": lambda t: net_of(t).cuda(),
    "a class as a module": lambda t: t.nn.Sequential(t.nn.ReLU),
    "a loss made of what it is to compare": lambda t: t.nn.CrossEntropyLoss(t.zeros(2, 3), t.tensor([1, 2])),
    "type of what was loaded": lambda t: type(net_of(t).load_state_dict({}, strict=False)),
    "copies of a parameter": lambda t: [
        (p.grad, p.requires_grad, type(p)) for p in (copy.deepcopy(_trained(t).w), copy.copy(_trained(t).w))
    ],
    "old names": lambda t: (t.nn.init.constant(t.zeros(1), 2.0), t.nn.utils.clip_grad_norm([], 1.0)),
    "a layer without its size": lambda t: t.nn.Conv2d(3, 8),
    "a layer with too much": lambda t: t.nn.ReLU(1, 2, 3),
    "a negative size": lambda t: t.nn.Linear(-1, 3),
    "a size with a fraction": lambda t: t.nn.Linear(2.5, 3),
    "a function of one's own as a module": lambda t: t.nn.Sequential(_net_function),
    "a list of parameters called": lambda t: t.nn.ParameterList()(3),
    "inserting no module": lambda t: t.nn.Sequential(t.nn.ReLU()).insert(0, 3),
    "adding no sequence": lambda t: t.nn.Sequential() + t.nn.ReLU(),
    "to a device": lambda t: net_of(t).to("cuda"),
    "to integers": lambda t: net_of(t).to(t.int64),
    "parameter of a number": lambda t: t.nn.Parameter(3.0),
    "parameter of integers": lambda t: t.nn.Parameter(t.tensor([1])),
    "linear of a wrong width": lambda t: t.nn.Linear(2, 3)(t.zeros(2, 5)),
    "dropout of 2": lambda t: t.nn.Dropout(2),
    "groups": lambda t: t.nn.Conv2d(3, 4, 3, groups=2),
    "strided same": lambda t: t.nn.Conv2d(4, 4, 3, stride=2, padding="same"),
    "batch norm of images": lambda t: t.nn.BatchNorm1d(3)(t.zeros(2, 3, 4, 5)),
    "batch norm of rows": lambda t: t.nn.BatchNorm2d(3)(t.zeros(2, 3)),
    "instance norm of a row": lambda t: t.nn.InstanceNorm1d(3)(t.zeros(2)),
    "group norm": lambda t: t.nn.GroupNorm(2, 3),
    "heads": lambda t: t.nn.MultiheadAttention(5, 2),
    "padding index": lambda t: t.nn.Embedding(3, 2, padding_idx=5),
    "sequence width": lambda t: t.nn.LSTM(2, 3)(t.zeros(2, 2, 5)),
    "sequence dims": lambda t: t.nn.LSTM(2, 3)(t.zeros(2, 2, 5, 5)),
    "hidden size": lambda t: t.nn.LSTM(2, 3)(t.zeros(2, 4, 2), (t.zeros(1, 4, 5), t.zeros(1, 4, 3))),
    "hidden dims": lambda t: t.nn.GRU(2, 3)(t.zeros(2, 4, 2), t.zeros(4, 3)),
    "hidden pair": lambda t: t.nn.LSTM(2, 3)(t.zeros(2, 4, 2), (t.zeros(4, 5), t.zeros(4, 3))),
    "hidden batch": lambda t: t.nn.GRU(2, 3)(t.zeros(2, 4, 2), t.zeros(1, 5, 3)),
    "hidden dtype": lambda t: t.nn.GRU(2, 3)(t.zeros(2, 4, 2).double()),
    "cell width": lambda t: t.nn.LSTMCell(2, 3)(t.zeros(4, 5)),
    "cell dims": lambda t: t.nn.LSTMCell(2, 3)(t.zeros(4, 2, 3)),
    "cell batch": lambda t: t.nn.RNNCell(2, 3)(t.zeros(4, 2), t.zeros(2, 3)),
    "cell state": lambda t: t.nn.RNNCell(2, 3)(t.zeros(4, 2), t.zeros(4, 4)),
    "nonlinearity": lambda t: t.nn.RNN(2, 3, nonlinearity="x"),
    "no layers": lambda t: t.nn.LSTM(2, 3, 0),
    "unflatten": lambda t: t.nn.Unflatten(1, 3),
    "wrong argument": lambda t: t.nn.Sequential(t.nn.ReLU())(1, 2),
    "sequential": lambda t: t.nn.Sequential(t.nn.Linear(2, 3), t.nn.ReLU())[:1],
    "sequential of names": lambda t: t.nn.Sequential(OrderedDict(a=t.nn.ReLU(), b=t.nn.Tanh()))[-1:],
    "sequential grows": lambda t: t.nn.Sequential(t.nn.ReLU()).append(t.nn.Tanh()).insert(0, t.nn.Sigmoid()),
    "sequential adds": lambda t: t.nn.Sequential(t.nn.ReLU()) + t.nn.Sequential(t.nn.Tanh()),
    "sequential repeats": lambda t: t.nn.Sequential(t.nn.ReLU()) * 2,
    "sequential of no modules": lambda t: t.nn.Sequential(3),
    "sequential index": lambda t: t.nn.Sequential(t.nn.ReLU())[3],
    "list of equal modules": lambda t: t.nn.ModuleList([t.nn.Linear(2, 2) for _ in range(3)] + [t.nn.ReLU()]),
    "list index": lambda t: t.nn.ModuleList([t.nn.ReLU()])[3],
    "list of no list": lambda t: t.nn.ModuleList(t.nn.ReLU()),
    "list is not called": lambda t: t.nn.ModuleList([t.nn.ReLU()])(3),
    "dict of modules": lambda t: t.nn.ModuleDict({"a": t.nn.ReLU(), "b": t.nn.Linear(1, 1)}),
    "dict of modules keys": lambda t: (list(t.nn.ModuleDict({"a": t.nn.ReLU()})), "a" in t.nn.ModuleDict()),
    "dict with a taken name": lambda t: t.nn.ModuleDict({"type": t.nn.ReLU()}),
    "list of parameters": lambda t: t.nn.ParameterList([t.zeros(2), t.nn.Parameter(t.zeros(2, 3)), 3]),
    "list of parameters index": lambda t: t.nn.ParameterList([t.zeros(2)])[-1],
    "dict of parameters": lambda t: t.nn.ParameterDict({"a": t.zeros(2), "b": 3}),
    "dict of parameters names": lambda t: [n for n, _ in t.nn.ParameterDict({"a": t.zeros(2)}).named_parameters()],
    "gain": lambda t: [t.nn.init.calculate_gain(n) for n in ("relu", "tanh", "leaky_relu")],
    "no gain": lambda t: t.nn.init.calculate_gain("x"),
    "fan of a vector": lambda t: t.nn.init.xavier_uniform_(t.zeros(3)),
}  # fmt: skip


def _outcome(fact: Callable[[Any], Any], t: Any) -> tuple[str, list[str]]:
    """What a fact gives or raises, as text, and the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            text = repr(fact(t))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    return text, [str(each.message) for each in caught]


@pytest.mark.parametrize("name", FACTS)
def test_a_module_does_what_it_does_in_pytorch(name: str) -> None:
    found = _outcome(FACTS[name], engine)

    assert found == _outcome(FACTS[name], torch)


def test_every_class_is_called_as_in_pytorch() -> None:
    shown = {name: str(getattr(engine.nn, name)) for name in engine.nn.__all__ if name[0].isupper()}

    assert shown == {name: str(getattr(torch.nn, name)) for name in shown}


def test_every_name_of_pytorch_is_there_or_beyond() -> None:
    theirs = {name for name in dir(torch.nn) if not name.startswith("_")}

    assert theirs <= set(dir(engine.nn)) | NAMES["torch.nn"]


@pytest.mark.parametrize(
    "use",
    [
        lambda nn: nn.LazyLinear, lambda nn: nn.utils.weight_norm, lambda nn: nn.Linear(1, 1).half(),
        lambda nn: nn.Linear(1, 1).to("mps"), lambda nn: nn.LSTM(3, 4, proj_size=2),
    ],
)  # fmt: skip
def test_what_lies_beyond_says_so(use: Callable[[Any], Any]) -> None:
    with pytest.raises(Beyond, match="beyond the built-in engine"):
        use(engine.nn)


def test_a_name_that_does_not_exist_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"module 'torch\.nn' has no attribute 'Liner'"):
        engine.nn.Liner  # noqa: B018
