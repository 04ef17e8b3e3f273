"""What `torch.nn.utils.parametrize` and `parametrizations` are in Python, for the machine to read.

Sources: torch/nn/utils/parametrize.py and parametrizations.py, for what is called in which order and what is refused.
"""

from __future__ import annotations

PARAMETRIZE = """
from contextlib import contextmanager
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

def _register(module, name, x):
    if isinstance(x, nn.Parameter):
        module.register_parameter(name, x)
    else:
        module.register_buffer(name, x)

def _set(kept, new):
    if new is not kept:
        kept.data = new

class ParametrizationList(nn.ModuleList):
    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with torch.no_grad():
            new = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        if not isinstance(new, (torch.Tensor, tuple, list)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, torch.Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if original.dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\\n"
                    f"original.dtype: {original.dtype}\\nright_inverse(original).dtype: {new.dtype}"
                )
            with torch.no_grad():
                _set(original, new)
            _register(self, "original", original)
        else:
            self._register_each(original, new)
        if not self.unsafe:
            self._check(shape, dtype)
    def _register_each(self, original, new):
        for i, each in enumerate(new):
            if not isinstance(each, torch.Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {i} of the sequence with type {type(each).__name__}."
                )
            if isinstance(original, nn.Parameter):
                each = nn.Parameter(each, original.requires_grad)
            each.requires_grad_(original.requires_grad)
            _register(self, f"original{i}", each)
    def _check(self, shape, dtype):
        made = self()
        if not isinstance(made, torch.Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        for what, before, after in (("dtype", dtype, made.dtype), ("shape", shape, made.shape)):
            if before != after:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                    f"enabled.\\nunparametrized {what}: {before}\\nparametrized {what}: {after}"
                )
    def right_inverse(self, value):
        with torch.no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                self._take_one(value)
            else:
                self._take_each(value)
    def _take_one(self, value):
        if not isinstance(value, torch.Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
        if value.dtype != self.original.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                f"{self.original.dtype}"
            )
        _set(self.original, value)
    def _take_each(self, value):
        if not isinstance(value, (tuple, list)):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                f"length {len(value)}."
            )
        for i, each in enumerate(value):
            kept = getattr(self, f"original{i}")
            if not isinstance(each, torch.Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. Got element "
                    f"{i} of type {type(each).__name__}."
                )
            if kept.dtype != each.dtype:
                raise ValueError(
                    f"Tensor {i} returned by `right_inverse` has dtype {each.dtype} while `original{i}` has dtype "
                    f"{kept.dtype}"
                )
            _set(kept, each)
    def forward(self):
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for i in range(1, len(self)):
            x = self[i](x)
        return x

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

def _check_inverse(parametrization, made, name, before):
    try:
        back = parametrization.right_inverse(made)
    except NotImplementedError:
        return
    if not isinstance(back, torch.Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        if getattr(back, what) != getattr(before, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\\nmodule.{name}.{what}: {getattr(before, what)}\\nreturned "
                f"{what}: {getattr(back, what)}"
            )

def _check_added(module, name, parametrization):
    before = getattr(module, name)
    made = parametrization(before)
    if not isinstance(made, torch.Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(made, what) != getattr(before, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is "
                f"enabled.\\nmodule.{name}.{what}: {getattr(before, what)}\\nparametrization(module.{name}).{what}: "
                f"{getattr(made, what)}"
            )
    if hasattr(parametrization, "right_inverse"):
        _check_inverse(parametrization, made, name, before)

def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_added(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        held = ParametrizationList([parametrization], original, unsafe=unsafe)
        take_out(module, tensor_name)
        if not is_parametrized(module):
            inject_class(module)
            module.parametrizations = nn.ModuleDict()
        _inject(module, tensor_name)
        module.parametrizations[tensor_name] = held
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module

def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    held = module.parametrizations[tensor_name]
    if held.is_tensor:
        original = held.original
        if leave_parametrized:
            with torch.no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        t = getattr(module, tensor_name)
        original = nn.Parameter(t) if t.requires_grad else t
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    take_out(module, tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        restore_class(module)
    return module

def type_before_parametrizations(module):
    return type(module).__bases__[0] if is_parametrized(module) else type(module)

def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    if is_parametrized(from_module):
        for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
            held = from_module.parametrizations[name]
            if not hasattr(to_module, name):
                setattr(to_module, name, nn.Parameter(getattr(from_module, name)))
            for each in held:
                register_parametrization(to_module, name, each)
            for key in ["original"] if held.is_tensor else [f"original{i}" for i in range(held.ntensors)]:
                setattr(to_module.parametrizations[name], key, getattr(held, key))
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
    if dim == 0:
        return v.contiguous().view(v.size(0), -1).norm(pow, 1).view(v.size(0), *[1] * (v.dim() - 1))
    if dim == v.dim() - 1:
        return v.contiguous().view(-1, v.size(dim)).norm(pow, 0).view(*[1] * (v.dim() - 1), v.size(dim))
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)

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
        g, v = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if g in state_dict and v in state_dict:
            first, second = state_dict.pop(g), state_dict.pop(v)
            state_dict[f"{prefix}parametrizations.{name}.original0"] = first
            state_dict[f"{prefix}parametrizations.{name}.original1"] = second
    module._register_load_state_dict_pre_hook(rename)
    return module

class _SpectralNorm(nn.Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            h, w = matrix.size()
            u = matrix.new_empty(h).normal_(0, 1)
            v = matrix.new_empty(w).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=self.eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=self.eps))
            self._power_method(matrix, 15)
    def _reshape_weight_to_matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)
    def _power_method(self, weight_mat, n_power_iterations):
        with torch.no_grad():
            for _ in range(n_power_iterations):
                self._u.copy_(F.normalize(torch.mv(weight_mat, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(torch.mv(weight_mat.t(), self._u), dim=0, eps=self.eps))
    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(matrix, v))
    def right_inverse(self, value):
        return value

def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    weight = _weight(module, name)
    if dim is None:
        dim = 1 if isinstance(module, (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)) else 0
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
"""
