"""Tests run without a screen, and in a home of their own."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# A busy machine is no failure.
settings.register_profile("gradviz", deadline=None)
settings.load_profile("gradviz")
