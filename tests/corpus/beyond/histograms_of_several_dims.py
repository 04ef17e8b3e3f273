import torch


def ask(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.tensor([1.0, 2.0, 3.0, 4.0])
ask(lambda: torch.histogram(x.long(), 3))
ask(lambda: torch.histogram(x.long(), x))
ask(lambda: torch.histogram(x, torch.tensor([1, 2])))
ask(lambda: torch.histogram(x.double(), torch.tensor([1.0, 2])))
ask(lambda: torch.histogram(x, torch.ones(2, 2)))
ask(lambda: torch.histogram(x, 0))
ask(lambda: torch.histogram(x, 2, range=(1.0, 1.0)))
ask(lambda: torch.histogram(x, 2, range=(2.0, 1.0)))
ask(lambda: torch.histogram(x, 2, weight=x.double()))
ask(lambda: torch.histogram(x, 2, weight=x[:2]))
ask(lambda: torch.histogram(x * float("nan"), 2))
ask(lambda: torch.histogram(x, torch.tensor([3.0, 2.0, 1.0])))
ask(lambda: torch.histogram(x, torch.tensor([1.0])))
ask(lambda: torch.histogram(x[:1], 2, density=True))
ask(lambda: torch.histogram(x[:0], 2, density=True))
ask(lambda: torch.histogramdd(x.reshape(2, 2), [2, 3]))
ask(lambda: torch.histogramdd(x.reshape(2, 2), 2))
ask(lambda: torch.histc(x[:1], 3))
ask(lambda: torch.histogram(x, 2, range=(0.0, 0.0)))
ask(lambda: torch.histogramdd(x, 2))
ask(lambda: torch.histogramdd(x.reshape(2, 2), (torch.tensor([0.0, 1, 5]), torch.tensor([0.0, 3, 4.0]))))
ask(
    lambda: torch.histogramdd(
        x.reshape(2, 2), [2, 2], range=[0.0, 1.0, 0.0, 5.0], weight=torch.tensor([1.0, 2]), density=True
    )
)
ask(lambda: torch.histogram(x)[1].shape)
ask(lambda: torch.histogram(torch.linspace(0, 1, 7), 3))
ask(lambda: x.histogram(3, density=True))
ask(lambda: torch.histogram(torch.tensor(0.75), 1))
ask(lambda: torch.histogram(torch.tensor([0.1, 0.7, 0.2, 0.9]), 7, range=(0.0, 1.0)).bin_edges)
ask(
    lambda: torch.histogramdd(
        torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]]),
        bins=[3, 3],
        weight=torch.tensor([1.0, 2.0, 4.0, 8.0]),
    )
)
ask(lambda: torch.histogramdd(torch.rand(5, 2, 3) * 0 + 0.25, [2, 1, 2]).hist)
ask(lambda: torch.histogramdd(x.reshape(2, 2), [2, 2, 3]))
ask(lambda: torch.histogramdd(x.reshape(2, 2), [2, 2], range=[1.0, 2.0]))
ask(lambda: torch.histogramdd(x.reshape(2, 2).long(), [2, 2]))

grown = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
print(torch.histogramdd(grown, [2, 2]), torch.histogram(grown, 2))
ask(lambda: torch.histogram(grown, 2)[0].sum().backward())
ask(lambda: torch.histogramdd(grown, [2, 2])[0].sum().backward())
