import torch
x = torch.ones(3, requires_grad=True)
r = x.sin()
r.grad_fn._raw_saved_self.register_hooks(lambda t: (print('p', t), t * 10)[1], lambda t: (print('u'), t / 10)[1])
r.sum().backward(); print(x.grad)
try: r.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
except RuntimeError as e: print(e)
q = x.exp() * x
q.grad_fn._raw_saved_other.register_hooks(lambda t: t.detach().numpy(), lambda t: torch.from_numpy(t) * 2)
try: q.grad_fn._raw_saved_other.register_hooks(lambda t: t, lambda t: t)
except RuntimeError as e: print(e)
q.grad_fn.next_functions[0][0]._raw_saved_result.register_hooks(lambda t: t, lambda t: t * 0)
x.grad = None; q.sum().backward(); print(x.grad)
