"""Language models as people train them, written by hand: GPT-2 and a Llama. Needs PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttention(nn.Module):
    """Causal attention of several heads; with `turns`, its words know their places by rotation."""

    def __init__(self, width: int, heads: int, *, turns: bool) -> None:
        super().__init__()
        self.heads, self.turns = heads, turns
        self.inward = nn.Linear(width, 3 * width, bias=not turns)
        self.outward = nn.Linear(width, width, bias=not turns)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape = (batch, length, self.heads, width // self.heads)
        q, k, v = (each.view(shape).transpose(1, 2) for each in self.inward(x).split(width, 2))
        if self.turns:
            q, k = turned(q), turned(k)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.outward(y.transpose(1, 2).reshape(batch, length, width))


def turned(x: Tensor) -> Tensor:
    """Pairs of numbers turned by an angle that grows with the place: [batch, heads, length, width]."""
    length, width = x.shape[-2:]
    angles = torch.outer(torch.arange(length), 1e4 ** (-torch.arange(0, width, 2) / width))
    first, second = x.chunk(2, -1)
    cosine, sine = angles.cos(), angles.sin()
    return torch.cat((first * cosine - second * sine, first * sine + second * cosine), -1)


class Gated(nn.Module):
    """The feed-forward layer of a Llama."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate, self.up = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, 3 * width, bias=False)
        self.down = nn.Linear(3 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    """Attention and a feed-forward layer, each with a norm before and a way around."""

    def __init__(self, width: int, heads: int, *, is_llama: bool) -> None:
        super().__init__()
        norm = nn.RMSNorm if is_llama else nn.LayerNorm
        self.norm1, self.norm2 = norm(width), norm(width)
        self.attention = SelfAttention(width, heads, turns=is_llama)
        plain = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))
        self.feed = Gated(width) if is_llama else plain

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.feed(self.norm2(x))


class LanguageModel(nn.Module):
    """Words to logits of the next word; GPT-2's weights of words serve at both ends."""

    def __init__(self, words: int, width: int, layers: int, heads: int, length: int, *, is_llama: bool) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = None if is_llama else nn.Embedding(length, width)
        self.layers = nn.ModuleList(Layer(width, heads, is_llama=is_llama) for _ in range(layers))
        self.norm = (nn.RMSNorm if is_llama else nn.LayerNorm)(width)
        self.out = nn.Linear(width, words, bias=False)
        if not is_llama:
            self.out.weight = self.words.weight

    def forward(self, x: Tensor) -> Tensor:
        h = self.words(x)
        if self.places is not None:
            h = h + self.places(torch.arange(x.shape[1]))
        for layer in self.layers:
            h = layer(h)
        return self.out(self.norm(h)).flatten(0, 1)


Made = tuple[nn.Module, Tensor, Tensor]


def gpt2(layers: int = 12, width: int = 768, words: int = 50_257, length: int = 128) -> Made:
    """GPT-2 small, two sequences, and the words that follow."""
    net = LanguageModel(words, width, layers, max(width // 64, 1), length, is_llama=False)
    return net, torch.randint(words, (2, length)), torch.randint(words, (2 * length,))


def llama() -> Made:
    """A tiny Llama: four layers of 128, two sequences of 32 words."""
    net = LanguageModel(1_000, 128, 4, 4, 32, is_llama=True)
    return net, torch.randint(1_000, (2, 32)), torch.randint(1_000, (64,))
