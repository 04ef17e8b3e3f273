"""Logs that go to files, and the queues of searches and of work to do."""

import logging
import os
import queue
import sys
from queue import Empty, LifoQueue, PriorityQueue, Queue, SimpleQueue

import torch

logging.basicConfig(filename="all.log", level=logging.INFO, format="%(levelname)s %(message)s", filemode="w")
log = logging.getLogger("train")
log.addHandler(logging.StreamHandler(sys.stdout))
own = logging.FileHandler("own.log", mode="w", encoding="utf-8")
own.setFormatter(logging.Formatter("[%(name)s] %(message)s"))
own.setLevel(logging.WARNING)
late = logging.FileHandler("late.log", delay=True)
log.addHandler(own), log.addHandler(late)
print(os.path.exists("late.log"), os.path.exists("own.log"), os.path.basename(own.baseFilename))
x = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(2):
    loss = (x**2).sum()
    loss.backward()
    log.info("step %d loss %.3f grad %s", step, loss, x.grad)
log.warning("è finita")
logging.debug("not shown")
for name in ("all.log", "own.log", "late.log"):
    with open(name, encoding="utf-8") as file:
        print(name, file.readlines())
own.close()
log.removeHandler(own)


class Tee:
    def write(self, text):
        print(f"<{text.strip()}>")

    def flush(self):
        print("flushed")


tee = logging.StreamHandler(Tee())
log.addHandler(tee)
log.error("once")
log.removeHandler(tee)


def deepest(fn):
    """How far each kind of node is from the end."""
    todo, depth = Queue(), {}
    todo.put((fn, 0))
    while not todo.empty():
        node, far = todo.get()
        if node is not None:
            depth[node.name()] = max(far, depth.get(node.name(), 0))
            for child, _ in node.next_functions:
                todo.put((child, far + 1))
        todo.task_done()
    todo.join()
    return depth


print(deepest(((x.exp() * 2).sum() + x.prod()).grad_fn))
ways = PriorityQueue()
for item in [(3, "c"), (1, "a"), (2, "b")]:
    ways.put(item)
print([ways.get() for _ in range(ways.qsize())], ways.empty())
pile = LifoQueue(maxsize=2)
pile.put(1), pile.put_nowait(2)
print(pile.full(), pile.qsize(), pile.get(), pile.queue)
for attempt in (lambda: Queue().get_nowait(), lambda: Queue().get(timeout=0.01), lambda: SimpleQueue().get(False), Queue().task_done):
    try:
        attempt()
    except Empty as e:
        print("empty", repr(e))
    except ValueError as e:
        print(e)
try:
    full = Queue(1)
    full.put("a"), full.put("b", block=False)
except queue.Full as e:
    print(repr(e), full.queue)
