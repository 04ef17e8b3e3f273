# An image as a row of tiles that attend to each other; then a list of ways to look at one tensor
import torch
import torch.nn as nn


class Attend(nn.Module):
    def __init__(self, width, heads=2):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.three = nn.Linear(width, 3 * width)
    def forward(self, tiles, hidden=None):
        split = self.three(tiles).unflatten(-1, (3, self.heads, -1))
        asks, tells, gives = split.permute(2, 0, 3, 1, 4).unbind(0)
        scores = self.scale * asks.matmul(tells.transpose(-2, -1))
        if hidden is not None:
            scores = scores.masked_fill(hidden, -torch.inf)
        return torch.matmul(scores.softmax(dim=-1), gives).transpose(1, 2).reshape(tiles.shape)


def think(width):
    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.0), nn.Linear(2 * width, width))


class Tiles(nn.Module):
    def __init__(self, side=8, tile=4, width=8, depth=2, answers=3, reads="first"):
        super().__init__()
        count, rest = divmod(side, tile)
        assert not rest, f"tiles of {tile} do not fill a side of {side}"
        self.reads = reads
        self.cut = nn.Conv2d(3, width, kernel_size=tile, stride=tile)
        self.reader = nn.Parameter(torch.randn(width)); self.places = nn.Parameter(torch.randn(count * count + 1, width))
        self.rounds = nn.ModuleList()
        for _ in range(depth):
            self.rounds.append(nn.ModuleDict({"norm": nn.LayerNorm(width), "attend": Attend(width), "think": think(width)}))
        self.answer = nn.Sequential(nn.Identity(), nn.Linear(width, answers))
    def forward(self, images):
        tiles = self.cut(images).flatten(2).mT
        tiles = torch.cat([self.reader.expand(len(images), 1, -1), tiles], 1) + self.places
        for part in self.rounds:
            tiles = tiles + part["attend"](part["norm"](tiles))
            tiles = tiles + part["think"](tiles)
        return self.answer(tiles[:, 0] if self.reads == "first" else tiles.mean(1))


torch.manual_seed(0)
model = Tiles()
print(model)
images = torch.randn(2, 3, 8, 8)
scores = model(images)
print(scores, scores.shape)
loss = -scores.log_softmax(-1)[:, 1].mean()
loss.backward()
reached = [name for name, weight in model.named_parameters() if weight.grad is not None and weight.grad.abs().sum() > 0]
print(len(reached), "of", len(list(model.parameters())), model.reader.grad[:3], f"{loss:.4f}")
mean = Tiles(reads="mean", depth=1)
mean(images).square().sum().backward()
print(mean.cut.weight.grad.shape, f"{mean.places.grad.norm():.3f}")

later = torch.ones(4, 4, dtype=torch.bool).triu(diagonal=1)
attend = Attend(4)
row = torch.linspace(-1, 1, 16).view(1, 4, 4)
print(attend(row, later), later)
print(torch.allclose(attend(row[:, :2], later[:2, :2]), attend(row, later)[:, :2]))

x = torch.arange(24.0).reshape(2, 3, 4)
print(*(tuple(y.shape) for y in (x.permute(2, 0, 1), x[..., None], x.view(2, -1), x.flatten(1), x.unfold(2, 2, 1), x.movedim(0, -1), x.swapaxes(0, 1), torch.stack(x.unbind(1)), x.narrow(2, 1, 2), x.tile(1, 1, 2), x.repeat_interleave(2, 1))))
print(x.transpose(0, 2)[0], x[:, -1], x[0, :, 1:3], x.index_select(2, torch.tensor([0, 3]))[0, 0])
print(x.take_along_dim(x.argmax(-1, keepdim=True), -1).squeeze(), x.amax((1, 2)), x.roll(1, 0)[0, 0])
print(torch.kron(torch.eye(2), torch.ones(1, 2)), x.std(dim=(0, 1), unbiased=False), torch.var_mean(x))
print(x.cumprod(-1)[0, 0], x.diff()[0, 0], x.quantile(0.5), x.bool().sum(), x.eq(3).nonzero(), x.masked_select(x > 21), x.clamp_max(2)[0, 0])
print(torch.bucketize(torch.tensor([3.0]), torch.tensor([1.0, 2.0, 4.0])), torch.histc(x, 3))
print(torch.cartesian_prod(torch.arange(2), torch.arange(2)), torch.combinations(torch.arange(3)))
Tiles(side=9)
