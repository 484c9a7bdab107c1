"""The min-cut network around the selected node, and the marks of what stands in the light."""

from __future__ import annotations

import math

import msgspec
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.network_panel import NO_NETWORK, NO_SELECTION, OUTSIDE, NetworkPanel, edge_texts, network_note
from aotgui.gui.session.session import Session
from aotgui.gui.session.spotlight import Spot
from aotgui.model.capture import Capture, Region
from aotgui.model.cut_network import CutNetwork, CutSide
from aotgui.model.cut_view import cut_view
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings

from .conftest import GraphMaker, ladder

PAIRS = 4


def network() -> CutNetwork:
    """Of the ladder's eight nodes: 0 is an input, the cut goes through 1, the backward is 4 to 7, 3 is left out."""
    return CutNetwork(
        nodes=[0, 1, 2, 4, 5],
        capacities=[512.0, 8192.0, math.inf, math.inf, math.inf],
        bans=[0, 1, -1, -1, -1],
        unsaveable=[-1, -1, 2, -1, -1],
        needs=[-1, -1, -1, 3, 3],
        needs_value=[False, False, False, False, False],
        sides=[CutSide.SOURCE, CutSide.CUT, CutSide.SINK, CutSide.SINK, CutSide.SINK],
        edge_sources=[0, 1, 1, 2],
        edge_targets=[1, 2, 3, 4],
        strings=[
            "cannot recompute: primal input",
            "cannot recompute: compute intensive op",
            "cannot save: view",
            "must be computed in backward",
        ],
        cut_value=8192.0,
    )


@pytest.fixture
def session(make_graph: GraphMaker, qapp: object) -> Session:
    graph, _ = make_graph(PAIRS)
    region = Region(name="region 0", graphs={GraphKind.JOINT: graph}, cut=network())
    session = Session()
    session.set_source("/home/ada/model.py")
    session.set_capture(
        Capture(source="/home/ada/model.py", target="model", torch="2.13.0", settings=Settings(), regions=[region])
    )
    return session


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> NetworkPanel:
    panel = NetworkPanel(session)
    qtbot.addWidget(panel)
    panel.resize(500, 500)
    with qtbot.waitExposed(panel):
        panel.show()
    yield panel
    panel.close_background()


def drawn(qtbot: QtBot, panel: NetworkPanel) -> list[str]:
    """The names of the ends that are drawn, once they are."""
    qtbot.waitUntil(lambda: panel.view.scene is not None and panel.view.scene.graph is panel.shown.graph)
    return panel.view.scene.graph.names


def test_the_network_around_the_selected_node_is_drawn_with_its_capacities(
    panel: NetworkPanel, session: Session, qtbot: QtBot
) -> None:
    session.select(GraphKind.JOINT, [1])
    names = drawn(qtbot, panel)
    assert {"source", "mm_0_in", "mm_0_out", "mm_1_in", "mm_1_out", "mm_4", "sink"} <= set(names)
    scene = panel.view.scene
    written = {
        (names[source], names[target]): text
        for source, target, text in zip(
            scene.graph.edge_sources, scene.graph.edge_targets, scene.edge_texts, strict=True
        )
    }
    assert written["mm_1_in", "mm_1_out"] == "8.0 KiB"
    assert written["source", "mm_1_in"] == "∞ banned"
    assert written["mm_0_out", "mm_1_in"] == ""
    assert "must not be recomputed" in panel.note.text()
    assert panel.title.text() == "All 5 around mm_1"
    assert not panel.more.isEnabled()
    selected = {names[place] for place in panel.view.selected_nodes}
    assert selected == {"mm_1_in", "mm_1_out"}


def test_a_click_in_the_network_selects_and_keeps_what_is_drawn(
    panel: NetworkPanel, session: Session, qtbot: QtBot
) -> None:
    session.select(GraphKind.JOINT, [1])
    names = drawn(qtbot, panel)
    shown = panel.shown
    panel.view.selection_requested.emit([names.index("mm_0_out")])
    assert session.selection.nodes == (0,)
    assert panel.shown is shown
    assert "source side" in panel.note.text()
    panel.view.selection_requested.emit([names.index("source")])
    assert session.selection.nodes == ()


def test_more_of_a_large_network_is_shown_on_demand(panel: NetworkPanel, session: Session, qtbot: QtBot) -> None:
    count = 40
    chain = msgspec.structs.replace(
        network(),
        nodes=list(range(count)),
        capacities=[512.0] * count,
        bans=[-1] * count,
        unsaveable=[-1] * count,
        needs=[-1] * count,
        needs_value=[False] * count,
        sides=[int(CutSide.SOURCE)] * count,
        edge_sources=list(range(count - 1)),
        edge_targets=list(range(1, count)),
    )
    region = msgspec.structs.replace(session.capture.regions[0], cut=chain, graphs=_ladder(count))
    session.set_capture(msgspec.structs.replace(session.capture, regions=[region]))
    session.select(GraphKind.JOINT, [20])
    before = len(drawn(qtbot, panel))
    panel.more.click()
    qtbot.waitUntil(lambda: panel.view.scene is not None and len(panel.view.scene.graph) > before)


def _ladder(count: int) -> dict[GraphKind, object]:
    return {GraphKind.JOINT: ladder(count // 2)[0]}


def test_without_a_network_it_says_why(panel: NetworkPanel, session: Session, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: panel.message == NO_SELECTION)
    session.select(GraphKind.JOINT, [3])
    qtbot.waitUntil(lambda: panel.message == OUTSIDE)
    region = msgspec.structs.replace(session.capture.regions[0], cut=None)
    session.set_capture(msgspec.structs.replace(session.capture, regions=[region]))
    session.select(GraphKind.JOINT, [1])
    qtbot.waitUntil(lambda: panel.message == NO_NETWORK)


def test_the_words_of_the_network_are_those_of_its_columns() -> None:
    cut = network()
    assert network_note(cut, 1).startswith("The cut goes through it: saved. Saving it weighs 8.0 KiB.")
    assert "cannot be saved" in network_note(cut, 2)
    assert "The backward needs it" in network_note(cut, 4)
    assert network_note(cut, 3) == ""


def test_edges_without_a_reason_say_nothing(session: Session) -> None:
    view = cut_view(session.capture.regions[0], 1)
    assert sorted(set(edge_texts(view))) == ["", "512 B", "8.0 KiB", "∞ banned", "∞ needed", "∞ unsaveable"]


# --- What stands in the light --------------------------------------------------------------------------------------


@pytest.fixture
def pane(session: Session, qtbot: QtBot) -> CanvasPane:
    pane = CanvasPane(session, GraphKind.JOINT)
    qtbot.addWidget(pane)
    pane.resize(900, 600)
    with qtbot.waitExposed(pane):
        pane.show()
    qtbot.waitUntil(lambda: pane.is_current)
    yield pane
    pane.close_background()


def test_a_path_is_marked_with_its_sentence_and_everything_else_is_faded(
    pane: CanvasPane, session: Session, qtbot: QtBot
) -> None:
    bar = pane.spot_bar
    assert not bar.isVisible()
    session.spotlight.show(Spot(title="Why mm_1 is needed", graph=GraphKind.JOINT, nodes=(1, 2, 6), is_path=True))
    assert bar.isVisible()
    assert bar.label.text() == "Why mm_1 is needed"
    marks, scene = pane.view.marks, pane.view.scene
    assert [scene.node_of(item) for item in marks.path] == [1, 2, 6]
    assert marks.is_path
    faded = [node for node in range(2 * PAIRS) if pane.view.states.dimmed[scene.item_of(node)]]
    assert faded == [0, 3, 4, 5, 7]
    pane.grab()  # paints the path
    bar.dismiss.click()
    assert not bar.isVisible()
    assert marks.path == []
    assert pane.view.states.dimmed is None


def test_a_path_comes_into_view_as_a_whole(pane: CanvasPane, session: Session) -> None:
    pane.view.zoom_by(6.0)
    pane.view.pan_by(-4000, -4000)
    session.spotlight.show(Spot(title="A path", graph=GraphKind.JOINT, nodes=(0, 1), is_path=True))
    assert pane.view.shows_node(0)
    assert pane.view.shows_node(1)


def test_differences_do_not_take_the_view_away_but_can_be_fitted(pane: CanvasPane, session: Session) -> None:
    pane.view.zoom_by(6.0)
    pane.view.pan_by(-4000, -4000)
    before = pane.view.camera
    session.spotlight.show(Spot(title="2 nodes differ", graph=GraphKind.JOINT, nodes=(0, 1)))
    assert pane.view.camera == before
    pane.spot_bar.fit.click()
    assert pane.view.shows_node(0)


def test_another_capture_has_no_marks(pane: CanvasPane, session: Session, qtbot: QtBot) -> None:
    session.spotlight.show(Spot(title="A path", graph=GraphKind.JOINT, nodes=(0, 1), is_path=True))
    session.set_capture(msgspec.structs.replace(session.capture, target="other"))
    qtbot.waitUntil(lambda: pane.is_current)
    assert not pane.spot_bar.isVisible()
    assert pane.view.marks.path == []


def test_the_menu_of_a_node_forces_it(pane: CanvasPane, session: Session, qtbot: QtBot) -> None:
    actions = {action.text(): action.trigger for action in pane.menus.for_node(2).actions()}
    with qtbot.waitSignal(pane.decision_requested) as asked:
        actions["Force recompute"]()
    assert asked.args == [["mm_2"], "recompute"]
    assert "Leave to the partitioner" not in actions
    session.partitions.decide(["mm_2"], asked.args[1])
    menu = pane.menus.for_node(2)
    enabled = {action.text(): action.isEnabled() for action in menu.actions()}
    assert (enabled["Force recompute"], enabled["Force save"], enabled["Leave to the partitioner"]) == (
        False,
        True,
        True,
    )
    assert "Force save" not in [action.text() for action in pane.menus.for_node(6).actions()]  # of the backward
    inside = {action.text(): action.trigger for action in pane.menus.for_group(0, QPointF()).actions()}
    with qtbot.waitSignal(pane.decision_requested) as asked:
        inside["Force save what is inside"]()
    assert asked.args == [["mm_1", "mm_2", "mm_3"], "save"]
    session.set_source(session.source, is_stored=True)
    assert "Force save" not in [action.text() for action in pane.menus.for_node(2).actions()]
