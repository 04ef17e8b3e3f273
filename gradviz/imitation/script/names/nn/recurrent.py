"""Recurrent modules: what they hold, what they refuse, and their call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions.shapes.shaping import contiguous
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kind_names import short_name
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.names.nn.recurrent_steps import CELLS, Layers, State, Weights
from gradviz.imitation.script.names.nn.sequences import Packed, as_packed, packed_again
from gradviz.imitation.script.values import Class, Instance, Native, Property

GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}
Attributes = dict[str, Any]


def recurrent_classes(kinds: Kinds) -> dict[str, Class]:
    """All of them by name."""
    cells = {f"{kind}Cell": _cell(kinds, kind) for kind in GATES}
    return cells | {kind: _whole(kinds, kind) for kind in GATES}


def _zeros(x: Tensor, *shape: int) -> Tensor:
    return constant(np.zeros(shape, x.dtype), x.tape)


def _wrong(message: str, kind: str = "RuntimeError") -> TorchError:
    return TorchError(message, kind=kind)


def _dim(x: Any) -> int:
    if not isinstance(x, Tensor):
        raise _wrong(f"'{short_name(x)}' object has no attribute 'dim'", "AttributeError")
    return x.ndim


# ---- parameters ----


def _register(kinds: Kinds, module: Instance, suffix: str, sizes: tuple[int, int, int], bias: bool, proj: int) -> None:
    gates, inputs, hidden = sizes
    bound = 1 / math.sqrt(hidden) if hidden > 0 else 0.0
    shapes = [("weight_ih", (gates * hidden, inputs)), ("weight_hh", (gates * hidden, proj or hidden))]
    for name, shape in shapes:
        kinds.parameter(module, name + suffix, kinds.uniform(shape, bound))
    for name in ("bias_ih", "bias_hh"):
        kinds.optional(module, name + suffix, kinds.uniform((gates * hidden,), bound) if bias else None)
    if proj:
        kinds.parameter(module, f"weight_hr{suffix}", kinds.uniform((proj, hidden), bound))


NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")


def _of(a: Attributes, suffix: str) -> Weights:
    return Weights(*(a.get(name + suffix) for name in NAMES))  # type: ignore[arg-type]


def _suffixes(a: Attributes) -> list[str]:
    """What the names of the parameters of each layer and direction end in."""
    ways = ("", "_reverse") if a["bidirectional"] else ("",)
    return [f"_l{layer}{way}" for layer in range(a["num_layers"]) for way in ways]


def _all_weights(module: Instance) -> list[list[Tensor]]:
    a = module.attributes
    return [[a[name + s] for name in NAMES if a.get(name + s) is not None] for s in _suffixes(a)]


def _flat_weights(module: Instance) -> list[Tensor]:
    return [w for one in _all_weights(module) for w in one]


# ---- cells ----


def cell_function(mode: str) -> Callable[..., Any]:
    """`torch.lstm_cell` and the like, by the name of the cell in `CELLS`."""

    def run(
        input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
    ) -> Any:
        states = tuple(hx) if mode == "LSTM" else (hx,)
        if mode == "LSTM" and len(states) != 2:
            raise _wrong("lstm_cell expects two hidden states")
        one_dim(1, input.ndim)
        _check_input_size(input, w_ih.shape[1])
        size, gates = w_hh.shape[1], GATES.get(mode, 1)
        if mode == "GRU":
            _check_states(input, states, size)
        if w_ih.shape[0] != gates * size:
            raise _wrong(f"weight_ih first dim must be {gates} * hidden_size = {gates * size}, but got {w_ih.shape[0]}")
        _check_states(input, states, size)
        w = Weights(w_ih, w_hh, b_ih, b_hh)
        found = CELLS[mode](w.of_input(input), states, w)
        return found if mode == "LSTM" else found[0]

    return run


def _cell(kinds: Kinds, kind: str) -> Class:
    def init(
        module: Instance, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        module.attributes |= {"input_size": input_size, "hidden_size": hidden_size, "bias": bias}
        _register(kinds, module, "", (GATES[kind], input_size, hidden_size), bias, 0)

    def init_rnn(
        module: Instance, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        init(module, input_size, hidden_size, bias)
        module.attributes["nonlinearity"] = nonlinearity

    def forward(a: Attributes, input: Tensor, hx: Any = None) -> Any:
        x, state = _cell_inputs(kind, a, input, hx)
        mode = f"RNN_{a['nonlinearity'].upper()}" if kind == "RNN" else kind
        if mode not in CELLS:
            raise _wrong(f"Unknown nonlinearity: {a['nonlinearity']}")
        w = _of(a, "")
        found = CELLS[mode](w.of_input(x), state, w)
        if input.ndim == 1:
            found = tuple(F["squeeze"](part, 0) for part in found)
        return found if kind == "LSTM" else found[0]

    def text(a: Attributes) -> str:
        shown = f"{a['input_size']}, {a['hidden_size']}" + ("" if a["bias"] is True else f", bias={a['bias']}")
        return shown + (f", nonlinearity={a['nonlinearity']}" if a.get("nonlinearity", "tanh") != "tanh" else "")

    return kinds.cls(f"{kind}Cell", init_rnn if kind == "RNN" else init, forward, text, "rnn")


def _cell_inputs(kind: str, a: Attributes, input: Tensor, hx: Any) -> tuple[Tensor, State]:
    if _dim(input) not in (1, 2):
        raise _wrong(f"{kind}Cell: Expected input to be 1D or 2D, got {input.ndim}D instead", "ValueError")
    given = None if hx is None else tuple(hx) if kind == "LSTM" else (hx,)
    for number, state in enumerate(given or ()):
        if _dim(state) not in (1, 2):
            which = f"hx[{number}]" if kind == "LSTM" else "hidden"
            raise _wrong(f"{kind}Cell: Expected {which} to be 1D or 2D, got {state.ndim}D instead", "ValueError")
    x = F["unsqueeze"](input, 0) if input.ndim == 1 else input
    _check_input_size(x, a["input_size"])
    if given is None:
        zeros = _zeros(x, x.shape[0], a["hidden_size"])
        return x, (zeros, zeros) if kind == "LSTM" else (zeros,)
    if kind == "LSTM" and isinstance(hx, Tensor) and input.ndim == 2:
        raise _wrong("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor", "TypeError")
    if len(given) < (2 if kind == "LSTM" else 1):
        raise _wrong("lstm_cell expects two hidden states")
    states = tuple(F["unsqueeze"](state, 0) if input.ndim == 1 else state for state in given)
    _check_states(x, states, a["hidden_size"])
    return x, states


def _check_states(x: Tensor, states: State, size: int) -> None:
    for number, state in enumerate(states):
        if state.shape[0] != x.shape[0]:
            raise _wrong(f"Input batch size {x.shape[0]} doesn't match hidden{number} batch size {state.shape[0]}")
        if state.shape[1] != size:
            raise _wrong(f"hidden{number} has inconsistent hidden_size: got {state.shape[1]}, expected {size}")


def _check_input_size(x: Tensor, size: int) -> None:
    if x.shape[1] != size:
        raise _wrong(f"input has inconsistent input_size: got {x.shape[1]} expected {size}")


CELL_FUNCTIONS = {f"{mode.lower()}_cell": cell_function(mode) for mode in CELLS}
"""What `torch` has beneath the cells."""

# ---- layers ----


def _whole(kinds: Kinds, kind: str) -> Class:
    def init(module: Instance, *arguments: Any, **options: Any) -> None:
        if kind != "LSTM" and "proj_size" in options:
            raise _wrong("proj_size argument is only supported for LSTM, not RNN or GRU", "ValueError")
        mode = kind
        if kind == "RNN":
            mode = module.attributes["nonlinearity"] = options.pop("nonlinearity", "tanh")
            if len(arguments) > 3:
                mode = module.attributes["nonlinearity"] = arguments[3]
                arguments = (*arguments[:3], *arguments[4:])
            if mode not in ("tanh", "relu"):
                raise _wrong(f"Unknown nonlinearity '{mode}'. Select from 'tanh' or 'relu'.", "ValueError")
            mode = f"RNN_{mode.upper()}"
        _begin(kinds, module, mode, *arguments, **options)

    made = kinds.cls(kind, init, lambda a, input, hx=None: _run(kinds, kind, a, input, hx), _text, "rnn")
    made.attributes["flatten_parameters"] = Native("flatten_parameters", lambda module: None, is_method=True)
    made.attributes["all_weights"] = Property(Native("all_weights", _all_weights, is_method=True))
    made.attributes["_flat_weights"] = Property(Native("_flat_weights", _flat_weights, is_method=True))
    return made


def _begin(
    kinds: Kinds,
    module: Instance,
    mode: str,
    input_size: int,
    hidden_size: int,
    num_layers: int = 1,
    bias: bool = True,
    batch_first: bool = False,
    dropout: float = 0.0,
    bidirectional: bool = False,
    proj_size: int = 0,
    device: Any = None,
    dtype: Any = None,
) -> None:
    """`RNNBase.__init__`."""
    if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
        range_ = "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        raise _wrong(range_, "ValueError")
    if dropout > 0 and num_layers == 1:
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
            once=mode.partition("_")[0],
        )
    a = module.attributes
    a |= {
        "mode": mode, "input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers, "bias": bias,
        "batch_first": batch_first, "dropout": float(dropout), "bidirectional": bidirectional, "proj_size": proj_size,
    }  # fmt: skip
    _check_settings(a)
    gates, ways = GATES[mode.partition("_")[0]], 2 if bidirectional else 1
    for number, suffix in enumerate(_suffixes(a)):
        inputs = input_size if number < ways else (proj_size or hidden_size) * ways
        _register(kinds, module, suffix, (gates, inputs, hidden_size), bias, proj_size)


def _check_settings(a: Attributes) -> None:
    for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
        if not isinstance(a[name], kind):
            raise _wrong(f"{name} should be of type {kind.__name__}, got: {short_name(a[name])}", "TypeError")
        if kind is int and a[name] <= 0:
            raise _wrong(f"{name} must be greater than zero", "ValueError")
    if a["num_layers"] <= 0:
        raise _wrong("num_layers must be greater than zero", "ValueError")
    if a["proj_size"] < 0:
        raise _wrong("proj_size should be a positive integer or zero to disable projections", "ValueError")
    if a["proj_size"] >= a["hidden_size"]:
        raise _wrong("proj_size has to be smaller than hidden_size", "ValueError")


DEFAULTS = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
"""What the repr leaves out where it is so."""


def _text(a: Attributes) -> str:
    shown = f"{a['input_size']}, {a['hidden_size']}"
    return shown + "".join(f", {name}={a[name]}" for name, default in DEFAULTS.items() if a[name] != default)


# ---- the call ----


def _run(kinds: Kinds, kind: str, a: Attributes, input: Any, hx: Any) -> Any:
    packed = as_packed(input)
    x = input if packed is None else packed.data
    if packed is None and _dim(x) not in (2, 3):
        word = " tensor" if kind == "RNN" else ""
        raise _wrong(f"{kind}: Expected input to be 2D or 3D, got {x.ndim}D{word} instead", "ValueError")
    is_batched = packed is not None or x.ndim == 3
    turns = packed is None and a["batch_first"]
    if not is_batched:
        x = F["unsqueeze"](x, 0 if turns else 1)
    hx = _shaped(kind, hx, packed is not None, is_batched)
    states = _states(kind, a, x, hx, packed)
    if turns:
        x = F["transpose"](x, 0, 1)
    if packed is None and not x.shape[0]:
        raise _wrong("Expected sequence length to be larger than 0 in RNN")
    y, last = _through(kinds, kind, a, x, states, packed)
    if turns:
        y = _turned_back(y, _is_kernel(kind, a, x, packed))
    if packed is not None:
        return packed_again(input, y), _given_back(kind, [_permuted(h, packed.unsorted) for h in last])
    if not is_batched:
        y, last = F["squeeze"](y, 0 if turns else 1), [F["squeeze"](h, 1) for h in last]
    return y, _given_back(kind, last)


def _turned_back(y: Tensor, is_kernel: bool) -> Tensor:
    """The examples first again, which PyTorch does in place but for its kernel."""
    return F["transpose"](y, 0, 1) if is_kernel else apply(OPS["transpose_"], (y,), dim0=0, dim1=1)


def _given_back(kind: str, last: list[Tensor]) -> Any:
    return tuple(last) if kind == "LSTM" else last[0]


def _shaped(kind: str, hx: Any, is_packed: bool, is_batched: bool) -> Any:
    """The first states as they are given, with a batch of one where there is none."""
    if hx is None or is_packed:
        return hx
    wanted, what = (3, "batched 3-D") if is_batched else (2, "unbatched 2-D")
    if kind == "LSTM":
        first, second = _pair(hx)
        if _dim(first) != wanted or _dim(second) != wanted:
            found = f"({first.ndim}-D, {second.ndim}-D) tensors"
            raise _wrong(f"For {what} input, hx and cx should also be {wanted}-D but got {found}")
        return (first, second) if is_batched else (F["unsqueeze"](first, 1), F["unsqueeze"](second, 1))
    if _dim(hx) != wanted:
        raise _wrong(f"For {what} input, hx should also be {wanted}-D but got {hx.ndim}-D tensor")
    return hx if is_batched else F["unsqueeze"](hx, 1)


def _pair(hx: Any) -> tuple[Any, Any]:
    if isinstance(hx, Tensor):
        if hx.shape[0] < 2:
            raise _wrong(f"index 1 is out of bounds for dimension 0 with size {hx.shape[0]}", "IndexError")
        parts = F["unbind"](hx, 0)
        return parts[0], parts[1]
    if len(hx) < 2:
        raise _wrong(f"{short_name(hx)} index out of range", "IndexError")
    return hx[0], hx[1]


def _check_input(a: Attributes, x: Tensor, is_packed: bool) -> None:
    kept = a["weight_ih_l0"].dtype
    if x.dtype != kept:
        raise _wrong(
            f"RNN input dtype (torch.{x.dtype.name}) does not match weight dtype (torch.{kept.name}). Convert "
            f"input: input.to(torch.{kept.name}), or convert model: model.to(torch.{x.dtype.name})",
            "ValueError",
        )
    wanted = 2 if is_packed else 3
    if x.ndim != wanted:
        raise _wrong(f"input must have {wanted} dimensions, got {x.ndim}")
    if x.shape[-1] != a["input_size"]:
        raise _wrong(f"input.size(-1) must be equal to input_size. Expected {a['input_size']}, got {x.shape[-1]}")


def _states(kind: str, a: Attributes, x: Tensor, hx: Any, packed: Packed | None) -> list[Tensor]:
    """The first states (layers and directions, batch, hidden), one tensor for each kind of state."""
    batch = packed.sizes[0] if packed is not None else x.shape[0 if a["batch_first"] else 1]
    count = len(_suffixes(a))
    sizes = [a["proj_size"] or a["hidden_size"], a["hidden_size"]][: 2 if kind == "LSTM" else 1]
    given = [_zeros(x, count, batch, n) for n in sizes] if hx is None else list(hx) if kind == "LSTM" else [hx]
    _check_input(a, x, packed is not None)
    for number, (state, n) in enumerate(zip(given, sizes, strict=False)):
        if state.shape != (count, batch, n):
            which = f"hidden[{number}]" if kind == "LSTM" else "hidden"
            raise _wrong(f"Expected {which} size {(count, batch, n)}, got {list(state.shape)}")
    return given if packed is None or hx is None else [_permuted(state, packed.sorted) for state in given]


def _permuted(state: Tensor, places: Tensor | None) -> Tensor:
    return state if places is None else F["index_select"](state, 1, places)


PROJECTED = "LSTM with projections is not supported with oneDNN. Using default implementation."


def _is_kernel(kind: str, a: Attributes, x: Tensor, packed: Packed | None) -> bool:
    """Whether PyTorch runs a layer as one node: an LSTM without projections, in float32."""
    is_kind = kind == "LSTM" and packed is None and x.dtype.char == "f" and x.data.size > 0
    if is_kind and a["proj_size"]:
        warn(PROJECTED, once=True)
    return is_kind and not a["proj_size"]


def _through(
    kinds: Kinds, kind: str, a: Attributes, x: Tensor, states: list[Tensor], packed: Packed | None
) -> tuple[Tensor, list[Tensor]]:
    drop = None
    if a["dropout"] and a["training"]:

        def drop(y: Tensor) -> Tensor:
            return kinds.functional["dropout"](y, a["dropout"])  # type: ignore[no-any-return]

    is_kernel = _is_kernel(kind, a, x, packed)
    weights = [_of(a, suffix) for suffix in _suffixes(a)]
    if is_kernel:
        x = contiguous(x)
        each = [tuple(F["select"](s, 0, n) for s in states) for n in range(len(weights))]
    else:
        each = list(zip(*(F["unbind"](state, 0) for state in states), strict=True))
    layers = Layers(a["mode"], packed.sizes if packed is not None else None, is_kernel, drop)
    y, finals = layers.through(x, each, weights, 2 if a["bidirectional"] else 1)
    return y, [F["stack"](list(parts), 0) for parts in zip(*finals, strict=True)]
