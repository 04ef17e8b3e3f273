"""`doctest`: the examples in docstrings, run as parts of the script and compared with what they say."""

from __future__ import annotations

import ast
import doctest
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from gradviz.errors import TorchError
from gradviz.imitation.script.errors.exceptions import value_of
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.library.traces import last_line
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.syntax.forms import block, expression
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.values import Class, Function, Namespace, OnClass, Property, Static

STARS = "*" * 70
FLAGS = (
    "ELLIPSIS", "NORMALIZE_WHITESPACE", "IGNORE_EXCEPTION_DETAIL", "DONT_ACCEPT_TRUE_FOR_1", "DONT_ACCEPT_BLANKLINE",
    "SKIP", "FAIL_FAST", "REPORT_NDIFF", "REPORT_UDIFF", "REPORT_CDIFF", "REPORT_ONLY_FIRST_FAILURE",
)  # fmt: skip
CHECKER = doctest.OutputChecker()


class TestResults(NamedTuple):
    """What `testmod` gives."""

    failed: int
    attempted: int


class Text(NamedTuple):
    """A docstring: the name it belongs to, and the line that it begins in, from 1."""

    name: str
    text: str
    line: int


def _parts(name: str, members: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The functions and classes of the script among some members, and theirs."""
    pending = [(f"{name}.{key}", value) for key, value in members.items()]
    while pending:
        path, value = pending.pop()
        if isinstance(value, Static | OnClass):
            value = value.function
        if isinstance(value, Property):
            value = value.getter
        if isinstance(value, Function):
            yield path, value.members.get("__doc__")
        elif isinstance(value, Class) and value.module == "__main__":
            yield path, value.attributes.get("__doc__")
            pending += [(f"{path}.{key}", part) for key, part in value.attributes.items() if key[:1] != " "]


def _lines(machine: Machine) -> dict[str, int]:
    """The lines in which docstrings begin, by the name of what they belong to."""
    tree = ast.parse(machine.state["source"].text) if machine.state["source"].kind == "script" else ast.parse("")
    found: dict[str, int] = {}
    pending: list[tuple[str, Any]] = [("__main__", tree)]
    while pending:
        path, node = pending.pop()
        if node.body and isinstance(node.body[0], ast.Expr):
            found[path] = node.body[0].lineno
        inner = (part for part in node.body if isinstance(part, ast.FunctionDef | ast.ClassDef))
        pending += [(f"{path}.{part.name}", part) for part in inner if not isinstance(node, ast.FunctionDef)]
    return found


def _texts(machine: Machine, name: str) -> list[Text]:
    """All docstrings of the module, by name."""
    variables, lines = machine.state["module"].vars, _lines(machine)
    own = [(name, machine.builtins["__doc__"]), *_parts(name, variables)]
    tests = variables.get("__test__")
    own += [(f"{name}.__test__.{key}", text) for key, text in (tests or {}).items() if isinstance(text, str)]
    return sorted(Text(path, text, lines.get(path, 1)) for path, text in own if isinstance(text, str))


class _Run:
    """One call of `testmod`."""

    def __init__(self, machine: Machine, flags: int, *, verbose: bool) -> None:
        self.machine = machine
        self.flags = flags
        self.verbose = verbose
        self.counts: dict[str, tuple[int, int]] = {}

    def over(self, text: Text, names: dict[str, Any]) -> None:
        """Run the examples of one docstring, each after the others."""
        frame = Frame(self.machine, None)
        frame.vars.update(names)
        failed = tried = 0
        for example in doctest.DocTestParser().get_examples(text.text, text.name):
            flags = self.flags
            for flag, on in example.options.items():
                flags = flags | flag if on else flags & ~flag
            if flags & doctest.SKIP:
                continue
            tried += 1
            if self.verbose:
                self.machine.write(f"Trying:\n{_indented(example.source)}Expecting{self._expected(example)}")
            got, problem = self._done(example.source, frame)
            if self._holds(example, got, problem, flags):
                self.machine.write("ok\n" if self.verbose else "")
                continue
            failed += 1
            self._tell(text, example, got, problem, flags)
            if flags & doctest.FAIL_FAST:
                break
        self.counts[text.name] = (failed, tried)

    def _expected(self, example: doctest.Example) -> str:
        return f":\n{_indented(example.want)}" if example.want else " nothing\n"

    def _done(self, source: str, frame: Frame) -> tuple[str, str | None]:
        """What an example prints, and the last line of its error."""
        machine, out = self.machine, []  # type: ignore[var-annotated]
        machine.writers.append(out.append)
        try:
            for part in ast.parse(source).body:
                scope = Scope(is_module=True)
                if not isinstance(part, ast.Expr):
                    block([part], scope)(frame)
                elif (value := expression(part.value, scope)(frame)) is not None:
                    frame.vars["_"] = value
                    out.append(f"{value!r}\n")
        except TorchError as error:
            return "".join(out), last_line(value_of(machine, error))
        except SyntaxError as error:
            return "".join(out), f"SyntaxError: {error.msg}\n"
        finally:
            machine.writers.pop()
        return "".join(out), None

    def _holds(self, example: doctest.Example, got: str, problem: str | None, flags: int) -> bool:
        if problem is None:
            return CHECKER.check_output(example.want, got, flags)
        if example.exc_msg is None:
            return False
        if CHECKER.check_output(example.exc_msg, problem, flags):
            return True
        names = [said.partition(":")[0].rpartition(".")[2].strip() for said in (example.exc_msg, problem)]
        return bool(flags & doctest.IGNORE_EXCEPTION_DETAIL) and names[0] == names[1]

    def _tell(self, text: Text, example: doctest.Example, got: str, problem: str | None, flags: int) -> None:
        source = self.machine.state["source"].name
        head = f'{STARS}\nFile "{source}", line {text.line + example.lineno}, in {text.name}\n'
        body = f"Failed example:\n{_indented(example.source)}"
        if problem is None:
            body += CHECKER.output_difference(example, got, flags)
        elif example.exc_msg is None:
            body += f"Exception raised:\n{_indented(f'Traceback (most recent call last):{chr(10)}{problem}')}"
        else:
            want = f"Expected:\n{_indented(example.want)}"
            body += f"{want}Got:\n{_indented(f'Traceback (most recent call last):{chr(10)}{problem}')}"
        self.machine.write(head + body)

    def report(self) -> TestResults:
        """The sums, which are said where something failed, or where all is to be said."""
        failed, tried = (sum(each) for each in zip(*self.counts.values(), strict=True)) if self.counts else (0, 0)
        bad = {name: each for name, each in self.counts.items() if each[0]}
        if self.verbose:
            self._say_all()
        if bad:
            items = "items" if sys.version_info < (3, 13) or len(bad) > 1 else "item"
            rows = "".join(f" {f:3d} of {t:3d} in {name}\n" for name, (f, t) in bad.items())
            self.machine.write(f"{STARS}\n{len(bad)} {items} had failures:\n{rows}")
        if self.verbose:
            total = len(self.counts)
            self.machine.write(f"{tried} tests in {total} items.\n{tried - failed} passed and {failed} failed.\n")
        if failed:
            self.machine.write(f"***Test Failed*** {failed} failures.\n")
        elif self.verbose:
            self.machine.write("Test passed.\n")
        return TestResults(failed, tried)

    def _say_all(self) -> None:
        without = [name for name, (_, tried) in self.counts.items() if not tried]
        passed = [(name, tried) for name, (failed, tried) in self.counts.items() if tried and not failed]
        if without:
            self.machine.write(f"{len(without)} items had no tests:\n" + "".join(f"    {name}\n" for name in without))
        if passed:
            rows = "".join(f" {tried:3d} tests in {name}\n" for name, tried in passed)
            self.machine.write(f"{len(passed)} items passed all tests:\n{rows}")


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def _testmod(
    machine: Machine, m: Any = None, name: str | None = None, globs: Any = None, verbose: Any = None,
    report: bool = True, optionflags: int = 0, extraglobs: Any = None, raise_on_error: bool = False,
    exclude_empty: bool = False,
) -> TestResults:  # fmt: skip
    """`doctest.testmod()`."""
    made = _Run(machine, optionflags, verbose=bool(verbose))
    names = {**(machine.state["module"].vars if globs is None else globs), **(extraglobs or {})}
    for text in _texts(machine, name or "__main__"):
        made.over(text, names)
    if report:
        return made.report()
    return TestResults(*map(sum, zip(*made.counts.values(), strict=True)))


def _examples(
    machine: Machine, f: Any, globs: Any, verbose: bool = False, name: str = "NoName", compileflags: Any = None,
    optionflags: int = 0,
) -> None:  # fmt: skip
    """`doctest.run_docstring_examples`: of one function or class and what is in it."""
    made = _Run(machine, optionflags, verbose=verbose)
    own = [(name, f)] if isinstance(f, str) else [(path.removeprefix("."), doc) for path, doc in _parts("", {name: f})]
    for path, text in sorted((path, text) for path, text in own if isinstance(text, str)):
        made.over(Text(path, text, 1), dict(globs))


def module(machine: Machine) -> Namespace:
    """The names."""
    return Namespace("doctest", {
        **with_machine({"testmod": _testmod, "run_docstring_examples": _examples}),
        **{name: getattr(doctest, name) for name in FLAGS},
        "TestResults": Class("TestResults", python=(TestResults,), module="doctest"),
    })  # fmt: skip


READERS[TestResults] = fields(*TestResults._fields)
