"""ParameterList and ParameterDict."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.dtypes import type_name as tensor_kind
from gradviz.imitation.engine.kind_names import short_name
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.held import (
    NAMED,
    clear,
    container,
    delete_key,
    get_or,
    held,
    iterable,
    keys,
    pairs,
)
from gradviz.imitation.script.names.nn.kinds import Kinds, prepare
from gradviz.imitation.script.names.nn.parameter import is_parameter, new_parameter
from gradviz.imitation.script.values import Class, Instance


def parameter_containers(kinds: Kinds) -> dict[str, Class]:
    """Both by name."""
    return {
        "ParameterList": container(
            kinds, "ParameterList", _parameter_list, extra_repr=_parameters_text("torch.{dtype} of size {size}"),
            __getitem__=_get_parameter, __setitem__=_set_parameter, forward=_not_called,
            __len__=lambda m: len(held(m)), __iter__=lambda m: iter([x for _, x in held(m)]),
            append=_append_parameter, extend=_extend_parameters,
        ),
        "ParameterDict": container(
            kinds, "ParameterDict", _parameter_dict, extra_repr=_parameters_text("torch.{kind}Tensor of size {size}"),
            update=_update_parameters, __getitem__=_get_named, __setitem__=_set_named, __delitem__=delete_key,
            pop=_pop_named, get=get_or, popitem=_pop_last, setdefault=_get_or_set, copy=_copied, fromkeys=_of_keys,
            clear=clear, __or__=_united, __ror__=_united_after, __ior__=_updated,
            __reversed__=lambda m: iter(list(keys(m))[::-1]), __call__=_called, **NAMED,
        ),
    }  # fmt: skip


def _not_called(module: Instance, *_: Any, **__: Any) -> None:
    raise TorchError("ParameterList should not be called.")


def _called(module: Instance, input: Any) -> None:
    raise TorchError(f"{module.cls.name} should not be called.")


def _parameter_list(module: Instance, values: Any = None) -> None:
    if values is not None:
        _extend_parameters(module, values)


def _as_parameter(module: Instance, value: Any) -> Any:
    """A plain tensor becomes a parameter, as PyTorch makes it one."""
    if isinstance(value, Tensor) and not is_parameter(value):
        return new_parameter(module.machine, value.data)
    return value


def _set_named(module: Instance, key: str, value: Any) -> None:
    found = _as_parameter(module, value)
    if isinstance(found, Tensor):
        module.machine.name(found, key, is_global=False)
    module.attributes[key] = found


def _append_parameter(module: Instance, value: Any) -> Instance:
    _set_named(module, str(len(held(module))), value)
    return module


def _extend_parameters(module: Instance, values: Any) -> Instance:
    for value in iterable(module, values, "ParameterList.extend"):
        _append_parameter(module, value)
    return module


def _get_parameter(module: Instance, index: Any) -> Any:
    values = [value for _, value in held(module)]
    if isinstance(index, slice):
        part = Instance(module.cls, module.machine)
        prepare(part)
        for value in values[index]:
            _append_parameter(part, value)
        return part
    if not -len(values) <= index < len(values):
        raise TorchError(f"index {index} is out of range", kind="IndexError")
    return values[index]


def _set_parameter(module: Instance, index: int, value: Any) -> None:
    _set_named(module, str(index % max(len(held(module)), 1)), value)


def _parameter_dict(module: Instance, parameters: Any = None) -> None:
    if parameters is not None:
        _update_parameters(module, parameters)


def _update_parameters(module: Instance, parameters: Any) -> None:
    for name, value in pairs(module, parameters, "Parameter"):
        if not isinstance(name, str):
            raise TorchError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{short_name(name)}'). Open an issue on github if you need non-string keys.",
                kind="TypeError",
            )
        _set_named(module, name, value)


def _get_named(module: Instance, key: str) -> Any:
    found = dict(held(module))
    if key not in found:  # PyTorch asks for an attribute
        raise TorchError(f"'{module.cls.name}' object has no attribute '{key}'", kind="AttributeError")
    return found[key]


def _pop_named(module: Instance, key: str) -> Any:
    found = _get_named(module, key)
    del module.attributes[key]
    return found


def _pop_last(module: Instance) -> tuple[str, Any]:
    found = held(module)
    if not found:
        raise TorchError("'dictionary is empty'", kind="KeyError")
    del module.attributes[found[-1][0]]
    return found[-1]


def _get_or_set(module: Instance, key: str, default: Any = None) -> Any:
    if key not in dict(held(module)):
        _set_named(module, key, default)
    return _get_named(module, key)


def _of_pairs(module: Instance, *given: Any) -> Instance:
    """A new ParameterDict of what each holds, the last first where two have a key."""
    made = Instance(module.machine.state["ParameterDict"], module.machine)
    prepare(made)
    for each in given:
        _update_parameters(made, each)
    return made


def _copied(module: Instance) -> Instance:
    return _of_pairs(module, dict(held(module)))


def _of_keys(module: Instance, keys: Any, default: Any = None) -> Instance:
    return _of_pairs(module, dict.fromkeys(module.machine.listed(keys), default))


def _united(module: Instance, other: Any) -> Instance:
    return _of_pairs(module, dict(held(module)), other)


def _united_after(module: Instance, other: Any) -> Instance:
    return _of_pairs(module, other, dict(held(module)))


def _updated(module: Instance, other: Any) -> Instance:
    _update_parameters(module, other)
    return module


def _parameters_text(form: str) -> Any:
    def text(module: Instance) -> str:
        lines = []
        for name, value in held(module):
            if not isinstance(value, Tensor):
                lines.append(f"  ({name}): Object of type: {short_name(value)}")
                continue
            kind, dtype = tensor_kind(value.dtype), value.dtype.name
            size = "x".join(map(str, value.shape))
            what = "Parameter" if is_parameter(value) else "Tensor"
            lines.append(f"  ({name}): {what} containing: [{form.format(kind=kind, dtype=dtype, size=size)}]")
        return "\n".join(lines)

    return text
