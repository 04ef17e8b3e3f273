"""The cases of `unittest`: a class's fixtures and assertions, each with the words Python has for its failure."""

from __future__ import annotations

CASES = """
class SkipTest(Exception): pass
class _Expected(Exception): pass

def _id(x): return x
def _marked(item, reason):
    item.__unittest_skip__, item.__unittest_skip_why__ = True, reason
    return item
def skip(reason):
    if callable(reason):
        return skip("")(reason)
    def of(item):
        if isinstance(item, type):
            return _marked(item, reason)
        @functools.wraps(item)
        def skipped(*args, **kwargs): raise SkipTest(reason)
        return _marked(skipped, reason)
    return of
def skipIf(condition, reason): return skip(reason) if condition else _id
def skipUnless(condition, reason): return _id if condition else skip(reason)
def expectedFailure(item):
    item.__unittest_expecting_failure__ = True
    return item

def _ends(first, second):
    texts = [repr(first), repr(second)]
    if max(map(len, texts)) <= 80:
        return texts
    same = 0
    while same < min(map(len, texts)) and texts[0][same] == texts[1][same]:
        same += 1
    longest = max(map(len, texts)) - same
    room = 80 - longest - 5 - 12
    if room > 5:
        start = _shortened(texts[0][:same], 5, room)
        return [start + text[same:] for text in texts]
    start = _shortened(texts[0][:same], 5, 5)
    return [start + _shortened(text[same:], 41, 5) for text in texts]
def _shortened(text, head, tail):
    skipped = len(text) - head - tail
    return f"{text[:head]}[{skipped} chars]{text[len(text) - tail:]}" if skipped > 12 else text

def _compiled(pattern): return re.compile(pattern) if isinstance(pattern, str) else pattern

class _Raises:
    def __init__(self, case, expected, pattern=None, msg=None):
        self.case, self.expected, self.pattern, self.msg, self.called = case, expected, pattern, msg, None
    def _name(self):
        kinds = self.expected
        return str(kinds) if isinstance(kinds, tuple) else kinds.__name__
    def __enter__(self): return self
    def __exit__(self, kind, error, trace):
        if kind is None:
            by = f" by {self.called}" if self.called else ""
            self.case.fail(self.case._formatMessage(self.msg, f"{self._name()} not raised{by}"))
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        self._match(str(error))
        return True
    def _match(self, text):
        if self.pattern is not None:
            pattern = _compiled(self.pattern)
            if not pattern.search(text):
                said = f'"{pattern.pattern}" does not match "{text}"'
                self.case.fail(self.case._formatMessage(self.msg, said))
    def _called(self, args, kwargs):
        function, *rest = args
        self.called = getattr(function, "__name__", str(function))
        with self:
            function(*rest, **kwargs)

class _Warns(_Raises):
    def __enter__(self):
        self.catch = warnings.catch_warnings(record=True)
        self.seen = self.catch.__enter__()
        warnings.simplefilter("always", self.expected)
        return self
    def __exit__(self, kind, error, trace):
        self.catch.__exit__(kind, error, trace)
        if kind is not None:
            return False
        found = [each for each in self.seen if isinstance(each.message, self.expected)]
        if not found:
            by = f" by {self.called}" if self.called else ""
            self.case.fail(self.case._formatMessage(self.msg, f"{self._name()} not triggered{by}"))
        self.warning, self.lineno = found[0].message, found[0].lineno
        self._match(str(self.warning))

class _SubTest:
    def __init__(self, case, message, params):
        self.case, self.message, self.params = case, message, params
        self.failureException = case.failureException
    def _described(self):
        parts = [] if self.message is None else [f"[{self.message}]"]
        if self.params:
            parts.append("(" + ", ".join(f"{k}={v!r}" for k, v in self.params.items()) + ")")
        return " ".join(parts) or "(<subtest>)"
    def id(self): return f"{self.case.id()} {self._described()}"
    def shortDescription(self): return self.case.shortDescription()
    def __str__(self): return f"{self.case} {self._described()}"
    def __enter__(self): pass
    def __exit__(self, kind, error, trace):
        if kind is None:
            return False
        if issubclass(kind, (SkipTest, _Expected)) or not issubclass(kind, Exception):
            return False
        self.case._problems.append(error)
        try:
            raise error
        except Exception:
            self.case._result.addSubTest(self.case, self, error)
        return True

def _undo(promised):
    while promised:
        function, args, kwargs = promised.pop()
        function(*args, **kwargs)

class TestCase:
    failureException = AssertionError
    longMessage = True
    maxDiff = 640
    _result = None
    _class_cleanups = []
    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        cls._class_cleanups = []
    def __init__(self, methodName="runTest"):
        self._testMethodName = methodName
        self._cleanups, self._problems, self._equal = [], [], {}
        if not hasattr(self, methodName) and methodName != "runTest":
            raise ValueError("no such test method in %s: %s" % (self.__class__, methodName))
        if hasattr(self, methodName):
            self._testMethodDoc = getattr(self, methodName).__doc__
    def setUp(self): pass
    def tearDown(self): pass
    @classmethod
    def setUpClass(cls): pass
    @classmethod
    def tearDownClass(cls): pass
    @classmethod
    def addClassCleanup(cls, function, /, *args, **kwargs): cls._class_cleanups.append((function, args, kwargs))
    @classmethod
    def doClassCleanups(cls): _undo(cls._class_cleanups)
    def addCleanup(self, function, /, *args, **kwargs): self._cleanups.append((function, args, kwargs))
    def doCleanups(self): _undo(self._cleanups)
    def countTestCases(self): return 1
    def id(self): return f"{type(self).__module__}.{type(self).__qualname__}.{self._testMethodName}"
    def shortDescription(self):
        told = self._testMethodDoc
        return told.strip().partition("\\n")[0].strip() if told else None
    def __str__(self): return f"{self._testMethodName} ({self.id()})"
    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__qualname__} testMethod={self._testMethodName}>"
    def __eq__(self, other):
        return type(self) is type(other) and self._testMethodName == other._testMethodName
    def __hash__(self): return hash((type(self), self._testMethodName))
    def __call__(self, *args, **kwds): return self.run(*args, **kwds)
    def debug(self):
        self.setUp()
        getattr(self, self._testMethodName)()
        self.tearDown()
        self.doCleanups()
    def addTypeEqualityFunc(self, kind, function): self._equal[kind] = function
    def subTest(self, msg=None, **params): return _SubTest(self, msg, params)
    def skipTest(self, reason): raise SkipTest(reason)
    def fail(self, msg=None): raise self.failureException(msg)
    def enterContext(self, manager):
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value
    def run(self, result=None):
        if result is None:
            result = TestResult()
        method = getattr(self, self._testMethodName)
        self._result, self._problems = result, []
        result.startTest(self)
        try:
            if getattr(type(self), "__unittest_skip__", False) or getattr(method, "__unittest_skip__", False):
                why = getattr(type(self), "__unittest_skip_why__", "") or getattr(method, "__unittest_skip_why__", "")
                result.addSkip(self, why)
                return result
            expecting = (getattr(type(self), "__unittest_expecting_failure__", False)
                         or getattr(method, "__unittest_expecting_failure__", False))
            ready = self._step(self.setUp, False)
            if ready:
                self._step(method, expecting)
                self._step(self.tearDown, False)
            self._step(self.doCleanups, False)
            if ready and not self._problems:
                if expecting:
                    result.addUnexpectedSuccess(self)
                else:
                    result.addSuccess(self)
        finally:
            result.stopTest(self)
        return result
    def _step(self, function, expecting):
        try:
            function()
        except KeyboardInterrupt:
            raise
        except SkipTest as reason:
            self._problems.append(reason)
            self._result.addSkip(self, str(reason))
        except self.failureException as error:
            self._problems.append(error)
            (self._result.addExpectedFailure if expecting else self._result.addFailure)(self, error)
        except Exception as error:
            self._problems.append(error)
            (self._result.addExpectedFailure if expecting else self._result.addError)(self, error)
        else:
            return True
        return False

    def _formatMessage(self, msg, standard):
        if not self.longMessage:
            return msg or standard
        return standard if msg is None else f"{standard} : {msg}"
    def _need(self, holds, msg, standard):
        if not holds:
            raise self.failureException(self._formatMessage(msg, standard))
    def _diff(self, message, diff):
        if self.maxDiff is None or len(diff) <= self.maxDiff:
            return message + diff
        return message + f"\\nDiff is {len(diff)} characters long. Set self.maxDiff to None to see it."
    def _lines(self, first, second):
        return "\\n" + "\\n".join(_compared(pprint.pformat(first).splitlines(), pprint.pformat(second).splitlines()))
    def assertTrue(self, expr, msg=None):
        if not expr:
            self._need(False, msg, f"{expr!r} is not true")
    def assertFalse(self, expr, msg=None):
        if expr:
            self._need(False, msg, f"{expr!r} is not false")
    def assertEqual(self, first, second, msg=None):
        if type(first) is type(second):
            own = self._equal.get(type(first))
            if own is not None:
                own(first, second, msg)
                return
            for kind, name in ((dict, "assertDictEqual"), (list, "assertListEqual"), (tuple, "assertTupleEqual"),
                               (set, "assertSetEqual"), (frozenset, "assertSetEqual"), (str, "assertMultiLineEqual")):
                if type(first) is kind:
                    getattr(self, name)(first, second, msg)
                    return
        if not first == second:
            self._need(False, msg, "%s != %s" % tuple(_ends(first, second)))
    def assertNotEqual(self, first, second, msg=None):
        if not first != second:
            self._need(False, msg, f"{first!r} == {second!r}")
    def assertIs(self, a, b, msg=None): self._need(a is b, msg, f"{a!r} is not {b!r}")
    def assertIsNot(self, a, b, msg=None): self._need(a is not b, msg, f"unexpectedly identical: {a!r}")
    def assertIsNone(self, obj, msg=None): self._need(obj is None, msg, f"{obj!r} is not None")
    def assertIsNotNone(self, obj, msg=None): self._need(obj is not None, msg, "unexpectedly None")
    def assertIn(self, a, b, msg=None): self._need(a in b, msg, f"{a!r} not found in {b!r}")
    def assertNotIn(self, a, b, msg=None): self._need(a not in b, msg, f"{a!r} unexpectedly found in {b!r}")
    def assertIsInstance(self, obj, cls, msg=None):
        self._need(isinstance(obj, cls), msg, f"{obj!r} is not an instance of {cls!r}")
    def assertNotIsInstance(self, obj, cls, msg=None):
        self._need(not isinstance(obj, cls), msg, f"{obj!r} is an instance of {cls!r}")
    def assertGreater(self, a, b, msg=None): self._need(a > b, msg, f"{a!r} not greater than {b!r}")
    def assertGreaterEqual(self, a, b, msg=None):
        self._need(a >= b, msg, f"{a!r} not greater than or equal to {b!r}")
    def assertLess(self, a, b, msg=None): self._need(a < b, msg, f"{a!r} not less than {b!r}")
    def assertLessEqual(self, a, b, msg=None): self._need(a <= b, msg, f"{a!r} not less than or equal to {b!r}")
    def _apart(self, first, second, places, delta):
        if None not in (places, delta):
            raise TypeError("specify delta or places not both")
        apart = abs(first - second)
        if delta is not None:
            return apart, apart <= delta, f"within {delta!r} delta"
        places = 7 if places is None else places
        return apart, round(apart, places) == 0, f"within {places!r} places"
    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if not first == second:
            apart, near, within = self._apart(first, second, places, delta)
            self._need(near, msg, f"{first!r} != {second!r} {within} ({apart!r} difference)")
    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        apart, near, within = self._apart(first, second, places, delta)
        far, by = (not near, "") if delta is None else (apart > delta, f" ({apart!r} difference)")
        self._need(far and not first == second, msg, f"{first!r} == {second!r} {within}{by}")
    def _context(self, watch, expected, pattern, args, kwargs):
        context = watch(self, expected, pattern, None if args else kwargs.pop("msg", None))
        return context._called(args, kwargs) if args else context
    def assertRaises(self, expected_exception, *args, **kwargs):
        return self._context(_Raises, expected_exception, None, args, kwargs)
    def assertRaisesRegex(self, expected_exception, expected_regex, *args, **kwargs):
        return self._context(_Raises, expected_exception, expected_regex, args, kwargs)
    def assertWarns(self, expected_warning, *args, **kwargs):
        return self._context(_Warns, expected_warning, None, args, kwargs)
    def assertWarnsRegex(self, expected_warning, expected_regex, *args, **kwargs):
        return self._context(_Warns, expected_warning, expected_regex, args, kwargs)
    def assertRegex(self, text, expected_regex, msg=None):
        pattern = _compiled(expected_regex)
        said = f"Regex didn't match: {pattern.pattern!r} not found in {text!r}"
        self._need(pattern.search(text), msg, said)
    def assertNotRegex(self, text, unexpected_regex, msg=None):
        pattern = _compiled(unexpected_regex)
        found = pattern.search(text)
        if found:
            self._need(False, msg, f"Regex matched: {found.group(0)!r} matches {pattern.pattern!r} in {text!r}")
    def _need_both(self, kind, name, *values):
        for place, value in zip(("First", "Second"), values):
            self.assertIsInstance(value, kind, f"{place} argument is not a {name}")
    def assertMultiLineEqual(self, first, second, msg=None):
        self._need_both(str, "string", first, second)
        if first == second:
            return
        a, b = first, second
        if "\\n" not in first.rstrip("\\n") and "\\n" not in second.rstrip("\\n"):
            a, b = first.rstrip("\\n") + "\\n", second.rstrip("\\n") + "\\n"
        diff = "\\n" + "".join(_compared(a.splitlines(keepends=True), b.splitlines(keepends=True)))
        standard = "%s != %s" % tuple(_ends(first, second))
        self.fail(self._formatMessage(msg, self._diff(standard, diff)))
    def assertListEqual(self, list1, list2, msg=None): self.assertSequenceEqual(list1, list2, msg, list)
    def assertTupleEqual(self, tuple1, tuple2, msg=None): self.assertSequenceEqual(tuple1, tuple2, msg, tuple)
    def assertSequenceEqual(self, seq1, seq2, msg=None, seq_type=None):
        name = "sequence" if seq_type is None else seq_type.__name__
        if seq_type is not None:
            for place, value in (("First", seq1), ("Second", seq2)):
                if not isinstance(value, seq_type):
                    raise self.failureException(f"{place} sequence is not a {name}: {value!r}")
        if seq1 == seq2:
            return
        standard = "%ss differ: %s != %s\\n" % ((name.capitalize(),) + tuple(_ends(seq1, seq2)))
        n, m = len(seq1), len(seq2)
        for i in range(min(n, m)):
            if seq1[i] != seq2[i]:
                shown = tuple(_ends(seq1[i], seq2[i]))
                standard += "\\nFirst differing element %d:\\n%s\\n%s\\n" % ((i,) + shown)
                break
        if n > m:
            standard += f"\\nFirst {name} contains {n - m} additional elements.\\n"
            standard += f"First extra element {m}:\\n{seq1[m]!r}\\n"
        elif m > n:
            standard += f"\\nSecond {name} contains {m - n} additional elements.\\n"
            standard += f"First extra element {n}:\\n{seq2[n]!r}\\n"
        self.fail(self._formatMessage(msg, self._diff(standard, self._lines(seq1, seq2))))
    def assertSetEqual(self, set1, set2, msg=None):
        left, right = set1.difference(set2), set2.difference(set1)
        if not (left or right):
            return
        lines = []
        for place, items in (("first", left), ("second", right)):
            if items:
                lines.append(f"Items in the {place} set but not the " + ("second:" if place == "first" else "first:"))
                lines += [repr(item) for item in items]
        self.fail(self._formatMessage(msg, "\\n".join(lines)))
    def assertDictEqual(self, d1, d2, msg=None):
        self._need_both(dict, "dictionary", d1, d2)
        if not d1 == d2:
            said = self._diff("{} != {}".format(*_ends(d1, d2)), self._lines(d1, d2))
            self._need(False, msg, said)
    def assertCountEqual(self, first, second, msg=None):
        first, second = list(first), list(second)
        differ = []
        for item in first + second:
            counts = first.count(item), second.count(item)
            if counts[0] != counts[1] and not any(item == seen for _, _, seen in differ):
                differ.append((*counts, item))
        if differ:
            lines = ["First has %d, Second has %d:  %r" % each for each in differ]
            self.fail(self._formatMessage(msg, "Element counts were not equal:\\n" + "\\n".join(lines)))

class FunctionTestCase(TestCase):
    def __init__(self, testFunc, setUp=None, tearDown=None, description=None):
        super().__init__()
        self._function, self._before, self._after, self._testMethodDoc = testFunc, setUp, tearDown, description
    def setUp(self):
        if self._before is not None: self._before()
    def tearDown(self):
        if self._after is not None: self._after()
    def runTest(self): self._function()
    def id(self): return self._function.__name__
"""
"""`TestCase` and what marks its tests. Names that begin with an underscore are not Python's own."""
