"""The fonts of the app."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetricsF

from gradviz.ui.look.theme import load_fonts, mono_font, ui_font


@pytest.mark.parametrize("font", [ui_font, mono_font])
def test_names_are_written_letter_by_letter(qapp, font):
    load_fonts()
    metrics = QFontMetricsF(font(40))

    assert metrics.horizontalAdvance("1x2") == pytest.approx(sum(map(metrics.horizontalAdvance, "1x2")), abs=1.5)
    assert metrics.tightBoundingRect("1x1").height() == pytest.approx(metrics.tightBoundingRect("1").height(), abs=0.5)
