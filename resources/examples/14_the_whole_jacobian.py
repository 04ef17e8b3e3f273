# The whole Jacobian, row by row
# Watch: Each v is zero but for a single 1, and picks one row of J.
# Watch: Three rows take three passes over the same graph.
# Watch: v·J from the finished matrix is what one pass gives for the same v.
import torch

point = torch.tensor([1.0, 2.0], requires_grad=True)
x, y = point
f = torch.stack((x * x, x * y, y * y))

rows = []
for v in torch.eye(3):
    point.grad = None
    f.backward(v, retain_graph=True)
    rows.append(point.grad)
J = torch.stack(rows)
print("J =", J)

v = torch.ones(3)
point.grad = None
f.backward(v)
print("v @ J     =", v @ J)
print("in a pass =", point.grad)
