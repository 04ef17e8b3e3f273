"""Modules without parameters of their own: activations, dropout, pooling, shapes. One line each.

A line says the class, the function of `torch.nn.functional` it calls, the arguments of its `__init__` with their
defaults (which are also the names of its attributes) and its repr. It is offered where the function exists.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Any

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.warn import called_by_module
from gradviz.errors import TorchError
from gradviz.imitation.script.arguments.checking import reading
from gradviz.imitation.script.names.nn.kinds import INIT_OF, Kinds, repeated
from gradviz.imitation.script.names.nn.signatures import bound, signature
from gradviz.imitation.script.values import Class, Instance

SAME: tuple[str, ...] = ()
ONE_INPUT = signature("input")

ACTIVATIONS = """
ReLU            relu          inplace=False                                                 | @inplace
LeakyReLU       leaky_relu    negative_slope=0.01, inplace=False          | negative_slope={negative_slope}@inplace
ELU             elu           alpha=1.0, inplace=False                                      | alpha={alpha}@inplace
SELU            selu          inplace=False                                                 | @inplace
CELU            celu          alpha=1.0, inplace=False                                      | alpha={alpha}@inplace
GELU            gelu          approximate="none"                                   | approximate={approximate!r}
SiLU            silu          inplace=False                                                 | @inplace
Mish            mish          inplace=False                                                 | @inplace
Softplus        softplus      beta=1.0, threshold=20.0              | beta={beta}, threshold={threshold}
Softsign        softsign                                                                    |
Tanhshrink      tanhshrink                                                                  |
Softshrink      softshrink    lambd=0.5                                                     | {lambd}
Hardshrink      hardshrink    lambd=0.5                                                     | {lambd}
Hardtanh        hardtanh      min_val=-1.0, max_val=1.0, inplace=False  | min_val={min_val}, max_val={max_val}@inplace
ReLU6           relu6         inplace=False                                                 | @inplace
Hardsigmoid     hardsigmoid   inplace=False                                                 |
Hardswish       hardswish     inplace=False                                                 |
RReLU           rrelu         lower=0.125, upper=0.3333333333333333, inplace=False \
| lower={lower}, upper={upper}@inplace
Sigmoid         sigmoid                                                                     |
LogSigmoid      logsigmoid                                                                  |
Tanh            tanh                                                                        |
Softmax         softmax       dim=None                                                      | dim={dim}
Softmin         softmin       dim=None                                                      | dim={dim}
LogSoftmax      log_softmax   dim=None                                                      | dim={dim}
GLU             glu           dim=-1                                                        | dim={dim}
Threshold       threshold     threshold, value, inplace=False       | threshold={threshold}, value={value}@inplace
"""

POOLING = """
MaxPool1d  max_pool1d  kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False \
| kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}
MaxPool2d  max_pool2d  kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False \
| kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}
AvgPool1d  avg_pool1d  kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True \
| kernel_size={kernel_size}, stride={stride}, padding={padding}
AvgPool2d  avg_pool2d  kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, \
divisor_override=None | kernel_size={kernel_size}, stride={stride}, padding={padding}
AdaptiveAvgPool1d  adaptive_avg_pool1d  output_size | output_size={output_size}
AdaptiveAvgPool2d  adaptive_avg_pool2d  output_size | output_size={output_size}
AdaptiveMaxPool1d  adaptive_max_pool1d  output_size, return_indices=False | output_size={output_size}
AdaptiveMaxPool2d  adaptive_max_pool2d  output_size, return_indices=False | output_size={output_size}
AdaptiveAvgPool3d  adaptive_avg_pool3d  output_size | output_size={output_size}
AdaptiveMaxPool3d  adaptive_max_pool3d  output_size, return_indices=False | output_size={output_size}
MaxPool3d  max_pool3d  kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False \
| kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}
AvgPool3d  avg_pool3d  kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, \
divisor_override=None | kernel_size={kernel_size}, stride={stride}, padding={padding}
LPPool1d  lp_pool1d  norm_type, kernel_size, stride=None, ceil_mode=False \
| norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode}
LPPool2d  lp_pool2d  norm_type, kernel_size, stride=None, ceil_mode=False \
| norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode}
LPPool3d  lp_pool3d  norm_type, kernel_size, stride=None, ceil_mode=False \
| norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode}
MaxUnpool1d  max_unpool1d  kernel_size, stride=None, padding=0 \
| kernel_size={kernel_size}, stride={stride}, padding={padding}
MaxUnpool2d  max_unpool2d  kernel_size, stride=None, padding=0 \
| kernel_size={kernel_size}, stride={stride}, padding={padding}
MaxUnpool3d  max_unpool3d  kernel_size, stride=None, padding=0 \
| kernel_size={kernel_size}, stride={stride}, padding={padding}
"""

SHAPES = """
PixelShuffle    pixel_shuffle   upscale_factor   | upscale_factor={upscale_factor}
PixelUnshuffle  pixel_unshuffle downscale_factor | downscale_factor={downscale_factor}
"""

CHANNELS = "ChannelShuffle  channel_shuffle  groups | groups={groups}"

RESPONSES = """
LocalResponseNorm  local_response_norm  size, alpha=0.0001, beta=0.75, k=1.0 | {size}, alpha={alpha}, beta={beta}, k={k}
"""

FOLDS = """
Fold    fold    output_size, kernel_size, dilation=1, padding=0, stride=1 | output_size={output_size}, \
kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}
Unfold  unfold  kernel_size, dilation=1, padding=0, stride=1 \
| kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}
"""

FAMILIES = {
    "activation": ACTIVATIONS, "pooling": POOLING, "pixelshuffle": SHAPES, "channelshuffle": CHANNELS,
    "normalization": RESPONSES, "fold": FOLDS,
}  # fmt: skip


class Line:
    """One line of a table, taken apart.

    Attributes:
        signature: of `__init__`, without self.
        form: the repr's text, with fields; "@inplace" stands for what is shown where inplace is set.
    """

    def __init__(self, line: str) -> None:
        head, _, self.form = (part.strip() for part in line.partition("|"))
        self.name, self.function, *rest = head.split(None, 2)
        self.signature = signature(rest[0] if rest else "")

    def init(self, module: Instance, *arguments: Any, **keywords: Any) -> dict[str, Any]:
        """The attributes out of the arguments.

        Raises:
            TypeError: arguments it does not take; the call turns it into PyTorch's words.
        """
        found = bound(f"{INIT_OF.get(self.name, self.name)}.__init__()", self.signature, arguments, keywords)
        if self.name.startswith(("MaxPool", "AvgPool", "MaxUnpool")):
            found = _pooling(module, self.name, found)
        return found

    def text(self, attributes: dict[str, Any]) -> str:
        """What the repr shows in brackets."""
        body = self.form.removesuffix("@inplace").format(**attributes)
        shown = "inplace=True" if self.form.endswith("@inplace") and attributes["inplace"] else ""
        return ", ".join(part for part in (body, shown) if part)


def _pooling(module: Instance, name: str, found: dict[str, Any]) -> dict[str, Any]:
    if found["stride"] is None:
        found["stride"] = found["kernel_size"]
    if name == "AvgPool1d" or name.startswith("MaxUnpool"):
        for key in ("kernel_size", "stride", "padding"):
            found[key] = repeated(module, found[key], int(name[-2]))
    return found


def simple_classes(kinds: Kinds) -> dict[str, Class]:
    """All classes of the tables whose function there is, and the few that are written out below."""
    functional = kinds.functional
    found = {
        line.name: _class_of(kinds, line, functional[line.function], family)
        for family, table in FAMILIES.items()
        for line in map(Line, table.strip().split("\n"))
        if line.function in functional
    }
    return found | _dropouts(kinds) | _plain(kinds)


def _class_of(kinds: Kinds, line: Line, function: Callable[..., Any], family: str) -> Class:
    known = inspect.signature(function).parameters
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known.values())
    names = [name for name in line.signature.parameters if takes_any or name in known]
    takes_one = len(known) < 2 or list(known)[1] in line.signature.parameters  # max_unpool takes indices too
    names += ["training"] if line.name == "RReLU" else []
    # By their places, as PyTorch's own modules give them: messages name the place.
    placed = list(takewhile(names.__contains__, islice(known, 1, None))) if takes_one and not takes_any else []
    named_only = [name for name in names if name not in placed or known[name].kind is inspect.Parameter.KEYWORD_ONLY]
    placed = [name for name in placed if name not in named_only]
    defaults = {name: p.default for name, p in line.signature.parameters.items()}
    if "dim" in known:
        function = _from_inside(line.name, function)
    if "norm_type" in known:
        function = _of_float_power(function)

    def forward(attributes: dict[str, Any], *inputs: Any, **named: Any) -> Any:
        if takes_one and (len(inputs) != 1 or named):
            inputs, named = tuple(bound(f"{line.name}.forward()", ONE_INPUT, inputs, named).values()), {}
        given = {
            name: attributes[name]
            for name in named_only
            if name in attributes and (name in known or attributes[name] != defaults.get(name))
        }
        return function(*inputs, *(attributes[name] for name in placed), **given, **named)

    return kinds.cls(line.name, line.init, forward, line.text, family)


def _from_inside(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a module calls it: what it warns of is said once and not once a line."""

    def run(*inputs: Any, **named: Any) -> Any:
        with called_by_module(name):
            return function(*inputs, **named)

    return run


def _of_float_power(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a module calls it: whole numbers to the power of a float are floats."""

    def run(input: Any, norm_type: Any, *rest: Any, **named: Any) -> Any:
        return function(input, float(norm_type), *rest, **named)

    return run


def _dropouts(kinds: Kinds) -> dict[str, Class]:
    functions = {
        "Dropout": "dropout",
        "Dropout1d": "dropout1d",
        "Dropout2d": "dropout2d",
        "Dropout3d": "dropout3d",
        "AlphaDropout": "alpha_dropout",
        "FeatureAlphaDropout": "feature_alpha_dropout",
    }

    def init(module: Instance, p: float = 0.5, inplace: bool = False) -> dict[str, Any]:
        if p < 0 or p > 1:
            raise TorchError(f"dropout probability has to be between 0 and 1, but got {p}", kind="ValueError")
        return {"p": p, "inplace": inplace}

    def of(name: str, function: Callable[..., Any]) -> Class:
        return kinds.cls(
            name,
            init,
            lambda a, input: function(input, a["p"], a["training"], a["inplace"] and "Alpha" not in name),
            lambda a: f"p={a['p']}, inplace={a['inplace']}",
            "dropout",
        )

    return {
        name: of(name, _from_inside(name, kinds.functional[key]) if key[-1] == "d" else kinds.functional[key])
        for name, key in functions.items()
        if key in kinds.functional
    }


def _plain(kinds: Kinds) -> dict[str, Class]:
    flat, unflat = (reading("Tensor", name, F[name]) for name in ("flatten", "unflatten"))

    def unflatten(a: dict[str, Any], input: Any) -> Any:
        return unflat(input, a["dim"], tuple(a["unflattened_size"]))

    def over_channels(a: dict[str, Any], input: Any) -> Any:
        if input.ndim not in (3, 4):
            raise TorchError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead", kind="ValueError")
        return kinds.functional["softmax"](input, -3)

    return {
        "Softmax2d": kinds.cls("Softmax2d", lambda module: None, over_channels, None, "activation"),
        "Identity": kinds.cls("Identity", lambda module, *_, **__: None, lambda a, input: input, None, "linear"),
        "Flatten": kinds.cls(
            "Flatten",
            lambda module, start_dim=1, end_dim=-1: {"start_dim": start_dim, "end_dim": end_dim},
            lambda a, input: flat(input, a["start_dim"], a["end_dim"]),
            lambda a: f"start_dim={a['start_dim']}, end_dim={a['end_dim']}",
            "flatten",
        ),
        "Unflatten": kinds.cls(
            "Unflatten",
            lambda module, dim, unflattened_size: {"dim": dim, "unflattened_size": unflattened_size},
            unflatten,
            lambda a: f"dim={a['dim']}, unflattened_size={a['unflattened_size']}",
            "flatten",
        ),
    }
