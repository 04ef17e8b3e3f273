"""Record what PyTorch prints for the corpus: python tests/corpus/record.py [NAME ...]

Needs torch 2.13, and IPython for the notebooks. Without a name, what has no recording yet is recorded.

A recording is a text of three parts: what was printed, the warnings, and the error that ended the run, each with
the line of the script.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.corpus.capture import Names, compiled, record, script_run
from tests.corpus.corpus import BESIDE, expected, sources


class Shell:
    """Stands where IPython's shell would, and passes over magics."""

    def run_line_magic(self, *_: Any, **__: Any) -> None:
        """Nothing."""

    run_cell_magic = system = getoutput = run_line_magic


def prepare_pytorch() -> None:
    """Put PyTorch and numpy into the state of a fresh process."""
    import numpy as np
    import torch

    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    torch.utils.hooks.RemovableHandle.next_id = 0
    np.set_printoptions(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False)


def notebook_run(path: Path) -> Callable[[Names], None]:
    """How a notebook is run: cell by cell, the last value of each shown as IPython shows it."""
    from IPython.core.inputtransformer2 import TransformerManager
    from IPython.lib.pretty import pretty

    cells = [
        "".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]  # fmt: skip

    def run(names: Names) -> None:
        names["get_ipython"] = Shell
        names["In"], names["Out"], last = [""], {}, dict.fromkeys(("_", "__", "___"), "")
        names.update(last)
        for cell in filter(str.strip, cells):
            names["In"].append(cell)
            tree = ast.parse(TransformerManager().transform_cell(cell))
            final = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compiled(tree, "exec"), names)
            if final is not None:
                value = eval(compiled(ast.Expression(final.value), "eval"), names)
                if value is not None and not cell.rstrip().endswith(";"):
                    print(pretty(value))
                    kept = {"_": value, "__": last["_"], "___": last["__"]}
                    if all(names.get(name) is was for name, was in last.items()):
                        names.update(kept)
                    last = kept
                    names[f"_{len(names['In']) - 1}"] = names["Out"][len(names["In"]) - 1] = value

    return run


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    for source in sources():
        if source.stem in wanted or (not wanted and not expected(source).exists()):
            prepare_pytorch()
            run = notebook_run(source) if source.suffix == ".ipynb" else script_run(source)
            beside = source if source.parent == BESIDE else None
            expected(source).write_text(record(run, beside), encoding="utf-8")
            print(source.name)
