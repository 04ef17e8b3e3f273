"""Where the scripts of the corpus stand, and the form in which what they print is kept.

To add a script, put it into `inside` (or into `beyond`, where it needs what the built-in engine does not have), and
what PyTorch prints for it into `expected`: python tests/corpus/record.py NAME
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSIDE, BEYOND, DIFFERING = HERE / "inside", HERE / "beyond", HERE / "differing"
BESIDE = HERE / "beside"
"""What agrees with PyTorch, where `BESIDE` has scripts with modules and files of their own; what the built-in engine refuses, and what asks for words or orders that it does not imitate."""
FOLDERS = (INSIDE, BESIDE, BEYOND, DIFFERING)


def sources(*folders: Path) -> list[Path]:
    """All scripts and notebooks of the folders, by name."""
    found = [path for folder in folders or FOLDERS for path in (*folder.glob("*.py"), *folder.glob("*.ipynb"))]
    return sorted(found, key=lambda path: path.name)


def expected(source: Path) -> Path:
    """Where the recording of a script stands."""
    return HERE / "expected" / f"{source.stem}.txt"


def recording_text(output: str, warned: list[str], error: str) -> str:
    """A recording as it is kept; addresses of objects, which no two runs have alike, are put away.

    Args:
        output: what was printed.
        warned: each warning as "LINE: Category: message".
        error: what ended the run as "LINE: Type: message", or "".
    """
    text = f"{output}\n=== warnings\n" + "".join(f"{line}\n" for line in warned) + f"=== error\n{error}\n"
    return re.sub(r"\b0x[0-9a-f]{8,}\b", "0xADDRESS", text)


def without_paths(warning: str) -> str:
    """A warning without the traceback of anomaly mode, which names files."""
    head, mark, _ = warning.partition("that caused the error:")
    return head + mark
