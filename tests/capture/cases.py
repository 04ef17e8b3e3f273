"""Small models and functions of PyTorch, each in one way its own: what the recorder is compared with hooks on.

A case is a function without arguments. It gives the losses, on which `backward` is called one after the other, the
leaves whose `.grad` is looked at, and intermediate tensors whose value and gradient are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Case(NamedTuple):
    losses: list[Tensor]
    leaves: list[Tensor]
    between: list[Tensor]


CASES: dict[str, Callable[[], Case]] = {}
HOOKED = {"tensor_hooks", "node_hooks", "module_backward_hooks", "hook_that_returns_zeros"}
"""Where `autograd.grad` of an intermediate tensor is another number, since hooks change it."""


def case(make: Callable[[], Any]) -> Callable[[], Any]:
    CASES[make.__name__] = lambda: Case(*make())
    return make


def rand(*shape: int) -> Tensor:
    return torch.randn(*shape)


def leaf(*shape: int) -> Tensor:
    return torch.randn(*shape).requires_grad_()


# ---- functions ----


@case
def square():
    x = leaf(3)
    y = x**2
    return [y.sum()], [x], [y]


@case
def used_twice():
    x = leaf(3)
    y = x * x
    z = y * x + y
    return [z.sum()], [x], [y, z]


@case
def broadcasting():
    a, b = leaf(3, 1), leaf(4)
    y = a + b
    z = y / (b * b + 1)
    return [z.mean()], [a, b], [y, z]


@case
def matrix_products():
    a, b, c = leaf(3, 4), leaf(4, 5), leaf(2, 3, 5)
    y = a @ b
    z = c @ y.T
    return [z.tanh().sum()], [a, b, c], [y, z]


@case
def vector_products():
    a, b, m = leaf(4), leaf(4), leaf(3, 4)
    y = m @ a
    z = torch.outer(y, b)
    return [a.dot(b) + z.sum() + torch.kron(a, b).sum()], [a, b, m], [y, z]


@case
def views():
    x = leaf(3, 4)
    y = x.t().expand(2, 4, 3).permute(2, 0, 1).reshape(6, 4).unsqueeze(1).squeeze()
    z = y.flatten()[::3]
    return [(z * z).sum()], [x], [y, z]


@case
def several_outputs():
    x = leaf(6, 4)
    a, b, c = x.split(2)
    d, e = a.unbind(0)
    f = x.chunk(3, 1)
    total = (d * e).sum() + b.prod() + f[1].sum() + torch.stack(torch.unbind(c, 1)).sum()
    return [total], [x], [a, d, f[1]]


@case
def reductions():
    x = leaf(5, 4)
    m, _ = x.max(1)
    s, _ = x.sort(0)
    t, _ = x.topk(2, 1)
    c = x.cumsum(1)
    rest = x.amin(0).sum() + x.var(1).sum() + x.logsumexp(0).sum() + x.median()
    return [m.sum() + (s * c).sum() + t.prod() + rest], [x], [m, s, t, c]


@case
def indexing():
    x = leaf(5, 4)
    i = torch.tensor([0, 2, 2])
    y = x[i]
    g = x.gather(1, torch.tensor([[0, 1]] * 5))
    w = torch.where(x > 0, x, x * 0.1)
    f = x.masked_fill(x < 0, 0.0)
    z = torch.zeros(5, 4).index_put((i,), y)
    s = torch.zeros(5, 4).scatter_add(1, torch.tensor([[0, 1]] * 5), g)
    return [y.sum() + g.pow(2).sum() + (w * f).sum() + (z * s).sum()], [x], [y, g, w, f, z]


@case
def more_indexing():
    x = leaf(5, 4)
    y = x.index_select(0, torch.tensor([1, 1, 3]))
    z = torch.zeros(5, 4).index_add(0, torch.tensor([0, 1, 1]), y)
    w = x.roll(1, 0).flip(1) * x.tril()
    v = x[x > 0]
    return [z.pow(2).sum() + w.sum() + v.sum() + x.take(torch.tensor([0, 5])).prod()], [x], [y, z, w, v]


@case
def cumulative():
    x = leaf(3, 4)
    y = x.cumprod(1)
    z = x.logcumsumexp(0)
    return [(y * z).sum() + x.diff().pow(2).sum()], [x], [y, z]


@case
def padding_and_folding():
    x = leaf(1, 2, 5, 5)
    y = F.pad(x, (1, 1, 1, 1), mode="reflect")
    z = F.unfold(y, 3)
    w = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
    return [z.pow(2).sum() + w.sum()], [x], [y, z, w]


@case
def einsum():
    a, b = leaf(2, 3, 4), leaf(4, 5)
    y = torch.einsum("bij,jk->bik", a, b)
    return [y.norm()], [a, b], [y]


@case
def linear_algebra():
    x = leaf(3, 3)
    a = x @ x.T + torch.eye(3)
    _, s, _ = torch.linalg.svd(a)
    total = s.sum() + torch.linalg.det(a) + torch.linalg.inv(a).trace() + torch.linalg.cholesky(a).sum()
    return [total], [x], [a, s]


@case
def solving():
    a, b = leaf(3, 3), leaf(3, 2)
    m = a @ a.T + torch.eye(3)
    y = torch.linalg.solve(m, b)
    q, r = torch.linalg.qr(m)
    return [y.pow(2).sum() + (q * r).sum()], [a, b], [m, y]


@case
def complex_numbers():
    x = leaf(4)
    z = torch.fft.fft(x)
    y = (z * z.conj()).real
    return [y.sum()], [x], [z, y]


@case
def complex_leaf():
    z = torch.randn(3, dtype=torch.complex64).requires_grad_()
    y = z * z
    return [y.abs().sum() + y.imag.sum()], [z], [y]


@case
def double_precision():
    x = torch.randn(4, dtype=torch.float64).requires_grad_()
    y = x.exp().float()
    return [y.sum() + (x * 3).sum().float()], [x], [y]


@case
def promoted_dtypes():
    x = leaf(3)
    y = x * torch.arange(3) + torch.tensor(2.0, dtype=torch.float64)
    z = y.half().float()
    return [z.sum()], [x], [y, z]


@case
def a_single_number():
    w, b = torch.tensor(1.5, requires_grad=True), torch.tensor(0.5, requires_grad=True)
    y = 2 * w + b
    return [(y - 3) ** 2], [w, b], [y]


@case
def losses():
    x = leaf(4, 3)
    t = rand(4, 3)
    y = F.log_softmax(x, 1)
    total = F.kl_div(y, F.softmax(t, 1), reduction="batchmean") + F.huber_loss(x, t) + F.smooth_l1_loss(x, t)
    total = total + F.binary_cross_entropy_with_logits(x, (t > 0).float()) + F.nll_loss(y, torch.tensor([0, 1, 2, 0]))
    return [total + F.cosine_similarity(x, t).sum()], [x], [y]


@case
def weighted_losses():
    x = leaf(4, 3)
    t = torch.tensor([0, 1, 2, 0])
    y = F.cross_entropy(x, t, weight=torch.tensor([1.0, 2.0, 0.5]), label_smoothing=0.1, reduction="none")
    return [y.sum() + F.multi_margin_loss(x, t) + torch.cdist(x, rand(2, 3)).sum()], [x], [y]


@case
def ctc():
    x = leaf(6, 2, 4)
    y = x.log_softmax(2)
    return [F.ctc_loss(y, torch.tensor([[1, 2], [3, 1]]), torch.tensor([6, 6]), torch.tensor([2, 2]))], [x], [y]


# ---- modules ----


@case
def mlp():
    net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
    h = net(rand(4, 5))
    return [F.cross_entropy(h, torch.tensor([0, 1, 2, 1]))], list(net.parameters()), [h]


@case
def convolutions():
    net = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(4, 2, 3, stride=2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    )  # fmt: skip
    h = net(rand(2, 3, 8, 8))
    return [(h**2).sum()], list(net.parameters()), [h]


@case
def more_convolutions():
    net = nn.Sequential(
        nn.ConvTranspose2d(2, 3, 2), nn.GroupNorm(3, 3), nn.AvgPool2d(2), nn.Conv2d(3, 3, 1, groups=3), nn.Flatten(2),
        nn.Conv1d(3, 2, 2, dilation=2), nn.InstanceNorm1d(2), nn.LeakyReLU(0.1),
    )  # fmt: skip
    h = net(rand(2, 2, 5, 5))
    return [h.abs().sum()], list(net.parameters()), [h]


@case
def norms_and_dropout():
    net = nn.Sequential(nn.Linear(6, 6), nn.LayerNorm(6), nn.GELU(), nn.Dropout(0.3), nn.Linear(6, 2))
    h = net(rand(5, 6))
    return [h.pow(2).mean()], list(net.parameters()), [h]


@case
def batch_norm_in_evaluation():
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).eval()
    h = net(rand(5, 3))
    return [h.pow(2).sum()], list(net.parameters()), [h]


@case
def activations():
    x = leaf(5)
    y = F.elu(x) + F.silu(x) * F.softplus(x) - F.hardtanh(x) + F.mish(x) + F.celu(x) * F.logsigmoid(x)
    z = nn.PReLU()(y)
    return [z.sum()], [x], [y, z]


@case
def recurrent_cell():
    cell = nn.LSTMCell(3, 4)
    h = torch.zeros(2, 4)
    c = torch.zeros(2, 4)
    hs = []
    for _ in range(5):
        h, c = cell(rand(2, 3), (h, c))
        hs.append(h)
    return [torch.stack(hs).sum()], list(cell.parameters()), hs


@case
def lstm():
    net = nn.LSTM(3, 4, 2)
    y, (_, c) = net(rand(5, 2, 3))
    return [y.sum() + c.sum()], list(net.parameters()), [y]


@case
def gru_both_ways():
    net = nn.GRU(3, 4, bidirectional=True)
    y, _ = net(rand(5, 2, 3))
    return [y.pow(2).sum()], list(net.parameters()), [y]


@case
def packed_rnn():
    net = nn.RNN(3, 4, batch_first=True)
    packed = nn.utils.rnn.pack_padded_sequence(rand(2, 5, 3), torch.tensor([5, 3]), batch_first=True)
    y, h = net(packed)
    return [y.data.sum() + h.pow(2).sum()], list(net.parameters()), [h]


@case
def transformer():
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    net = nn.TransformerEncoder(layer, 2)
    y = net(rand(2, 5, 8))
    return [y.pow(2).mean()], list(net.parameters()), [y]


@case
def decoder():
    net = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
    y = net(rand(2, 3, 8), rand(2, 5, 8), tgt_mask=nn.Transformer.generate_square_subsequent_mask(3))
    return [y.pow(2).mean()], list(net.parameters()), [y]


@case
def attention():
    net = nn.MultiheadAttention(8, 2, batch_first=True)
    x = leaf(2, 5, 8)
    y, w = net(x, x, x)
    return [y.sum() + w.pow(2).sum()], [x, *net.parameters()], [y, w]


@case
def causal_attention():
    q, k, v = leaf(1, 2, 4, 3), leaf(1, 2, 4, 3), leaf(1, 2, 4, 3)
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return [y.pow(2).sum()], [q, k, v], [y]


@case
def embedding():
    net = nn.Embedding(7, 3, padding_idx=0)
    h = net(torch.tensor([[1, 2, 0], [3, 1, 1]]))
    return [h.mean()], list(net.parameters()), [h]


@case
def embedding_bag():
    net = nn.EmbeddingBag(7, 3, mode="sum")
    h = net(torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 2]))
    return [h.pow(2).sum()], list(net.parameters()), [h]


@case
def sparse_embedding():
    net = nn.Embedding(7, 3, sparse=True)
    h = net(torch.tensor([1, 2, 1]))
    return [h.sum()], [], [h]


@case
def tied_weights():
    net = nn.Embedding(6, 4)
    h = net(torch.tensor([1, 2, 3]))
    y = h @ net.weight.T
    return [F.cross_entropy(y, torch.tensor([2, 3, 4]))], list(net.parameters()), [h, y]


@case
def weight_norm():
    net = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    h = net(rand(2, 3))
    return [h.pow(2).sum()], list(net.parameters()), [h]


@case
def residual():
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    x = leaf(2, 4)
    h = x
    for layer in (first, second, first):
        h = h + torch.relu(layer(h))
    return [h.sum()], [x, *first.parameters(), *second.parameters()], [h]


# ---- in place ----


@case
def in_place():
    x = leaf(4)
    y = x * 2
    y.mul_(3)
    y.add_(x)
    y.relu_()
    return [y.sum()], [x], [y]


@case
def in_place_on_views():
    x = leaf(3, 4)
    y = x * 1
    y[1] *= 2
    y[:, 2] = 5.0
    y[0, 0] += x[1, 1]
    z = y.view(-1)
    z[3:5].mul_(x.view(-1)[:2])
    return [y.pow(2).sum()], [x], [y]


@case
def filled_from_a_loop():
    x = leaf(3)
    y = torch.zeros(3)
    for i in range(3):
        y[i] = x[i] * (i + 1)
    return [y.pow(2).sum()], [x], [y]


@case
def changed_without_gradient():
    x = leaf(3)
    with torch.no_grad():
        k = x * 2
        k += 1
    y = x * k + x.detach().exp()
    return [y.sum()], [x], [y]


# ---- custom Functions ----


class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, k):
        ctx.save_for_backward(a, b)
        ctx.k = k
        return a * b * k, a + b

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * b * ctx.k + h, g * a * ctx.k + h, None


class Rude(torch.autograd.Function):
    """Writes into what comes in, which nobody should."""

    @staticmethod
    def forward(ctx, a):
        return a * 3

    @staticmethod
    def backward(ctx, g):
        g = g.contiguous()
        g.mul_(3)
        return g


class Straight(torch.autograd.Function):
    """A straight-through estimator in the newer form."""

    @staticmethod
    def forward(x):
        return x.round()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g


class InPlace(torch.autograd.Function):
    """Returns its input, changed in place."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


@case
def custom_with_two_outputs():
    a, b = leaf(3), leaf(3)
    y, z = Two.apply(a, b, 2.0)
    return [y.sum() + (z * z).sum()], [a, b], [y, z]


@case
def custom_that_mutates_what_comes_in():
    a = leaf(3)
    y = Rude.apply(a * 1)
    return [(y * y).sum()], [a], [y]


@case
def custom_that_returns_its_input():
    x = leaf(4)
    y = x * 3
    z = InPlace.apply(y)
    return [(z * z).sum()], [x], [z]


@case
def custom_straight_through():
    x = leaf(4)
    y = Straight.apply(x * 2)
    return [(y * x).sum()], [x], [y]


@case
def custom_twice_differentiated():
    x = leaf(3)
    y = Exp.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return [(g * g).sum()], [x], [y, g]


# ---- hooks ----


@case
def tensor_hooks():
    x = leaf(3)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    return [h.pow(2).sum()], [x], [h]


@case
def hook_that_returns_zeros():
    x = leaf(3)
    h = x * 2
    h.register_hook(torch.zeros_like)
    return [(h * x).sum()], [x], [h]


@case
def node_hooks():
    x = leaf(3)
    h = x * 2
    h.grad_fn.register_hook(lambda sent, came: tuple(None if g is None else g * 5 for g in sent))
    h.grad_fn.register_prehook(lambda came: (came[0] - 1,))
    return [h.pow(2).sum()], [x], []


@case
def module_backward_hooks():
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    net[0].register_full_backward_hook(lambda module, sent, came: (sent[0] * 2,) if sent[0] is not None else None)
    net[1].register_full_backward_pre_hook(lambda module, came: (came[0] * 0.5,))
    x = leaf(2, 3)
    h = net(x)
    return [h.sum()], [x, *net.parameters()], [h]


@case
def hook_after_accumulation():
    x = leaf(3)

    def double(p):
        p.grad.mul_(2)

    x.register_post_accumulate_grad_hook(double)
    h = x.sin()
    return [h.sum()], [x], [h]


@case
def retained_gradient():
    x = leaf(3)
    h = x.exp()
    h.retain_grad()
    return [(h * h).sum()], [x], [h]


# ---- several passes ----


@case
def two_losses_on_one_graph():
    x = leaf(3)
    h = x.exp()
    return [(h * 2).sum(), (h**2).sum()], [x], [h]


@case
def three_backward_calls_add_up():
    w = leaf(3)
    return [(w * rand(3)).sum(), (w * w).sum(), w.sin().sum()], [w], []


@case
def double_backward():
    x = leaf(3)
    y = (x**3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return [(g**2).sum() + y], [x], [g]


@case
def gradient_penalty():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    x = leaf(5, 3)
    y = net(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return [y.mean() + ((g.norm(dim=1) - 1) ** 2).mean()], list(net.parameters()), [y, g]


@case
def reentrant_checkpoint():
    net = nn.Linear(3, 3)
    x = leaf(2, 3)
    h = checkpoint(lambda q: torch.tanh(net(q)), x, use_reentrant=True)
    return [(h * h).sum()], [x, *net.parameters()], [h]


@case
def checkpoint_without_reentry():
    net = nn.Linear(3, 3)
    x = leaf(2, 3)
    h = checkpoint(lambda q: F.dropout(torch.tanh(net(q)), 0.5), x, use_reentrant=False)
    return [(h * h).sum()], [x, *net.parameters()], [h]


@case
def autocast():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = net(rand(3, 4))
    return [h.float().pow(2).mean()], list(net.parameters()), [h]


@case
def saved_on_cpu():
    x = leaf(4)
    with torch.autograd.graph.save_on_cpu():
        y = (x.exp() * x).sin()
    return [y.sum()], [x], [y]


@case
def per_sample_gradients():
    net = nn.Linear(3, 1)
    x = rand(4, 3)

    def loss(parameters, row):
        return torch.func.functional_call(net, parameters, (row,)).pow(2).sum()

    g = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(dict(net.named_parameters()), x)
    y = net(x)
    return [y.sum() + g["weight"].detach().sum()], list(net.parameters()), [y]


@case
def jacobian_inside():
    x = leaf(3)
    jacobian = torch.autograd.functional.jacobian(lambda q: q**2 * 2, x.detach())
    y = jacobian @ x
    return [y.sum()], [x], [y]
