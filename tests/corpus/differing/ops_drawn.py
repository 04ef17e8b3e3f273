import math
import torch
import torch.nn as nn
import torch.nn.functional as F

def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

torch.manual_seed(0)
x = torch.full((3, 3), 0.5, requires_grad=True)
y = torch.bernoulli(x)
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad)
logits = torch.randn(2, 3, requires_grad=True)
z = F.gumbel_softmax(logits, hard=True)
print(z, z.grad_fn.next_functions[1][0].name())
z = F.gumbel_softmax(logits, tau=0.5)
print(z)
(z * torch.arange(3.0)).sum().backward()
print(logits.grad)
print(torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 2), torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 1))
print(torch.multinomial(torch.tensor([[0.1, 0.2, 0.7], [3, 1, 1]]), 5, replacement=True))
show(lambda: torch.multinomial(torch.tensor([0.1, 0.2]), 3))
show(lambda: torch.multinomial(torch.tensor([-0.1, 0.2]), 1))
show(lambda: torch.bernoulli(torch.tensor([2.0])))
print(torch.empty(4).bernoulli_(0.3), torch.empty(4).bernoulli_(torch.tensor([0.1, 0.9, 0.5, 0.2])))
print(torch.empty(3).exponential_(), torch.empty(3).random_(), torch.empty(3).random_(2, 5))
print(torch.empty(3, dtype=torch.long).random_(10), torch.randint_like(torch.zeros(3), 2, 9))
x = torch.randn(4, 3, requires_grad=True)
y = F.alpha_dropout(x, 0.3, True)
print(y, y.grad_fn.next_functions[0][0].name())
y.sum().backward()
print(x.grad)
layer = nn.RReLU()
y = layer(x)
print(y, layer)
y.sum().backward()
print(x.grad, layer.eval()(x))
print(F.rrelu(x * 1, training=True, inplace=True))
print(nn.AlphaDropout(0.2)(x))
print(torch.dropout(x, 0.5, True))
print(F.feature_alpha_dropout(torch.randn(2, 3, 2), 0.4, True))
print(F.dropout(x * 1, 0.5, inplace=True).grad_fn.name())
g = torch.Generator().manual_seed(7)
print(torch.bernoulli(torch.full((4,), 0.5), generator=g), torch.normal(torch.zeros(2), torch.ones(2), generator=g))
