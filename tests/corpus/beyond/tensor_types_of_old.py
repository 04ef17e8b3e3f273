import torch
print(torch.FloatTensor, torch.LongTensor)
print(type(torch.FloatTensor))
x = torch.FloatTensor([[1, 2], [3, 4]])
print(x, x.type(), isinstance(x, torch.FloatTensor), isinstance(x, torch.LongTensor), isinstance(x.long(), torch.LongTensor))
print(torch.LongTensor([1, 2]), torch.ByteTensor([1, 0]), torch.BoolTensor([True]), torch.DoubleTensor(2).zero_(), torch.IntTensor([[1]]))
print(x.type(torch.LongTensor), x.type(torch.DoubleTensor), x.type("torch.IntTensor"))
dtype = torch.FloatTensor
w = torch.randn(2, 2).type(dtype); print(w.dtype)
print(torch.Tensor(2, 3).shape, torch.Tensor([2, 3]), torch.Tensor((2, 3)), torch.Tensor().shape, torch.Tensor(torch.Size([2])).shape)
print(torch.FloatTensor(x).data_ptr() == x.data_ptr())
try: torch.LongTensor([1.5])
except Exception as e: print(type(e).__name__, e)
try: torch.FloatTensor(torch.LongTensor([1]))
except Exception as e: print(type(e).__name__, e)
try: torch.Tensor(2.5)
except Exception as e: print(type(e).__name__, e)
try: torch.LongTensor(["a"])
except Exception as e: print(type(e).__name__, e)
torch.set_default_tensor_type(torch.DoubleTensor); print(torch.ones(1).dtype, torch.get_default_dtype())
torch.set_default_tensor_type('torch.FloatTensor'); print(torch.ones(1).dtype)
print(x.new(2, 2).shape, x.new([1, 2]), x.new_tensor([1]), x.is_cuda, torch.cuda.is_available())
use = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
print(use([1.]))
print(torch.HalfTensor([1]), torch.ShortTensor([1]), torch.CharTensor([1]))
print(torch.typename(x), x.type() == "torch.FloatTensor", torch.is_storage(x.storage()) if False else 1)
print(torch.tensor([1], dtype=torch.float).type(torch.float64), torch.FloatTensor.__name__, repr(torch.Tensor))
print(torch.nn.Linear(2,2).type(torch.DoubleTensor) if False else torch.nn.Linear(2,2).type(torch.float64).weight.dtype)
print(torch.nn.Linear(2,2).type(torch.DoubleTensor).weight.dtype)
print(torch.get_default_dtype(), torch.FloatTensor(3).fill_(2.), torch.FloatTensor(2, 2).uniform_(0, 0))


def attempt(make):
    try:
        print(make())
    except Exception as e:
        print(type(e).__name__, e)


attempt(lambda: torch.LongTensor([1.7]))
attempt(lambda: torch.FloatTensor("ab"))
attempt(lambda: torch.FloatTensor([1, 2], dtype=torch.float))
attempt(lambda: torch.FloatTensor([1, 2], requires_grad=True))
attempt(lambda: torch.FloatTensor(2, 2.5))
attempt(lambda: torch.FloatTensor([[1, 2], [3]]))
attempt(lambda: torch.FloatTensor(None))
attempt(lambda: torch.ByteTensor([300]))
attempt(lambda: torch.tensor([2**40], dtype=torch.int32))
attempt(lambda: torch.full((2,), 300, dtype=torch.uint8))
attempt(lambda: torch.zeros(1, dtype=torch.int16).fill_(70000))
attempt(lambda: torch.tensor([[1, "a"]]))
attempt(lambda: torch.tensor(["a", "b"]))
