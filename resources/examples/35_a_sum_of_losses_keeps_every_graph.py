# A sum of losses keeps every graph
# Watch: total is a tensor with a history: it holds on to the graph of every round.
# Watch: So a backward from total goes through all three rounds.
# Watch: item() hands on the number alone, and the graph of the round can go.
import torch

w = torch.tensor(2.0, requires_grad=True)

total, plain = 0, 0.0
for x in (1.0, 2.0, 3.0):
    loss = (w * x - 1) ** 2
    total = total + loss
    plain = plain + loss.item()

print("total:", total.item(), " has a graph:", total.requires_grad)
print("plain:", plain, " has a graph:", isinstance(plain, torch.Tensor))
total.backward()
print("w.grad =", w.grad)
