"""`torch.compile` while it is recorded: what is compiled runs op by op, and Dynamo sees nothing of ours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gradviz.capture.recorder import Recorder  # noqa: E402

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(sys.version_info >= (3, 14), reason="torch.compile may not be there yet"),
]
OFF = "torch.compile was off while recording; last digits may differ."


def document_of(recorder: Recorder) -> Any:
    return recorder.document(lambda _: None)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    before = torch.compile
    yield
    assert torch.compile is before
    torch._dynamo.reset()


@pytest.fixture
def counted() -> tuple[list[str], Callable[..., Any]]:
    """A backend, and what it was given to compile."""
    seen: list[str] = []

    def backend(graph: Any, _: Any) -> Any:
        seen.append(str(graph.graph))
        return graph.forward

    return seen, backend


def net() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))


def trained(model: Any, recorder: Recorder | None, step: Callable[[Any], Any]) -> list[float]:
    """The losses of some steps, recorded or not."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []

    def train() -> None:
        for _ in range(8):
            optimizer.zero_grad()
            losses.append(float(step(torch.ones(2, 3))))
            optimizer.step()

    if recorder is None:
        train()
    else:
        with recorder:
            train()
    return losses


def step_of(model: Any) -> Callable[[Any], Any]:
    def step(x: Any) -> Any:
        loss = model(x).pow(2).sum()
        loss.backward()
        return loss.detach()

    return step


@pytest.mark.parametrize("keep", [1, 2, 200])
@pytest.mark.parametrize("is_whole", [False, True])
def test_a_compiled_model_trains_and_is_recorded_op_by_op(counted: Any, keep: int, is_whole: bool) -> None:
    """Also a step that is compiled with its backward call, and in the rounds that are not kept."""
    seen, backend = counted
    plain = net()
    expected = trained(plain, None, step_of(plain))
    model = net()
    step = step_of(torch.compile(model, backend=backend))
    recorder = Recorder(keep)

    losses = trained(model, recorder, torch.compile(step, backend=backend) if is_whole else step)

    document = document_of(recorder)
    assert losses == pytest.approx(expected)
    assert seen == []
    assert recorder.faults == []
    assert recorder.calls == len(losses)
    assert "addmm" in [node["op"] for node in document["nodes"]] or "linear" in [n["op"] for n in document["nodes"]]
    assert OFF in document["engine"]["notes"]


def test_what_is_compiled_while_it_is_recorded_runs_too(counted: Any) -> None:
    seen, backend = counted
    x = torch.ones(3, requires_grad=True)

    with Recorder() as recorder:

        @torch.compile(backend=backend, fullgraph=True)
        def f(x: Any) -> Any:
            return (x.sin() * 2).sum()

        f(x).backward()

    assert (seen, recorder.faults) == ([], [])
    assert "sin" in [node["op"] for node in document_of(recorder)["nodes"]]


def test_afterwards_functions_are_compiled_again(counted: Any) -> None:
    seen, backend = counted
    f = torch.compile(lambda x: x.sin().sum(), backend=backend)
    x = torch.ones(3, requires_grad=True)
    with Recorder():
        f(x).backward()
    assert seen == []

    f(x).backward()

    assert len(seen) == 1
    assert "gradviz" not in seen[0]
