# Tokenizer + bigram counts + tiny attention, lots of str/collections work
from collections import Counter, defaultdict, OrderedDict
from itertools import chain, islice
import re, string, unicodedata
import torch
import torch.nn.functional as F

text = """The cat sat on the mat. The dog sat on the log!
Cats and dogs don't always get along; the cat's owner said: "Naïve café — 3.14%"."""

def normalize(s):
    s = unicodedata.normalize("NFD", s)
    s = "".join(c for c in s if unicodedata.category(c) != "Mn")
    return re.sub(r"\s+", " ", s.lower()).strip()

tokens = re.findall(r"[a-z]+(?:'[a-z]+)?|\d+(?:\.\d+)?|[^\w\s]", normalize(text))
print(len(tokens), tokens)
counts = Counter(tokens)
print(counts.most_common(4), counts["zebra"], sum(counts.values()), counts.total())
vocab = {w: i for i, (w, _) in enumerate(sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])))}
inv = {i: w for w, i in vocab.items()}
print(list(vocab.items())[:5], inv[0])
class Vocab:
    UNK = "<unk>"
    def __init__(self, counter, min_freq=1, specials=("<pad>", UNK)):
        self.itos = list(specials) + [w for w, c in sorted(counter.items(), key=lambda x: (-x[1], x[0])) if c >= min_freq]
        self.stoi = defaultdict(lambda: self.itos.index(self.UNK), {w: i for i, w in enumerate(self.itos)})
    def __len__(self): return len(self.itos)
    def __getitem__(self, w): return self.stoi[w]
    def __contains__(self, w): return w in self.stoi
    def encode(self, s): return [self[w] for w in s.split()]
    def decode(self, ids, sep=" "): return sep.join(self.itos[i] for i in ids)
    def __repr__(self): return f"Vocab(size={len(self)}, {', '.join(map(repr, islice(self.itos, 4)))}, ...)"
v = Vocab(counts, min_freq=2)
print(v, v.encode("the cat zzz sat"), v.decode([2, 3, 1]), "zzz" in v, len(v.stoi))
bigrams = Counter(zip(tokens, tokens[1:]))
print(bigrams.most_common(3), bigrams[("the", "cat")])
pad = lambda seqs, n, value=0: [s[:n] + [value] * (n - len(s)) for s in seqs]
batch = torch.tensor(pad([v.encode("the cat sat"), v.encode("the dog"), v.encode("on the mat the cat")], 4))
mask = batch != 0
print(batch, mask, mask.sum(1), sep="\n")
torch.manual_seed(0)
E = torch.randn(len(v), 8, requires_grad=True)
q = E[batch]
scores = q @ q.transpose(-2, -1) / 8 ** 0.5
scores = scores.masked_fill(~mask[:, None, :], float("-inf"))
att = scores.softmax(-1)
print(att[1].round(decimals=3))
out = (att @ q).mean(dim=1)
loss = F.cross_entropy(out @ E.T, torch.tensor([2, 3, 4]))
loss.backward()
print(f"loss {loss:.4f}", E.grad.norm(), E.grad[0].abs().sum() > 0)
table = str.maketrans({c: None for c in string.punctuation})
print(text.split("\n")[0].translate(table), text.count("the"), text.casefold().index("dog"), [w.capitalize() for w in tokens[:3]], "".join(reversed("abc")), text.splitlines()[1][:10].rjust(15, "."), "|".join(f"{w:^7}" for w in tokens[:3]))
print(sorted({len(w) for w in tokens}), max(tokens, key=len), {k: [w for w in set(tokens) if len(w) == k].__len__() for k in range(1, 4)}, *map("{0:>5}:{1:<3}".format, ["a", "b"], [1, 22]))
longest = defaultdict(set)
for w in tokens: longest[w[0]].add(w)
print(OrderedDict(sorted((k, sorted(vs)) for k, vs in longest.items() if len(vs) > 1)))
def ngrams(xs, n): return zip(*(islice(xs, i, None) for i in range(n)))
print(list(ngrams("abcd", 3)), [" ".join(g) for g in ngrams(tokens[:4], 2)])
def caesar(s, k): return "".join(chr((ord(c) - 97 + k) % 26 + 97) if c.islower() else c for c in s)
print(caesar("hello, World", 3), caesar(caesar("abc", 5), -5), ord("a"), hex(ord("é")), "\N{GREEK SMALL LETTER ALPHA}", unicodedata.name("α"), "日本語".encode("utf-8").hex(), bytes.fromhex("e697a5").decode())
m = re.match(r"(?P<first>\w+) (?P<second>\w+)", "hello world again"); print(m, m.groups(), m["second"], m.end("first"), re.sub(r"(?P<a>o)", lambda k: k["a"].upper() * 2, "foo"), re.split(r"(\W)", "a-b c"), re.escape("a.b"), re.findall(r"(\w)(\w)", "abcd"))
print(v["missing"], len(v.stoi), v.stoi.default_factory())
print(v.decode([99]))
