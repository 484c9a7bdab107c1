"""The lines of the card."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from aotgui.gui.canvas.hover_card import describe, format_bytes, paint_card
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import LIGHT
from aotgui.model.graph import Frame


def test_an_operator_with_a_source_line(make_graph):
    graph, layout = make_graph(5)
    graph.frame_table.append(Frame("/home/me/model.py", 17, "forward"))
    graph.stack_table.append([0])
    graph.stacks[4] = 0
    assert describe(Scene(graph, layout), 4) == [
        "mm_4",
        "aten.mm.default",
        "f32[32, 64]   8.0 KiB",
        "forward side, recomputed",
        "returned as out[0]",
        "layers.0",
        "model.py:17  in forward",
    ]


def test_a_parameter_says_its_role_and_its_name_in_the_graph(make_graph):
    lines = describe(Scene(*make_graph(5)), 0)
    assert lines[:3] == ["layers.0.weight", "parameter  mm_0", "f32[32, 64]   8.0 KiB"]


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 << 30, "3.0 GiB")])
def test_bytes(size, text):
    assert format_bytes(size) == text


@pytest.mark.parametrize("pointer", [(5, 5), (395, 5), (5, 295), (395, 295)])
def test_the_card_stays_inside_the_view_and_off_the_pointer(qapp, pointer):
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    card = paint_card(painter, ["a title", "another line"], QPointF(*pointer), QSize(400, 300), LIGHT)
    painter.end()
    assert QRectF(0, 0, 400, 300).contains(card)
    assert not card.contains(QPointF(*pointer))
