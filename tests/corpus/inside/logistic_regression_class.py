import torch
from torch import nn

class LogisticRegression(nn.Module):
    """A single layer with a sigmoid."""
    def __init__(self, n_features: int) -> None:
        super(LogisticRegression, self).__init__()
        self.linear = nn.Linear(n_features, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.linear(x))

    def extra_repr(self) -> str:
        return f'features={self.linear.in_features}'


def accuracy(p, t):
    return p.round().eq(t).sum() / float(t.shape[0])


def main():
    torch.manual_seed(10)
    n = 40
    X0 = torch.randn(n, 2) + torch.tensor([2., 2.])
    X1 = torch.randn(n, 2) - torch.tensor([2., 2.])
    X = torch.cat((X0, X1), 0)
    y = torch.cat((torch.zeros(n, 1), torch.ones(n, 1)))
    model = LogisticRegression(X.size(1))
    print(model)
    criterion = nn.BCELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(30):
        p = model(X)
        loss = criterion(p, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if (epoch + 1) % 10 == 0:
            print(f'epoch: {epoch+1}, loss = {loss.item():.4f}, acc = {accuracy(p, y).item():.3f}')
    with torch.no_grad():
        w, b = model.parameters()
        print(w.shape, b.shape, (w < 0).all().item())
    print(model.linear.weight.grad)


if __name__ == '__main__':
    main()
