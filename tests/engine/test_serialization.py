"""Values are saved and loaded in memory, and copied as PyTorch's files would copy them."""

from __future__ import annotations

import io
import pickle

import pytest

import gradviz.engine as torch
from gradviz.engine.errors import Beyond


def test_a_buffer_gives_back_what_was_saved_to_it():
    buffer = io.BytesIO()
    weight = torch.ones(2, requires_grad=True)
    torch.save({"weight": weight, "step": 3, "sizes": [1, (2, "x")]}, buffer)
    with torch.no_grad():
        weight.zero_()
    buffer.seek(0)

    loaded = torch.load(buffer)

    assert loaded["weight"].tolist() == [1, 1]
    assert loaded["weight"].requires_grad
    assert (loaded["step"], loaded["sizes"]) == (3, [1, (2, "x")])


def test_no_file_is_written(tmp_path):
    file = tmp_path / "model.pt"

    torch.save(torch.ones(2), file)

    assert not file.exists()
    assert torch.load(str(file)).tolist() == [1, 1]


def test_a_name_that_was_never_saved_is_a_file_that_is_not_found():
    with pytest.raises(FileNotFoundError, match=r"\[Errno 2\] No such file or directory: 'nothing.pt'"):
        torch.load("nothing.pt")


def test_a_buffer_is_read_from_where_it_stands():
    buffer = io.BytesIO()
    torch.save(1, buffer)

    with pytest.raises(EOFError):
        torch.load(buffer)


def test_what_shared_memory_does_so_again():
    x = torch.arange(4.0)
    torch.save([x, x[:2]], "pair")

    whole, part = torch.load("pair")
    whole[0] = 9

    assert part.tolist() == [9, 1]
    assert x.tolist() == [0, 1, 2, 3]


def test_a_result_is_loaded_as_a_leaf():
    y = torch.ones(2, requires_grad=True) * 2
    torch.save(y, "y")

    loaded = torch.load("y")

    assert loaded.is_leaf
    assert loaded.requires_grad


def test_a_module_is_loaded_where_more_than_weights_is_wanted():
    net = torch.nn.Linear(2, 1)
    torch.save(net, "net")

    loaded = torch.load("net", weights_only=False)

    assert torch.equal(loaded.weight, net.weight)
    assert loaded.weight is not net.weight
    with pytest.raises(
        pickle.UnpicklingError, match=r"GLOBAL torch.nn.modules.linear.Linear was not an allowed global"
    ):
        torch.load("net")


def test_each_load_is_a_copy_of_its_own():
    torch.save(torch.ones(2), "ones")
    torch.load("ones").zero_()

    assert torch.load("ones").tolist() == [1, 1]


def test_neither_a_name_nor_a_buffer_is_refused():
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object"):
        torch.save(1, 2)


def test_compiling_leaves_a_function_as_it_is():
    net = torch.nn.Linear(1, 1)

    @torch.compile(mode="default")
    def double(x):
        return x * 2

    assert torch.compile(net) is net
    assert double(3) == 6


def test_lower_precision_is_beyond_unless_it_is_switched_off():
    with torch.autocast("cpu", enabled=False):
        pass
    with pytest.raises(Beyond):
        torch.autocast("cpu")


def test_types_have_pytorchs_names():
    assert torch.typename(torch.ones(1)) == "torch.FloatTensor"
    assert torch.typename(torch.nn.Linear(1, 1)) == "torch.nn.modules.linear.Linear"


def test_where_files_go_with_the_process_a_saved_one_can_be_found_and_renamed(tmp_path, monkeypatch):
    monkeypatch.setattr("gradviz.engine.serialization.files_go_too", True)
    file, other = tmp_path / "model.pt", tmp_path / "best.pt"

    torch.save({"w": torch.ones(2)}, file)
    file.rename(other)

    assert torch.load(str(other))["w"].tolist() == [1.0, 1.0]
    with pytest.raises(FileNotFoundError):
        torch.load(file)


def test_a_file_of_pytorch_itself_is_beyond_the_engine(tmp_path, monkeypatch):
    monkeypatch.setattr("gradviz.engine.serialization.files_go_too", True)
    file = tmp_path / "model.pt"
    file.write_bytes(b"PK\x03\x04\n")

    with pytest.raises(Beyond, match="a file that PyTorch has saved is beyond"):
        torch.load(file)
