"""The inspector: everything about one node at one position, as cards."""

from gradviz.ui.inspector.inspector import PARTS, Inspector

__all__ = ["PARTS", "Inspector"]
