"""The table of variables: the leaves of the script, editable in place."""

from gradviz.ui.variables.variables import Variables

__all__ = ["Variables"]
