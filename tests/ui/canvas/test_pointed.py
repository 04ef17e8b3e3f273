"""A number of the product that is pointed at in the inspector makes the edge and the box it belongs to stand out."""

from __future__ import annotations

import pytest

from gradviz.playback.flow import Way
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.product.form import OUT, V
from gradviz.playback.track import Track
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.pointed import _edges
from gradviz.ui.inspector import Inspector
from gradviz.ui.inspector.product_view import ProductView, Spot
from gradviz.ui.look.theme import Theme
from tests.playback.scoped import blocks, folded, track
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import picture
from tests.ui.canvas.test_groups_drawn import laid_out

X, XX, W, XXW, Y = range(5)


def test_an_edge_stands_out_for_as_long_as_it_is_pointed_at(canvas):
    before = picture(canvas)
    canvas.point(Way(((XXW, 0),), (XX,)))
    lit = picture(canvas)
    canvas.point(None)

    assert lit != before
    assert picture(canvas) == before


def test_a_folded_group_stands_for_what_is_in_it(qapp):
    base: Track = track(blocks(2))
    board: FoldedTrack = folded(base, "layers.0")
    scene = Scene(board, laid_out(board))
    assert len(board.edges) < len(base.edges)
    for edge in range(len(board.edges)):
        for real in board.real_edges(edge).tolist():
            assert edge in _edges(scene, *base.edges[real])


@pytest.fixture
def inspector(qtbot) -> Inspector:
    made = Inspector(Theme("light"))
    qtbot.addWidget(made)
    made.resize(320, 900)
    made.show()
    return made


@pytest.mark.parametrize(
    ("node", "spot", "way"),
    [
        (XXW, Spot(V, -1, 1, -1), Way(((Y, 0),), (Y,))),
        (XXW, Spot(OUT, 0, -1, 1), Way(((XXW, 0),), (XX,))),
        (XX, Spot(OUT, 1, -1, 0), Way(((XX, 1),), (X,))),
        (Y, Spot(V, -1, 0, -1), Way((), (Y,))),
    ],
)
def test_what_comes_in_came_from_its_consumers_and_what_goes_out_goes_to_an_input(inspector, qtbot, node, spot, way):
    shown = Track(weighted_sum(), 0)
    inspector.show_node(shown, shown.length, node)
    view = inspector.findChild(ProductView)

    with qtbot.waitSignal(inspector.way_pointed) as pointed:
        view.light(spot)
    assert pointed.args == [way]
    with qtbot.waitSignal(inspector.way_pointed) as pointed:
        inspector.show_node(shown, shown.length, X)

    assert pointed.args == [None]
