"""Record what PyTorch says of wrong calls. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_wrong_calls`.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings

from tests.data.wrong_calls import RECORDED, answers, script


def main() -> None:
    warnings.simplefilter("ignore")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script(), "wrong calls", "exec"), {"__name__": "__main__"})
    RECORDED.write_text(json.dumps(answers(printed.getvalue()), indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
