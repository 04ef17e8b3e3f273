"""What `torch.nn.utils.prune` is in Python, for the machine to read.

Source: torch/nn/utils/prune.py, for what is called in which order, what is drawn and what is refused.
"""

from __future__ import annotations

PRUNE = """
from abc import ABC, abstractmethod
def _count(amount, size):
    count = amount if isinstance(amount, int) else round(amount * size)
    if count > size:
        raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
    return count

def _check_amount(amount):
    if not isinstance(amount, (int, float)):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (isinstance(amount, float) and amount > 1.0):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )

def _check_axis(t, dim):
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. "
            f"Found tensor of shape {t.shape} with {t.dim()} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")

def _along(t, dim, chosen):
    place = [slice(None)] * t.dim()
    place[dim] = chosen
    return tuple(place)

def _only(t, dim, chosen):
    mask = torch.zeros_like(t)
    mask[_along(t, dim, chosen)] = 1
    return mask

def _hooks(module, name):
    return [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]

class BasePruningMethod(ABC):
    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))
    @abstractmethod
    def compute_mask(self, t, default_mask):
        pass
    def apply_mask(self, module):
        assert self._tensor_name is not None, f"Module {module} has to be pruned"
        original = getattr(module, self._tensor_name + "_orig")
        return getattr(module, self._tensor_name + "_mask").to(dtype=original.dtype) * original
    @classmethod
    def _joined(cls, module, name, *args, **kwargs):
        before = _hooks(module, name)
        assert len(before) <= 1, (
            f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer."
        )
        for key, _ in before:
            del module._forward_pre_hooks[key]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if not before:
            return method
        old = before[0][1]
        container = old if isinstance(old, PruningContainer) else PruningContainer(old)
        container.add_pruning_method(method)
        return container
    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        method = cls._joined(module, name, *args, **kwargs)
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        assert scores.shape == original.shape, (
            f"importance_scores should have the same shape as parameter {name} of {module}, "
            f"got {scores.shape} vs {original.shape}"
        )
        is_first = not isinstance(method, PruningContainer)
        if is_first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            before = torch.ones_like(original)
        else:
            before = getattr(module, name + "_mask").detach().clone()
        try:
            module.register_buffer(name + "_mask", method.compute_mask(scores, default_mask=before))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception as error:
            if is_first:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise error
        return method
    def prune(self, t, default_mask=None, importance_scores=None):
        scores = t if importance_scores is None else importance_scores
        assert scores.shape == t.shape, (
            f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
        )
        before = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=before)
    def remove(self, module):
        name = self._tensor_name
        assert name is not None, f"Module {module} has to be pruned before pruning can be removed"
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[name + "_orig"]
        original.data = weight.data
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, original)

class PruningContainer(BasePruningMethod):
    def __init__(self, *args):
        self._pruning_methods = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)
    def add_pruning_method(self, method):
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)
    def __len__(self):
        return len(self._pruning_methods)
    def __iter__(self):
        return iter(self._pruning_methods)
    def __getitem__(self, idx):
        return self._pruning_methods[idx]
    def _open(self, method, t, mask):
        if method.PRUNING_TYPE == "unstructured":
            return mask == 1
        if method.PRUNING_TYPE == "global":
            return (slice(None),) * t.dim()
        if method.PRUNING_TYPE != "structured":
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        dim = method.dim + t.dim() if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
        return _along(t, dim, mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0)
    def compute_mask(self, t, default_mask):
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        place = self._open(method, t, default_mask)
        mask[place] = method.compute_mask(t[place], default_mask=default_mask[place]).to(dtype=mask.dtype)
        return mask

class Identity(BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def compute_mask(self, t, default_mask):
        return default_mask
    @classmethod
    def apply(cls, module, name):
        return super().apply(module, name)

class RandomUnstructured(BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount
    def compute_mask(self, t, default_mask):
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count != 0:
            mask.view(-1)[torch.topk(torch.rand_like(t).view(-1), k=count).indices] = 0
        return mask
    @classmethod
    def apply(cls, module, name, amount):
        return super().apply(module, name, amount=amount)

class L1Unstructured(BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount
    def compute_mask(self, t, default_mask):
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count != 0:
            mask.view(-1)[torch.topk(torch.abs(t).view(-1), k=count, largest=False).indices] = 0
        return mask
    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)

class RandomStructured(BasePruningMethod):
    PRUNING_TYPE = "structured"
    def __init__(self, amount, dim=-1):
        _check_amount(amount)
        self.amount = amount
        self.dim = dim
    def compute_mask(self, t, default_mask):
        _check_axis(t, self.dim)
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        if count == 0:
            return default_mask
        drawn = torch.rand(size)
        mask = _only(t, self.dim, drawn > torch.kthvalue(drawn, k=count).values)
        mask *= default_mask.to(dtype=mask.dtype)
        return mask
    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount=amount, dim=dim)

class LnStructured(BasePruningMethod):
    PRUNING_TYPE = "structured"
    def __init__(self, amount, n, dim=-1):
        _check_amount(amount)
        self.amount = amount
        self.n = n
        self.dim = dim
    def compute_mask(self, t, default_mask):
        _check_axis(t, self.dim)
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        kept = torch.topk(torch.norm(t, p=self.n, dim=others), k=size - count, largest=True).indices
        if count == 0:
            return default_mask
        mask = _only(t, self.dim, kept)
        mask *= default_mask.to(dtype=mask.dtype)
        return mask
    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)

class CustomFromMask(BasePruningMethod):
    PRUNING_TYPE = "global"
    def __init__(self, mask):
        self.mask = mask
    def compute_mask(self, t, default_mask):
        assert default_mask.shape == self.mask.shape, (
            f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
        )
        return default_mask * self.mask.to(dtype=default_mask.dtype)
    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask=mask)

def identity(module, name):
    Identity.apply(module, name)
    return module

def random_unstructured(module, name, amount):
    RandomUnstructured.apply(module, name, amount)
    return module

def l1_unstructured(module, name, amount, importance_scores=None):
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module

def random_structured(module, name, amount, dim):
    RandomStructured.apply(module, name, amount, dim)
    return module

def ln_structured(module, name, amount, n, dim, importance_scores=None):
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module

def custom_from_mask(module, name, mask):
    CustomFromMask.apply(module, name, mask)
    return module

def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    if not hasattr(parameters, "__iter__"):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    vector = nn.utils.parameters_to_vector
    relevant = vector([scores.get((module, name), getattr(module, name)) for module, name in parameters])
    before = vector(
        [getattr(module, name + "_mask", torch.ones_like(getattr(module, name))) for module, name in parameters]
    )
    container = PruningContainer()
    method = pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    mask = container.compute_mask(relevant, before)
    start = 0
    for module, name in parameters:
        weight = getattr(module, name)
        custom_from_mask(module, name, mask=mask[start : start + weight.numel()].view_as(weight))
        start += weight.numel()

def remove(module, name):
    for key, hook in _hooks(module, name)[:1]:
        hook.remove(module)
        del module._forward_pre_hooks[key]
        return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")

def is_pruned(module):
    return any(
        isinstance(hook, BasePruningMethod) for each in module.modules() for hook in each._forward_pre_hooks.values()
    )
"""
