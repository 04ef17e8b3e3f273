"""What `torch.nn.utils.parametrize` and `parametrizations` are in Python, for the machine to read.

What is called in which order, and what is refused, is as in PyTorch.
"""

from __future__ import annotations

PARAMETRIZE = """
from collections import namedtuple
from contextlib import contextmanager, suppress
from functools import reduce
_kept = {}
_depth = [0]

@contextmanager
def cached():
    _depth[0] += 1
    try:
        yield
    finally:
        _depth[0] -= 1
        if not _depth[0]:
            _kept.clear()

def _hold(module, name, tensor):
    add = module.register_parameter if isinstance(tensor, nn.Parameter) else module.register_buffer
    add(name, tensor)

def _refuse_other(before, after, said):
    for what in ("dtype", "shape"):
        if getattr(before, what) != getattr(after, what):
            raise ValueError(said(what, getattr(before, what), getattr(after, what)))

def _refuse_no_tensor(made, said):
    if not isinstance(made, torch.Tensor):
        raise ValueError(said.format(type(made).__name__))

NO_TENSOR = "A parametrization must return a tensor. Got {}."

def _may_not_change(flag, one, other):
    return lambda what, before, after: (
        f"Registering a parametrization may not change the {what} of the tensor, unless {flag} flag is enabled.\\n"
        f"{one}{what}: {before}\\n{other}{what}: {after}")

_Looks = namedtuple("_Looks", "shape dtype")

class ParametrizationList(nn.ModuleList):
    def __init__(self, modules, original, unsafe=False):
        if not len(modules):
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe, looks = unsafe, _Looks(original.shape, original.dtype)
        start = self._first(original)
        self.is_tensor = isinstance(start, torch.Tensor)
        if not self.is_tensor and not isinstance(start, (tuple, list)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(start).__name__}")
        self.ntensors = 1 if self.is_tensor else len(start)
        (self._begin_with_one if self.is_tensor else self._begin_with_many)(original, start)
        if not unsafe:
            made = self()
            _refuse_no_tensor(made, NO_TENSOR)
            _refuse_other(looks, made, _may_not_change("`unsafe`", "unparametrized ", "parametrized "))

    @torch.no_grad()
    def _first(self, value):
        for module in [each for each in self if hasattr(each, "right_inverse")][::-1]:
            with suppress(NotImplementedError):
                value = module.right_inverse(value)
        return value
    def _begin_with_one(self, original, start):
        if start.dtype != original.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\\n"
                f"original.dtype: {original.dtype}\\nright_inverse(original).dtype: {start.dtype}")
        self._put(original, start)
        _hold(self, "original", original)
    def _begin_with_many(self, original, start):
        grows = original.requires_grad
        for name, each in zip(self._names(), start):
            if not isinstance(each, torch.Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                    f"{name[8:]} of the sequence with type {type(each).__name__}.")
            held = nn.Parameter(each, grows) if isinstance(original, nn.Parameter) else each
            _hold(self, name, held.requires_grad_(grows))

    def _names(self): return ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]
    def _put(self, held, value):
        if held is not value:
            with torch.no_grad():
                held.data = value
    @torch.no_grad()
    def right_inverse(self, value):
        for module in self[::-1]:
            if not hasattr(module, "right_inverse"):
                raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
            value = module.right_inverse(value)
        if self.is_tensor:
            self._take_one(value)
        else:
            self._take_many(value)
    def _take_one(self, value):
        _refuse_no_tensor(value, "`right_inverse` should return a tensor. Got {}")
        if self.original.dtype != value.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                f"{self.original.dtype}")
        self._put(self.original, value)
    def _take_many(self, values):
        if not isinstance(values, (tuple, list)):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(values).__name__}.")
        if self.ntensors != len(values):
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                f"length {len(values)}.")
        for name, value in zip(self._names(), values):
            held = getattr(self, name)
            if not isinstance(value, torch.Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. Got element "
                    f"{name[8:]} of type {type(value).__name__}.")
            if value.dtype != held.dtype:
                raise ValueError(
                    f"Tensor {name[8:]} returned by `right_inverse` has dtype {value.dtype} while `{name}` has dtype "
                    f"{held.dtype}")
            self._put(held, value)
    def forward(self):
        first, *others = self
        return reduce(lambda x, each: each(x), others, first(*[getattr(self, name) for name in self._names()]))

def is_parametrized(module, tensor_name=None):
    held = getattr(module, "parametrizations", None)
    if not isinstance(held, nn.ModuleDict):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held

def _inject(module, name):
    def get(self):
        work = self.parametrizations[name]
        if not _depth[0]:
            return work()
        key = (id(module), name)
        if key not in _kept:
            _kept[key] = work()
        return _kept[key]
    def put(self, value):
        self.parametrizations[name].right_inverse(value)
    inject_property(module, name, get, put)

def _refuse_added(module, name, added):
    before = getattr(module, name)
    made = added(before)
    _refuse_no_tensor(made, NO_TENSOR)
    _refuse_other(
        before, made, _may_not_change("the `unsafe`", f"module.{name}.", f"parametrization(module.{name})."))
    if not hasattr(added, "right_inverse"):
        return
    with suppress(NotImplementedError):
        back = added.right_inverse(made)
        _refuse_no_tensor(back, "parametrization.right_inverse must return a tensor. Got: {}")
        _refuse_other(before, back, lambda what, wanted, found: (
            f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, "
            f"unless the `unsafe` flag is enabled.\\nmodule.{name}.{what}: {wanted}\\nreturned {what}: {found}"))

def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _refuse_added(module, tensor_name, parametrization)
        held = module.parametrizations[tensor_name]
        held.append(parametrization)
        held.unsafe = held.unsafe or unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'")
    held = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    take_out(module, tensor_name)
    if not is_parametrized(module):
        inject_class(module)
        module.parametrizations = nn.ModuleDict()
    _inject(module, tensor_name)
    module.parametrizations[tensor_name] = held
    return module

def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    held = module.parametrizations[tensor_name]
    if not (held.is_tensor or leave_parametrized):
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors.")
    made = getattr(module, tensor_name) if leave_parametrized else None
    if not held.is_tensor:
        left = nn.Parameter(made) if made.requires_grad else made
    else:
        left = held.original
        if leave_parametrized:
            held._put(left, made)
    del module.parametrizations[tensor_name]
    take_out(module, tensor_name)
    _hold(module, tensor_name, left)
    if not is_parametrized(module):
        restore_class(module)
    return module

def type_before_parametrizations(module):
    return type(module).__bases__[0] if is_parametrized(module) else type(module)

def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    known = from_module.parametrizations if is_parametrized(from_module) else {}
    for name in list(known) if tensor_name is None or not known else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, nn.Parameter(getattr(from_module, name)))
        for each in known[name]:
            register_parametrization(to_module, name, each)
        for key in known[name]._names():
            setattr(to_module.parametrizations[name], key, getattr(known[name], key))
    return to_module
"""

KINDS = """
def _weight(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight

def norm_except_dim(v, pow=2, dim=0):
    if dim == -1:
        return v.norm(pow)
    if dim not in (0, v.dim() - 1):
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    flat = v.contiguous().view((v.size(0), -1) if dim == 0 else (-1, v.size(dim)))
    ones = [1] * (v.dim() - 1)
    return flat.norm(pow, 1 if dim == 0 else 0).view([v.size(0), *ones] if dim == 0 else [*ones, v.size(dim)])

class _WeightNorm(nn.Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim
    def forward(self, weight_g, weight_v):
        if self.dim in (0, weight_v.dim() - 1):
            return weight_norm_of(weight_v, weight_g, self.dim)
        return weight_v * (weight_g / norm_except_dim(weight_v, 2, self.dim))
    def right_inverse(self, weight):
        return norm_except_dim(weight, 2, self.dim), weight

def weight_norm(module, name="weight", dim=0):
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    def rename(state_dict, prefix, *rest):
        old = [f"{prefix}{name}_{letter}" for letter in "gv"]
        if all(key in state_dict for key in old):
            for place, tensor in enumerate([state_dict.pop(key) for key in old]):
                state_dict[f"{prefix}parametrizations.{name}.original{place}"] = tensor
    module._register_load_state_dict_pre_hook(rename)
    return module

class _SpectralNorm(nn.Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        count = weight.dim()
        if not -count <= dim < count:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{count}, {count - 1}] but got {dim})")
        if n_power_iterations < 1:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim, self.eps = dim % count, eps
        if count == 1:
            return
        self.n_power_iterations, rows = n_power_iterations, self._rows(weight)
        starts = [rows.new_empty(size).normal_() for size in rows.shape]
        for name, start in zip(("_u", "_v"), starts):
            self.register_buffer(name, self._unit(start))
        self._turn(rows, 15)
    def _unit(self, vector): return F.normalize(vector, dim=0, eps=self.eps)
    def _rows(self, weight):
        others = [place for place in range(weight.dim()) if place != self.dim]
        return (weight.permute(self.dim, *others) if self.dim else weight).flatten(1)
    @torch.no_grad()
    def _turn(self, rows, times):
        for _ in range(times):
            self._u.copy_(self._unit(torch.mv(rows, self._v)))
            self._v.copy_(self._unit(torch.mv(rows.t(), self._u)))
    def forward(self, weight):
        if weight.dim() == 1:
            return self._unit(weight)
        rows = self._rows(weight)
        if self.training:
            self._turn(rows, self.n_power_iterations)
        left, right = self._u.clone(), self._v.clone()
        return weight / torch.vdot(left, torch.mv(rows, right))
    def right_inverse(self, value): return value

def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    weight = _weight(module, name)
    turned = isinstance(module, (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d))
    norm = _SpectralNorm(weight, n_power_iterations, int(turned) if dim is None else dim, eps)
    return parametrize.register_parametrization(module, name, norm)
"""
