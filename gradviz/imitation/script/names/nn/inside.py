"""What scripts import from inside `torch.nn`: sizes as tuples, names of types, copies of layers, other batch norms.

Sources: torch/nn/modules/utils.py, module.py and transformer.py, torch/nn/common_types.py, torch/types.py.
"""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.copies import deep
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.late import Late
from gradviz.imitation.script.names.library.making import natives, with_machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.names.nn.books import children, named_modules
from gradviz.imitation.script.names.nn.kinds import STATISTICS
from gradviz.imitation.script.names.nn.register import add_module, set_attribute
from gradviz.imitation.script.values import Class, Instance, Native, OnClass

TUPLES = """
def _ntuple(n, name="parse"):
    def parse(x): return tuple(x) if isinstance(x, Iterable) else (x,) * n
    parse.__name__ = name
    return parse
_single, _pair, _triple, _quadruple = (
    _ntuple(n, name) for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1))
def _reverse_repeat_tuple(t, n): return tuple(x for x in reversed(t) for _ in range(n))
def _list_with_default(out_size, defaults):
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size):])]
def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    for key in [key for key in state_dict.keys() if key.startswith(prefix)]:
        state_dict[key[len(prefix):]] = state_dict.pop(key)
    held = getattr(state_dict, "_metadata", {})
    for key in [key for key in held if key and (key == prefix.replace(".", "") or key.startswith(prefix))]:
        held[key[len(prefix):]] = held.pop(key)
"""
SIZES = """
_size_any_t = int | tuple[int, ...]
_size_1_t, _size_2_t, _size_3_t, _size_4_t, _size_5_t, _size_6_t = (
    int | tuple[(int,) * n] for n in range(1, 7))
_size_any_opt_t, _size_2_opt_t, _size_3_opt_t = (
    int | None | tuple[inside] for inside in ((int | None, ...), (int | None,) * 2, (int | None,) * 3))
_ratio_any_t, _ratio_2_t, _ratio_3_t = (
    float | tuple[inside] for inside in ((float, ...), (float, float), (float, float, float)))
_tensor_list_t = torch.Tensor | tuple[torch.Tensor, ...]
_maybe_indices_t = torch.Tensor | tuple[torch.Tensor, torch.Tensor]
"""
TYPES = """
_Number = (int, float, bool)
Number = int | float | bool
Device = torch.device | str | int | None
_size = torch.Size | list[int] | tuple[int, ...]
"""


def _late(machine: Machine, name: str, text: str, **same: str) -> Late:
    """A module of such names, and of `same`, names of Python's own types."""

    def read() -> dict[str, Any]:
        outer = {"Iterable": machine.modules["collections"].members["abc"].members["Iterable"]}
        made = run_text(machine, text, {**machine.builtins, **outer, "torch": machine.modules["torch"]}, name)
        return made | {name: machine.builtins[kind] for name, kind in same.items()}

    return Late(name, read)


def tuples(machine: Machine) -> Late:
    """`torch.nn.modules.utils`."""
    return _late(machine, "torch.nn.modules.utils", TUPLES)


def common_types(machine: Machine) -> Late:
    """`torch.nn.common_types`."""
    return _late(machine, "torch.nn.common_types", SIZES)


def types(machine: Machine) -> Late:
    """`torch.types`."""
    return _late(machine, "torch.types", TYPES, _int="int", _float="float", _bool="bool")


def add_indent(text: str, spaces: int) -> str:
    """`_addindent`: all lines but the first moved to the right."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line if line.strip() else "" for line in rest)])


def clones(machine: Machine, module: Any, count: int) -> Any:
    """`_get_clones`: a ModuleList of deep copies."""
    made = [deep(machine, module, {}) for _ in range(count)]
    return machine.call(machine.modules["torch"].members["nn"].members["ModuleList"], (made,), {})


def names(room: str) -> dict[str, Any]:
    """What the module `torch.nn.modules.ROOM` has besides its classes."""
    if room == "module":
        return natives({"_addindent": add_indent})
    return with_machine({"_get_clones": clones}) if room == "transformer" else {}


# ---- batch norm ----


def convert_sync_batchnorm(base: Class) -> OnClass:
    """`SyncBatchNorm.convert_sync_batchnorm`, where `base` is what all batch norms derive from."""

    def synced(cls: Class, module: Instance) -> Instance:
        if not module.cls.is_a(base):
            return module
        held = module.attributes
        given = [held[name] for name in ("num_features", "eps", "momentum", "affine", "track_running_stats")]
        made: Instance = module.machine.call(cls, (*given, None), {"bias": held["bias"] is not None})
        made.attributes |= {name: held[name] for name in (*STATISTICS, "weight", "bias", "training")}
        for name, child in children(module):
            add_module(made, name, child)
        return made

    def convert(cls: Class, module: Any, process_group: Any = None) -> Any:
        top = synced(cls, module)
        pending = [top]
        while pending:
            owner = pending.pop()
            for name, child in list(children(owner)):
                held = synced(cls, child)
                set_attribute(owner, name, held)
                pending.append(held)
        return top

    return OnClass(Native("convert_sync_batchnorm", convert))


def without_statistics(machine: Machine, root: Instance) -> Instance:
    """`torch.func.replace_all_batch_norm_modules_`: every batch norm takes the mean and variance of its batch."""
    base = machine.modules["torch"].members["nn"].members["modules"].members["_BatchNorm"]
    for _, module in named_modules(root):
        if module.cls.is_a(base) and module.attributes["track_running_stats"]:
            module.attributes |= {**dict.fromkeys(STATISTICS), "track_running_stats": False}
    return root
