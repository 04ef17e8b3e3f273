"""`string`, `html`, `textwrap`, `pprint`, `json`, `unicodedata`: work on texts."""

from __future__ import annotations

import html
import math
import string
import textwrap
import unicodedata
from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.kind_names import short_name
from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.errors.exceptions import raised
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import methods, natives, plain_class, with_machine
from gradviz.imitation.script.values import Class, Instance, Namespace, type_name

LONGEST = 1_000_000
WIDEST = 10_000
DEEPEST = 100
"""Of an indent, which every line begins with, and of a tab."""


def _short(text: Any) -> Any:
    if isinstance(text, str) and len(text) > LONGEST:
        raise LimitError(f"a text of {len(text):,} characters is too long here", hint="Use a shorter one.")
    return text


def _narrow(named: dict[str, Any]) -> dict[str, Any]:
    for name, value in named.items():
        if isinstance(value, int) and abs(value) > (DEEPEST if name in ("indent", "tabsize") else WIDEST):
            raise LimitError(f"{name}={value} is too large", hint="Use a smaller number.")
        if isinstance(value, str) and len(value) > DEEPEST:
            raise LimitError(f"a text of {len(value):,} characters is too long for {name}", hint="Use a shorter one.")
    return named


def string_module(machine: Machine) -> Namespace:
    """`string`: its constants."""
    names = ("ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "hexdigits", "octdigits", "punctuation",
             "whitespace", "printable")  # fmt: skip
    return Namespace("string", {
        **{name: getattr(string, name) for name in names},
        **natives({"capwords": lambda text, sep=None: string.capwords(_short(text), sep)}),
        "Template": _template(machine),
    })  # fmt: skip


def _template(machine: Machine) -> Class:
    """`string.Template`."""

    def filled(self: Instance, given: Any, named: dict[str, Any], is_safe: bool) -> str:
        values = {str(key): str(value) for key, value in {**(given or {}), **named}.items()}
        text = string.Template(_short(self.attributes["template"]))
        return text.safe_substitute(values) if is_safe else text.substitute(values)

    return plain_class(machine, "Template", "string", methods({
        "__init__": lambda self, template: self.attributes.update(template=template),
        "substitute": lambda self, given=None, /, **named: filled(self, given, named, False),
        "safe_substitute": lambda self, given=None, /, **named: filled(self, given, named, True),
    }))  # fmt: skip


def html_module(machine: Machine) -> Namespace:
    """`html`."""
    return Namespace("html", natives({
        "escape": lambda s, quote=True: html.escape(_short(s), quote), "unescape": lambda s: html.unescape(_short(s)),
    }))  # fmt: skip


def textwrap_module(machine: Machine) -> Namespace:
    """`textwrap`."""

    def indent(text: str, prefix: str, predicate: Any = None) -> str:
        chosen = None if predicate is None else lambda line: machine.call(predicate, (line,), {})
        return textwrap.indent(_short(text), _narrow({"indent": prefix})["indent"], chosen)

    def wrapped(self: Instance, text: str) -> list[str]:
        options = {name: value for name, value in self.attributes.items() if name in OF_WRAPPING}
        return _wrapper(**options).wrap(_short(text))

    return Namespace("textwrap", natives({
        "dedent": lambda text: textwrap.dedent(_short(text)),
        "fill": lambda text, width=70, **options: _wrapper(width=width, **options).fill(_short(text)),
        "indent": indent,
        "shorten": _shortened,
        "wrap": lambda text, width=70, **options: _wrapper(width=width, **options).wrap(_short(text)),
    }) | {
        "TextWrapper": plain_class(machine, "TextWrapper", "textwrap", methods({
            "__init__": _begin_wrapping, "wrap": wrapped, "fill": lambda self, text: "\n".join(wrapped(self, text)),
        })),
    })  # fmt: skip


class _Ending(textwrap.TextWrapper):
    """Ends where Python's own goes round for ever: where a leading blank finds no room, or a width is no number."""

    def _wrap_chunks(self, chunks: list[str]) -> list[str]:
        if isinstance(self.width, float) and math.isnan(self.width):
            raise LimitError("lines of the width nan never end", hint="Give a number of letters.")
        return super()._wrap_chunks(chunks)

    def _handle_long_word(self, reversed_chunks: list[str], cur_line: list[str], cur_len: int, width: int) -> None:
        if not reversed_chunks[-1]:
            said = f"lines of {self.width} letters have no room beside their indent, so Python would never end"
            raise LimitError(said, hint="Give a larger width or a shorter indent.")
        super()._handle_long_word(reversed_chunks, cur_line, cur_len, width)


def _wrapper(**options: Any) -> textwrap.TextWrapper:
    return _Ending(**_narrow(_known(options)))


def _shortened(text: str, width: Any, **options: Any) -> str:
    return _wrapper(width=width, max_lines=1, **options).fill(" ".join(_short(text).strip().split()))


OF_WRAPPING = vars(textwrap.TextWrapper())


def _begin_wrapping(self: Instance, width: int = 70, **options: Any) -> None:
    self.attributes.update({**OF_WRAPPING, "width": width, **_known(options)})


def _known(options: dict[str, Any]) -> dict[str, Any]:
    unknown = set(options) - set(OF_WRAPPING)
    if unknown:
        said = f"TextWrapper.__init__() got an unexpected keyword argument '{min(unknown)}'"
        raise TorchError(said, kind="TypeError")
    return options


def pprint_module(machine: Machine) -> Namespace:
    """`pprint`."""
    import pprint

    def pformat(machine: Machine, object: Any, *rest: Any, **named: Any) -> str:
        options = dict(zip(("indent", "width", "depth"), rest, strict=False)) | named
        text = pprint.pformat(object, **_narrow(options))
        machine.spend(len(text))
        return text

    def show(machine: Machine, object: Any, stream: Any = None, *rest: Any, **named: Any) -> None:
        machine.write(pformat(machine, object, *rest, **named) + "\n")

    return Namespace("pprint", with_machine({"pprint": show, "pp": _unsorted(show), "pformat": pformat}))


def _unsorted(show: Callable[..., None]) -> Callable[..., None]:
    return lambda machine, x, *rest, **named: show(machine, x, *rest, **{"sort_dicts": False, **named})


# ---- json ----

OF_BROKEN = ("msg", "doc", "pos", "lineno", "colno")
OPTIONS = ("indent", "sort_keys", "ensure_ascii", "separators", "allow_nan", "skipkeys")
HOOKS = ("object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant")
"""Functions of the script that make something else of what `json.loads` reads."""


def _called(machine: Machine, hook: Any) -> Callable[[Any], Any] | None:
    return None if hook is None else lambda found: machine.call(hook, (found,), {})


def json_module(machine: Machine) -> Namespace:
    """`json`, to and from texts."""
    import json

    classes = machine.state["exceptions"]
    broken = Class("JSONDecodeError", (classes["ValueError"],), {}, module="json.decoder")

    def refuse(x: Any) -> Any:
        raise TorchError(f"Object of type {short_name(x)} is not JSON serializable", kind="TypeError")

    encoder = plain_class(machine, "JSONEncoder", "json.encoder", methods({
        "default": lambda self, o: refuse(o),
        "encode": lambda self, o: dumps(machine, o, default=attributes.get(machine, self, "default")),
        "__init__": lambda self, *_, **__: None,
    }))  # fmt: skip

    def dumps(machine: Machine, obj: Any, *, default: Any = None, cls: Any = None, **options: Any) -> str:
        if cls is not None and default is None:
            default = attributes.get(machine, machine.call(cls, (), {}), "default")
        unknown = set(options) - set(OPTIONS)
        if unknown:
            raise TorchError(f"dumps() got an unexpected keyword argument '{min(unknown)}'", kind="TypeError")

        def other(x: Any) -> Any:
            if default is not None:
                return machine.call(default, (x,), {})
            return refuse(x)

        return json.dumps(obj, default=other, **_narrow(options))

    def loads(machine: Machine, s: Any, **hooks: Any) -> Any:
        unknown = set(hooks) - set(HOOKS)
        if unknown:
            raise TorchError(f"loads() got an unexpected keyword argument '{min(unknown)}'", kind="TypeError")
        if not isinstance(s, str | bytes):
            raise TorchError(f"the JSON object must be str, bytes or bytearray, not {type_name(s)}", kind="TypeError")
        try:
            given: dict[str, Any] = {name: _called(machine, hook) for name, hook in hooks.items()}
            return json.loads(s, **given)
        except json.JSONDecodeError as error:
            problem = raised(machine, broken, str(error))
            problem.value.attributes |= {name: getattr(error, name) for name in OF_BROKEN}
            raise problem from None

    def dump(machine: Machine, obj: Any, fp: Any, **options: Any) -> None:
        machine.call(attributes.get(machine, fp, "write"), (dumps(machine, obj, **options),), {})

    def load(machine: Machine, fp: Any, **hooks: Any) -> Any:
        return loads(machine, machine.call(attributes.get(machine, fp, "read"), (), {}), **hooks)

    return Namespace("json", {
        **with_machine({"dumps": dumps, "loads": loads, "dump": dump, "load": load}), "JSONDecodeError": broken,
        "JSONEncoder": encoder,
    })  # fmt: skip


def unicode_module(machine: Machine) -> Namespace:
    """`unicodedata`."""
    names = ("category", "combining", "bidirectional", "name", "lookup", "digit", "numeric", "decimal", "mirrored",
             "east_asian_width", "decomposition")  # fmt: skip
    table: dict[str, Callable[..., Any]] = {name: getattr(unicodedata, name) for name in names}
    table["normalize"] = lambda form, text: unicodedata.normalize(form, _short(text))
    return Namespace("unicodedata", natives(table))
