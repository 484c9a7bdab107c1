"""Names beside points: none on another, none on a point, none outside."""

from __future__ import annotations

from itertools import combinations

from PySide6.QtCore import QPointF, QRectF, QSizeF

from aotgui.gui.panels.label_places import label_places

AREA = QRectF(0, 0, 200, 100)
RADIUS = 6.0


def test_a_name_stands_right_above_its_point() -> None:
    (place,) = label_places([QPointF(50, 50)], [QSizeF(40, 14)], AREA, RADIUS)
    assert place == QRectF(58, 28, 40, 14)


def test_names_of_near_points_lie_on_nothing() -> None:
    points = [QPointF(180, 80), QPointF(165, 72), QPointF(150, 70), QPointF(140, 60), QPointF(20, 10)]
    places = label_places(points, [QSizeF(40, 14)] * 5, AREA, RADIUS)
    found = [place for place in places if place is not None]
    assert len(found) == 5
    marks = [QRectF(point.x() - 6, point.y() - 6, 12, 12) for point in points]
    assert all(AREA.contains(place) for place in found)
    assert not [pair for pair in combinations(found, 2) if pair[0].intersects(pair[1])]
    assert not [mark for mark in marks for place in found if mark.intersects(place)]


def test_a_name_without_room_is_left_out() -> None:
    assert label_places([QPointF(50, 50)], [QSizeF(300, 14)], AREA, RADIUS) == [None]


def test_a_point_without_a_name_is_kept_free() -> None:
    points = [QPointF(50, 50), QPointF(70, 35)]
    first, second = label_places(points, [QSizeF(40, 14), QSizeF()], AREA, RADIUS)
    assert second is None
    assert first is not None
    assert not first.intersects(QRectF(64, 29, 12, 12))


def test_a_name_stands_beside_a_line_where_it_can() -> None:
    line = [QPointF(50, 50), QPointF(150, 10)]
    (place,) = label_places([QPointF(50, 50)], [QSizeF(40, 14)], AREA, RADIUS, line)
    assert place == QRectF(2, 28, 40, 14)
    (crossing,) = label_places([QPointF(50, 50)], [QSizeF(40, 14)], QRectF(45, 20, 60, 34), RADIUS, line)
    assert crossing == QRectF(58, 28, 40, 14)
