"""`fractions` and `decimal`: Python's own exact numbers, kept to sizes that are reckoned in a moment."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.library.making import builtin_class, natives
from gradviz.imitation.script.names.torch.surroundings import Settings
from gradviz.imitation.script.plain_methods import PLAIN_METHODS
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.values import Class, Instance, Namespace, Native, Static

LARGEST_EXPONENT = 10_000
MOST_DIGITS = 2_000
LONGEST = 5_000
"""Characters of a number written as text."""

READERS[Fraction] = fields("numerator", "denominator", "real", "imag")
PLAIN_METHODS[Fraction] = frozenset(("limit_denominator", "as_integer_ratio", "is_integer"))
PLAIN_METHODS[Decimal] = frozenset(
    (  # noqa: SIM905 - a table of names reads better as words
        "quantize sqrt exp ln log10 normalize as_tuple as_integer_ratio to_integral_value is_nan is_infinite "
        "is_finite is_zero is_signed copy_abs copy_negate copy_sign adjusted compare max min scaleb fma "
        "to_eng_string remainder_near"
    ).split()
)


def _short(value: Any) -> Any:
    if isinstance(value, str) and (len(value) > LONGEST or len(value.rpartition("e")[2]) > LONGEST):
        raise LimitError("a number of so many digits is too long", hint="Use a shorter one.")
    if isinstance(value, Instance):
        raise TorchError(f"argument should be a string or a Rational instance, not {value.cls.name}", kind="TypeError")
    return value


def _fraction(machine: Machine, numerator: Any = 0, denominator: Any = None) -> Fraction:
    text = str(numerator).lower()
    exponent = text.rpartition("e")[2] if isinstance(numerator, str) and "e" in text else "0"
    if exponent.lstrip("+-").isdigit() and int(exponent) > LARGEST_EXPONENT:
        raise LimitError("a fraction of so many digits is too long", hint="Use a smaller one.")
    if isinstance(numerator, Decimal) and abs(numerator.adjusted()) > LARGEST_EXPONENT:
        raise LimitError("a fraction of so many digits is too long", hint="Use a smaller one.")
    return Fraction(_short(numerator), denominator)


def _decimal(machine: Machine, value: Any = "0", context: Any = None) -> Decimal:
    made = Decimal(_short(value))
    if made.is_finite() and abs(made.adjusted()) > LARGEST_EXPONENT:
        raise LimitError("a decimal with so large an exponent is not supported", hint="Use a smaller one.")
    return made


def fractions_module(machine: Machine) -> Namespace:
    """`fractions`."""
    cls = builtin_class(machine, Fraction, "fractions", _fraction)
    cls.attributes |= {name: Static(Native(name, getattr(Fraction, name))) for name in ("from_float", "from_decimal")}
    return Namespace("fractions", {"Fraction": cls})


class Rules(dict[str, Any]):
    """How many digits there are, and how they are rounded: what is set here holds at once."""

    def __init__(self) -> None:
        context = decimal.getcontext()
        super().__init__(prec=context.prec, rounding=context.rounding)

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self:
            raise TorchError(f"'decimal.Context' object has no attribute '{name}'", kind="AttributeError")
        if name == "prec" and isinstance(value, int) and value > MOST_DIGITS:
            raise LimitError(f"more than {MOST_DIGITS:,} digits are not supported", hint="Use fewer.")
        setattr(decimal.getcontext(), name, value)
        super().__setitem__(name, value)


def _context() -> Settings:
    return Settings("decimal.Context", Rules())


def _local(machine: Machine) -> Managed:
    """`with localcontext() as ctx`."""
    kept: list[decimal.Context] = []

    def enter() -> Settings:
        kept.append(decimal.getcontext().copy())
        return _context()

    def leave(_: Any) -> None:
        decimal.setcontext(kept.pop())

    return Managed("decimal.ContextManager", enter, leave)


ROUNDINGS = ("ROUND_CEILING", "ROUND_DOWN", "ROUND_FLOOR", "ROUND_HALF_DOWN", "ROUND_HALF_EVEN", "ROUND_HALF_UP",
             "ROUND_UP", "ROUND_05UP")  # fmt: skip


def decimal_module(machine: Machine) -> Namespace:
    """`decimal`, with a context of its own for each run."""
    decimal.setcontext(decimal.Context(prec=28, Emax=LARGEST_EXPONENT, Emin=-LARGEST_EXPONENT))
    classes = machine.state["exceptions"]
    base = Class("DecimalException", (classes["ArithmeticError"],), {}, module="decimal")
    invalid = Class("InvalidOperation", (base,), {}, module="decimal")
    by_zero = Class("DivisionByZero", (base, classes["ZeroDivisionError"]), {}, module="decimal")
    over = Class("Overflow", (base,), {}, module="decimal")
    for cls in (invalid, by_zero, over):
        classes.setdefault(cls.name, cls)
    return Namespace("decimal", {
        "Decimal": builtin_class(machine, Decimal, "decimal", _decimal),
        "InvalidOperation": invalid, "DivisionByZero": by_zero, "Overflow": over, "DecimalException": base,
        **{name: getattr(decimal, name) for name in ROUNDINGS},
        **natives({"getcontext": _context, "localcontext": lambda *_: _local(machine)}),
    })  # fmt: skip
