"""`repr` of a module, as PyTorch prints it."""

from __future__ import annotations

from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.books import BEGIN, BOOKS, places
from gradviz.imitation.script.values import Bound, Instance


def _called(module: Instance, method: str) -> str:
    found = module.cls.find(method)
    return "" if found is None else str(module.machine.call(Bound(found, module), (), {}))


def indented(text: str, spaces: int = 2) -> str:
    """All lines but the first moved to the right."""
    return ("\n" + " " * spaces).join(text.split("\n"))


def module_text(module: Instance) -> str:
    """`repr(module)`: its children indented, line by line."""
    extra = _called(module, "extra_repr")
    extra_lines = extra.split("\n") if extra else []
    if BOOKS not in module.attributes:
        raise TorchError(f"'{module.cls.name}' object has no attribute '_modules'", kind="AttributeError", hint=BEGIN)
    lines = [f"({name}): {indented(repr(child))}" for name, child in places(module)]
    head = f"{_called(module, '_get_name')}("
    if len(extra_lines) == 1 and not lines:
        return f"{head}{extra})"
    body = extra_lines + lines
    return head + ("\n  " + "\n  ".join(body) + "\n" if body else "") + ")"


def list_text(module: Instance) -> str:
    """`repr` of a ModuleList: equal neighbours as one line with a count."""
    texts = [repr(child) for _, child in places(module)]
    head = f"{_called(module, '_get_name')}("
    if not texts:
        return f"{head})"
    lines, start = [], 0
    for end in range(1, len(texts) + 1):
        if end < len(texts) and texts[end] == texts[start]:
            continue
        count = end - start
        label = f"({start})" if count == 1 else f"({start}-{end - 1})"
        times = "" if count == 1 else f"{count} x "
        lines.append(indented(f"{label}: {times}{texts[start]}"))
        start = end
    return head + "\n  " + "\n  ".join(lines) + "\n)"
