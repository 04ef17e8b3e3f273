"""Names, lines and scopes: where an op ran is read off the frames."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from gradviz.capture.recorder import Recorder  # noqa: E402
from gradviz.capture.scopes import loops_of  # noqa: E402

pytestmark = pytest.mark.torch


def nodes_of(recorder: Recorder) -> list[Any]:
    assert recorder.faults == []
    return recorder.document(lambda _: None)["nodes"]


def scopes(recorder: Recorder, op: str) -> list[list[str]]:
    return [node["scope"] for node in nodes_of(recorder) if node["op"] == op]


class Half(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def squash(self, x: Any) -> Any:
        return torch.tanh(x)

    def forward(self, x: Any) -> Any:
        y = self.fc(x)
        return self.squash(y)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList([Half(), Half()])

    def forward(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x


def test_modules_are_named_by_their_variable_and_their_paths_from_there() -> None:
    net = Net()
    with Recorder() as recorder:
        net(torch.ones(1, 2)).sum().backward()

    first, second = scopes(recorder, "addmm")
    assert first == ["net", "part [0]", "parts.0", "parts.0.fc"]
    assert second == ["net", "part [1]", "parts.1", "parts.1.fc"]
    assert scopes(recorder, "tanh")[0] == ["net", "part [0]", "parts.0", "Half.squash"]
    assert [node["module"] for node in nodes_of(recorder) if node["op"] == "addmm"] == [
        "net.parts.0.fc",
        "net.parts.1.fc",
    ]
    names = {node["name"] for node in nodes_of(recorder) if node["op"] == "leaf"}
    assert names == {f"net.parts.{i}.fc.{name}" for i in range(2) for name in ("weight", "bias")}


def test_rounds_of_a_loop_show_its_variable() -> None:
    w = torch.ones(2, requires_grad=True)
    with Recorder() as recorder:
        for epoch in range(3):
            for x, name in ((torch.ones(2), "a"), (torch.zeros(2), "b")):
                (w * x).sum().backward()
                assert epoch + len(name)

    assert scopes(recorder, "mul") == [[f"epoch = {i}", f"x, name [{j}]"] for i in range(3) for j in range(2)]


def test_rounds_of_while_are_counted() -> None:
    w = torch.ones(2, requires_grad=True)
    with Recorder() as recorder:
        i = 0
        while i < 3:
            y = w * i
            z = y.exp()
            z.sum().backward()
            i += 1

    assert scopes(recorder, "exp") == [[f"while [{i}]"] for i in range(3)]


def test_a_function_called_again_at_the_same_place_is_another_level() -> None:
    def block(x: Any) -> Any:
        y = x * 2
        return y.exp()

    w = torch.ones(2, requires_grad=True)
    with Recorder() as recorder:
        (block(w) + block(w)).sum().backward()

    (first,), (second,) = scopes(recorder, "exp")
    assert first.endswith("block")
    assert second == f"{first} #2"
    assert scopes(recorder, "mul") == scopes(recorder, "exp")


def test_recursion_nests() -> None:
    def halve(x: Any, depth: int) -> Any:
        return halve(x / 2, depth - 1) if depth else x.exp()

    w = torch.ones(2, requires_grad=True)
    with Recorder() as recorder:
        halve(w, 2).sum().backward()

    (scope,) = scopes(recorder, "exp")
    assert len(scope) == 3
    assert [len(each) for each in scopes(recorder, "div")] == [1, 2]


def test_variables_name_what_they_hold() -> None:
    with Recorder() as recorder:
        x = torch.ones(2, requires_grad=True)
        a = b = x * 2
        c, d = torch.unbind(a)
        e = nn.functional.mse_loss(b, torch.zeros(2))
        rest = [x.exp(), x.sin()]
        (c + d + e + rest[0].sum() + rest[1].sum()).backward()

    named = {node["name"]: node["op"] for node in nodes_of(recorder) if node["name"]}
    assert named.items() >= {
        "x": "leaf", "c": "output", "d": "output", "e": "mse_loss", "rest[0]": "exp", "rest[1]": "sin",
    }.items()  # fmt: skip
    assert {"a", "b"} & set(named)


def test_a_result_is_named_by_where_it_is_stored_although_another_value_is_there_by_now() -> None:
    def block(x: Any) -> Any:
        return torch.tanh(x * 2)

    with Recorder() as recorder:
        x = torch.ones(2, requires_grad=True)
        first = block(x)
        second = nn.functional.mse_loss(first, torch.zeros(2))
        third = second * 2
        del first, second
        third.backward()

    named = {node["name"]: node["op"] for node in nodes_of(recorder) if node["name"]}
    assert named == {"x": "leaf", "first": "tanh", "second": "mse_loss", "third": "mul"}


def test_lines_are_those_of_the_statement() -> None:
    with Recorder() as recorder:
        x = torch.ones(2, requires_grad=True)
        y = (
            x
            * 2
        )  # fmt: skip
        y.sum().backward()

    lines = {node["op"]: node["line"] for node in nodes_of(recorder)}
    assert lines["sum"] - lines["leaf"] == 5
    assert lines["leaf"] < lines["mul"] < lines["sum"]


def test_a_parameter_has_its_line_although_a_tensor_that_is_gone_had_its_address() -> None:
    with Recorder() as recorder:
        gone = torch.ones(2)
        before = recorder.forward.origins.pop(id(gone))
        del gone
        w = nn.Parameter(torch.empty(2))
        recorder.forward.origins[id(w)] = before
        with torch.no_grad():
            w.fill_(3.0)
        w.sum().backward()

    lines = {node["op"]: node["line"] for node in nodes_of(recorder)}
    assert lines["sum"] - lines["leaf"] == 1


def test_what_a_library_does_is_at_the_line_that_calls_it() -> None:
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    with Recorder() as recorder:
        y = layer(torch.ones(1, 3, 4))
        y.sum().backward()

    assert len({node["line"] for node in nodes_of(recorder) if not node["is_leaf"]}) == 2


def test_a_file_that_is_no_python_has_no_loops(tmp_path: Any) -> None:
    file = tmp_path / "broken.py"
    file.write_text("for x in")

    assert loops_of(str(file)) == []
    assert loops_of(str(tmp_path / "none.py")) == []
