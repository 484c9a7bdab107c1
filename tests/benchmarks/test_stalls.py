"""No stall of the event loop over 100 ms while a large capture arrives, is adopted again, selected in and stepped.

A stall is the longest turn of the event loop. Wall time is printed; the budget is held against the time that the
processor spent on the GUI thread, because other programs on the machine stall everything.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.session.adopt import adopt_capture
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import Session, SteppingState
from aotgui.model.capture import Capture, Region
from aotgui.model.graph import Graph, GraphKind, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.values import ValueStats

BUDGET_S = 0.1
TURNS_S = 2.0
STEPS = 40
ROOT = Path(__file__).parents[1]
FAKE_ENGINE = ROOT / "gui" / "session" / "fake_engine.py"
DATA = ROOT / "layout" / "data"


class Longest:
    """The longest turn so far.

    Attributes:
        wall_s: by the clock.
        processor_s: on this thread.
    """

    def __init__(self) -> None:
        self.wall_s = 0.0
        self.processor_s = 0.0

    def turn(self, work: Callable[[], object]) -> None:
        wall, processor = time.perf_counter(), time.thread_time()
        work()
        self.wall_s = max(self.wall_s, time.perf_counter() - wall)
        self.processor_s = max(self.processor_s, time.thread_time() - processor)

    def turns(self, seconds: float) -> None:
        """Runs the event loop for a while."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.turn(QCoreApplication.processEvents)


def capture_of(name: str) -> Capture:
    """A capture around a real joint graph, whose halves are stood for by graphs as large."""
    joint = _graph(name)
    halves = {kind: msgspec.structs.replace(joint, kind=kind) for kind in (GraphKind.FORWARD, GraphKind.BACKWARD)}
    region = Region(name="region 0", graphs={GraphKind.JOINT: joint, **halves})
    region.build_tables()
    return Capture(source="/model.py", target="model", torch="", settings=Settings(), regions=[region])


def _graph(name: str) -> Graph:
    return msgspec.msgpack.decode(gzip.decompress((DATA / f"{name}.msgpack.gz").read_bytes()), type=Graph)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    command = (sys.executable, str(FAKE_ENGINE))
    window = MainWindow(Controller(Session(), command, keep_spare=False), PreferencesStore(tmp_path / "p.json"))
    qtbot.addWidget(window)
    window.resize(1600, 1000)
    window.show()
    window.prepare()
    window.session.set_source("/model.py")
    Longest().turns(TURNS_S / 2)
    return window


@pytest.mark.parametrize("name", ["gpt2_12.joint", "llama_32.joint"])
def test_longest_stall(benchmark: BenchmarkFixture, window: MainWindow, name: str) -> None:
    session = window.session
    longest: dict[str, Longest] = {}

    def watch(what: str, work: Callable[[], object], seconds: float = TURNS_S) -> None:
        longest[what] = found = Longest()
        found.turn(work)
        found.turns(seconds)

    def drive() -> None:
        watch("a capture arrives", lambda: adopt_capture(session, first), 2 * TURNS_S)
        watch("the same again", lambda: adopt_capture(session, again))
        watch("a selection", lambda: session.select(GraphKind.JOINT, [nodes // 3], reveal=True), 0.5)
        for kind in (GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.JOINT):
            watch(f"the {kind} tab", partial(session.show_graph, kind), 0.5)
        longest["stepping"] = steps = Longest()
        for node in range(STEPS):
            steps.turn(partial(step, session, range(node, node + 1), node + 1))
            steps.turns(0.02)
        watch("going on to the end", lambda: step(session, range(STEPS, nodes), nodes), TURNS_S)

    first, again = capture_of(name), capture_of(name)
    nodes = len(first.regions[0].graphs[GraphKind.JOINT])
    benchmark.pedantic(drive, rounds=1)
    for what, found in longest.items():
        benchmark.extra_info[what] = f"{found.processor_s * 1000:.0f} ms, {found.wall_s * 1000:.0f} ms by the clock"
        sys.stdout.write(f"{name} {what}: {benchmark.extra_info[what]}\n")
    assert max(found.processor_s for found in longest.values()) < BUDGET_S


def step(session: Session, nodes: range, following: int) -> None:
    """The engine executed some nodes and stands before another one."""
    tensor = TensorInfo((4, 4), "float32", (4, 1), "cpu", 64)
    executed = [ValueStats(node=node, tensor=tensor, minimum=0.0, maximum=1.0) for node in nodes]
    session.add_values({GraphKind.FORWARD: executed})
    session.set_stepping(SteppingState(active=True, graph=GraphKind.FORWARD, node=following))
