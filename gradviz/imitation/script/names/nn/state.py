"""`state_dict()` and `load_state_dict()`, with their hooks and what a module adds to its state itself."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.containers import fill_record
from gradviz.imitation.script.names.nn.books import (
    BOOKS,
    DEEPEST,
    all_children,
    books,
    own_buffers,
    own_known,
    own_waiting,
)
from gradviz.imitation.script.names.nn.hooks import register
from gradviz.imitation.script.names.nn.parameter import is_parameter, new_parameter
from gradviz.imitation.script.names.nn.register import set_attribute
from gradviz.imitation.script.torch_values import Handle, Uninitialized
from gradviz.imitation.script.values import Bound, Class, Instance, Native

EXTRA = "_extra_state"
POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)


VERSIONS = "_metadata"
"""How each module saved its state, by path: an attribute of what `state_dict()` gives, as in PyTorch."""


def _versions(state: Any) -> dict[str, dict[str, Any]]:
    """Of a state that `state_dict()` made; of any other, nothing."""
    return getattr(state, VERSIONS, {})


def _own_state(module: Instance) -> dict[str, Any]:
    """What one module saves: its parameters, then its buffers, among them those that a lazy one does not have yet."""
    persistent = module.attributes[BOOKS].buffers if BOOKS in module.attributes else {}
    waiting = [(name, x) for name, x in own_waiting(module) if not x.is_parameter]
    buffers = [(name, x) for name, x in own_buffers(module) if persistent[name]]
    return dict([*own_known(module), *waiting, *buffers])


def _is_of_script(module: Instance, method: str) -> bool:
    """Whether the script wrote that method itself."""
    return module.cls.find(method) is not module.machine.state["Module"].attributes[method]


def _hooks(module: Instance, kind: str) -> list[tuple[Any, ...]]:
    return list(books(module).hooks.get(kind, {}).values())


def _called(module: Instance, method: str, *given: Any, **named: Any) -> Any:
    return module.machine.call(Bound(module.cls.find(method), module), given, named)


# ---- saving ----


def state_dict(
    module: Instance, *given: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
) -> Any:
    """Parameters and buffers by name, detached: they share memory with the module's."""
    if given:
        warn(POSITIONAL, "FutureWarning")
        destination, prefix, keep_vars = [*given, *[destination, prefix, keep_vars][len(given) :]]
    result = destination
    if result is None:
        result = OrderedDict()
        setattr(result, VERSIONS, OrderedDict())
    pending = [(module, prefix, False)]
    while pending:
        found, path, is_done = pending.pop()
        if path.count(".") > DEEPEST:
            raise RecursionError
        if is_done:
            result = _after_saving(found, result, path)
        elif found is not module and _is_of_script(found, "state_dict"):
            _called(found, "state_dict", destination=result, prefix=path, keep_vars=keep_vars)
        else:
            _save(found, result, path, keep_vars)
            pending.append((found, path, True))
            pending += [(child, f"{path}{name}.", False) for name, child in reversed(all_children(found))]
    return result


def _version(module: Instance) -> dict[str, Any]:
    return {"version": module.cls.find("_version")}


def _save(module: Instance, result: Any, prefix: str, keep_vars: bool) -> None:
    if hasattr(result, VERSIONS):
        _versions(result)[prefix[:-1]] = _version(module)
    for (hook,) in _hooks(module, "state_pre"):
        module.machine.call(hook, (module, prefix, keep_vars), {})
    _called(module, "_save_to_state_dict", result, prefix, keep_vars)


def _after_saving(module: Instance, result: Any, prefix: str) -> Any:
    for hook, is_public in _hooks(module, "state"):
        changed = module.machine.call(hook, (module, result, prefix, _version(module)), {})
        if changed is not None and is_public:
            raise TorchError("state_dict post-hook must return None")
        result = result if changed is None else changed
    return result


def save_own(module: Instance, destination: Any, prefix: str, keep_vars: bool) -> None:
    """`_save_to_state_dict`: what this module saves, without those inside."""
    for name, x in _own_state(module).items():
        is_as_it_is = keep_vars or isinstance(x, Uninitialized)
        destination[prefix + name] = x if is_as_it_is else storage.alias(x, tracked=True)
    if _is_of_script(module, "get_extra_state"):
        destination[prefix + EXTRA] = _called(module, "get_extra_state")


def _never(which: str) -> Callable[..., None]:
    def refuse(*_: Any) -> None:
        raise TorchError(
            f"Reached a code path in Module.{which}_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    return refuse


# ---- loading ----


def _loaded(machine: Machine, missing: list[str], unexpected: list[str]) -> Any:
    """What `load_state_dict` returns: a named tuple of the keys that did not match."""
    cls = machine.state.get("_IncompatibleKeys")
    if cls is None:
        cls = machine.state["_IncompatibleKeys"] = Class(
            "_IncompatibleKeys", (machine.builtins["tuple"],), module="torch.nn.modules.module"
        )
        fill_record(machine, cls, ["missing_keys", "unexpected_keys"], {})
        of_record = cls.attributes["__repr__"].run
        shown = Native("__repr__", lambda keys: of_record(keys) if any(keys) else MATCHED, is_method=True)
        cls.attributes |= {"__repr__": shown, "__str__": shown}
    return machine.call(cls, (missing, unexpected), {})


MATCHED = "<All keys matched successfully>"


def load_state_dict(module: Instance, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
    """Copy numbers into the parameters and buffers.

    Raises:
        TorchError: keys or shapes that do not match, all in one message, as PyTorch lists them.
    """
    if not isinstance(state_dict, dict):
        kind = repr(module.machine.call(module.machine.builtins["type"], (state_dict,), {}))
        raise TorchError(f"Expected state_dict to be dict-like, got {kind}.", kind="TypeError")
    versions = _versions(state_dict)
    missing: list[str] = []
    unexpected: list[str] = []
    problems: list[str] = []
    pending: list[tuple[Instance, str, dict[str, Any] | None]] = [(module, "", OrderedDict(state_dict))]
    while pending:
        found, prefix, given = pending.pop()
        if given is None:
            _after_loading(found, missing, unexpected)
            continue
        if prefix.count(".") > DEEPEST:
            raise RecursionError
        facts = dict(versions.get(prefix[:-1], {})) | ({"assign_to_params_buffers": True} if assign else {})
        _called(found, "_load_from_state_dict", given, prefix, facts, True, missing, unexpected, problems)
        pending.append((found, prefix, None))
        pending += [
            (child, inner, {key: x for key, x in given.items() if key.startswith(inner)})
            for name, child in reversed(all_children(found))
            for inner in (f"{prefix}{name}.",)
        ]
    if strict:
        problems = _told("Missing", missing) + _told("Unexpected", unexpected) + problems
    if problems:
        raise TorchError(
            f"Error(s) in loading state_dict for {module.cls.name}:\n\t" + "\n\t".join(problems),
            hint="The modules that saved and that load must be built alike.",
        )
    return _loaded(module.machine, missing, unexpected)


def _told(which: str, names: list[str]) -> list[str]:
    quoted = ", ".join(f'"{name}"' for name in names)
    return [f"{which} key(s) in state_dict: {quoted}. "] if names else []


def _after_loading(module: Instance, missing: list[str], unexpected: list[str]) -> None:
    for (hook,) in _hooks(module, "load_post"):
        if module.machine.call(hook, (module, _loaded(module.machine, missing, unexpected)), {}) is not None:
            raise TorchError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace.",
                kind="AssertionError",
            )


def load_own(
    module: Instance, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
    unexpected_keys: list[str], error_msgs: list[str],
) -> None:  # fmt: skip
    """`_load_from_state_dict`: what this module takes out of a state, without those inside."""
    given = (state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    for hook, with_module in _hooks(module, "load_pre"):
        module.machine.call(hook, (module, *given) if with_module else given, {})
    for name, waiting in own_waiting(module):
        value = state_dict.get(prefix + name)
        if isinstance(value, Tensor):
            fill_waiting(module, name, waiting, np.zeros(value.shape, value.dtype))
    own, extra = _own_state(module), prefix + EXTRA
    for name, x in own.items():
        if prefix + name in state_dict:
            error_msgs += _load(module, name, x, prefix, state_dict[prefix + name], local_metadata)
        elif strict:
            missing_keys.append(prefix + name)
    if not _is_of_script(module, "set_extra_state"):
        if strict and extra in state_dict:
            unexpected_keys.append(extra)
    elif extra in state_dict:
        _called(module, "set_extra_state", state_dict[extra])
    elif strict:
        missing_keys.append(extra)
    if strict:
        known = {*own, *(f"{name}." for name, _ in all_children(module))}
        unexpected_keys += [
            key for key in state_dict if key.startswith(prefix) and key != extra and _first(key, prefix) not in known
        ]


def _first(key: str, prefix: str) -> str:
    """The first part of a path inside another, with its dot where more follows."""
    name, dot, _ = key[len(prefix) :].partition(".")
    return name + dot


SINCE_2 = "num_batches_tracked"
"""What older states do not have; only one that says that it is newer must."""


def load_statistics(module: Instance, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
    """`_load_from_state_dict` of the modules that keep running statistics."""
    counted = module.attributes.get(SINCE_2)
    if (local_metadata.get("version") or 0) < 2 and isinstance(counted, Tensor):
        state_dict.setdefault(prefix + SINCE_2, counted)
    load_own(module, state_dict, prefix, local_metadata, *rest)


def fill_waiting(module: Instance, name: str, waiting: Uninitialized, array: Any) -> None:
    """Give a lazy module a parameter or buffer that it did not have yet."""
    machine = module.machine
    made = new_parameter(machine, array) if waiting.is_parameter else machine.tensor(array)
    module.attributes[name] = made
    waiting.becomes(made)


def _load(module: Instance, name: str, x: Any, prefix: str, value: Any, facts: Any) -> list[str]:
    """Copy one tensor; what is wrong with it, if anything."""
    machine, key = module.machine, prefix + name
    if isinstance(x, Uninitialized) and isinstance(value, Uninitialized):
        return []
    if not isinstance(value, Tensor):
        kind = repr(machine.call(machine.builtins["type"], (value,), {}))
        wrong = (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {kind}"
        )
        return [wrong]
    data = value.data[0] if x.shape == () and value.shape == (1,) else value.data
    if data.shape != x.shape:
        wrong = (
            f"size mismatch for {key}: copying a param with shape torch.Size({list(value.shape)}) from checkpoint, "
            f"the shape in current model is torch.Size({list(x.shape)})."
        )
        return [wrong]
    if facts.get("assign_to_params_buffers"):
        _assign(module, name, x, value)
    elif data is x.data:
        storage.count_changes(x)
    else:
        storage.write_numbers(x, data)
    return []


def _assign(module: Instance, name: str, x: Tensor, value: Tensor) -> None:
    """Take the tensor of the state itself."""
    if is_parameter(x):
        value = module.machine.call(module.machine.state["Parameter"], (value, x.requires_grad), {})
    set_attribute(module, name, value)


# ---- hooks ----


def _registers(kind: str, *flags: Any) -> Callable[..., Handle]:
    return lambda module, hook: register(kind, module, hook, *flags)


def _register_load_pre(module: Instance, hook: Any, with_module: bool = False) -> Handle:
    return register("load_pre", module, hook, with_module)


METHODS: dict[str, Callable[..., Any]] = {
    "state_dict": state_dict, "load_state_dict": load_state_dict, "_save_to_state_dict": save_own,
    "_load_from_state_dict": load_own, "get_extra_state": _never("get"), "set_extra_state": _never("set"),
    "register_state_dict_pre_hook": _registers("state_pre"),
    "register_state_dict_post_hook": _registers("state", True), "_register_state_dict_hook": _registers("state", False),
    "register_load_state_dict_pre_hook": _registers("load_pre", True),
    "_register_load_state_dict_pre_hook": _register_load_pre,
    "register_load_state_dict_post_hook": _registers("load_post"),
}  # fmt: skip

__all__ = ["METHODS", "load_state_dict", "load_statistics", "state_dict"]
