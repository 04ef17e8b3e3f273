"""Sizes stay sizes: cut, joined and repeated."""
import torch

s = torch.zeros(2, 3, 4).shape
print(s[:1], s[::-1], s[-1:], s[1], type(s[1:]).__name__)
print(s * 2, 2 * s, s + s, s + (1,), (1,) + s, tuple(s))
print(s[1:].numel(), f"{s[:-1]}", isinstance(s[1:], torch.Size), torch.Size([2, 3])[0:1] == (2,))
print(torch.Size([torch.tensor(3), True]), torch.Size(range(3)), torch.Size(), sorted(s), s < (3,))
print(torch.zeros(s[:2] + (5,)).shape, torch.ones(4, 5, 6).size()[1:], torch.zeros(2, 3).expand((4,) + torch.zeros(2, 3).shape).shape)
batch, *rest = s
print(batch, rest)
for f in (lambda: s + [1], lambda: s + 1, lambda: s * 1.5, lambda: s[5]):
    try:
        print(f())
    except (TypeError, IndexError) as e:
        print(type(e).__name__, e)
