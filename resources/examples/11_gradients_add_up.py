# Gradients add up
# Watch: v = [[1, 0], [1, 0]] asks for the first column only; the second gets zeros.
# Watch: Nothing is zeroed before the second pass, so it adds to what is there.
# Watch: This is why a training loop clears .grad in every epoch.
import torch

x = torch.tensor([[1.3448, -0.2924], [-0.4746, 0.8842]], requires_grad=True)
z = (2 * x) ** 3

z.backward(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), retain_graph=True)
print("after the first pass: ", x.grad)

z.backward(torch.tensor([[0.0, 1.0], [0.0, 1.0]]))
print("after the second pass:", x.grad)
