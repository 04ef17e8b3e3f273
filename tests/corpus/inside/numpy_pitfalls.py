import numpy as np, torch, warnings
# old-style numpy code + pitfalls
for code in ("np.float", "np.int", "np.NaN", "np.bool8", "np.product([1, 2])", "np.in1d", "np.trapz", "np.Inf", "np.cumproduct", "np.alltrue", "np.mat"):
    name = code.split(".")[1].split("(")[0]
    try: print(name, getattr(np, name))
    except AttributeError as e: print(name, "->", str(e).splitlines()[0])
a = np.array([1, 2, 3])
a[0] = 5.9; print(a, a.dtype)
b = a; b[1] = 100; c = a[:]; c[2] = -1; d = a.copy(); d[0] = 0; print(a, d, b is a, c.base is a if False else "", a[::2], a[[0, 0, 1]])
a = a.astype(float); a /= 3; print(a); i = np.array([1, 2]); 
try: i /= 2
except Exception as e: print(type(e).__name__, str(e)[:80])
try: i += 0.5
except Exception as e: print(type(e).__name__, str(e)[:80])
print(np.array([1, 2]) == np.array([1, 3]), (np.array([1, 2]) == [1, 2]).all(), np.array([1, 2]) * [2, 3], [1, 2] + np.array([1, 1]), 2 ** np.arange(4), -np.eye(2), ~np.array([True, False]), np.array([5]) // 2, np.array([-5]) % 3, np.array([2.0]) ** -1)
print(np.array([1, 2]) ** np.array([2, 3]), np.array([1, 0]) / np.array([0, 0]), np.log([0, 1, -1]), np.sqrt(-1), np.exp(1000), np.int32(2147483647) + np.int32(1), np.uint8(200) + np.uint8(100), np.float32(16777216) + np.float32(1), 0.1 + 0.2 == 0.3, np.isclose(0.1 + 0.2, 0.3))
try: np.arange(3) ** -1
except ValueError as e: print(e)
x = np.arange(12).reshape(3, 4); print(x[1], x[:, 1], x[1:, ::2], x[-1, -1], x[x > 5], x[[0, 2]][:, [1, 3]], x.T[0], x.sum(), x.sum(0), x.mean(1), x.max(), x.argmax(1), x.cumsum()[-1], x.ravel()[:3], x.flatten().shape, x.reshape(2, -1).shape, x.swapaxes(0, 1).shape, x.transpose(1, 0)[0, 1], x.tolist()[0], x.any(), x.dtype, x.itemsize, len(x), x.shape[0], x.nonzero()[0][:2], x.diagonal(), x.trace(), x.clip(2, 5)[0], x.repeat(2)[:4], x.std().round(3), x.ptp() if hasattr(x, "ptp") else np.ptp(x), x.min(axis=0, keepdims=True), x.prod(), x.argsort(axis=1)[0], sep="\n")
rows, cols = np.where(x % 5 == 0); print(rows, cols, list(zip(rows, cols)), [int(r) for r in rows])
print([f"{v:.2f}" for v in np.linspace(0, 1, 3)], "%.2f" % np.float32(1.005), f"{np.float64(3):g} {np.int64(7):03d} {np.bool_(True)} {np.array([1.5, 2])} {np.pi:.3f}", str(np.float64(1) / 3), repr(np.float64(1) / 3), np.float64(0.1), [np.float32(0.1)], (np.int64(1),), {np.int64(1): "a"}[1], np.float64(2.0) == 2, isinstance(np.float64(1), float), isinstance(np.int64(1), int), isinstance(np.float32(1), float), type(np.float64(1) + 1).__name__, type(np.int64(2) * 1.5).__name__, type(np.float32(1) * 2).__name__, type(np.float32(1) * np.float64(1)).__name__, np.float32(0.1) == 0.1, bool(np.float64(0)), int(np.float64(3.9)), round(np.float64(2.567), 1), max(np.array([1, 5])), sum(np.array([[1, 2], [3, 4]])), sorted(np.array([3, 1])), list(np.array([1, 2])), tuple(np.array([1.0])), np.array([1, 2]).tolist(), divmod(np.int64(7), 2), hash(np.int64(3)) == hash(3))
m = np.ma if False else None
big = np.arange(10000).reshape(100, 100); print(big); print(np.random.RandomState(0).randn(3, 12)); print(np.array([1e-5, 1, 1e5]), np.array([1e-20, 1]), np.array([0.1, 0.12345678912]), np.array([1, np.nan, np.inf]), np.array([True]), np.array(["a", "bcd"]), np.array([1 + 1j]), np.zeros((2, 0)), np.array([[[1]]]), np.array([1000000.0, 1]), np.array([-0.0, 0.0]), np.array([123456789, 1]), np.array([1.0, 2.0], dtype=np.float32), np.array([0.1], dtype=np.float16))
with np.printoptions(precision=2, suppress=True, linewidth=40): print(np.random.RandomState(1).rand(2, 6), np.array([1e-9]))
