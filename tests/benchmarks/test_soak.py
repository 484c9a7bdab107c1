"""Pans, zooms, opens, closes, selects and switches graphs at random for a while: no error, no leak, no slowdown.

Twenty seconds unless ``AOTGUI_SOAK_SECONDS`` says otherwise (300 for the whole test). Run with
``pytest --benchmark-only tests/benchmarks/test_soak.py``.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtWidgets import QApplication, QTabWidget
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture, Region
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings

SECONDS = float(os.environ.get("AOTGUI_SOAK_SECONDS", "20"))
WARM_UP_SHARE = 0.3
LEAK_MB = 60
SLOWDOWN = 2.0
"""Of the median action of the last third against the first one after the warm-up."""


def _helper(name: str) -> ModuleType:
    path = Path(__file__).parents[1] / "layout" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"layout_{name}_for_soak", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def memory_mb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


class Monkey:
    """Does something at random; the same each time for the same seed."""

    def __init__(self, session: Session, tabs: QTabWidget, seed: int) -> None:
        self._session = session
        self._tabs = tabs
        self._random = random.Random(seed)
        self._deeds: list[Callable[[CanvasPane], None]] = [
            self._pan, self._pan, self._zoom, self._zoom, self._toggle, self._toggle, self._fold, self._select,
            self._reveal, self._colour, self._switch, self._look,
        ]  # fmt: skip

    def act(self) -> None:
        """One deed, and what the event loop makes of it."""
        pane = self._tabs.currentWidget()
        assert isinstance(pane, CanvasPane)
        if pane.view.scene is not None:
            self._random.choice(self._deeds)(pane)
        QApplication.processEvents()
        # Only a loop that is left or idle deletes what was to be deleted later, and this is neither.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _pan(self, pane: CanvasPane) -> None:
        pane.view.pan_by(self._random.uniform(-400, 400), self._random.uniform(-900, 900))

    def _zoom(self, pane: CanvasPane) -> None:
        anchor = QPointF(self._random.uniform(0, pane.view.width()), self._random.uniform(0, pane.view.height()))
        pane.view.zoom_by(self._random.choice((0.4, 0.8, 1.25, 2.5)), anchor)

    def _toggle(self, pane: CanvasPane) -> None:
        arrangement = pane.folds.shown
        if arrangement is not None and arrangement.groups:
            group = self._random.choice(arrangement.groups)
            pane.folds.toggle(group.path, group.side, QPointF(300, 200))

    def _fold(self, pane: CanvasPane) -> None:
        self._random.choice((pane.folds.open_level, pane.folds.close_level, pane.folds.close_all))()

    def _select(self, pane: CanvasPane) -> None:
        assert pane.view.scene is not None
        size = len(pane.view.scene.graph)
        self._session.select(pane.kind, [self._random.randrange(size) for _ in range(self._random.choice((1, 1, 40)))])

    def _reveal(self, pane: CanvasPane) -> None:
        assert pane.view.scene is not None
        self._session.reveal(pane.kind, self._random.randrange(len(pane.view.scene.graph)))

    def _colour(self, pane: CanvasPane) -> None:
        pane.set_colour_mode(self._random.choice(list(ColourMode)))

    def _switch(self, pane: CanvasPane) -> None:
        self._tabs.setCurrentIndex(self._random.randrange(self._tabs.count()))

    def _look(self, pane: CanvasPane) -> None:
        self._random.choice((pane.view.fit, pane.view.zoom_100, pane.view.fit_selection))()


@pytest.fixture
def session(qtbot: QtBot) -> Session:
    return Session()


@pytest.fixture
def tabs(session: Session, qtbot: QtBot) -> Iterator[QTabWidget]:
    """A joint, a forward and a backward graph of real models."""
    real_graph = _helper("graphs").real_graph
    graphs = {
        GraphKind.JOINT: real_graph("llama_32.joint"),
        GraphKind.FORWARD: real_graph("resnet50.forward"),
        GraphKind.BACKWARD: real_graph("llama_2.backward"),
    }
    region = Region(name="r", graphs=graphs)
    session.set_capture(Capture(source="m.py", target="m", torch="2", settings=Settings(), regions=[region]))
    widget = QTabWidget()
    qtbot.addWidget(widget)
    panes = [CanvasPane(session, kind) for kind in graphs]
    for pane in panes:
        widget.addTab(pane, pane.kind.value)
    widget.resize(1400, 900)
    with qtbot.waitExposed(widget):
        widget.show()
    qtbot.waitUntil(lambda: not any(pane.is_laying_out for pane in panes), timeout=30_000)
    yield widget
    for pane in panes:
        pane.close_background()


@pytest.mark.timeout(0)
def test_it_bears_a_restless_user(benchmark: BenchmarkFixture, session: Session, tabs: QTabWidget) -> None:
    monkey = Monkey(session, tabs, seed=4)
    seconds: list[float] = []
    memory: list[float] = []

    def soak() -> None:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            start = time.thread_time()
            monkey.act()
            seconds.append(time.thread_time() - start)
            if len(seconds) % 100 == 0:
                gc.collect()
                memory.append(memory_mb())

    benchmark.pedantic(soak, rounds=1)
    warm = int(len(seconds) * WARM_UP_SHARE)
    first, last = np.array_split(np.array(seconds[warm:]), 3)[::2]
    settled = memory[int(len(memory) * WARM_UP_SHARE) :]
    benchmark.extra_info |= {"actions": len(seconds), "memory_mb": [round(settled[0]), round(settled[-1])]}
    assert len(seconds) > 10 * SECONDS
    assert np.median(last) <= SLOWDOWN * np.median(first)
    assert settled[-1] - settled[0] <= LEAK_MB
