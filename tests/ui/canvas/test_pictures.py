"""Pictures as files, drawn by the painter of the screen."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from PySide6.QtGui import QColor, QImage

from gradviz.errors import FormatError, GradvizError
from gradviz.formats import safe_write
from gradviz.layout.graph import request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.playback.track import Track
from gradviz.shipped import shipped
from gradviz.ui.canvas.edges.edges import FORWARD_WIDTH, QUIET_WIDTH
from gradviz.ui.canvas.files import pictures
from gradviz.ui.canvas.files.picture_file import Graph, Look, picture_of
from gradviz.ui.canvas.files.svgtext import finished
from gradviz.ui.canvas.scene.measure import box_sizes
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import DARK, LIGHT
from tests.recorded import run
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import save
from tests.ui.canvas.grids import placed

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def graph(qapp):
    track = Track(weighted_sum(), 0)
    return track, placed(track, 2)


def test_png_is_cropped_to_the_graph_with_a_margin(graph, tmp_path):
    file = tmp_path / "graph.png"

    save(*graph, 9, file, theme_palette=LIGHT, scale=1.0, legend=False)

    image, bounds = QImage(str(file)), graph[1].bounds
    assert bounds[2] - bounds[0] <= image.width() <= bounds[2] - bounds[0] + 400
    assert image.pixelColor(0, 0).name().upper() == LIGHT.canvas


def test_png_has_as_many_pixels_as_asked_for(graph, tmp_path):
    sizes = []
    for scale in (1.0, 3.0):
        save(*graph, 7, tmp_path / "graph.png", theme_palette=LIGHT, scale=scale)
        sizes.append(QImage(str(tmp_path / "graph.png")).width())

    assert sizes[1] == pytest.approx(3 * sizes[0], abs=3)


def test_png_that_would_be_too_large_is_scaled_down(graph, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "LONGEST_SIDE", 200)

    save(*graph, 7, tmp_path / "graph.png", theme_palette=LIGHT)

    image = QImage(str(tmp_path / "graph.png"))
    assert max(image.width(), image.height()) in (200, 201)


def test_png_differs_by_position_and_theme(graph, tmp_path):
    files = [tmp_path / name for name in ("a.png", "b.png", "c.png", "d.png")]
    for file, position, palette in zip(files, (7, 8, 7, 7), (LIGHT, LIGHT, DARK, LIGHT), strict=True):
        save(*graph, position, file, theme_palette=palette)

    first, second, third, again = (file.read_bytes() for file in files)
    assert first == again
    assert first not in (second, third)


def test_svg_holds_real_text_that_stays_in_its_box(graph, tmp_path):
    file = tmp_path / "graph.svg"

    save(*graph, 7, file, theme_palette=LIGHT)

    root = ET.parse(file).getroot()
    texts = {element.text: element for element in root.iter(f"{SVG}text")}
    assert {"x·x·w", "goes out [3, 5]", "comes in [1, 1]", "∂L/∂y 1", "leaf"} <= texts.keys()
    assert "sans-serif" in texts["x·x·w"].attrib["font-family"]
    assert float(texts["comes in [1, 1]"].attrib["textLength"]) > 100
    assert root.attrib["viewBox"].startswith("0 0 ")


def test_svg_draws_its_letters_itself_and_each_of_them_once(graph, tmp_path):
    save(*graph, 7, tmp_path / "graph.svg", theme_palette=LIGHT)

    root = ET.parse(tmp_path / "graph.svg").getroot()
    outlines = {path.get("id"): path.attrib["d"] for path in root.iter(f"{SVG}path") if path.get("id")}
    used = [use.attrib["{http://www.w3.org/1999/xlink}href"][1:] for use in root.iter(f"{SVG}use")]
    texts = list(root.iter(f"{SVG}text"))
    assert set(used) == set(outlines)
    assert len(set(outlines.values())) == len(outlines) < len(used)
    assert len(used) == sum(len(text.text.replace(" ", "")) for text in texts)
    assert {text.attrib["fill-opacity"] for text in texts} == {"0"}


def test_sign_without_an_outline_is_left_to_the_fonts_of_the_reader(qapp):
    line = (
        '<text fill="#000000" fill-opacity="1" stroke="none" x="1" y="2" font-family="Inter,JetBrains Mono"'
        ' font-size="12" font-weight="400" font-style="normal">{}</text>'
    )

    drawn, left = (finished(f"<svg><defs></defs>{line.format(text)}</svg>") for text in ("a", "a\U0010fffd"))

    assert "<use " in drawn
    assert 'fill-opacity="0"' in drawn
    assert "<use " not in left
    assert 'fill-opacity="1"' in left


def test_svg_has_edges_as_curves_of_a_pen_that_makes_the_dashes(graph, tmp_path):
    save(*graph, 7, tmp_path / "graph.svg", theme_palette=LIGHT, legend=False)

    scene = Scene(*graph)
    widths = {str(QUIET_WIDTH), str(FORWARD_WIDTH), *(f"{width:g}" for width in scene.edge_widths)}
    root = ET.parse(tmp_path / "graph.svg").getroot()
    pens = [pen for pen in root.iter(f"{SVG}g") if pen.get("fill") == "none" and pen.get("stroke-width") in widths]
    lines = [(line.attrib["d"], pen.get("stroke-dasharray")) for pen in pens for line in pen.iter(f"{SVG}path")]
    assert len(lines) == len(scene.edge_boxes)
    assert all(points.count("C") == 1 and "L" not in points for points, _ in lines)
    assert sum(dashes == "5,4" for _, dashes in lines) == scene.is_dashed.sum() > 0


def test_svg_without_a_legend_says_no_leaf(graph, tmp_path):
    save(*graph, 9, tmp_path / "graph.svg", theme_palette=LIGHT, legend=False)

    assert "gradient, width = size" not in (tmp_path / "graph.svg").read_text(encoding="utf-8")


def page_of(file):
    """Width and height of the one page, in points."""
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", file.read_bytes())
    return float(box[1]), float(box[2])


def test_pdf_is_one_page_as_large_as_the_picture(graph, tmp_path):
    save(*graph, 7, tmp_path / "graph.pdf", theme_palette=LIGHT)
    save(*graph, 7, tmp_path / "graph.png", theme_palette=LIGHT, scale=1.0)

    image = QImage(str(tmp_path / "graph.png"))
    assert page_of(tmp_path / "graph.pdf") == pytest.approx((0.75 * image.width(), 0.75 * image.height()), abs=2)
    assert (tmp_path / "graph.pdf").read_bytes().count(b"/Type /Page\n") == 1


def test_pdf_that_would_be_too_large_is_scaled_down(graph, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "LONGEST_PAGE", 200)

    save(*graph, 7, tmp_path / "graph.pdf", theme_palette=LIGHT)

    assert max(page_of(tmp_path / "graph.pdf")) == 200


def test_pdf_holds_text_in_the_shipped_fonts_and_no_images(graph, tmp_path):
    save(*graph, 9, tmp_path / "graph.pdf", theme_palette=DARK)

    content = (tmp_path / "graph.pdf").read_bytes()
    fonts = set(re.findall(rb"/BaseFont /([\w-]+)", content))
    assert {b"Inter-Regular", b"Inter-SemiBold", b"JetBrainsMono-Regular"} <= fonts
    assert b"/FontFile2" in content
    assert b"/Subtype /Image" not in content


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".apng"])
def test_file_that_is_there_is_kept_where_the_disk_is_full(graph, tmp_path, suffix, monkeypatch):
    file = tmp_path / f"graph{suffix}"
    file.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(safe_write.os, "fsync", full)
    with pytest.raises(FormatError, match="cannot be written: No space left on device"):
        save(*graph, 9, file, theme_palette=LIGHT)

    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".apng"])
def test_file_that_cannot_be_written_is_one_clear_sentence(graph, tmp_path, suffix):
    with pytest.raises(FormatError, match="cannot be written"):
        save(*graph, 9, tmp_path / "missing" / f"graph{suffix}", theme_palette=LIGHT)


def test_png_is_as_wide_as_asked_for(graph, tmp_path):
    save(*graph, 7, tmp_path / "graph.png", theme_palette=LIGHT, width=900)

    assert QImage(str(tmp_path / "graph.png")).width() in (900, 901)


def test_pdf_has_a_page_for_every_step_of_backward_all_of_one_size(graph, tmp_path):
    track = graph[0]

    save(*graph, 7, tmp_path / "graph.pdf", theme_palette=LIGHT, every_step=True)

    content = (tmp_path / "graph.pdf").read_bytes()
    assert content.count(b"/Type /Page\n") == len(track.steps) + 1
    assert len(set(re.findall(rb"/MediaBox \[[^]]*\]", content))) == 1


def test_pdf_of_more_steps_than_pages_is_refused(graph, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_PAGES", 2)

    with pytest.raises(GradvizError, match="a PDF takes 2 pages"):
        save(*graph, 7, tmp_path / "graph.pdf", theme_palette=LIGHT, every_step=True)


def test_small_graph_stands_in_the_middle_over_its_legend(graph):
    track = graph[0]
    layout = placed(track, 1)
    picture = picture_of(Graph(track, layout, 0), Look(LIGHT))
    bare = picture_of(Graph(track, layout, 0), Look(LIGHT, legend=False))

    left = picture.view(1.0, 1.0).x + picture.scene.around[0]
    right = picture.size[0] - picture.view(1.0, 1.0).x - picture.scene.around[2]

    assert picture.size[0] > bare.size[0]
    assert left == pytest.approx(right, abs=2)


@pytest.mark.parametrize("width", [260, 400, 500])
def test_no_label_is_cut_in_a_small_picture(qapp, tmp_path, width):
    lesson = shipped("examples") / "17_softmax_and_cross_entropy.py"
    track = Track(run(lesson.read_text(encoding="utf-8"), lesson.name).recording, 0)
    layout = lay_out_layers(request_of(track, box_sizes(track), "down"))
    for position in range(track.turn + 1, track.length + 1):
        save(track, layout, position, tmp_path / "graph.png", theme_palette=LIGHT, width=width)

        image = QImage(str(tmp_path / "graph.png"))
        rim = {image.pixelColor(x, y).name() for x in (0, image.width() - 1) for y in range(image.height())}
        canvas = QColor(LIGHT.canvas).lightness()
        assert all(canvas - QColor(colour).lightness() < 15 for colour in rim)  # but for the edge of a shadow


@pytest.mark.parametrize(("scale", "has_legend"), [(0.3, False), (0.6, True)])
def test_a_legend_that_could_not_be_read_is_left_out(graph, tmp_path, scale, has_legend):
    images = []
    for legend in (True, False):
        save(*graph, 9, tmp_path / "graph.png", theme_palette=LIGHT, scale=scale, legend=legend)
        images.append(QImage(str(tmp_path / "graph.png")))
    with_legend, bare = images

    below = range(bare.height() + 2, with_legend.height())
    inks = {with_legend.pixelColor(x, y).name() for x in range(with_legend.width()) for y in below}
    assert (len(inks) > 1) is has_legend


@pytest.mark.parametrize("scale", [0.171, 0.2, 0.233, 0.29, 0.31, 0.47, 0.81])
def test_every_pixel_of_a_small_preview_is_painted(graph, scale):
    track, layout = graph
    picture = picture_of(Graph(track, layout, 9, notes=("What if: x = 3 (was 2).",)), Look(LIGHT))

    image = pictures.image_of(picture, 9, scale, detail=1.0)

    image.setDevicePixelRatio(1.0)
    band = round(picture.band.height * scale)
    right, bottom = image.width() - 1, image.height() - 1
    rim = {image.pixelColor(right, y).name() for y in range(band + 2, bottom + 1)}
    rim |= {image.pixelColor(x, bottom).name() for x in range(right + 1)}
    assert rim == {LIGHT.canvas.lower()}
    assert {image.pixelColor(x, 1).name() for x in (0, right)} == {LIGHT.changed_tint.lower()}
