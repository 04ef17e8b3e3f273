import torch
def ask(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for name in ("hann_window","hamming_window","bartlett_window","blackman_window","kaiser_window"):
    f=getattr(torch,name)
    for n in (0,1,2,5,8):
        ask(lambda: f(n)); ask(lambda: f(n,False)); ask(lambda: f(n,dtype=torch.float64,requires_grad=True))
    ask(lambda: f(-1)); ask(lambda: f(5,dtype=torch.int64)); ask(lambda: f(4,periodic=True)); ask(lambda: f(3.5)); ask(lambda: f()); ask(lambda: f(5,dtype=torch.float16)); ask(lambda: f(3, nothing=1))
ask(lambda: torch.hamming_window(5,True,0.5,0.4)); ask(lambda: torch.hamming_window(5,alpha=0.5)); ask(lambda: torch.hamming_window(5, False, beta=0.3)); ask(lambda: torch.kaiser_window(6,True,8.0)); ask(lambda: torch.kaiser_window(6,beta=2.5))
ask(lambda: torch.hann_window(6, True, 0.3))
