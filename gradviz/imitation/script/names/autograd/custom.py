"""`torch.autograd.Function` for classes of the script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.custom.function import apply_function
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.tensor import Tensor, constant, record
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd.custom_forward import check, is_pushing, method, run_jvp, turned
from gradviz.imitation.script.names.library.looking import signature
from gradviz.imitation.script.tensors.grad_nodes import OF_FUNCTIONS, GradNode
from gradviz.imitation.script.values import Class, Function, Instance, Native, OnClass

NO_FORWARD = "You must implement the forward function for custom autograd.Function."
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD."
)


LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
    "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
NO_OBJECT = (
    "{cls!r} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on "
    "the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
)
ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"


def base_classes(machine: Machine) -> dict[str, Class]:
    """What `torch.autograd.function` has besides Function: the classes of what `forward` and `backward` are given."""
    module, of_all = "torch.autograd.function", (machine.builtins["object"],)
    bases = (
        Class("_FunctionBase", of_all, module="torch._C"),
        Class("FunctionCtx", of_all, python=(Context,), module=module),
        Class("_HookMixin", of_all, module=module),
    )
    of_nodes = Class("BackwardCFunction", bases, module=module)
    of_nodes.check = lambda x: isinstance(x, Context) or (isinstance(x, GradNode) and bool(x.module))
    machine.state[OF_FUNCTIONS] = of_nodes
    return {cls.name: cls for cls in (*bases, of_nodes)}


def function_class(machine: Machine, bases: tuple[Class, ...]) -> Class:
    """`torch.autograd.Function`."""
    own = Class("_SingleLevelFunction", bases[:3], module="torch.autograd.function")

    def apply(cls: Class, *arguments: Any, **keywords: Any) -> Any:
        given = _by_position(machine, cls, arguments, keywords)
        check(machine, cls, given)
        used: list[Context] = []

        def run(ctx: Context, inside: Sequence[Any]) -> Any:
            used.append(ctx)
            return forward(cls, ctx, inside)

        result = apply_function(cls.name, given, run, _backward(cls))
        if method(cls, "jvp") is not None:
            run_jvp(machine, cls, used[0])
        return result

    def forward(cls: Class, ctx: Context, arguments: Sequence[Any]) -> Any:
        code = method(cls, "forward")
        if code is None:
            raise TorchError(NO_FORWARD, kind="NotImplementedError")
        ctx.arguments = tuple(arguments)
        setup = method(cls, "setup_context")
        with machine.tape.grad_mode(False):  # even where the tensors are hidden in a list or dict
            output = machine.call(code, (ctx, *arguments) if setup is None else tuple(arguments), {})
        if setup is None:
            return output
        machine.call(setup, (ctx, tuple(arguments), output), {})
        return output

    def _backward(cls: Class) -> Callable[..., Any]:
        def run(ctx: Context, *gradients: Tensor | None) -> Any:
            if is_pushing(machine, ctx):
                return turned(machine, ctx, gradients)
            code = method(cls, "backward") or method(cls, "vjp")
            if code is None:
                raise TorchError(NO_BACKWARD, kind="NotImplementedError")
            return machine.call(code, (ctx, *gradients), {})

        return run

    def init(self: Instance, *_: Any, **__: Any) -> None:
        warn(NO_OBJECT.format(cls=self.cls), "DeprecationWarning")

    def call(self: Instance, *_: Any, **__: Any) -> None:
        raise TorchError(LEGACY, hint=f"Write {self.cls.name}.apply(x).")

    methods = {
        "apply": OnClass(Native("Function.apply", apply, is_method=True)),
        "__init__": Native("__init__", init, is_method=True),
        "__call__": Native("__call__", call, is_method=True),
    }
    return Class("Function", (own,), methods, module="torch.autograd.function")


def _by_position(machine: Machine, cls: Class, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of `apply` by position: those given by name, and defaults where there is `setup_context`."""
    code, has_setup = method(cls, "forward"), method(cls, "setup_context") is not None
    if not isinstance(code, Function) or not (keywords or has_setup):
        return arguments
    if has_setup:
        given = signature(machine, code).bind(*arguments, **keywords)
        given.apply_defaults()
        return given.args
    names = code.params.positional[1:]
    for name in keywords:
        if name not in names:
            raise TorchError(f"forward() got an unexpected keyword argument '{name}'", kind="TypeError")
    found = list(arguments)
    for name in names[len(arguments) :]:
        if name in keywords:
            found.append(keywords[name])
        elif name in code.params.defaults:
            found.append(code.params.defaults[name])
        else:
            break
    return tuple(found)


def once_differentiable(machine: Machine, function: Any) -> Native:
    """`@once_differentiable`: the backward is not recorded; to differentiate it again is an error."""

    def run(ctx: Context, *gradients: Any) -> Any:
        tape = machine.tape
        with tape.grad_mode(False):
            result = machine.call(function, (ctx, *gradients), {})
        if not tape.grad_enabled or not any(isinstance(g, Tensor) and g.requires_grad for g in gradients):
            return result
        several = result if isinstance(result, tuple) else (result,)
        refused = tuple(_refused(x) if isinstance(x, Tensor) else x for x in several)
        return refused if isinstance(result, tuple) else refused[0]

    return Native(getattr(function, "name", "backward"), run, is_method=True)


def _refused(x: Tensor) -> Tensor:
    """The tensor as the result of a node whose backward is an error."""

    def fail(*_: Any) -> Any:
        raise TorchError(ONCE, hint="Leave @once_differentiable out, and write backward with torch functions.")

    source = constant(x.data, x.tape)
    source.requires_grad = True
    op = Op(
        "once_differentiable", "!", np.array, (), ("x",), ("g",), "y = x", node="Error", joint=fail, keeps_integers=True
    )
    return record(op, (source,), {}, x.data)
