"""`torch.nn`: modules as classes that a script can use and derive from."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.arguments.checking import reading
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.nn import inside
from gradviz.imitation.script.names.nn.adaptive import adaptive_classes
from gradviz.imitation.script.names.nn.attention import attention_classes, forward_function
from gradviz.imitation.script.names.nn.base import module_class
from gradviz.imitation.script.names.nn.containers import container_classes
from gradviz.imitation.script.names.nn.hooks import global_names
from gradviz.imitation.script.names.nn.initial import init_namespace
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.names.nn.layers import layer_classes
from gradviz.imitation.script.names.nn.lazy import lazy_classes
from gradviz.imitation.script.names.nn.losses import loss_classes
from gradviz.imitation.script.names.nn.padding import padding_classes, upsampling_classes
from gradviz.imitation.script.names.nn.parallel import attention_kernels, data_parallel, parallel_namespace
from gradviz.imitation.script.names.nn.parameter import parameter_class
from gradviz.imitation.script.names.nn.recurrent import recurrent_classes
from gradviz.imitation.script.names.nn.simple import simple_classes
from gradviz.imitation.script.names.nn.transformer import transformer_classes
from gradviz.imitation.script.names.nn.utilities import vectors_namespace
from gradviz.imitation.script.torch_values import Uninitialized
from gradviz.imitation.script.values import Class, Namespace, Native

CALLED_IN = {"sigmoid": "torch", "tanh": "torch"}
"""Where modules call functions of `torch` rather than those of `torch.nn.functional`."""


def namespace(machine: Machine, functional: dict[str, Any]) -> Namespace:
    """The namespace `torch.nn`.

    Args:
        machine: whose names these are.
        functional: the functions of `torch.nn.functional` by name; a module is offered where its function exists.
    """
    base = module_class(machine)
    machine.state["Module"] = base
    parameter = machine.state["Parameter"] = parameter_class(machine)
    buffer = parameter.attributes.pop("(buffer)")
    functions = {name: reading(CALLED_IN.get(name, "torch.nn.functional"), name, f) for name, f in functional.items()}
    kinds = Kinds(machine, base, functions)
    classes: dict[str, Class] = {
        "Module": base,
        **kinds.bases,
        **container_classes(kinds),
        **simple_classes(kinds),
        **layer_classes(kinds),
        **padding_classes(kinds),
        **upsampling_classes(kinds),
        **loss_classes(kinds),
        **recurrent_classes(kinds),
    }
    parallel = data_parallel(kinds)
    machine.state["ParameterDict"] = classes["ParameterDict"]
    classes |= attention_classes(kinds, classes["Linear"])
    transformer_classes(kinds, classes)
    classes |= lazy_classes(kinds, classes)
    classes |= adaptive_classes(kinds, classes)
    functional["multi_head_attention_forward"] = forward_function(functional)
    names = Namespace("torch.nn.functional", {name: Native(name, run) for name, run in functional.items()})
    for function in names.members.values():
        function.is_functional = True
    modules = {
        name: Namespace(f"torch.nn.modules.{name}", {key: c for key, c in classes.items() if c.module.endswith(name)})
        for name in {cls.module.rpartition(".")[2] for cls in classes.values()}
    }
    modules["module"].members.update(global_names())
    for room, module in modules.items():
        module.members.update(inside.names(room))
    modules["utils"] = inside.tuples(machine)
    uninitialized = Class("UninitializedParameter", python=(Uninitialized,), module="torch.nn.parameter")
    return Namespace(
        "torch.nn",
        {
            **{name: cls for name, cls in classes.items() if not name.startswith("_")},
            "Parameter": parameter,
            "Buffer": buffer,
            "parameter": Namespace(
                "torch.nn.parameter",
                {"Parameter": parameter, "Buffer": buffer, "UninitializedParameter": uninitialized},
            ),
            "common_types": inside.common_types(machine),
            "DataParallel": parallel,
            "parallel": parallel_namespace(parallel),
            "attention": attention_kernels(machine),
            "functional": names,
            "init": init_namespace(machine),
            "utils": vectors_namespace(machine),
            "modules": Namespace("torch.nn.modules", {**classes, **modules}),
        },
    )
