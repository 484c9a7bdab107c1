"""What is sent to the engine, and what its reports make of the session, with a pool that writes requests down."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aotgui.gui.session.session import Session
from aotgui.gui.session.step_control import StepControl
from aotgui.gui.session.value_control import ValueControl
from aotgui.model.breakpoint import BreakpointHit, BreakpointKind
from aotgui.model.capture import Capture, Region
from aotgui.model.cause import Cause
from aotgui.model.graph import Graph, GraphKind, Op, TensorInfo
from aotgui.model.settings import Settings
from aotgui.model.stepping import Granularity, NodeError, Replacement, ReplacementKind, WatchValue
from aotgui.model.values import Histogram, ValuePlane, ValueSlice, ValueStats
from aotgui.protocol.messages import (
    CauseFound,
    FindCause,
    HistogramRead,
    PlaneRead,
    ReadHistogram,
    ReadPlane,
    ReadValue,
    ReplaceValue,
    Request,
    RestoreValue,
    SaveValue,
    SetBreakpoints,
    SetReference,
    SetWatches,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    SteppingEnded,
    StopReason,
    ValueFormat,
    ValueRead,
    Watched,
)

FORWARD = GraphKind.FORWARD
COUNT = 6


class Pool(QObject):
    """Stands in for the engines."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Request] = []
        self.replaced = 0
        self.current = self

    def send(self, request: Request) -> bool:
        self.sent.append(request)
        return True

    def replace_current(self, *, ask: bool = True) -> None:
        self.replaced += 1

    def take(self) -> list[Request]:
        sent, self.sent = self.sent, []
        return sent


def small_graph() -> Graph:
    return Graph(
        kind=FORWARD,
        strings=["aten.cos.default"],
        names=[f"f{node}" for node in range(COUNT)],
        ops=[int(Op.CALL_FUNCTION)] * COUNT,
        targets=[0] * COUNT,
        roles=[0] * COUNT,
        sides=[0] * COUNT,
        fates=[0] * COUNT,
        seq_nrs=[-1] * COUNT,
        origins=list(range(COUNT)),
        labels=[-1] * COUNT,
        modules=[-1] * COUNT,
        stacks=[-1] * COUNT,
        values=[[]] * COUNT,
        arguments=[[]] * COUNT,
        edge_sources=[],
        edge_targets=[],
    )


@pytest.fixture
def session(qapp: QApplication) -> Session:
    session = Session()
    session.set_source("m.py")
    region = Region(name="region 0", graphs={FORWARD: small_graph()})
    session.set_capture(Capture(source="m.py", target="m", torch="2", settings=Settings(), regions=[region]))
    return session


@pytest.fixture
def pool() -> Pool:
    return Pool()


@pytest.fixture
def steps(session: Session, pool: Pool) -> StepControl:
    return StepControl(session, pool)  # type: ignore[arg-type] # a pool as far as it is used


@pytest.fixture
def values(session: Session, pool: Pool, steps: StepControl) -> ValueControl:
    return ValueControl(session, pool, steps)  # type: ignore[arg-type] # a pool as far as it is used


@pytest.fixture
def stepping(steps: StepControl, pool: Pool) -> StepControl:
    """A session that stands before the first node."""
    steps.start(FORWARD)
    report(steps, node=0, reason=StopReason.ENTRY)
    pool.take()
    return steps


def report(steps: StepControl, **rest: Any) -> None:
    steps.handle(
        Stepped(**{"session": steps.session_id, "region": 0, "graph": FORWARD, "reason": StopReason.STEP, **rest})
    )


def stats(*nodes: int) -> dict[GraphKind, list[ValueStats]]:
    return {FORWARD: [ValueStats(node=node, tensor=TensorInfo((2,), "float32")) for node in nodes]}


def test_a_session_begins_with_all_that_is_set(session: Session, steps: StepControl, pool: Pool) -> None:
    session.breakpoints.set_built_in(BreakpointKind.NONFINITE, True)
    session.debug.set_expressions(["f1.max()"])
    options = msgspec.structs.replace(session.debug.options, reference=True, memory_limit_bytes=1 << 20)
    session.debug.set_options(options)
    steps.start()
    (start,) = pool.take()
    assert isinstance(start, StartStepping)
    assert (start.graph, start.points, start.watches) == (FORWARD, list(session.breakpoints.points), ["f1.max()"])
    assert (start.reference, start.memory_limit_bytes) == (True, 1 << 20)


def test_steps_say_how_far_they_go(session: Session, stepping: StepControl, pool: Pool) -> None:
    session.debug.set_options(msgspec.structs.replace(session.debug.options, granularity=Granularity.LINE))
    stepping.perform(StepAction.STEP_BACK)
    (step,) = pool.take()
    assert isinstance(step, Step)
    assert (step.action, step.granularity) == (StepAction.STEP_BACK, Granularity.LINE)


def test_going_back_needs_a_session_and_going_to_a_node_begins_one(steps: StepControl, pool: Pool) -> None:
    for action in (StepAction.STEP_BACK, StepAction.REVERSE_CONTINUE, StepAction.STEP_OUT, StepAction.PAUSE):
        steps.perform(action)
    assert pool.take() == []
    steps.perform(StepAction.GO_TO, FORWARD, "f3")
    report(steps, node=0, reason=StopReason.ENTRY)
    start, step = pool.take()
    assert isinstance(start, StartStepping)
    assert isinstance(step, Step)
    assert (step.session, step.action, step.node) == (start.session, StepAction.GO_TO, "f3")


def test_while_it_runs_only_pause_and_restart_get_through(stepping: StepControl, pool: Pool) -> None:
    report(stepping, node=2, reason=StopReason.RUNNING)
    for action in StepAction:
        if action is not StepAction.END:
            stepping.perform(action, FORWARD, "f3")
    assert [step.action for step in pool.take() if isinstance(step, Step)] == [StepAction.PAUSE, StepAction.RESTART]


def test_going_back_keeps_values_and_an_edit_voids_those_after_it(session: Session, stepping: StepControl) -> None:
    report(stepping, node=4, executed=stats(0, 1, 2, 3), errors={FORWARD: [NodeError(node=3)]}, frontier={FORWARD: 4})
    report(stepping, node=1, frontier={FORWARD: 4})
    assert list(session.values(FORWARD)) == [0, 1, 2, 3]
    assert session.debug.stop.frontier == {FORWARD: 4}
    report(stepping, node=2, reason=StopReason.EDITED, voided={FORWARD: 1}, executed=stats(1))
    assert list(session.values(FORWARD)) == [0, 1]
    assert not session.debug.errors(FORWARD)


def test_a_restart_forgets_values_hits_and_messages(session: Session, stepping: StepControl) -> None:
    hit = BreakpointHit(id="b1", graph=FORWARD, node=0, text="said")
    report(stepping, node=1, executed=stats(0), hits=[hit], logs=[hit])
    assert session.breakpoints.hits["b1"] == 2
    report(stepping, node=0, reason=StopReason.ENTRY, restarted=True)
    assert (session.values(FORWARD), session.breakpoints.hits.total(), session.debug.log) == ({}, 0, [])


def test_what_changes_is_sent_while_one_steps(session: Session, stepping: StepControl, pool: Pool) -> None:
    session.breakpoints.set_built_in(BreakpointKind.NONFINITE, True)
    session.debug.set_expressions(["value.max()"])
    session.debug.set_options(msgspec.structs.replace(session.debug.options, reference=True))
    session.debug.set_options(msgspec.structs.replace(session.debug.options, granularity=Granularity.MODULE))
    points, watches, reference = pool.take()
    assert isinstance(points, SetBreakpoints)
    assert points.points == list(session.breakpoints.points)
    assert isinstance(watches, SetWatches)
    assert watches.expressions == ["value.max()"]
    assert isinstance(reference, SetReference)
    assert reference.enabled


def test_values_are_replaced_and_restored(stepping: StepControl, pool: Pool) -> None:
    new = Replacement(kind=ReplacementKind.NOISE, seed=3)
    stepping.replace(FORWARD, 2, new, item=1)
    stepping.restore()
    replace, restore = pool.take()
    assert isinstance(replace, ReplaceValue)
    assert (replace.node, replace.item, replace.replacement) == (2, 1, new)
    assert isinstance(restore, RestoreValue)
    assert restore.graph is None


def test_watches_that_are_evaluated_at_a_standstill_are_shown(session: Session, stepping: StepControl) -> None:
    session.debug.set_expressions(["a"])
    stepping.handle(Watched(session=stepping.session_id, watches=[WatchValue(expression="a", text="7")]))
    assert session.debug.watches[0].text == "7"


def test_an_engine_whose_node_does_not_return_is_ended(
    session: Session, stepping: StepControl, pool: Pool, qtbot: QtBot
) -> None:
    stepping._deadline.setInterval(1)
    stepping.perform(StepAction.END)
    assert not session.stepping.active
    qtbot.waitUntil(lambda: pool.replaced == 1)
    assert "did not return" in session.problems[-1].message


def test_an_engine_that_ends_its_session_is_kept(stepping: StepControl, pool: Pool, qtbot: QtBot) -> None:
    ended = stepping.session_id
    stepping.perform(StepAction.END)
    assert stepping._deadline.isActive()
    stepping.handle(SteppingEnded(session=ended))
    assert not stepping._deadline.isActive()
    assert pool.replaced == 0


def test_a_session_that_ends_by_itself_is_over(session: Session, stepping: StepControl) -> None:
    stepping.handle(SteppingEnded(session=stepping.session_id - 1))
    assert session.stepping.active
    stepping.handle(SteppingEnded(session=stepping.session_id))
    assert not session.stepping.active


def test_reports_of_another_session_are_dropped(session: Session, stepping: StepControl) -> None:
    report(stepping, node=3, session=stepping.session_id + 1)
    assert session.stepping.node == 0


def test_nobody_is_asked_without_a_session(values: ValueControl, pool: Pool) -> None:
    values.read(FORWARD, 0)
    values.read_plane(FORWARD, 0, 0, -1, -1, ())
    values.read_histogram(FORWARD, 0, 0, False)
    values.save(FORWARD, 0, 0, "x.npy")
    values.find_cause(FORWARD, 0)
    assert pool.take() == []


def test_only_the_answer_to_the_newest_question_counts(
    session: Session, stepping: StepControl, values: ValueControl, pool: Pool, qtbot: QtBot
) -> None:
    values.read(FORWARD, 0)
    values.read(FORWARD, 1)
    values.read_plane(FORWARD, 1, 0, 0, 1, (0, 0, 2))
    first, second, plane = pool.take()
    assert isinstance(first, ReadValue)
    assert isinstance(second, ReadValue)
    assert isinstance(plane, ReadPlane)
    assert (plane.row_dim, plane.column_dim, plane.index) == (0, 1, (0, 0, 2))
    with qtbot.assertNotEmitted(session.value_read):
        values.handle(ValueRead(request=first.request, graph=FORWARD, value=ValueSlice(node=0)))
    with qtbot.waitSignal(session.value_read):
        values.handle(ValueRead(request=second.request, graph=FORWARD, value=ValueSlice(node=1)))
    with qtbot.waitSignal(session.debug.plane_read):
        values.handle(PlaneRead(request=plane.request, graph=FORWARD, plane=ValuePlane(node=1)))


def test_histograms_files_and_causes(
    session: Session, stepping: StepControl, values: ValueControl, pool: Pool, qtbot: QtBot
) -> None:
    values.read_histogram(FORWARD, 1, 0, True)
    values.save(FORWARD, 1, 0, "/tmp/value.pt")
    values.find_cause(FORWARD, 1)
    histogram, save, cause = pool.take()
    assert isinstance(histogram, ReadHistogram)
    assert histogram.log
    assert isinstance(save, SaveValue)
    assert (save.format, save.path) == (ValueFormat.PT, "/tmp/value.pt")
    assert isinstance(cause, FindCause)
    with qtbot.waitSignal(session.debug.histogram_read):
        values.handle(HistogramRead(request=histogram.request, graph=FORWARD, histogram=Histogram(node=1, log=True)))
    found = Cause(text="log makes it")
    values.handle(CauseFound(request=cause.request, graph=FORWARD, node=1, cause=found))
    assert session.debug.cause == (FORWARD, 1, found)
