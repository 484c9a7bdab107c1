"""Answers questions about the values of a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from aotgui.engine.errors import UserError, fault
from aotgui.engine.expressions import ExpressionError, evaluate
from aotgui.engine.step_cause import Inquiry
from aotgui.engine.step_record import Record
from aotgui.engine.step_run import StepRun
from aotgui.engine.timeline import Timeline
from aotgui.engine.value_files import save_value
from aotgui.engine.value_pictures import histogram_of, plane_of
from aotgui.engine.value_slices import slice_of
from aotgui.engine.values import described, value_text
from aotgui.model.cause import Cause
from aotgui.model.stepping import WatchValue
from aotgui.model.values import Histogram, ValuePlane, ValueSlice
from aotgui.protocol.messages import (
    CauseFound,
    Evaluate,
    Evaluated,
    Event,
    FindCause,
    HistogramRead,
    PlaneRead,
    ReadHistogram,
    ReadPlane,
    ReadStats,
    ReadValue,
    SaveValue,
    StatsRead,
    ValueRead,
    ValueSaved,
)

SESSION_ENDED: Final = "the stepping session has ended"

Question = ReadValue | ReadStats | ReadPlane | ReadHistogram | SaveValue | FindCause | Evaluate


def answered(request: Question, run: StepRun) -> Event:
    """The answer; what cannot be answered is said in it. Values that were let go are computed again for it."""
    timeline, record = run.timeline, run.record
    match request:
        case ReadStats(graph=graph):
            cursor = timeline.cursors.get(graph)
            nodes = [node for node in request.nodes if cursor is not None and cursor.has(node)]
            stats = [record.stats(timeline, graph, node) for node in nodes]
            return StatsRead(request=request.request, graph=graph, stats=stats)
        case Evaluate(expression=expression):
            return Evaluated(request=request.request, value=watched([expression], timeline)[0])
        case FindCause(graph=graph, node=node):
            cause = _cause(timeline, record, request)
            return CauseFound(request=request.request, graph=graph, node=node, cause=cause)
    try:
        return _of_value(request, run.seen(request.graph, request.node, request.at, request.inside))
    except LookupError as error:
        return unanswered(request, str(error))


def unanswered(request: Question, why: str) -> Event:
    """The answer to a question that cannot be answered.

    Args:
        request: the question.
        why: a few words.
    """
    number = request.request
    match request:
        case ReadValue(node=node, item=item):
            return ValueRead(request=number, graph=request.graph, value=ValueSlice(node=node, item=item, text=why))
        case ReadPlane(node=node, item=item):
            return PlaneRead(request=number, graph=request.graph, plane=ValuePlane(node=node, item=item, text=why))
        case ReadHistogram(node=node, item=item):
            histogram = Histogram(node=node, item=item, text=why)
            return HistogramRead(request=number, graph=request.graph, histogram=histogram)
        case SaveValue():
            return ValueSaved(request=number, problem=fault("step", f"Nothing to write: {why}.").problem)
        case FindCause(graph=graph, node=node):
            return CauseFound(request=number, graph=graph, node=node, cause=Cause(text=why))
        case ReadStats():
            return StatsRead(request=number, graph=request.graph, stats=[])
        case Evaluate(expression=expression):
            return Evaluated(request=number, value=WatchValue(expression=expression, text=why, failed=True))


def watched(expressions: Sequence[str], timeline: Timeline) -> list[WatchValue]:
    """What expressions give where the session stands."""
    return [_watched(expression, timeline) for expression in expressions]


def _watched(expression: str, timeline: Timeline) -> WatchValue:
    last = timeline.back()
    names = {} if last == timeline.position else {"value": timeline.seen(*last)}
    try:
        value = evaluate(expression, names, timeline.lookup_here)
    except ExpressionError as error:
        return WatchValue(expression=expression, text=str(error), failed=True)
    return WatchValue(expression=expression, text=value_text(value), tensor=described(value))


def _of_value(request: ReadValue | ReadPlane | ReadHistogram | SaveValue, value: Any) -> Event:
    match request:
        case ReadValue():
            return ValueRead(request=request.request, graph=request.graph, value=slice_of(value, request))
        case ReadPlane():
            return PlaneRead(request=request.request, graph=request.graph, plane=plane_of(value, request))
        case ReadHistogram():
            histogram = histogram_of(value, request)
            return HistogramRead(request=request.request, graph=request.graph, histogram=histogram)
        case SaveValue():
            try:
                detail = save_value(value, request.path, request.format, request.item)
            except UserError as error:
                return ValueSaved(request=request.request, problem=error.problem)
            return ValueSaved(request=request.request, path=request.path, detail=detail)


def _cause(timeline: Timeline, record: Record, request: FindCause) -> Cause:
    cursor = timeline.cursors.get(request.graph)
    if cursor is None or not cursor.has(request.node):
        return Cause(text="This node has not been executed yet.")
    return Inquiry(timeline, record).cause(request.graph, request.node)
