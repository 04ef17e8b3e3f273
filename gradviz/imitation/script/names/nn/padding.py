"""Modules that put a border around their input, and pictures made larger: no parameters, one function each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.kinds import Kinds, repeated
from gradviz.imitation.script.values import Class, Instance

MODES = {"Reflection": "reflect", "Replication": "replicate", "Circular": "circular"}


def padding_classes(kinds: Kinds) -> dict[str, Class]:
    """ReflectionPad1d to ConstantPad3d, by name."""
    found = {}
    for dims in (1, 2, 3):
        for kind, mode in MODES.items():
            found[f"{kind}Pad{dims}d"] = _bordered(kinds, f"{kind}Pad{dims}d", dims, mode)
        found[f"ConstantPad{dims}d"] = _constant(kinds, dims)
        found[f"ZeroPad{dims}d"] = _zero(kinds, dims)
    return found


def _bordered(kinds: Kinds, name: str, dims: int, mode: str) -> Class:
    pad = kinds.functional["pad"]
    return kinds.cls(
        name,
        lambda module, padding: {"padding": repeated(module, padding, 2 * dims)},
        lambda a, input: pad(_of_dims(input, dims) if mode == "circular" else input, a["padding"], mode),
        lambda a: f"{a['padding']}",
        "padding",
    )


def _of_dims(input: Any, dims: int) -> Any:
    """The input, which must have channels, and examples perhaps."""
    if input.ndim not in (dims + 1, dims + 2):
        raise TorchError(f"expected {dims + 1}D or {dims + 2}D input (got {input.ndim}D input)", kind="ValueError")
    return input


def _constant(kinds: Kinds, dims: int) -> Class:
    pad = kinds.functional["pad"]
    return kinds.cls(
        f"ConstantPad{dims}d",
        lambda module, padding, value: {"padding": repeated(module, padding, 2 * dims), "value": value},
        lambda a, input: pad(input, a["padding"], "constant", a["value"]),
        lambda a: f"padding={a['padding']}, value={a['value']}",
        "padding",
    )


def _zero(kinds: Kinds, dims: int) -> Class:
    pad = kinds.functional["pad"]
    return kinds.cls(
        f"ZeroPad{dims}d",
        lambda module, padding: {"padding": repeated(module, padding, 2 * dims), "value": 0.0},
        lambda a, input: pad(input, a["padding"], "constant", 0),
        lambda a: f"{a['padding']}",
        "padding",
    )


# ---- larger pictures ----


def upsampling_classes(kinds: Kinds) -> dict[str, Class]:
    """Upsample and its two old forms, by name."""

    def old(mode: str, corners: bool | None) -> Callable[..., dict[str, Any]]:
        def init(module: Instance, size: Any = None, scale_factor: Any = None) -> dict[str, Any]:
            return _upsample(module, size, scale_factor, mode, corners)

        return init

    forms = {
        "Upsample": _upsample,
        "UpsamplingNearest2d": old("nearest", None),
        "UpsamplingBilinear2d": old("bilinear", True),
    }
    return {name: _upsampling(kinds, name, init) for name, init in forms.items()}


def _upsample(
    module: Instance,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> dict[str, Any]:
    if isinstance(scale_factor, tuple):
        factor: Any = tuple(float(f) for f in scale_factor)
    else:
        factor = float(scale_factor) if scale_factor else None
    return {
        "name": module.cls.name, "size": size, "scale_factor": factor, "mode": mode, "align_corners": align_corners,
        "recompute_scale_factor": recompute_scale_factor,
    }  # fmt: skip


def _upsampling(kinds: Kinds, name: str, init: Callable[..., dict[str, Any]]) -> Class:
    interpolate = kinds.functional["interpolate"]

    def forward(a: dict[str, Any], input: Any) -> Any:
        given = (a["size"], a["scale_factor"], a["mode"], a["align_corners"], a["recompute_scale_factor"])
        return interpolate(input, *given)

    def text(a: dict[str, Any]) -> str:
        which = "size" if a["scale_factor"] is None else "scale_factor"
        return f"{which}={a[which]!r}, mode={a['mode']!r}"

    return kinds.cls(name, init, forward, text, "upsampling")
