"""Losses and distances as modules: `_Loss`, `_WeightedLoss`, and what is derived from them.

A row says the class, the function of `torch.nn.functional` it calls, and the arguments of its `__init__` where it has
one of its own; these are also its attributes, and what the function is given.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from gradviz.imitation.engine.functions.linalg.distances import triplet_margin_with_distance_loss
from gradviz.imitation.engine.functions.losses.options import reduction_of
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import called_by_module, warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.nn.kinds import FORWARD_OF, INIT_OF, Kinds, prepare
from gradviz.imitation.script.names.nn.register import register_buffer, set_attribute
from gradviz.imitation.script.names.nn.signatures import bound, signature
from gradviz.imitation.script.values import Class, Instance, Native, type_name

OLD = "size_average=None, reduce=None, reduction='mean'"
PLAIN_BASE, WEIGHTED_BASE = "_Loss", "_WeightedLoss"
BUFFERS = ("weight", "pos_weight")
BY_CLASS = "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'"
POISSON = "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'"
TRIPLET = "anchor, positive, negative"
NLL_2D = (
    "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
    "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details."
)


class Row(NamedTuple):
    """One loss: its class, its function, the arguments of `__init__` ("" for those of its base) and of `forward`."""

    name: str
    function: str
    arguments: str = ""
    inputs: str = "input, target"
    base: str = PLAIN_BASE


ROWS = (
    Row("MSELoss", "mse_loss"),
    Row("L1Loss", "l1_loss"),
    Row("SmoothL1Loss", "smooth_l1_loss", f"{OLD}, beta=1.0"),
    Row("HuberLoss", "huber_loss", "reduction='mean', delta=1.0"),
    Row("BCELoss", "binary_cross_entropy", base=WEIGHTED_BASE),
    Row("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", f"weight=None, {OLD}, pos_weight=None"),
    Row("NLLLoss", "nll_loss", BY_CLASS, base=WEIGHTED_BASE),
    Row("NLLLoss2d", "nll_loss", BY_CLASS, base="NLLLoss"),
    Row("CrossEntropyLoss", "cross_entropy", f"{BY_CLASS}, label_smoothing=0.0", base=WEIGHTED_BASE),
    Row("KLDivLoss", "kl_div", f"{OLD}, log_target=False"),
    Row("PoissonNLLLoss", "poisson_nll_loss", POISSON, "log_input, target"),
    Row("GaussianNLLLoss", "gaussian_nll_loss", "*, full=False, eps=1e-06, reduction='mean'", "input, target, var"),
    Row("SoftMarginLoss", "soft_margin_loss"),
    Row("CTCLoss", "ctc_loss", "blank=0, reduction='mean', zero_infinity=False",
        "log_probs, targets, input_lengths, target_lengths"),
    Row("HingeEmbeddingLoss", "hinge_embedding_loss", f"margin=1.0, {OLD}"),
    Row("MarginRankingLoss", "margin_ranking_loss", f"margin=0.0, {OLD}", "input1, input2, target"),
    Row("CosineEmbeddingLoss", "cosine_embedding_loss", f"margin=0.0, {OLD}", "input1, input2, target"),
    Row("MultiMarginLoss", "multi_margin_loss", f"p=1, margin=1.0, weight=None, {OLD}", base=WEIGHTED_BASE),
    Row("MultiLabelMarginLoss", "multilabel_margin_loss"),
    Row("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", base=WEIGHTED_BASE),
    Row("TripletMarginLoss", "triplet_margin_loss", f"margin=1.0, p=2.0, eps=1e-06, swap=False, {OLD}", TRIPLET),
    Row("TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss",
        "*, distance_function=None, margin=1.0, swap=False, reduction='mean'", TRIPLET),
)  # fmt: skip


# ---- what is checked ----


def _positive_margin(name: str, found: dict[str, Any]) -> None:
    if found["margin"] <= 0:
        raise TorchError(
            f"{name}: expected margin to be greater than 0, got {found['margin']} instead", kind="ValueError"
        )


def _delta(_name: str, found: dict[str, Any]) -> None:
    if not isinstance(found["delta"], float | int):
        kind = type_name(found["delta"])
        raise TorchError(f"delta must be a float or int, got: <class '{kind}'>", kind="TypeError")


def _power(_name: str, found: dict[str, Any]) -> None:
    weight = found["weight"]
    if weight is not None and not isinstance(weight, Tensor):
        return  # which the registering of it refuses
    if found["p"] not in (1, 2):
        raise TorchError("only p == 1 and p == 2 supported", kind="ValueError")
    if isinstance(weight, Tensor) and weight.ndim != 1:
        raise TorchError(
            f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.ndim}D instead", kind="ValueError"
        )


def _deprecated(_name: str, _found: dict[str, Any]) -> None:
    warn(NLL_2D, "FutureWarning")


CHECKS: dict[str, Callable[[str, dict[str, Any]], None]] = {
    "TripletMarginLoss": _positive_margin,
    "TripletMarginWithDistanceLoss": _positive_margin,
    "HuberLoss": _delta,
    "MultiMarginLoss": _power,
    "NLLLoss2d": _deprecated,
}


# ---- classes ----


def loss_classes(kinds: Kinds) -> dict[str, Class]:
    """The classes of the table and their bases, and the distances, by name."""
    plain = _class(PLAIN_BASE, kinds.base, {"__init__": _begin(PLAIN_BASE, OLD)})
    found = {PLAIN_BASE: plain}
    found[WEIGHTED_BASE] = _class(WEIGHTED_BASE, plain, {"__init__": _begin(WEIGHTED_BASE, f"weight=None, {OLD}")})
    distances = _distances(kinds)
    for row in ROWS:
        function = kinds.functional[row.function]
        table = {"forward": _forward(row, function)}
        if row.arguments:
            table["__init__"] = _begin(row.name, row.arguments, distances["PairwiseDistance"])
        found[row.name] = _class(row.name, found[row.base], table)
    return found | distances


def _class(name: str, base: Class, table: dict[str, Any]) -> Class:
    return Class(name, (base,), table, module="torch.nn.modules.loss")


def _begin(name: str, arguments: str, distance: Class | None = None) -> Native:
    taken = signature(arguments)

    def begin(self: Instance, *given: Any, **named: Any) -> None:
        prepare(self)
        found = bound(f"{INIT_OF.get(name, name)}.__init__()", taken, given, named)
        size_average, reduce = (found.pop(key, None) for key in ("size_average", "reduce"))
        found["reduction"] = reduction_of(size_average, reduce, found["reduction"], PLAIN_BASE)
        if name in CHECKS:
            CHECKS[name](name, found)
        if distance is not None and found.get("distance_function", self) is None:
            found["distance_function"] = self.machine.call(distance, (), {})
        for key, value in found.items():
            (register_buffer if key in BUFFERS else set_attribute)(self, key, value)

    return Native(f"{name}.__init__", begin, is_method=True)


def _forward(row: Row, function: Callable[..., Any]) -> Native:
    inputs = signature(row.inputs)
    options = [name for name in signature(row.arguments).parameters if name not in ("size_average", "reduce")]
    if not row.arguments:
        options = ["reduction"] if row.base == PLAIN_BASE else ["weight", "reduction"]

    def forward(self: Instance, *given: Any, **named: Any) -> Any:
        found = list(bound(f"{FORWARD_OF.get(row.name, row.name)}.forward()", inputs, given, named).values())
        with called_by_module(row.name):
            return function(*found, **{name: self.attributes[name] for name in options})

    return Native(f"{row.name}.forward", forward, is_method=True)


def _distances(kinds: Kinds) -> dict[str, Class]:
    cosine, pairwise = (kinds.functional[name] for name in ("cosine_similarity", "pairwise_distance"))

    def angle(_module: Instance, dim: int = 1, eps: float = 1e-08) -> dict[str, Any]:
        return {"dim": dim, "eps": eps}

    def length(_module: Instance, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> dict[str, Any]:
        return {"norm": p, "eps": eps, "keepdim": keepdim}

    return {
        "CosineSimilarity": kinds.cls(
            "CosineSimilarity", angle, lambda a, x1, x2: cosine(x1, x2, a["dim"], a["eps"]), None, "distance"
        ),
        "PairwiseDistance": kinds.cls(
            "PairwiseDistance",
            length,
            lambda a, x1, x2: pairwise(x1, x2, a["norm"], a["eps"], a["keepdim"]),
            None,
            "distance",
        ),
    }


# ---- functions that call the script ----


def functions(machine: Machine) -> dict[str, Callable[..., Any]]:
    """The losses of `torch.nn.functional` that take a function of the script."""

    @functools.wraps(triplet_margin_with_distance_loss)
    def triplet(*tensors: Any, distance_function: Any = None, **options: Any) -> Any:
        called = None if distance_function is None else (lambda a, b: machine.call(distance_function, (a, b), {}))
        return triplet_margin_with_distance_loss(*tensors, distance_function=called, **options)

    triplet.__signature__ = inspect.signature(triplet_margin_with_distance_loss)  # type: ignore[attr-defined]
    return {"triplet_margin_with_distance_loss": triplet}
