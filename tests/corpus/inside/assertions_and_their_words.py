# what each assertion of unittest says when it fails, and how a run is told
import sys
import unittest
import warnings

import torch


class T(unittest.TestCase):
    def runTest(self):
        pass


t = T()
x = torch.tensor([1.0, 2.0], requires_grad=True)
long = list(range(60))
TRIES = [
    ("assertEqual", 1, 2), ("assertEqual", 1, 2, "with a message"), ("assertEqual", "abc", "abd"), ("assertEqual", "a\nb\n", "a\nc\n"),
    ("assertEqual", [1, 2, 3], [1, 5, 3]), ("assertEqual", [1], [1, 2]), ("assertEqual", (1, 2), (1,)), ("assertEqual", {1, 2}, {2, 3}),
    ("assertEqual", {"a": 1}, {"a": 2}), ("assertEqual", long, long[:-1] + [0]), ("assertEqual", 1.5, "1.5"),
    ("assertEqual", "x" * 100, "x" * 99 + "y"), ("assertEqual", object, int),
    ("assertNotEqual", 1, 1), ("assertTrue", []), ("assertTrue", 0, "no"), ("assertFalse", [1]), ("assertIs", 1, 2), ("assertIsNot", None, None),
    ("assertIsNone", 3), ("assertIsNotNone", None), ("assertIn", 3, [1]), ("assertNotIn", 1, [1]), ("assertIsInstance", 1, str),
    ("assertIsInstance", 1, (str, float)), ("assertNotIsInstance", 1, int), ("assertGreater", 1, 2), ("assertGreaterEqual", 1, 2),
    ("assertLess", 2, 1), ("assertLessEqual", 2, 1), ("assertAlmostEqual", 1.0, 1.1), ("assertAlmostEqual", 1.0, 1.001, 2),
    ("assertAlmostEqual", x.sum().item(), 3.5), ("assertNotAlmostEqual", 1.0, 1.0), ("assertRegex", "abc", r"\d+"), ("assertNotRegex", "a1", r"\d"),
    ("assertCountEqual", [1, 1, 2], [2, 1, 3]), ("assertListEqual", [1], (1,)), ("assertDictEqual", {}, []), ("assertSetEqual", {1}, {1, 2}),
    ("assertTupleEqual", (1,), (2,)), ("assertSequenceEqual", [1, 2], (1, 3)), ("assertMultiLineEqual", "a", "b"), ("fail", "because"), ("fail",),
]
for name, *given in TRIES:
    try:
        getattr(t, name)(*given)
    except AssertionError as error:
        print(f"{name}: {error}")
    else:
        print(name, "holds")
try:
    t.assertAlmostEqual(1.0, 1.2, delta=0.1)
except AssertionError as error:
    print(error)
try:
    t.assertAlmostEqual(1.0, 1.2, 3, delta=0.1)
except TypeError as error:
    print(error)
for make in (
    lambda: t.assertRaises(ValueError, int, "3"),
    lambda: t.assertRaises((ValueError, KeyError), lambda: None),
    lambda: t.assertRaisesRegex(ValueError, "^no", int, "x"),
    lambda: t.assertRaises(ValueError, int, "x"),
    lambda: t.assertRaises(KeyError, int, "x"),
    lambda: t.assertWarns(UserWarning, len, []),
    lambda: t.assertWarns(UserWarning, warnings.warn, "w"),
    lambda: t.assertRaisesRegex(RuntimeError, "does not require grad", torch.ones(2).sum().backward),
):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__, error)
with t.assertRaises(RuntimeError) as caught:
    x.backward()
print(caught.exception)


class Base(unittest.TestCase):
    events = []

    @classmethod
    def setUpClass(cls):
        cls.events.append(f"open {cls.__name__}")

    @classmethod
    def tearDownClass(cls):
        cls.events.append(f"close {cls.__name__}")

    def setUp(self):
        self.addCleanup(self.events.append, "cleaned")
        self.events.append("set up")

    def tearDown(self):
        self.events.append("torn down")


class Many(Base):
    def test_ok(self):
        """It holds."""
        self.assertTrue(x.requires_grad)

    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(n % 2, 0)

    @unittest.skipIf(torch.ones(1).item() == 1, "one is one")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.fail("of course")

    def test_skips_itself(self):
        self.skipTest("not today")

    def test_error(self):
        {}["nothing"]


@unittest.skip("whole class")
class Skipped(Base):
    def test_a(self):
        pass


suite = unittest.TestSuite()
suite.addTest(Many("test_ok"))
suite.addTests([Many("test_skipped"), Many("test_expected"), Many("test_skips_itself"), Skipped("test_a")])
print(suite.countTestCases(), suite, Many("test_ok").id(), Many("test_ok"), Many("test_ok").shortDescription())
result = suite.run(unittest.TestResult())
print(result, result.skipped, len(result.expectedFailures), result.wasSuccessful())
whole = unittest.defaultTestLoader.loadTestsFromTestCase(Many)
result = unittest.TextTestRunner(verbosity=2).run(whole)
print(result, [str(test) for test, _ in result.failures], [test.id() for test, _ in result.errors])
print(Base.events)
try:
    Many("test_missing")
except ValueError as error:
    print(error)
if __name__ == "__main__":
    unittest.main(argv=["x"], verbosity=2)
