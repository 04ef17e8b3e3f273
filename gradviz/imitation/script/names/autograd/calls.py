"""`torch.autograd.backward` and `grad`, and `tensor.backward`: arguments as PyTorch takes them, then the engine.

Source of the checks and their order: torch/autograd/__init__.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from operator import index
from typing import Any

import numpy as np

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.limits.keeping import swept
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.tensors.grad_nodes import GradientEdge
from gradviz.imitation.script.values import type_name

DEPRECATED_VARIABLES = "`grad_variables` is deprecated. Use `grad_tensors` instead."
DEPRECATED_ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
    "of the graph, please use torch.autograd.backward."
)
NO_BATCH = (
    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 "
    "so expected in_dim to satisfy 0 <= in_dim < 0."
)
NOT_A_BATCH = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
    "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
    "detected: grad_output[{number}] has a shape of torch.Size({given}) and output[{number}] has a shape of "
    "torch.Size({wanted}). If you only want some tensors in `grad_output` to be considered batched, consider using "
    "vmap."
)


def run_sweep(machine: Any, call: Callable[[], Any], outputs: Sequence[Tensor]) -> Any:
    """Run a backward pass; note its line, and on an error the tensor it started from."""
    before = len(machine.tape.sweeps)
    machine.sweeping += 1
    try:
        return call()
    except TorchError:
        machine.failed_output = outputs[0].index if outputs else None
        raise
    finally:
        machine.sweeping -= 1
        swept(machine, before)


def _tensors(given: Any) -> list[Any]:
    """One tensor, or several."""
    if isinstance(given, Tensor | GradientEdge):
        return [given]
    if isinstance(given, dict):
        return list(given.values())
    return list(given)  # a TypeError where it is no sequence, as in Python


def flag(value: Any) -> bool:
    """A yes or no as the engine takes it: a bool, or what stands for a whole number."""
    return bool(index(value))


def _inputs(given: Any, function: str) -> list[Any]:
    found = _tensors(given)
    if not found:
        raise TorchError(f"`inputs` argument to `{function}()` cannot be empty.")
    return found


def _seeds(given: Any, count: int) -> list[Any]:
    return [None] * count if given is None else _tensors(given)


def _outputs(given: Any) -> list[Any]:
    found = [x.tensor if isinstance(x, GradientEdge) else x for x in _tensors(given)]
    if not all(isinstance(x, Tensor) for x in found):
        raise TorchError("Expected output to be a torch.Tensor", kind="AssertionError")
    return found


def _leaves(given: Any, function: str) -> list[Any]:
    found = [x.tensor if isinstance(x, GradientEdge) else x for x in _inputs(given, function)]
    for x in found:
        if not isinstance(x, Tensor):
            raise TorchError(f"all inputs have to be Tensors or GradientEdges, but got {type_name(x)}")
    return found


def backward(
    machine: Machine,
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """`torch.autograd.backward`."""
    if machine.tape.transformed:
        raise TorchError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )
    if grad_variables is not None:
        warn(DEPRECATED_VARIABLES, "FutureWarning")
        if grad_tensors is not None:
            raise TorchError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`.")
        grad_tensors = grad_variables
    leaves = None if inputs is None else _leaves(inputs, "backward")
    outs = _outputs(tensors)
    seeds = _seeds(grad_tensors, len(outs))
    if not outs:
        return
    keeps, records = flag(create_graph if retain_graph is None else retain_graph), flag(create_graph)
    run_sweep(
        machine,
        lambda: autograd.backward(outs, seeds, retain_graph=keeps, create_graph=records, inputs=leaves),
        outs,
    )


def tensor_backward(
    machine: Machine,
    self: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """`tensor.backward(...)`; the sweep belongs to the line of the call."""
    if isinstance(gradient, list | tuple) and gradient and not isinstance(gradient[0], Tensor):
        raise TorchError(
            f"gradients can be either Tensors or None, but got {type(gradient[0]).__name__}",
            kind="TypeError",
            hint="Wrap v with torch.tensor(...).",
        )
    if isinstance(gradient, int | float):
        raise TorchError(
            f"'{type(gradient).__name__}' object is not iterable", kind="TypeError", hint="Pass v as a tensor."
        )
    backward(machine, self, gradient, retain_graph, create_graph, inputs=inputs)


def grad(
    machine: Machine,
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """`torch.autograd.grad`."""
    if materialize_grads and allow_unused is False:
        raise TorchError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
            kind="ValueError",
        )
    ins = _inputs(inputs, "grad")
    outs, ins = _outputs(outputs), _leaves(ins, "grad")
    if not only_inputs:
        warn(DEPRECATED_ONLY_INPUTS, "FutureWarning")
    seeds = _seeds(grad_outputs, len(outs))
    keeps, records = flag(create_graph if retain_graph is None else retain_graph), flag(create_graph)
    may_be_unused = flag(materialize_grads if allow_unused is None else allow_unused)

    def sweep(vs: Sequence[Any], is_last: bool = True) -> tuple[Tensor | None, ...]:
        return run_sweep(  # type: ignore[no-any-return]
            machine,
            lambda: autograd.grad(
                outs,
                ins,
                vs,
                retain_graph=keeps or not is_last,
                create_graph=records,
                allow_unused=may_be_unused,
            ),
            outs,
        )

    found = _batched(machine, outs, seeds, sweep) if is_grads_batched else sweep(seeds)
    if materialize_grads:
        found = tuple(_zeros(x, records) if g is None else g for x, g in zip(ins, found, strict=True))
    return dict(zip(inputs, found, strict=True)) if isinstance(inputs, dict) else found


def _zeros(x: Tensor, requires_grad: bool) -> Tensor:
    return x.tape.tensor(np.zeros(x.shape, x.dtype)[()], requires_grad=requires_grad)


def _batched(
    machine: Machine,
    outs: list[Tensor],
    seeds: list[Any],
    sweep: Callable[[Sequence[Any], bool], tuple[Tensor | None, ...]],
) -> tuple[Tensor | None, ...]:
    """One pass for each v of a batch; the results of one input stacked. In PyTorch they are one, which prints once."""
    for number, (y, v) in enumerate(zip(outs, seeds, strict=True)):
        if isinstance(v, Tensor) and (not v.ndim or v.shape[1:] != y.shape):
            raise TorchError(NOT_A_BATCH.format(number=number, given=list(v.shape[2:]), wanted=list(y.shape)))
    if all(v is None for v in seeds):
        raise TorchError(NO_BATCH, kind="ValueError", hint="Give grad_outputs, a v for each row.")
    count = min(v.shape[0] for v in seeds if v is not None)
    tape = outs[0].tape
    tape.batched = True
    try:
        rows = []
        for i in range(count):
            with _silent(machine) if i else nullcontext():
                rows.append(sweep([None if v is None else _row(v, i) for v in seeds], i == count - 1))
    finally:
        tape.batched = False
    columns = zip(*rows, strict=True)
    return tuple(None if column[0] is None else F["stack"](list(column)) for column in columns)


@contextmanager
def _silent(machine: Machine) -> Iterator[None]:
    """Nothing that is printed inside is seen."""
    machine.writers.append(lambda _text: None)
    try:
        yield
    finally:
        machine.writers.pop()


def _row(v: Tensor, i: int) -> Tensor:
    return constant(np.asarray(v.data)[i], v.tape)
