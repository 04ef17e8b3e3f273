"""PyTorch's CPU random number generator: the same numbers from the same seed, bit for bit as on x86 with AVX2.

A Mersenne twister gives words of 32 bits; every distribution below takes them in the order PyTorch does, so a
script that mixes them prints what PyTorch prints. There is no global state: a generator is a value that its owner
passes around, and whoever wants an unseeded one brings a seed of his own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.random.normal import BLOCK, box_muller, box_muller_pair, fused
from gradviz.errors import TorchError

Array = np.ndarray[Any, np.dtype[Any]] | np.generic
Floats = np.ndarray[Any, np.dtype[Any]]
Shape = Sequence[int]

DEFAULT_SEED = 67280421310721
"""The seed of `torch.Generator()` until `manual_seed` is called."""

# From here on PyTorch takes 64 bits per integer, so that the remainder stays nearly uniform.
_WIDE_RANGE = 2**28
_C_NAMES = {"uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int", "bool": "bool"}
_LOG1P = np.frompyfunc(math.log1p, 1, 1)

WORDS = 624
STATE: Any = np.dtype(
    [
        ("seed", np.uint64), ("left", np.int32), ("seeded", np.int32), ("next", np.uint64),
        ("words", np.uint64, (WORDS,)), ("normal_x", np.float64), ("normal_y", np.float64), ("normal_rho", np.float64),
        ("normal_is_valid", np.int32), ("padding", np.int32), ("next_float", np.float32), ("has_float", np.int32),
    ]
)  # fmt: skip
"""How PyTorch lays out the state of its generator on the CPU."""


HALVES = ("float16", "bfloat16")
"""Dtypes of 16 bits, which are drawn in float32."""


class Generator:
    """A seeded stream of random numbers; every method draws from it and moves it on.

    Attributes:
        initial_seed: the seed as `torch.initial_seed()` shows it: 0 .. 2**64 - 1.
        refusal: why nothing may be drawn now, or "".

    Shapes are those of the result; float dtypes are float16, bfloat16, float32 and float64. A result of shape () is a
    numpy scalar. Arguments that PyTorch refuses raise TorchError in its words.
    """

    initial_seed: int

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self.refusal = ""
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from `seed`, -2**63 .. 2**64 - 1, and return the generator.

        Raises:
            TorchError: the seed does not fit into 64 bits.
        """
        # Loaded late: it costs 20 ms, and most scripts draw nothing.
        from numpy.random import MT19937, RandomState

        if not -(2**63) <= seed < 2**64:
            raise TorchError("Overflow when unpacking long long", kind="ValueError")
        self.initial_seed = seed % 2**64
        # PyTorch keeps the lower half; seeding the twister that way is RandomState's, the newer classes mix the seed.
        state: Any = RandomState(seed % 2**32).get_state(legacy=False)
        self._twister = MT19937()
        self._twister.state = state
        self._next_normal: float | None = None
        return self

    def get_state(self) -> Floats:
        """The state in PyTorch's own layout: 5056 bytes."""
        words = self._twister.state["state"]
        layout = np.zeros((), STATE)
        position = int(words["pos"])
        layout["seed"], layout["seeded"], layout["words"] = self.initial_seed, 1, words["key"]
        layout["left"], layout["next"] = (1, 0) if position == WORDS else (WORDS + 1 - position, position)
        if self._next_normal is not None:
            layout["normal_y"], layout["normal_is_valid"] = self._next_normal, 1
        return np.frombuffer(layout.tobytes(), np.uint8).copy()

    def set_state(self, state: Any) -> None:
        """Go back to a state that `get_state` gave.

        Raises:
            TorchError: it is not of that size and dtype.
        """
        if state.dtype != np.uint8:
            raise TorchError("RNG state must be a torch.ByteTensor", kind="TypeError")
        if state.size != STATE.itemsize:
            raise TorchError("RNG state is wrong size")
        layout = np.frombuffer(state.tobytes(), STATE)[0]
        self.manual_seed(int(layout["seed"]))
        position = WORDS if layout["left"] == 1 else int(layout["next"])
        words: Any = {"key": layout["words"].astype(np.uint32), "pos": position}
        self._twister.state = {"bit_generator": "MT19937", "state": words}
        self._next_normal = float(layout["normal_y"]) if layout["normal_is_valid"] else None

    def rand(self, shape: Shape, dtype: str = "float32") -> Array:
        """`torch.rand`: uniform in [0, 1)."""
        return self.uniform(shape, 0.0, 1.0, dtype)

    def uniform(self, shape: Shape, low: float = 0.0, high: float = 1.0, dtype: str = "float32") -> Array:
        """`Tensor.uniform_(low, high)`: uniform in [low, high)."""
        wide = _computed_in(dtype, "check_uniform_bounds")
        _check_bounds(low, high, wide)
        start, end = wide.type(low), wide.type(high)
        drawn = fused(self._unit(math.prod(shape), wide), end - start, start, wide)
        if dtype in HALVES:
            # Rounding may reach the excluded end; PyTorch then takes the start.
            drawn = drawn.astype(dtype)
            drawn[drawn >= drawn.dtype.type(high)] = drawn.dtype.type(low)
        return _shaped(drawn, shape)

    def randn(self, shape: Shape, dtype: str = "float32") -> Array:
        """`torch.randn`: normal with mean 0 and standard deviation 1."""
        return self.normal(shape, 0.0, 1.0, dtype)

    def normal(
        self, shape: Shape, mean: float = 0.0, std: float = 1.0, dtype: str = "float32", *, in_row: bool = True
    ) -> Array:
        """`torch.normal(mean, std, size)` and `Tensor.normal_(mean, std)`.

        Args:
            in_row: whether they are for memory in a row, which PyTorch fills by blocks; else it draws one by one.
        """
        if not std >= 0:
            raise TorchError(f"normal expects std >= 0.0, but found std {std:g}")
        count = math.prod(shape)
        wide = _computed_in(dtype, "normal_kernel_cpu")
        if count < BLOCK or not in_row:
            drawn = fused(self._few_normals(count), std, mean, np.dtype(np.float64)).astype(wide)
        else:
            drawn = fused(self._normal_blocks(count, wide, dtype in HALVES), wide.type(std), wide.type(mean), wide)
        return _shaped(drawn.astype(dtype), shape)

    def log_normal(self, shape: Shape, mean: float = 1.0, std: float = 2.0, dtype: str = "float32") -> Array:
        """`Tensor.log_normal_(mean, std)`: e to the power of normal numbers."""
        if not std > 0:
            raise TorchError(f"log_normal_ expects std > 0.0, but found std={std:g}")
        _computed_in(dtype, "log_normal_cpu")
        drawn = fused(self._few_normals(math.prod(shape)), std, mean, np.dtype(np.float64))
        return _shaped(np.exp(drawn).astype(dtype), shape)

    def normal_like(self, mean: Any, std: Any) -> Array:
        """`torch.normal` with a tensor for the mean, the standard deviation or both; their shapes broadcast."""
        if hasattr(std, "dtype") and np.any(np.less(std, 0)):
            raise TorchError("normal expects all elements of std >= 0.0")
        shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
        dtype = str(mean.dtype if isinstance(mean, np.ndarray | np.generic) else std.dtype)
        # PyTorch's own difference: a number goes into the draw, a tensor is multiplied afterwards.
        is_number = not isinstance(std, np.ndarray | np.generic)
        drawn: Any = self.normal(shape, 0.0, std if is_number else 1.0, dtype)
        found: Any = (drawn if is_number else drawn * std) + _scalar_like(mean, dtype)
        return _shaped(found.astype(dtype), shape)

    def randint(self, low: int, high: int, shape: Shape, dtype: str = "int64") -> Array:
        """`torch.randint(low, high, shape)`: whole numbers in [low, high)."""
        _check_range(low, high, dtype)
        drawn: Any = self.below(high - low, math.prod(shape), high - low >= _WIDE_RANGE)
        return _shaped((drawn + np.int64(low)).astype(dtype), shape)

    def below(self, span: int, count: int, is_wide: bool) -> Array:
        """Whole numbers in [0, span), span being at most 2⁶³, of 64 bits each or of 32."""
        words = self._words64(count) if is_wide else self._words(count)
        drawn: Array = (words % np.uint64(span)).astype(np.int64)
        return drawn

    def randperm(self, n: int, dtype: str = "int64") -> Floats:
        """`torch.randperm(n)`: 0 .. n - 1 in random order."""
        if n < 0:
            raise TorchError(f"Trying to create tensor with negative dimension {n}: [{n}]")
        order = list(range(n))
        left = np.arange(n, 1, -1, dtype=np.uint64)
        for place, offset in enumerate((self._words(len(left)) % left).tolist()):
            other = place + offset
            order[place], order[other] = order[other], order[place]
        return np.array(order, dtype)

    def bits(self, count: int) -> int:
        """The lower bits, up to 64, of what PyTorch draws for one whole number of any size: `x.random_()`."""
        word: int = int(self._words64(1)[0])
        return word & ((1 << count) - 1)

    def bernoulli(self, probabilities: Any) -> Array:
        """`torch.bernoulli(probabilities)`: 1 with the probability each element gives, else 0; same dtype."""
        if not np.all((probabilities >= 0) & (probabilities <= 1)):
            raise TorchError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
        shape = probabilities.shape
        unit = self._unit(probabilities.size, _computed_in(str(probabilities.dtype))).reshape(shape)
        return _shaped((unit < probabilities).astype(probabilities.dtype), shape)

    def bernoulli_mask(self, shape: Shape, p: float = 0.5, dtype: str = "float32") -> Array:
        """`Tensor.bernoulli_(p)`: 1 with probability p, else 0. Not the draws of `bernoulli`: it takes 64 bits each."""
        if not 0 <= p <= 1:
            raise TorchError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        unit = self._unit(math.prod(shape), np.dtype(np.float64))
        return _shaped((unit < p).astype(dtype), shape)

    def dropout_mask(self, shape: Shape, p: float = 0.5, dtype: str = "float32") -> Array:
        """What dropout in training multiplies its input with: 0 with probability p, else 1 / (1 - p)."""
        if not 0 <= p <= 1:
            raise TorchError(f"dropout probability has to be between 0 and 1, but got {p}", kind="ValueError")
        if p in (0, 1):
            # Nothing is left to chance, and PyTorch draws nothing.
            return _shaped(np.full(math.prod(shape), 1 - p, dtype), shape)
        kept = 1 - p
        mask = self.bernoulli_mask((math.prod(shape),), kept, dtype)
        wide = _computed_in(dtype)
        return _shaped((mask.astype(wide) / wide.type(kept)).astype(dtype), shape)

    def exponential(self, shape: Shape, rate: float = 1.0, dtype: str = "float32") -> Array:
        """`Tensor.exponential_(rate)`: exponential with mean 1 / rate."""
        if not rate > 0:
            raise TorchError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
        unit = self._unit(math.prod(shape), np.dtype(np.float64))
        logarithms: Any = _LOG1P(-unit)
        drawn = -1.0 / rate * logarithms.astype(np.float64)
        return _shaped(drawn.astype(_computed_in(dtype)).astype(dtype), shape)

    def _check_open(self) -> None:
        if self.refusal:
            raise TorchError(self.refusal)

    def _words(self, count: int) -> Floats:
        """Words of 32 bits, in uint64."""
        self._check_open()
        words: Floats = self._twister.random_raw(count)
        return words

    def _words64(self, count: int) -> Floats:
        words = self._words(2 * count)
        return (words[::2] << np.uint64(32)) | words[1::2]

    def _unit(self, count: int, dtype: np.dtype[Any]) -> Floats:
        """Uniform in [0, 1): as many low bits of a word as the dtype's fraction holds."""
        if dtype == np.float64:
            return (self._words64(count) & np.uint64(2**53 - 1)) * 2.0**-53
        return ((self._words(count) & np.uint64(2**24 - 1)) * 2.0**-24).astype(dtype)

    def _normal_blocks(self, count: int, dtype: np.dtype[Any], is_half: bool) -> Floats:
        whole = count - count % BLOCK
        # The rest that makes no block is drawn and not used, except in float16, where PyTorch does not draw it.
        drawn = self._unit(whole if is_half else count, dtype)
        if whole == count:
            return box_muller(drawn)
        # The last 16 are drawn anew, over the end of the last whole block.
        last = box_muller(self._unit(BLOCK, dtype))
        return np.concatenate([box_muller(drawn[:whole])[: count - BLOCK], last])

    def _few_normals(self, count: int) -> Floats:
        self._check_open()
        drawn: list[float] = []
        while len(drawn) < count:
            if self._next_normal is not None:
                drawn.append(self._next_normal)
                self._next_normal = None
            else:
                first, second = self._unit(2, np.dtype(np.float64)).tolist()
                number, self._next_normal = box_muller_pair(first, second)
                drawn.append(number)
        return np.array(drawn, np.float64)


def in_memory_order(x: Any, draw: Callable[[Shape], Any]) -> Any:
    """Numbers in the shape of x, drawn one after the other as x lies in memory.

    Args:
        draw: gives an array of the shape it is given.
    """
    axes = memory_axes(x)
    if axes is None:
        return draw(np.shape(x))
    drawn = np.asarray(draw(tuple(x.shape[axis] for axis in axes)))
    return drawn.transpose(np.argsort(axes))


def memory_axes(x: Any) -> list[int] | None:
    """The axes of an array from the one with the longest step on; None where that is their own order."""
    if not isinstance(x, np.ndarray) or x.flags.c_contiguous or 0 in x.strides:
        return None
    strides = np.empty_like(x).strides
    return sorted(range(x.ndim), key=lambda axis: -strides[axis])


def _computed_in(dtype: str, kernel: str = "random") -> np.dtype[Any]:
    """The dtype PyTorch computes random floats of `dtype` in, in a kernel of that name."""
    if dtype not in (*HALVES, "float32", "float64"):
        told = f"\"{kernel}\" not implemented for '{type_name(np.dtype(dtype))}'"
        raise TorchError(told, kind="NotImplementedError", hint="Random numbers are floating point: use .float().")
    return np.dtype(np.float64 if dtype == "float64" else np.float32)


def _shaped(drawn: Any, shape: Shape) -> Array:
    result: Array = drawn.reshape(tuple(shape))[()]
    return result


def _scalar_like(value: Any, dtype: str) -> Any:
    return value if isinstance(value, np.ndarray | np.generic) else np.dtype(dtype).type(value)


def _check_bounds(low: float, high: float, dtype: np.dtype[Any]) -> None:
    largest = float(np.finfo(dtype).max)
    for name, bound in (("from", low), ("to", high)):
        if not abs(bound) <= largest:
            raise TorchError(f"{name} is out of bounds for {'float' if dtype == np.float32 else 'double'}")
    if low > high:
        raise TorchError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise TorchError(
            f"uniform_ expects to-from <= std::numeric_limits<{'Float' if dtype == np.float32 else 'Double'}>::max(), "
            f"but found to={high:g} and from={low:g} which result in to-from to exceed the limit"
        )


def _check_range(low: int, high: int, dtype: str) -> None:
    if not (-(2**63) <= low < 2**63 and -(2**63) <= high < 2**63):
        raise TorchError("Overflow when unpacking long long", kind="ValueError")
    if low >= high:
        raise TorchError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype not in _C_NAMES:
        return
    smallest, largest = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if not smallest <= bound <= largest:
            raise TorchError(f"{name} is out of bounds for {_C_NAMES[dtype]}")
