# A bias is summed over the batch
# Watch: b has 2 numbers and the batch 3 rows: each number of b is used three times.
# Watch: A number that is used three times gets three gradients, and their sum.
# Watch: So what goes out to b is what comes in, summed over the rows.
import torch

rows = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
b = torch.tensor([10.0, 20.0], requires_grad=True)

y = rows + b
y.backward(torch.tensor([[1.0, 0.0], [2.0, 0.0], [4.0, 8.0]]))

print("rows.grad =", rows.grad)
print("b.grad    =", b.grad)
