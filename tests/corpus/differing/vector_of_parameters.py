# Parameters that look into one vector: what changes one changes the other.
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters
torch.manual_seed(0)
m = nn.Linear(2, 2)
v = parameters_to_vector(m.parameters()).detach().clone()
vector_to_parameters(v, m.parameters())
v.mul_(3)
print(m.weight, m.bias, m.weight._version, v._version, m.weight.data_ptr() == v.data_ptr())
with torch.no_grad(): m.weight.zero_()
print(v)
y = m(torch.ones(1, 2)).sum()
vector_to_parameters(v * 2, m.parameters())
y.backward()
print(m.weight.grad, m.bias.grad)
for bad in (lambda: vector_to_parameters(v[:3], m.parameters()), lambda: vector_to_parameters([1.], m.parameters()), lambda: vector_to_parameters(v.view(2, 3), m.parameters()), lambda: vector_to_parameters(v.double(), m.parameters()), lambda: vector_to_parameters(torch.zeros(8), m.parameters())):
    try: print(bad(), m.weight.dtype)
    except Exception as e: print(type(e).__name__, e)
w = nn.Parameter(torch.zeros(6))
vector_to_parameters(w, m.parameters())
(m.weight.sum() * 2).backward()
print(w.grad, m.weight.grad, m.weight.is_leaf)
h = nn.Linear(2, 2).double()
try: vector_to_parameters(torch.ones(6), h.parameters())
except Exception as e: print(type(e).__name__, e)
print(h.weight.dtype)
