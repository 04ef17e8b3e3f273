"""Loaders and samplers give what PyTorch's give, in its order; data/engine_data.json holds what PyTorch 2.13 gave."""

from __future__ import annotations

import json
from pathlib import Path

import gradviz.engine as torch
from gradviz.engine.utils.data import DataLoader, Dataset, Subset, TensorDataset, default_collate
from tests.engine.loading_data import texts

RECORDED = Path(__file__).parents[1] / "data" / "engine_data.json"


def test_every_batch_is_that_of_pytorch_and_takes_as_many_random_numbers():
    expected = json.loads(RECORDED.read_text(encoding="utf-8"))["texts"]

    assert list(texts(torch)) == expected


def test_rows_that_require_grad_stay_in_the_graph():
    x = torch.ones(4, 2, requires_grad=True)

    (batch,) = next(iter(DataLoader(TensorDataset(x), batch_size=3)))
    batch.sum().backward()

    assert x.grad.tolist() == [[1.0, 1.0]] * 3 + [[0.0, 0.0]]


def test_a_part_of_a_part_of_a_data_set_gives_its_own_rows():
    rows = TensorDataset(torch.arange(10))
    part = Subset(Subset(rows, [1, 3, 5, 7]), [3, 0])

    assert [batch[0].tolist() for batch in DataLoader(part, batch_size=2)] == [[7, 1]]


def test_each_loop_over_a_loader_begins_anew():
    loader = DataLoader(TensorDataset(torch.arange(3)), batch_size=2)

    assert len(list(loader)) == len(list(loader)) == len(loader) == 2


def test_a_data_set_of_ones_own_may_fetch_several_samples_at_once():
    asked = []

    class Squares(Dataset):
        def __len__(self):
            return 5

        def __getitems__(self, indices):
            asked.append(indices)
            return [i * i for i in indices]

    batches = [batch.tolist() for batch in DataLoader(Squares(), batch_size=3)]

    assert (batches, asked) == ([[0, 1, 4], [9, 16]], [[0, 1, 2], [3, 4]])


def test_data_sets_print_as_in_pytorch():
    data = TensorDataset(torch.arange(3))

    assert repr(data).startswith("<torch.utils.data.dataset.TensorDataset object at 0x")
    assert repr(DataLoader(data)).startswith("<torch.utils.data.dataloader.DataLoader object at 0x")
    assert str(Dataset) == "<class 'torch.utils.data.dataset.Dataset'>"


def test_samples_in_a_dict_become_a_dict_of_batches():
    batch = default_collate([{"x": torch.zeros(2), "y": 1}, {"x": torch.ones(2), "y": 2}])

    assert (batch["x"].tolist(), batch["y"].tolist()) == ([[0.0, 0.0], [1.0, 1.0]], [1, 2])
