"""From a text to a recording: the script runs in a confined process of its own, and what comes back is data."""

IN_USE = False
"""Whether the window and the command line run scripts here; until then the interpreter of before does."""
