"""What the checks over the capture found: what a person should know before trusting it, and what to do about it."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.notice_panel import NoticePanel
from aotgui.gui.panels.row_model import Column
from aotgui.gui.session.session import Session
from aotgui.model.capture import Finding

NO_CAPTURE: Final = "What the checks over a capture find appears here after a run."
NOTHING: Final = "Nothing to report"


class FindingsPanel(NoticePanel[Finding]):
    """The findings of the capture, worst first, each with its advice."""

    noun = "finding"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        check = Column[Finding](
            "Check", lambda row: row.id, hint="Its id in the JSON report, for filters and scripts.", width=14
        )
        super().__init__(session, self._message, after=[check], empty_text=NO_CAPTURE, parent=parent)
        session.capture_changed.connect(self._on_findings_changed)
        session.result_changed.connect(self._on_findings_changed)
        self._on_findings_changed()

    def go_to(self, row: Finding) -> None:
        """Shows the region, selects the node and shows the line that a finding is about."""
        if row.region >= 0:
            self.session.set_region_index(row.region)
        super().go_to(row)

    def _message(self, row: Finding) -> str:
        capture = self.session.capture
        sentence = capture.sentence_of(row) if capture else row.message
        return f"{sentence}\n→ {row.advice}" if row.advice else sentence

    def _on_findings_changed(self) -> None:
        capture = self.session.capture
        self.set_empty_text(NOTHING if capture else NO_CAPTURE)
        findings = capture.findings if capture else []
        # Showing another region of the same capture must not take the selection away.
        if findings != list(self.model.shown) or not findings:
            self.show_notices(findings)
