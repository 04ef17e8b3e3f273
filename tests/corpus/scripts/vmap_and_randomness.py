import torch
from torch.func import vmap
torch.manual_seed(0)
x=torch.ones(3,4)
for f in (lambda r: r+torch.randn(4), lambda r: torch.rand_like(r), lambda r: torch.nn.functional.dropout(r), lambda r: torch.bernoulli(r*.5), lambda r: r+torch.randint(0,5,(4,)), lambda r: r+torch.normal(r), lambda r: torch.randperm(4), lambda r: torch.multinomial(r,1)):
    try: print(vmap(f)(x))
    except Exception as e: print(type(e).__name__,e)
torch.manual_seed(0)
print(vmap(lambda r: r+torch.randn(4),randomness='same')(x))
print(vmap(lambda r: torch.nn.functional.dropout(r),randomness='same')(x))
print(vmap(lambda r: r+torch.randn(4),randomness='different')(x))
try: vmap(lambda r:r, randomness='x')(x)
except Exception as e: print(type(e).__name__,e)
