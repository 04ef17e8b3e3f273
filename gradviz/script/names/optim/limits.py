"""Options of optimizers that are out of range, and parameters that one cannot take."""

from __future__ import annotations

from typing import Any

from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.torch_values import Size
from gradviz.script.values import type_name


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
        if isinstance(value, tuple):
            continue  # the eps of Adafactor
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


OF_MUON = {"lr": "Learning rate", "momentum": "momentum", "weight_decay": "weight decay"}
SCALES = ("original", "match_rms_adamw")


def check_muon(options: dict[str, Any]) -> None:
    """What `check_options` does, in Muon's own words."""
    if isinstance(options["lr"], Tensor) and options["lr"].data.size != 1:
        raise TorchError("Tensor lr must be 1-element", kind="ValueError")
    for key, what in OF_MUON.items():
        if not plain_number(options[key]) >= 0.0:
            raise TorchError(f"{what} should be >= 0 but is: {options[key]}", kind="ValueError")
    scale = options["adjust_lr_fn"]
    if scale is not None and scale not in SCALES:
        raise TorchError(f"Adjust learning rate function {scale} is not supported", kind="ValueError")


def check_matrix(shape: tuple[int, ...]) -> None:
    """Refuse a parameter that is no matrix."""
    if len(shape) != 2:
        raise TorchError(
            f"Muon only supports 2D parameters whereas we found a parameter with size: {Size(shape)}", kind="ValueError"
        )


def any_shape(shape: tuple[int, ...]) -> None:
    """Every parameter will do."""
