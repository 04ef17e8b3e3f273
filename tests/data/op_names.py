"""What the expressions in ops*.json may name, whoever evaluates them: PyTorch to record them, the engine in tests."""

from __future__ import annotations

METHODS = frozenset({"double", "unfold"})
"""Methods whose names mean something else as a name of torch or of nn.functional."""


class Names(dict):
    """Leaves, `torch` and `neural`, the functions of nn.functional and of torch, and methods as functions of a tensor.

    Args:
        leaves: the tensors of an expression.
        torch: PyTorch, or the engine.
        functional: its nn.functional, which expressions call `neural` where torch has the same name.
    """

    def __init__(self, leaves, torch, functional):
        super().__init__(leaves, torch=torch, neural=functional, T=lambda x: x.T)

    def __missing__(self, name):
        modules = (self["neural"], self["torch"])
        for owner in (self["torch"].Tensor,) if name in METHODS else (*modules, self["torch"].Tensor):
            try:
                return getattr(owner, name)
            except AttributeError:
                continue
        return getattr(self["torch"], name)  # its own error
