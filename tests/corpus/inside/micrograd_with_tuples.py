# A tape of plain tuples: (what was done, indices of the inputs, slopes), read backwards once
import math
import operator
import random
from collections import namedtuple
from functools import reduce

Line = namedtuple("Line", "what inputs slopes")


class Tape:
    def __init__(self):
        self.lines = []
        self.values = []

    def write(self, value, what="input", inputs=(), slopes=()):
        if len(inputs) != len(slopes):
            raise ValueError(f"{what}: {len(inputs)} inputs but {len(slopes)} slopes")
        self.lines.append(Line(what, tuple(inputs), tuple(slopes)))
        self.values.append(value)
        return Cell(self, len(self.lines) - 1)

    def __len__(self):
        return len(self.lines)

    def rewind(self, cell, seed=1.0):
        """The gradient of one cell in every cell written before it."""
        adjoints = [0.0] * len(self)
        adjoints[cell.index] = seed
        for index, line in reversed(list(enumerate(self.lines))):
            if (incoming := adjoints[index]) == 0:
                continue
            for source, slope in zip(line.inputs, line.slopes):
                adjoints[source] += incoming * slope
        return adjoints


def lifted(name, value_of, slopes_of):
    """An operator that writes itself on the tape; numbers become cells first."""

    def method(self, *others):
        cells = (self, *(self.like(other) for other in others))
        numbers = [cell.value for cell in cells]
        return self.tape.write(value_of(*numbers), name, [cell.index for cell in cells], slopes_of(*numbers))

    method.__name__ = name
    return method


class Cell:
    __slots__ = ("tape", "index")

    def __init__(self, tape, index):
        self.tape, self.index = tape, index

    @property
    def value(self):
        return self.tape.values[self.index]

    def like(self, other):
        if isinstance(other, Cell):
            assert other.tape is self.tape, "two tapes do not mix"
            return other
        return self.tape.write(other, "number")

    __add__ = lifted("+", operator.add, lambda a, b: (1.0, 1.0))
    __sub__ = lifted("-", operator.sub, lambda a, b: (1.0, -1.0))
    __mul__ = lifted("*", operator.mul, lambda a, b: (b, a))
    __truediv__ = lifted("/", operator.truediv, lambda a, b: (1 / b, -a / b**2))
    sin = lifted("sin", math.sin, lambda a: (math.cos(a),))
    log = lifted("log", math.log, lambda a: (1 / a,))
    tanh = lifted("tanh", math.tanh, lambda a: (1 - math.tanh(a) ** 2,))

    def __repr__(self):
        line = self.tape.lines[self.index]
        came = " ".join(f"#{i}" for i in line.inputs) or "-"
        return f"#{self.index} {line.what} <{came}> = {self.value:.6g}"


tape = Tape()
u, v = tape.write(2.0), tape.write(5.0)
f = u.log() + u * v - v.sin()
gradient = tape.rewind(f)
for index, line in enumerate(tape.lines):
    print(repr(Cell(tape, index)), f"adjoint {gradient[index]:.6g}")
print(f"{f.value:.6f} {gradient[u.index]:.6f} {gradient[v.index]:.6f}")
print(tape.rewind(f, seed=-2.0)[u.index] == -2 * gradient[u.index])

# the slopes of a product of many, each once more by division
tape = Tape()
factors = [tape.write(x) for x in (1.1, 0.9, -1.3, 2.0)]
whole = reduce(operator.mul, factors)
print([round(g, 6) for g in tape.rewind(whole)[:4]], [round(whole.value / x.value, 6) for x in factors])

# a curve through three points: tanh units, steepest descent, a fresh tape for every round
dice = random.Random(3)
shape = {"slope": 4, "shift": 4, "height": 4}
numbers = {name: [dice.uniform(-1, 1) for _ in range(size)] for name, size in shape.items()}
points = [(-1.0, 0.5), (0.0, -0.5), (1.0, 0.25)]


def misfit(tape, knobs):
    loss = tape.write(0.0)
    for x, wanted in points:
        rows = zip(*knobs.values())
        heights = [height * (slope * x + shift).tanh() for slope, shift, height in rows]
        gap = reduce(operator.add, heights) - wanted
        loss = loss + gap * gap
    return loss


for turn in range(30):
    tape = Tape()
    knobs = {name: [tape.write(x, name) for x in values] for name, values in numbers.items()}
    loss = misfit(tape, knobs)
    adjoints = tape.rewind(loss)
    numbers = {name: [cell.value - 0.15 * adjoints[cell.index] for cell in cells] for name, cells in knobs.items()}
    if turn % 10 == 0:
        print(turn, f"{loss.value:.6f}", len(tape), sorted({line.what for line in tape.lines}))
print(*(f"{name} {[round(x, 4) for x in values]}" for name, values in numbers.items()), sep="\n")

# depth costs the tape nothing: it is a list, and no function calls itself
tape = Tape()
deep = start = tape.write(1.0)
for _ in range(400):
    deep = deep * 1.001 + 0.5
print(f"{tape.rewind(deep)[start.index]:.6f} {1.001**400:.6f} {len(tape)}")

try:
    tape.write(0.0, "broken", [0], [])
except ValueError as error:
    print("refused:", error)
try:
    deep + Tape().write(1.0)
except AssertionError as error:
    print("refused:", error)
