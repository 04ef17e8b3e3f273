# Old style autograd tour (Variable, volatile era) 변수
import torch
import torch.nn as nn
from torch.autograd import Variable
import torch.nn.functional as F
dtype = torch.FloatTensor
N, D_in, H, D_out = 8, 10, 6, 2
torch.manual_seed(3)
x = Variable(torch.randn(N, D_in).type(dtype), requires_grad=False)
y = Variable(torch.randn(N, D_out).type(dtype), requires_grad=False)
w1 = Variable(torch.randn(D_in, H).type(dtype), requires_grad=True)
w2 = Variable(torch.randn(H, D_out).type(dtype), requires_grad=True)
learning_rate = 1e-3
for t in range(6):
    y_pred = x.mm(w1).clamp(min=0).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    print(t, loss.data, loss.item())
    loss.backward()
    w1.data -= learning_rate * w1.grad.data
    w2.data -= learning_rate * w2.grad.data
    w1.grad.data.zero_()
    w2.grad.data.zero_()
class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)
    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_variables if hasattr(ctx, 'saved_variables') else ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input
relu = MyReLU.apply
loss = (relu(x.mm(w1)).mm(w2) - y).pow(2).sum(); loss.backward(); print(w1.grad.data.norm(), loss)
v = Variable(torch.Tensor([1, 2, 3])); print(v, v.data.size(), type(v), isinstance(v, torch.Tensor), isinstance(v, Variable))
print(torch.Tensor(2, 2).fill_(7), torch.LongTensor([1, 2]), torch.ByteTensor([1, 0]), torch.DoubleTensor([1.5]))
print(x.size(0), x.dim(), w1.grad.size(), v.type(), v.double().type())
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
crit = nn.MSELoss(size_average=False)
print(crit(net(Variable(torch.ones(4, 2))), Variable(torch.zeros(4, 1))).data.item() > 0)
print(F.sigmoid(v), F.tanh(v), F.softmax(v))
print(nn.functional.mse_loss(v, v * 2, reduce=False))
out = net(torch.ones(1, 2)); out.backward(); print([p.grad is not None for p in net.parameters()])
print(v.cpu().data.numpy(), v[0], v.max(0), v.mean().data)
print(loss[0])
