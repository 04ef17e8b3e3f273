import torch
import torch.nn as nn
class Attention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)
    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        attn = (q @ k.transpose(-1, -2)) * (d // self.heads) ** -0.5
        if mask is not None: attn = attn.masked_fill(mask, float("-inf"))
        return (attn.softmax(-1) @ v).transpose(1, 2).flatten(2)
class ViT(nn.Module):
    def __init__(self, img=8, patch=4, dim=8, depth=2, classes=3, pool="cls"):
        super().__init__()
        assert img % patch == 0, 'Image dimensions must be divisible by the patch size.'
        n = (img // patch) ** 2
        self.patch = nn.Conv2d(3, dim, patch, stride=patch)
        self.cls = nn.Parameter(torch.randn(1, 1, dim)); self.pos = nn.Parameter(torch.randn(1, n + 1, dim))
        self.layers = nn.ModuleList([])
        for _ in range(depth): self.layers.append(nn.ModuleList([nn.LayerNorm(dim), Attention(dim), nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim * 2), nn.GELU(), nn.Dropout(0.), nn.Linear(dim * 2, dim))]))
        self.pool = pool; self.to_latent = nn.Identity(); self.head = nn.Linear(dim, classes)
    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2); b = x.size(0)
        x = torch.cat((self.cls.expand(b, -1, -1), x), dim=1) + self.pos
        for norm, attn, ff in self.layers: x = attn(norm(x)) + x; x = ff(x) + x
        x = x.mean(dim=1) if self.pool == 'mean' else x[:, 0]
        return self.head(self.to_latent(x))
torch.manual_seed(0); v = ViT(); print(v); img = torch.randn(2, 3, 8, 8); out = v(img); print(out, out.shape)
out.softmax(-1).log().mean().backward(); print(sum(p.grad.abs().sum() > 0 for p in v.parameters()), v.cls.grad[0, 0, :3], len(list(v.parameters())))
m = torch.triu(torch.ones(4, 4, dtype=torch.bool), 1); a = Attention(4); y = a(torch.ones(1, 4, 4), m); print(y, m)
x = torch.arange(24.).reshape(2, 3, 4); print(x.permute(2, 0, 1).shape, x.transpose(0, 2)[0], x[..., None].shape, x[:, -1], x[0, :, 1:3], x.view(2, -1).shape, x.flatten(1).shape, x.unfold(2, 2, 1).shape, x.movedim(0, -1).shape, x.swapaxes(0, 1).shape, torch.stack(x.unbind(1)).shape, x.narrow(2, 1, 2).shape, x.index_select(2, torch.tensor([0, 3]))[0, 0], x.take_along_dim(x.argmax(-1, keepdim=True), -1).squeeze(), x.amax((1, 2)), x.roll(1, 0)[0, 0], x.tile(1, 1, 2).shape, x.repeat_interleave(2, 1).shape, torch.kron(torch.eye(2), torch.ones(1, 2)), x.std(dim=(0, 1), unbiased=False), torch.var_mean(x), x.cumprod(-1)[0, 0], x.diff()[0, 0], x.quantile(0.5), x.bool().sum(), x.eq(3).nonzero(), x.masked_select(x > 21), x.clamp_max(2)[0, 0], torch.bucketize(torch.tensor([3.]), torch.tensor([1., 2., 4.])), torch.histc(x, 3), torch.cartesian_prod(torch.arange(2), torch.arange(2)), torch.combinations(torch.arange(3)))
ViT(img=9)
