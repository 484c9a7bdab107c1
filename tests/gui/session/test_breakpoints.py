"""Breakpoints of the session: what is set, counted, switched, and where they are in graphs and files."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aotgui.gui.session.breakpoint_places import (
    breakpoint_for,
    has_breakpoint,
    marked_lines,
    marked_nodes,
    nodes_of,
    toggle_line,
    toggle_node,
)
from aotgui.gui.session.breakpoints import Breakpoints
from aotgui.gui.session.session import Session
from aotgui.model.breakpoint import Breakpoint, BreakpointHit, BreakpointKind
from aotgui.model.capture import Capture, Region
from aotgui.model.graph import Frame, Graph, GraphKind, Op
from aotgui.model.settings import Settings

FORWARD, BACKWARD, JOINT = GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.JOINT
NODE, OPERATOR, MODULE, LINE = (
    BreakpointKind.NODE,
    BreakpointKind.OPERATOR,
    BreakpointKind.MODULE,
    BreakpointKind.LINE,
)
FILE = "/home/ada/net.py"


def graph(kind: GraphKind, rows: list[tuple[str, str, str, int]], origins: list[int]) -> Graph:
    """A graph of (name, target, module, line)."""
    strings = sorted({text for _, target, module, _ in rows for text in (target, module) if text})
    lines = sorted({line for *_, line in rows if line})
    count = len(rows)
    return Graph(
        kind=kind,
        strings=strings,
        names=[name for name, *_ in rows],
        ops=[int(Op.CALL_FUNCTION)] * count,
        targets=[strings.index(target) for _, target, _, _ in rows],
        roles=[0] * count,
        sides=[0] * count,
        fates=[0] * count,
        seq_nrs=[-1] * count,
        origins=origins,
        labels=[-1] * count,
        modules=[strings.index(module) if module else -1 for _, _, module, _ in rows],
        stacks=[lines.index(line) if line else -1 for *_, line in rows],
        values=[[]] * count,
        arguments=[[]] * count,
        edge_sources=[],
        edge_targets=[],
        stack_table=[[place] for place in range(len(lines))],
        frame_table=[Frame(FILE, line, "forward") for line in lines],
    )


ROWS = [
    ("mm", "aten.mm.default", "block.linear", 3),
    ("add", "aten.add.Tensor", "block.linear", 3),
    ("relu", "aten.relu.default", "block", 4),
    ("mm_1", "aten.mm.default", "head", 5),
    ("mm_2", "aten.mm.out", "head.linear", 5),
    ("gone", "aten.mmm.default", "", 0),
]


@pytest.fixture
def session(qapp: QApplication) -> Session:
    session = Session()
    graphs = {
        JOINT: graph(JOINT, ROWS, list(range(6))),
        FORWARD: graph(FORWARD, ROWS[:4], [0, 1, 2, 3]),
        BACKWARD: graph(BACKWARD, [ROWS[2], ROWS[4]], [2, 4]),
    }
    session.set_source(FILE)
    session.set_capture(
        Capture(
            source=FILE, target="m", torch="2", settings=Settings(), regions=[Region(name="region 0", graphs=graphs)]
        )
    )
    return session


def point(kind: BreakpointKind, where: str = "", **rest: object) -> Breakpoint:
    return Breakpoint(id="p", kind=kind, where=where, **rest)  # type: ignore[arg-type] # what a test says


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (point(NODE, "relu"), ["relu"]),
        (point(NODE, "nobody"), []),
        (point(NODE, "relu", graph=BACKWARD), []),
        (point(OPERATOR, "aten.mm"), ["mm", "mm_1"]),
        (point(OPERATOR, "aten.mm.default"), ["mm", "mm_1"]),
        (point(OPERATOR, "aten.m"), []),
        (point(MODULE, "block"), ["mm"]),
        (point(MODULE, "block", condition="True"), ["mm", "add", "relu"]),
        (point(LINE, "net.py", line=3), ["mm"]),
        (point(LINE, FILE, line=3, log="{node}"), ["mm", "add"]),
        (point(LINE, "et.py", line=3), []),
        (point(BreakpointKind.NONFINITE), []),
    ],
)
def test_which_nodes_a_breakpoint_is_about(session: Session, made: Breakpoint, names: list[str]) -> None:
    forward = session.graph(FORWARD)
    assert forward is not None
    assert [forward.names[node] for node in nodes_of(made, forward)] == names


def test_a_node_of_the_joint_graph_has_its_breakpoint_on_every_copy(session: Session) -> None:
    toggle_node(session, JOINT, "relu")
    assert [(p.graph, p.where) for p in session.breakpoints.points] == [(FORWARD, "relu"), (BACKWARD, "relu")]
    assert has_breakpoint(session, JOINT, "relu")
    assert has_breakpoint(session, BACKWARD, "relu")
    assert {kind: marked_nodes(session, kind) for kind in (JOINT, FORWARD, BACKWARD)} == {
        JOINT: [2],
        FORWARD: [2],
        BACKWARD: [0],
    }
    toggle_node(session, JOINT, "relu")
    assert session.breakpoints.points == ()


def test_a_node_that_never_runs_gets_none(session: Session) -> None:
    toggle_node(session, JOINT, "gone")
    assert session.breakpoints.points == ()
    assert not has_breakpoint(session, JOINT, "gone")
    assert breakpoint_for(session, JOINT, 5) == []


def test_what_is_switched_off_is_not_marked(session: Session) -> None:
    toggle_node(session, FORWARD, "mm")
    session.breakpoints.set_enabled("b1", False)
    assert marked_nodes(session, FORWARD) == []


def test_a_line_is_toggled_and_marked_in_its_file(session: Session) -> None:
    toggle_line(session, FILE, 4)
    toggle_line(session, FILE, 5)
    session.breakpoints.set_enabled("b2", False)
    assert marked_lines(session, FILE) == {4: True, 5: False}
    assert marked_lines(session, "/home/ada/other.py") == {}
    assert marked_nodes(session, FORWARD) == [2]
    toggle_line(session, FILE, 4)
    assert marked_lines(session, FILE) == {5: False}


def test_a_breakpoint_with_a_condition_starts_from_the_one_that_is_there(session: Session) -> None:
    fresh = breakpoint_for(session, FORWARD, 0)
    assert [(p.kind, p.graph, p.where) for p in fresh] == [(NODE, FORWARD, "mm")]
    assert session.breakpoints.points == ()
    toggle_node(session, FORWARD, "mm")
    assert breakpoint_for(session, FORWARD, 0) == list(session.breakpoints.points)


def test_ids_are_unique_and_one_is_replaced_in_its_place(qapp: QApplication) -> None:
    points = Breakpoints()
    for name in ("mm", "relu", "add"):
        points.put(Breakpoint(id=points.new_id(), kind=NODE, where=name))
    points.remove(["b2"])
    assert points.new_id() == "b2"
    points.put(Breakpoint(id="b1", kind=NODE, where="mm_9"))
    assert [p.where for p in points.points] == ["mm_9", "add"]


def test_built_in_kinds_are_switches_and_a_mismatch_stops_unless_switched_off(qapp: QApplication) -> None:
    points = Breakpoints()
    assert points.stops_at(BreakpointKind.MISMATCH)
    assert not points.stops_at(BreakpointKind.NONFINITE)
    points.set_built_in(BreakpointKind.MISMATCH, False)
    points.set_built_in(BreakpointKind.ERROR_ABOVE, True, 0.25)
    points.set_built_in(BreakpointKind.ERROR_ABOVE, False)
    assert not points.stops_at(BreakpointKind.MISMATCH)
    assert points.limit() == 0.25
    assert points.listed == ()
    assert [(p.id, p.enabled) for p in points.points] == [("mismatch", False), ("error_above", False)]


def test_hits_are_counted_until_a_session_begins_again(qtbot: QtBot) -> None:
    points = Breakpoints()
    hit = BreakpointHit(id="b1", graph=FORWARD, node=3)
    with qtbot.waitSignal(points.hits_changed):
        points.count([hit, hit])
    with qtbot.assertNotEmitted(points.hits_changed):
        points.count([])
    assert points.hits["b1"] == 2
    points.forget_hits()
    assert not points.hits
