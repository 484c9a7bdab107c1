"""What the end of a run adds to the capture on screen."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from aotgui.gui.session.adopt import adopt_result
from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture, Check, Finding, Severity
from aotgui.model.settings import Settings
from aotgui.protocol.messages import RunEnded, RunStatus


def test_findings_come_with_the_end_of_a_run(qapp: QApplication) -> None:
    session = Session()
    session.set_capture(Capture(source="/a.py", target="fn", torch="2.13.0", settings=Settings()))
    finding = Finding(id="shared-memory", severity=Severity.INFO, message="Two inputs share memory.")
    ended = RunEnded(run=1, status=RunStatus.DONE, check=Check(), problems=[], stages=[], findings=[finding])
    adopt_result(session, ended)
    assert session.capture is not None
    assert session.capture.findings == [finding]
    assert session.capture.target == "fn"


def test_a_run_that_gave_no_capture_adds_nothing(qapp: QApplication) -> None:
    session = Session()
    adopt_result(session, RunEnded(run=1, status=RunStatus.FAILED, check=Check(), problems=[], stages=[]))
    assert session.capture is None
