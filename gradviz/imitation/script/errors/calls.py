"""Arguments that a function of ours does not take, told in Python's words with the name that the script used."""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
import re
from collections.abc import Iterable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.arguments.placing import Call, in_places
from gradviz.imitation.script.arguments.reading import missing
from gradviz.imitation.script.errors.failures import suggestion
from gradviz.imitation.script.torch_values import DTypeName
from gradviz.imitation.script.values import Function, Instance, Native, type_name

_CALLED = re.compile(r"^[\w.<>]+\(\)")
_UNKNOWN = re.compile(
    r"(?:unexpected keyword argument|positional-only arguments passed as keyword arguments:) '(\w+)'"
    r"|'(\w+)' is an invalid keyword argument"
)
_MISSING = re.compile(r"missing (\d+) required (positional|keyword-only) arguments?: (.*)$")
_TOO_MANY = re.compile(r"takes (?:from (\d+) to )?(\d+) positional arguments? but (\d+) (?:was|were) given")
_ABSENT = re.compile(r"missing a required argument: '(\w+)'$")
_NAMES = re.compile(r"'(\w+)'")


OWN = frozenset(
    (  # noqa: SIM905 - a table of names reads better as words
        "abs all any ascii bin bool bytes callable chr complex delattr dict divmod enumerate filter float format "
        "frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map max min next oct ord pow "
        "range repr reversed round set setattr slice sorted str sum tuple type zip accumulate batched chain "
        "combinations compress count cycle dropwhile filterfalse groupby islice pairwise permutations product repeat "
        "starmap takewhile tee zip_longest partial reduce"
    ).split()
)
"""Functions of Python that do nothing but look at their arguments."""
SHOWN = (int, float, str, bool, type(None))


def in_own_words(native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """What Python's own function says of a call with so many arguments, or "".

    It is called with as many objects that mean nothing: it refuses their number before it looks at them.
    """
    places = (builtins, itertools, functools)
    function = next((found for place in places if (found := getattr(place, native.name, None)) is not None), None)
    if native.name not in OWN or function is None or native.is_method:
        return ""
    try:
        function(*map(_meaningless, arguments), **{name: _meaningless(value) for name, value in keywords.items()})
    except TypeError as error:
        return str(error)
    except Exception:
        return ""
    return ""


def _meaningless(value: Any) -> Any:
    return value if type(value) in SHOWN and not (isinstance(value, str) and len(value) > 100) else object()


KEPT = {Function.__name__: "function", DTypeName.__name__: "torch.dtype"}
"""Classes of ours that Python speaks of where one was kept by an earlier call, and what they are to a script."""


def call_error(
    native: Native, error: TypeError, arguments: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None
) -> TorchError:
    """The error of a call of a native function; ours are written without the machine that some of them take."""
    text, hint, called = str(error), "", _spelled(native, arguments)
    for value in (*arguments[native.is_method :], *(keywords or {}).values()):
        text = text.replace(f"'{type(value).__name__}'", f"'{type_name(value)}'")
    for ours, shown in KEPT.items():
        text = text.replace(f"'{ours}'", f"'{shown}'")
    if _CALLED.match(text) and (_MISSING.search(text) or _TOO_MANY.search(text)):
        own = in_own_words(native, arguments, keywords or {})
        if own:
            return TorchError(own, kind="TypeError")
    absent = _ABSENT.match(text)
    if absent:
        text = f"{called}() missing 1 required positional argument: '{absent[1]}'"
    if text.startswith("multiple values for argument"):
        text = f"{called}() got {text}"
    if text == "too many positional arguments":
        text = f"{called}() {too_many(inspect.signature(native.run), len(arguments))}"
    if inspect.isbuiltin(native.run):
        return TorchError(text, kind="TypeError")  # a method of Python's own values
    if _CALLED.match(text):
        text = _CALLED.sub(f"{called}()", text)
        text = _without_machine(native, text, called)
        text = _MISSING.sub(_missing_in_torch, text) if _is_of_torch(native) else text
    unknown = _UNKNOWN.search(text)
    if unknown:
        name = unknown.group(1) or unknown.group(2)
        text = f"{called}() got an unexpected keyword argument '{name}'"
        hint = keyword_hint(native, name)
        if hasattr(builtins, native.name) and not native.is_method and not _is_of_torch(native):
            text = f"'{name}' is an invalid keyword argument for {native.name.replace('sorted', 'sort')}()"
    return TorchError(text, kind="TypeError", hint=hint)


IN_PYTHON = {
    *("norm", "split", "unique", "unique_consecutive", "einsum", "cdist", "tensordot", "meshgrid", "block_diag"),
    *("lu", "solve", "lstsq", "eig", "symeig"),
    *("unflatten", "backward", "register_hook", "register_post_accumulate_grad_hook"),
    *("cartesian_prod", "chain_matmul", "broadcast_tensors", "atleast_1d", "atleast_2d", "atleast_3d"),
}
"""Functions of `torch.*` that PyTorch has in Python, whose errors are Python's, as those of `functional` are."""


CHOSEN_BY_FLAG = {
    "threshold",
    *(f"{kind}max_pool{dims}d" for kind in ("", "adaptive_") for dims in (1, 2, 3)),
}
"""Functions of `torch.nn.functional` that stand for another one of another name."""


CHOSEN_BY_RESULT = {"unique": "_return_output", "unique_consecutive": "_consecutive_return_output"}
"""Functions of `torch` that stand for one of several, by what is asked of them."""


def _spelled(native: Native, arguments: tuple[Any, ...] = ()) -> str:
    """The name in messages: methods that PyTorch has in Python are told with their class."""
    if native.is_functional and native.name in CHOSEN_BY_FLAG:
        return f"_{native.name}"
    if not native.is_method and native.name in CHOSEN_BY_RESULT:
        return CHOSEN_BY_RESULT[native.name]
    if not native.is_method or "." in native.name:
        return native.name
    if native.name in IN_PYTHON:
        return f"Tensor.{native.name}"
    owners = arguments[0].cls.mro if arguments and isinstance(arguments[0], Instance) else ()
    owner = next((cls for cls in owners if cls.attributes.get(native.name) is native), None)
    return f"{owner.qualname}.{native.name}" if owner is not None and owner.module else native.name


def too_many(given: inspect.Signature, count: int) -> str:
    """Python's words for more arguments than there are places."""
    places = [p for p in given.parameters.values() if p.kind is not p.KEYWORD_ONLY]
    least, most = sum(p.default is p.empty for p in places), len(places)
    takes = str(most) if least == most else f"from {least} to {most}"
    return f"takes {takes} positional argument{'' if takes == '1' else 's'} but {count} were given"


def _is_of_torch(native: Native) -> bool:
    """Whether PyTorch's own reader of arguments speaks."""
    module = getattr(native.run, "__module__", "")
    of_engine = module.startswith("gradviz.imitation.engine.functions") and not module.endswith(".removed")
    return of_engine and native.name not in IN_PYTHON and not native.is_functional


def in_torch_words(native: Native, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Call | None:
    """The call by places, where PyTorch's names or numpy's were given; None where nothing changes."""
    own = arguments[: native.is_method]
    found = in_places(native.reader, arguments[len(own) :], keywords) if native.reader else None
    return found and ((*own, *found[0]), found[1])


def _missing_in_torch(match: re.Match[str]) -> str:
    return missing([f'"{name}"' for name in _NAMES.findall(match[3])])


def _without_machine(native: Native, text: str, called: str) -> str:
    # What has its class in its name is Python in PyTorch too, which counts self.
    hidden = native.needs_machine + (native.is_method and "." not in called)
    return _TOO_MANY.sub(lambda match: _fewer(match, hidden), text) if hidden else text


def _fewer(match: re.Match[str], hidden: int) -> str:
    """Counts without the first arguments, which the script does not see."""
    least, most, given = (int(n) - hidden if n else None for n in match.groups())
    takes = f"from {least} to {most}" if least is not None else str(most)
    plural, was = "" if takes == "1" else "s", "was" if given == 1 else "were"
    return f"takes {takes} positional argument{plural} but {given} {was} given"


def keyword_hint(native: Native, name: str) -> str:
    """What to write instead of a name that a function does not take."""
    known = keywords_of(native)
    close = suggestion(name, known)
    if close or not known:
        return close
    return f"It takes {', '.join(known)}."


def keywords_of(native: Native) -> list[str]:
    """The names of the arguments that may be given by keyword."""
    try:
        parameters: Iterable[inspect.Parameter] = inspect.signature(native.run).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds: Any = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    hidden = ("machine", "self", "module", "f", "function")
    return [p.name for p in parameters if p.kind in kinds and p.name not in hidden]


__all__ = ["call_error", "keyword_hint", "keywords_of"]
