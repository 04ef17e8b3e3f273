"""Losses against a live PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as ours
import gradviz.engine.nn.functional as F
from tests.engine.layer_calls import Call, compare, compare_errors, params, positive, waves

X, T, P = waves(3, 4), waves(3, 4, shift=1), positive(3, 4)
LABELS, IGNORED = np.array([2, 0, 3]), np.array([2, -100, 3])
WEIGHT = np.array([0.5, 2.0, 1.0, 0.7])
IMAGES, PIXELS = waves(2, 3, 2, 2), np.array([[[0, 1], [2, 2]], [[1, 0], [0, 2]]])
SIGNS = np.array([[1.0, -1, 1, -1], [-1, 1, 1, -1], [1, 1, -1, -1]])
PROBABILITIES = np.exp(T) / np.exp(T).sum(1, keepdims=True)
REDUCTIONS = ("mean", "sum", "none")


def each(name, function, inputs, **more):
    """The call with every reduction."""
    return [Call(f"{name} {how}", lambda torch, F, *x, how=how: function(torch, F, how, *x), inputs, **more)
            for how in REDUCTIONS]  # fmt: skip


CALLS = [
    *each("mse", lambda _, F, how, x, t: F.mse_loss(x, t, reduction=how), (X, T)),
    *each("mse broadcast", lambda _, F, how, x, t: F.mse_loss(x, t, reduction=how), (X, waves(4))),
    *each("mse of numbers", lambda _, F, how, x, t: F.mse_loss(x, t, reduction=how), (np.array(1.5), np.array(0.5))),
    *each("mse of whole numbers", lambda _, F, how, x, t: F.mse_loss(x, t, reduction=how),
          (X[0], LABELS.repeat(2)[:4])),
    Call("mse of two dtypes", lambda _, F, x, t: F.mse_loss(x, t.double()), (X, T)),
    *each("l1", lambda _, F, how, x, t: F.l1_loss(x, t, reduction=how), (X, T)),
    *each("smooth_l1", lambda _, F, how, x, t: F.smooth_l1_loss(x, t, reduction=how), (X, T)),
    *each("smooth_l1 beta", lambda _, F, how, x, t: F.smooth_l1_loss(x, t, reduction=how, beta=0.4), (X, T)),
    *each("smooth_l1 beta 0", lambda _, F, how, x, t: F.smooth_l1_loss(x, t, reduction=how, beta=0), (X, T)),
    *each("huber", lambda _, F, how, x, t: F.huber_loss(x, t, reduction=how, delta=0.6), (X, T)),
    *each("bce", lambda _, F, how, x, t: F.binary_cross_entropy(x, t, reduction=how), (P, positive(3, 4, shift=2))),
    *each("bce of certain answers", lambda _, F, how, x, t: F.binary_cross_entropy(x, t, reduction=how),
          (np.array([0.0, 1.0, 0.0, 1.0, 0.5]), np.array([0.0, 1.0, 1.0, 0.0, 1.0])), fixed=(1,), order=1,
          precision=1e-7),
    *each("bce weighted", lambda _, F, how, x, t, w: F.binary_cross_entropy(x, t, w, reduction=how),
          (P, positive(3, 4, shift=2), WEIGHT), fixed=(2,)),
    *each("bce logits", lambda _, F, how, x, t: F.binary_cross_entropy_with_logits(x, t, reduction=how), (X * 3, P)),
    *each("bce logits large", lambda _, F, how, x, t: F.binary_cross_entropy_with_logits(x, t, reduction=how),
          (X * 300, P), fixed=(1,)),
    *each("bce logits weighted", lambda _, F, how, x, t, w, p: F.binary_cross_entropy_with_logits(
        x, t, w, reduction=how, pos_weight=p), (X, P, WEIGHT, WEIGHT[::-1].copy()), fixed=(2, 3)),
    *each("bce logits pos_weight", lambda _, F, how, x, t, p: F.binary_cross_entropy_with_logits(
        x, t, reduction=how, pos_weight=p), (X, P, WEIGHT), fixed=(2,)),
    *each("nll", lambda _, F, how, x, t: F.nll_loss(x, t, reduction=how), (X, LABELS)),
    *each("nll weighted", lambda _, F, how, x, t, w: F.nll_loss(x, t, w, reduction=how), (X, LABELS, WEIGHT),
          fixed=(2,)),
    *each("nll ignored", lambda _, F, how, x, t: F.nll_loss(x, t, reduction=how), (X, IGNORED)),
    *each("nll ignore_index", lambda _, F, how, x, t, w: F.nll_loss(x, t, w, reduction=how, ignore_index=2),
          (X, LABELS, WEIGHT), fixed=(2,)),
    *each("nll of one sample", lambda _, F, how, x, t: F.nll_loss(x, t, reduction=how), (X[0], np.array(1))),
    *each("nll of images", lambda _, F, how, x, t: F.nll_loss(x, t, reduction=how), (IMAGES, PIXELS)),
    *each("nll of images weighted", lambda _, F, how, x, t, w: F.nll_loss(x, t, w, reduction=how, ignore_index=0),
          (IMAGES, PIXELS, WEIGHT[:3]), fixed=(2,)),
    *each("nll of sequences", lambda _, F, how, x, t: F.nll_loss(x, t, reduction=how),
          (IMAGES[..., 0], PIXELS[..., 0])),
    Call("nll all ignored", lambda _, F, x, t: F.nll_loss(x, t), (X, np.full(3, -100)), order=1),
    *each("cross_entropy", lambda _, F, how, x, t: F.cross_entropy(x, t, reduction=how), (X, LABELS)),
    *each("cross_entropy of one sample", lambda _, F, how, x, t: F.cross_entropy(x, t, reduction=how),
          (X[0], np.array(1))),
    *each("cross_entropy of images", lambda _, F, how, x, t: F.cross_entropy(x, t, reduction=how), (IMAGES, PIXELS)),
    *each("cross_entropy weighted", lambda _, F, how, x, t, w: F.cross_entropy(x, t, w, reduction=how),
          (X, IGNORED, WEIGHT), fixed=(2,)),
    *each("cross_entropy smoothed", lambda _, F, how, x, t: F.cross_entropy(x, t, reduction=how, label_smoothing=0.1),
          (X, IGNORED)),
    *each("cross_entropy smoothed weighted", lambda _, F, how, x, t, w: F.cross_entropy(
        x, t, w, reduction=how, label_smoothing=0.1), (X, IGNORED, WEIGHT), fixed=(2,)),
    *each("cross_entropy smoothed images", lambda _, F, how, x, t, w: F.cross_entropy(
        x, t, w, reduction=how, label_smoothing=0.3), (IMAGES, PIXELS, WEIGHT[:3]), fixed=(2,)),
    *each("cross_entropy probabilities", lambda _, F, how, x, t: F.cross_entropy(x, t, reduction=how),
          (X, PROBABILITIES)),
    *each("cross_entropy probabilities weighted smoothed", lambda _, F, how, x, t, w: F.cross_entropy(
        x, t, w, reduction=how, label_smoothing=0.1), (X, PROBABILITIES, WEIGHT), fixed=(2,)),
    Call("cross_entropy probabilities of one sample", lambda _, F, x, t: F.cross_entropy(x, t),
         (X[0], PROBABILITIES[0])),
    *[Call(f"kl_div {how}", lambda _, F, x, t, how=how: F.kl_div(x, t, reduction=how), (X, PROBABILITIES))
      for how in (*REDUCTIONS, "batchmean")],
    Call("kl_div of certain targets", lambda _, F, x, t: F.kl_div(x, t, reduction="sum"),
         (X, np.eye(4)[:3]), fixed=(1,)),
    *each("kl_div log_target", lambda _, F, how, x, t: F.kl_div(x, t, reduction=how, log_target=True), (X, T)),
    *each("hinge_embedding", lambda _, F, how, x, t: F.hinge_embedding_loss(x, t, 0.8, reduction=how), (X, SIGNS),
          fixed=(1,)),
    *each("margin_ranking", lambda _, F, how, x, y, t: F.margin_ranking_loss(x, y, t, 0.2, reduction=how),
          (X, T, SIGNS), fixed=(2,)),
    *each("soft_margin", lambda _, F, how, x, t: F.soft_margin_loss(x, t, reduction=how), (X, SIGNS), fixed=(1,)),
    *each("multi_margin", lambda _, F, how, x, t: F.multi_margin_loss(x, t, reduction=how), (X, LABELS), order=1),
    *each("multi_margin squared", lambda _, F, how, x, t, w: F.multi_margin_loss(x, t, 2, 0.7, w, reduction=how),
          (X, LABELS, WEIGHT), fixed=(2,), order=1),
    *each("multilabel_margin", lambda _, F, how, x, t: F.multilabel_margin_loss(x, t, reduction=how),
          (X, np.array([[1, 3, -1, 0], [0, -1, 2, 3], [2, 1, 0, -1]])), order=1),
    *each("multilabel_soft_margin", lambda _, F, how, x, t: F.multilabel_soft_margin_loss(x, t, reduction=how),
          (X, (SIGNS + 1) / 2), fixed=(1,)),
    *each("triplet_margin", lambda _, F, how, a, p, n: F.triplet_margin_loss(a, p, n, reduction=how),
          (X, T, waves(3, 4, shift=2))),
    *each("triplet_margin swapped", lambda _, F, how, a, p, n: F.triplet_margin_loss(a, p, n, 2.0, swap=True,
          reduction=how), (X, T, waves(3, 4, shift=2))),
    *each("triplet with distance", lambda _, F, how, a, p, n: F.triplet_margin_with_distance_loss(
        a, p, n, distance_function=lambda x, y: ((x - y) ** 2).sum(-1), margin=3.0, reduction=how),
          (X, T, waves(3, 4, shift=2))),
    *each("cosine_embedding", lambda _, F, how, x, y, t: F.cosine_embedding_loss(x, y, t, 0.1, reduction=how),
          (X, T, np.array([1, -1, 1]))),
]  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params(CALLS))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


REFUSED = {
    "another batch": lambda t, F: F.cross_entropy(t.ones(3, 4), t.tensor([0, 1])),
    "class out of bounds": lambda t, F: F.cross_entropy(t.ones(3, 4), t.tensor([0, 1, 5])),
    "negative class": lambda t, F: F.nll_loss(t.ones(3, 4), t.tensor([0, 1, -1])),
    "float classes": lambda t, F: F.cross_entropy(t.ones(3, 4), t.tensor([0.0, 1, 2])),
    "int32 classes": lambda t, F: F.cross_entropy(t.ones(3, 4), t.tensor([0, 1, 2]).int()),
    "classes in a column": lambda t, F: F.cross_entropy(t.ones(3, 4), t.tensor([[0], [1], [2]])),
    "one-hot classes of whole numbers": lambda t, F: F.cross_entropy(t.ones(2, 2), t.tensor([[0, 1], [1, 0]])),
    "probabilities of another shape": lambda t, F: F.cross_entropy(t.ones(3, 4), t.ones(3, 5)),
    "pixels of another size": lambda t, F: F.cross_entropy(t.ones(2, 3, 4, 4), t.ones(2, 4, 3).long()),
    "weights of other classes": lambda t, F: F.cross_entropy(t.ones(3, 4), t.tensor([0, 1, 2]), t.ones(3)),
    "smoothing": lambda t, F: F.cross_entropy(t.ones(3, 4), t.tensor([0, 1, 2]), label_smoothing=2.0),
    "a list as target": lambda t, F: F.cross_entropy(t.ones(3, 4), [0, 1, 2]),
    "logits of whole numbers": lambda t, F: F.cross_entropy(t.ones(3, 4).long(), t.tensor([0, 1, 2])),
    "weights of another dtype": lambda t, F: F.nll_loss(t.ones(1, 2).double(), t.tensor([0]), t.ones(2)),
    "reduction": lambda t, F: F.mse_loss(t.ones(2), t.ones(2), reduction="average"),
    "mse of sizes that do not broadcast": lambda t, F: F.mse_loss(t.ones(3, 4), t.ones(5)),
    "mse of whole numbers alone": lambda t, F: F.mse_loss(t.ones(3).long(), t.ones(3).long()),
    "bce outside": lambda t, F: F.binary_cross_entropy(t.tensor([1.5]), t.ones(1)),
    "bce target outside": lambda t, F: F.binary_cross_entropy(t.ones(1), t.tensor([1.5])),
    "bce of whole numbers": lambda t, F: F.binary_cross_entropy(t.ones(1), t.tensor([1])),
    "bce of two dtypes": lambda t, F: F.binary_cross_entropy(t.ones(1), t.ones(1).double()),
    "bce of other sizes": lambda t, F: F.binary_cross_entropy(t.ones(3, 4), t.ones(3, 1)),
    "bce logits of other sizes": lambda t, F: F.binary_cross_entropy_with_logits(t.ones(3, 4), t.ones(3)),
    "bce logits of whole numbers": lambda t, F: F.binary_cross_entropy_with_logits(t.ones(2), t.tensor([0, 1])),
    "kl_div sizes": lambda t, F: F.kl_div(t.ones(3, 4), t.ones(3, 5)),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_words_of_pytorch(name):
    compare_errors(pytest.importorskip("torch"), REFUSED[name])


def test_mse_loss_of_other_sizes_warns():
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[4\]\)\) that is different to the input"):
        F.mse_loss(ours.ones(3, 4), ours.ones(4))


def test_old_reduction_arguments_warn_and_work():
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        y = F.mse_loss(ours.ones(3), ours.zeros(3), size_average=False)

    assert y.item() == 3


def test_cross_entropy_is_recorded_as_nll_loss_of_log_softmax():
    x = ours.ones(2, 3, requires_grad=True)

    y = F.cross_entropy(x, ours.tensor([0, 2]))

    assert y.grad_fn.name() == "NllLossBackward0"
    assert y.grad_fn.next_functions[0][0].name() == "LogSoftmaxBackward0"
