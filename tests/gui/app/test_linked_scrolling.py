"""Two graphs side by side that scroll together."""

from __future__ import annotations

from collections.abc import Callable

from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.model.graph import GraphKind


def height_of(pane: CanvasPane, node: int) -> float:
    """Where in its view the box of a node stands."""
    assert pane.view.scene is not None
    centre = pane.view.scene.centre_of(node)
    assert centre is not None
    return pane.view.camera.to_view(*centre).y()


def test_what_is_in_the_middle_stands_beside_it_in_the_other(
    window: MainWindow, script: Callable[..., str], open_and_wait: Callable[[MainWindow, str], None], qtbot
) -> None:
    open_and_wait(window, script())
    split = window.workspace.split
    window.session.show_graph(GraphKind.JOINT)
    split.set_split(True)
    second = split.second
    second.bar.setCurrentIndex(1)  # the forward graph
    joint, forward = window.workspace.tabs.pane(GraphKind.JOINT), second.pane
    assert joint is not None
    assert forward is not None
    assert forward.kind is GraphKind.FORWARD
    qtbot.waitUntil(lambda: joint.is_current and forward.is_current and not forward.is_laying_out)
    node = 1  # the same in both
    assert window.session.copies_in(GraphKind.FORWARD, GraphKind.JOINT, [node]) == [node]

    def look(pane: CanvasPane, scale: float, offset: float) -> None:
        """Puts the node near the middle of a view."""
        x, y = pane.view.scene.centre_of(node)
        pane.view.set_camera(Camera(scale, x - 50, y - pane.view.height() / scale / 2 + offset))

    look(joint, 2.0, 0.0)
    look(forward, 1.0, 70.0)
    assert abs(height_of(joint, node) - height_of(forward, node)) > 20
    second.linked.click()
    assert abs(height_of(joint, node) - height_of(forward, node)) < 1
    look(joint, 2.0, 9.0)
    assert abs(height_of(joint, node) - height_of(forward, node)) < 1
    look(forward, 1.0, -7.0)
    assert abs(height_of(joint, node) - height_of(forward, node)) < 1
    second.linked.click()
    look(joint, 2.0, 0.0)
    assert abs(height_of(joint, node) - height_of(forward, node)) > 5
