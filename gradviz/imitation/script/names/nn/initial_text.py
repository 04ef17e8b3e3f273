"""`torch.nn.init`, for the machine to read: what fills a tensor in place, without recording it.

PyTorch has it in Python over the methods of tensors, and so has this: what those refuse is refused in their words.
Which numbers are drawn, and in which order, is as in torch/nn/init.py.
"""

from __future__ import annotations

INIT = """
FLAT = ["linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"]
GAINS = [(FLAT, 1), (["tanh"], 5.0 / 3), (["relu"], math.sqrt(2.0)), (["selu"], 3.0 / 4)]

def calculate_gain(nonlinearity, param=None):
    for names, gain in GAINS:
        if nonlinearity in names:
            return gain
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + slope**2))

def _calculate_fan_in_and_fan_out(tensor):
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field

def _calculate_correct_fan(tensor, mode):
    mode, modes = mode.lower(), ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]

@torch.no_grad()
def _no_grad_uniform_(tensor, a, b, generator=None): return tensor.uniform_(a, b, generator=generator)

@torch.no_grad()
def _no_grad_normal_(tensor, mean, std, generator=None): return tensor.normal_(mean, std, generator=generator)

@torch.no_grad()
def _no_grad_fill_(tensor, val): return tensor.fill_(val)

@torch.no_grad()
def _no_grad_zero_(tensor): return tensor.zero_()

def uniform_(tensor, a=0.0, b=1.0, generator=None): return _no_grad_uniform_(tensor, a, b, generator)
def normal_(tensor, mean=0.0, std=1.0, generator=None): return _no_grad_normal_(tensor, mean, std, generator)
def constant_(tensor, val): return _no_grad_fill_(tensor, val)
def ones_(tensor): return _no_grad_fill_(tensor, 1.0)
def zeros_(tensor): return _no_grad_zero_(tensor)

def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    def below(x): return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
                      "The distribution of values may be incorrect.")
    with torch.no_grad():
        is_wide = below((b - mean) / std) - below((a - mean) / std) > 0.3
        return (_all_anew if is_wide else _accepted)(tensor, mean, std, a, b, generator)

def _all_anew(tensor, mean, std, a, b, generator):
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
    found = tensor.normal_(mean, std, generator=generator)
    while (outside := (found < low) | (found > high)).any():
        found = torch.where(outside, torch.empty_like(found).normal_(mean, std, generator=generator), found)
    return tensor if found is tensor else tensor.copy_(found)

def _accepted(tensor, mean, std, a, b, generator):
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    height, kept = torch.empty_like(tensor), torch.empty_like(tensor)
    def refused():
        height.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        return kept.uniform_(generator=generator).log_().gt(height)
    height.copy_(tensor.uniform_(a, b, generator=generator))
    found, pending = tensor, refused()
    while pending.any():
        found = torch.where(pending, height.uniform_(a, b, generator=generator), found)
        pending = torch.where(pending, refused(), pending)
    return tensor if found is tensor else tensor.copy_(found)

def eye_(tensor):
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        torch.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor

def dirac_(tensor, groups=1):
    if tensor.ndimension() not in [3, 4, 5]:
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    each = sizes[0] // groups
    centre = tuple(size // 2 for size in sizes[2:])
    with torch.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(each, sizes[1])):
                tensor[(group * each + channel, channel, *centre)] = 1
    return tensor

def xavier_uniform_(tensor, gain=1.0, generator=None):
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    bound = math.sqrt(3.0) * std
    return _no_grad_uniform_(tensor, -bound, bound, generator)

def xavier_normal_(tensor, gain=1.0, generator=None):
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return _no_grad_normal_(tensor, 0.0, std, generator)

def _deviation(tensor, a, mode, nonlinearity):
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)

def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return _no_grad_uniform_(tensor, -bound, bound, generator)

def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return _no_grad_normal_(tensor, 0, _deviation(tensor, a, mode, nonlinearity), generator)

def orthogonal_(tensor, gain=1, generator=None):
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.size(0), tensor.numel() // tensor.size(0)
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    q, r = torch.linalg.qr(drawn.t_() if rows < columns else drawn)
    q *= torch.diag(r, 0).sign()
    if rows < columns:
        q.t_()
    with torch.no_grad():
        tensor.view_as(q).copy_(q)
        return tensor.mul_(gain)

def sparse_(tensor, sparsity, std=0.01, generator=None):
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[torch.randperm(rows)[:zeros], column] = 0
    return tensor

def _make_deprecate(meth):
    new, old = meth.__name__, meth.__name__[:-1]
    def deprecated_init(*args, **kwargs):
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning, stacklevel=2)
        return meth(*args, **kwargs)
    deprecated_init.__name__ = old
    return deprecated_init

uniform, normal, constant, eye, dirac, orthogonal, sparse = map(
    _make_deprecate, (uniform_, normal_, constant_, eye_, dirac_, orthogonal_, sparse_))
xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal = map(
    _make_deprecate, (xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_))
"""
