import torch

def attempt(title, fn):
    try:
        print(title, '->', fn())
    except Exception as e:
        print(title, '->', type(e).__name__, e)

def case1():
    a = torch.ones(3, requires_grad=True)
    a += 1
def case2():
    a = torch.ones(3, requires_grad=True)
    b = a.exp()
    b.mul_(2)
    b.sum().backward()
def case3():
    a = torch.ones(3, requires_grad=True)
    b = a * 2
    b[0] = 5
    b.sum().backward()
    return a.grad
def case4():
    a = torch.ones(2, 2, requires_grad=True)
    v = a[0]
    v.mul_(2)
def case5():
    a = torch.ones(3, requires_grad=True)
    y = (a * a).sum()
    y.backward()
    y.backward()
def case6():
    a = torch.ones(3)
    a.sum().backward()
def case7():
    w = torch.randn(3, requires_grad=True)
    with torch.no_grad():
        w.zero_()
    return w
def case8():
    x = torch.ones(2, requires_grad=True)
    y = x ** 2
    with torch.no_grad():
        x.add_(1)
    y.sum().backward()
def case9():
    x = torch.ones(2, requires_grad=True)
    x.numpy()
def case10():
    x = torch.ones(2, requires_grad=True)
    return (x * 2).detach().numpy()
def case11():
    torch.ones(2, dtype=torch.int64, requires_grad=True)
def case12():
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(torch.ones(3))
for i, c in enumerate([case1, case2, case3, case4, case5, case6, case7, case8, case9, case10, case11, case12], 1):
    attempt(f'case {i}', c)
x = torch.ones(4, requires_grad=True)
y = x.sigmoid()
y.add_(1)
y.sum().backward()
