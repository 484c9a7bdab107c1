"""Questions about the values of a stepping session; of each kind only the answer to the newest one counts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from aotgui.gui.session.engine_pool import EnginePool
from aotgui.gui.session.session import Session
from aotgui.gui.session.step_control import StepControl
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import (
    AnyEvent,
    CauseFound,
    FindCause,
    HistogramRead,
    PlaneRead,
    ReadHistogram,
    ReadPlane,
    ReadValue,
    Request,
    SaveValue,
    ValueFormat,
    ValueRead,
    ValueSaved,
)

BINS = 64


class ValueControl(QObject):
    """Asks the engine, and hands the answers to the session."""

    def __init__(self, session: Session, pool: EnginePool, steps: StepControl, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pool = pool
        self._steps = steps
        self._request = 0
        self._newest: dict[type[Request], int] = {}

    def read(
        self,
        graph: GraphKind,
        node: int,
        item: int = 0,
        index: tuple[int, ...] = (),
        row: int = 0,
        column: int = 0,
        inside: int = 0,
    ) -> None:
        """Asks for numbers; ``Session.value_read`` brings them."""
        if request := self._begin(ReadValue):
            self._send(
                ReadValue(
                    request=request,
                    session=self._steps.session_id,
                    graph=graph,
                    node=node,
                    item=item,
                    index=index,
                    row=row,
                    column=column,
                    inside=inside,
                )
            )

    def read_plane(
        self,
        graph: GraphKind,
        node: int,
        item: int,
        row_dim: int,
        column_dim: int,
        index: tuple[int, ...],
        inside: int = 0,
    ) -> None:
        """Asks for a picture of two dimensions; ``DebugState.plane_read`` brings it."""
        if request := self._begin(ReadPlane):
            self._send(
                ReadPlane(
                    request=request,
                    session=self._steps.session_id,
                    graph=graph,
                    node=node,
                    item=item,
                    row_dim=row_dim,
                    column_dim=column_dim,
                    index=index,
                    inside=inside,
                )
            )

    def read_histogram(self, graph: GraphKind, node: int, item: int, log: bool, inside: int = 0) -> None:
        """Asks for a distribution; ``DebugState.histogram_read`` brings it."""
        if request := self._begin(ReadHistogram):
            session = self._steps.session_id
            self._send(
                ReadHistogram(
                    request=request,
                    session=session,
                    graph=graph,
                    node=node,
                    item=item,
                    bins=BINS,
                    log=log,
                    inside=inside,
                )
            )

    def save(self, graph: GraphKind, node: int, item: int, path: str, inside: int = 0) -> None:
        """Writes a value to a file, ``.pt`` by its suffix or ``.npy``; ``DebugState.value_saved`` tells how it went."""
        form = ValueFormat.PT if Path(path).suffix == ".pt" else ValueFormat.NPY
        if request := self._begin(SaveValue):
            session = self._steps.session_id
            self._send(
                SaveValue(
                    request=request,
                    session=session,
                    graph=graph,
                    node=node,
                    item=item,
                    path=path,
                    format=form,
                    inside=inside,
                )
            )

    def find_cause(self, graph: GraphKind, node: int) -> None:
        """Asks where a NaN or Inf comes from; ``DebugState.cause`` brings the answer."""
        if request := self._begin(FindCause):
            self._send(FindCause(request=request, session=self._steps.session_id, graph=graph, node=node))

    def handle(self, event: AnyEvent) -> None:
        """Takes an event of the engine; answers to older questions are dropped."""
        debug = self._session.debug
        match event:
            case ValueRead() if self._is_newest(ReadValue, event.request):
                self._session.add_slice(event.graph, event.value)
            case PlaneRead() if self._is_newest(ReadPlane, event.request):
                debug.add_plane(event.graph, event.plane)
            case HistogramRead() if self._is_newest(ReadHistogram, event.request):
                debug.add_histogram(event.graph, event.histogram)
            case CauseFound() if self._is_newest(FindCause, event.request):
                debug.set_cause((event.graph, event.node, event.cause))
            case ValueSaved():
                debug.tell_saved(event)

    def _begin(self, kind: type[Request]) -> int:
        """The id of a new question; 0 where there is nobody to ask."""
        if not self._session.stepping.active:
            return 0
        self._request += 1
        self._newest[kind] = self._request
        return self._request

    def _is_newest(self, kind: type[Request], request: int) -> bool:
        return self._newest.get(kind) == request

    def _send(self, request: Request) -> None:
        if self._pool.current:
            self._pool.current.send(request)
