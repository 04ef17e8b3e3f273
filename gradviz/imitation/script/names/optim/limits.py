"""Options of optimizers that are out of range, and parameters that one cannot take."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.torch_values import Size
from gradviz.imitation.script.values import type_name


def plain_number(x: Any) -> Any:
    """The number in a tensor, or the number itself."""
    return x.data.item() if isinstance(x, Tensor) else x


LIMITS = {
    "lr": "learning rate", "momentum": "momentum value", "weight_decay": "weight_decay value", "eps": "epsilon value",
    "alpha": "alpha value", "rho": "rho value", "lr_decay": "lr_decay value",
    "momentum_decay": "momentum_decay value", "initial_accumulator_value": "initial_accumulator_value value",
}  # fmt: skip


def check_options(options: dict[str, Any]) -> None:
    """Raise for a rate, momentum or the like that is out of range."""
    if isinstance(options.get("lr"), Tensor) and options["lr"].data.size != 1:
        raise TorchError("Tensor lr must be 1-element", kind="ValueError")
    if isinstance(options.get("lr"), Tensor) and options.get("foreach") and not options.get("capturable", True):
        what = "lr as a Tensor is not supported for capturable=False and foreach=True"
        raise TorchError(what, kind="ValueError")
    for key, what in LIMITS.items():
        value = plain_number(options.get(key, 0))
        if not isinstance(value, int | float):
            of_float = f"'<=' not supported between instances of 'float' and '{type_name(value)}'"
            of_value = f"'<' not supported between instances of '{type_name(value)}' and 'float'"
            raise TorchError(of_value if "dampening" in options else of_float, kind="TypeError")
        if not value >= 0.0 or (key == "rho" and value > 1.0):
            raise TorchError(f"Invalid {what}: {value}", kind="ValueError")
    for pair in ("betas", "etas"):
        if not hasattr(options.get(pair, ()), "__getitem__"):
            raise TorchError(f"'{type_name(options[pair])}' object is not subscriptable", kind="TypeError")
    for i, beta in enumerate(options.get("betas", ())):
        if not 0.0 <= beta < 1.0:
            raise TorchError(f"Invalid beta parameter at index {i}: {beta}", kind="ValueError")
    low, high = options.get("etas", (0.5, 1.2))
    if not 0.0 < low < 1.0 < high:
        raise TorchError(f"Invalid eta values: {low}, {high}", kind="ValueError")
    if options.get("nesterov") and (options["momentum"] <= 0 or options["dampening"] != 0):
        raise TorchError("Nesterov momentum requires a momentum and zero dampening", kind="ValueError")


def check_adam(options: dict[str, Any]) -> None:
    """What `check_options` does; and both betas must be of one kind. They are kept as a tuple, whatever held them."""
    check_options(options)
    first, second, *_ = options["betas"]
    if not any(isinstance(first, kind) and isinstance(second, kind) for kind in (float, Tensor)):
        raise TorchError("betas must be either both floats or both Tensors", kind="ValueError")
    options["betas"] = tuple(options["betas"])


SCALES = ("original", "match_rms_adamw")


def _one_rate(lr: Any) -> Any:
    if isinstance(lr, Tensor) and lr.data.size != 1:
        raise TorchError("Tensor lr must be 1-element", kind="ValueError")
    return plain_number(lr)


def _not_below(least: float, value: Any, what: str) -> None:
    if not least <= plain_number(value):
        raise TorchError(f"{what} should be >= {least:g} but is: {value}", kind="ValueError")


def check_adafactor(options: dict[str, Any]) -> None:
    """What `check_options` does, in Adafactor's own words."""
    _not_below(0.0, _one_rate(options["lr"]), "Learning rate")
    if not options["beta2_decay"] <= 0.0:
        raise TorchError(f"beta2_decay should be <= 0 but is: {options['beta2_decay']}", kind="ValueError")
    eps = options["eps"]
    if eps[0] is not None:
        _not_below(0.0, eps[0], "epsilon1")
    _not_below(0.0, eps[1], "epsilon2")
    _not_below(1.0, options["d"], "Clipping threshold d")
    _not_below(0.0, options["weight_decay"], "weight_decay")


def check_muon(options: dict[str, Any]) -> None:
    """What `check_options` does, in Muon's own words."""
    _not_below(0.0, _one_rate(options["lr"]), "Learning rate")
    _not_below(0.0, options["momentum"], "momentum")
    _not_below(0.0, options["weight_decay"], "weight decay")
    scale = options["adjust_lr_fn"]
    if scale is not None and scale not in SCALES:
        raise TorchError(f"Adjust learning rate function {scale} is not supported", kind="ValueError")


HELD = {
    "NAdam": "params, mu_products and state_steps", "ASGD": "params, mus, etas, and state_steps",
}  # fmt: skip
"""What each optimizer looks for on a device that captures; for the others it is params and state_steps."""


def check_forms(name: str, options: dict[str, Any]) -> None:
    """Refuse, at a step, what needs another device than the CPU."""
    if options.get("capturable") and not options.get("fused"):
        devices = ["cuda", "xpu", "hpu", "privateuseone"]
        devices += ["xla"] if not options["foreach"] and name != "Adadelta" else []
        raise TorchError(
            f"If capturable=True, {HELD.get(name, 'params and state_steps')} must be on supported devices: {devices}.",
            kind="AssertionError",
        )


def check_matrix(shape: tuple[int, ...]) -> None:
    """Refuse a parameter that is no matrix."""
    if len(shape) != 2:
        raise TorchError(
            f"Muon only supports 2D parameters whereas we found a parameter with size: {Size(shape)}", kind="ValueError"
        )


def any_shape(shape: tuple[int, ...]) -> None:
    """Every parameter will do."""
