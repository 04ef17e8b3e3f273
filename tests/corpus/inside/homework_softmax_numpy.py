# CS homework 1: softmax classifier + two layer net (numpy)
import numpy as np
import torch

def rel_error(x, y):
    """ returns relative error """
    return np.max(np.abs(x - y) / (np.maximum(1e-8, np.abs(x) + np.abs(y))))

def eval_numerical_gradient(f, x, verbose=False, h=0.00001):
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

def affine_forward(x, w, b):
    out = x.reshape(x.shape[0], -1).dot(w) + b
    return out, (x, w, b)

def affine_backward(dout, cache):
    x, w, b = cache
    dx = dout.dot(w.T).reshape(x.shape)
    dw = x.reshape(x.shape[0], -1).T.dot(dout)
    db = np.sum(dout, axis=0)
    return dx, dw, db

def relu_forward(x): return np.maximum(0, x), x
def relu_backward(dout, cache): return dout * (cache > 0)

def softmax_loss(x, y):
    shifted = x - np.max(x, axis=1, keepdims=True)
    Z = np.sum(np.exp(shifted), axis=1, keepdims=True)
    log_probs = shifted - np.log(Z)
    N = x.shape[0]
    loss = -np.sum(log_probs[np.arange(N), y]) / N
    dx = np.exp(log_probs)
    dx[np.arange(N), y] -= 1
    dx /= N
    return loss, dx

num_inputs, input_shape, output_dim = 2, (4, 5, 6), 3
x = np.linspace(-0.1, 0.5, num=num_inputs * np.prod(input_shape)).reshape(num_inputs, *input_shape)
w = np.linspace(-0.2, 0.3, num=np.prod(input_shape) * output_dim).reshape(np.prod(input_shape), output_dim)
b = np.linspace(-0.3, 0.1, num=output_dim)
out, _ = affine_forward(x, w, b)
correct_out = np.array([[1.49834967, 1.70660132, 1.91485297], [3.25553199, 3.5141327, 3.77273342]])
print('Testing affine_forward function:')
print('difference: ', rel_error(out, correct_out))

np.random.seed(231)
x = np.random.randn(10, 2, 3)
w = np.random.randn(6, 5)
b = np.random.randn(5)
dout = np.random.randn(10, 5)
out, cache = affine_forward(x, w, b)
dx, dw, db = affine_backward(dout, cache)
xt, wt, bt = (torch.tensor(a, requires_grad=True) for a in (x, w, b))
(xt.reshape(10, -1) @ wt + bt).backward(torch.from_numpy(dout))
print('dx error: %e' % rel_error(dx, xt.grad.numpy()), dx.shape)
print('dw close:', np.allclose(dw, wt.grad.numpy()), 'db close:', np.allclose(db, bt.grad))
num = eval_numerical_gradient(lambda w: np.sum(affine_forward(x, w, b)[0] * dout), w.copy())
print('numeric dw close:', np.allclose(num, dw, atol=1e-6))

num_classes, num_inputs = 4, 6
x = 0.001 * np.random.randn(num_inputs, num_classes)
y = np.random.randint(num_classes, size=num_inputs)
loss, dx = softmax_loss(x, y)
print('loss: ', loss, ' should be near', np.log(num_classes))
xt = torch.tensor(x, requires_grad=True)
lt = torch.nn.functional.cross_entropy(xt, torch.as_tensor(y)); lt.backward()
print(f'torch loss: {lt.item():.10f} dx match: {np.allclose(dx, xt.grad.numpy())}')
print(dx.round(4)); print(y, y.dtype)

class TwoLayerNet(object):
    def __init__(self, input_dim=8, hidden_dim=10, num_classes=3, weight_scale=1e-3, reg=0.0):
        self.params = {}
        self.reg = reg
        self.params['W1'] = weight_scale * np.random.randn(input_dim, hidden_dim)
        self.params['b1'] = np.zeros(hidden_dim)
        self.params['W2'] = weight_scale * np.random.randn(hidden_dim, num_classes)
        self.params['b2'] = np.zeros(num_classes)

    def loss(self, X, y=None):
        h, c1 = affine_forward(X, self.params['W1'], self.params['b1'])
        a, ca = relu_forward(h)
        scores, c2 = affine_forward(a, self.params['W2'], self.params['b2'])
        if y is None: return scores
        loss, dscores = softmax_loss(scores, y)
        loss += 0.5 * self.reg * sum(np.sum(self.params[k] ** 2) for k in ('W1', 'W2'))
        grads = {}
        da, grads['W2'], grads['b2'] = affine_backward(dscores, c2)
        _, grads['W1'], grads['b1'] = affine_backward(relu_backward(da, ca), c1)
        for k in ('W1', 'W2'): grads[k] += self.reg * self.params[k]
        return loss, grads

model = TwoLayerNet(weight_scale=1e-1, reg=0.5)
X = np.random.randn(30, 8); y = np.argmax(X[:, :3], axis=1)
for t in range(50):
    loss, grads = model.loss(X, y)
    for p, g in grads.items(): model.params[p] -= 0.5 * g
    if t % 10 == 0: print('iteration %d / %d: loss %f' % (t, 50, loss))
acc = (model.loss(X).argmax(1) == y).mean()
print('train accuracy:', acc, type(acc), acc.dtype, np.bincount(y), np.unique(y, return_counts=True))
for name in sorted(model.params): print(name, 'mean %.6f std %.6f' % (model.params[name].mean(), model.params[name].std()), model.params[name].shape)
print(np.sum(model.params['W1'][:2], axis=1), model.params['W2'][0], sep='\n')
raise NotImplementedError('implement dropout')
