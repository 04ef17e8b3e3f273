# A parameter that does not move
# Watch: The gradient is there: w.grad is 6.
# Watch: The optimizer was given a copy of w, which has no gradient, so a step changes nothing.
# Watch: Given w itself, it moves it by the learning rate times the gradient.
import torch

w = torch.tensor([3.0], requires_grad=True)
copy = w.detach().clone().requires_grad_()

(w**2).sum().backward()
print("w.grad =", w.grad, " copy.grad =", copy.grad)

torch.optim.SGD([copy], lr=0.1).step()
print("the copy was given:", w.detach())

torch.optim.SGD([w], lr=0.1).step()
print("w was given:       ", w.detach())
