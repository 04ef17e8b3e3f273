# Slopes at a kink
# Watch: At 0 the slope of relu is 0 on the left and 1 on the right; PyTorch takes 0.
# Watch: abs takes 0, which lies between its slopes -1 and 1.
# Watch: max() over a tie gives each of the winners an equal share.
import torch

x = torch.tensor(0.0, requires_grad=True)
torch.relu(x).backward()
print("relu:", x.grad)

x.grad = None
torch.abs(x).backward()
print("abs: ", x.grad)

t = torch.tensor([2.0, 2.0, 1.0], requires_grad=True)
t.max().backward()
print("max: ", t.grad)
