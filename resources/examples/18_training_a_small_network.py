# Training a small network
# Watch: Twenty epochs are twenty backward passes; choose one above the timeline.
# Watch: The update is no node of the graph, because no_grad keeps it out.
# Watch: .grad is cleared in every epoch, or the passes would add up.
import torch
from torch import nn

inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
targets = torch.tensor([[0.0], [1.0], [1.0], [0.0]])

torch.manual_seed(4)
hidden = nn.Linear(2, 8)
output = nn.Linear(8, 1)
parameters = [*hidden.parameters(), *output.parameters()]

learning_rate = 0.2
for epoch in range(20):
    guess = output(torch.tanh(hidden(inputs)))
    loss = ((guess - targets) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in parameters:
            p.sub_(learning_rate * p.grad)
            p.grad = None
    if epoch % 5 == 0 or epoch == 19:
        print(f"epoch {epoch:2}: loss {loss.item():.4f}")
