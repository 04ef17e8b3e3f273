"""Recurrent modules, written out in ops: a linear map of the input and one of the state, as in PyTorch on the CPU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine import indexing
from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.functions.product import linear
from gradviz.engine.generic import OPS
from gradviz.engine.tensor import Tensor, apply, constant
from gradviz.engine.warn import warn
from gradviz.errors import ScriptError, TorchError
from gradviz.script.names.nn.kinds import Kinds
from gradviz.script.values import Class, Instance, Native, Property

Weights = tuple[Any, Any, Any, Any]
GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}


def _part(x: Tensor, number: int, size: int) -> Tensor:
    return indexing.get(x, (Ellipsis, slice(number * size, (number + 1) * size)))


def _rnn(x: Tensor, h: Tensor, w: Weights, function: str) -> Tensor:
    return F[function](F["add"](linear(x, w[0], w[2]), linear(h, w[1], w[3])))  # type: ignore[no-any-return]


def _lstm(x: Tensor, h: Tensor, c: Tensor, w: Weights) -> tuple[Tensor, Tensor]:
    gates, n = F["add"](linear(h, w[1], w[3]), linear(x, w[0], w[2])), h.shape[-1]
    i, f, o = (F["sigmoid"](_part(gates, k, n)) for k in (0, 1, 3))
    c = F["add"](F["mul"](f, c), F["mul"](i, F["tanh"](_part(gates, 2, n))))
    return F["mul"](o, F["tanh"](c)), c


def _gru(x: Tensor, h: Tensor, w: Weights) -> Tensor:
    from_x, from_h, n = linear(x, w[0], w[2]), linear(h, w[1], w[3]), h.shape[-1]
    r = F["sigmoid"](F["add"](_part(from_x, 0, n), _part(from_h, 0, n)))
    z = F["sigmoid"](F["add"](_part(from_x, 1, n), _part(from_h, 1, n)))
    new = F["tanh"](F["add"](_part(from_x, 2, n), F["mul"](r, _part(from_h, 2, n))))
    return F["add"](F["mul"](z, F["sub"](h, new)), new)  # type: ignore[no-any-return]


def _step(kind: str, x: Tensor, state: Any, w: Weights, function: str) -> Any:
    if kind == "LSTM":
        return _lstm(x, state[0], state[1], w)
    return _gru(x, state, w) if kind == "GRU" else _rnn(x, state, w, function)


def _zeros(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    return constant(np.zeros(shape, x.dtype), x.tape)


def recurrent_classes(kinds: Kinds) -> dict[str, Class]:
    """All of them by name."""
    cells = {f"{kind}Cell": _cell(kinds, kind) for kind in GATES}
    return cells | {kind: _whole(kinds, kind) for kind in GATES}


def _cell(kinds: Kinds, kind: str) -> Class:
    def init(
        module: Instance, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", **_: Any
    ) -> None:
        module.attributes |= {"input_size": input_size, "hidden_size": hidden_size, "bias": bias}
        module.attributes["nonlinearity"] = nonlinearity
        _weights(kinds, module, "", (GATES[kind] * hidden_size, input_size, hidden_size), bias)

    def forward(a: dict[str, Any], input: Tensor, hx: Any = None) -> Any:
        if input.ndim not in (1, 2):
            raise TorchError(f"{kind}Cell: Expected input to be 1D or 2D, got {input.ndim}D instead", kind="ValueError")
        zeros = _zeros(input, (*input.shape[:-1], a["hidden_size"]))
        state = hx if hx is not None else (zeros, zeros) if kind == "LSTM" else zeros
        return _step(kind, input, state, _of(a, ""), a["nonlinearity"])

    def text(a: dict[str, Any]) -> str:
        shown = f"{a['input_size']}, {a['hidden_size']}" + ("" if a["bias"] is True else f", bias={a['bias']}")
        return shown + (f", nonlinearity={a['nonlinearity']}" if a["nonlinearity"] != "tanh" else "")

    return kinds.cls(f"{kind}Cell", init, forward, text, "rnn")


def _weights(kinds: Kinds, module: Instance, suffix: str, sizes: tuple[int, int, int], bias: bool) -> None:
    rows, inputs, hidden = sizes
    bound = 1 / math.sqrt(hidden)
    for name, shape in (("weight_ih", (rows, inputs)), ("weight_hh", (rows, hidden))):
        kinds.parameter(module, name + suffix, kinds.uniform(shape, bound))
    for name in ("bias_ih", "bias_hh"):
        kinds.optional(module, name + suffix, kinds.uniform((rows,), bound) if bias else None)


def _of(a: dict[str, Any], suffix: str) -> Weights:
    return tuple(a.get(f"{name}{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))  # type: ignore[return-value]


def _whole(kinds: Kinds, kind: str) -> Class:
    def init(
        module: Instance,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        nonlinearity: str = "tanh",
        proj_size: int = 0,
        **_: Any,
    ) -> None:
        if isinstance(bias, str):  # the place where nn.RNN has its nonlinearity
            nonlinearity, bias = bias, True
        if proj_size:
            raise ScriptError("proj_size of nn.LSTM is not supported", hint="Put an nn.Linear behind it.")
        if dropout > 0 and num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}"
            )
        module.attributes |= {
            "mode": kind, "input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers, "bias": bias,
            "batch_first": batch_first, "dropout": dropout, "bidirectional": bidirectional,
            "nonlinearity": nonlinearity,
        }  # fmt: skip
        ways = 2 if bidirectional else 1
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * ways
            for way in range(ways):
                _weights(kinds, module, _suffix(layer, way), (GATES[kind] * hidden_size, inputs, hidden_size), bias)

    made = kinds.cls(kind, init, lambda a, input, hx=None: _run(kinds, kind, a, input, hx), _text, "rnn")
    made.attributes["flatten_parameters"] = Native("flatten_parameters", lambda module: None, is_method=True)
    made.attributes["all_weights"] = Property(Native("all_weights", _all_weights, is_method=True))
    return made


def _all_weights(module: Instance) -> list[list[Tensor]]:
    """The parameters of each layer and way."""
    a = module.attributes
    places = [(layer, way) for layer in range(a["num_layers"]) for way in range(1 + a["bidirectional"])]
    return [[w for w in _of(a, _suffix(layer, way)) if w is not None] for layer, way in places]


def _suffix(layer: int, way: int) -> str:
    return f"_l{layer}" + ("_reverse" if way else "")


DEFAULTS = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
"""What the repr leaves out where it is so."""


def _text(a: dict[str, Any]) -> str:
    shown = f"{a['input_size']}, {a['hidden_size']}"
    for name, default in DEFAULTS.items():
        if a[name] != default:
            shown += f", {name}={a[name]}"
    return shown


def _run(kinds: Kinds, kind: str, a: dict[str, Any], input: Tensor, hx: Any) -> Any:
    if input.ndim not in (2, 3):
        raise TorchError(f"{kind}: Expected input to be 2D or 3D, got {input.ndim}D instead", kind="ValueError")
    kept = a["weight_ih_l0"].dtype
    if input.dtype != kept:
        raise TorchError(
            f"RNN input dtype (torch.{input.dtype.name}) does not match weight dtype (torch.{kept.name}). Convert "
            f"input: input.to(torch.{kept.name}), or convert model: model.to(torch.{input.dtype.name})",
            kind="ValueError",
        )
    if input.shape[-1] != a["input_size"]:
        raise TorchError(
            f"input.size(-1) must be equal to input_size. Expected {a['input_size']}, got {input.shape[-1]}"
        )
    is_batched = input.ndim == 3
    x = input if is_batched else F["unsqueeze"](input, 1)
    if is_batched and a["batch_first"]:
        x = F["transpose"](x, 0, 1)
    rows = [list(states) for states in _states(kind, a, x, hx, is_batched)]
    layers, finals = list(F["unbind"](x, 0)), []
    for layer in range(a["num_layers"]):
        ways = []
        for way in range(1 + a["bidirectional"]):
            number = layer * (1 + a["bidirectional"]) + way
            state = tuple(row[number] for row in rows) if kind == "LSTM" else rows[0][number]
            outputs, final = _through(kind, layers[:: -1 if way else 1], state, _of(a, _suffix(layer, way)), a)
            ways.append(outputs[:: -1 if way else 1])
            finals.append(final)
        layers = ways[0] if len(ways) == 1 else [F["cat"](pair, 1) for pair in zip(*ways, strict=True)]
        if a["dropout"] and a["training"] and layer < a["num_layers"] - 1:
            layers = list(F["unbind"](kinds.functional["dropout"](F["stack"](layers, 0), a["dropout"]), 0))
    y = F["stack"](layers, 0)
    if is_batched and a["batch_first"]:
        y = apply(OPS["transpose_"], (y,), dim0=0, dim1=1)  # PyTorch turns it in place
    last = [F["stack"](list(states), 0) for states in (zip(*finals, strict=True) if kind == "LSTM" else [finals])]
    if not is_batched:
        y, last = F["squeeze"](y, 1), [F["squeeze"](state, 1) for state in last]
    return y, tuple(last) if kind == "LSTM" else last[0]


def _states(kind: str, a: dict[str, Any], x: Tensor, hx: Any, is_batched: bool) -> list[Any]:
    """The first states, one list per kind of state, with one item per layer and way."""
    count = a["num_layers"] * (1 + a["bidirectional"])
    if hx is None:
        return [[_zeros(x, (x.shape[1], a["hidden_size"]))] * count] * (2 if kind == "LSTM" else 1)
    given = hx if kind == "LSTM" else (hx,)
    wanted = (count, *((x.shape[1],) if is_batched else ()), a["hidden_size"])
    for number, state in enumerate(given):
        if state.shape != wanted:
            which = f"hidden[{number}]" if kind == "LSTM" else "hidden"
            raise TorchError(f"Expected {which} size {wanted}, got {list(state.shape)}")
    return [F["unbind"](state if is_batched else F["unsqueeze"](state, 1), 0) for state in given]


def _through(kind: str, items: list[Tensor], state: Any, w: Weights, a: dict[str, Any]) -> tuple[list[Tensor], Any]:
    outputs = []
    for item in items:
        state = _step(kind, item, state, w, a["nonlinearity"])
        outputs.append(state[0] if kind == "LSTM" else state)
    return outputs, state
