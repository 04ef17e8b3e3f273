"""PyTorch's CPU random numbers: from the same seed the same numbers, bit for bit (as on x86 processors with AVX2).

A Mersenne twister (Matsumoto and Nishimura, 1998) gives words of 32 bits; every distribution takes them in the order
in which PyTorch does, which was learned by comparing. There is no global stream here: a generator is a value that its
owner passes around.

Normal numbers are made by Box and Muller's method (1958). Blocks of float32 go through the single-precision
polynomials of Cephes (Moshier's mathematical library: logf, sinf, cosf) with fused multiply-adds, since that is what
PyTorch runs; the correctly rounded functions would differ in the last digit of every second number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from gradviz.engine.dtypes import FLOAT32, FLOAT64, INT64, dtype_of
from gradviz.ops.op import Array
from gradviz.ops.promotion import NumpyDType

if TYPE_CHECKING:
    from numpy.random import BitGenerator, RandomState

Floats: TypeAlias = npt.NDArray[Any]
Words: TypeAlias = npt.NDArray[np.uint64]
Shape: TypeAlias = Sequence[int]

DEFAULT_SEED = 67280421310721
"""The seed of a generator on which `manual_seed` was never called."""

BLOCK = 16
"""From this many normal numbers on PyTorch makes them in blocks; fewer are made one pair at a time."""

_TWISTER_WORDS = 624
_WIDE_RANGE = 2**28  # from this range on an integer takes 64 bits, so that the remainder stays nearly uniform
_STATE = np.dtype(
    [
        ("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("words", "u8", (_TWISTER_WORDS,)),
        ("unused_normals", "f8", (3,)), ("has_normal", "i4"), ("unused_float", "i4", (3,)),
    ]
)  # fmt: skip
_NORMAL = 1  # which of the three holds the normal number kept for the next draw

_SEEDS = 2**32  # PyTorch takes the lower half of a seed
_LARGEST_WHOLE = {"bool": 1, "float32": 2**24, "float64": 2**53}


class Generator:
    """A seeded stream of random numbers; every method that draws moves it on.

    Shapes are those of the result, dtypes are numpy's, float32 or float64 where a method draws fractions. A result
    of shape () is a numpy scalar. What PyTorch refuses is refused with its exceptions.
    """

    def __init__(self) -> None:
        self._seed = DEFAULT_SEED
        self._next_normal: float | None = None
        self._source: RandomState | None = None  # made by the first draw

    # ---- seed and state ----

    def manual_seed(self, seed: int) -> Self:
        """Start anew from a seed, -2**63 .. 2**64 - 1, and return the generator.

        Raises:
            ValueError: the seed does not fit into 64 bits.
            RuntimeError: it is not a whole number.
        """
        if not isinstance(seed, int | np.integer):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._next_normal = None
        if self._source is not None:
            self._source.seed(self._seed % _SEEDS)
        return self

    def initial_seed(self) -> int:
        """The seed this stream began with, 0 .. 2**64 - 1."""
        return self._seed

    def get_state(self) -> Any:
        """The state as 5056 bytes (uint8), in PyTorch's layout."""
        words: Any = self._twister().state["state"]
        position = int(words["pos"])
        state = np.zeros((), _STATE)
        state["seed"], state["seeded"], state["words"] = self._seed, 1, words["key"]
        is_used_up = position == _TWISTER_WORDS
        state["left"], state["next"] = (1, 0) if is_used_up else (_TWISTER_WORDS + 1 - position, position)
        if self._next_normal is not None:
            state["unused_normals"][_NORMAL], state["has_normal"] = self._next_normal, 1
        return np.frombuffer(state.tobytes(), np.uint8).copy()

    def set_state(self, state: Any) -> Any:
        """Go back to a state that `get_state` gave, and return the generator.

        Raises:
            TypeError, RuntimeError: it is not one, by its dtype or its size.
        """
        if state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != _STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_STATE.itemsize} but found the input RNG state size to be "
                f"{state.size}"
            )
        read = np.frombuffer(state.tobytes(), _STATE)[0]
        self.manual_seed(int(read["seed"]))
        position = _TWISTER_WORDS if read["left"] == 1 else int(read["next"])
        words: Any = {"key": read["words"].astype(np.uint32), "pos": position}
        self._twister().state = {"bit_generator": "MT19937", "state": words}
        self._next_normal = float(read["unused_normals"][_NORMAL]) if read["has_normal"] else None
        return self

    # ---- uniform numbers ----

    def rand(self, shape: Shape, dtype: NumpyDType = FLOAT32.numpy) -> Array:
        """`torch.rand`: uniform in [0, 1)."""
        return self.uniform(shape, 0.0, 1.0, dtype)

    def uniform(self, shape: Shape, low: float = 0.0, high: float = 1.0, dtype: NumpyDType = FLOAT32.numpy) -> Array:
        """`Tensor.uniform_(low, high)`: uniform in [low, high).

        Raises:
            RuntimeError: the bounds are in the wrong order.
            NotImplementedError: the dtype is not floating point.
        """
        _check_floating(dtype, "check_uniform_bounds")
        if low > high:
            raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
        drawn = self._unit(math.prod(shape), dtype)
        if (low, high) != (0, 1):
            start, end = dtype.type(low), dtype.type(high)
            drawn = multiply_add(drawn, end - start, start, dtype)
        return _in_shape(drawn, shape)

    def bernoulli(self, probabilities: Array) -> Array:
        """`torch.bernoulli(probabilities)`: 1 with the probability that each element gives, else 0; same dtype.

        Raises:
            RuntimeError: a number outside [0, 1].
            NotImplementedError: the dtype is not floating point.
        """
        _check_floating(probabilities.dtype, "bernoulli_tensor_cpu_p_")
        if not np.all(np.greater_equal(probabilities, 0) & np.less_equal(probabilities, 1)):
            raise RuntimeError("bernoulli expects every p to be in [0, 1]")
        unit = self._unit(probabilities.size, probabilities.dtype)
        drawn = (unit < probabilities.ravel()).astype(probabilities.dtype)
        return _in_shape(drawn, probabilities.shape)

    def bernoulli_mask(self, shape: Shape, p: float = 0.5, dtype: NumpyDType = FLOAT32.numpy) -> Array:
        """`Tensor.bernoulli_(p)`: 1 with probability p, else 0, in any dtype.

        Not the numbers of `bernoulli`: each takes 64 bits here, whatever the dtype.

        Raises:
            RuntimeError: p lies outside [0, 1].
        """
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return _in_shape((self._unit(math.prod(shape), FLOAT64.numpy) < p).astype(dtype), shape)

    def dropout_mask(self, shape: Shape, p: float = 0.5, dtype: NumpyDType = FLOAT32.numpy) -> Array:
        """What dropout in training multiplies its input with: 0 with probability p, else 1 / (1 - p).

        Raises:
            ValueError: p lies outside [0, 1].
        """
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        if p in (0, 1):  # nothing is random then, and PyTorch draws nothing
            return _in_shape(np.full(math.prod(shape), 1 - p, dtype), shape)
        kept: Any = self.bernoulli_mask(shape, 1 - p, dtype)
        return kept / dtype.type(1 - p)  # type: ignore[no-any-return]

    def exponential(self, shape: Shape, rate: float = 1.0, dtype: NumpyDType = FLOAT32.numpy) -> Array:
        """`Tensor.exponential_(rate)`: exponential with mean 1 / rate.

        Raises:
            RuntimeError: a rate that is not positive.
            NotImplementedError: the dtype is not floating point.
        """
        _check_floating(dtype, "exponential_")
        if not rate > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
        drawn = -1.0 / rate * _libm(math.log1p, -self._unit(math.prod(shape), FLOAT64.numpy))
        return _in_shape(drawn.astype(dtype), shape)

    # ---- normal numbers ----

    def randn(self, shape: Shape, dtype: NumpyDType = FLOAT32.numpy) -> Array:
        """`torch.randn`: normal with mean 0 and standard deviation 1."""
        return self.normal(shape, 0.0, 1.0, dtype)

    def normal(self, shape: Shape, mean: float = 0.0, std: float = 1.0, dtype: NumpyDType = FLOAT32.numpy) -> Array:
        """`torch.normal(mean, std, shape)` and `Tensor.normal_(mean, std)`.

        Raises:
            RuntimeError: the standard deviation is negative.
            NotImplementedError: the dtype is not floating point.
        """
        if not std >= 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        _check_floating(dtype, "normal_kernel_cpu")
        count = math.prod(shape)
        is_few = count < BLOCK  # few numbers are made and scaled in float64
        drawn = self._normal_pairs(count) if is_few else self._normal_blocks(count, dtype)
        if (mean, std) != (0, 1):
            real = drawn.dtype.type
            drawn = multiply_add(drawn, real(std), real(mean), drawn.dtype)
        return _in_shape(drawn.astype(dtype, copy=False), shape)

    def normal_of(self, mean: Array | float, std: Array | float) -> Array:
        """`torch.normal` with an array for the mean, the standard deviation or both; their shapes broadcast.

        Raises:
            RuntimeError: a standard deviation is negative.
        """
        if isinstance(std, np.ndarray | np.generic) and np.any(np.less(std, 0)):
            raise RuntimeError("normal expects all elements of std >= 0.0")
        given = mean if isinstance(mean, np.ndarray | np.generic) else std
        assert isinstance(given, np.ndarray | np.generic), "one of both is an array"
        shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
        if isinstance(std, np.ndarray | np.generic):
            drawn: Any = np.multiply(self.randn(shape, given.dtype), std)
        else:
            drawn = self.normal(shape, 0.0, std, given.dtype)
        return _in_shape(np.add(drawn, mean).astype(given.dtype), shape)

    # ---- whole numbers ----

    def randint(self, low: int, high: int, shape: Shape, dtype: NumpyDType = INT64.numpy) -> Array:
        """`torch.randint(low, high, shape)`: whole numbers in [low, high).

        Raises:
            RuntimeError: there is no number in that range, or the dtype does not hold them all.
        """
        _check_range(low, high, dtype)
        drawn = self._below(high - low, math.prod(shape), is_wide=high - low >= _WIDE_RANGE)
        return _in_shape((drawn + np.int64(low)).astype(dtype), shape)

    def random(self, shape: Shape, dtype: NumpyDType = INT64.numpy) -> Array:
        """`Tensor.random_()`: whole numbers from 0 to the largest up to which the dtype holds all of them."""
        largest = _LARGEST_WHOLE.get(dtype.name) or int(np.iinfo(dtype).max)
        drawn = self._below(largest + 1, math.prod(shape), is_wide=dtype.itemsize == 8)
        return _in_shape(drawn.astype(dtype), shape)

    def randperm(self, n: int, dtype: NumpyDType = INT64.numpy) -> Array:
        """`torch.randperm(n)`: 0 .. n - 1 in random order, by Fisher and Yates' shuffle from the front.

        Raises:
            RuntimeError: n is negative.
        """
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
        order = list(range(n))
        remaining = np.arange(n, 1, -1, dtype=np.uint64)
        for i, offset in enumerate((self._words(remaining.size) % remaining).tolist()):
            order[i], order[i + offset] = order[i + offset], order[i]
        return np.array(order, dtype)

    def multinomial(self, weights: Array, count: int, replacement: bool = False) -> Array:
        """`torch.multinomial`: indices drawn with probabilities in proportion to the weights.

        Args:
            weights: of shape [n] or [rows, n], floating point; they need not sum to 1.
            count: how many indices per row.

        Returns:
            int64 of shape [count] or [rows, count].

        Raises:
            RuntimeError: weights below 0 or not finite, rows of zeros, or more indices than there are weights.
        """
        _check_weights(weights, count, replacement)
        rows = np.atleast_2d(weights)
        if replacement and count > 1:
            shares = np.cumsum(rows, axis=-1, dtype=rows.dtype)
            shares /= shares[:, -1:]
            points = self._unit(len(rows) * count, FLOAT64.numpy).reshape(len(rows), count)
            found = np.stack([np.searchsorted(row, at) for row, at in zip(shares, points, strict=True)])
        else:
            # A race: of exponential times with these weights as rates the smallest come first.
            with np.errstate(divide="ignore", invalid="ignore"):
                speed = rows / self.exponential(rows.shape, 1.0, rows.dtype)
            found = np.argsort(-speed, axis=-1, kind="stable")[:, :count]
        return found.astype(np.int64).reshape(*weights.shape[:-1], count)

    # ---- words ----

    def _twister(self) -> BitGenerator:
        if self._source is None:
            # Loaded late: it takes 20 ms, and most scripts draw nothing.
            from numpy.random import MT19937, RandomState

            # RandomState seeds in the plain way of 1998; the newer classes of numpy mix the seed first.
            self._source = RandomState(MT19937(0))
            self._source.seed(self._seed % _SEEDS)
        return self._source._bit_generator

    def _words(self, count: int) -> Words:
        """The next words of 32 bits."""
        words: Words = self._twister().random_raw(count)
        return words

    def _wide_words(self, count: int) -> Words:
        """The next words of 64 bits: two of 32 each, the high half first."""
        words = self._words(2 * count)
        return (words[::2] << np.uint64(32)) | words[1::2]

    def _below(self, span: int, count: int, *, is_wide: bool) -> npt.NDArray[np.int64]:
        words = self._wide_words(count) if is_wide else self._words(count)
        return (words % np.uint64(span)).astype(np.int64)

    def _unit(self, count: int, dtype: NumpyDType) -> Floats:
        """Uniform in [0, 1): as many low bits of a word as the dtype's fraction holds."""
        if dtype.itemsize == 8:
            return (self._wide_words(count) & np.uint64(2**53 - 1)) * 2.0**-53
        unit: Floats = (self._words(count) & np.uint64(2**24 - 1)).astype(dtype)
        unit *= dtype.type(2.0**-24)
        return unit

    def _normal_pairs(self, count: int) -> Floats:
        """Standard normal numbers in float64; of an odd number the second of the last pair is kept for later."""
        drawn = [] if self._next_normal is None or not count else [self._next_normal]
        pairs = (count - len(drawn) + 1) // 2
        if drawn:
            self._next_normal = None
        uniform = iter(self._unit(2 * pairs, FLOAT64.numpy).tolist())
        for first, second in zip(uniform, uniform, strict=True):
            radius, angle = math.sqrt(-2.0 * math.log1p(-second)), 2.0 * math.pi * first
            drawn += (radius * math.cos(angle), radius * math.sin(angle))
        if len(drawn) > count:
            self._next_normal = drawn.pop()
        return np.array(drawn, np.float64)

    def _normal_blocks(self, count: int, dtype: NumpyDType) -> Floats:
        """Standard normal numbers in blocks of 16; where the last block is not full, the last 16 are drawn anew."""
        uniform = self._unit(count, dtype)
        rest = count % BLOCK
        drawn = _box_muller(uniform[: count - rest])
        return np.concatenate([drawn[: count - BLOCK], _box_muller(self._unit(BLOCK, dtype))]) if rest else drawn


# ---- arithmetic ----


def multiply_add(a: Any, b: Any, c: Any, dtype: NumpyDType) -> Floats:
    """a * b + c rounded once, as a processor's fused multiply-add gives it, in float32 or float64."""
    if dtype.itemsize == 4:
        # The product of two float32 is exact in float64; that the sum is rounded twice matters once in 10^8 sums.
        return np.asarray(np.multiply(a, b, dtype=np.float64) + c, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        product = np.multiply(a, b, dtype=np.float64)
        total = product + c
        # What both roundings lost, exactly: of the sum after Knuth (1969), of the product after Dekker (1971).
        added = total - product
        lost = ((product - (total - added)) + (c - added)) + _product_error(a, b, product)
        return np.asarray(np.where(np.isfinite(lost) & (lost != 0), total + lost, total))


def _product_error(a: Any, b: Any, product: Floats) -> Any:
    """a * b - product, exactly."""
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _split(x: Any) -> tuple[Any, Any]:
    scaled = np.multiply(x, 2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high


def _libm(function: Any, x: Floats) -> Floats:
    # Python's math calls the C library, as PyTorch does; numpy's own float64 functions may differ in the last digit.
    return np.asarray(np.frompyfunc(function, 1, 1)(x), np.float64)


def _box_muller(uniform: Floats) -> Floats:
    """Standard normal numbers out of uniform ones in [0, 1), whose number 16 divides; pairs are 8 apart."""
    halves = uniform.reshape(-1, 2, BLOCK // 2)
    first, second = 1 - halves[:, 0], halves[:, 1]
    if uniform.dtype == np.float32:
        radius = np.sqrt(np.float32(-2) * _log32(first))
        sine, cosine = _sin_cos32(np.float32(2 * math.pi) * second)
    else:
        radius = np.sqrt(-2 * _libm(math.log, first))
        sine, cosine = (_libm(function, 2 * math.pi * second) for function in (math.sin, math.cos))
    return np.stack([radius * cosine, radius * sine], axis=1).reshape(-1)


# Cephes: log(1 + x) as x - x²/2 + x³ P(x); sin x as x + x³ P(x²); cos x as 1 - x²/2 + x⁴ P(x²).
_LOG_TERMS = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_SIN_TERMS = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS_TERMS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
# log 2 and pi / 4 in parts; whole multiples of the first ones are exact in float32.
_LOG_2 = (0.693359375, -2.12194440e-4)
_QUARTER_PI = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)


def _fused32(a: Any, b: Any, c: Any) -> Floats:
    return multiply_add(a, b, c, FLOAT32.numpy)


def _polynomial(coefficients: Sequence[float], x: Floats) -> Floats:
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = _fused32(total, x, np.float32(coefficient))
    return total


def _log32(x: Floats) -> Floats:
    """log x of float32 in (0, 1]."""
    fraction, exponent = np.frexp(x)
    is_low = fraction < np.float32(math.sqrt(0.5))
    fraction = np.where(is_low, fraction + fraction, fraction) - np.float32(1)
    exponent = (exponent - is_low).astype(np.float32)
    square = fraction * fraction
    series = _polynomial(_LOG_TERMS, fraction) * fraction
    series = _fused32(series, square, exponent * np.float32(_LOG_2[1]))
    series = _fused32(square, np.float32(-0.5), series)
    return _fused32(exponent, np.float32(_LOG_2[0]), fraction + series)


def _sin_cos32(x: Floats) -> tuple[Floats, Floats]:
    """sin x and cos x of float32 in [0, 2 pi]."""
    octant = ((x * np.float32(4 / math.pi)).astype(np.int32) + 1) & ~1  # even; what remains lies within pi / 4 of 0
    for part in _QUARTER_PI:
        x = _fused32(octant, np.float32(-part), x)
    square = x * x
    sine = _fused32(_polynomial(_SIN_TERMS, square) * square, x, x)
    cosine = _fused32(_polynomial(_COS_TERMS, square) * square, square, square * np.float32(-0.5)) + np.float32(1)
    is_swapped = (octant & 2) != 0
    return (
        np.where(is_swapped, cosine, sine) * np.where(octant & 4, np.float32(-1), np.float32(1)),
        np.where(is_swapped, sine, cosine) * np.where((octant + 2) & 4, np.float32(-1), np.float32(1)),
    )


def _in_shape(drawn: Any, shape: Shape) -> Array:
    return drawn.reshape(tuple(shape))[()]  # type: ignore[no-any-return]


# ---- what PyTorch refuses ----


def _check_floating(dtype: NumpyDType, kernel: str) -> None:
    if dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype_of(dtype).type_name}'")


def _check_range(low: int, high: int, dtype: NumpyDType) -> None:
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= low < high <= np.iinfo(dtype).max + 1:
        raise RuntimeError(f"a number from {low} to {high - 1} is out of bounds for {dtype.name}")


def _check_weights(weights: Array, count: int, replacement: bool) -> None:
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype.kind != "f":
        found = dtype_of(weights.dtype).type_name
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {found}")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > np.shape(weights)[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not np.all(np.isfinite(weights) & np.greater_equal(weights, 0)):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if np.any(np.sum(weights, axis=-1) == 0):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
