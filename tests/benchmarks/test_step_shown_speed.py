"""A single step is seen on the screen within 30 ms on a graph of 7,000 nodes, also back, and in every colour mode.

The whole window is there, with the tables, the source and the debugger; the engine's report is handed to it as it
comes from the pipe. The clock runs from the report until everything that Qt wants to paint has been painted. All of
that happens in the window's own thread, so the clock is that thread's processor time: what it takes by the wall clock
where nothing else runs.
"""

from __future__ import annotations

import gc
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import Session, SteppingState
from aotgui.model.capture import Capture, Region
from aotgui.model.graph import GraphKind, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.stepping import NodeError
from aotgui.model.values import ValueStats
from aotgui.protocol.messages import Stepped, StopReason

NODES = 7_000
STEPS = 60
SHOWN_MS = 30
FORWARD = GraphKind.FORWARD


def big_capture() -> Capture:
    """A transformer's joint graph, and a forward graph that has a copy of each of its nodes."""
    path = Path(__file__).parents[1] / "layout" / "graphs.py"
    spec = importlib.util.spec_from_file_location("layout_graphs_for_steps", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    joint = module.transformer_joint(NODES // 43)
    forward = msgspec.structs.replace(joint, kind=FORWARD, origins=list(range(len(joint.names))))
    region = Region(name="region 0", graphs={GraphKind.JOINT: joint, FORWARD: forward})
    return Capture(source="big.py", target="model", torch="2.13.0", settings=Settings(), regions=[region])


class Bench:
    """A window that stands in the middle of a large graph."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.controller = Controller(Session(), keep_spare=False)
        self.session = self.controller.session
        self.window = MainWindow(self.controller, PreferencesStore(folder / "preferences.json"))
        self.window.resize(1600, 1000)
        with qtbot.waitExposed(self.window):
            self.window.show()
        self.session.set_source("big.py")
        self.session.set_capture(big_capture())
        self.session.show_graph(FORWARD)
        self.pane = self.window.workspace.tabs.pane(FORWARD)
        assert self.pane is not None
        qtbot.waitUntil(lambda: not self.pane.is_laying_out, timeout=60_000)
        self.session.set_stepping(SteppingState(active=True, running=True, graph=FORWARD, node=0))
        self.node = 0
        self.report(NODES // 2)
        self.settle(qtbot)

    def settle(self, qtbot: QtBot) -> None:
        qtbot.waitUntil(lambda: self.pane.view.is_crisp and not self.pane.view.is_painting, timeout=20_000)

    def report(self, count: int) -> None:
        """The engine says that it executed more nodes and stands before the next one."""
        tensor = TensorInfo((32, 64), "float32", (64, 1), "cpu", 8192)
        new = range(self.node, self.node + count)
        stats = [ValueStats(node=node, tensor=tensor, ms=0.1, minimum=-1.0, maximum=1.0) for node in new]
        errors = [NodeError(node=node, max_abs=1e-6, relative=1e-6) for node in new]
        self.node += count
        self._handle(self.node, {FORWARD: stats}, {FORWARD: errors})

    def report_back(self, node: int) -> None:
        """The engine says that it went back."""
        self._handle(node, {}, {})

    def _handle(
        self, node: int, executed: dict[GraphKind, list[ValueStats]], errors: dict[GraphKind, list[NodeError]]
    ) -> None:
        self.controller.steps.handle(
            Stepped(
                session=0,
                region=0,
                graph=FORWARD,
                node=node,
                reason=StopReason.STEP,
                executed=executed,
                errors=errors,
                frontier={FORWARD: self.node},
            )
        )

    def milliseconds(self, step: Callable[[int], None]) -> np.ndarray:
        """From each report until it is painted."""
        taken = []
        for number in range(STEPS):
            start = time.thread_time()
            step(number)
            QApplication.processEvents()
            taken.append(time.thread_time() - start)
        return 1000 * np.array(taken)


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(qtbot, tmp_path)
    gc.collect()
    gc.disable()
    yield bench
    gc.enable()
    bench.window.close()
    bench.window.deleteLater()


@pytest.mark.parametrize("mode", [ColourMode.PARTITION, ColourMode.EXECUTED, ColourMode.TIME, ColourMode.ERROR])
@pytest.mark.parametrize("shown", [FORWARD, GraphKind.JOINT])
def test_a_step_is_shown(
    benchmark: BenchmarkFixture, bench: Bench, qtbot: QtBot, mode: ColourMode, shown: GraphKind
) -> None:
    bench.session.show_graph(shown)
    pane = bench.window.workspace.tabs.pane(shown)
    assert pane is not None
    bench.pane = pane
    qtbot.waitUntil(lambda: not pane.is_laying_out, timeout=60_000)
    pane.set_colour_mode(mode)
    bench.settle(qtbot)
    taken = benchmark.pedantic(lambda: bench.milliseconds(lambda _number: bench.report(1)), rounds=1)
    benchmark.extra_info.update(median_ms=round(float(np.median(taken)), 1), worst_ms=round(float(taken.max()), 1))
    assert pane.view.scene is not None
    assert pane.view.marks.stepping == pane.view.scene.item_of(bench.node)
    assert np.median(taken) <= SHOWN_MS


def test_a_step_back_is_shown(benchmark: BenchmarkFixture, bench: Bench) -> None:
    taken = benchmark.pedantic(
        lambda: bench.milliseconds(lambda number: bench.report_back(bench.node - 1 - number)), rounds=1
    )
    benchmark.extra_info.update(median_ms=round(float(np.median(taken)), 1), worst_ms=round(float(taken.max()), 1))
    assert bench.pane.view.marks.stepping == bench.pane.view.scene.item_of(bench.node - STEPS)
    assert np.median(taken) <= SHOWN_MS
