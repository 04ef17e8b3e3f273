"""`torch.optim.LBFGS`: the closure is called as often as PyTorch calls it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.products import matmul
from gradviz.imitation.engine.kernels.summation import total
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.nn.signatures import bound, signature, with_self
from gradviz.imitation.script.names.optim.arithmetic import fused
from gradviz.imitation.script.names.optim.base import begin
from gradviz.imitation.script.names.optim.limits import check_options
from gradviz.imitation.script.names.optim.line_search import Point, WolfeSearch
from gradviz.imitation.script.values import Class, Instance, Native

ARGUMENTS = (
    "params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, tolerance_change=1e-09, history_size=100, "
    "line_search_fn=None"
)


def lbfgs_class(machine: Machine, base: Class) -> Class:
    """`torch.optim.LBFGS`."""
    given = signature(ARGUMENTS)

    def init(self: Instance, *arguments: Any, **keywords: Any) -> None:
        options = bound("LBFGS.__init__()", given, arguments, keywords)
        params = options.pop("params")
        check_options(options)
        if options["max_eval"] is None:
            options["max_eval"] = options["max_iter"] * 5 // 4
        begin(self, params, options)
        if len(self.attributes["param_groups"]) != 1:
            raise TorchError("LBFGS doesn't support per-parameter options (parameter groups)", kind="ValueError")
        self.attributes["(memory)"] = Memory()

    def step(self: Instance, closure: Any) -> Any:
        return Search(machine, self, closure).run()

    init.__signature__ = with_self(given)  # type: ignore[attr-defined]
    methods = {"__init__": init, "step": step}
    return Class(
        "LBFGS",
        (base,),
        {name: Native(f"LBFGS.{name}", run, is_method=True) for name, run in methods.items()},
        module="torch.optim.lbfgs",
    )


class Memory:
    """What stays from one call of step to the next.

    Attributes:
        changes: changes of the gradient, with the `steps` that made them, newest last.
        direction, length: of the last step.
        inverse: 1 over change · step, for each change; `weights`, what the last direction took of each.
        gradient, loss: before the last step.
        count, evaluations: of steps and of calls of the closure, over all calls.
    """

    def __init__(self) -> None:
        self.count = 0
        self.evaluations = 0
        self.changes: list[Any] = []
        self.steps: list[Any] = []
        self.direction: Any = None
        self.length: Any = 0.0
        self.inverse: list[Any] = []
        self.weights: list[Any] = []
        self.gradient: Any = None
        self.loss = 0.0
        self.scale: Any = 1


class Search:
    """One call of `step`."""

    def __init__(self, machine: Machine, optimizer: Instance, closure: Any) -> None:
        self.machine = machine
        self.closure = closure
        self.options = optimizer.attributes["param_groups"][0]
        self.params: list[Tensor] = self.options["params"]
        self.memory: Memory = optimizer.attributes["(memory)"]
        self.state: dict[str, Any] = optimizer.attributes["state"].setdefault(self.params[0], {})
        self.evaluations = 0

    def _loss(self) -> tuple[Any, float]:
        with self.machine.tape.grad_mode(True):
            loss = self.machine.call(self.closure, (), {})
        return loss, float(loss.data.item() if isinstance(loss, Tensor) else loss)

    def _gradient(self) -> Any:
        return np.concatenate([np.ravel(np.zeros_like(p.data) if p.grad is None else p.grad.data) for p in self.params])

    def _move(self, direction: Any, length: Any) -> None:
        start = 0
        for p in self.params:
            piece = direction[start : start + p.data.size].reshape(p.shape)
            storage.write(p, fused(p.data, piece, length))
            start += p.data.size

    def _direction(self, g: Any) -> Any:
        """The gradient through the approximate inverse Hessian."""
        memory = self.memory
        if memory.count == 1:
            memory.changes, memory.steps, memory.inverse, memory.scale = [], [], [], 1
            return -g
        change, step = g - memory.gradient, memory.direction * g.dtype.type(memory.length)
        curvature = matmul(change, step)
        if curvature > 1e-10:
            if len(memory.changes) == self.options["history_size"]:
                del memory.changes[0], memory.steps[0], memory.inverse[0]
            memory.changes.append(change)
            memory.steps.append(step)
            memory.inverse.append(g.dtype.type(1.0) / curvature)
            memory.scale = curvature / matmul(change, change)
        return self._two_loops(-g)

    def _two_loops(self, q: Any) -> Any:
        changes, steps = self.memory.changes, self.memory.steps
        inverse = self.memory.inverse
        weights = self.memory.weights = [None] * self.options["history_size"]
        for i in reversed(range(len(changes))):
            weights[i] = matmul(steps[i], q) * inverse[i]
            q = fused(q, changes[i], -weights[i])
        r = q * q.dtype.type(self.memory.scale)
        for i in range(len(changes)):
            r = fused(r, steps[i], weights[i] - matmul(changes[i], r) * inverse[i])
        return r

    def run(self) -> Any:
        """Steps until one of PyTorch's conditions ends them; returns the first loss."""
        options, memory = self.options, self.memory
        first, loss = self._loss()
        self.evaluations, g = 1, self._gradient()
        lr = options["lr"]
        rate = lr.data.reshape(-1)[0] if isinstance(lr, Tensor) else lr
        if not np.abs(g).max() <= options["tolerance_grad"]:  # nan goes on, as PyTorch has it
            for number in range(1, options["max_iter"] + 1):
                memory.count += 1
                memory.direction = d = self._direction(g)
                memory.gradient, memory.loss = g, loss
                is_first = memory.count == 1
                memory.length = (min(1.0, 1.0 / total(np.abs(g))) if is_first else 1) * rate
                slope = matmul(g, d)
                if slope > -options["tolerance_change"]:
                    break
                loss, g = self._stepped(Point(0, loss, g, slope), number == options["max_iter"])
                if number == options["max_iter"] or self._is_done(g, loss - memory.loss):
                    break
        memory.evaluations += self.evaluations
        self.state.update({"func_evals": memory.evaluations, "n_iter": memory.count})
        if memory.count:
            self.state.update(self._remembered())
        return first

    def _remembered(self) -> dict[str, Any]:
        """The memory under PyTorch's names."""
        memory = self.memory
        kept = {
            "d": memory.direction, "t": memory.length, "old_dirs": memory.changes, "old_stps": memory.steps,
            "ro": memory.inverse, "H_diag": memory.scale, "prev_flat_grad": memory.gradient, "prev_loss": memory.loss,
        }  # fmt: skip
        if memory.weights:
            kept = {"al": memory.weights} | kept
        return {name: self._told(value) for name, value in kept.items()}

    def _told(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._told(item) for item in value]
        return self.machine.tensor(value) if isinstance(value, np.ndarray | np.generic) else value

    def _stepped(self, start: Point, is_last: bool) -> tuple[float, Any]:
        """Along the direction: as far as the line search says, or by the fixed length. The loss and gradient there."""
        kind, memory = self.options["line_search_fn"], self.memory
        if kind is None:
            self._move(memory.direction, memory.length)
            if is_last:
                return start.loss, start.gradient
            self.evaluations += 1
            return self._loss()[1], self._gradient()
        if kind != "strong_wolfe":
            raise TorchError("only 'strong_wolfe' is supported")
        kept = [np.array(p.data) for p in self.params]

        def look(t: Any) -> tuple[float, Any]:
            self._move(memory.direction, t)
            found = self._loss()[1], self._gradient()
            for p, value in zip(self.params, kept, strict=True):
                storage.write(p, value)
            return found

        search = WolfeSearch(look, start, memory.direction, self.options["max_eval"] - self.evaluations)
        found = search.run(memory.length)
        memory.length = found.t
        self._move(memory.direction, found.t)
        self.evaluations += search.evaluations
        return found.loss, found.gradient

    def _is_done(self, g: Any, change: float) -> bool:
        options, memory = self.options, self.memory
        if self.evaluations >= options["max_eval"] or np.abs(g).max() <= options["tolerance_grad"]:
            return True
        moved = np.abs(memory.direction * memory.length).max()
        return bool(moved <= options["tolerance_change"] or abs(change) < options["tolerance_change"])
