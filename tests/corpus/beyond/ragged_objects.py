import numpy as np, torch, torch.nn as nn, warnings

# object arrays & ragged batches
sents = ["I love torch", "numpy is fine too", "hi"]
tok = [s.lower().split() for s in sents]
vocab = {w: i + 1 for i, w in enumerate(sorted({w for s in tok for w in s}))}
ids = np.array([np.array([vocab[w] for w in s]) for s in tok], dtype=object)
print(ids, ids.dtype, ids.shape, [len(i) for i in ids])
try:
    np.array([[vocab[w] for w in s] for s in tok])
except ValueError as e:
    print("ValueError:", e)
lens = np.vectorize(len)(ids)
pad = np.zeros((len(ids), lens.max()), dtype=np.int64)
for i, row in enumerate(ids):
    pad[i, : len(row)] = row
print(pad, lens, pad.dtype)
order = np.argsort(-lens)
print(ids[order][0], np.array(sents)[order], np.array(sents, dtype=object)[order].tolist())
mask = np.arange(pad.shape[1]) < lens[:, None]
print(mask.astype(int), pad[mask], np.where(mask, pad, -1))
emb = nn.Embedding(len(vocab) + 1, 2, padding_idx=0)
nn.init.constant_(emb.weight, 0.5)
with torch.no_grad():
    emb.weight[0] = 0
t = torch.from_numpy(pad)
out = emb(t).sum(1) / torch.tensor(lens)[:, None]
print(out)
out.sum().backward()
print(emb.weight.grad)
packed = nn.utils.rnn.pack_padded_sequence(
    t.float().unsqueeze(-1), torch.tensor(lens), batch_first=True, enforce_sorted=False
)
print(packed.batch_sizes, packed.data.flatten(), packed.sorted_indices)
print(nn.utils.rnn.pad_sequence([torch.tensor(i.astype(float)) for i in ids], batch_first=True))
funcs = np.array([np.sin, np.cos, None])
print([f(0.0) if f else f for f in funcs], funcs.dtype)
table = np.array([["a", 1], ["b", 2.5]], dtype=object)
print(table, table[:, 1].sum(), table[:, 1].astype(float).mean(), table.T[0])
big = np.array([2**70, 1])
print(big, big.dtype, big * 2, big.sum())
d = np.array([{"k": 1}, {"k": 2}])
print(d[1]["k"], [x["k"] for x in d], d)
objs = np.empty(3, dtype=object)
objs[:] = [[1], [2, 3], None]
print(objs, objs == None)
objs.fill("x")
print(objs, "".join(objs))
print(
    np.array([1, 2.5, None, "s"], dtype=object),
    np.array([None]) is None,
    np.isin(["a", "z"], np.array(["a", "b"], dtype=object)),
)
mixed = np.array([1, "two", 3.0])
print(mixed, mixed.dtype)


class P:
    def __init__(s, v):
        s.v = v

    def __lt__(s, o):
        return s.v < o.v

    def __repr__(s):
        return f"P{s.v}"


ps = np.array([P(3), P(1), P(2)])
ps.sort()
print(ps, ps.min(), ps[::-1], ps.argmin(), sorted(ps, reverse=True))
try:
    ps.sum()
except TypeError as e:
    print(e)
try:
    ps.max()
except TypeError as e:
    print(e)
try:
    torch.tensor(ps)
except (TypeError, RuntimeError) as e:
    print(type(e).__name__, e)
try:
    torch.tensor([P(1)])
except (TypeError, RuntimeError) as e:
    print(type(e).__name__, e)
