"""What is recorded is what independent hooks see, bit for bit, and the run is the one without the recorder."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gradviz.capture.forward import Leaf  # noqa: E402
from gradviz.capture.recorder import Recorder  # noqa: E402
from tests.capture.cases import CASES, HOOKED  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def same(a: Any, b: Any) -> bool:
    """Whether two tensors are the same bits (or both None)."""
    if a is None or b is None:
        return a is b
    if a.layout != torch.strided or b.layout != torch.strided:
        return a.layout == b.layout and same(a.to_dense(), b.to_dense())
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.is_complex():
        a, b = torch.view_as_real(a.detach().resolve_conj()), torch.view_as_real(b.detach().resolve_conj())
    return not a.numel() or torch.equal(bits(a), bits(b))


def bits(t: Any) -> Any:
    flat = t.detach().contiguous()
    return flat.as_strided((flat.numel(),), (1,)).view(torch.uint8)


def copy(t: Any) -> Any:
    return None if t is None else t.detach().clone()


class Observer:
    """Hooks on every Node under a loss, hung there by hand: (name, what comes in, what goes out) in order."""

    def __init__(self, loss: Any) -> None:
        self.seen: list[tuple[str, list[Any], list[Any]]] = []
        self._handles: list[Any] = []
        known, waiting = set(), [loss.grad_fn]
        while waiting:
            node = waiting.pop()
            if node is None or node in known:
                continue
            known.add(node)
            waiting += [below for below, _ in node.next_functions]
            self._watch(node)

    def _watch(self, node: Any) -> None:
        came: list[Any] = []
        self._handles.append(node.register_prehook(lambda grads: came.append([copy(g) for g in grads])))

        def after(sent: Any, _: Any) -> None:
            self.seen.append((node.name(), came.pop(), [copy(g) for g in sent]))

        self._handles.append(node.register_hook(after))

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()


class Ran:
    """One run of a case."""

    def __init__(self, make: Callable[[], Any], how: str) -> None:
        torch.manual_seed(7)
        self.recorder: Any = None
        self.observed: list[Any] = []
        around: Any = contextlib.nullcontext()
        if how in ("capture", "summary"):
            around = self.recorder = Recorder(summary_above=0 if how == "summary" else None)
        with around:
            losses, leaves, between = make()
            self.between = [copy(t) for t in between]
            if how == "between":
                self.gradients = [
                    torch.autograd.grad(loss, between, retain_graph=True, allow_unused=True) if between else ()
                    for loss in losses
                ]
                return
            self.before = len(self.recorder.sweeps) if self.recorder is not None else 0
            self._back(losses, how)
            self.outputs: list[Any] = []
            if self.recorder is not None:
                for t in between:
                    event = t.grad_fn.metadata.get(self.recorder.key)
                    self.outputs.append((event, t.output_nr, None if event is None else event.outputs.get(t.output_nr)))
        self.losses = [copy(loss) for loss in losses]
        self.grads = [copy(t.grad) for t in leaves]
        self.random = torch.get_rng_state()

    def _back(self, losses: Any, how: str) -> None:
        for number, loss in enumerate(losses, 1):
            observer = Observer(loss) if how == "hooks" else None
            loss.backward(retain_graph=number < len(losses))
            if observer is not None:
                observer.remove()
                self.observed.append(observer.seen)


def test_there_are_sixty_cases() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_the_run_is_the_one_without_the_recorder(name: str) -> None:
    plain = Ran(CASES[name], "plain")

    for how in ("capture", "summary"):
        ran = Ran(CASES[name], how)
        assert ran.recorder.faults == []
        assert all(map(same, plain.losses, ran.losses))
        assert all(map(same, plain.grads, ran.grads))
        assert all(map(same, plain.between, ran.between))
        assert torch.equal(plain.random, ran.random)
    assert type(torch.autograd.Variable._execution_engine).__name__ != "EngineDoor"
    assert torch.nn.Module.__call__.__name__ != "_call_module"
    assert torch._C._len_torch_dispatch_stack() == 0


@pytest.mark.parametrize("name", CASES)
def test_every_gradient_is_what_independent_hooks_see(name: str) -> None:
    hooked, ran = Ran(CASES[name], "hooks"), Ran(CASES[name], "capture")
    sweeps = [made for made in ran.recorder.sweeps[ran.before :] if made.around is None]
    count = 0

    assert len(sweeps) == len(hooked.observed)
    for made, seen in zip(sweeps, hooked.observed, strict=True):
        assert len(made.steps) == len(seen)
        for step, (node, came, sent) in zip(made.steps, seen, strict=True):
            assert isinstance(step.where, Leaf) == ("AccumulateGrad" in node)
            assert len(step.came) == len(came)
            assert len(step.sent) == len(sent)
            for kept, g in [*zip(step.came, came, strict=True), *zip(step.sent, sent, strict=True)]:
                assert (kept is None) == (g is None)
                if kept is not None and kept.reason != "sparse":
                    assert same(kept.tensor, g), node
                    count += 1
    assert count
    last = {id(where): after for made in ran.recorder.sweeps for where, _, _, after in made.accumulated}
    after = [kept.tensor for kept in last.values() if kept is not None and kept.tensor is not None]
    assert all(g is None or any(same(g, each) for each in after) for g in ran.grads)


@pytest.mark.parametrize("name", CASES)
def test_every_value_is_that_of_the_forward_pass(name: str) -> None:
    ran = Ran(CASES[name], "capture")

    for value, (_, _, output) in zip(ran.between, ran.outputs, strict=True):
        assert output is not None
        assert same(output.kept.tensor, value)


@pytest.mark.parametrize("name", [name for name in CASES if name not in HOOKED])
def test_what_comes_into_a_node_is_autograd_grad_of_it(name: str) -> None:
    ran, between = Ran(CASES[name], "capture"), Ran(CASES[name], "between")
    sweeps = [made for made in ran.recorder.sweeps[ran.before :] if made.around is None]

    if name == "reentrant_checkpoint":
        return  # autograd.grad refuses it
    for made, gradients in zip(sweeps, between.gradients, strict=False):
        came = {id(step.where): step.came for step in made.steps}
        for (event, number, _), g in zip(ran.outputs, gradients, strict=True):
            found = came.get(id(event))
            kept = None if found is None else found[number]
            assert (kept is None) == (g is None)
            assert kept is None or same(kept.tensor, g)


@pytest.mark.parametrize("name", CASES)
def test_the_file_holds_together(name: str, tmp_path: Any) -> None:
    for how in ("capture", "summary"):
        ran = Ran(CASES[name], how)
        ran.recorder.save(tmp_path / "run.gradviz")
        with zipfile.ZipFile(tmp_path / "run.gradviz") as file:
            assert file.testzip() is None
            document = json.loads(file.read("recording.json"))
            names = set(file.namelist()) - {"recording.json"}
        assert set(members(document)) == names
        check(document)


def members(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if set(value) == {"member"}:
            yield value["member"]
        for each in value.values():
            yield from members(each)
    elif isinstance(value, list):
        for each in value:
            yield from members(each)


def check(document: Any) -> None:
    """The rules of the format that no array is needed for."""
    nodes = document["nodes"]
    for number, node in enumerate(nodes):
        assert node["id"] == number
        assert all(0 <= source < number for source in node["inputs"])
        assert node["value"] is not None or "summary" in node or "outputs" in node
        assert node["line"] is not None or node["op"] in ("leaf", "constant", "output") or "backward_node" in node
    for made in document["backward"]:
        done = [step["node"] for step in made["steps"]]
        assert len(set(done)) == len(done)
        for step in made["steps"]:
            inputs = nodes[step["node"]]["inputs"]
            assert len(step["outgoing"]) in (0, len(inputs))
            assert [entry["to"] for entry in step["outgoing"]] == inputs[: len(step["outgoing"])]


def test_members_are_read_by_numpy(tmp_path: Any) -> None:
    np = pytest.importorskip("numpy")
    with Recorder() as recorder:
        x = torch.arange(12.0).reshape(3, 4).requires_grad_()
        y = x.t().expand(2, 4, 3).double() * 2
        y.sum().backward()
    recorder.save(tmp_path / "run.gradviz")

    with zipfile.ZipFile(tmp_path / "run.gradviz") as file:
        document = json.loads(file.read("recording.json"))
        arrays = {}
        for node in document["nodes"]:
            if isinstance(node["value"], dict):
                arrays[node["op"]] = np.load(io.BytesIO(file.read(node["value"]["member"])), allow_pickle=False)
    assert np.array_equal(arrays["leaf"], x.detach().numpy())
    assert np.array_equal(arrays["mul"], y.detach().numpy())
    assert arrays["mul"].dtype == np.float64
