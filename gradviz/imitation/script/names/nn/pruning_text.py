"""What `torch.nn.utils.prune` is in Python, for the machine to read.

What is called in which order, what is drawn and what is refused is as in PyTorch.
"""

from __future__ import annotations

PRUNE = """
from abc import ABC, abstractmethod
def _along(t, dim, chosen): return (slice(None),) * (dim % t.dim()) + (chosen,)

def _refuse_other_shape(scores, like, what):
    assert scores.shape == like.shape, (
        f"importance_scores should have the same shape as {what}, got {scores.shape} vs {like.shape}"
    )

def _hooks(module, name):
    return [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]

def _rename(module, old, new, weight):
    module.register_parameter(new, weight)
    del module._parameters[old]

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
        weight = getattr(module, name)
        scores = weight if importance_scores is None else importance_scores
        _refuse_other_shape(scores, weight, f"parameter {name} of {module}")
        if isinstance(method, PruningContainer):
            method._cut(module, scores, getattr(module, name + "_mask").detach().clone())
            return method
        _rename(module, name, name + "_orig", weight)
        try:
            method._cut(module, scores, torch.ones_like(weight))
        except Exception:
            _rename(module, name + "_orig", name, weight)
            raise
        return method
    def _cut(self, module, scores, before):
        name = self._tensor_name
        module.register_buffer(name + "_mask", self.compute_mask(scores, default_mask=before))
        setattr(module, name, self.apply_mask(module))
        module.register_forward_pre_hook(self)
    def prune(self, t, default_mask=None, importance_scores=None):
        scores = t if importance_scores is None else importance_scores
        _refuse_other_shape(scores, t, "tensor t")
        return t * self.compute_mask(scores, default_mask=torch.ones_like(t) if default_mask is None else default_mask)
    def remove(self, module):
        name = self._tensor_name
        assert name is not None, f"Module {module} has to be pruned before pruning can be removed"
        left = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        weight = module._parameters.pop(name + "_orig")
        weight.data = left.data
        del module._buffers[name + "_mask"]
        setattr(module, name, weight)

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
        if method.dim < -t.dim():
            raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
        others = [d for d in range(t.dim()) if d != method.dim % t.dim()]
        return _along(t, method.dim, mask.sum(dim=others) != 0)
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

class _Counted(BasePruningMethod):
    def __init__(self, amount):
        if not isinstance(amount, (int, float)):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if amount < 0 or (isinstance(amount, float) and amount > 1.0):
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
            )
        self.amount = amount
    def _count(self, size):
        count = self.amount if isinstance(self.amount, int) else round(self.amount * size)
        if size < count:
            raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
        return count

class _OfEntries(_Counted):
    PRUNING_TYPE = "unstructured"
    def compute_mask(self, t, default_mask):
        count, mask = self._count(t.numel()), default_mask.clone()
        if count:
            mask.view(-1)[self._places(t, count)] = 0
        return mask

class _OfChannels(_Counted):
    PRUNING_TYPE = "structured"
    def compute_mask(self, t, default_mask):
        if t.dim() < 2:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. "
                f"Found tensor of shape {t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        count = self._count(t.shape[self.dim])
        if not count:
            return default_mask
        mask = torch.zeros_like(t)
        mask[_along(t, self.dim, self._left(t, t.shape[self.dim], count))] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask

class RandomUnstructured(_OfEntries):
    def __init__(self, amount): super().__init__(amount)
    def _places(self, t, count): return torch.topk(torch.rand_like(t).view(-1), k=count).indices
    @classmethod
    def apply(cls, module, name, amount): return super().apply(module, name, amount=amount)

class L1Unstructured(_OfEntries):
    def __init__(self, amount): super().__init__(amount)
    def _places(self, t, count): return torch.topk(torch.abs(t).view(-1), k=count, largest=False).indices
    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)

class RandomStructured(_OfChannels):
    def __init__(self, amount, dim=-1):
        super().__init__(amount)
        self.dim = dim
    def _left(self, t, size, count):
        drawn = torch.rand(size)
        return drawn > torch.kthvalue(drawn, k=count).values
    @classmethod
    def apply(cls, module, name, amount, dim=-1): return super().apply(module, name, amount=amount, dim=dim)

class LnStructured(_OfChannels):
    def __init__(self, amount, n, dim=-1):
        super().__init__(amount)
        self.n, self.dim = n, dim
    def _left(self, t, size, count):
        lengths = torch.norm(t, p=self.n, dim=[d for d in range(t.dim()) if d != self.dim % t.dim()])
        return torch.topk(lengths, k=size - count).indices
    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        given = {"amount": amount, "n": n, "dim": dim}
        return super().apply(module, name, importance_scores=importance_scores, **given)

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
    weights = [getattr(*place) for place in parameters]
    masks = [getattr(module, f"{name}_mask", torch.ones_like(w)) for (module, name), w in zip(parameters, weights)]
    flat = nn.utils.parameters_to_vector
    ranked, before = flat([scores.get((m, name), w) for (m, name), w in zip(parameters, weights)]), flat(masks)
    whole, method = PruningContainer(), pruning_method(**kwargs)
    whole._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    whole.add_pruning_method(method)
    cut = whole.compute_mask(ranked, before).split([w.numel() for w in weights])
    for (module, name), weight, mask in zip(parameters, weights, cut):
        custom_from_mask(module, name, mask=mask.view_as(weight))

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
