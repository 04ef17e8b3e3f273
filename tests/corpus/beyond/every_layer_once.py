import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
# Activation & layer zoo: every layer once, forward value, gradient sum, repr, plus wrong calls
x = torch.linspace(-3, 3, 7)
acts = [nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.2), nn.PReLU(), nn.RReLU(), nn.ELU(), nn.SELU(), nn.CELU(0.5), nn.GELU(), nn.GELU(approximate='tanh'), nn.SiLU(), nn.Mish(),
        nn.Softplus(beta=2), nn.Softshrink(0.3), nn.Hardshrink(), nn.Hardtanh(-1, 2), nn.Hardswish(), nn.Hardsigmoid(), nn.Tanhshrink(), nn.Softsign(), nn.Sigmoid(), nn.LogSigmoid(),
        nn.Tanh(), nn.Threshold(0.1, 20), nn.Softmax(dim=0), nn.LogSoftmax(dim=-1), nn.Softmin(dim=0), nn.Identity(54, unused=3)]
for a in acts:
    a.eval()
    v = x.clone().requires_grad_()
    y = a(v)
    y.pow(2).sum().backward()
    print(f"{str(a):<32} {y.sum().item():9.4f} {v.grad.abs().sum().item():9.4f} {type(y.grad_fn).__name__}")
print(nn.GLU()(torch.arange(8.).view(2, 4)), nn.Softmax2d()(torch.ones(1, 2, 1, 1)).flatten(), nn.MultiheadAttention(4, 1))
img = torch.arange(32.).view(1, 2, 4, 4)
layers = [nn.MaxPool2d(2), nn.MaxPool2d(3, stride=1, padding=1, dilation=1, ceil_mode=True), nn.AvgPool2d(2, count_include_pad=False), nn.AdaptiveMaxPool2d((2, None)), nn.AdaptiveAvgPool2d(3), nn.LPPool2d(2, 2),
          nn.FractionalMaxPool2d(2, output_size=3) if False else nn.Identity(), nn.ZeroPad2d((1, 0, 2, 0)), nn.ReflectionPad2d(1), nn.ReplicationPad2d(2), nn.ConstantPad2d(1, 3.5), nn.CircularPad2d(1),
          nn.Upsample(scale_factor=2), nn.Upsample(size=(3, 5), mode='bilinear', align_corners=True), nn.UpsamplingNearest2d(scale_factor=3), nn.UpsamplingBilinear2d(size=2), nn.PixelShuffle(1), nn.PixelUnshuffle(2), nn.ChannelShuffle(2),
          nn.Flatten(), nn.Unflatten(1, (1, 2)), nn.Fold((4, 4), 1) if False else nn.Unfold(2), nn.Dropout2d(0.3), nn.AlphaDropout(), nn.FeatureAlphaDropout(), nn.InstanceNorm2d(2, affine=True), nn.GroupNorm(1, 2), nn.LayerNorm([2, 4, 4]),
          nn.LocalResponseNorm(2), nn.BatchNorm2d(2, momentum=None), nn.SyncBatchNorm(2) if False else nn.Identity(), nn.RMSNorm([4]), nn.Conv2d(2, 3, (1, 3), padding='same'), nn.Conv2d(2, 2, 3, padding=1, groups=2, padding_mode='reflect', bias=False), nn.ConvTranspose2d(2, 1, 2, 2),
          nn.LazyConv2d(3, 1), nn.LazyLinear(2), nn.Bilinear(4, 4, 2), nn.CosineSimilarity(dim=1), nn.PairwiseDistance(2)]
for l in layers:
    l.eval()
    try:
        y = l(img, img) if isinstance(l, (nn.Bilinear, nn.CosineSimilarity, nn.PairwiseDistance)) else l(img)
        print(l, tuple(y.shape), f"{y.sum().item():.4f}")
    except Exception as e:
        print(l, type(e).__name__, e)
emb = nn.Embedding(5, 3, padding_idx=0, max_norm=1.0, scale_grad_by_freq=True); print(emb, emb(torch.tensor([[0, 4]])).shape)
bag = nn.EmbeddingBag(5, 3, mode='sum'); print(bag, bag(torch.tensor([0, 1, 2]), torch.tensor([0, 2])).shape)
print(nn.Embedding.from_pretrained(torch.eye(3)), nn.Sequential(nn.Linear(1, 1), nn.Sequential())[0:1], nn.ModuleDict({'a': nn.ReLU(), 'b': nn.ModuleList()}))
print(nn.ParameterList([nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(1, 2))]), nn.ParameterDict({'w': nn.Parameter(torch.ones(1))}))
p, idx = nn.MaxPool2d(2, return_indices=True)(img); print(idx.flatten(), nn.MaxUnpool2d(2)(p, idx).sum())
for bad in (lambda: nn.ReLU()(1.0), lambda: nn.ReLU()([1., 2.]), lambda: nn.ReLU(x), lambda: nn.Sigmoid(x), lambda: nn.Softmax()(x), lambda: nn.Softmax(dim=3)(x), lambda: nn.GELU(approximate='erf')(x), lambda: nn.PReLU(3)(torch.zeros(1, 2)),
            lambda: nn.Embedding(5, 3)(torch.tensor([1.0])), lambda: nn.Embedding(5, 3)(torch.tensor([5])), lambda: nn.Embedding(5, 3, padding_idx=7), lambda: nn.Linear('a', 2), lambda: nn.Linear(3), lambda: nn.Linear(3, 4, 5, 6, 7, 8),
            lambda: nn.Linear(-1, 2), lambda: nn.Linear(2, 3)(torch.zeros(3)), lambda: nn.Linear(2, 3)(torch.zeros(4, 2).double()), lambda: nn.Linear(2, 3)('x'), lambda: nn.Linear(2, 3)(None), lambda: nn.Conv2d(2, 3, 3)(img[0, 0]),
            lambda: nn.Conv2d(2, 3, 3, padding='full'), lambda: nn.Conv2d(2, 3, 0), lambda: nn.Conv1d(2, 3, 3)(img), lambda: nn.AvgPool2d(5)(img), lambda: nn.ReflectionPad2d(5)(img), lambda: nn.LayerNorm(3)(x), lambda: nn.GroupNorm(3, 4),
            lambda: nn.BatchNorm2d(3)(img), lambda: nn.BatchNorm2d(2)(img[0]), lambda: nn.InstanceNorm1d(2)(img), lambda: nn.Dropout(-0.1), lambda: nn.Sequential(nn.Linear(1, 1), 3), lambda: nn.Sequential([nn.ReLU()]), lambda: nn.ModuleList(nn.ReLU()),
            lambda: nn.ModuleDict([1]), lambda: nn.ParameterList([1])[0], lambda: nn.Unflatten(1, (2, 3))(torch.zeros(2, 5)), lambda: nn.Bilinear(2, 3, 1)(torch.zeros(1, 2), torch.zeros(1, 2)), lambda: nn.MultiheadAttention(5, 2), lambda: nn.Module()(x), lambda: nn.Module(3), lambda: nn.Lineer(1, 1), lambda: F.reluu(x)):
    try: print("ok", bad())
    except Exception as e: print(type(e).__name__, "|", str(e)[:300])
