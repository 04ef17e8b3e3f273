# numpy and torch sharing memory, dtypes of lists of numpy numbers
import numpy as np, torch
a = np.array([1., 2.]); t = torch.from_numpy(a); a[0] = 5; print(t, t.dtype); t[1] = 7; print(a)
b = torch.ones(2); c = b.numpy(); b.add_(1); print(c); c[0] = 9; print(b)
print(torch.tensor(np.array([1, 2])), torch.tensor(np.float32(3)), torch.as_tensor(np.ones(2, dtype=np.float32)), torch.Tensor(np.array([1, 2])), torch.ones(2).numpy().dtype, np.sum(torch.ones(3).numpy()), torch.tensor([np.float64(1.), 2.]), torch.from_numpy(np.arange(3)).float(), torch.ones(2) * np.float64(2), type(torch.ones(1).numpy()))
x = torch.ones(2, requires_grad=True)
try: x.numpy()
except RuntimeError as e: print(e)
print(x.detach().numpy(), x.detach().cpu().numpy().tolist(), np.testing.assert_allclose(a, a), torch.allclose(t, torch.from_numpy(a)))
for v in ([np.float64(1.), 2.], [2., np.float64(1.)], [np.float32(1.), 2.], [np.float32(1)], [np.float32(1), np.float64(1)], [1, np.int32(2)], [np.int32(1)], np.float64(1), np.float32(2), [[np.float64(1)], [2.]], [np.bool_(True)], [np.float32(1), 1], [np.int64(1), 2.5]):
    print(torch.tensor(v).dtype, end=' ')
print(np.vectorize(lambda v: v * 2 if v > 0 else 0.)(np.array([-1., 2.])), np.apply_along_axis(lambda r: r.sum(), 1, np.ones((2, 3))))
