"""No request stays without an answer."""

from __future__ import annotations

import threading

from aotgui.engine.errands import Errands
from aotgui.engine.worker import Worker
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import (
    Compare,
    CompareEnded,
    CulpritFound,
    Event,
    Exported,
    ExportTorchScript,
    FindCulprit,
    RunStatus,
)


def test_what_waits_is_answered_when_it_is_dropped():
    events: list[Event] = []
    done: list[int] = []
    began, goes_on, ended = threading.Event(), threading.Event(), threading.Event()
    worker = Worker(lambda error: None)
    errands = Errands(worker, events.append)

    def busy() -> None:
        began.set()
        goes_on.wait(60)
        ended.set()

    errands.submit(Compare(request=1, candidates=[]), busy)
    errands.submit(Compare(request=2, candidates=[]), lambda: done.append(2))
    errands.submit(FindCulprit(request=3), lambda: done.append(3))
    request = ExportTorchScript(request=4, region=0, graph=GraphKind.FORWARD, path="x")
    errands.submit(request, lambda: done.append(4))
    assert began.wait(60)
    errands.drop()
    goes_on.set()
    assert ended.wait(60)
    last = threading.Event()
    worker.submit(last.set)
    assert last.wait(60)
    assert done == []
    assert [(type(event), event.request) for event in events] == [(CompareEnded, 2), (CulpritFound, 3), (Exported, 4)]
    assert events[0].status is RunStatus.STOPPED
    assert events[2].problem.message == "Stopped before it began."


def test_what_is_not_dropped_is_done():
    done = threading.Event()
    events: list[Event] = []
    errands = Errands(Worker(lambda error: None), events.append)
    errands.submit(FindCulprit(request=3), done.set)
    assert done.wait(60)
    errands.drop()
    assert events == []
