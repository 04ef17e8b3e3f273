"""The derivative of a convolution as an op of its own, for derivatives of derivatives (create_graph).

PyTorch has one node for what goes to input, weights and bias. What is sent on from it are convolutions again, of the
input and the weights with the axes of batch and channels exchanged.

Source: _convolution_double_backward in Convolution.cpp of PyTorch 2.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call, gradient, names_of_gradients
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.pictures import convolution
from gradviz.imitation.engine.rules.pictures.convolution import conv, conv_input, spatial
from gradviz.imitation.engine.rules.shapes.shaping import shape

Three = tuple[Any, Any, Any]


def _swapped(x: Any) -> Any:
    return call("transpose", x, dim0=0, dim1=1)


def _piece(x: Any, axis: int, start: int, length: int) -> Any:
    return call("slice", x, dim=axis, start=start, end=start + length, step=1)


def _parts(x: Any, groups: int) -> list[Any]:
    """The channels of each group, which lie along the first axis."""
    n = shape(x)[0] // groups
    return [_piece(x, 0, i * n, n) for i in range(groups)]


def _as_output(z: Any, v: Any) -> Any:
    """What came to the gradient of the bias, as large as the output."""
    z = call("view", z, size=tuple(shape(z)[0] if i == 1 else 1 for i in range(plain(v).ndim)))
    return call("expand", z, size=shape(v))


def _narrowed(x: Any, sizes: Sequence[int]) -> Any:
    for axis, n in enumerate(sizes, 2):
        if shape(x)[axis] > n:
            x = _piece(x, axis, 0, n)
    return x


def _on_weights(came: Any, v: Any, w: Any, p: dict[str, Any], is_transposed: bool) -> Any:
    """The windows of what came, times v: a convolution in which stride and dilation change places."""
    turned = {"stride": p["dilation"], "padding": p["padding"], "dilation": p["stride"], "groups": 1}
    v_parts, came_parts = (_parts(z, p["groups"]) if p["groups"] > 1 else [z] for z in (_swapped(v), _swapped(came)))
    pairs = zip(v_parts, came_parts, strict=True)
    found = [conv(a, b, **turned) if is_transposed else conv(b, a, **turned) for a, b in pairs]
    whole = call("cat", *found, dim=1) if p["groups"] > 1 else found[0]
    return _narrowed(_swapped(whole), spatial(w))


def double_backward(came: Sequence[Any], v: Any, x: Any, w: Any, is_transposed: bool, params: dict[str, Any]) -> Three:
    """What came to the gradients of x, w and b, sent on to v, x and w."""
    p = {name: params[name] for name in ("stride", "padding", "dilation", "groups")}
    to_x, to_w, to_b = came

    def ahead(a: Any, b: Any) -> Any:
        return conv_input(a, b, size=params["size"], **p) if is_transposed else conv(a, b, **p)

    terms = [ahead(to_x, w) if to_x is not None else None, ahead(x, to_w) if to_w is not None else None]
    on_v = None
    for term in (*terms, None if to_b is None else _as_output(to_b, v)):
        on_v = term if on_v is None else on_v if term is None else on_v + term
    on_w = None if to_x is None else _on_weights(to_x, v, w, p, is_transposed)
    on_x = None
    if to_w is not None and is_transposed:
        on_x = _narrowed(conv(v, to_w, **p), spatial(x))
    elif to_w is not None:
        on_x = conv_input(v, to_w, size=spatial(x), **p)
    return on_v, on_x, on_w


def _forward(name: str) -> Any:
    """One of the three gradients, as the entry of the convolution has it."""
    return lambda v, x, w, output, **p: gradient(name, output, v, None, x, w, None, **p)


def _rule(is_transposed: bool, slot: int) -> Any:
    def rule(g: Any, y: Any, v: Any, x: Any, w: Any, output: int, **params: Any) -> Any:
        came = [g if number == output else None for number in range(3)]
        return double_backward(came, v, x, w, is_transposed, params)[slot]

    return rule


def _entries() -> Iterator[Op]:
    for op in convolution.TABLE:
        if op.name.endswith("_plain"):
            continue
        given = op.example[0]
        x, w = given["inputs"][:2]
        y = op.forward(*given["inputs"], **given["params"])
        rules = tuple(_rule("transpose" in op.name, slot) for slot in range(3))
        v = np.cos(np.arange(y.size) * 1.3).reshape(y.shape)
        yield Op(f"{op.name}_backward", "conv′", _forward(op.name), rules, ("v", "x", "w"),
                 tuple(f"to_{slot}(g)" for slot in "vxw"), "y = the gradient of x, w or b",
                 tuple(case(v, x, w, **given["params"], output=i) for i in range(3)), "ConvolutionBackwardBackward0",
                 saves("v x w"), output="output")  # fmt: skip


TABLE = tuple(_entries())


NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {op.name: names_of_gradients(op) for op in TABLE}
