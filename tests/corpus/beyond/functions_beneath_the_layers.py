import torch
torch.manual_seed(0)
x = torch.randn(2, 3, 4, requires_grad=True)
def show(f):
    try:
        y = f()
        ys = y if isinstance(y, tuple) else (y,)
        for t in ys:
            print(t if isinstance(t, torch.Tensor) else repr(t))
        if isinstance(ys[0], torch.Tensor) and ys[0].requires_grad:
            print([t.grad_fn.name() for t in ys], [n[0].name() if n[0] else None for n in ys[0].grad_fn.next_functions])
            x.grad = None
            sum((t * t).sum() for t in ys).backward(retain_graph=True); print(x.grad)
    except Exception as e:
        print(type(e).__name__, e)
show(lambda: torch.fill(x, 2.)); show(lambda: torch.fill(x, torch.tensor(3., requires_grad=True))); show(lambda: torch.fill(torch.ones(2, dtype=torch.int64), 2.7)); show(lambda: torch.fill(x, torch.ones(2))); show(lambda: torch.fill(x)); show(lambda: torch.fill(x, "a"))
w = torch.randn(5, 2, requires_grad=True); ix = torch.tensor([[1, 2], [4, 1]])
show(lambda: torch.embedding(w, ix)); show(lambda: torch.embedding(w, ix, 1, True)); torch.embedding(w, ix, 1).sum().backward(); print(w.grad); show(lambda: torch.embedding(ix, w)); show(lambda: torch.embedding(w, torch.tensor([7]))); show(lambda: torch.embedding(w))
show(lambda: torch.constant_pad_nd(x, (1, 0, 0, 1))); show(lambda: torch.constant_pad_nd(x, (1, 1), 2.5)); show(lambda: torch.constant_pad_nd(x, (1,))); show(lambda: torch.constant_pad_nd(x, (1, 1) * 4)); show(lambda: torch.constant_pad_nd(x, (-3, -3)))
show(lambda: torch.unsafe_chunk(x, 2, 1)); show(lambda: x.unsafe_chunk(3, 2)); show(lambda: x.unsafe_split_with_sizes([1, 3], 2)); show(lambda: torch.unsafe_split_with_sizes(x, [1, 2], 1)); show(lambda: torch.unsafe_chunk(x, 0)); show(lambda: torch.unsafe_split_with_sizes(x, [1, 3], 1)); show(lambda: torch.unsafe_chunk(torch.tensor(1.), 2)); show(lambda: torch.unsafe_split_with_sizes(torch.tensor(1.), [1]))
a, b = torch.unsafe_chunk(x, 2, 0); a.mul_(2); print(a.grad_fn.name(), a._version, b._version, a._is_view())
rm, rv, g, bb = torch.zeros(3), torch.ones(3), torch.ones(3), torch.zeros(3)
show(lambda: torch.batch_norm(x, g, bb, rm, rv, True, .1, 1e-5, False)); print(rm, rv); show(lambda: torch.batch_norm(x, g, bb, rm, rv, False, .1, 1e-5, False)); show(lambda: torch.batch_norm(x, None, None, None, None, True, .1, 1e-5, True)); show(lambda: torch.batch_norm(x, None, None, None, None, False, .1, 1e-5, True)); show(lambda: torch.batch_norm(x, g))
show(lambda: torch.instance_norm(x, g, bb, None, None, True, .1, 1e-5, False)); show(lambda: torch.instance_norm(x, None, None, rm, rv, False, .1, 1e-5, False))
h = torch.randn(2, 3, requires_grad=True); c = torch.randn(2, 3); xi = torch.randn(2, 4)
for n, k in (("rnn_tanh_cell", 3), ("rnn_relu_cell", 3), ("gru_cell", 9), ("lstm_cell", 12)):
    wi, wh, bi, bh = torch.randn(k, 4), torch.randn(k, 3), torch.randn(k), torch.randn(k)
    f = getattr(torch, n); s = (h, c) if n[0] == "l" else h
    print(f(xi, s, wi, wh, bi, bh), f(xi, s, wi, wh))
    y = f(xi, s, wi, wh, bi, bh); y = y[0] if isinstance(y, tuple) else y
    h.grad = None; y.sum().backward(); print(h.grad, y.grad_fn.name())
print(torch.get_device(x), x.get_device(), x.is_sparse_csr, x.is_nested, x.is_mkldnn, x.is_xla, x.is_vulkan, x.is_ipu, x.is_xpu, x.is_mtia, x.is_maia, x.is_pinned(), torch.is_warn_always_enabled(), x.is_distributed() , x.is_set_to(x), x.is_set_to(x.detach()), x.is_set_to(x[0]), x.is_set_to(torch.ones(2, 3, 4)))
z = torch.tensor([1., 2.]); print(z.igamma_(torch.tensor([1., .5])), z.igammac_(torch.tensor([1., .5])))
print(isinstance(torch.strided, torch.layout), isinstance(x.layout, torch.layout), isinstance(torch.contiguous_format, torch.memory_format), torch.layout, torch.memory_format, type(torch.channels_last))
x=torch.ones(2,4); h=torch.ones(2,3); k=3
for f,k in ((torch.rnn_tanh_cell,3),(torch.gru_cell,9),(torch.lstm_cell,12)):
    L = f is torch.lstm_cell
    s=(h,h) if L else h
    w=lambda a,b: torch.ones(a,b)
    for g in (lambda: f(torch.ones(2,5),s,w(k,4),w(k,3)), lambda: f(x,s,w(k,4),w(k,2)), lambda: f(x,(torch.ones(3,3),)*2 if L else torch.ones(3,3),w(k,4),w(k,3)), lambda: f(x[0],s,w(k,4),w(k,3)), lambda: f(x,s,w(k,4),w(k,3),torch.ones(2),torch.ones(2)), lambda: f(x,h if L else (h,h),w(k,4),w(k,3)), lambda: f(x,s,w(k+1,4),w(k+1,3)), lambda: f(x,(h,) if L else 3,w(k,4),w(k,3))):
        try: print(f.__name__, g())
        except Exception as e: print(f.__name__, type(e).__name__, str(e).split('\n')[0])
