import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pack_sequence, unpack_sequence, PackedSequence, pad_sequence
def walk(fn):
    seen = set(); order = []; stack = [fn]
    while stack:
        f = stack.pop()
        if f is None or f in seen: continue
        seen.add(f); order.append(f.name()); stack.extend(g for g, _ in f.next_functions)
    return order
torch.manual_seed(0)
a, b, c = torch.tensor([1, 2, 3]), torch.tensor([4, 5]), torch.tensor([6])
p = pack_sequence([a, b, c]); print(p, type(p), p.data, p.batch_sizes)
print(unpack_sequence(p)); print(pad_packed_sequence(p), pad_packed_sequence(p, batch_first=True, padding_value=-1, total_length=5))
q = pack_sequence([c, a, b], enforce_sorted=False); print(q); print(pad_packed_sequence(q, True)); print(unpack_sequence(q))
x = torch.randn(3, 4, 2, requires_grad=True); lens = torch.tensor([2, 4, 1])
for bf in (True, False):
    xx = x if bf else x.transpose(0, 1)
    pk = pack_padded_sequence(xx, lens, batch_first=bf, enforce_sorted=False); print(pk)
    for m in (nn.LSTM(2, 3, batch_first=bf), nn.GRU(2, 3, 2, batch_first=bf, bidirectional=True), nn.RNN(2, 3, batch_first=bf, bidirectional=True)):
        o, h = m(pk)
        print(isinstance(o, PackedSequence), o.data.grad_fn.name(), o.batch_sizes)
        y, l = pad_packed_sequence(o, batch_first=bf); print(y, l)
        print(h[0] if isinstance(h, tuple) else h)
        print(walk(y.grad_fn)); print(walk((h[0] if isinstance(h, tuple) else h).grad_fn))
        x.grad = None; y.sum().backward(); print(x.grad); print(m.weight_hh_l0.grad)
        h0 = torch.randn(h[0].shape if isinstance(h, tuple) else h.shape)
        o, h = m(pk, (h0, h0.clone()) if isinstance(h, tuple) else h0); print(pad_packed_sequence(o)[0].sum())
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t(lambda: pack_padded_sequence(x, lens, batch_first=True))
t(lambda: pack_padded_sequence(x, lens[:2], batch_first=True))
t(lambda: pack_padded_sequence(x, torch.tensor([4, 2, 0]), batch_first=True))
t(lambda: pack_padded_sequence(x, [9, 2, 1], batch_first=True))
t(lambda: pack_padded_sequence(x, [4, 2, 1], batch_first=True).data.shape)
t(lambda: pad_packed_sequence(p, total_length=2)); t(lambda: pad_packed_sequence(x)); t(lambda: nn.LSTM(3, 2)(pk)); t(lambda: pack_sequence([c, a]))
t(lambda: nn.LSTM(2, 3, proj_size=2)(torch.randn(4, 2, 2))[0].shape); t(lambda: nn.LSTM(2, 3, proj_size=3)); t(lambda: nn.GRU(2, 3, proj_size=2)); print(nn.LSTM(2, 3, proj_size=2, num_layers=2))
t(lambda: nn.LSTM(2, 0)); t(lambda: nn.LSTM(2, 3, dropout=2)); t(lambda: nn.LSTM(2., 3)); t(lambda: nn.LSTM(2, 3, bias=1)); t(lambda: nn.LSTM(2, 3, num_layers=0)); t(lambda: nn.RNN(2, 3, 1, 'tanh', True)); t(lambda: nn.RNN(2, 3, nonlinearity='x'))
l = nn.LSTM(2, 3)
t(lambda: l(torch.randn(4, 2, 2), torch.zeros(1, 2, 3))); t(lambda: l(torch.randn(4, 2, 2), torch.zeros(2, 2, 3))); t(lambda: l(torch.randn(4, 2), (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3)))); t(lambda: l(torch.randn(4, 2, 2), (torch.zeros(1, 3), torch.zeros(1, 3)))); t(lambda: l([1])); t(lambda: l(torch.randn(4, 2, 2), (torch.zeros(1, 2, 3),))); t(lambda: l(torch.randn(4, 2, 2).double()))
t(lambda: nn.GRU(2, 3)(torch.randn(4, 2, 2), (torch.zeros(1, 2, 3), torch.zeros(1, 2, 3)))); t(lambda: nn.LSTMCell(2, 3)(torch.randn(4, 3))); t(lambda: nn.GRUCell(2, 3)(torch.randn(4, 2), torch.zeros(3, 3))); t(lambda: nn.RNNCell(2, 3)(torch.randn(4, 2), torch.zeros(4, 2))); t(lambda: nn.LSTMCell(2, 3)(torch.randn(4, 2), torch.zeros(4, 3))); t(lambda: nn.LSTMCell(2, 3)(torch.randn(1, 4, 2))); t(lambda: nn.RNNCell(2, 3, nonlinearity='gelu')(torch.ones(1, 2)))
out, (h, c) = l(torch.randn(4, 2, 2)); print(out, h, c); s = out.sum(); g, = torch.autograd.grad(s, l.weight_ih_l0, create_graph=True); print(g.grad_fn)
t(lambda: g.sum().backward())
out, _ = l(torch.randn(4, 2)); print(out); out, _ = nn.LSTM(2, 3, batch_first=True, bidirectional=True, bias=False).double()(torch.randn(4, 2, dtype=torch.double)); print(out)
