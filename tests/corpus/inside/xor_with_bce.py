import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(42)
X = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float32)
y = torch.tensor([[0], [1], [1], [0]], dtype=torch.float32)

class XOR(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.hidden = nn.Linear(2, hidden)
        self.out = nn.Linear(hidden, 1)
        self.act = nn.Sigmoid()

    def forward(self, x):
        return self.act(self.out(self.act(self.hidden(x))))

model = XOR()
criterion = nn.BCELoss()
optimizer = optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
for epoch in range(1, 301):
    optimizer.zero_grad()
    loss = criterion(model(X), y)
    loss.backward()
    optimizer.step()
    if epoch % 60 == 0:
        print(f"Epoch {epoch:4d} | loss {loss.item():.4f}")
with torch.no_grad():
    print((model(X) > 0.5).int().flatten().tolist())
for name, param in model.named_parameters():
    print(name, tuple(param.shape), param.grad.norm().item() > 0)
print(criterion, optimizer)
