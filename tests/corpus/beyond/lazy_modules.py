import torch
from torch import nn
torch.manual_seed(0)
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
net = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(3))
print(net, net[0].weight, net[0].bias, type(net[0].weight), isinstance(net[0], nn.Linear))
t(lambda: net[0].weight.shape); t(lambda: sum(p.numel() for p in net.parameters())); print([n for n, p in net.named_parameters()], list(net.parameters())[:1])
X = torch.rand(2, 5); y = net(X); print(y, net, net[0].weight.shape, [p.shape for p in net.parameters()], type(net[0]))
t(lambda: net(torch.rand(2, 4)))
class LeNet(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.net = nn.Sequential(nn.LazyConv2d(6, kernel_size=5, padding=2), nn.LazyBatchNorm2d(), nn.Sigmoid(), nn.AvgPool2d(kernel_size=2, stride=2), nn.LazyConv2d(16, kernel_size=5, bias=False), nn.Sigmoid(), nn.AvgPool2d(kernel_size=2, stride=2), nn.Flatten(), nn.LazyLinear(12), nn.Sigmoid(), nn.LazyLinear(num_classes))
    def layer_summary(self, X_shape):
        X = torch.randn(*X_shape)
        for layer in self.net:
            X = layer(X)
            print(layer.__class__.__name__, 'output shape:\t', X.shape)
m = LeNet(); print(m); m.layer_summary((1, 1, 28, 28)); print(m)
def init_cnn(module):
    if type(module) == nn.Linear or type(module) == nn.Conv2d: nn.init.xavier_uniform_(module.weight)
m.apply(init_cnn); print(m.net[0].weight.sum(), m.state_dict().keys(), m.net[1].running_mean)
opt = torch.optim.SGD(m.parameters(), lr=0.1); l = nn.CrossEntropyLoss()(m(torch.randn(3, 1, 28, 28)), torch.tensor([1, 2, 3])); l.backward(); opt.step(); print(f'{l.item():.4f}')
for c in (nn.LazyConv1d(4, 3), nn.LazyConvTranspose2d(3, 2, stride=2, bias=False), nn.LazyBatchNorm1d(affine=False), nn.LazyInstanceNorm2d(), nn.LazyLinear(3, bias=False)): print(c, [n for n, _ in c.named_parameters()])
t(lambda: nn.LazyConv2d(4, 3)(torch.ones(3, 3))); t(lambda: nn.LazyLinear()); t(lambda: nn.LazyLinear(3)(torch.ones(2, 2)).shape); t(lambda: nn.LazyBatchNorm1d()(torch.ones(4, 3)).shape)
