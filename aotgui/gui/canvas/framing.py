"""Which camera shows what: everything, the start, some boxes. Pure functions of scene and view size."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize

from aotgui.gui.canvas.camera import FIT_MARGIN_PX, MAX_SCALE, Camera, fitted
from aotgui.gui.canvas.frame_titles import titles_in
from aotgui.gui.canvas.scene import Scene
from aotgui.model.graph import GraphKind, Side

READABLE_SCALE: Final = 0.7
"""A graph that would have to be smaller than this to fit is opened at its top instead."""
OPENING_SCALE: Final = 0.9
COLUMNS_SCALE: Final = 0.45
"""Down to this, a joint graph opens with both of its columns whole."""
SEEN_PX: Final = 5.0
"""A box lower than this is not seen, even where it is in view."""
REVEAL_MARGIN_PX: Final = 8


def everything(scene: Scene, size: QSize) -> Camera:
    """The whole graph, at its own size at most."""
    return fitted(scene.bounds, size.width(), size.height())


def opening(scene: Scene, size: QSize) -> Camera:
    """A first look: everything if that is readable, else the top of the graph at a readable size.

    Of a joint graph both columns are seen: whole where that is readable, else from the gutter between them on.
    """
    camera = everything(scene, size)
    return camera if camera.scale >= READABLE_SCALE else _top(scene, size)


def _top(scene: Scene, size: QSize) -> Camera:
    left, top, width, _ = scene.bounds
    room = size.width() - 2 * FIT_MARGIN_PX
    has_columns = scene.graph.kind is GraphKind.JOINT and len(np.unique(scene.sides)) > 1
    smallest = COLUMNS_SCALE if has_columns else READABLE_SCALE
    scale = min(max(room / max(width, 1.0), smallest), OPENING_SCALE)
    middle = left + width / 2
    if width * scale > room:
        wide, bottom = size.width() / scale, top + size.height() / scale
        middle = _gutter(scene, bottom) if has_columns else _busiest(scene, bottom, wide)
    return Camera(scale, middle - size.width() / 2 / scale, top - FIT_MARGIN_PX / scale)


def _gutter(scene: Scene, bottom: float) -> float:
    """Scene x of the middle between the two columns, as far as both reach above ``bottom``."""
    seen = scene.boxes[:, 1] < bottom
    forward, backward = (scene.boxes[seen & (scene.sides == side)] for side in Side)
    if not len(forward) or not len(backward):
        return _first(scene)
    return float((forward[:, 0] + forward[:, 2]).max() + backward[:, 0].min()) / 2


def _busiest(scene: Scene, bottom: float, wide: float) -> float:
    """Scene x of the middle of as many boxes above ``bottom`` as a view so wide shows; the uppermost where it can be.

    A graph can begin with two boxes in a lane of their own, far from all others.
    """
    boxes = scene.boxes[scene.boxes[:, 1] < bottom]
    lefts, rights = np.sort(boxes[:, 0]), np.sort(boxes[:, 0] + boxes[:, 2])
    # Those that end in time, less those that begin too early: all others are whole in a view that starts at a box.
    counts = np.searchsorted(rights, lefts + wide, "right") - np.arange(len(lefts))
    first = _first(scene)
    if np.count_nonzero(np.abs(boxes[:, 0] + boxes[:, 2] / 2 - first) < wide / 2) >= counts.max():
        return first
    best = np.flatnonzero(counts == counts.max())
    start = int(best[np.abs(lefts[best] + wide / 2 - first).argmin()])
    end = rights[np.searchsorted(rights, lefts[start] + wide, "right") - 1]
    return float(lefts[start] + end) / 2


def _first(scene: Scene) -> float:
    """Scene x of the middle of the uppermost boxes."""
    first = scene.boxes[scene.boxes[:, 1] <= scene.boxes[:, 1].min() + 2 * scene.unit]
    return float((first[:, 0] + first[:, 2] / 2).mean())


def around(scene: Scene, items: list[int], size: QSize) -> Camera:
    """Some boxes, as large as they fit."""
    boxes = scene.boxes[items]
    left, top = boxes[:, :2].min(axis=0).tolist()
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0).tolist()
    return fitted((left, top, right - left, bottom - top), size.width(), size.height())


def revealing(scene: Scene, item: int, camera: Camera, size: QSize) -> Camera:
    """A camera that shows a box: the same one if it does already; closer where boxes are too small to see."""
    left, top, width, height = scene.box(item)
    view = QRectF(0, 0, size.width(), size.height())
    margin = REVEAL_MARGIN_PX
    if scene.unit * camera.scale < SEEN_PX:
        camera = Camera(READABLE_SCALE)
    elif view.adjusted(margin, margin, -margin, -margin).contains(camera.rect_to_view(left, top, width, height)):
        covered = _covered(scene, item, camera, size)
        return camera.panned(0, covered + margin) if covered else camera
    camera = camera.centred(left + width / 2, top + height / 2, size.width(), size.height())
    return camera.panned(0, _covered(scene, item, camera, size))


def _covered(scene: Scene, item: int, camera: Camera, size: QSize) -> float:
    """How far down, in pixels, a box has to go to come out from below the titles at the border of the view."""
    box = camera.rect_to_view(*scene.box(item))
    titles = [title.place for title in titles_in(scene, camera, size) if title.is_sticky]
    down = 0.0
    for place in sorted(titles, key=lambda place: place.top()):
        if place.intersects(box.translated(0, down)):
            down = place.bottom() - box.top()
    return down


def nearest(scene: Scene, point: tuple[float, float], hidden: NDArray[np.bool_] | None = None) -> int:
    """The item whose middle is nearest to a scene point, of those that are not hidden; -1 where all are."""
    left, top, width, height = scene.boxes.T
    distances = np.hypot(left + width / 2 - point[0], top + height / 2 - point[1])
    if hidden is not None:
        distances = np.where(hidden, np.inf, distances)
    item = int(distances.argmin())
    return item if np.isfinite(distances[item]) else -1


def smallest_scale(scene: Scene | None, camera: Camera, size: QSize) -> float:
    """How far one can zoom out: a little smaller than fitted shows that there is nothing more."""
    if scene is None or not len(scene):
        return MAX_SCALE
    return min(0.8 * everything(scene, size).scale, camera.scale)


def bounded(scene: Scene | None, camera: Camera, size: QSize) -> Camera:
    """The same scale, moved so that a strip of the graph stays in view."""
    if scene is None:
        return camera
    left, top, width, height = scene.bounds
    wide, high = size.width() / camera.scale, size.height() / camera.scale
    x = min(max(camera.left, left - 0.8 * wide), left + width - 0.2 * wide)
    y = min(max(camera.top, top - 0.8 * high), top + height - 0.2 * high)
    return Camera(camera.scale, x, y)
