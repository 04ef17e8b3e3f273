import torch
torch.manual_seed(4)
T, H = 5, 3
W = torch.randn(H, H, requires_grad=True); U = torch.randn(H, 2, requires_grad=True); xs = torch.randn(T, 2); h = torch.zeros(H); hs = []
for t in range(T):
    h = torch.tanh(W @ h + U @ xs[t]); h.retain_grad(); hs.append(h)
L = hs[-1].sum(); L.backward()
print(W.grad, U.grad, [f'{k.grad.norm():.4f}' for k in hs], sep='\n')
h = torch.zeros(H)
for t in range(T):
    h = torch.tanh(W @ h.detach() + U @ xs[t])
print(torch.autograd.grad(h.sum(), W)[0])
rnn = torch.nn.RNN(2, 3, batch_first=True); o, hn = rnn(xs[None]); print(o.shape, hn, o); o.sum().backward(); print(rnn.weight_hh_l0.grad)
cell = torch.nn.GRUCell(2, 3); hx = torch.zeros(1, 3)
for t in range(T): hx = cell(xs[t:t + 1], hx)
print(hx); lstm = torch.nn.LSTM(2, 3); o, (hn, cn) = lstm(xs.unsqueeze(1)); print(cn, lstm)
