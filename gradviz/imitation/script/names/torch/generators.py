"""`torch.Generator`: a stream of random numbers of its own, and the state of the one that all share."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.random.generator import Generator
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.torch.devices import require
from gradviz.imitation.script.torch_values import CPU, Scoped
from gradviz.imitation.script.values import Class, Namespace, Native


class Stream:
    """A generator as the script holds it."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: Generator) -> None:
        self.numbers = numbers

    def __repr__(self) -> str:
        return "<torch._C.Generator object at 0x7f0000000000>"


def stream(machine: Machine, generator: Any) -> Generator:
    """The numbers that `generator=` means; those of `torch.manual_seed` where it is None."""
    if generator is None:
        return machine.random
    if isinstance(generator, Stream):
        return generator.numbers
    raise TorchError(f"expected a torch.Generator, but got {type(generator).__name__}", kind="TypeError")


def attribute(machine: Any, owner: Stream, name: str) -> Any:
    """What a script reaches on a generator, or None."""
    if name == "device":
        return CPU
    table: dict[str, Callable[..., Any]] = {
        "manual_seed": lambda seed: _seeded(owner, seed),
        "initial_seed": lambda: owner.numbers.initial_seed,
        "seed": lambda: _seeded(owner, secrets.randbits(63)).numbers.initial_seed,
        "get_state": lambda: get_state(machine, owner.numbers),
        "set_state": lambda state: _restored(owner, state),
    }
    return Native(name, table[name]) if name in table else None


def _seeded(owner: Stream, seed: Any) -> Stream:
    owner.numbers.manual_seed(int(seed))
    return owner


def _restored(owner: Stream, state: Tensor) -> Stream:
    owner.numbers.set_state(np.asarray(state.data))
    return owner


def get_state(machine: Machine, numbers: Generator) -> Tensor:
    """The state as a tensor of bytes."""
    return machine.tensor(numbers.get_state())


def generator_class(machine: Machine) -> Class:
    """The class `torch.Generator`."""

    def make(device: Any = None) -> Stream:
        require(device)
        return Stream(Generator())

    return Class("Generator", python=(Stream,), make=Native("Generator", make), module="torch._C")


def namespace(machine: Machine, members: dict[str, Any]) -> Namespace:
    """`torch.random`: what `torch` has of it too, and `fork_rng`."""

    def fork_rng(devices: Any = None, enabled: bool = True, **_: Any) -> Scoped:
        """`with fork_rng():` the numbers drawn inside move nothing on outside."""
        return Scoped(
            "fork_rng",
            lambda: machine.random.get_state() if enabled else None,
            lambda before: None if before is None else machine.random.set_state(before),
        )

    shared = ("manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "default_generator")
    return Namespace(
        "torch.random",
        {**{name: members[name] for name in shared if name in members}, "fork_rng": Native("fork_rng", fork_rng)},
    )


def members(machine: Machine) -> dict[str, Any]:
    """Generator, and the functions of the shared one."""
    shared = machine.state["generator"] = Stream(machine.random)

    def set_rng_state(new_state: Tensor) -> None:
        _restored(shared, new_state)

    def seed() -> int:
        return _seeded(shared, secrets.randbits(63)).numbers.initial_seed

    return {
        "Generator": generator_class(machine),
        "default_generator": shared,
        "initial_seed": Native("initial_seed", lambda: shared.numbers.initial_seed),
        "seed": Native("seed", seed),
        "get_rng_state": Native("get_rng_state", lambda: get_state(machine, machine.random)),
        "set_rng_state": Native("set_rng_state", set_rng_state),
    }
