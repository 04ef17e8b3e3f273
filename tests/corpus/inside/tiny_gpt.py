# A transformer that continues letters: causal attention by masked scores, tied weights, two groups for AdamW
import math
from dataclasses import dataclass, replace

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


@dataclass(frozen=True)
class Size:
    letters: int
    window: int = 8
    width: int = 8
    heads: int = 2
    depth: int = 2
    keep: float = 1.0


class LooksBack(nn.Module):
    """Every place mixes the values of itself and of the places before it."""

    def __init__(self, size):
        super().__init__()
        if size.width % size.heads:
            raise ValueError(f"{size.heads} heads cannot share a width of {size.width}")
        self.heads = size.heads
        self.questions_keys_values = nn.Linear(size.width, 3 * size.width)
        self.mix = nn.Linear(size.width, size.width)
        self.forget = nn.Dropout(1 - size.keep)
        self.register_buffer("future", torch.ones(size.window, size.window, dtype=torch.bool).triu(1))

    def forward(self, states):
        batch, length, width = states.shape
        parts = self.questions_keys_values(states).chunk(3, dim=-1)
        questions, keys, values = (part.reshape(batch, length, self.heads, -1).transpose(1, 2) for part in parts)
        scores = questions @ keys.mT / math.sqrt(width / self.heads)
        scores = scores.masked_fill(self.future[:length, :length], -math.inf)
        mixed = self.forget(scores.softmax(dim=-1)) @ values
        return self.mix(mixed.transpose(1, 2).reshape(batch, length, width))


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.before_look, self.before_think = nn.LayerNorm(size.width), nn.LayerNorm(size.width)
        self.look = LooksBack(size)
        self.think = nn.Sequential(nn.Linear(size.width, 4 * size.width), nn.GELU(), nn.Linear(4 * size.width, size.width))

    def forward(self, states):
        states = states + self.look(self.before_look(states))
        return states + self.think(self.before_think(states))


class Writer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.parts = nn.ModuleDict({"letter": nn.Embedding(size.letters, size.width), "place": nn.Embedding(size.window, size.width), "layers": nn.ModuleList(Layer(size) for _ in range(size.depth)), "last": nn.LayerNorm(size.width)})
        self.scores = nn.Linear(size.width, size.letters, bias=False)
        self.scores.weight = self.parts["letter"].weight
        self.apply(self.start)
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if name.endswith("look.mix.weight"):
                    weight /= math.sqrt(2 * size.depth)

    @staticmethod
    def start(module):
        match module:
            case nn.Linear(bias=bias):
                nn.init.normal_(module.weight, std=0.1)
                if bias is not None:
                    nn.init.zeros_(bias)
            case nn.Embedding():
                nn.init.normal_(module.weight, std=0.1)

    def forward(self, letters, wanted=None):
        length = letters.size(1)
        assert length <= self.size.window, f"{length} letters do not fit a window of {self.size.window}"
        states = self.parts.letter(letters) + self.parts.place(torch.arange(length, device=letters.device))
        for layer in self.parts["layers"]:
            states = layer(states)
        scores = self.scores(self.parts["last"](states))
        return scores if wanted is None else (scores, F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=-1))

    @torch.no_grad()
    def write(self, letters, *, more, best=None, heat=1.0):
        for _ in range(more):
            scores = self(letters[:, -self.size.window :])[:, -1] / heat
            if best:
                floor = scores.topk(best).values.min(dim=-1, keepdim=True).values
                scores = torch.where(scores < floor, -math.inf, scores)
            letters = torch.cat([letters, torch.multinomial(scores.softmax(-1), 1)], dim=-1)
        return letters


def grouped(model, decay):
    """Matrices shrink, vectors do not."""
    matrices = [weight for weight in model.parameters() if weight.ndim > 1]
    vectors = [weight for weight in model.parameters() if weight.ndim < 2]
    print(f"{len(matrices)} matrices of {sum(map(torch.numel, matrices)):,} numbers, {len(vectors)} vectors")
    return [{"params": matrices, "weight_decay": decay}, {"params": vectors, "weight_decay": 0.0}]


text = "the cat sat on that mat"
alphabet = "".join(sorted(set(text)))
number_of = {letter: number for number, letter in enumerate(alphabet)}
codes = torch.tensor([number_of[letter] for letter in text])
print(repr(alphabet), codes)

model = Writer(Size(letters=len(alphabet)))
print(model)
print("tied:", model.scores.weight is model.parts.letter.weight, len(list(model.parameters())), len(model.state_dict()))
optimizer = torch.optim.AdamW(grouped(model, 0.1), lr=3e-3, betas=(0.9, 0.95))
for turn in range(5):
    starts = torch.randint(len(codes) - 6, (4,)).tolist()
    batch = torch.stack([codes[start : start + 6] for start in starts])
    optimizer.zero_grad(set_to_none=True)
    _, loss = model(batch[:, :-1], batch[:, 1:])
    loss.backward()
    length = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    print(f"turn {turn}: loss {loss.item():.4f}, gradient {length:.4f}")
steepest = max(model.named_parameters(), key=lambda named: named[1].grad.norm())
print("steepest:", steepest[0], tuple(steepest[1].shape))
model.eval()
print("".join(alphabet[i] for i in model.write(codes[None, :3], more=6, best=3)[0].tolist())[:3])
scores = model(codes[None, :4])
print(torch.allclose(scores[:, :3], model(codes[None, :3]), atol=1e-6), model.parts["layers"][0].look.future.shape, list(model.parts))
try:
    Writer(replace(model.size, heads=3))
except ValueError as error:
    print("refused:", error)
model(codes[None, :9])
