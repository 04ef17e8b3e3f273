"""What the window needs besides Qt, to be imported before Qt.

PySide6 reads the source of each module that is imported after it, which takes longer than the import itself.
"""

import html  # noqa: F401
import inspect  # noqa: F401
import json  # noqa: F401
import logging  # noqa: F401

import gradviz.layout.plan
import gradviz.playback.player
import gradviz.recording
import gradviz.ui.actions_table
import gradviz.ui.command_match
import gradviz.ui.palette
import gradviz.ui.picture
import gradviz.ui.start_page_lessons  # noqa: F401
