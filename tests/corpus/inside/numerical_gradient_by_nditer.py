import numpy as np
def eval_numerical_gradient(f, x, verbose=True, h=0.00001):
    fx = f(x)
    grad = np.zeros_like(x)
    it = np.nditer(x, flags=['multi_index'], op_flags=['readwrite'])
    while not it.finished:
        ix = it.multi_index
        oldval = x[ix]
        x[ix] = oldval + h
        fxph = f(x)
        x[ix] = oldval - h
        fxmh = f(x)
        x[ix] = oldval
        grad[ix] = (fxph - fxmh) / (2 * h)
        if verbose: print(ix, grad[ix])
        it.iternext()
    return grad
x = np.arange(6.).reshape(2, 3)
print(eval_numerical_gradient(lambda a: (a ** 2).sum(), x))
for v in np.nditer(x): print(v, end=' ')
e = np.zeros_like(x); e.flat[2] = 5; print(e, e.flat[2], [float(v) for v in e.flat], list(x.flat))
