"""Normalising modules. Batch norm keeps running statistics as buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions.shapes.shaping import squeeze, unsqueeze
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.inside import convert_sync_batchnorm
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.values import Class, Instance


def norm_classes(kinds: Kinds) -> dict[str, Class]:
    """All of them by name, as far as the functions they need exist."""
    found: dict[str, Class] = {}
    if "batch_norm" in kinds.functional:
        found |= {f"BatchNorm{dims}d": _batch_norm(kinds, dims) for dims in (1, 2, 3)}
        found["SyncBatchNorm"] = _sync_batch_norm(kinds)
    if "instance_norm" in kinds.functional:
        found |= {f"InstanceNorm{dims}d": _instance_norm(kinds, dims) for dims in (1, 2, 3)}
    if "layer_norm" in kinds.functional:
        found["LayerNorm"] = _layer_norm(kinds)
    if "group_norm" in kinds.functional:
        found["GroupNorm"] = _group_norm(kinds)
    if "rms_norm" in kinds.functional:
        found["RMSNorm"] = _rms_norm(kinds)
    return found


def _scale_and_shift(
    kinds: Kinds, module: Instance, size: tuple[int, ...] | int, affine: bool, bias: bool = True
) -> None:
    kinds.optional(module, "weight", kinds.ones(size) if affine else None)
    kinds.optional(module, "bias", kinds.zeros(size) if affine and bias else None)


DIMS = {1: (2, 3), 2: (4,), 3: (5,)}
EXPECTED = {1: "2D or 3D", 2: "4D", 3: "5D"}


def _batch_norm(kinds: Kinds, dims: int) -> Class:
    def init(
        module: Instance,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        _begin(kinds, module, num_features, eps, momentum, affine, track_running_stats, bias)

    def check(input: Any) -> None:
        if input.ndim not in DIMS[dims]:
            raise TorchError(f"expected {EXPECTED[dims]} input (got {input.ndim}D input)", kind="ValueError")

    return kinds.cls(f"BatchNorm{dims}d", init, _batch_forward(kinds, check), _batch_text, "batchnorm")


def _sync_batch_norm(kinds: Kinds) -> Class:
    """Batch norm over several processes, of which there is one."""

    def init(
        module: Instance,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        _begin(kinds, module, num_features, eps, momentum, affine, track_running_stats, bias)
        module.attributes["process_group"] = process_group

    def check(input: Any) -> None:
        if input.ndim < 2:
            raise TorchError(f"expected at least 2D input (got {input.ndim}D input)", kind="ValueError")

    made = kinds.cls("SyncBatchNorm", init, _batch_forward(kinds, check), _batch_text, "batchnorm")
    made.attributes["convert_sync_batchnorm"] = convert_sync_batchnorm(kinds.bases["_BatchNorm"])
    return made


def _begin(
    kinds: Kinds, module: Instance, count: int, eps: float, momentum: Any, affine: bool, tracked: bool, bias: bool
) -> None:  # fmt: skip
    module.attributes |= {"num_features": count, "eps": eps, "momentum": momentum, "affine": affine}
    module.attributes["track_running_stats"] = tracked
    _scale_and_shift(kinds, module, count, affine, bias)
    _statistics(kinds, module, count, tracked)


def _batch_forward(kinds: Kinds, check: Callable[[Any], None]) -> Callable[..., Any]:
    function = kinds.functional["batch_norm"]

    def forward(a: dict[str, Any], input: Any) -> Any:
        check(input)
        momentum = 0.0 if a["momentum"] is None else a["momentum"]
        tracks = a["training"] and a["track_running_stats"]
        if tracks and a["num_batches_tracked"] is not None:
            count = a["num_batches_tracked"]
            storage.write(count, count.data + 1)
            if a["momentum"] is None:
                momentum = 1.0 / float(count.data)
        uses_batch = a["training"] or a["running_mean"] is None
        kept = (a["running_mean"], a["running_var"]) if not a["training"] or tracks else (None, None)
        return function(input, *kept, a["weight"], a["bias"], uses_batch, momentum, a["eps"])

    return forward


def _statistics(kinds: Kinds, module: Instance, count: int, tracked: bool) -> None:
    """The running statistics, as buffers, or None in their place."""
    if not tracked:
        module.attributes |= {"running_mean": None, "running_var": None, "num_batches_tracked": None}
        return
    kinds.buffer(module, "running_mean", kinds.zeros(count, "zeros"))
    kinds.buffer(module, "running_var", kinds.ones(count, "ones"))
    kinds.buffer(module, "num_batches_tracked", np.int64(0))


def _batch_text(a: dict[str, Any]) -> str:
    return (
        f"{a['num_features']}, eps={a['eps']}, momentum={a['momentum']}, affine={a['affine']}, "
        f"bias={a['bias'] is not None}, track_running_stats={a['track_running_stats']}"
    )


def _instance_norm(kinds: Kinds, dims: int) -> Class:
    function = kinds.functional["instance_norm"]

    def init(
        module: Instance,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        _begin(kinds, module, num_features, eps, momentum, affine, track_running_stats, bias)

    def forward(a: dict[str, Any], input: Any) -> Any:
        _check_channels(a, input, dims)
        x = unsqueeze(input, 0) if input.ndim == dims + 1 else input
        uses_input = a["training"] or not a["track_running_stats"]
        kept = (a["running_mean"], a["running_var"], a["weight"], a["bias"])
        y = function(x, *kept, uses_input, a["momentum"] or 0.0, a["eps"])
        return squeeze(y, 0) if input.ndim == dims + 1 else y

    return kinds.cls(f"InstanceNorm{dims}d", init, forward, _batch_text, "instancenorm")


def _check_channels(a: dict[str, Any], x: Any, dims: int) -> None:
    """Raise for an input of other dims or channels; without parameters of their number, warn of the channels."""
    if x.ndim not in (dims + 1, dims + 2):
        raise TorchError(f"expected {dims + 1}D or {dims + 2}D input (got {x.ndim}D input)", kind="ValueError")
    at = x.ndim - dims - 1
    if x.shape[at] == a["num_features"]:
        return
    if a["affine"]:
        raise TorchError(
            f"expected input's size at dim={at} to match num_features ({a['num_features']}), but got: {x.shape[at]}.",
            kind="ValueError",
        )
    warn(
        f"input's size at dim={at} does not match num_features. You can silence this warning by not passing in "
        "num_features, which is not used because affine=False"
    )


def _layer_norm(kinds: Kinds) -> Class:
    function = kinds.functional["layer_norm"]

    def init(
        module: Instance,
        normalized_shape: Any,
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        module.attributes |= {"normalized_shape": shape, "eps": eps, "elementwise_affine": elementwise_affine}
        _scale_and_shift(kinds, module, shape, elementwise_affine, bias)

    def text(a: dict[str, Any]) -> str:
        return (
            f"{a['normalized_shape']}, eps={a['eps']}, elementwise_affine={a['elementwise_affine']}, "
            f"bias={a['bias'] is not None}"
        )

    return kinds.cls(
        "LayerNorm",
        init,
        lambda a, input: function(input, a["normalized_shape"], a["weight"], a["bias"], a["eps"]),
        text,
        "normalization",
    )


def _rms_norm(kinds: Kinds) -> Class:
    function = kinds.functional["rms_norm"]

    def init(
        module: Instance, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        module.attributes |= {"normalized_shape": shape, "eps": eps, "elementwise_affine": elementwise_affine}
        kinds.optional(module, "weight", kinds.ones(shape) if elementwise_affine else None)

    return kinds.cls(
        "RMSNorm",
        init,
        lambda a, x: function(x, a["normalized_shape"], a["weight"], a["eps"]),
        lambda a: f"{a['normalized_shape']}, eps={a['eps']}, elementwise_affine={a['elementwise_affine']}",
        "normalization",
    )


def _group_norm(kinds: Kinds) -> Class:
    function = kinds.functional["group_norm"]

    def init(
        module: Instance, num_groups: int, num_channels: int, eps: float = 1e-05, affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if num_channels % num_groups:
            raise TorchError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})", kind="ValueError"
            )
        module.attributes |= {"num_groups": num_groups, "num_channels": num_channels, "eps": eps, "affine": affine}
        _scale_and_shift(kinds, module, num_channels, affine)

    return kinds.cls(
        "GroupNorm",
        init,
        lambda a, input: function(input, a["num_groups"], a["weight"], a["bias"], a["eps"]),
        lambda a: (
            f"{a['num_groups']}, {a['num_channels']}, eps={a['eps']}, affine={a['affine']}, "
            f"bias={a['bias'] is not None}"
        ),
        "normalization",
    )
