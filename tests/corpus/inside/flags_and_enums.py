import numpy as np, torch
from enum import IntFlag, Flag, IntEnum, auto
class O(IntFlag): A=1; B=2; C=4
class F(Flag): A=1; B=2
class I(IntEnum): X=1
for v in (O.A, O.A|O.B, O(0), O(8), O(9), F.A, F.A|F.B, F(0), I.X):
    print(v, repr(v), f"{v}", f"{v!r}", "%s" % v, "{}".format(v), v.name, v.value)
    if isinstance(v, int): print(f"{v:d} {v:3}|", v + 1, v == 1)
print(O.A | 8, type(O.A | O.B), O.A & 3, O.A in O(3), list(O(5)), ~O.A, len(O(3)), O['A'], O(3) - 1)
from enum import Enum, auto
import enum
class Color(Enum):
    RED = 1
    GREEN = 2
    ALIAS = 1
print(Color, Color.RED, list(Color), Enum, type(Color), Color.ALIAS, Color(2), Color["RED"], [c.name for c in Color], Color.RED.name, isinstance(Color.RED, Color), Color.__members__)
try: Color(9)
except ValueError as e: print(e)
try: Color.RED = 3
except AttributeError as e: print(e)
try: Color.BLUE
except AttributeError as e: print(e)
try: Color["BLUE"]
except KeyError as e: print(e)
print(3 in [c.value for c in Color], Color.RED in Color, {Color.RED: "r"}[Color.RED], Color.RED is Color.ALIAS, hash(Color.RED) == hash(Color.ALIAS))
try: 
    class More(Color): X = 1
except TypeError as e: print(e)
