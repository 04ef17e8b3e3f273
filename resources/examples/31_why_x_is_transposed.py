# Why X is transposed
# Watch: Y is 2 × 2, so what comes in is 2 × 2; what goes out to W must be 3 × 2, as W is.
# Watch: Of X (2 × 3) and v (2 × 2), only Xᵀ @ v has that shape.
# Watch: W[i, j] meets column i of X, and works on column j of Y alone.
import torch

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
W = torch.ones(3, 2, requires_grad=True)
v = torch.tensor([[1.0, 0.0], [0.0, 10.0]])

Y = X @ W
Y.backward(v)
print("W.grad =", W.grad)
print("equal to X.T @ v:", torch.equal(W.grad, X.T @ v))
