"""Losses: how far a prediction is from its target, as one number or one for each sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from gradviz.engine.nn import functional as F
from gradviz.engine.nn.distance import PairwiseDistance
from gradviz.engine.nn.module import Module
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor

OF_OLD: dict[str, Any] = {"size_average": None, "reduce": None}
"""Arguments of old code, which say the reduction where they are given; they stand where they stood."""
REDUCED: dict[str, Any] = {**OF_OLD, "reduction": "mean"}


class Loss(Module):
    """A loss of `F`, called with the settings of the module.

    Attributes:
        function: which one.
        takes: the arguments of the class in their order, with their defaults. All but those of old code are attributes
            of the module, and what the function is called with besides its inputs. A tensor among them is a buffer.
        reduction: "mean", "sum", or "none" for one loss per element or sample.
    """

    function: ClassVar[Callable[..., Tensor]]
    takes: ClassVar[Mapping[str, Any]] = REDUCED

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        given = {**self.takes, **_named(type(self), args, kwargs)}
        given["reduction"] = reduction_of(given.get("size_average"), given.get("reduce"), given["reduction"])
        for name in self.takes:
            if name in WEIGHTS:
                self.register_buffer(name, given[name])
            elif name not in OF_OLD:
                setattr(self, name, given[name])

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return self._call(input, target)

    def _call(self, *inputs: Tensor) -> Tensor:
        settings = {name: getattr(self, name) for name in self.takes if name not in OF_OLD}
        return type(self).function(*inputs, **settings)


WEIGHTS = ("weight", "pos_weight")
"""Arguments that are tensors, or None."""


class WeightedLoss(Loss):
    """A loss with weights.

    Attributes:
        weight: one for each class, or None.
    """

    takes = {"weight": None, **REDUCED}


def _named(kind: type[Loss], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What is given to a class, by name.

    Raises:
        TypeError: too much, in Python's words.
    """
    owner = next(each for each in kind.__mro__ if "takes" in vars(each))
    name = f"_{owner.__name__}" if owner in (Loss, WeightedLoss) else owner.__name__
    names = list(kind.takes)
    if len(args) > len(names):
        raise TypeError(
            f"{name}.__init__() takes from 1 to {len(names) + 1} positional arguments but {len(args) + 1} were given"
        )
    named = dict(zip(names, args, strict=False))
    for key in kwargs:
        if key not in names:
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{key}'")
        if key in named:
            raise TypeError(f"{name}.__init__() got multiple values for argument '{key}'")
    return named | kwargs


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, where one of the two older arguments may say it instead."""
    if size_average is None and reduce is None:
        return reduction
    averages = True if size_average is None else size_average
    reduces = True if reduce is None else reduce
    # Both are asked for their truth, which a target that was given here by mistake refuses.
    found = "mean" if averages and reduces else "sum" if reduces else "none"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


class MSELoss(Loss):
    """(input − target)²."""

    function = staticmethod(F.mse_loss)


class L1Loss(Loss):
    """|input − target|."""

    function = staticmethod(F.l1_loss)


class SmoothL1Loss(Loss):
    """|input − target|, rounded to a parabola where it is below beta."""

    function = staticmethod(F.smooth_l1_loss)
    takes = {**REDUCED, "beta": 1.0}


class HuberLoss(Loss):
    """A parabola up to delta, a straight line beyond.

    Source: Huber, Robust estimation of a location parameter, 1964.
    """

    function = staticmethod(F.huber_loss)
    takes = {"reduction": "mean", "delta": 1.0}


class BCELoss(WeightedLoss):
    """−target · log(input) − (1 − target) · log(1 − input), for probabilities."""

    function = staticmethod(F.binary_cross_entropy)


class BCEWithLogitsLoss(WeightedLoss):
    """Binary cross-entropy of σ(input), for logits.

    Attributes:
        pos_weight: weights of the positive examples, or None.
    """

    function = staticmethod(F.binary_cross_entropy_with_logits)
    takes = {"weight": None, **REDUCED, "pos_weight": None}


class NLLLoss(WeightedLoss):
    """Minus the log-probability of the target class: of inputs of shape (N, C, ...) for classes of shape (N, ...).

    Attributes:
        ignore_index: a target that counts for nothing.
    """

    function = staticmethod(F.nll_loss)
    takes = {"weight": None, "size_average": None, "ignore_index": -100, "reduce": None, "reduction": "mean"}


class CrossEntropyLoss(WeightedLoss):
    """Minus the log of softmax at the target class, for logits of shape (N, C, ...) and classes of shape (N, ...).

    Targets may be probabilities too, of the shape of the input.

    Attributes:
        ignore_index: a target that counts for nothing.
        label_smoothing: how much of the target's probability is spread over all classes.
    """

    function = staticmethod(F.cross_entropy)
    takes = {**NLLLoss.takes, "label_smoothing": 0.0}


class KLDivLoss(Loss):
    """target · (log(target) − input), for an input of log-probabilities.

    Attributes:
        log_target: whether the target is given as log-probabilities too.
    """

    function = staticmethod(F.kl_div)
    takes = {**REDUCED, "log_target": False}


class HingeEmbeddingLoss(Loss):
    """input where the target is 1, max(0, margin − input) where it is −1."""

    function = staticmethod(F.hinge_embedding_loss)
    takes = {"margin": 1.0, **REDUCED}


class MarginRankingLoss(Loss):
    """max(0, −target · (input1 − input2) + margin)."""

    function = staticmethod(F.margin_ranking_loss)
    takes = {"margin": 0.0, **REDUCED}

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss."""
        return self._call(input1, input2, target)


class SoftMarginLoss(Loss):
    """log(1 + exp(−target · input))."""

    function = staticmethod(F.soft_margin_loss)


class CosineEmbeddingLoss(Loss):
    """1 − cos where the target is 1, max(0, cos − margin) where it is −1."""

    function = staticmethod(F.cosine_embedding_loss)
    takes = {"margin": 0.0, **REDUCED}

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """The loss."""
        return self._call(input1, input2, target)


class MultiMarginLoss(WeightedLoss):
    """Σ max(0, margin − input[target] + input[i])ᵖ over the other classes i."""

    function = staticmethod(F.multi_margin_loss)
    takes = {"p": 1, "margin": 1.0, "weight": None, **REDUCED}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")


class MultiLabelMarginLoss(Loss):
    """Hinge losses between all target classes of a sample and all others; each row lists classes up to the first −1."""

    function = staticmethod(F.multilabel_margin_loss)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """Binary cross-entropy of σ(input), averaged over the classes."""

    function = staticmethod(F.multilabel_soft_margin_loss)


class TripletMarginLoss(Loss):
    """max(0, d(anchor, positive) − d(anchor, negative) + margin).

    Attributes:
        p: of the norm that measures distances, and `eps`, which keeps its derivative finite.
        swap: whether d(positive, negative) counts where it is smaller.
    """

    function = staticmethod(F.triplet_margin_loss)
    takes = {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False, **REDUCED}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.margin <= 0:
            raise ValueError(f"{type(self).__name__}: expected margin to be greater than 0, got {self.margin} instead")

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:  # type: ignore[override]
        """The loss."""
        return self._call(anchor, positive, negative)


class TripletMarginWithDistanceLoss(TripletMarginLoss):
    """The triplet loss with a distance of one's own; the Euclidean one by default."""

    function = staticmethod(F.triplet_margin_with_distance_loss)
    distance_function: Callable[[Tensor, Tensor], Tensor] | None
    takes = {"distance_function": None, "margin": 1.0, "swap": False, "reduction": "mean"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.distance_function is None:
            self.distance_function = PairwiseDistance()
