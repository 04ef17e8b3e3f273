"""`unittest`: cases, suites, results and runners, written in the language of scripts and run by the machine itself."""

from __future__ import annotations

import difflib
from typing import Any

from gradviz.errors import ScriptError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import written
from gradviz.imitation.script.names.library.making import natives
from gradviz.imitation.script.names.library.unit_cases import CASES
from gradviz.imitation.script.values import Class, Namespace

RUNNERS = """
class TestSuite:
    def __init__(self, tests=()):
        self._tests = []
        self.addTests(tests)
    def __iter__(self): return iter(self._tests)
    def __repr__(self): return f"<unittest.suite.TestSuite tests={list(self)}>"
    def countTestCases(self): return sum(test.countTestCases() for test in self)
    def addTest(self, test):
        if not callable(test):
            raise TypeError("{} is not callable".format(repr(test)))
        self._tests.append(test)
    def addTests(self, tests):
        if isinstance(tests, str):
            raise TypeError("tests must be an iterable of tests, not a string")
        for test in tests:
            self.addTest(test)
    def __call__(self, result): return self.run(result)
    def _enter(self, result, after):
        try:
            after.setUpClass()
        except SkipTest as reason:
            result.addSkip(_ClassStep("setUpClass", after), str(reason))
        except Exception as error:
            result.addError(_ClassStep("setUpClass", after), error)
        else:
            return True
        return False
    def _leave(self, result, before):
        if before is None:
            return
        try:
            before.tearDownClass()
        except Exception as error:
            result.addError(_ClassStep("tearDownClass", before), error)
        before.doClassCleanups()
    def run(self, result):
        before, opened, ready = None, None, True
        for test in self:
            if result.shouldStop:
                break
            if isinstance(test, TestSuite):
                test.run(result)
                continue
            kind = type(test)
            if kind is not before:
                self._leave(result, opened)
                before = kind
                skipped = getattr(kind, "__unittest_skip__", False)
                ready = skipped or self._enter(result, kind)
                opened = kind if ready and not skipped else None
            if ready:
                test.run(result)
        self._leave(result, opened)
        return result

class _ClassStep:
    failureException = None
    def __init__(self, step, kind): self.text = f"{step} ({kind.__module__}.{kind.__qualname__})"
    def __str__(self): return self.text
    def __repr__(self): return f"<ErrorHolder description={self.text!r}>"
    def id(self): return self.text
    def shortDescription(self): return None

class TestResult:
    _name = "unittest.result.TestResult"
    def __init__(self, stream=None, descriptions=None, verbosity=None):
        self.failfast = False
        self.failures, self.errors, self.skipped = [], [], []
        self.expectedFailures, self.unexpectedSuccesses = [], []
        self.testsRun = 0
        self.shouldStop = False
    def __repr__(self):
        return f"<{self._name} run={self.testsRun} errors={len(self.errors)} failures={len(self.failures)}>"
    def startTest(self, test): self.testsRun += 1
    def stopTest(self, test): pass
    def startTestRun(self): pass
    def stopTestRun(self): pass
    def stop(self): self.shouldStop = True
    def addSuccess(self, test): pass
    def _note(self, found, test):
        found.append((test, traceback.format_exc()))
        self.shouldStop = self.shouldStop or self.failfast
    def addError(self, test, error): self._note(self.errors, test)
    def addFailure(self, test, error): self._note(self.failures, test)
    def addSubTest(self, test, subtest, error):
        if error is not None:
            self._note(self.failures if isinstance(error, test.failureException) else self.errors, subtest)
    def addSkip(self, test, reason): self.skipped.append((test, reason))
    def addExpectedFailure(self, test, error): self.expectedFailures.append((test, traceback.format_exc()))
    def addUnexpectedSuccess(self, test): self.unexpectedSuccesses.append(test)
    def wasSuccessful(self): return not (self.failures or self.errors or self.unexpectedSuccesses)

class TextTestResult(TestResult):
    separator1 = "=" * 70
    separator2 = "-" * 70
    _name = "unittest.runner.TextTestResult"
    def __init__(self, stream, descriptions, verbosity):
        super().__init__(stream, descriptions, verbosity)
        self.stream = stream
        self.showAll, self.dots = verbosity > 1, verbosity == 1
        self.descriptions = descriptions
        self._fresh = True
    def getDescription(self, test):
        doc = test.shortDescription()
        return f"{test}\\n{doc}" if self.descriptions and doc else str(test)
    def startTest(self, test):
        super().startTest(test)
        if self.showAll:
            self.stream.write(self.getDescription(test) + " ... ")
            self._fresh = False
    def _say(self, long, short):
        if self.showAll:
            self.stream.write(long + "\\n")
            self._fresh = True
        elif self.dots:
            self.stream.write(short)
    def addSuccess(self, test):
        super().addSuccess(test)
        self._say("ok", ".")
    def addError(self, test, error):
        super().addError(test, error)
        self._say("ERROR", "E")
    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._say("FAIL", "F")
    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is None:
            return
        failed = isinstance(error, test.failureException)
        if self.showAll:
            if not self._fresh:
                self.stream.write("\\n")
            self.stream.write("  " + self.getDescription(subtest) + " ... ")
        self._say("FAIL" if failed else "ERROR", "F" if failed else "E")
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._say(f"skipped {reason!r}", "s")
    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self._say("expected failure", "x")
    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._say("unexpected success", "u")
    def printErrors(self):
        if self.dots or self.showAll:
            self.stream.write("\\n")
        for flavour, found in (("ERROR", self.errors), ("FAIL", self.failures)):
            for test, text in found:
                self.stream.write(f"{self.separator1}\\n{flavour}: {self.getDescription(test)}\\n{self.separator2}\\n")
                self.stream.write(f"{text}\\n")
        if self.unexpectedSuccesses:
            self.stream.write(self.separator1 + "\\n")
            for test in self.unexpectedSuccesses:
                self.stream.write(f"UNEXPECTED SUCCESS: {self.getDescription(test)}\\n")

class TextTestRunner:
    resultclass = TextTestResult
    def __init__(self, stream=None, descriptions=True, verbosity=1, failfast=False, buffer=False, resultclass=None,
                 warnings=None, *, tb_locals=False):
        self.stream = sys.stderr if stream is None else stream
        self.descriptions, self.verbosity, self.failfast = descriptions, verbosity, failfast
        if resultclass is not None:
            self.resultclass = resultclass
    def run(self, test):
        result = self.resultclass(self.stream, self.descriptions, self.verbosity)
        result.failfast = self.failfast
        start = time.perf_counter()
        result.startTestRun()
        try:
            test(result)
        finally:
            result.stopTestRun()
        taken = time.perf_counter() - start
        if hasattr(result, "printErrors"):
            result.printErrors()
        plural = "" if result.testsRun == 1 else "s"
        self.stream.write("-" * 70 + f"\\nRan {result.testsRun} test{plural} in {taken:.3f}s\\n\\n")
        said = [("failures", len(result.failures)), ("errors", len(result.errors))]
        said = [] if result.wasSuccessful() else [pair for pair in said if pair[1]]
        said += [pair for pair in (("skipped", len(result.skipped)),
                 ("expected failures", len(result.expectedFailures)),
                 ("unexpected successes", len(result.unexpectedSuccesses))) if pair[1]]
        listed = ", ".join(f"{name}={count}" for name, count in said)
        verdict = "OK" if result.wasSuccessful() else "FAILED"
        self.stream.write(f"{verdict} ({listed})\\n" if listed else f"{verdict}\\n")
        return result

class TestLoader:
    testMethodPrefix = "test"
    suiteClass = TestSuite
    def __init__(self): self.errors = []
    def getTestCaseNames(self, kind):
        return sorted(n for n in dir(kind) if n.startswith(self.testMethodPrefix) and callable(getattr(kind, n)))
    def loadTestsFromTestCase(self, kind):
        names = self.getTestCaseNames(kind)
        if not names and hasattr(kind, "runTest"):
            names = ["runTest"]
        return self.suiteClass(map(kind, names))
    def loadTestsFromModule(self, module):
        own = _script() if isinstance(module, str) or module.__name__ == "__main__" else vars(module)
        kinds = [own[n] for n in sorted(own) if isinstance(own[n], type) and issubclass(own[n], TestCase)]
        kinds = [kind for kind in kinds if kind not in (TestCase, FunctionTestCase)]
        return self.suiteClass([self.loadTestsFromTestCase(kind) for kind in kinds])
    def loadTestsFromName(self, name, module=None):
        found = _script()[name.split(".")[0]]
        if "." in name:
            return self.suiteClass([found(name.split(".")[1])])
        return self.loadTestsFromTestCase(found)
    def loadTestsFromNames(self, names, module=None):
        return self.suiteClass([self.loadTestsFromName(name, module) for name in names])

class TestProgram:
    def __init__(self, module="__main__", defaultTest=None, argv=None, testRunner=None, testLoader=None, exit=True,
                 verbosity=1, failfast=None, catchbreak=None, buffer=None, warnings=None, *, tb_locals=False):
        loader = defaultTestLoader if testLoader is None else testLoader
        words = list(sys.argv if argv is None else argv)[1:]
        names = [word for word in words if not word.startswith("-")]
        if "-v" in words or "--verbose" in words: verbosity = 2
        if "-q" in words or "--quiet" in words: verbosity = 0
        if not names and defaultTest is not None:
            names = [defaultTest] if isinstance(defaultTest, str) else list(defaultTest)
        self.test = loader.loadTestsFromNames(names) if names else loader.loadTestsFromModule("__main__")
        if testRunner is None or isinstance(testRunner, type):
            testRunner = (testRunner or TextTestRunner)(verbosity=verbosity, failfast=bool(failfast or "-f" in words))
        self.result = testRunner.run(self.test)
        if exit:
            sys.exit(not self.result.wasSuccessful())

defaultTestLoader = TestLoader()
main = TestProgram
def makeSuite(kind, prefix="test"):
    loader = TestLoader()
    loader.testMethodPrefix = prefix
    return loader.loadTestsFromTestCase(kind)
"""
"""What finds the cases of a script, runs them and tells the result."""

HOMES = {
    "SkipTest": "case", "TestCase": "case", "FunctionTestCase": "case", "TestSuite": "suite", "TestResult": "result",
    "TestLoader": "loader", "TextTestResult": "runner", "TextTestRunner": "runner", "TestProgram": "main",
}  # fmt: skip
"""The modules that the classes say they are of."""

USED = ("collections", "contextlib", "functools", "pprint", "re", "sys", "time", "traceback", "warnings")


def _compared(first: list[str], second: list[str]) -> list[str]:
    """The lines of both, those that differ marked.

    Raises:
        ScriptError: so many lines that comparing them would take minutes.
    """
    if len(first) * len(second) > MOST_PAIRS:
        raise ScriptError("the values compared have too many lines", hint="Compare smaller ones.")
    return list(difflib.ndiff(first, second))


MOST_PAIRS = 40_000


def module(machine: Machine) -> Namespace:
    """The names."""
    used = {name: machine.modules[name] for name in USED}
    ours = natives({"_compared": _compared, "_script": lambda: dict(machine.state["module"].vars)})
    made = written.run_text(machine, CASES + RUNNERS, {**used, **ours}, "unittest")
    for name, home in HOMES.items():
        made[name].module = f"unittest.{home}"
    shown: dict[str, Any] = {name: value for name, value in made.items() if name[:1] != "_"}
    parts: dict[str, dict[str, Any]] = {}
    for name, home in HOMES.items():
        parts.setdefault(home, {})[name] = made[name]
    assert isinstance(shown["main"], Class)
    return Namespace("unittest", shown | {
        home: Namespace(f"unittest.{home}", names) for home, names in parts.items() if home != "main"
    })  # fmt: skip
