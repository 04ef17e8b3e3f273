"""What the window needs besides Qt, to be imported before Qt.

PySide6 reads the source of each module that is imported after it, which takes longer than the import itself.
"""

import html  # noqa: F401
import inspect  # noqa: F401
import json  # noqa: F401
import logging  # noqa: F401

import gradviz.changes
import gradviz.layout.plan
import gradviz.playback.player
import gradviz.recording
import gradviz.source.missing_names
import gradviz.ui.actions.command_match
import gradviz.ui.actions.table
import gradviz.ui.look.palette
import gradviz.ui.session.lessons
import gradviz.ui.session.picture  # noqa: F401
