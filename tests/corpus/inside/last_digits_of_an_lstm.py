# Sine forecasting with an LSTM, losses printed with all their digits
import torch
import torch.nn as nn

torch.manual_seed(0)


class Forecaster(nn.Module):
    def __init__(self, hidden=12):
        super().__init__()
        self.lstm = nn.LSTM(input_size=1, hidden_size=hidden, num_layers=2, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return self.head(out[:, -1, :])


steps = torch.linspace(0, 20, 60)
series = torch.sin(steps) + 0.05 * torch.randn(60)
windows = torch.stack([series[i : i + 10] for i in range(40)]).unsqueeze(-1)
targets = torch.stack([series[i + 10] for i in range(40)]).unsqueeze(-1)

for batch in (8, 1):
    model = Forecaster()
    with torch.no_grad():
        print(model(windows[20:23]).flatten().tolist(), model(windows[30:31]).item())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(4):
        for at in range(0, 16, batch):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(windows[at : at + batch]), targets[at : at + batch])
            loss.backward()
            optimizer.step()
        print(batch, epoch, loss.item())

both = nn.LSTM(3, 5, bidirectional=True)
x = torch.randn(7, 2, 3)
y, _ = both(x)
y.pow(2).mean().backward()
print(y[3, 0].tolist())
for name, p in both.named_parameters():
    print(name, p.grad.flatten()[:2].tolist())
