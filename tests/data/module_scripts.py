"""Scripts over modules of torch.nn beside the common ones; `record_nn_scripts.py` writes down what PyTorch prints."""

from __future__ import annotations

START = """import torch
import torch.nn as nn
import torch.nn.functional as F
def tried(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__ + ":", error)
torch.manual_seed(0)
"""

BORDERS = """
for kind in ("Reflection", "Replication", "Circular", "Zero", "Constant"):
    for dims in (1, 2, 3):
        size = (1, 2) + (3,) * (dims - 1) + (4,)
        x = torch.arange(24. * 3 ** dims)[:torch.Size(size).numel()].reshape(size)
        widths = (1, 2, 0, 1, 1, 0)[:2 * dims]
        value = (3.5,) if kind == "Constant" else ()
        made = getattr(nn, f"{kind}Pad{dims}d")
        print(made(1, *value), made(widths, *value), made(widths, *value)(x)[0, 0])
tried(lambda: nn.ReflectionPad1d(3)(torch.ones(1, 2, 3)))
tried(lambda: F.pad(torch.ones(1, 2, 3), (4, 2), mode="circular"))
tried(lambda: F.pad(torch.ones(1, 2, 3), (1, 1), mode="foo"))
tried(lambda: F.pad(torch.ones(1, 2, 3), (1, 1), "reflect", 5))
tried(lambda: F.pad(torch.ones(1, 2, 3), (1,) * 8, mode="reflect"))
tried(lambda: nn.ConvTranspose2d(1, 1, 3, padding_mode="reflect"))
tried(lambda: nn.Conv2d(1, 1, 3, padding="same", stride=2))
"""

CONVOLUTIONS = """
x = torch.randn(1, 2, 4, 5, requires_grad=True)
for mode in ("zeros", "reflect", "replicate", "circular"):
    torch.manual_seed(1)
    c = nn.Conv2d(2, 2, 3, padding=(1, 2), padding_mode=mode)
    y = c(x)
    x.grad = None
    y.sum().backward()
    print(c, y, x.grad, y.grad_fn.next_functions[0][0].name(), y.grad_fn.next_functions[1][0].name())
    c = nn.Conv2d(2, 2, (2, 3), padding="same", padding_mode=mode)
    print(c, c(x).shape)
r = torch.randn(1, 2, 5, requires_grad=True)
for mode in ("reflect", "circular"):
    torch.manual_seed(1)
    print(nn.Conv1d(2, 2, 3, padding=1, padding_mode=mode)(r))
"""

INSTANCES = """
m = nn.InstanceNorm1d(3)
x = torch.randn(2, 3, 4, requires_grad=True)
y = m(x)
(y * torch.arange(4.).view(1, 1, 4, *(1,) * (y.dim() - 3))).sum().backward()
print(m, y, x.grad, m(x[0]).shape)
m = nn.InstanceNorm2d(3, affine=True, track_running_stats=True)
x = torch.randn(2, 3, 4, 2, requires_grad=True)
y = m(x)
(y * torch.arange(4.).view(1, 1, 4, *(1,) * (y.dim() - 3))).sum().backward()
print(m, list(m.state_dict()), y, x.grad, m.weight.grad, m.running_mean, m.running_var, m.num_batches_tracked)
m.eval()
print(m(x)[0])
print(nn.InstanceNorm3d(2)(torch.randn(1, 2, 2, 2, 1)))
tried(lambda: nn.InstanceNorm2d(3)(torch.randn(2, 3)))
tried(lambda: nn.InstanceNorm2d(3, affine=True)(torch.randn(2, 4, 3, 3)))
tried(lambda: nn.InstanceNorm2d(3)(torch.randn(2, 3, 1, 1)))
"""

RESIZED = """
x = torch.randn(1, 2, 3, 4, requires_grad=True)
for how in (dict(scale_factor=2), dict(size=(5, 5)), dict(scale_factor=(2.5, 1.5)),
            dict(scale_factor=2, mode="bilinear"),
            dict(size=(4, 3), mode="bicubic", align_corners=True), dict(scale_factor=1.5, mode="nearest-exact")):
    m = nn.Upsample(**how)
    y = m(x)
    x.grad = None
    y.sum().backward()
    print(m, y, x.grad)
print(nn.UpsamplingBilinear2d(scale_factor=2), nn.UpsamplingNearest2d(size=4), nn.Upsample(size=(2, 3)))
print(nn.UpsamplingBilinear2d(scale_factor=2)(torch.arange(4.).reshape(1, 1, 2, 2)))
print(nn.UpsamplingNearest2d(size=4)(torch.arange(4.).reshape(1, 1, 2, 2)))
one = torch.ones(1, 1, 4, 4)
tried(lambda: F.interpolate(one[0], scale_factor=2, mode="bilinear"))
tried(lambda: F.interpolate(one, scale_factor=2, mode="nearest", align_corners=True))
tried(lambda: F.interpolate(one))
tried(lambda: F.interpolate(one, size=(2, 2), scale_factor=2))
tried(lambda: F.interpolate(one, size=(2, 2, 2)))
tried(lambda: F.interpolate(one, scale_factor=(2, 2, 2)))
tried(lambda: F.interpolate(one[0, 0], scale_factor=2))
tried(lambda: F.interpolate(one, scale_factor=2, mode="cubic"))
tried(lambda: F.interpolate(one[0], scale_factor=2, mode="linear", antialias=True))
"""

POOLED = """
x = torch.randn(1, 4, 4, 4)
for m in (nn.LPPool2d(2, 3, stride=1), nn.LocalResponseNorm(2), nn.ChannelShuffle(2), nn.Unfold((2, 3), stride=2),
          nn.AdaptiveAvgPool3d((1, 2, 3)), nn.AdaptiveMaxPool3d(2), nn.MaxPool3d(2), nn.AvgPool3d(3, stride=1),
          nn.PixelShuffle(2), nn.PixelUnshuffle(2), nn.AdaptiveAvgPool2d((None, 2)), nn.AdaptiveMaxPool1d(2)):
    print(m, m(x[0] if "1d" in str(m) else x))
print(nn.Fold((4, 4), 2)(nn.Unfold(2)(x)))
pool, back = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)
y, i = pool(x)
print(pool, back, nn.MaxUnpool1d(3, stride=2), nn.MaxUnpool3d(2), i, back(y, i)[0, 0])
print(back(y, i, output_size=(5, 5)).shape, back(y, i, output_size=torch.Size([1, 4, 5, 5])).shape)
tried(lambda: back(y, i, output_size=[7, 7]))
tried(lambda: back(y, i.int()))
tried(lambda: back(y, i[:, :, :1]))
tried(lambda: F.unfold(torch.ones(3, 3), 2))
tried(lambda: F.unfold(torch.ones(1, 1, 3, 3), 4))
tried(lambda: F.unfold(torch.ones(1, 1, 3, 3), 0))
tried(lambda: F.fold(torch.ones(1, 5, 4), (3, 3), 2))
tried(lambda: F.fold(torch.ones(1, 4, 5), (3, 3), 2))
for dims in (1, 2, 3):
    tried(lambda: getattr(F, f"adaptive_avg_pool{dims}d")(torch.ones(3), 2))
    tried(lambda: getattr(F, f"adaptive_max_pool{dims}d")(torch.ones(3), 2))
    tried(lambda: getattr(F, f"adaptive_avg_pool{dims}d")(torch.ones((1,) * (dims + 2)), (2,) * (dims + 1)))
tried(lambda: F.local_response_norm(torch.ones(3, 3), 2))
tried(lambda: F.channel_shuffle(torch.ones(3, 2), 1))
z = torch.zeros(1, 1, 2, 2, requires_grad=True)
F.lp_pool2d(z, 2, 2).sum().backward()
print(z.grad)
"""

SHAPES_IN_PLACE = """
x = torch.ones(2, 3)
x.unsqueeze_(0)
print(x.shape)
x.squeeze_(0).t_()
print(x.shape, x.transpose_(0, 1).swapaxes_(0, 1).swapdims_(0, 1).shape, x.is_contiguous(), x._version)
a = torch.ones(2, 3, requires_grad=True)
y = a * 2
print(y.unsqueeze_(1).grad_fn.name(), y.squeeze_().grad_fn.name(), y.t_().grad_fn.name())
print(y.grad_fn.next_functions[0][0].name())
y.sum().backward()
print(a.grad)
tried(lambda: a.unsqueeze_(0))
tried(lambda: a.view(6).unsqueeze_(0))
tried(lambda: torch.ones(1, 1, 1).t_())
tried(lambda: y.resize_(3))
z = torch.arange(6.)
print(z.resize_(2, 3), z.resize_(4), z.shape)
v = torch.ones(2, 3)
w = v.view(3, 2)
w.t_()[0, 0] = 5
print(v, w)
b = torch.ones(2, requires_grad=True)
s = (b * 2).exp()
s.unsqueeze_(0)
tried(lambda: s.sum().backward())
for name in ("greater", "greater_equal", "less", "less_equal", "not_equal"):
    q = torch.arange(4.)
    print(getattr(torch, name)(q, 2), getattr(q, name)(1), getattr(q, name + "_")(2))
u = torch.arange(4.)
print(u.new([1, 2]), u.new(2, 1).shape, u.conj(), u.is_conj(), torch.real(u), u.is_same_size(z), u.view(2, 2).adjoint())
print(u.map_(torch.ones(4), lambda a, b: a + b), u.apply_(lambda n: n * 2))
tried(lambda: b.apply_(lambda n: n))
tried(lambda: u.is_nonzero())
"""

TABLES = """
m = nn.EmbeddingBag(5, 3)
print(m, m.weight, m(torch.tensor([[0, 1], [2, 3]])), m(torch.tensor([0, 1, 2, 3]), torch.tensor([0, 3])))
m = nn.EmbeddingBag(5, 3, mode="sum", padding_idx=0, include_last_offset=True)
print(m, m.weight, nn.EmbeddingBag.from_pretrained(torch.ones(2, 2)).weight)
print(nn.EmbeddingBag(5, 3, max_norm=1., scale_grad_by_freq=True))
w = torch.randn(6, 3, requires_grad=True)
pair = torch.tensor([[0, 1]])
for f in (lambda: F.embedding_bag(pair[0], w), lambda: F.embedding_bag(pair, w, torch.tensor([0])),
          lambda: F.embedding_bag(pair, w, mode="prod"),
          lambda: F.embedding_bag(pair, w, per_sample_weights=torch.ones(1, 2)),
          lambda: F.embedding_bag(pair, w, per_sample_weights=torch.ones(2), mode="sum"),
          lambda: F.embedding_bag(pair[0], w, torch.tensor([0, 5])), lambda: F.embedding_bag(pair + 6, w),
          lambda: F.embedding_bag(pair * 1., w)):
    tried(f)
y = F.embedding_bag(torch.tensor([0, 1, 1]), w, torch.tensor([0, 2]), per_sample_weights=torch.ones(3), mode="sum")
print(y.grad_fn.next_functions[0][0].name(), y.grad_fn.next_functions[1])
e = nn.Embedding(4, 3, max_norm=1.0)
print(e, e(torch.tensor([0, 1])).norm(dim=1), e.weight)
e = nn.Embedding.from_pretrained(torch.arange(6.).reshape(3, 2))
print(e, e.weight.requires_grad, e(torch.tensor([2])))
e = nn.Embedding.from_pretrained(torch.arange(6.).reshape(3, 2), freeze=False, padding_idx=1)
print(e, e.weight.requires_grad, nn.Embedding(3, 2, _weight=torch.ones(3, 2)).weight)
e = nn.Embedding(3, 2, scale_grad_by_freq=True, norm_type=1.)
e(torch.tensor([0, 0, 1])).sum().backward()
print(e, e.weight.grad)
tried(lambda: nn.Embedding(3, 2, padding_idx=5))
tried(lambda: nn.Embedding(3, 2, _weight=torch.ones(2, 3)))
f8 = torch.float64
print(nn.Linear(2, 3, dtype=f8).weight, nn.Conv2d(1, 1, 1, dtype=f8).bias, nn.LayerNorm(2, dtype=f8).weight.dtype)
print(nn.BatchNorm1d(2, dtype=f8).running_mean, nn.LSTM(1, 1, dtype=f8).weight_ih_l0,
      nn.Embedding(2, 2, dtype=f8).weight)
"""

ARGUMENTS = """x, g = torch.ones(2, 3), torch.ones(2, requires_grad=True)
tried(lambda: torch.sum())
tried(lambda: torch.sum([1,2]))
tried(lambda: torch.sum(3))
tried(lambda: x.view('a'))
tried(lambda: x.view(1.5))
tried(lambda: x.reshape('a'))
tried(lambda: torch.zeros('a'))
tried(lambda: torch.zeros(2,'a'))
tried(lambda: torch.ones([1.5]))
tried(lambda: torch.add(1))
tried(lambda: torch.add(x))
tried(lambda: torch.add(x,'a'))
tried(lambda: torch.mul(x))
tried(lambda: torch.exp('a'))
tried(lambda: torch.exp())
tried(lambda: torch.exp(x,x))
tried(lambda: torch.exp(x,foo=1))
tried(lambda: torch.max(x,'a'))
tried(lambda: x.sum('a'))
tried(lambda: torch.arange('a'))
tried(lambda: torch.arange())
tried(lambda: torch.linspace(0,1))
tried(lambda: torch.cat(x,x))
tried(lambda: torch.cat([x,1]))
tried(lambda: torch.stack([]))
tried(lambda: x.t(1))
tried(lambda: x.transpose(0))
tried(lambda: x.squeeze('a'))
tried(lambda: x.unsqueeze())
tried(lambda: torch.eye('a'))
tried(lambda: torch.full((2,)))
tried(lambda: torch.full((2,),'a'))
tried(lambda: torch.where(x>0,x))
tried(lambda: torch.where(x,1,2))
tried(lambda: x.clamp('a'))
tried(lambda: torch.pow(x))
tried(lambda: x.pow())
tried(lambda: torch.randint(5))
tried(lambda: x.fill_('a'))
tried(lambda: x.add_('a'))
tried(lambda: x.std('a'))
tried(lambda: torch.var(1))
tried(lambda: torch.any(1))
tried(lambda: x.masked_fill(x>0))
tried(lambda: torch.cumsum(x,'a'))
tried(lambda: x.add(1,2,3))
tried(lambda: torch.sum(x,dim='a'))
tried(lambda: x.sum(foo=1))
tried(lambda: x.clamp(foo=1))
tried(lambda: torch.mm(1,x))
tried(lambda: torch.bmm())
tried(lambda: torch.zeros(2,dtype='float'))
tried(lambda: torch.exp(x,out=3))
tried(lambda: F.relu([1]))
tried(lambda: F.relu())
tried(lambda: nn.Linear(2))
tried(lambda: nn.Linear(2,3,4,5,6,7))
tried(lambda: nn.Linear(2,3,foo=1))
tried(lambda: x.size(5))
tried(lambda: x.size('a'))
tried(lambda: F.softmax(x))
tried(lambda: nn.Softmax()(x))
a = torch.empty(2, 3)
print(torch.exp(x, out=a), torch.add(x, 1, out=a) is a, a, torch.cat([x, x], out=torch.empty(0)).shape)
print(torch.matmul(x, x.t(), out=torch.empty(2, 2)), torch.arange(3, out=torch.ones(3)), torch.mul(x, 2, out=x), x)
tried(lambda: torch.exp(g, out=torch.empty(2)))
tried(lambda: torch.exp(torch.ones(2), out=g))
tried(lambda: torch.exp(torch.ones(2), out=torch.empty(2, dtype=torch.long)))
with torch.no_grad():
    print(torch.exp(g, out=torch.empty(2)), torch.exp(torch.ones(2), out=torch.empty(3)))
"""

SEQUENCES = """
from torch.nn.utils.rnn import pad_sequence, unpad_sequence
a, b = torch.arange(3., requires_grad=True), torch.arange(2., requires_grad=True)
p = pad_sequence([a, b], batch_first=True, padding_value=-1.)
(p * torch.arange(6.).view(2, 3)).sum().backward()
print(p, p.shape, a.grad, b.grad)
print(pad_sequence([a, b]), pad_sequence([b, a], padding_side="left", batch_first=True))
print(nn.utils.rnn.pad_sequence([torch.ones(2, 2), torch.ones(1, 2)]))
print(pad_sequence([torch.tensor([1, 2]), torch.tensor([3])]))
print(unpad_sequence(p, torch.tensor([3, 2]), batch_first=True))
print(unpad_sequence(pad_sequence([a, b]), torch.tensor([3, 2])))
tried(lambda: pad_sequence([]))
tried(lambda: pad_sequence(3))
tried(lambda: torch.ones(2, 3).max((1,)))
w = nn.Parameter(torch.ones(3))
(w * 3).sum().backward()
print(nn.utils.clip_grad_norm([w], 1.), w.grad, nn.Softmax2d()(torch.arange(4.).reshape(1, 2, 1, 2)))
tried(lambda: nn.Softmax2d()(torch.ones(2)))
"""

SCRIPTS: dict[str, str] = {
    "borders": BORDERS, "convolutions": CONVOLUTIONS, "instances": INSTANCES, "resized": RESIZED, "pooled": POOLED,
    "shapes_in_place": SHAPES_IN_PLACE, "tables": TABLES, "arguments": ARGUMENTS, "sequences": SEQUENCES,
}  # fmt: skip
