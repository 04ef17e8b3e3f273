"""`state_dict()` and `load_state_dict()`."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from gradviz.engine import storage
from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.machine import Machine
from gradviz.script.names.library.containers import fill_record
from gradviz.script.names.nn.books import BOOKS, dotted, named_modules, own_buffers, own_parameters
from gradviz.script.values import Class, Instance, Native, type_name


def _entries(module: Instance, prefix: str = "") -> dict[str, Tensor]:
    """Everything that is saved, by dotted name: of each module its parameters, then its buffers."""
    found: dict[str, Tensor] = {}
    for path, inner in named_modules(module, once=False):
        persistent = inner.attributes[BOOKS].buffers if BOOKS in inner.attributes else {}
        kept = [(name, x) for name, x in own_buffers(inner) if persistent[name]]
        found |= {f"{prefix}{dotted(path, name)}": x for name, x in [*own_parameters(inner), *kept]}
    return found


def state_dict(
    module: Instance, *, destination: Any = None, prefix: str = "", keep_vars: bool = False
) -> OrderedDict[str, Tensor]:
    """Parameters and buffers by name, detached: they share memory with the module's."""
    result: OrderedDict[str, Tensor] = OrderedDict() if destination is None else destination
    for name, x in _entries(module, prefix).items():
        result[name] = x if keep_vars else storage.alias(x, tracked=True)
    return result


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


SINCE_2 = "num_batches_tracked"
"""What older states do not have; only one that says that it is newer must."""
MATCHED = "<All keys matched successfully>"


def load_state_dict(module: Instance, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
    """Copy numbers into the parameters and buffers.

    Raises:
        TorchError: keys or shapes that do not match, all in one message, as PyTorch lists them.
    """
    if not isinstance(state_dict, dict):
        kind = repr(module.machine.call(module.machine.builtins["type"], (state_dict,), {}))
        raise TorchError(f"Expected state_dict to be dict-like, got {kind}.", kind="TypeError")
    entries = _entries(module)
    missing = [name for name in entries if name not in state_dict and not name.endswith(SINCE_2)]
    unexpected = [name for name in state_dict if name not in entries]
    problems = []
    if strict and missing:
        problems.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
    if strict and unexpected:
        problems.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
    for name, x in entries.items():
        if name in state_dict:
            problems += _load(name, x, state_dict[name])
    if problems:
        raise TorchError(
            f"Error(s) in loading state_dict for {module.cls.name}:\n\t" + "\n\t".join(problems),
            hint="The modules that saved and that load must be built alike.",
        )
    return _loaded(module.machine, missing, unexpected)


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _load(name: str, x: Tensor, value: Any) -> list[str]:
    """Copy one tensor; what is wrong with it, if anything."""
    if not isinstance(value, Tensor):
        wrong = (
            f'While copying the parameter named "{name}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received <class '{type_name(value)}'>"
        )
        return [wrong]
    if value.shape != x.shape:
        wrong = (
            f"size mismatch for {name}: copying a param with shape torch.Size({list(value.shape)}) from checkpoint, "
            f"the shape in current model is torch.Size({list(x.shape)})."
        )
        return [wrong]
    if value.data is x.data:
        storage.count_changes(x)
    else:
        storage.write(x, value.data)
    return []
