import torch
import torch.nn as nn
from torch.autograd import Variable
import torch.utils.data as Data
import torch.nn.functional as F
import numpy as np
# 莫烦风格: batch training, optimizers compared, save/restore refused, CNN/RNN/AutoEncoder
torch.manual_seed(1)
LR = 0.01; BATCH_SIZE = 32; EPOCH = 2
x = torch.unsqueeze(torch.linspace(-1, 1, 100), dim=1)
y = x.pow(2) + 0.1*torch.normal(torch.zeros(*x.size()))
torch_dataset = Data.TensorDataset(x, y)
loader = Data.DataLoader(dataset=torch_dataset, batch_size=BATCH_SIZE, shuffle=True, num_workers=2,)
class Net(torch.nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.hidden = torch.nn.Linear(1, 20)
        self.predict = torch.nn.Linear(20, 1)
    def forward(self, x):
        x = F.relu(self.hidden(x))
        x = self.predict(x)
        return x
net_SGD = Net(); net_Momentum = Net(); net_RMSprop = Net(); net_Adam = Net()
nets = [net_SGD, net_Momentum, net_RMSprop, net_Adam]
opt_SGD = torch.optim.SGD(net_SGD.parameters(), lr=LR)
opt_Momentum = torch.optim.SGD(net_Momentum.parameters(), lr=LR, momentum=0.8)
opt_RMSprop = torch.optim.RMSprop(net_RMSprop.parameters(), lr=LR, alpha=0.9)
opt_Adam = torch.optim.Adam(net_Adam.parameters(), lr=LR, betas=(0.9, 0.99))
optimizers = [opt_SGD, opt_Momentum, opt_RMSprop, opt_Adam]
loss_func = torch.nn.MSELoss()
losses_his = [[], [], [], []]
for epoch in range(EPOCH):
    print('Epoch: ', epoch)
    for step, (b_x, b_y) in enumerate(loader):
        for net, opt, l_his in zip(nets, optimizers, losses_his):
            output = net(b_x)
            loss = loss_func(output, b_y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            l_his.append(loss.data.numpy())
labels = ['SGD', 'Momentum', 'RMSprop', 'Adam']
for i, l_his in enumerate(losses_his):
    print(labels[i], ['%.3f' % v for v in l_his], type(l_his[0]), l_his[0].shape)
class AutoEncoder(nn.Module):
    def __init__(self):
        super(AutoEncoder, self).__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 2),)
        self.decoder = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 8), nn.Sigmoid(),)
    def forward(self, x):
        encoded = self.encoder(x)
        return encoded, self.decoder(encoded)
ae = AutoEncoder(); print(ae); e, d = ae(torch.zeros(2, 8)); print(e, d.size())
class RNN(nn.Module):
    def __init__(self):
        super(RNN, self).__init__()
        self.rnn = nn.LSTM(input_size=4, hidden_size=8, num_layers=1, batch_first=True,)
        self.out = nn.Linear(8, 3)
    def forward(self, x):
        r_out, (h_n, h_c) = self.rnn(x, None)
        return self.out(r_out[:, -1, :])
rnn = RNN(); print(rnn); print(rnn(torch.ones(2, 5, 4)))
n_data = torch.ones(50, 2)
x0 = torch.normal(2*n_data, 1); y0 = torch.zeros(50)
x1 = torch.normal(-2*n_data, 1); y1 = torch.ones(50)
x = torch.cat((x0, x1), 0).type(torch.FloatTensor); y = torch.cat((y0, y1), ).type(torch.LongTensor)
x, y = Variable(x), Variable(y)
print(x.type(), y.type(), x.size(), y[:3], x[0])
net = nn.Sequential(nn.Linear(2, 10), nn.ReLU(), nn.Linear(10, 2)); opt = torch.optim.SGD(net.parameters(), lr=0.02)
for t in range(20):
    out = net(x); loss = nn.CrossEntropyLoss()(out, y); opt.zero_grad(); loss.backward(); opt.step()
    if t % 5 == 0:
        prediction = torch.max(F.softmax(out, dim=1), 1)[1]; pred_y = prediction.data.numpy().squeeze(); target_y = y.data.numpy()
        accuracy = float((pred_y == target_y).astype(int).sum()) / float(target_y.size); print('Accuracy=%.2f' % accuracy, 'loss: %.4f' % loss.data.numpy())
print('\nabs', '\nnumpy: ', np.abs([-1, -2, 1, 2]), '\ntorch: ', torch.abs(torch.FloatTensor([-1, -2, 1, 2])))
np_data = np.arange(6).reshape((2, 3)); torch_data = torch.from_numpy(np_data); print('\nnumpy array:', np_data, '\ntorch tensor:', torch_data, '\ntensor to array:', torch_data.numpy())
print(F.softmax(torch.ones(3)))
