"""`doctest` for scripts: the examples in the docstrings of the script's own text.

Python's own parser finds the examples and its checker compares what they print; they run behind the gate, as the script
does. Only docstrings that stand in the text count, so that no text made while the script runs becomes code.
"""

from __future__ import annotations

import ast
import doctest
import textwrap
import traceback
from collections.abc import Iterator
from typing import Any, NamedTuple

from gradviz.engine.errors import Beyond
from gradviz.run.library import Surroundings, error_text
from gradviz.run.refused import Refused
from gradviz.run.visible import Uncopied

SHOW = " show example"
"""What shows the value of an example."""

CONSTANTS = (*doctest.OPTIONFLAGS_BY_NAME, "COMPARISON_FLAGS", "REPORTING_FLAGS")
LINE = "*" * 70


class TestResults(NamedTuple):
    """How many examples there were, and how many of them failed."""

    failed: int
    attempted: int


TestResults.__module__ = "doctest"


class Docstring(NamedTuple):
    """A docstring, and the line of the script's text that it begins in."""

    name: str
    text: str
    line: int


class Examples(Uncopied):
    """The examples of one script.

    Args:
        around: where the script's output goes; it has the script's text, and runs syntax trees.
        variables: of the script; every docstring gets a copy.
    """

    def __init__(self, around: Surroundings, variables: dict[str, Any]) -> None:
        self._around = around
        self._variables = variables
        self._parser = doctest.DocTestParser()
        self._checker = doctest.OutputChecker()

    def names(self) -> dict[str, Any]:
        """What `doctest` gives."""
        flags = {name: getattr(doctest, name) for name in CONSTANTS}
        return {**flags, "testmod": self.test_all, "run_docstring_examples": self.test_one, "TestResults": TestResults}

    def test_all(
        self, m: Any = None, name: Any = None, *_: Any, verbose: Any = None, report: bool = True, optionflags: int = 0,
        **__: Any,
    ) -> TestResults:  # fmt: skip
        """`testmod()`: the examples of the script, of its functions, and of its classes with their methods.

        Raises:
            Beyond: another module is to be tested.
        """
        if m is not None and getattr(m, "__name__", "") != "__main__":
            raise Beyond("doctest.testmod of another module")
        verbose = "-v" in self._around.argv if verbose is None else verbose
        found = {each.name: each for each in docstrings(ast.parse(self._around.text), name or "__main__")}
        results = {
            path: self._test(each, optionflags, verbose=verbose)
            for path, each in sorted(found.items())
            if "." not in path or path.split(".")[1] in self._variables
        }
        if report:
            self._say(_summary(results, verbose=verbose))
        return _total(results)

    def test_one(
        self, f: Any, globs: Any = None, verbose: bool = False, name: str = "NoName", *_: Any, optionflags: int = 0,  # noqa: ARG002
        **__: Any,
    ) -> None:  # fmt: skip
        """`run_docstring_examples(f, globals())`: those of one function or class.

        Raises:
            Refused: the script's text has no such thing.
        """
        wanted = getattr(f, "__qualname__", None)
        for each in docstrings(ast.parse(self._around.text), name):
            if each.name == f"{name}.{wanted}":
                self._test(each._replace(name=name), optionflags, verbose=verbose)
                return
        if getattr(f, "__doc__", None):
            raise Refused("doctest runs the examples of the script's own functions and classes here, and no other text")

    # ---- one docstring ----

    def _test(self, found: Docstring, flags: int, *, verbose: bool) -> TestResults:
        variables, failed, attempted = dict(self._variables), 0, 0
        for example in self._parser.get_examples(found.text, found.name):
            wanted = flags
            for flag, is_on in example.options.items():
                wanted = wanted | flag if is_on else wanted & ~flag
            if wanted & doctest.SKIP:
                continue
            attempted += 1
            if verbose:
                expected = f"Expecting:\n{_indented(example.want)}" if example.want else "Expecting nothing\n"
                self._say(f"Trying:\n{_indented(example.source)}{expected}")
            got, error = self._run(example, found.line, variables)
            if self._is_right(example, got, error, wanted):
                if verbose:
                    self._say("ok\n")
                continue
            failed += 1
            place = f'File "{self._around.name}", line {found.line + example.lineno}, in {found.name}'
            if error is None:
                difference = self._checker.output_difference(example, got, wanted)
            else:
                difference = f"Exception raised:\n{_indented(error_text(error, self._around))}"
            self._say(f"{LINE}\n{place}\nFailed example:\n{_indented(example.source)}{difference}")
            if flags & doctest.FAIL_FAST:
                break
        return TestResults(failed, attempted)

    def _run(self, example: doctest.Example, line: int, variables: dict[str, Any]) -> tuple[str, BaseException | None]:
        """What an example prints, and the error that it ends with."""
        printed: list[str] = []

        def show(value: Any) -> None:
            if value is not None:
                printed.append(f"{value!r}\n")

        variables["__builtins__"] = {**variables["__builtins__"], SHOW: show}
        write, self._around.write = self._around.write, printed.append
        try:
            tree = ast.increment_lineno(ast.parse(example.source), line + example.lineno - 1)
            assert self._around.run is not None
            self._around.run(_Shown().visit(tree), variables)
        except Beyond:
            raise
        except (Exception, SystemExit) as error:
            return "".join(printed), error
        finally:
            self._around.write = write
        return "".join(printed), None

    def _is_right(self, example: doctest.Example, got: str, error: BaseException | None, flags: int) -> bool:
        if error is None:
            return self._checker.check_output(example.want, got, flags)
        if example.exc_msg is None:
            return False
        text = traceback.format_exception_only(type(error), error)[-1]
        if self._checker.check_output(example.exc_msg, text, flags):
            return True
        return bool(flags & doctest.IGNORE_EXCEPTION_DETAIL) and _kind(example.exc_msg) == _kind(text)

    def _say(self, text: str) -> None:
        self._around.print(text, end="")


class _Shown(ast.NodeTransformer):
    """Lets bare expressions show their values, as an interactive session does, also in loops but not in functions."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        """One that stands for itself."""
        node.value = ast.copy_location(ast.Call(ast.Name(SHOW, ast.Load()), [node.value], []), node)
        return ast.fix_missing_locations(node)

    def visit_FunctionDef(self, node: Any) -> Any:
        """Its value goes nowhere."""
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # noqa: N815 (ast's names)


def docstrings(tree: ast.Module, name: str) -> Iterator[Docstring]:
    """The docstrings of a module, of its functions and classes, and of their methods."""
    waiting: list[tuple[Any, str]] = [(tree, name)]
    for node, path in waiting:
        text = ast.get_docstring(node, clean=False)
        if text:
            yield Docstring(path, text, node.body[0].lineno)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
            waiting += [(each, f"{path}.{each.name}") for each in node.body if isinstance(each, inner)]


def _total(results: dict[str, TestResults]) -> TestResults:
    return TestResults(sum(each.failed for each in results.values()), sum(each.attempted for each in results.values()))


def _summary(results: dict[str, TestResults], *, verbose: bool) -> str:
    passed = {name: each.attempted for name, each in results.items() if each.attempted and not each.failed}
    failed = {name: each for name, each in results.items() if each.failed}
    total, lines = _total(results), []
    if verbose and passed:
        lines = [f"{len(passed)} items passed all tests:"]
        lines += [f" {count:3d} tests in {name}" for name, count in passed.items()]
    if failed:
        lines += [LINE, f"{len(failed)} items had failures:"]
        lines += [f" {each.failed:3d} of {each.attempted:3d} in {name}" for name, each in failed.items()]
    if verbose:
        lines.append(f"{total.attempted} tests in {len(results)} items.")
        lines.append(f"{total.attempted - total.failed} passed and {total.failed} failed.")
    if failed:
        lines.append(f"***Test Failed*** {total.failed} failures.")
    elif verbose:
        lines.append("Test passed.")
    return "".join(f"{line}\n" for line in lines)


def _indented(text: str) -> str:
    return textwrap.indent(text if text.endswith("\n") else f"{text}\n", "    ")


def _kind(message: str) -> str:
    """The name of the exception in the last line of a traceback, without its module."""
    return message.partition("\n")[0].partition(":")[0].strip().rpartition(".")[2]
