"""`torch.autograd.Function` for classes of the script, and the functional Jacobian built on it all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine import autograd
from gradviz.engine.creation import check_size
from gradviz.engine.function import Context, apply_function
from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.script.machine import Machine
from gradviz.script.tensors import run_sweep
from gradviz.script.values import Class, Native, OnClass

ROW = 20
"""Steps that one row of a Jacobian counts as."""

NO_FORWARD = "You must implement the forward function for custom autograd.Function."
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD."
)


def function_class(machine: Machine) -> Class:
    """`torch.autograd.Function`."""

    def apply(cls: Class, *arguments: Any, **keywords: Any) -> Any:
        if keywords:
            raise TorchError("apply() takes no keyword arguments", kind="TypeError")
        return apply_function(cls.name, arguments, lambda ctx, given: forward(cls, ctx, given), _backward(cls))

    def forward(cls: Class, ctx: Context, arguments: Sequence[Any]) -> Any:
        code = cls.find("forward")
        if code is None:
            raise TorchError(NO_FORWARD, kind="NotImplementedError")
        setup = cls.find("setup_context")
        if setup is None:
            return machine.call(code, (ctx, *arguments), {})
        output = machine.call(code, tuple(arguments), {})
        machine.call(setup, (ctx, tuple(arguments), output), {})
        return output

    def _backward(cls: Class) -> Callable[..., Any]:
        def run(ctx: Context, *gradients: Tensor | None) -> Any:
            code = cls.find("backward") or cls.find("vjp")
            if code is None:
                raise TorchError(NO_BACKWARD, kind="NotImplementedError")
            return machine.call(code, (ctx, *gradients), {})

        return run

    return Class(
        "Function",
        (machine.builtins["object"],),
        {"apply": OnClass(Native("apply", apply, is_method=True))},
        module="torch.autograd.function",
    )


def functional(machine: Machine) -> dict[str, Any]:
    """`torch.autograd.functional`: jacobian and vjp."""

    def outputs_of(func: Any, inputs: Any) -> tuple[Tensor, tuple[Tensor, ...], bool]:
        given = inputs if isinstance(inputs, tuple) else (inputs,)
        leaves = tuple(machine.made(machine.tape.tensor(np.array(x.data)[()], requires_grad=True)) for x in given)
        y = machine.call(func, leaves, {})
        if not isinstance(y, Tensor):
            raise TorchError("The outputs of the user-provided function must be a Tensor", kind="TypeError")
        return y, leaves, isinstance(inputs, tuple)

    def sweep(y: Tensor, leaves: tuple[Tensor, ...], v: Tensor) -> tuple[Tensor | None, ...]:
        return run_sweep(  # type: ignore[no-any-return]
            machine, lambda: autograd.grad([y], leaves, [v], retain_graph=True, allow_unused=True), [y]
        )

    def jacobian(
        func: Any, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False
    ) -> Any:
        y, leaves, many = outputs_of(func, inputs)
        for x in leaves:
            check_size((y.data.size, x.data.size))
        rows: list[list[Any]] = [[] for _ in leaves]
        for i in range(y.data.size if y.requires_grad else 0):
            machine.spend(ROW)
            v = np.zeros(y.data.size, y.dtype)
            v[i] = 1
            for row, x, g in zip(
                rows, leaves, sweep(y, leaves, constant(v.reshape(y.shape)[()], machine.tape)), strict=True
            ):
                row.append(np.zeros(x.shape, x.dtype) if g is None else g.data)
        found = tuple(
            constant(
                (np.stack(row) if row else np.zeros((y.data.size, *x.shape), x.dtype)).reshape(*y.shape, *x.shape)[()],
                machine.tape,
            )
            for row, x in zip(rows, leaves, strict=True)
        )
        return found if many else found[0]

    def vjp(func: Any, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
        y, leaves, many = outputs_of(func, inputs)
        if v is None and y.data.size != 1:
            raise TorchError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
        seed = F["ones_like"](y) if v is None else v
        found = tuple(
            constant(np.zeros(x.shape, x.dtype), machine.tape) if g is None else g
            for x, g in zip(leaves, sweep(y, leaves, seed), strict=True)
        )
        return constant(y.data, machine.tape), found if many else found[0]

    return {"jacobian": Native("jacobian", jacobian), "vjp": Native("vjp", vjp)}
