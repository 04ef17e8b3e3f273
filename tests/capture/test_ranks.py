"""Several processes train together; each records itself, without a word to the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not torch.distributed.is_available(), reason="this PyTorch knows no other processes"),
]

SCRIPT = """\
import os, sys, torch
import torch.distributed as dist
from gradviz.capture import Recorder

rank = int(os.environ["RANK"])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)))
torch.manual_seed(rank)
with Recorder() as recorder:
    for step in range(3):
        x = torch.randn(5, 3)
        if rank == 1 and step == 2:
            x = x * 100
        net(x).pow(2).mean().backward()
        net.zero_grad()
recorder.save(os.path.join(sys.argv[1], f"rank{rank}.gradviz"))
dist.destroy_process_group()
"""


def read(path: Path) -> Any:
    """The document, its members as arrays."""
    with zipfile.ZipFile(path) as file:

        def opened(value: Any) -> Any:
            if isinstance(value, dict):
                if set(value) == {"member"}:
                    with file.open(value["member"]) as member:
                        return np.load(member, allow_pickle=False)
                return {key: opened(each) for key, each in value.items()}
            return [opened(each) for each in value] if isinstance(value, list) else value

        return opened(json.loads(file.read("recording.json")))


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("ranks")
    script = folder / "train.py"
    script.write_text(SCRIPT)
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1", "WORLD_SIZE": "2"}
    if sys.platform == "linux":
        environment["GLOO_SOCKET_IFNAME"] = "lo"  # a machine may not find itself by its own name
    for meeting in ("first", "second"):  # how two processes meet is PyTorch's, and on a busy machine it may fail once
        command = [sys.executable, str(script), str(folder), str(folder / meeting)]
        running = [subprocess.Popen(command, env={**environment, "RANK": str(rank)}) for rank in range(2)]
        ended = [each.wait(timeout=120) for each in running]
        if ended == [0, 0]:
            break
    assert ended == [0, 0]
    return [read(folder / f"rank{rank}.gradviz") for rank in range(2)]


def leaf_gradients(document: Any, step: int) -> dict[str, tuple[Any, Any]]:
    """By parameter: what came in on this rank, and what `.grad` was after the reduction."""
    made = document["backward"][step]
    came = {entry["node"]: entry["incoming"] for entry in made["steps"]}
    nodes = document["nodes"]
    return {
        nodes[entry["node"]]["name"]: (np.asarray(came[entry["node"]], "f4"), np.asarray(entry["after"], "f4"))
        for entry in made["accumulated"]
    }


def test_each_file_knows_its_rank(ranks: list[Any]) -> None:
    assert [document["rank"] for document in ranks] == [{"rank": rank, "world": 2} for rank in range(2)]
    assert [document.get("faults") for document in ranks] == [None, None]


def test_the_mean_of_what_comes_in_is_the_gradient_after_the_reduction(ranks: list[Any]) -> None:
    for step in range(3):
        first, second = (leaf_gradients(document, step) for document in ranks)
        assert len(first) == 4
        for name, (mine, after) in first.items():
            theirs, also = second[name]
            assert np.array_equal(after, also)
            assert np.array_equal((mine + theirs) / np.float32(2), after)


def test_a_rank_that_differs_is_found_from_the_two_files_alone(ranks: list[Any]) -> None:
    ratios = []
    for step in range(3):
        first, second = (leaf_gradients(document, step) for document in ranks)
        norms = [np.sqrt(sum(float((g**2).sum()) for g, _ in each.values())) for each in (first, second)]
        ratios.append(norms[1] / norms[0])

    assert ratios[2] > 50 * max(ratios[:2])
