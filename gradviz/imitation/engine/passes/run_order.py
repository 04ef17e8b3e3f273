"""In which order the steps of a recorded pass ran, the accumulations at the leaves among them.

The plain loop of `backward` knows the order of the interior nodes only. A leaf accumulates as soon as its last term
has come in; of up to two that become ready together the one whose edge comes first is first. Of more of them the
order is that of PyTorch's heap, which is then gone through once more.
"""

from __future__ import annotations

from gradviz.imitation.engine.passes.ready_queue import FIRST, ReadyQueue
from gradviz.imitation.engine.passes.sweep_record import SweepRecord


def run_order(record: SweepRecord) -> list[int]:
    """The positions of all steps, interior nodes and leaves, in the order in which they ran."""
    if record.steps:
        return record.steps
    ready = _leaves_by_step(record)
    if any(len(leaves) > 2 for leaves in ready):
        return _by_heap(record)
    order = list(ready[0])
    for at, node in enumerate(record.order, 1):
        order.append(node)
        order.extend(ready[at])
    return order


def _leaves_by_step(record: SweepRecord) -> list[list[int]]:
    """The leaves that each step makes ready, in the order of their edges; those that the seeds make ready first."""
    last_use: dict[int, int] = dict.fromkeys(record.leaves, 0)
    for at, (_, sources, _, sent) in enumerate(record.nodes, 1):
        for source, g in zip(sources, sent, strict=True):
            if g is not None and source in record.leaves:
                last_use[source] = at
    found: list[list[int]] = [[] for _ in range(len(record.order) + 1)]
    for leaf, at in last_use.items():
        found[at].append(leaf)
    for at, leaves in enumerate(found):
        leaves.sort(key=(record.sources[at - 1] if at else record.outputs).index)
    return found


def _by_heap(record: SweepRecord) -> list[int]:
    edges = {
        node: [source for source, g in zip(sources, sent, strict=True) if g is not None]
        for node, sources, _, sent in record.nodes
    }
    waits = dict.fromkeys((*record.order, *record.leaves), 0)
    for sources in (record.outputs, *edges.values()):
        for source in sources:
            waits[source] += 1
    queue, order = ReadyQueue(), []

    def send(sources: list[int] | tuple[int, ...]) -> None:
        for source in sources:
            waits[source] -= 1
            if not waits[source]:
                queue.push(FIRST if source in record.leaves else source, source)

    send(record.outputs)
    while queue:
        order.append(queue.pop())
        send(edges.get(order[-1], ()))
    return order
