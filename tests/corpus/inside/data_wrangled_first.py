# text/data wrangling before training: csv, json, re, datetime, statistics, heapq, bisect ...
import csv, io, json, re, statistics, heapq, bisect, textwrap, string, hashlib, base64, calendar, itertools as it, datetime as dt, random, operator, collections
import torch

RAW = """date,product,units,price
2024-01-03,apple,10,0.50
2024-01-03,pear,4,0.75
2024-01-10,apple,7,0.55
2024-02-01,fig,,2.00
2024-02-11,pear,9,0.70
"""
rows = list(csv.DictReader(io.StringIO(RAW)))
print(rows[0], len(rows))
for r in rows:
    r["date"] = dt.date.fromisoformat(r["date"])
    r["units"] = int(r["units"]) if r["units"] else None
    r["price"] = float(r["price"])
clean = [r for r in rows if r["units"] is not None]
by = collections.defaultdict(list)
for r in clean: by[r["product"]].append(r["units"] * r["price"])
for k, v in sorted(by.items(), key=lambda kv: -sum(kv[1])):
    print(f"{k:<8}{sum(v):>8.2f} {statistics.mean(v):.3f} {v}")
print({k: [r["units"] for r in g] for k, g in it.groupby(sorted(clean, key=operator.itemgetter("product")), key=operator.itemgetter("product"))})
units = [r["units"] for r in clean]
print(statistics.mean(units), statistics.median(units), statistics.pstdev(units), statistics.stdev(units), statistics.mode([1, 1, 2]), statistics.variance(units), statistics.quantiles([1, 2, 3, 4, 5], n=4), statistics.median_low([1, 2, 3, 4]), statistics.fmean([1, 2.5]), statistics.harmonic_mean([1, 2, 4]))
h = []
for r in clean: heapq.heappush(h, (r["units"], r["product"]))
print(heapq.heappop(h), h[0], heapq.nlargest(2, units), heapq.nsmallest(2, units), heapq.heapify(units), units, list(heapq.merge([1, 4], [2, 3])))
s = sorted([5, 1, 4]); bisect.insort(s, 3); print(s, bisect.bisect_left(s, 4), bisect.bisect(s, 4), bisect.bisect_right(s, 9))
d0, d1 = clean[0]["date"], clean[-1]["date"]
print((d1 - d0).days, d1 - d0, d0.strftime("%d/%m/%y %A"), d0.isocalendar()[1], d0.replace(month=12), d0 + dt.timedelta(weeks=1), d0 < d1, dt.datetime.combine(d0, dt.time(9, 30)), dt.timedelta(hours=30), str(dt.timedelta(seconds=90061)), repr(dt.timedelta(days=-1, seconds=5)), calendar.monthrange(2024, 2), calendar.isleap(2023), d0.weekday(), d0.toordinal(), min(d0, d1))
try: dt.date(2024, 2, 30)
except ValueError as e: print(e)
try: dt.datetime.strptime("x", "%Y")
except ValueError as e: print(e)
print(hashlib.md5(b"torch").hexdigest(), hashlib.sha256("é".encode()).hexdigest()[:16], base64.b64encode(b"hello"), base64.b64decode("aGVsbG8=").decode())
log = "2024-01-01 12:00:01 [INFO] loss=0.532 acc=91.2%\n2024-01-01 12:00:05 [WARN] loss=nan acc=10.0%"
pat = re.compile(r"^(?P<date>[\d-]+) (?P<time>[\d:]+) \[(?P<lvl>\w+)\] loss=(?P<loss>\S+) acc=(?P<acc>[\d.]+)%$", re.M)
for m in pat.finditer(log):
    g = m.groupdict(); print(g, float(g["loss"]), m.start(), m.end(), m.group(3), m["lvl"], m.span("acc"))
print(re.findall(r"\b\w{4}\b", "this is some text with four char"), re.sub(r"(\d+)", lambda m: str(int(m[1]) * 2), "a1 b22"), re.split(r"(\W)", "a,b c"), re.match(r"\d", "x"), bool(re.search(r"(?i)HELLO", "say hello")), re.subn("a", "b", "banana"))
doc = json.loads('{"a": [1, 2.5, {"b": null}], "c": "\\u00e9", "d": true, "e": 1e3, "f": -0.0}')
print(doc, json.dumps(doc, sort_keys=True), json.dumps({"t": (1, 2), 3: None, "n": float("nan")}), json.dumps("tab\t\"q\""), sep="\n")
print(json.dumps([{"x": i, "y": [i] * 2} for i in range(2)], indent=2))
class Enc(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, torch.Tensor): return o.tolist()
        if isinstance(o, dt.date): return o.isoformat()
        if isinstance(o, set): return sorted(o)
        return super().default(o)
print(json.dumps({"t": torch.arange(3), "d": d0, "s": {3, 1}}, cls=Enc), json.dumps({"x": torch.ones(1)}, default=lambda o: f"<{type(o).__name__}>"))
try: json.dumps({"z": 1j}, cls=Enc)
except TypeError as e: print(e)
print(textwrap.fill(textwrap.dedent("""
    Some long line of text that should be wrapped to a
    certain width."""), width=30, initial_indent="* ", subsequent_indent="  "))
vocab = collections.Counter(w for w in re.findall(r"[a-z']+", "the cat and the dog and the bird".lower()))
stoi = {w: i for i, (w, _) in enumerate(vocab.most_common())}
ids = torch.tensor([stoi.get(w, -1) for w in "the bird saw the cat".split()])
print(vocab.most_common(3), stoi, ids, [list(stoi)[i] if i >= 0 else "<unk>" for i in ids])
print("".join(c for c in "Hello, World!" if c not in string.punctuation).lower().translate(str.maketrans("lo", "10")), "caesar".translate({ord(c): chr((ord(c) - 97 + 3) % 26 + 97) for c in string.ascii_lowercase}))
random.seed(1); print([random.randint(1, 6) for _ in range(5)], random.sample(["a", "b", "c"], 2), round(random.gauss(0, 1), 4), random.choices([0, 1], [0.9, 0.1], k=6), random.random())
w = io.StringIO(); cw = csv.writer(w); cw.writerow(["a", "b,c", 'q"q']); cw.writerows([[1, 2.5, None]]); print(repr(w.getvalue()))
m = torch.tensor([[r["units"], r["price"]] for r in clean]); print(m, m.mean(0), m.corrcoef() if m.shape[0] == 2 else m.T.corrcoef(), sep="\n")
print(list(it.batched("abcdefg", 3)) if hasattr(it, "batched") else "no batched")
