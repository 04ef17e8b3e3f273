import torch
import torch.nn as nn
# every recurrent flavour + hidden state handling, truncated bptt
torch.manual_seed(0)
def show(name, *ts):
    print(name, *[tuple(t.shape) for t in ts])
for cls in (nn.RNN, nn.LSTM, nn.GRU):
    for kw in (dict(), dict(num_layers=2, bidirectional=True), dict(batch_first=True, bias=False), dict(num_layers=3, dropout=0.2)):
        r = cls(3, 4, **kw)
        x = torch.randn(5, 2, 3)
        o, h = r(x)
        hs = h if isinstance(h, tuple) else (h,)
        show(cls.__name__, o, *hs)
        print("  ", r, sum(p.numel() for p in r.parameters()), [n for n, _ in r.named_parameters()][:2])
o, (h, c) = nn.LSTM(3, 4)(torch.randn(5, 3)); show("unbatched", o, h, c)
o, (h, c) = nn.LSTM(3, 4, proj_size=2)(torch.randn(5, 2, 3)); show("proj", o, h, c)

class CharLSTM(nn.Module):
    def __init__(self, vocab, hid, layers):
        super().__init__()
        self.hid, self.layers = hid, layers
        self.emb = nn.Embedding(vocab, 5)
        self.lstm = nn.LSTM(5, hid, layers, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(hid, vocab)
        self.init_weights()
    def init_weights(self):
        for name, p in self.lstm.named_parameters():
            if 'weight_hh' in name: nn.init.orthogonal_(p)
            elif 'weight_ih' in name: nn.init.xavier_normal_(p)
            elif 'bias' in name:
                nn.init.zeros_(p)
                n = p.size(0); p.data[n // 4:n // 2].fill_(1.)
    def forward(self, x, hc=None):
        out, hc = self.lstm(self.emb(x), hc)
        return self.fc(self.drop(out)), hc
    def init_hidden(self, b):
        w = next(self.parameters())
        return (w.new_zeros(self.layers, b, self.hid), w.new_zeros(self.layers, b, self.hid))

text = "hello world, hello torch. "
chars = sorted(set(text)); stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
model = CharLSTM(len(chars), 12, 2)
opt = torch.optim.RMSprop(model.parameters(), lr=5e-3)
hc = model.init_hidden(1)
for i, start in enumerate(range(0, len(data) - 6, 6)):
    x, y = data[start:start + 6][None], data[start + 1:start + 7][None]
    hc = tuple(t.detach() for t in hc)
    logits, hc = model(x, hc)
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), y)
    opt.zero_grad(); loss.backward()
    total = nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    opt.step()
    print(i, f"{loss.item():.4f} {total.item():.4f}")
@torch.no_grad()
def sample(model, prime, n, temp=0.8):
    model.eval()
    hc, out = None, list(prime)
    x = torch.tensor([[stoi[c] for c in prime]])
    for _ in range(n):
        logits, hc = model(x, hc)
        p = torch.softmax(logits[0, -1] / temp, -1)
        k = torch.multinomial(p, 1)
        out.append(chars[k.item()]); x = k[None]
    return ''.join(out)
print(repr(sample(model, "he", 12)))
cell = nn.LSTMCell(3, 4); h = c = torch.zeros(2, 4)
for t in range(3): h, c = cell(torch.ones(2, 3) * t, (h, c))
print(h, c.grad_fn)
rc = nn.RNNCell(3, 4, nonlinearity='relu'); print(rc, rc(torch.ones(3)).shape)
try:
    hc2 = model.init_hidden(1)
    for _ in range(2):
        l, hc2 = model(data[None, :4], hc2); l.sum().backward()
except RuntimeError as e: print(str(e)[:90])
for bad in (lambda: nn.LSTM(3, 4)(torch.zeros(2, 3), torch.zeros(1, 4)), lambda: nn.GRU(3, 4)(torch.zeros(2, 2, 3), torch.zeros(1, 3, 4)),
            lambda: nn.GRU(3, 4, batch_first=True)(torch.zeros(2, 2, 3), torch.zeros(2, 4)), lambda: nn.RNN(3, 4, nonlinearity='gelu'),
            lambda: nn.LSTM(3, 0), lambda: nn.LSTM(3, 4, num_layers=0), lambda: nn.LSTM(3, 4, proj_size=5), lambda: nn.GRU(3, 4, proj_size=2),
            lambda: nn.LSTM(3, 4)(torch.zeros(2, 2, 2, 3)), lambda: nn.LSTMCell(3, 4)(torch.zeros(2, 3), torch.zeros(2, 4)), lambda: nn.GRUCell(3, 4)(torch.zeros(2, 3), torch.zeros(3, 4)),
            lambda: nn.LSTM(3, 4, dropout=2.), lambda: nn.LSTM(3.0, 4), lambda: nn.GRU(3, 4)(torch.zeros(0, 2, 3)), lambda: nn.LSTM(3, 4)(torch.zeros(2, 2, 3).long()), lambda: nn.LSTM(3, 4)(torch.zeros(2, 2, 3).double())):
    try: r = bad(); print("ok", type(r).__name__)
    except Exception as e: print(type(e).__name__, "|", e)
