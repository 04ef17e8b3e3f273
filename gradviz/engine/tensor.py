"""Tensor: define-by-run on numpy, made to be recorded.

A tensor that an op makes is itself the entry of the tape: no node object beside it, no closure, no
topological sort, because the order of creation is one. Inputs are positions on the tape, not objects, so an
in-place change can leave a frozen stand-in at the old position (see `storage`) while the tensor the user
holds moves on.

Values are numpy arrays, or numpy scalars for shape (): arithmetic on scalars is several times faster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy import ndarray

from gradviz.engine.dtypes import DType, convert, number_dtype, result_dtype
from gradviz.engine.extra import Extra
from gradviz.engine.shape_errors import raise_shape_error
from gradviz.engine.tape import Tape
from gradviz.errors import TorchError

if TYPE_CHECKING:
    from gradviz.engine.op import Op

__all__ = [
    "NO_PARAMS", "UNEVEN", "Tape", "Tensor", "apply", "binary", "bind_operators", "constant", "elementwise_function",
    "elementwise_operator", "record", "unary", "wrap",
]  # fmt: skip

NO_PARAMS: dict[str, Any] = {}
UNEVEN: dict[str, Any] = {}
"""The params of an elementwise op whose inputs differ in shape or dtype: its gradients must be fitted to them."""


<<<<<<< HEAD
def _go_on() -> None:
    """Nobody wants to stop it."""


class Tape:
    """What one run recorded.

    Attributes:
        entries: every tensor of the graph in order of creation; a tensor's `index` is its position.
        grad_enabled: whether ops are recorded (False inside `no_grad`).
        sweeps: the backward passes that ran.
        freed: positions whose saved tensors a pass without retain_graph has freed, up to `freed_until`.
        is_watched: whether some tensor was changed in place, so that each step must look.
        fresh: the position of a tensor that no recorded op has used: -1, or that of inference mode.
        by_node: whether a pass must go node by node, since code of the user's (a hook, a custom Function) looks on.
        finds_nan: whether a pass stops where a node returns NaN (`detect_anomaly`).
        trace: in anomaly mode, where an entry was made, as text: trace(position); else None.
        names: variable names by position.
        lines: source lines by position, of the leaves and constants that were made before their first use;
            `levels`: where the script was.
        apart, holes, sparse, sparse_until: what was dropped; see `dropping`.
        pulse: called now and then by what takes long; raises where the user pressed Stop.
        print_options: how tensors print (`torch.set_printoptions`); None for PyTorch's defaults.
        float_dtype: of what is made of Python floats (`torch.set_default_dtype`).
    """

    __slots__ = (
        "apart",
        "by_node",
        "entries",
        "finds_nan",
        "float_dtype",
        "freed",
        "freed_until",
        "fresh",
        "grad_enabled",
        "holes",
        "is_watched",
        "levels",
        "lines",
        "names",
        "print_options",
        "pulse",
        "sparse",
        "sparse_until",
        "sweeps",
        "trace",
    )  # fmt: skip

    def __init__(self) -> None:
        self.entries: list[Tensor] = []
        self.grad_enabled = True
        self.sweeps: list[SweepRecord] = []
        self.freed: set[int] = set()
        self.freed_until = -1
        self.is_watched = False
        self.by_node = False
        self.fresh = -1
        self.finds_nan = False
        self.trace: Callable[[int], str] | None = None
        self.names: dict[int, str] = {}
        self.lines: dict[int, int] = {}
        self.levels: dict[int, Any] = {}
        self.print_options: Any = None
        self.float_dtype: DType = FLOAT32
        self.pulse: Callable[[], None] = _go_on
        self.apart: set[int] = set()
        self.holes = 0
        self.sparse: list[int] = []
        self.sparse_until = 0

    def enter(self, tensor: Tensor, op: Op | None = None, slot: int = 0, inputs: tuple[Tensor, ...] = ()) -> int:
        """Give a leaf or constant its position on the tape, as an input of an op.

        Raises:
            TorchError: the op would save it, but it was made in inference mode.
        """
        if tensor.index == INFERENCE:
            needs = [x.requires_grad for x in inputs] or [i != slot for i in range(2)]
            inference.refuse_input(op, slot, needs)
            tensor = constant(tensor.data, self)  # it stays what it is, and stands for itself here only
        index = tensor.index = len(self.entries)
        self.entries.append(tensor)
        if (extra := tensor.extra) is not None:
            if extra.label is not None:
                self.names[index] = extra.label
            if extra.line is not None:
                self.lines[index] = extra.line
            if extra.storage is not None and extra.storage.is_lent:
                extra.shown = np.array(tensor.data)
                self.levels[index] = extra.level
        return index

    def tensor(self, data: Any, *, requires_grad: bool = False) -> Tensor:
        """A new leaf or constant around an array; the array is taken, not copied.

        Raises:
            TorchError: requires_grad for a dtype that is not floating point.
        """
        if requires_grad and data.dtype.kind != "f":
            raise TorchError("Only Tensors of floating point and complex dtype can require gradients")
        result = constant(data, self)
        if requires_grad:
            result.requires_grad = True
            self.enter(result)
        return result

    def close(self) -> None:
        """Let go of everything recorded. Tape and tensors hold each other; this spares the collector the work."""
        self.entries.clear()
        self.sweeps.clear()

    @contextmanager
    def recording(self) -> Iterator[Tape]:
        """Run a whole script: numpy's warnings are off, as PyTorch gives none, and the garbage collector pauses.

        A growing tape of live objects makes each full collection slower and frees nothing.
        """
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            with np.errstate(all="ignore"):
                yield self
        finally:
            if was_enabled:
                gc.enable()

    @contextmanager
    def grad_mode(self, enabled: bool) -> Iterator[None]:
        """Record or do not record inside, as `torch.set_grad_enabled`."""
        before = self.grad_enabled
        self.grad_enabled = enabled
        try:
            yield
        finally:
            self.grad_enabled = before


=======
>>>>>>> 05f1354 (The tape in a module of its own)
class Tensor:
    """An n-dimensional array that remembers how it was made.

    Attributes:
        data: the value; a numpy array, or a numpy scalar for shape ().
        requires_grad: whether a gradient can flow into it.
        tape: the tape of its run.
        index: its position on the tape, or negative while no recorded op has used it (see `inference`).
        op: the op that made it, or None for a leaf or constant.
        inputs: positions of the op's inputs on the tape.
        params: what the op was given besides tensors.
        extra: what few tensors have, or None.

    There is no constructor: `constant` makes one; the hot path fills the slots itself, at half the cost.
    """

    __slots__ = ("__weakref__", "data", "extra", "index", "inputs", "op", "params", "requires_grad", "tape")

    data: Any
    extra: Extra | None
    index: int
    inputs: tuple[int, ...]
    op: Op | None
    params: dict[str, Any]
    requires_grad: bool
    tape: Tape

    # ---- what it is ----

    @property
    def shape(self) -> tuple[int, ...]:
        """E.g. (2, 3); () for a single number."""
        return self.data.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        """numpy's dtype of the value."""
        return self.data.dtype  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.data.ndim  # type: ignore[no-any-return]

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made it."""
        return self.op is None

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None."""
        return self.extra.grad if self.extra is not None else None

    @property
    def more(self) -> Extra:
        """The rare attributes, made on first use."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    # The hottest operators are made by `elementwise_operator` and bound by `bind_operators`.
    __add__: Callable[[Tensor, Any], Tensor]
    __radd__: Callable[[Tensor, Any], Tensor]
    __sub__: Callable[[Tensor, Any], Tensor]
    __rsub__: Callable[[Tensor, Any], Tensor]
    __mul__: Callable[[Tensor, Any], Tensor]
    __rmul__: Callable[[Tensor, Any], Tensor]
    __truediv__: Callable[[Tensor, Any], Tensor]
    __matmul__: Callable[[Tensor, Any], Tensor]
    __neg__: Callable[[Tensor], Tensor]


def bind_operators(table: dict[str, Op]) -> None:
    """Give Tensor the operators that are one entry of the rule table; the table is made after this module."""
    for name in ("add", "sub", "mul", "truediv", "matmul"):
        setattr(Tensor, f"__{name}__", elementwise_operator(table["div" if name == "truediv" else name]))
    Tensor.__radd__ = Tensor.__add__
    Tensor.__rmul__ = Tensor.__mul__
    Tensor.__rsub__ = lambda x, other: apply(table["rsub"], (x,), other=other)
    Tensor.__neg__ = lambda x: unary(table["neg"], x)


def wrap(number: Any, like: Tensor) -> Tensor:
    """A Python number next to a tensor: a constant that takes the tensor's dtype where it can.

    Raises:
        TorchError: it is no number, or it does not fit the dtype.
    """
    dtype = number_dtype(number, like.data.dtype, like.tape.float_dtype)
    try:
        return constant(dtype.type(number), like.tape)
    except OverflowError:
        if dtype.kind == "f":
            return constant(dtype.type(math.copysign(math.inf, number)), like.tape)
        raise TorchError(f"value cannot be converted to type {dtype.name} without overflow") from None


def constant(data: Any, tape: Tape) -> Tensor:
    """A tensor that no recorded op made and that takes no gradient."""
    out = Tensor()
    out.data = data
    out.tape = tape
    out.requires_grad = False
    out.index = tape.fresh
    out.op = None
    out.inputs = ()
    out.params = NO_PARAMS
    out.extra = None
    return out


def elementwise_operator(op: Op) -> Callable[[Tensor, Any], Tensor]:
    """A function of two tensors, or a tensor and a number, that applies an op with PyTorch's promotion.

    One body for all operators, with everything it needs at hand: a call less per op is a tenth of the time of
    a scalar graph.
    """
    forward = op.forward

    def operator(a: Tensor, b: Any) -> Tensor:
        if type(b) is not Tensor:
            b = wrap(b, a)
        x, y = a.data, b.data
        params = NO_PARAMS
        # Two numpy scalars of one type need no look at their dtypes, which costs more than their product.
        kind = type(x)
        if kind is not type(y) or (kind is ndarray and (x.shape != y.shape or x.dtype is not y.dtype)):
            params = UNEVEN
            dtype = result_dtype(x, y)
            x, y = convert(x, dtype), convert(y, dtype)
        try:
            value = forward(x, y)
        except (ValueError, TypeError) as error:
            raise_shape_error(op, x, y, error)
        tape = a.tape
        if not (a.requires_grad or b.requires_grad) or not tape.grad_enabled:
            return constant(value, tape)
        i, j = a.index, b.index
        if i < 0:
            i = tape.enter(a, op, 0)
        if j < 0:
            j = tape.enter(b, op, 1) if b is not a else i
        entries = tape.entries
        out = Tensor()
        out.data = value
        out.tape = tape
        out.params = params
        out.extra = None
        out.requires_grad = True
        out.op = op
        out.inputs = (i, j)
        out.index = len(entries)
        entries.append(out)
        return out

    return operator


def binary(op: Op, a: Tensor, b: Any) -> Tensor:
    """Apply an elementwise op of two inputs, with PyTorch's promotion and numpy's broadcasting.

    Raises:
        TorchError: the shapes do not broadcast.
    """
    operator = _OPERATORS.get(op.name)
    if operator is None:
        operator = _OPERATORS[op.name] = elementwise_operator(op)
    return operator(a, b)


_OPERATORS: dict[str, Callable[[Tensor, Any], Tensor]] = {}


def elementwise_function(op: Op) -> Callable[[Tensor], Tensor]:
    """A function of one tensor that applies an op; integers become floats where the op has no integer result."""
    forward, keeps_integers = op.forward, op.keeps_integers

    def function(a: Tensor) -> Tensor:
        x = a.data
        tape = a.tape
        if not (a.requires_grad and tape.grad_enabled):
            if not keeps_integers and x.dtype.kind != "f":
                x = x.astype(tape.float_dtype)
            return constant(forward(x), tape)
        i = a.index
        if i < 0:
            i = tape.enter(a, op, 0)
        out = Tensor()
        out.data = forward(x)
        entries = tape.entries
        out.tape = tape
        out.params = NO_PARAMS
        out.extra = None
        out.requires_grad = True
        out.op = op
        out.inputs = (i,)
        out.index = len(entries)
        entries.append(out)
        return out

    return function


def unary(op: Op, a: Tensor) -> Tensor:
    """Apply an elementwise op of one input."""
    function = _FUNCTIONS.get(op)
    if function is None:
        function = _FUNCTIONS[op] = elementwise_function(op)
    return function(a)


_FUNCTIONS: dict[Op, Callable[[Tensor], Tensor]] = {}


def apply(op: Op, inputs: tuple[Tensor, ...], **params: Any) -> Tensor:
    """Apply any op: forward on the arrays, and an entry on the tape where a gradient can flow."""
    value = op.forward(*[t.data for t in inputs], **params)
    return record(op, inputs, params, value)


def record(op: Op, inputs: tuple[Tensor, ...], params: dict[str, Any], value: Any) -> Tensor:
    """The tensor of a value that an op made, on the tape where a gradient can flow into it."""
    tape = inputs[0].tape
    out = constant(value, tape)
    if tape.grad_enabled and value.dtype.kind == "f" and any(t.requires_grad for t in inputs):
        out.inputs = tuple([t.index if t.index >= 0 else tape.enter(t, op, i, inputs) for i, t in enumerate(inputs)])
        out.requires_grad = True
        out.op = op
        out.params = params
        out.index = len(tape.entries)
        tape.entries.append(out)
    return out
