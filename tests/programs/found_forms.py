"""Functions in many forms at once: which of several wrong arguments PyTorch names, and what it takes after all."""

from tests.programs.telling import TELL

GIVEN = (
    TELL
    + """
import itertools
d, f4, h, bf, i8, b1 = torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool
def T(*s, t=d, g=False):
    n = 1
    for k in s:
        n *= k
    x = (torch.arange(n, dtype=d) * 7 % 5 - 2) * 0.25 if t.is_floating_point else torch.arange(n) % 3
    return x.to(t).reshape(s).requires_grad_(g)
"""
)

FORMS = {
    "convolutions look at groups, numbers, sizes and dtypes in an order of their own": GIVEN
    + """
xs = T(1, 2, 5), T(2, 5), T(1, 2, 5, t=f4), T(1, 2, 5, t=i8), T(5), T(1, 0, 5), T(0, 2, 5), T(1, 2, 0), T(1, 2, 5, t=h)
ws = T(2, 2, 3, g=True), T(4, 1, 3), T(2, 2, 3, t=f4), T(2, 2, 3, t=bf), T(2, 3), T(2, 2, 0), T(2, 2, 1, 3), T(3, 1, 2)
given = [{}, {'groups': 2}, {'groups': 0}, {'dilation': 0}, {'stride': (1, 2)}, {'padding': -1}, {'padding': 5},
         {'padding': 'same'}, {'padding': 'x', 'groups': 0}, {'output_padding': 1}]
for (n, x), (m, w) in itertools.product(enumerate(xs), enumerate(ws)):
    for f in (F.conv1d, F.conv_transpose1d):
        kw, bias = given[(n * 3 + m * 7) % 10], (None, T(2), T(2, t=f4), T(4), T(2, t=i8))[(n + m * 2) % 5]
        tell(lambda: f(x, w, bias, **kw), lambda: f(x, w, bias), lambda: f(x, w, **kw))
for f, x in itertools.product((F.conv2d, F.conv_transpose2d), (T(1, 2, 4, 5), T(2, 4, 5), T(4, 5), T(1, 2, 0, 5))):
    for w in (T(2, 2, 3, 2), T(2, 2, 3), T(2, 3), T(4, 1, 2, 2, t=f4), T(1, 2, 2, 3)):
        tell(lambda: f(x, w), lambda: f(x, w, T(2, t=f4)), lambda: f(x, w, groups=2, dilation=(0, 1)))
bias = T(2, t=f4, g=True)
F.conv1d(T(1, 2, 5), T(2, 2, 3), bias, padding='same').sum().backward()
show_grad('bias', bias)
""",
}
