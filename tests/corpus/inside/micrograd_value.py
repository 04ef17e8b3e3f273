# Reverse mode on single numbers: each result remembers how to hand its gradient back
import math
import random


class Number:
    """A number that knows where it came from."""

    count = 0

    def __init__(self, value, made_from=(), how="given"):
        Number.count += 1
        self.value = float(value)
        self.made_from = frozenset(made_from)
        self.how = how
        self.slope = 0.0
        self.hand_back = None

    @staticmethod
    def of(thing):
        return thing if isinstance(thing, Number) else Number(thing)

    def __add__(self, right):
        right = Number.of(right)
        total = Number(self.value + right.value, [self, right], "add")

        def hand_back():
            for part in (self, right):
                part.slope += total.slope

        total.hand_back = hand_back
        return total

    def __mul__(self, right):
        right = Number.of(right)
        product = Number(self.value * right.value, [self, right], "mul")

        def hand_back():
            self.slope += product.slope * right.value
            right.slope += product.slope * self.value

        product.hand_back = hand_back
        return product

    def through(self, value, derivative, how):
        """A function of this number alone, given what it is here and how steep it is here."""
        result = Number(value, [self], how)

        def hand_back():
            self.slope += result.slope * derivative

        result.hand_back = hand_back
        return result

    def __pow__(self, exponent):
        if not isinstance(exponent, (int, float)):
            raise TypeError(f"the exponent is {type(exponent).__name__}, not a plain number")
        return self.through(self.value**exponent, exponent * self.value ** (exponent - 1), f"pow {exponent}")

    def exp(self):
        grown = math.exp(self.value)
        return self.through(grown, grown, "exp")

    def softplus(self):
        return self.through(math.log1p(math.exp(self.value)), 1 / (1 + math.exp(-self.value)), "softplus")

    def ramp(self):
        is_on = self.value > 0
        return self.through(self.value * is_on, is_on, "ramp")

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return -1 * self

    def __sub__(self, right):
        return self + -Number.of(right)

    def __rsub__(self, left):
        return left + -self

    def __truediv__(self, right):
        return self * Number.of(right) ** -1

    def __rtruediv__(self, left):
        return left * self**-1

    def __lt__(self, right):
        return self.value < Number.of(right).value

    def __str__(self):
        return f"{self.how}: {self.value:.5f} (slope {self.slope:+.5f})"

    def pull(self):
        """Fill in `slope` of everything that this number depends on."""
        order, seen = [], set()

        def visit(number):
            if number in seen:
                return
            seen.add(number)
            for earlier in number.made_from:
                visit(earlier)
            order.append(number)

        visit(self)
        for number in order:
            number.slope = 0.0
        self.slope = 1.0
        while order:
            number = order.pop()
            if number.hand_back is not None:
                number.hand_back()
        return len(seen)


# a formula in which everything is used more than once
p, q = Number(1.5), Number(-0.75)
r = p * q + p**3
r += 2 * r - q
r = r / (1 + q * q)
s = (p - q).ramp() + (q - p).ramp() + (0.1 * r).exp()
t = s.softplus() / 2.0 - 3.0 / (4 + s)
print("depends on", t.pull(), "numbers")
for number in (p, q, r, s, t):
    print(number)
print(min(p, q) is q, max([p, q, r], key=lambda number: number.slope) is r)

# against a difference
def formula(a, b):
    c = a * b + a**3
    c = (3 * c - b) / (1 + b * b)
    d = max(a - b, 0) + max(b - a, 0) + math.exp(0.1 * c)
    return math.log1p(math.exp(d)) / 2 - 3 / (4 + d)


h = 1e-6
for i, number in enumerate((p, q)):
    up, down = [1.5, -0.75], [1.5, -0.75]
    up[i] += h
    down[i] -= h
    print(abs((formula(*up) - formula(*down)) / (2 * h) - number.slope) < 1e-6)

try:
    p**q
except TypeError as error:
    print("refused:", error)


class Unit:
    """One weighted sum, bent or straight."""

    def __init__(self, draw, width, *, bent):
        self.weights = [Number(draw()) for _ in range(width)]
        self.offset = Number(0)
        self.bent = bent

    def __call__(self, signals):
        total = sum((w * x for w, x in zip(self.weights, signals)), start=self.offset)
        return total.ramp() if self.bent else total

    def __iter__(self):
        yield from self.weights
        yield self.offset


class Net:
    """Rows of units, each fed by the row before it."""

    def __init__(self, *widths, seed):
        draw = random.Random(seed)
        last = len(widths) - 2
        self.rows = [
            [Unit(lambda: draw.gauss(0, 0.7), fan_in, bent=row < last) for _ in range(fan_out)]
            for row, (fan_in, fan_out) in enumerate(zip(widths, widths[1:]))
        ]

    def __call__(self, *signals):
        for row in self.rows:
            signals = [unit(signals) for unit in row]
        (answer,) = signals
        return answer

    @property
    def knobs(self):
        return [knob for row in self.rows for unit in row for knob in unit]

    def __repr__(self):
        return "Net(" + " -> ".join(str(len(row)) for row in self.rows) + f", {len(self.knobs)} knobs)"


net = Net(2, 5, 3, 1, seed=11)
print(net)
corners = {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0}
for sweep in range(24):
    loss = sum((net(*corner) - wanted) ** 2 for corner, wanted in corners.items()) / len(corners)
    loss.pull()
    for knob in net.knobs:
        knob.value -= 0.2 * knob.slope
    if not sweep % 6:
        steepest = max(abs(knob.slope) for knob in net.knobs)
        print(f"sweep {sweep:2d}: loss {loss.value:.6f}, steepest {steepest:.6f}")
print({corner: round(net(*corner).value, 4) for corner in corners})
print(Number.count > 1000)
