"""The script editor."""

from gradviz.ui.editor.script_editor import ScriptEditor

__all__ = ["ScriptEditor"]
