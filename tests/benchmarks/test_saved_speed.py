"""Budgets of what a person asks about 7,000 nodes: the ledger opens within 100 ms, a why answers within 50.

With processor time as in ``test_canvas_speed``; the memory plot has no budget of its own and must not take a second.
"""

from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aotgui.gui.panels.memory_panel import MemoryPanel
from aotgui.gui.panels.saved_panel import SavedPanel
from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture, Region, SavedValue
from aotgui.model.cut_network import CutNetwork, CutSide
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Output, OutputKind, Role, Side, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.why import why_of

HALF = 3_500
SAVED = 900
LEDGER_MS = 100
WHY_MS = 50
MEMORY_MS = 1_000
SLACK = 1.25
INFO = TensorInfo((64, 64), "float32", (64, 1), "cpu", 16384)
pytestmark = pytest.mark.benchmark(timer=time.thread_time)


def _graph(
    kind: GraphKind, names: list[str], origins: list[int], edges: list[tuple[int, int]], **more: object
) -> Graph:
    count = len(names)
    edges = sorted(edges, key=lambda edge: (edge[1], edge[0]))
    is_given = [name.startswith("f") and kind is GraphKind.BACKWARD for name in names]
    return Graph(
        kind=kind,
        strings=["aten.mm.default", *(f"model.layers.{block}" for block in range(32))],
        names=names,
        ops=[int(Op.PLACEHOLDER if given else Op.CALL_FUNCTION) for given in is_given],
        targets=[0] * count,
        roles=[int(Role.SAVED_VALUE if given else Role.OPERATOR) for given in is_given],
        sides=[int(Side.FORWARD if name.startswith("f") else Side.BACKWARD) for name in names],
        fates=[int(Fate.SAVED if origin < SAVED else Fate.FORWARD_ONLY) for origin in origins],
        seq_nrs=[-1] * count,
        origins=origins,
        labels=[-1] * count,
        modules=[1 + origin % 32 for origin in origins],
        stacks=[-1] * count,
        values=[[0]] * count,
        arguments=[[]] * count,
        edge_sources=[source for source, _ in edges],
        edge_targets=[target for _, target in edges],
        tensor_table=[INFO],
        **more,  # type: ignore[arg-type] # outputs and storages
    )


@pytest.fixture(scope="module")
def capture() -> Capture:
    """A chain of forward nodes, of which the first are saved, and a chain of backward nodes that read them."""
    forward, backward = [f"f{node}" for node in range(HALF)], [f"b{node}" for node in range(HALF)]
    chain = [(node, node + 1) for node in range(HALF - 1)]
    crossing = [(node, 2 * HALF - 1 - node) for node in range(SAVED)]
    joint_chain = [*chain, *((HALF + node, HALF + node + 1) for node in range(HALF - 1)), *crossing]
    given = [*forward[:SAVED], *backward]
    back_edges = [(SAVED + node, SAVED + node + 1) for node in range(HALF - 1)]
    back_edges += [(node, SAVED + HALF - 1 - node) for node in range(SAVED)]
    graphs = {
        GraphKind.JOINT: _graph(GraphKind.JOINT, forward + backward, list(range(2 * HALF)), joint_chain),
        GraphKind.FORWARD: _graph(
            GraphKind.FORWARD,
            forward,
            list(range(HALF)),
            chain,
            outputs=[Output(node, OutputKind.SAVED, f"f{node}") for node in range(SAVED)],
            storages=[[node] for node in range(HALF)],
        ),
        GraphKind.BACKWARD: _graph(
            GraphKind.BACKWARD,
            given,
            [*range(SAVED), *range(HALF, 2 * HALF)],
            back_edges,
            storages=[[node] for node in (*range(SAVED), *range(HALF, 2 * HALF))],
        ),
    }
    saved = [
        SavedValue(name=f"f{node}", tensor=INFO, size_bytes=16384, storage_bytes=16384, role="activation", module="m")
        for node in range(SAVED)
    ]
    region = Region(
        name="region 0", graphs=graphs, saved=saved, cut=_cut(joint_chain), storage_bytes=[16384] * (2 * HALF)
    )
    region.build_tables()
    return Capture(source="model.py", target="model", torch="2.13.0", settings=Settings(), regions=[region])


def _cut(edges: list[tuple[int, int]]) -> CutNetwork:
    count = 2 * HALF
    return CutNetwork(
        nodes=list(range(count)),
        capacities=[16384.0] * count,
        bans=[0 if node % 50 == 0 else -1 for node in range(count)],
        unsaveable=[-1] * count,
        needs=[1 if node >= HALF else -1 for node in range(count)],
        needs_value=[False] * count,
        sides=[
            int(CutSide.CUT if node < SAVED else CutSide.SOURCE if node < HALF else CutSide.SINK)
            for node in range(count)
        ],
        edge_sources=[source for source, _ in edges],
        edge_targets=[target for _, target in edges],
        strings=["cannot recompute: compute intensive op", "must be computed in backward"],
    )


@pytest.fixture
def session(capture: Capture) -> Session:
    session = Session()
    session.set_source("model.py")
    session.set_capture(capture)
    return session


@pytest.mark.parametrize("grouping", ["No groups", "By module"])
def test_the_ledger_opens(benchmark: BenchmarkFixture, session: Session, qtbot: QtBot, grouping: str) -> None:
    panel = SavedPanel(session)
    qtbot.addWidget(panel)
    panel.resize(1200, 400)
    panel.show()
    panel.group_by(grouping)

    def opening() -> None:
        session.capture_changed.emit()
        panel.grab()

    benchmark.pedantic(opening, rounds=8, warmup_rounds=1)
    assert len(panel.model.shown) == SAVED
    assert benchmark.stats.stats.median * 1000 < LEDGER_MS * SLACK


def test_a_why_is_answered(benchmark: BenchmarkFixture, capture: Capture) -> None:
    nodes = iter(range(0, 2 * HALF, 97))
    answers = benchmark.pedantic(
        lambda node: why_of(capture.regions[0], node, capture.settings),
        setup=lambda: ((next(nodes),), {}),
        rounds=60,
    )
    assert answers.reasons
    assert benchmark.stats.stats.max * 1000 < WHY_MS * SLACK


def test_memory_over_time_is_plotted(benchmark: BenchmarkFixture, session: Session, qtbot: QtBot) -> None:
    panel = MemoryPanel(session)
    qtbot.addWidget(panel)
    panel.resize(1200, 400)
    panel.show()
    panel.refresh()

    def opening() -> None:
        panel.refresh()
        panel.grab()

    benchmark.pedantic(opening, rounds=5, warmup_rounds=1)
    assert panel.memory is not None
    assert panel.memory.steps == 2 * HALF + SAVED
    assert benchmark.stats.stats.median * 1000 < MEMORY_MS
