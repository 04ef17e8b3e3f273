# One row of the Jacobian at a time
# Watch: y has two elements, -x³ and 5x, so the Jacobian has two rows.
# Watch: v = [1, 0] asks for the first row, so the second element gets zeros.
# Watch: retain_graph keeps the saved values for the second pass, v = [0, 1].
import torch

x = torch.tensor([1.0], requires_grad=True)
y = torch.stack((-(x**3), 5 * x), dim=1)
print("y has shape", tuple(y.shape))

y.backward(torch.tensor([[1.0, 0.0]]), retain_graph=True)
print("first row: ", x.grad)

x.grad.zero_()
y.backward(torch.tensor([[0.0, 1.0]]))
print("second row:", x.grad)
