"""Crisp at fractional display scaling: what is on the screen equals direct painting, pixel by pixel.

Qt reads the scale factor once, so each factor needs a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import runpy, sys
import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
from aotgui.gui.canvas.colouring import ColourMode, colour
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.painter import ScenePainter

app = QApplication([])
graph, layout = runpy.run_path(sys.argv[1])["ladder"](20, 2)
view = GraphView()
view.resize(701, 503)
view.show()
view.set_graph(graph, layout)
view.zoom_100()
while not view.is_crisp or view.is_painting:
    app.processEvents()
shown = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
direct = QImage(shown.size(), QImage.Format.Format_RGB32)
painter = QPainter(direct)
fills = colour(view.scene, ColourMode.PARTITION, view.theme)
scene_painter = ScenePainter(view.scene, fills, view.theme, NodeStates())
scene_painter.paint(painter, view.frame(), QRect(0, 0, direct.width(), direct.height()))
painter.end()

def pixels(image):
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int)

different = np.abs(pixels(shown) - pixels(direct)).max(axis=2) > 24
print(view.devicePixelRatioF(), shown.width(), different[2:-2, 2:-2].mean(), len(np.unique(pixels(direct))))
"""


@pytest.mark.parametrize("factor", [1.0, 1.25, 1.5, 2.0])
def test_the_screen_equals_direct_painting(factor):
    environment = {**os.environ, "QT_SCALE_FACTOR": str(factor), "QT_QPA_PLATFORM": "offscreen"}
    helper = Path(__file__).with_name("conftest.py")
    command = [sys.executable, "-c", SCRIPT, str(helper)]
    run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60)
    ratio, width, different, colours = map(float, run.stdout.split())
    assert ratio == factor
    assert width == pytest.approx(701 * factor, abs=1)
    assert colours > 20
    assert different < 5e-4
