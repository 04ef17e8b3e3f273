"""`queue`: queues as Python has them, in the language of scripts. No threads run here, so none waits for another."""

from __future__ import annotations

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import written
from gradviz.imitation.script.values import Namespace

QUEUES = """
class Empty(Exception): pass
class Full(Exception): pass

class Queue:
    def __init__(self, maxsize=0):
        self.maxsize, self.unfinished_tasks = maxsize, 0
        self._init(maxsize)
    def _init(self, maxsize): self.queue = deque()
    def _qsize(self): return len(self.queue)
    def _put(self, item): self.queue.append(item)
    def _get(self): return self.queue.popleft()
    def qsize(self): return self._qsize()
    def empty(self): return not self._qsize()
    def full(self): return 0 < self.maxsize <= self._qsize()
    def put(self, item, block=True, timeout=None):
        if self.full():
            if not block or timeout is not None:
                raise Full
            raise RuntimeError("put() would wait for ever: the queue is full, and gradviz runs no threads")
        self._put(item)
        self.unfinished_tasks += 1
    def get(self, block=True, timeout=None):
        if not self._qsize():
            if not block or timeout is not None:
                raise Empty
            raise RuntimeError("get() would wait for ever: the queue is empty, and gradviz runs no threads")
        return self._get()
    def put_nowait(self, item): return self.put(item, block=False)
    def get_nowait(self): return self.get(block=False)
    def task_done(self):
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1
    def join(self):
        if self.unfinished_tasks:
            raise RuntimeError("join() would wait for ever: tasks are not done, and gradviz runs no threads")

class PriorityQueue(Queue):
    def _init(self, maxsize): self.queue = []
    def _put(self, item): heapq.heappush(self.queue, item)
    def _get(self): return heapq.heappop(self.queue)

class LifoQueue(Queue):
    def _init(self, maxsize): self.queue = []
    def _get(self): return self.queue.pop()

class SimpleQueue:
    def __init__(self): self._held = Queue()
    def put(self, item, block=True, timeout=None): self._held.put(item)
    def get(self, block=True, timeout=None): return self._held.get(block, timeout)
    def put_nowait(self, item): self._held.put(item)
    def get_nowait(self): return self._held.get(False)
    def qsize(self): return self._held.qsize()
    def empty(self): return self._held.empty()
"""
NAMES = ("Empty", "Full", "LifoQueue", "PriorityQueue", "Queue", "SimpleQueue")


def module(machine: Machine) -> Namespace:
    """The names."""
    used = {"heapq": machine.modules["heapq"], "deque": machine.modules["collections"].members["deque"]}
    made = written.run_text(machine, QUEUES, used, "queue")
    return Namespace("queue", {name: made[name] for name in NAMES})
