# When hooks run
# Watch: A hook on y runs as soon as all that comes in at y is summed.
# Watch: A hook on the leaf x runs before anything is added to x.grad.
# Watch: What a hook returns takes the place of the gradient; these return nothing.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
z = (3 * y).sum()

x.register_hook(lambda grad: print("at x:", grad, " x.grad is still", x.grad))
y.register_hook(lambda grad: print("at y:", grad))
z.register_hook(lambda grad: print("at z:", grad))

z.backward()
print("x.grad =", x.grad)
