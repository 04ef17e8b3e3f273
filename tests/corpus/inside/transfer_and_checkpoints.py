# Checkpointing, copying, freezing, transfer
import copy, io, os, json
from pathlib import Path
import torch
from torch import nn, optim
torch.manual_seed(1)
class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 6), nn.ReLU())
        self.classifier = nn.Linear(6, 10)
    def forward(self, x):
        return self.classifier(self.features(x))
net = Backbone()
for param in net.parameters():
    param.requires_grad = False
num_ftrs = net.classifier.in_features
net.classifier = nn.Linear(num_ftrs, 2)
print([n for n, p in net.named_parameters() if p.requires_grad])
params_to_update = [p for p in net.parameters() if p.requires_grad]
opt = optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1, momentum=0.9)
best_model_wts = copy.deepcopy(net.state_dict())
best_acc = 0.0
x = torch.randn(10, 4); y = (x.sum(1) > 0).long()
before = net.features[0].weight.clone()
since = 0
for epoch in range(5):
    print('Epoch {}/{}'.format(epoch, 4))
    print('-' * 10)
    for phase in ['train', 'val']:
        net.train() if phase == 'train' else net.eval()
        opt.zero_grad()
        with torch.set_grad_enabled(phase == 'train'):
            out = net(x)
            _, preds = torch.max(out, 1)
            loss = nn.functional.cross_entropy(out, y)
            if phase == 'train':
                loss.backward()
                opt.step()
        acc = torch.sum(preds == y.data).double() / len(x)
        print(f'{phase} Loss: {loss.item():.4f} Acc: {acc:.4f}')
        if phase == 'val' and acc > best_acc:
            best_acc = acc
            best_model_wts = copy.deepcopy(net.state_dict())
    print()
time_elapsed = 61.5
print('Training complete in {:.0f}m {:.0f}s'.format(time_elapsed // 60, time_elapsed % 60))
print(f'Best val Acc: {best_acc:4f}')
net.load_state_dict(best_model_wts)
print(torch.equal(before, net.features[0].weight), net.features[0].weight.grad)
ema = copy.deepcopy(net)
decay = 0.9
with torch.no_grad():
    for (n1, p1), (n2, p2) in zip(ema.named_parameters(), net.named_parameters()):
        p1.mul_(decay).add_(p2 + 1, alpha=1 - decay)
        assert n1 == n2
print(ema.classifier.bias - net.classifier.bias)
ckpt = {'epoch': epoch, 'state_dict': net.state_dict(), 'optimizer': opt.state_dict(), 'best': best_acc}
print(ckpt.keys(), ckpt['optimizer']['param_groups'][0]['lr'], list(ckpt['optimizer']['state'].keys()))
new = Backbone()
try:
    new.load_state_dict(ckpt['state_dict'])
except RuntimeError as e:
    print(e)
sd = {k.replace('module.', ''): v for k, v in {('module.' + k): v for k, v in net.state_dict().items()}.items()}
own = new.state_dict()
own.update({k: v for k, v in sd.items() if v.shape == own[k].shape})
print(new.load_state_dict(own))
print(Path("runs") / "exp1" / "ckpt.pt", Path("a/b.txt").suffix, Path("a/b.txt").stem, os.path.join("a", "b"), os.path.basename("x/y.py"))
print(json.loads('{"a": [1, 2, {"b": null}]}'), json.dumps({k: list(v.shape) for k, v in own.items()}))
m2 = nn.Linear(2, 2); m3 = copy.copy(m2); print(m3.weight is m2.weight, copy.deepcopy(m2).weight is m2.weight, torch.equal(copy.deepcopy(m2).weight, m2.weight))
buf = io.StringIO(); print("to buffer", file=buf); print(repr(buf.getvalue()))
torch.save(net.state_dict(), "model.pt")
