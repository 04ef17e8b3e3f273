"""Whatever happens to a run, the recorder changes nothing of it and leaves nothing behind."""

from __future__ import annotations

import copy
import gc
import io
import json
import os
import sys
import threading
import weakref
import zipfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from gradviz.capture import gradients  # noqa: E402
from gradviz.capture.keep import Keeper  # noqa: E402
from gradviz.capture.recorder import Recorder  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


def leaf(*shape: int) -> Any:
    return torch.randn(*shape, requires_grad=True)


def document_of(recorder: Recorder) -> Any:
    return recorder.document(
        lambda kept: None if kept is None or kept.tensor is None or kept.reason else kept.tensor.tolist()
    )


@pytest.fixture(autouse=True)
def nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After every test: no hook, no mode, no patch of ours is left."""
    handles: list[Any] = []
    hang = gradients.Watch._hang

    def counted(self: Any, found: Any) -> None:
        hang(self, found)
        handles.extend(self._handles)

    monkeypatch.setattr(gradients.Watch, "_hang", counted)
    engine, call = torch.autograd.Variable._execution_engine, torch.nn.Module.__call__
    yield
    left = [each for each in handles if (hooks := each.hooks_dict_ref()) is not None and each.id in hooks]
    assert left == []
    assert torch.autograd.Variable._execution_engine is engine
    assert torch.nn.Module.__call__ is call
    assert torch._C._len_torch_dispatch_stack() == 0


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        raise RuntimeError("no way back")


class Bad(nn.Module):
    def forward(self, x: Any) -> Any:
        raise ValueError("bad input")


def test_an_error_in_a_module_that_is_caught_leaves_its_scope() -> None:
    net, after = nn.Sequential(nn.Linear(2, 2), Bad()), nn.Linear(2, 1)
    with Recorder() as recorder:
        x = torch.randn(3, 2)
        with suppress(ValueError):
            net(x)
        after(x).sum().backward()

    assert [
        node["scope"] for node in document_of(recorder)["nodes"] if node["op"] == "addmm" and "after" in node["scope"]
    ] == [["after"]]


def test_a_pass_that_fails_midway_is_recorded_with_the_node_it_was_at() -> None:
    with Recorder() as recorder:
        x = leaf(3)
        y = Fails.apply(x.exp()).sin().sum()
        with pytest.raises(RuntimeError, match="no way back"):
            y.backward()
        (x**2).sum().backward()

    document = document_of(recorder)
    failed, done = document["backward"]
    assert [document["nodes"][step["node"]]["op"] for step in failed["steps"]] == ["sum", "sin"]
    assert failed["error"]["message"] == "RuntimeError: no way back"
    assert document["nodes"][failed["error"]["node"]]["op"] == "Fails"
    assert "error" not in done


def test_a_second_backward_on_a_freed_graph_names_its_node() -> None:
    with Recorder() as recorder:
        x = leaf(3)
        y = x.exp().sum()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()

    document = document_of(recorder)
    assert document["nodes"][document["backward"][1]["error"]["node"]]["op"] == "exp"


def test_an_error_that_leaves_the_recorder_is_the_problem_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"

    def fail() -> None:
        with Recorder(path=path):
            (leaf(3) * 2).sum().backward()
            raise KeyError("mine")

    with pytest.raises(KeyError):
        fail()

    with zipfile.ZipFile(path) as file:
        document = json.loads(file.read("recording.json"))
    assert document["problem"]["message"] == "KeyError: 'mine'"
    assert document["problem"]["line"] is not None
    assert len(document["backward"]) == 1


def test_an_error_of_a_backward_pass_that_ends_the_run_marks_the_node() -> None:
    recorder = Recorder()

    def fail() -> None:
        with recorder:
            y = Fails.apply(leaf(3)).sum()
            y.backward()

    with pytest.raises(RuntimeError, match="no way back"):
        fail()
    document = document_of(recorder)
    assert document["nodes"][document["problem"]["node"]]["op"] == "Fails"


def test_pytorchs_error_comes_with_a_sentence_of_ours() -> None:
    recorder = Recorder()

    def fail() -> None:
        with recorder:
            y = leaf(3).exp()
            y.add_(1)
            y.sum().backward()

    with pytest.raises(RuntimeError, match="inplace"):
        fail()
    assert "in place" in document_of(recorder)["problem"]["hint"]


def test_an_interrupt_in_a_backward_pass() -> None:
    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    with Recorder() as recorder:
        h = leaf(3) * 2
        h.register_hook(stop)
        with pytest.raises(KeyboardInterrupt):
            h.sum().backward()

    assert recorder.sweeps[0].error == "KeyboardInterrupt: "


def test_after_the_recorder_nothing_is_recorded() -> None:
    with Recorder() as recorder:
        y = (leaf(3).exp() * 2).sum()
        y.backward(retain_graph=True)
    before = len(recorder.sweeps[0].steps)

    y.backward()

    assert len(recorder.sweeps) == 1
    assert len(recorder.sweeps[0].steps) == before


def test_one_recorder_in_another() -> None:
    with Recorder() as outer:
        with Recorder() as inner:
            x = leaf(3)
            (x * x).sum().backward()
        (x * 3).sum().backward()

    assert (len(outer.sweeps), len(inner.sweeps)) == (2, 1)
    assert outer.faults == inner.faults == []
    assert len(outer.sweeps[0].steps) == len(inner.sweeps[0].steps) == 3


def test_recorders_left_in_the_order_in_which_they_were_entered() -> None:
    first, second = Recorder(), Recorder()
    first.__enter__()
    second.__enter__()
    (leaf(3) * 2).sum().backward()
    second.__exit__(None, None, None)
    first.__exit__(None, None, None)

    assert len(first.sweeps) == len(second.sweeps) == 1


def test_a_recorder_is_not_entered_twice() -> None:
    with Recorder() as recorder, pytest.raises(RuntimeError, match="entered already"):
        recorder.__enter__()


def test_what_another_thread_does_is_its_own() -> None:
    done = []

    def work() -> None:
        x = leaf(3)
        (x * x).sum().backward()
        done.append(x.grad)

    with Recorder() as recorder:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        (leaf(3) * 2).sum().backward()

    assert done[0] is not None
    assert len(recorder.sweeps) == 1


def test_a_graph_that_was_made_before_has_its_nodes_and_gradients_but_no_values() -> None:
    x = leaf(3)
    y = (x.exp() * 2).sum()
    with Recorder() as recorder:
        y.backward()

    document = document_of(recorder)
    assert [node["op"] for node in document["nodes"]] == ["leaf", "exp", "mul", "sum"]
    assert document["nodes"][1]["summary"]["reason"] == "unseen"
    assert document["nodes"][1]["shape"] == [3]
    assert all(step["incoming"] is not None for step in document["backward"][0]["steps"])


def test_a_long_run_is_thinned_and_its_memory_bounded() -> None:
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
    held = []
    with Recorder(keep=4) as recorder:
        for i in range(120):
            net.zero_grad()
            net(torch.randn(8, 64)).pow(2).mean().backward()
            if i > 10:
                held.append(recorder.keeper.budget.bytes)

    numbers = [made.number for made in recorder.sweeps]
    assert len(numbers) == 4
    assert (numbers[0], numbers[-1]) == (1, 120)
    gaps = [after - before for before, after in pairwise(numbers)]
    assert max(gaps) <= 3 * min(gaps)
    assert document_of(recorder)["thinned"] == {
        "calls": 120, "every": 40, "in_rounds": False, "last": True, "first": True, "about": True, "limit": "keep",
        "most": 4,
    }  # fmt: skip
    assert max(held) < 3_000_000


def heavy(calls: int, bad: int = -1, error: int = -1, megabytes: float = 20.0, **options: Any) -> Recorder:
    """Calls of about 5 MB each, one of which has NaN, and one ends in an error."""
    w = torch.ones(200_000, requires_grad=True)

    def fail(_: Any) -> None:
        raise RuntimeError("planned")

    with Recorder(megabytes=megabytes, **options) as recorder:
        for call in range(1, calls + 1):
            w.grad = None
            y = w * (float("nan") if call == bad else 2.0)
            if call == error:
                y.register_hook(fail)
            with suppress(RuntimeError):
                y.sum().backward()
            with torch.no_grad():
                w += 0.001
    return recorder


def numbers_of(recorder: Recorder) -> list[int]:
    return [made.number for made in recorder.sweeps]


def test_the_bytes_of_dropped_calls_are_used_for_later_ones_and_what_is_kept_is_evenly_spread() -> None:
    recorder = heavy(60)

    numbers = numbers_of(recorder)
    assert (numbers[0], numbers[-1]) == (1, 60)
    assert len(numbers) >= 6
    gaps = [after - before for before, after in pairwise(numbers[:-2])]  # the newest have just come
    assert max(gaps) <= 3 * min(gaps)
    assert recorder.keeper.budget.bytes > 0.6 * recorder.keeper.budget.limit
    thinned = document_of(recorder)["thinned"]
    assert (thinned["limit"], thinned["most"]) == ("memory", 20)
    assert not any("summary" in node for node in document_of(recorder)["nodes"])


def test_the_first_call_that_is_not_finite_is_kept_whole_with_the_last_and_the_one_of_an_error() -> None:
    recorder = heavy(60, bad=38, error=47)

    assert {1, 38, 47, 60} <= set(numbers_of(recorder))
    document = document_of(recorder)
    assert document["thinned"]["not_finite"] == 38
    assert not any("summary" in step for sweep in document["backward"] for step in sweep["steps"])


def test_with_room_for_two_the_last_is_there_and_the_first_that_is_not_finite() -> None:
    assert numbers_of(heavy(30, bad=7, megabytes=6)) == [7, 30]


@pytest.mark.parametrize(("keep", "numbers"), [(1, [30]), (2, [1, 30]), (3, [1, 17, 30])])
def test_few_calls_are_the_first_and_the_last(keep: int, numbers: list[int]) -> None:
    found = numbers_of(heavy(30, megabytes=1_000, keep=keep))

    assert (found[0], found[-1], len(found)) == (numbers[0], numbers[-1], keep)


def test_nothing_is_dropped_in_vain_where_the_script_holds_the_graphs() -> None:
    w, losses = torch.ones(200_000, requires_grad=True), []
    with Recorder(megabytes=20) as recorder:
        for scale in range(30):
            loss = (w * scale).exp().sum()
            loss.backward(retain_graph=True)
            losses.append(loss)

    assert recorder.keeper.budget.bytes <= 20_000_000
    assert numbers_of(recorder)[-1] == 30


def test_calls_of_one_round_are_kept_together() -> None:
    w = leaf(3)
    with Recorder(keep=3) as recorder:
        for i in range(40):
            (w * i).sum().backward()
            (w * w).sum().backward()

    numbers = [made.number for made in recorder.sweeps]
    assert recorder.counts_rounds
    assert numbers
    assert all(number % 2 == 0 or number + 1 in numbers for number in numbers)


def test_a_bound_on_memory_holds() -> None:
    with Recorder(megabytes=1) as recorder:
        x = leaf(100, 1000)
        y = x
        for _ in range(20):
            y = y * 1.01
        y.sum().backward()

    assert recorder.keeper.budget.bytes <= 1_000_000
    document = document_of(recorder)
    reasons = {node["summary"]["reason"] for node in document["nodes"] if "summary" in node}
    assert reasons == {"memory"}
    assert "summarised" in document["engine"]["notes"][0]


def test_only_what_a_filter_names_is_kept() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 20))
    with Recorder(filter="net.2, loss") as recorder:
        loss = (net(torch.randn(5, 3)) ** 2).sum()
        loss.backward()

    nodes = document_of(recorder)["nodes"]
    kept = {node["op"]: node["value"] is not None for node in nodes if node["shape"] in ([5, 4], [5, 20])}
    by_module = {node.get("module"): node["value"] is not None for node in nodes if node["op"] == "addmm"}
    assert by_module == {"net.0": False, "net.2": True}
    assert kept["tanh"] is False
    assert next(node for node in nodes if node["name"] == "loss")["value"] is not None


def test_large_tensors_are_summarised() -> None:
    with Recorder(summary_above=100) as recorder:
        x = leaf(200, 100)
        small = leaf(20)
        y = (x * 2).sum() + small.sum()
        y.backward()

    nodes = {node["name"]: node for node in document_of(recorder)["nodes"] if node["name"]}
    summary = nodes["x"]["summary"]
    assert summary["reason"] == "size"
    assert summary["norm"] == pytest.approx(x.norm().item(), rel=1e-5)
    assert (summary["min"], summary["max"]) == pytest.approx((x.min().item(), x.max().item()), rel=1e-6)
    assert summary["sample"] == pytest.approx(x.detach().reshape(-1)[::2500][:8].tolist(), rel=1e-6)
    assert nodes["small"]["value"] is not None


def test_a_training_is_bit_for_bit_the_same() -> None:
    def trained(around: Any) -> Any:
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.GELU(), nn.Dropout(0.2), nn.Linear(16, 3))
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
        with around:
            for _ in range(30):
                optimizer.zero_grad()
                F.cross_entropy(net(torch.randn(6, 8)), torch.randint(3, (6,))).backward()
                optimizer.step()
        return [value.clone() for value in net.state_dict().values()], torch.get_rng_state()

    plain, state = trained(nullcontext())
    recorded, after = trained(Recorder(keep=8))

    assert all(torch.equal(a, b) for a, b in zip(plain, recorded, strict=True))
    assert torch.equal(state, after)


def test_anomaly_mode() -> None:
    with Recorder() as recorder, torch.autograd.detect_anomaly():
        x = torch.tensor([-1.0, 1.0], requires_grad=True)
        with pytest.raises(RuntimeError, match="nan"):
            x.sqrt().sum().backward()

    assert recorder.sweeps[0].error is not None


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="torch.compile may not be there yet")
def test_a_compiled_function_runs_and_the_file_says_how() -> None:
    @torch.compile(backend="aot_eager")
    def f(x: Any) -> Any:
        return (x.sin() * x.cos()).sum()

    x = leaf(3)
    f(x).backward()
    g, x.grad = x.grad.clone(), None
    with Recorder() as recorder:
        f(x).backward()

    document = document_of(recorder)
    assert torch.allclose(g, x.grad)
    assert "sin" in [node["op"] for node in document["nodes"]]
    assert "torch.compile was off" in document["engine"]["notes"][0]


def test_a_file_says_which_ops_pytorch_computes_in_another_way_while_it_is_recorded() -> None:
    def notes(compute: Callable[[], Any]) -> list[str]:
        with Recorder() as recording:
            compute().sum().backward()
        return [note for note in document_of(recording)["engine"]["notes"] if "torch.compile" not in note]

    lengths = torch.tensor([5]), torch.tensor([2])
    ctc = torch.nn.functional.ctc_loss

    assert notes(lambda: torch.linalg.lstsq(leaf(4, 3), leaf(4, 2)).solution) == [
        "PyTorch computes linalg.lstsq in another way while it is recorded; last digits may differ."
    ]
    assert (
        "computes ctc_loss in" in notes(lambda: ctc(leaf(5, 1, 4).log_softmax(2), torch.tensor([[1, 2]]), *lengths))[0]
    )
    assert notes(lambda: leaf(2, 3).reshape(3, 2).exp()) == []


def test_a_dispatch_mode_of_the_users() -> None:
    seen = []

    class Mine(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x = leaf(3)
    with Recorder() as recorder:
        with Mine():
            (x * x).sum().backward()
        (x * 2).sum().backward()
    with Mine(), Recorder() as second:
        (x * 2).sum().backward()

    assert seen
    assert (len(recorder.sweeps), len(second.sweeps)) == (2, 1)


def test_batched_gradients_and_functorch_pass_through() -> None:
    with Recorder() as recorder:
        x = leaf(3)
        y = x**2
        (g,) = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True, retain_graph=True)
        h = torch.autograd.functional.hessian(lambda q: (q**3).sum(), torch.ones(3), vectorize=True)
        j = torch.func.jacrev(lambda q: q**2)(torch.ones(3))
        y.sum().backward()

    assert torch.equal(g, torch.diag(2 * x.detach()))
    assert torch.equal(h, 6 * torch.eye(3))
    assert torch.equal(j, 2 * torch.eye(3))
    assert recorder.faults == []


def test_the_fast_path_of_evaluation_stays() -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    net, x = nn.TransformerEncoder(layer, 2).eval(), torch.randn(2, 7, 16)
    with torch.no_grad():
        plain = net(x)
    with Recorder(), torch.no_grad():
        recorded = net(x)

    assert torch.equal(plain, recorded)


def test_inference_tracing_and_copies() -> None:
    with Recorder() as recorder:
        with torch.inference_mode():
            nn.Linear(2, 2)(torch.randn(1, 2)).softmax(-1)
        traced = torch.jit.trace(nn.Linear(2, 2), torch.randn(1, 2))
        traced(leaf(1, 2)).sum().backward()
        torch.save(copy.deepcopy(nn.Linear(2, 2)).state_dict(), io.BytesIO())

    assert len(recorder.sweeps) == 1
    assert recorder.faults == []


def test_workers_of_a_data_loader() -> None:
    data = torch.utils.data.TensorDataset(torch.randn(8, 2))
    net = nn.Linear(2, 1)
    with Recorder() as recorder:
        for (batch,) in torch.utils.data.DataLoader(data, batch_size=4, num_workers=1):
            net(batch).sum().backward()

    assert len(recorder.sweeps) == 2


class Big(torch.utils.data.Dataset):  # type: ignore[type-arg,misc]
    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: int) -> Any:
        (recorder,) = recorders
        x = leaf(2)
        (x * x).sum().backward()
        return torch.tensor([float(recorder.on), float(len(recorder.tape) + recorder.calls)])


recorders: list[Recorder] = []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_process_that_is_forked_off_records_nothing() -> None:
    with Recorder() as recorder:
        recorders[:] = [recorder]
        loader = torch.utils.data.DataLoader(Big(), num_workers=1, multiprocessing_context="fork")
        told = [batch[0].tolist() for batch in loader]
    recorders.clear()

    assert told == [[0.0, 0.0], [0.0, 0.0]]


def test_an_optimizer_inside_the_backward_pass() -> None:
    net = nn.Linear(2, 2)
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in net.parameters()}

    def step(p: Any) -> None:
        optimizers[p].step()
        optimizers[p].zero_grad()

    for p in net.parameters():
        p.register_post_accumulate_grad_hook(step)
    with Recorder() as recorder:
        net(torch.randn(1, 2)).sum().backward()

    assert [entry[3] for entry in recorder.sweeps[0].accumulated] == [None, None]


def test_roots_inputs_and_edges() -> None:
    with Recorder() as recorder:
        x = leaf(3)
        h = x * 2
        y = h.exp()
        torch.autograd.backward([y.sum(), (h * h).sum()], inputs=[h], retain_graph=True)
        torch.autograd.grad(y.sum(), [h, x], retain_graph=True)
        edge = torch.autograd.graph.get_gradient_edge(y)
        torch.autograd.backward([edge], [torch.ones(3)])

    sweeps = document_of(recorder)["backward"]
    assert [len(sweep["outputs"]) for sweep in sweeps] == [2, 1, 1]
    assert [sweep["kind"] for sweep in sweeps] == ["backward", "grad", "backward"]
    assert recorder.faults == []


def test_nothing_of_the_users_is_kept_alive() -> None:
    with Recorder() as recorder:
        x = leaf(1000)
        h = x.exp()
        weak = weakref.ref(h)
        del h
        assert weak() is None
        y = x.sin()
        weak = weakref.ref(y)
        z = y.sum()
        del y
        z.backward()
        del z
    gc.collect()

    assert weak() is None
    assert recorder.faults == []


def test_a_graph_that_outlives_the_recorder_holds_nothing_of_it() -> None:
    def recorded() -> Any:
        with Recorder() as recorder:
            y = (leaf(100) * 2).exp().sum()
        return y, weakref.ref(recorder.tape[0] if recorder.tape else recorder._loose[0])

    y, weak = recorded()
    gc.collect()

    event = weak()
    assert event is None or not event.outputs
    y.backward()


def test_hooks_on_an_accumulator_that_lasts_are_removed() -> None:
    net = nn.Linear(2, 2)
    accumulators = [p.view_as(p).grad_fn.next_functions[0][0] for p in net.parameters()]
    for _ in range(20):
        with Recorder():
            net(torch.randn(1, 2)).sum().backward()

    handle = accumulators[0].register_hook(lambda *_: None)
    assert len(handle.hooks_dict_ref()) == 1
    handle.remove()


def test_a_fault_of_ours_is_not_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Keeper, "copy", lambda *_: 1 / 0)
    with Recorder() as recorder:
        x = leaf(3)
        (x * x).sum().backward()

    assert x.grad is not None
    assert "ZeroDivisionError" in recorder.faults[0]


def test_a_gradient_that_is_zeroed_behind_autograds_back_is_seen() -> None:
    w = leaf(3)
    with Recorder() as recorder:
        for _ in range(2):
            (w * 2).sum().backward()
            w.grad.data.zero_()

    second = recorder.sweeps[1].accumulated[0]
    assert second[2].tensor.tolist() == [0, 0, 0]
    assert second[3].tensor.tolist() == [2, 2, 2]
    assert recorder.gradients["w"].tensor.tolist() == [0, 0, 0]


def test_ops_that_no_backward_call_comes_of_are_let_go_of() -> None:
    with Recorder(megabytes=1) as recorder:
        x = leaf(100, 100)
        for _ in range(1000):
            x.exp()
        y = (x * 2).sum()
        y.backward()

    document = document_of(recorder)
    assert len(document["nodes"]) < 200
    step = document["backward"][0]["steps"][-2]
    assert document["nodes"][step["node"]]["op"] == "mul"
    assert step["incoming"] is not None


def test_a_graph_larger_than_what_may_be_kept_is_whole() -> None:
    with Recorder(megabytes=1) as recorder:
        x = leaf(100, 100)
        y = x
        for _ in range(300):
            y = y.sin()
        y.sum().backward()

    document = document_of(recorder)
    assert len(document["nodes"]) == 302
    assert len(document["backward"][0]["steps"]) == 302


def test_calls_of_a_thinned_run_say_where_their_own_nodes_begin() -> None:
    w = leaf(3)
    with Recorder(keep=3) as recorder:
        for i in range(20):
            (w * i).sum().backward()

    document = document_of(recorder)
    for sweep in document["backward"]:
        own = [step["node"] for step in sweep["steps"] if not document["nodes"][step["node"]]["is_leaf"]]
        assert sweep["since"] == min(own)


def hooked(document: Any) -> list[str]:
    nodes, steps = document["nodes"], document["backward"][0]["steps"]
    return [nodes[step["node"]]["op"] for step in steps if step.get("hooked")]


def test_a_gradient_that_a_hook_has_changed_says_so() -> None:
    with Recorder() as recorder:
        x = leaf(3)
        y = x * 2
        y.register_hook(lambda g: g + 1)
        (y.exp() + y.sin()).sum().backward()

    assert hooked(document_of(recorder)) == ["mul"]


def test_a_sum_of_several_consumers_is_no_change() -> None:
    with Recorder() as recorder:
        x = leaf(3)
        y = x * 2
        (y.exp() + y.sin() + y).sum().backward()

    assert hooked(document_of(recorder)) == []


def test_a_changed_view_leads_to_what_its_base_has_become() -> None:
    with Recorder() as recorder:
        x = leaf(3)
        y = x * 2
        part = y[:2]
        part.sin_()
        part.sum().backward()

    document = document_of(recorder)
    nodes = document["nodes"]
    (base,) = [node for node in nodes if node["op"] == "copy_slices"]
    assert base["value"] is not None
    assert base["in_place"]
    assert base["aten"] == "sin_"


def test_a_pass_inside_a_pass_says_which_one() -> None:
    net = nn.Linear(2, 2)
    with Recorder() as recorder:
        x = leaf(1, 2)
        checkpoint(net, x, use_reentrant=True).sum().backward()

    outer, inner = document_of(recorder)["backward"]
    assert "inside" not in outer
    assert inner["inside"] == 0


def test_values_of_a_retained_graph_are_there_in_calls_that_come_much_later() -> None:
    with Recorder(keep=2) as recorder:
        x = leaf(3)
        shared = x.exp()
        for i in range(12):
            (shared * i).sum().backward(retain_graph=True)

    nodes = document_of(recorder)["nodes"]
    assert all(node["value"] is not None for node in nodes)
    assert [node["name"] for node in nodes if node["op"] == "exp"] == ["shared"]


def test_two_saves_give_the_same_bytes(tmp_path: Path) -> None:
    with Recorder() as recorder:
        (leaf(30) * 2).sum().backward()
    for name in ("a", "b"):
        recorder.save(tmp_path / name)

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.gradviz"
    path.write_text("old")
    with Recorder() as recorder:
        (leaf(30) * 2).sum().backward()
    monkeypatch.setattr(Recorder, "document", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        recorder.save(path)

    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["run.gradviz"]
