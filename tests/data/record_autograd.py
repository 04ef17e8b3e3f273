"""Record what PyTorch prints for the scripts of data/autograd: python tests/data/record_autograd.py (needs torch).

Beside `name.txt`, the script, stands `name.out`, what it printed. Warnings go to stderr and are not part of it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).with_name("autograd")


def record(script: Path) -> None:
    """Run one script in a process of its own."""
    command = [sys.executable, "-W", "ignore", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    script.with_suffix(".out").write_text(done.stdout, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.txt")):
        record(FOLDER / f"{name}.txt")
