"""`torch.device`, and what PyTorch built for the CPU says of every other device."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.torch_values import CPU, Device
from gradviz.imitation.script.values import Namespace, Native

TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip
ONLY_CPU = "There is only the CPU here; use torch.device('cpu')."
NO_DEVICE = "A text names a device; dtypes are written without quotes, torch.float64."


def device(type: Any = "cpu", index: Any = None) -> Device:
    """`torch.device("cuda:0")`: a name, whether there is such a device or not.

    Raises:
        TorchError: no device has that name.
    """
    if isinstance(type, Device):
        return type
    if isinstance(type, int):
        return Device("cuda", type)
    if not re.fullmatch(r"[A-Za-z_]+(:(0|[1-9][0-9]*))?", str(type)):
        text = f"Invalid device string: '{type}'" if type else "Device string must not be empty"
        raise TorchError(text, hint=ONLY_CPU if not type or ":" in str(type) else NO_DEVICE)
    name, colon, number = str(type).partition(":")
    if name not in TYPES:
        raise TorchError(
            f"Expected one of {', '.join(TYPES)} device type at start of device string: {name}", hint=ONLY_CPU
        )
    return Device(name, int(number) if colon else index)


def require(given: Any) -> None:
    """Nothing for the CPU.

    Raises:
        TorchError: any other device, in the words of a PyTorch built for the CPU.
        ScriptError: the device without values, which PyTorch has everywhere and gradviz has not.
    """
    wanted = CPU if given is None else device(given)
    if wanted.type == "cuda":
        raise no_cuda()
    if wanted.type == "meta":
        raise ScriptError(
            "tensors without values (the device 'meta') are not supported by gradviz",
            hint="Leave them on the CPU: `functional_call` and `load_state_dict` replace their values all the same.",
        )
    if wanted.type != "cpu":
        raise TorchError(f"PyTorch is not linked with support for {wanted.type} devices", hint=ONLY_CPU)


def no_cuda() -> TorchError:
    """The error of everything that needs CUDA."""
    return TorchError("Torch not compiled with CUDA enabled", kind="AssertionError", hint=ONLY_CPU)


def refuse(*_: Any, **__: Any) -> Any:
    """`x.cuda()` and the like."""
    raise no_cuda()


NO_PINNED = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this "
    "system."
)
OF_DATA = ("tensor", "as_tensor", "asarray", "from_numpy", "new_tensor")
"""Functions that PyTorch gives no argument `layout`."""


def makers(table: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Functions that make tensors, with what PyTorch has them take besides: there is one device and one layout here."""
    made = {name: checked(run, () if name in OF_DATA else ("layout",)) for name, run in table.items()}
    like = {name: checked(run, ("layout", "memory_format")) for name, run in table.items() if name.endswith("_like")}
    return made | like


def checked(make: Callable[..., Any], unread: tuple[str, ...] = ()) -> Callable[..., Any]:
    """A function that makes a tensor, with its argument `device` looked at first.

    Args:
        make: the function.
        unread: further arguments, which change nothing here.
    """

    @wraps(make)
    def run(*arguments: Any, **options: Any) -> Any:
        require(options.pop("device", None))
        if options.pop("pin_memory", False):
            raise TorchError(NO_PINNED, hint="Leave pin_memory out: memory is pinned for copies to a GPU.")
        for name in unread:
            options.pop(name, None)
        return make(*arguments, **options)

    run.__signature__ = inspect.signature(make)  # type: ignore[attr-defined]
    return run


def accelerator() -> Namespace:
    """`torch.accelerator`, where there is none."""
    values = {"is_available": False, "current_accelerator": None, "device_count": 0}
    members = {name: Native(name, lambda *_, value=value, **__: value) for name, value in values.items()}
    return Namespace("torch.accelerator", members)


def cuda() -> Namespace:
    """`torch.cuda`, where there is none."""
    silent = ("manual_seed", "manual_seed_all", "empty_cache", "init", "reset_peak_memory_stats")
    needing = (
        "synchronize",
        "current_device",
        "get_device_name",
        "get_device_properties",
        "set_device",
        "mem_get_info",
    )
    members = {name: Native(name, lambda *_, **__: None) for name in silent}
    members |= {name: Native(name, refuse) for name in needing}
    values = {
        "is_available": False, "is_initialized": False, "device_count": 0, "memory_allocated": 0, "memory_reserved": 0,
        "max_memory_allocated": 0,
    }  # fmt: skip
    members |= {name: Native(name, lambda *_, value=value: value) for name, value in values.items()}
    return Namespace("torch.cuda", members)
