"""The retained picture equals direct painting, and only what changed is painted again."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QImage, QPainter

from aotgui.gui.canvas.buffer import TILE_HEIGHT, TILE_WIDTH, TileBuffer
from aotgui.gui.canvas.colouring import ColourMode, colour
from aotgui.gui.canvas.detail import Detail
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.painter import ScenePainter
from aotgui.gui.canvas.raster import Frame
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import DARK, LIGHT

SIZE = QSize(900, 600)


@pytest.fixture
def scene_painter(qapp, make_graph):
    scene = Scene(*make_graph(60, 3))
    return ScenePainter(scene, colour(scene, ColourMode.PARTITION, LIGHT), LIGHT, NodeStates())


@pytest.fixture
def buffer(scene_painter):
    tiles = TileBuffer()
    tiles.set_painter(scene_painter)
    return tiles


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int)


def drawn(buffer: TileBuffer, frame: Frame) -> np.ndarray:
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    buffer.draw(painter, frame, SIZE)
    painter.end()
    return pixels(image)


def direct(scene_painter: ScenePainter, frame: Frame) -> np.ndarray:
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    scene_painter.paint(painter, frame, QRect(0, 0, SIZE.width(), SIZE.height()))
    painter.end()
    return pixels(image)


def complete(buffer: TileBuffer, frame: Frame) -> None:
    while not buffer.advance(frame, SIZE, 1.0):
        pass


FRAMES = [
    pytest.param(Frame(1.0, -37, 211), Detail.FULL, id="full"),
    pytest.param(Frame(1.5, 101, 900, 1.5), Detail.FULL, id="fractional display scaling"),
    pytest.param(Frame(2.6, 333, 77, 2.0), Detail.FULL, id="double density"),
    pytest.param(Frame(0.52, 0, 0), Detail.FULL, id="titles only"),
    pytest.param(Frame(0.15, -100, -50), Detail.BARS, id="bars"),
    pytest.param(Frame(0.05, -300, -200), Detail.DENSITY, id="density"),
]


@pytest.mark.parametrize(("frame", "detail"), FRAMES)
def test_the_buffer_equals_direct_painting(buffer, scene_painter, frame, detail):
    assert scene_painter.detail(frame.scale) is detail
    complete(buffer, frame)
    expected, got = direct(scene_painter, frame), drawn(buffer, frame)
    assert len(np.unique(expected.reshape(-1, 3), axis=0)) > 5  # there is something to see
    different = np.abs(expected - got).max(axis=2) > 24
    # Lines clipped at other places round differently at single pixels.
    assert different.mean() < 2e-4


@pytest.mark.parametrize("part", [ColourMode.OPERATOR, ColourMode.BYTES])
def test_it_equals_direct_painting_in_other_colours_and_with_faded_nodes(buffer, scene_painter, make_graph, part):
    scene = Scene(*make_graph(60, 3))
    scene_painter.states.dimmed = np.arange(len(scene)) % 3 > 0
    scene_painter.states.executed = {1, 2}
    scene_painter.states.breakpoints = {3}
    scene_painter.states.nonfinite = {4}
    scene_painter.set_colouring(colour(scene, part, LIGHT))
    frame = Frame(1.0, -20, -20)
    complete(buffer, frame)
    assert (np.abs(direct(scene_painter, frame) - drawn(buffer, frame)).max(axis=2) > 24).mean() < 2e-4


@pytest.mark.parametrize("frame", [Frame(1.0, -50, -50), Frame(0.8, 120, 300), Frame(2.0, 900, 40, 2.0)])
def test_captions_and_group_frames_continue_across_tiles(qapp, make_graph, make_stubs, make_group, frame):
    graph, layout = make_graph(40, 3)
    scene = Scene(graph, make_group(make_stubs(layout), list(range(30))))
    scene_painter = ScenePainter(scene, colour(scene, ColourMode.PARTITION, LIGHT), LIGHT, NodeStates())
    buffer = TileBuffer()
    buffer.set_painter(scene_painter)
    complete(buffer, frame)
    assert (np.abs(direct(scene_painter, frame) - drawn(buffer, frame)).max(axis=2) > 24).mean() < 2e-4


def counted(monkeypatch, scene_painter) -> list[Frame]:
    painted: list[Frame] = []
    paint = scene_painter.paint

    def record(painter, frame, target):
        painted.append(frame)
        paint(painter, frame, target)

    monkeypatch.setattr(scene_painter, "paint", record)
    return painted


def test_a_pan_within_the_margin_paints_nothing(buffer, scene_painter, monkeypatch):
    complete(buffer, Frame(1.0, 0, 0))
    painted = counted(monkeypatch, scene_painter)
    moved = Frame(1.0, 100, -90)
    assert buffer.is_crisp(moved, SIZE)
    drawn(buffer, moved)
    assert painted == []


def test_only_the_tiles_of_a_changed_box_are_painted_again(buffer, scene_painter, make_graph, monkeypatch):
    frame = Frame(1.0, 0, 0)
    complete(buffer, frame)
    painted = counted(monkeypatch, scene_painter)
    scene = Scene(*make_graph(60, 3))
    scene_painter.states.executed = {2}
    before = drawn(buffer, frame)
    buffer.invalidate(scene.boxes[[2]])
    assert (drawn(buffer, frame) == before).all()  # stale, but shown
    assert not buffer.is_crisp(frame, SIZE)
    complete(buffer, frame)
    assert 1 <= len(painted) <= 2
    assert (np.abs(direct(scene_painter, frame) - drawn(buffer, frame)).max(axis=2) > 24).mean() < 2e-4


def test_a_zoom_shows_the_former_picture_stretched(buffer):
    near, far = Frame(1.0, 0, 0), Frame(0.5, 0, 0)
    complete(buffer, near)
    crisp = drawn(buffer, near)
    buffer.begin_zoom(near, SIZE)
    stretched = drawn(buffer, far)
    half = crisp[::2, ::2][: SIZE.height() // 2 - 2, : SIZE.width() // 2 - 2]
    shown = stretched[: half.shape[0], : half.shape[1]]
    assert (np.abs(half - shown).max(axis=2) > 60).mean() < 0.1


def test_slices_end_in_time_and_the_view_comes_first(buffer):
    frame = Frame(1.0, 0, 0)
    assert not buffer.advance(frame, SIZE, 0.0)  # at least one tile, however small the budget
    visible = len(buffer.missing(frame, SIZE))
    assert 0 < visible < (SIZE.width() // TILE_WIDTH + 1) * (SIZE.height() // TILE_HEIGHT + 1)
    for _ in range(visible):
        assert not buffer.is_crisp(frame, SIZE)
        buffer.advance(frame, SIZE, 0.0)
    assert buffer.is_crisp(frame, SIZE)
    assert buffer.missing(frame, SIZE, 256)


def test_memory_stays_bounded_on_a_long_way(buffer):
    sizes = []
    for step in range(30):
        frame = Frame(1.0, step * 400, step * 150)
        complete(buffer, frame)
        sizes.append(buffer.size_bytes)
    assert max(sizes) < 3 * (SIZE.width() + 1024) * (SIZE.height() + 1024) * 4


def test_another_scene_leaves_nothing_of_the_former_one(buffer, make_graph):
    complete(buffer, Frame(1.0, 0, 0))
    scene = Scene(*make_graph(2))
    buffer.set_painter(ScenePainter(scene, colour(scene, ColourMode.PARTITION, DARK), DARK, NodeStates()))
    assert not drawn(buffer, Frame(1.0, 0, 0)).any()


def test_an_empty_buffer_is_crisp():
    tiles = TileBuffer()
    assert tiles.advance(Frame(1.0, 0, 0), SIZE, 0.01)
    assert tiles.missing(Frame(1.0, 0, 0), SIZE) == []
