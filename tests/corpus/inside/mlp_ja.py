# -*- coding: utf-8 -*-
# 日本語のコメント：多層パーセプトロンの学習
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np
from torch.utils.data import DataLoader, TensorDataset
np.random.seed(1234); torch.manual_seed(1234)
x_data = np.random.rand(30, 4).astype(np.float32)
t_data = (x_data.sum(axis=1) > 2).astype(np.int64)
dataset = TensorDataset(torch.tensor(x_data), torch.tensor(t_data))
n_train = int(len(dataset) * 0.6); n_val = int(len(dataset) * 0.2); n_test = len(dataset) - n_train - n_val
train, val, test = torch.utils.data.random_split(dataset, [n_train, n_val, n_test])
print(f'学習: {len(train)} 検証: {len(val)} テスト: {len(test)}')
train_loader = DataLoader(train, 5, shuffle=True, drop_last=True)
val_loader = DataLoader(val, 5)
class Net(nn.Module):
    # 使用するオブジェクトを定義
    def __init__(self, n_input=4, n_hidden=4, n_output=2):
        super().__init__()
        self.fc1 = nn.Linear(n_input, n_hidden)
        self.bn = nn.BatchNorm1d(n_hidden)
        self.fc2 = nn.Linear(n_hidden, n_output)
    # 順伝播
    def forward(self, x):
        return self.fc2(F.relu(self.bn(self.fc1(x))))
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
履歴 = []
for epoch in range(5):
    net.train()
    for x, t in train_loader:
        optimizer.zero_grad()
        y = net(x)
        loss = F.cross_entropy(y, t)
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        acc = torch.stack([(torch.argmax(net(x), 1) == t).float().mean() for x, t in val_loader]).mean()
    履歴.append((epoch, loss.item()))
    print('エポック: {:2d}  損失: {:.5f}  精度: {:.3f}'.format(epoch, loss, acc))
print(履歴[0][0], '｜'.join(str(e) for e, _ in 履歴), '全角'.center(8, '＊'), len('日本語'), '日本語'.encode('utf-8')[:3], f"{'名前':<6}|{'値':>4}|")
print(net)
print(net.bn.running_mean, net.bn.running_var, net.bn.num_batches_tracked)
def calc_acc(data_loader):
    with torch.no_grad():
        total, correct = 0., 0.
        for x, t in data_loader:
            y_label = torch.argmax(net(x), dim=1)
            total += t.shape[0]
            correct += (y_label == t).sum().numpy()
    return correct / total
print(calc_acc(val_loader), calc_acc(DataLoader(test)))
w = net.fc1.weight.detach().numpy()
print(w.shape, w.dtype, w.max() > 0, np.round(w, 2)[:1])
"""複数行
文字列"""
print("""終わり
です""")
net.fc3
