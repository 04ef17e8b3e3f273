import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
# old style code (0.3/0.4 era): Variable, volatile-free, .data[0] gone, size_average, upsample, sigmoid
torch.manual_seed(123)
class Net(nn.Module):
    def __init__(self, D_in, H, D_out):
        super(Net, self).__init__()
        self.linear1 = torch.nn.Linear(D_in, H)
        self.linear2 = torch.nn.Linear(H, D_out)
    def forward(self, x):
        h_relu = self.linear1(x).clamp(min=0)
        y_pred = self.linear2(h_relu)
        return y_pred
x = Variable(torch.randn(8, 5)); y = Variable(torch.randn(8, 2), requires_grad=False)
model = Net(5, 6, 2)
criterion = torch.nn.MSELoss(size_average=False)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for t in range(5):
    y_pred = model(x); loss = criterion(y_pred, y)
    print(t, loss.data.item())
    optimizer.zero_grad(); loss.backward(); optimizer.step()
try: print(loss.data[0])
except IndexError as e: print('IndexError:', e)
print(F.sigmoid(torch.zeros(1)), F.tanh(torch.ones(1)), F.softmax(torch.zeros(1, 2)))
print(F.upsample(torch.ones(1, 1, 2, 2), scale_factor=2).shape, nn.UpsamplingNearest2d(scale_factor=2))
nn.init.xavier_uniform(model.linear1.weight); nn.init.constant(model.linear1.bias, 0.1); print(model.linear1.bias.data)
torch.nn.utils.clip_grad_norm(model.parameters(), 1.0)
loss = F.cross_entropy(model(x), torch.zeros(8).long(), size_average=True, reduce=False); print(loss.shape)
loss = F.nll_loss(F.log_softmax(model(x)), torch.zeros(8).long(), reduce=True); print(loss.item())
v = Variable(torch.ones(2, 2), requires_grad=True); print(v, type(v), isinstance(v, torch.Tensor), v.data, v.grad, v.creator if hasattr(v, 'creator') else None)
out = (v + 2).pow(2).mul(3).mean(); out.backward(); print(v.grad, out.grad_fn, v.grad.data)
try: Variable(torch.ones(1), volatile=True)
except TypeError as e: print('TypeError', e)
print(torch.FloatTensor([1, 2]).type(), torch.LongTensor([[1]]).size(), torch.ByteTensor([1, 0]), torch.Tensor(2, 3).size(), torch.DoubleTensor(2).zero_().dtype)
m = torch.ByteTensor([1, 0, 1]); w = torch.arange(3.)
print(w[m]); print(w.masked_select(m.bool()), torch.masked_select(w, m == 1))
print(torch.arange(0, 5), torch.range(0, 2), torch.ones(2).new(3).size(), torch.ones(2, 3).t().size(), torch.addmm(torch.zeros(2, 2), torch.ones(2, 3), torch.ones(3, 2)), torch.addcmul(torch.zeros(2), 1, torch.ones(2), torch.ones(2)) if False else '')
print(x.numpy().shape, model.linear1.weight.data.numpy().shape, x.cuda if torch.cuda.is_available() else 'cpu only', torch.__version__[:4])
params = list(model.parameters()); print(len(params), params[0].size(), params[1].data[:2])
print(model.linear1.weight.grad.data.norm(), sum(p.data.nelement() for p in model.parameters()))
print(torch.max(x, 1)[1].squeeze().size(), torch.max(x.data, 1)[0].sum() == x.max(1)[0].sum(), (torch.max(y, 1)[1] == torch.max(y_pred, 1)[1]).sum())
for param in model.parameters(): param.data -= 0.1 * param.grad.data
print([round(float(p.data.sum()), 3) for p in model.parameters()])
h = torch.nn.Dropout(p=0.2); h.train(); print(h(torch.ones(6))); print(F.dropout(torch.ones(4), training=False), F.dropout2d(torch.ones(1, 2, 1, 1)))
torch.save(model, 'model.pkl'); net2 = torch.load('model.pkl', weights_only=False); print(net2)
try: torch.load('model.pkl')
except Exception as e: print(type(e).__name__)
print(torch.equal(net2(x), model(x)), torch.nn.functional.mse_loss(net2(x), y, reduction='elementwise_mean'))
