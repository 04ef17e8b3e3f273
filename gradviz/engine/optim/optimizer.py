"""What all optimizers share: parameter groups, state per parameter, `zero_grad`, state dicts, hooks around `step`."""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, Self, TypeAlias

import numpy as np

from gradviz.engine.graph import RemovableHandle, add_hook
from gradviz.engine.modes import enable_grad, no_grad
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import replace
from gradviz.ops.op import Array

Group: TypeAlias = dict[str, Any]
Closure: TypeAlias = Callable[[], Any]
Hook: TypeAlias = Callable[..., Any]


class Optimizer:
    """The base class of optimizers, to derive one's own from: `step` is theirs.

    Args:
        params: tensors, pairs of a name and a tensor, or dicts with "params" and options of their own.
        defaults: the options of groups that do not set them.

    Attributes:
        param_groups: one dict per group: its tensors under "params", and its options.
        state: what the optimizer remembers of each parameter.

    Raises:
        TypeError, ValueError: no parameters, or something that cannot be one.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let the hooks run around the `step` of a subclass."""
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    _pre_hooks: dict[int, Hook]
    _post_hooks: dict[int, Hook]
    _has_stepped: bool

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make what `step` needs: an optimizer around another one, such as Lookahead, often calls no `__init__`."""
        made = super().__new__(cls)
        made._pre_hooks, made._post_hooks, made._has_stepped = {}, {}, False
        return made

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            kind = params.type()
            raise TypeError(
                f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {kind}"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"{'' if not number else chr(10)}Parameter Group {number}")
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])

    def step(self, closure: Closure | None = None) -> Any:
        """Change every parameter once, along its gradient.

        Args:
            closure: computes the loss anew, with its gradients; called once before the change.

        Returns:
            What the closure returned.
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or make them zeros of their own where `set_to_none` is False."""
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                if set_to_none:
                    param.grad = None
                else:
                    gradient = param.grad.detach() if param.grad.requires_grad else param.grad
                    param.grad = gradient.zero_()

    def add_param_group(self, param_group: Group) -> None:
        """Take another group of parameters, e.g. layers that thaw later.

        Raises:
            TypeError, ValueError: it holds no tensors, a tensor that is no leaf, or one of another group.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = param_group
        given = group["params"]
        if isinstance(given, Tensor):
            given = [given]
        elif isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        params = list(given)
        if params and all(isinstance(param, tuple) for param in params):
            group["param_names"] = [name for name, _ in params]
            params = [param for _, param in params]
        group["params"] = params
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {_type_text(param)}")
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        own = set(map(id, params))
        if len(own) < len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        if own & {id(param) for other in self.param_groups for param in other["params"]}:
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    # ---- state dicts ----

    def state_dict(self) -> dict[str, Any]:
        """State and groups, with each parameter replaced by its number, for `load_state_dict`."""
        numbers = {id(param): number for number, param in enumerate(_params_of(self.param_groups))}
        groups = [
            {
                **{name: value for name, value in group.items() if name != "params"},
                "params": [numbers[id(param)] for param in group["params"]],
            }
            for group in self.param_groups
        ]
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: kept for key, kept in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over what `state_dict` gave. The tensors of the state are shared with it, as in PyTorch.

        Raises:
            ValueError: it belongs to other groups.
        """
        groups = copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(own["params"]) != len(new["params"]) for own, new in zip(self.param_groups, groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        params = dict(zip(_params_of(groups), _params_of(self.param_groups), strict=True))
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, kept in state_dict["state"].items():
            param = params.get(key, key)
            state[param] = {
                name: _like_parameter(value, param) if name != "step" else value for name, value in kept.items()
            }
        for own, new in zip(self.param_groups, groups, strict=True):
            new["params"] = own["params"]
        self.param_groups, self.state = groups, state

    # ---- hooks ----

    def register_step_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call hook(optimizer, args, kwargs) before each step; it may return other args and kwargs."""
        return add_hook(self._pre_hooks, hook)

    def register_step_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call hook(optimizer, args, kwargs) after each step."""
        return add_hook(self._post_hooks, hook)


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` around which hooks run, and which is remembered to have run."""

    @functools.wraps(step)
    def run(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if self._pre_hooks:
            for hook in list(self._pre_hooks.values()):
                changed = hook(self, (self, *args), kwargs)
                if changed is not None:
                    (_, *args), kwargs = changed
        found = step(self, *args, **kwargs)
        self._has_stepped = True
        if self._post_hooks:
            for hook in list(self._post_hooks.values()):
                hook(self, (self, *args), kwargs)
        return found

    return run


def _like_parameter(value: Any, param: Any) -> Any:
    """What is remembered of a parameter, in its dtype."""
    if not isinstance(value, Tensor) or not isinstance(param, Tensor):
        return value
    return value.to(param.dtype) if param.is_floating_point() else value


def _params_of(groups: Iterable[Group]) -> list[Any]:
    return list(chain.from_iterable(group["params"] for group in groups))


def _type_text(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


# ---- optimizers that change one parameter after the other ---------------------------------------------------------


NOT_NEGATIVE = frozenset(("alpha", "eps", "initial_accumulator_value", "lr_decay", "momentum", "rho", "weight_decay"))
"""Options that are 0 or more in every optimizer that takes them."""


class GradientDescent(Optimizer):
    """An optimizer that changes each parameter by its own gradient; `move` says how.

    Raises:
        ValueError: an option out of its range.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        check_rate(defaults["lr"])
        for name, value in defaults.items():
            if name in NOT_NEGATIVE:
                check("epsilon value" if name == "eps" else f"{name} value", value, value >= 0)
        for number, beta in enumerate(defaults.get("betas", ())):
            check(f"beta parameter at index {number}", beta, 0 <= beta < 1)
        super().__init__(params, defaults)

    def move(self, x: Array, g: Array, memory: Memory, group: Group) -> Any:
        """The parameter after one step.

        Args:
            x: its numbers, and `g`, its gradient of the same shape.
            memory: what the optimizer remembers of this parameter.
            group: the options.
        """
        raise NotImplementedError

    def step(self, closure: Closure | None = None) -> Any:
        """Change every parameter once, along its gradient; see `Optimizer.step`."""
        loss = evaluate(closure)
        with no_grad(), np.errstate(all="ignore"):
            for group in self.param_groups:
                sign = -1 if group["maximize"] else 1
                for param in group["params"]:
                    gradient = param.grad
                    if gradient is None:
                        continue
                    x, g = current(param).array, current(gradient).array
                    moved = self.move(x, g if sign == 1 else -g, Memory(self.state, param), group)
                    replace(param, np.asarray(moved, x.dtype)[()])
        return loss


def evaluate(closure: Closure | None) -> Any:
    """The loss that a closure computes, with gradients recorded; None without a closure."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


class Memory:
    """What an optimizer remembers of one parameter: arrays here, tensors in `optimizer.state`."""

    __slots__ = ("_param", "_state")

    def __init__(self, state: defaultdict[Tensor, dict[str, Any]], param: Tensor) -> None:
        self._state = state
        self._param = param

    def read(self, name: str, otherwise: Any = 0.0) -> Any:
        """The numbers remembered under a name; something else where there are none yet."""
        kept = self._state[self._param].get(name)
        return otherwise if kept is None else current(kept).array

    def keep(self, name: str, array: Any) -> Any:
        """Remember numbers under a name, and return them."""
        kept = self._state[self._param]
        found = kept.get(name)
        if found is None:
            kept[name] = constant(array)
        else:
            replace(found, array)
        return array

    def count_step(self) -> int:
        """Which step this is, from 1."""
        return int(self.keep("step", np.float32(self.read("step") + 1)))


def check(name: str, value: Any, is_valid: bool) -> None:
    """Refuse an option that makes no sense.

    Raises:
        ValueError: it is not valid.
    """
    if not is_valid:
        raise ValueError(f"Invalid {name}: {value}")


def check_rate(lr: Any) -> None:
    """Refuse a learning rate below 0, or one that is a tensor of several numbers.

    Raises:
        ValueError: it is not valid.
    """
    if isinstance(lr, Tensor) and current(lr).array.size != 1:
        raise ValueError("Tensor lr must be 1-element")
    check("learning rate", lr, not lr < 0)
