"""What `torch.amp` has in Python for custom Functions, for the machine to read: decorators of forward and backward.

Source: torch/amp/autocast_mode.py and torch/cuda/amp/autocast_mode.py, for what is cast and when.
"""

from __future__ import annotations

CUSTOM = """
from functools import wraps

OLD = "`torch.cuda.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}(args..., device_type='cuda')` instead."

def _cast(value, device_type, dtype):
    if isinstance(value, torch.Tensor):
        is_cast = value.is_floating_point() and value.device.type == device_type and value.dtype is not torch.float64
        return value.to(dtype) if is_cast else value
    if isinstance(value, dict):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(v, device_type, dtype) for v in value)
    return value

def _check(device_type):
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")

def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    _check(device_type)
    if fwd is None:
        return lambda fwd: custom_fwd(fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def decorate_fwd(*args, **kwargs):
        ctx, is_casting = args[0], torch.is_autocast_enabled(device_type)
        ctx._dtype = torch.get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = is_casting and cast_inputs is None
        if cast_inputs is None or not is_casting:
            return fwd(*args, **kwargs)
        with torch.autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd

def custom_bwd(bwd=None, *, device_type):
    _check(device_type)
    if bwd is None:
        return lambda bwd: custom_bwd(bwd, device_type=device_type)

    @wraps(bwd)
    def decorate_bwd(*args, **kwargs):
        with torch.autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd

def old_fwd(fwd=None, *, cast_inputs=None):
    warnings.warn(OLD.format("custom_fwd"), FutureWarning, stacklevel=2)
    return custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)

def old_bwd(bwd):
    warnings.warn(OLD.format("custom_bwd"), FutureWarning, stacklevel=2)
    return custom_bwd(bwd, device_type="cuda")
"""
