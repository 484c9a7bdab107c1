"""Counts on the tabs of docks: problems and findings with the sign of the worst, breakpoints, and what they said."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QIcon

from aotgui.gui.app.docks import Docks
from aotgui.gui.panels.look import severity_icon
from aotgui.gui.panels.notice_panel import SEVERITY_ORDER
from aotgui.gui.session.session import Session
from aotgui.model.capture import Finding, Problem, Severity


class NoticeBadges(QObject):
    """Keeps the tabs in step with the session."""

    def __init__(self, session: Session, docks: Docks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._docks = docks
        for signal in (session.problems_changed, session.capture_changed, session.result_changed):
            signal.connect(self.refresh)
        for counted in (session.breakpoints.changed, session.debug.log_changed):
            counted.connect(self._count)
        self.refresh()

    def refresh(self) -> None:
        """Counts again, and paints for the theme in use."""
        capture = self._session.capture
        self._show("Problems", self._session.problems)
        self._show("Findings", capture.findings if capture else ())
        self._count()

    def _count(self) -> None:
        """Of what is neither good nor bad."""
        for dock, count in (
            ("Breakpoints", len(self._session.breakpoints.listed)),
            ("Log", len(self._session.debug.log)),
        ):
            self._docks.set_badge(dock, f"{count:,}" if count else "", QIcon())

    def _show(self, dock: str, notices: Sequence[Problem | Finding]) -> None:
        worst = min((notice.severity for notice in notices), key=SEVERITY_ORDER.__getitem__, default=Severity.INFO)
        colors = QGuiApplication.palette()
        icon = QIcon() if worst is Severity.INFO else severity_icon(worst, colors)
        self._docks.set_badge(dock, str(len(notices)) if notices else "", icon)
