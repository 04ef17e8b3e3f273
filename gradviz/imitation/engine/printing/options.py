"""How tensors are printed: what `torch.set_printoptions` sets, as a value that nobody can change behind your back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from gradviz.errors import TorchError


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """The options of `torch.set_printoptions`, with PyTorch's defaults.

    Attributes:
        precision: digits after the point.
        threshold: more elements than this are summarised with "..."; `inf` never summarises.
        edgeitems: elements shown at either end of a summarised axis.
        linewidth: characters per line.
        sci_mode: scientific notation always or never; None lets the numbers decide.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: float = 80
    sci_mode: bool | None = None


DEFAULT = PrintOptions()

_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=inf),
}


def with_options(
    options: PrintOptions = DEFAULT,
    *,
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: float | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> PrintOptions:
    """The options after `torch.set_printoptions(...)`.

    None keeps what was, with one exception that is PyTorch's own: every call sets `sci_mode`, so one that does not
    name it goes back to None. A profile that does not exist is passed over.

    Raises:
        TorchError: a precision, a number of edge items or a line width that no tensor can be printed with.
    """
    start = options if profile is None else _PROFILES.get(profile, options)
    chosen = PrintOptions(
        start.precision if precision is None else precision,
        start.threshold if threshold is None else threshold,
        start.edgeitems if edgeitems is None else edgeitems,
        start.linewidth if linewidth is None else linewidth,
    )
    _check(chosen)
    return replace(chosen, sci_mode=sci_mode)


def _check(options: PrintOptions) -> None:
    # PyTorch finds these out at the next print, in words that do not name the option.
    for name, value in (("precision", options.precision), ("edgeitems", options.edgeitems)):
        if not isinstance(value, int) or value < 0:
            raise TorchError(
                f"set_printoptions: {name} must be a whole number of 0 or more, but is {value}.", kind="ValueError"
            )
    if not abs(options.linewidth) < inf:
        raise TorchError(
            f"set_printoptions: linewidth must be finite, but is {options.linewidth}.",
            kind="OverflowError",
            hint="Use a large number, such as linewidth=10000.",
        )
