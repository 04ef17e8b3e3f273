"""What ails a run, in the window: the marks of births, the card of the inspector, the way there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt

from gradviz.playback.track import Track
from gradviz.ui.canvas.scene.moment import moment_of
from gradviz.ui.canvas.step.births import born_in
from gradviz.ui.inspector.cards import HealthCard
from gradviz.ui.variables.cell_texts import Column
from gradviz.ui.window.window import Window
from tests.ui.inspector.inspectors import seen
from tests.ui.real_windows import real_window, settle

SPOILT = """\
import torch
x = torch.tensor([1., 0., 4.], requires_grad=True)
h = x * 2
n = torch.sqrt(h)
y = torch.where(x > 0, n / h, torch.zeros(3))
loss = (y * 3).sum()
loss.backward()
"""


@pytest.fixture
def spoilt(qtbot, tmp_path) -> Iterator[Window]:
    window = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.session.open_script(SPOILT, "spoilt.py")
    settle(qtbot, window)
    yield window
    window.session.close()


def track_of(window: Window) -> Track:
    return window.session.picture.track


def op_of(window: Window, node: int | None) -> str:
    return "" if node is None else track_of(window).recording.nodes[node].op


def card(window: Window) -> HealthCard:
    return next(card for card in window.workbench.inspector.cards if isinstance(card, HealthCard))


def test_the_command_goes_to_where_nan_was_born_and_then_to_the_next_birth(spoilt):
    player, bench = spoilt.session.clock.player, spoilt.workbench

    spoilt.trigger("birth")

    assert op_of(spoilt, bench.selected) == "div"
    assert player.position == track_of(spoilt).index_of[bench.selected] + 1
    assert spoilt.statusBar().currentMessage() == "n/h (1 of 2): NaN is born here at [1]: 0 / 0."

    spoilt.trigger("birth")

    assert player.position > track_of(spoilt).turn
    assert "0 × inf" in spoilt.statusBar().currentMessage()

    spoilt.trigger("birth")

    assert player.position <= track_of(spoilt).turn


def test_a_run_without_nan_says_so(qtbot, spoilt):
    spoilt.session.edit("import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n")
    settle(qtbot, spoilt)

    spoilt.trigger("birth")

    assert spoilt.statusBar().currentMessage().startswith("No NaN and no infinity was born")


TRAINED = """\
import torch
w = torch.tensor([1., 2.], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(5):
    opt.zero_grad()
    h = w - 100 if step == 2 else w
    loss = h.sqrt().sum()
    loss.backward()
    opt.step()
"""


def test_a_run_with_nan_says_so_at_once_and_one_press_goes_there(qtbot, spoilt):
    bench = spoilt.workbench
    spoilt.session.open_script(TRAINED, "trained.py")
    settle(qtbot, spoilt)

    assert not bench.alarm_strip.isHidden()
    assert bench.alarm_strip.words.text() == "NaN first in call 3, line 7"
    spoilt.session.document.choose_sweep(0)
    settle(qtbot, spoilt)
    bench.alarm_strip.go.click()
    settle(qtbot, spoilt)

    track, player = track_of(spoilt), spoilt.session.clock.player
    assert track.sweep == 2
    assert op_of(spoilt, bench.selected) == "sqrt"
    assert player.position == track.index_of[bench.selected] + 1
    assert bench.editor.area.marks.lit_line() == 7


def test_the_command_goes_to_another_call_where_this_one_is_finite(qtbot, spoilt):
    spoilt.session.open_script(TRAINED, "trained.py")
    settle(qtbot, spoilt)
    spoilt.session.document.choose_sweep(0)
    settle(qtbot, spoilt)

    spoilt.trigger("birth")
    settle(qtbot, spoilt)

    assert track_of(spoilt).sweep == 2
    assert op_of(spoilt, spoilt.workbench.selected) == "sqrt"


def test_a_finite_run_has_no_alarm(qtbot, spoilt):
    spoilt.session.open_script("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n", "x.py")
    settle(qtbot, spoilt)

    assert spoilt.workbench.alarm_strip.isHidden()


def test_a_parameter_that_an_update_has_spoilt_is_not_marked_as_the_birth(qtbot, spoilt):
    spoilt.session.open_script(TRAINED, "trained.py")
    settle(qtbot, spoilt)
    spoilt.session.document.choose_sweep(3)
    settle(qtbot, spoilt)

    assert born_in(spoilt.workbench.canvas._scene, track_of(spoilt).length) == {}


def test_the_mark_is_there_from_the_birth_on(spoilt):
    scene = spoilt.workbench.canvas._scene
    div = next(i for i, node in enumerate(scene.track.forward) if op_of(spoilt, node) == "div")

    assert born_in(scene, div) == {}
    assert born_in(scene, div + 1) == {div: "NaN"}
    assert born_in(scene, track_of(spoilt).length) == {div: "NaN"}


def test_the_card_is_hidden_at_a_healthy_node_and_leads_to_the_birth(spoilt):
    bench, track = spoilt.workbench, track_of(spoilt)
    spoilt.session.clock.player.last()
    node = {track.recording.nodes[i].op: i for i in track.forward}

    bench.select(node["sum"])
    assert card(spoilt).isHidden()

    bench.select(node["where"])
    assert "ends here: where takes none of it" in seen(card(spoilt))

    card(spoilt).link_requested.emit(f"node:{node['div']}")
    assert op_of(spoilt, bench.selected) == "div"
    assert "NaN is born here, in the gradient of n at [1]: 0 × inf." in seen(card(spoilt))
    assert "health: NaN is born here at [1]: 0 / 0." in bench.inspector.text()


CUT = """\
import torch
w = torch.tensor([1., 2.], requires_grad=True)
x = torch.tensor([3., 4.], requires_grad=True)
h = w * 2
y = (x * h.detach()).sum()
y.backward()
"""


def test_the_row_of_a_leaf_behind_a_cut_says_so_once_backward_has_begun(qtbot, tmp_path):
    window = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.session.open_script(CUT, "cut.py")
    settle(qtbot, window)
    model = window.workbench.variables.model
    cell = model.index(0, Column.GRAD)

    window.session.clock.player.last()

    assert cell.data() == "cut"
    assert cell.data(Qt.ItemDataRole.ToolTipRole) == "No gradient: the graph was cut at line 5 by detach()."

    window.session.clock.player.first()

    assert cell.data() == "—"
    window.session.close()


def test_the_path_to_the_output_has_a_factor_at_each_node_whose_step_has_run(qtbot, tmp_path):
    window = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(window)
    text = "import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * 4).sin().sum()\ny.backward()\n"
    window.session.open_script(text, "path.py")
    settle(qtbot, window)
    bench, track = window.workbench, track_of(window)
    bench.select(0)
    canvas, palette = bench.canvas, window._theme.palette

    window.trigger("path")
    assert "The gradient on the way" not in window.statusBar().currentMessage()

    def labels() -> int:
        frame = canvas._frame(moment_of(canvas._scene, canvas._position, 1.0))
        return len(canvas._lights.factors(frame, canvas.view, canvas._camera.sight, palette))

    window.session.clock.player.go(track.turn)
    assert labels() == 0

    window.session.clock.player.go(track.turn + 2)
    assert labels() == 2

    window.session.clock.player.last()
    assert labels() == 3

    window.trigger("path")
    window.trigger("path")
    assert "The gradient on the way: norm 1 at y" in window.statusBar().currentMessage()
    window.session.close()


def test_a_birth_inside_a_folded_group_is_marked_at_its_box(qtbot, tmp_path):
    window = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(window)
    text = (
        "import torch\ndef layer(h):\n    return torch.sqrt(h * 0 - 1) + h\n"
        "x = torch.ones(2, requires_grad=True)\ny = layer(x) * layer(x + 1)\ny.sum().backward()\n"
    )
    window.session.open_script(text, "folded.py")
    settle(qtbot, window)
    window.trigger("fold_all")
    settle(qtbot, window)
    scene, track = window.workbench.canvas._scene, track_of(window)

    found = born_in(scene, track.length)

    assert scene.folded is not None
    assert [scene.folded.group_of(scene.track.forward[index]) is not None for index in found] == [True, True]
    assert set(found.values()) == {"NaN"}

    window.trigger("birth")
    settle(qtbot, window)

    assert op_of(window, window.workbench.selected) == "sqrt"
    window.session.close()
