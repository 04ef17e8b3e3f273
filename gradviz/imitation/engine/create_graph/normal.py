"""Norms over batches and layers, and convolutions: one node for what goes to all inputs."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.create_graph.steps import gradients
from gradviz.imitation.engine.rules.backward_ops import convolution as convolution_again
from gradviz.imitation.engine.rules.backward_ops.convolution import double_backward
from gradviz.imitation.engine.rules.backward_ops.norms import DOUBLES


def _once(name: str) -> Any:
    return lambda needs, g, y, *xs, **params: gradients(f"{name}_backward", needs, g, *xs, **params)


def _twice(name: str) -> Any:
    double, norm = DOUBLES[name], name.removesuffix("_backward")

    def of_results(came: Any, made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
        params = {key: value for key, value in made[0].params.items() if key != "output"}
        w = sources[2] if len(sources) > 2 else None
        on_v, on_x, on_w = double(norm, [*came, None, None][:3], sources[0], sources[1], w, params)
        return (on_v, on_x, on_w, None)[: len(sources)]

    return of_results


def _convolved(name: str) -> Any:
    def at_once(needs: Any, g: Any, y: Any, x: Any, w: Any, *b: Any, **params: Any) -> tuple[Any, ...]:
        return gradients(name, needs, g, x, w, **params)

    return at_once


def _convolved_twice(is_transposed: bool) -> Any:
    def of_results(came: Any, made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
        v, x, w = sources
        return double_backward([*came, None, None][:3], v, x, w, is_transposed, made[0].params)

    return of_results


_CONVOLUTIONS = [op.name for op in convolution_again.TABLE]
AT_ONCE: dict[str, Any] = {name.removesuffix("_backward"): _once(name.removesuffix("_backward")) for name in DOUBLES}
OF_RESULTS: dict[str, Any] = {name: _twice(name) for name in DOUBLES}
for _name in _CONVOLUTIONS:
    for _end in ("", "_plain"):
        AT_ONCE[f"{_name.removesuffix('_backward')}{_end}"] = _convolved(_name)
    OF_RESULTS[_name] = _convolved_twice("transpose" in _name)
